//! The files of an experiment: their bytes, how they are read, and what is said of those that cannot be.

use dido_data::{DataError, Fault, Header, Missing, Options};
use dido_problems::ProblemError;

use crate::config::{DataConfig, MissingConfig};
use crate::error::ExperimentError;
use crate::presets;
use crate::spec::Spec;

/// How the files are to be read.
///
/// # Errors
/// If an option does not make sense: its key and why.
pub fn options(data: &DataConfig) -> Result<Options, (&'static str, String)> {
    let mark = |key: &'static str, mark: Option<char>| match mark.map(|c| (c, u8::try_from(c))) {
        None => Ok(None),
        Some((c, Ok(byte))) if c == '\t' || (c.is_ascii() && !c.is_ascii_control() && c != '"') => Ok(Some(byte)),
        Some((c, _)) => Err((key, format!("{c:?} is not a tab or a printable ASCII character but `\"`"))),
    };
    let decimal = mark("decimal", data.decimal)?.unwrap_or(b'.');
    let refuse = |key: &'static str, message: String| Err((key, message));
    if !matches!(decimal, b'.' | b',') {
        return refuse("decimal", "the mark must be . or ,".to_owned());
    }
    let (separator, comment) = (mark("separator", data.separator)?, mark("comment", data.comment)?);
    if separator.is_some_and(|separator| separator == decimal) || (comment.is_some() && comment == separator) {
        return refuse("separator", "separator, decimal and comment must differ".to_owned());
    }
    let index_base = data.svmlight.map_or(1, |svmlight| svmlight.index_base);
    if index_base > 1 {
        return refuse("svmlight.index_base", format!("must be 0 or 1, got {index_base}"));
    }
    if data.svmlight.is_some() && data.missing == MissingConfig::Drop {
        return refuse("missing", "in an svmlight file nothing is missing, what is left out is 0".to_owned());
    }
    let plain = Options::default();
    Ok(Options {
        format: data.format.as_deref().map(str::parse).transpose().map_err(|e| ("format", e))?,
        separator,
        decimal,
        header: if data.header { Header::Yes } else { Header::No },
        comment,
        missing: if data.missing == MissingConfig::Drop { Missing::Drop } else { Missing::Error },
        na: data.na.clone().unwrap_or(plain.na),
        index_base,
        ..plain
    })
}

/// A source as it lies on disk or in this program.
///
/// # Errors
/// If it cannot be read.
pub fn bytes(spec: &Spec, source: &str) -> Result<Vec<u8>, ExperimentError> {
    if let Some(builtin) = source.strip_prefix("builtin:").and_then(presets::data) {
        return Ok(builtin.to_vec());
    }
    let path = spec.resolve(source);
    let refuse = |reason: String| ExperimentError::Input { path: path.clone(), reason };
    // A pipe or a device may never end.
    let kind = std::fs::metadata(&path).map_err(|e| refuse(e.to_string()))?;
    if !kind.is_file() {
        let what = if kind.is_dir() { "is a directory" } else { "is not a regular file" };
        return Err(refuse(what.to_owned()));
    }
    std::fs::read(&path).map_err(|e| refuse(e.to_string()))
}

/// The same error with the keys of an experiment in place of the options of `dido data`.
pub fn in_keys(error: ProblemError) -> ProblemError {
    let ProblemError::File(DataError { file, place, fault }) = error else { return error };
    let of = |message: String| Fault::Option(message);
    let fault = match fault {
        Fault::Missing(cell) => {
            let cell = if cell.is_empty() { cell } else { format!(" \"{cell}\"") };
            of(format!(
                "missing value{cell}; with data.missing = \"drop\" such a record keeps its place and counts as zeros, but \
                 not one without its party"
            ))
        }
        Fault::SeparatorUnknown(why) => of(format!("the separator cannot be told ({why}); set data.separator")),
        Fault::Pair(what) => of(what.replace("pass --index-base 0", "set data.svmlight.index_base = 0")),
        fault => fault,
    };
    DataError { file, place, fault }.into()
}
