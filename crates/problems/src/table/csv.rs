//! Loading a CSV file.
//!
//! A header line is required. Cells are trimmed of blanks. A byte-order mark is skipped, and a file that starts with the
//! magic bytes of gzip is unpacked, whatever its name.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use csv::{ErrorKind, ReaderBuilder, StringRecord, Trim};
use flate2::read::MultiGzDecoder;
use ndarray::{Array1, Array2};

use super::feature::{Encode, Fault};
use super::{Feature, Schema};
use crate::{Features, ProblemError};

/// Where a table comes from: a file, or bytes with a name for the messages.
#[derive(Clone)]
pub struct Source {
    name: String,
    content: Content,
    separator: u8,
}

#[derive(Clone)]
enum Content {
    File(PathBuf),
    Bytes(Vec<u8>),
}

impl Source {
    /// A file, separated by commas.
    pub fn file(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        Self { name: path.display().to_string(), content: Content::File(path.to_owned()), separator: b',' }
    }

    /// The content of a file, separated by commas.
    pub fn bytes(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), content: Content::Bytes(bytes.into()), separator: b',' }
    }

    /// The same with another separator, such as `b';'` or `b'\t'`.
    #[must_use]
    pub fn separated_by(self, separator: u8) -> Self {
        Self { separator, ..self }
    }

    /// What messages call it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The text: read, unpacked, without a byte-order mark.
    pub(super) fn read(&self) -> Result<Vec<u8>, ProblemError> {
        let unreadable = |source| ProblemError::Unreadable { file: self.name.clone(), source };
        let mut bytes = match &self.content {
            Content::File(path) => std::fs::read(path).map_err(unreadable)?,
            Content::Bytes(bytes) => bytes.clone(),
        };
        if bytes.starts_with(&[0x1f, 0x8b]) {
            let mut text = Vec::new();
            MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut text).map_err(unreadable)?;
            bytes = text;
        }
        if bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        Ok(bytes)
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The encoded rows of a file, in its order. `Debug` shows its size, never a record.
#[derive(Clone)]
pub struct Table {
    /// Encoded features, records x [`Schema::names`].
    pub x: Array2<f64>,
    /// Encoded targets.
    pub y: Array1<f64>,
    /// Per numeric column (the target last): how many cells were outside the declared range. Computed from the
    /// records: not covered by any privacy guarantee.
    pub clipped: Vec<(String, usize)>,
    /// The extra columns asked for, as text, in the order asked for.
    pub extra: Vec<(String, Vec<String>)>,
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (records, dim) = self.x.dim();
        f.debug_struct("Table").field("records", &records).field("dim", &dim).finish_non_exhaustive()
    }
}

/// The encoded rows of a file to predict for, in its order. `Debug` shows its size, never a record.
#[derive(Clone)]
pub struct Unlabelled {
    /// Encoded features.
    pub x: Features,
    /// Encoded targets, if the file has them.
    pub y: Option<Array1<f64>>,
    /// As [`Table::clipped`]; the target is there if the file has it.
    pub clipped: Vec<(String, usize)>,
}

impl fmt::Debug for Unlabelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (records, dim) = (self.x.records(), self.x.dim());
        f.debug_struct("Unlabelled").field("records", &records).field("dim", &dim).finish_non_exhaustive()
    }
}

/// Loads the columns a schema declares, and `extra` columns as text (to partition by, for example).
///
/// # Errors
/// In one line, with file, line and column: an unreadable file; a column that is missing or ambiguous; text, NaN, an
/// infinity or nothing in place of a number; an undeclared level; a row of another length than the header; no rows; text
/// that is not UTF-8.
pub fn load(source: &Source, schema: &Schema, extra: &[&str]) -> Result<Table, ProblemError> {
    let Columns { x, y, clipped, extra } = columns(source, schema, extra, true)?;
    Ok(Table { x, y: y.expect("the target is needed"), clipped, extra })
}

/// Loads the features a schema declares, and the target if there is such a column: what a model predicts from.
///
/// # Errors
/// As [`load`], but for a target that is missing.
pub fn load_unlabelled(source: &Source, schema: &Schema) -> Result<Unlabelled, ProblemError> {
    let Columns { x, y, clipped, .. } = columns(source, schema, &[], false)?;
    Ok(Unlabelled { x: x.into(), y, clipped })
}

/// What the loaders read.
struct Columns {
    x: Array2<f64>,
    y: Option<Array1<f64>>,
    clipped: Vec<(String, usize)>,
    extra: Vec<(String, Vec<String>)>,
}

fn columns(source: &Source, schema: &Schema, extra: &[&str], labelled: bool) -> Result<Columns, ProblemError> {
    let bytes = source.read()?;
    let file = File { name: &source.name, bytes: &bytes };
    let mut reader = ReaderBuilder::new().delimiter(source.separator).trim(Trim::All).from_reader(bytes.as_slice());
    let header = reader.headers().map_err(|error| file.malformed(error))?.clone();
    let columns: Vec<Option<(usize, &dyn Encode)>> = schema
        .features()
        .iter()
        .map(|feature| feature.encoder().map(|e| Ok((file.column(&header, e.column())?, e))).transpose())
        .collect::<Result<_, _>>()?;
    let target = match file.column(&header, schema.target().column()) {
        Err(ProblemError::MissingColumn { .. }) if !labelled => None,
        target => Some(target?),
    };
    let extra_columns: Vec<usize> = extra.iter().map(|name| file.column(&header, name)).collect::<Result<_, _>>()?;

    let (mut x, mut y, mut rows) = (Vec::new(), Vec::new(), 0);
    let (mut clipped, mut clipped_targets) = (vec![0; columns.len()], 0);
    let mut texts: Vec<Vec<String>> = vec![Vec::new(); extra.len()];
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| file.malformed(error))? {
        rows += 1;
        for (feature, clipped) in columns.iter().zip(&mut clipped) {
            let Some((column, encoder)) = *feature else {
                x.push(1.0);
                continue;
            };
            let encoded = encoder.encode(&record[column], &mut x);
            *clipped += usize::from(encoded.map_err(|fault| file.cell(&record, column, encoder, &fault))?);
        }
        if let Some(target) = target {
            let encoder = schema.target().encoder();
            let outside = encoder.encode(&record[target], &mut y);
            clipped_targets += usize::from(outside.map_err(|fault| file.cell(&record, target, encoder, &fault))?);
        }
        for (texts, &column) in texts.iter_mut().zip(&extra_columns) {
            texts.push(record[column].to_owned());
        }
    }
    if rows == 0 {
        return Err(ProblemError::NoRows { file: source.name.clone() });
    }
    let numeric = schema.features().iter().zip(clipped).filter_map(|(feature, clipped)| match feature {
        Feature::Numeric(numeric) => Some((numeric.column.clone(), clipped)),
        _ => None,
    });
    let of_target = target.map(|_| (schema.target().column().to_owned(), clipped_targets));
    let dim = schema.dim();
    Ok(Columns {
        x: Array2::from_shape_fn((rows, dim), |(i, j)| x[i * dim + j]),
        y: target.map(|_| y.into()),
        clipped: numeric.chain(of_target).collect(),
        extra: extra.iter().map(|name| (*name).to_owned()).zip(texts).collect(),
    })
}

/// A file, for messages.
struct File<'a> {
    name: &'a str,
    bytes: &'a [u8],
}

impl File<'_> {
    /// The line of the record at a position. Counted here: the reader's own count lags behind after `\r\n` and
    /// blank lines.
    fn line(&self, position: Option<&csv::Position>) -> u64 {
        let byte = position.map_or(0, csv::Position::byte);
        let start = usize::try_from(byte).unwrap_or(usize::MAX).min(self.bytes.len());
        let blank = self.bytes[start..].iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
        self.bytes[..start + blank].split(|b| *b == b'\n').count() as u64
    }

    fn malformed(&self, error: csv::Error) -> ProblemError {
        let file = self.name.to_owned();
        let line = self.line(error.position());
        match error.into_kind() {
            ErrorKind::Utf8 { .. } => ProblemError::NotUtf8 { file, line },
            ErrorKind::UnequalLengths { expected_len, len, .. } => {
                ProblemError::RowLength { file, line, cells: len, expected: expected_len }
            }
            ErrorKind::Io(source) => ProblemError::Unreadable { file, source },
            other => ProblemError::Unreadable { file, source: std::io::Error::other(format!("{other:?}")) },
        }
    }

    /// The place of a column in the header.
    fn column(&self, header: &StringRecord, column: &str) -> Result<usize, ProblemError> {
        let (file, column) = (self.name.to_owned(), column.to_owned());
        let mut places = header.iter().enumerate().filter(|(_, name)| *name == column).map(|(k, _)| k);
        match (places.next(), places.next()) {
            (Some(place), None) => Ok(place),
            (Some(_), Some(_)) => Err(ProblemError::AmbiguousColumn { file, column }),
            (None, _) => {
                let present = header.iter().collect::<Vec<_>>().join(", ");
                Err(ProblemError::MissingColumn { file, column, present })
            }
        }
    }

    fn cell(&self, record: &StringRecord, column: usize, encoder: &dyn Encode, why: &Fault) -> ProblemError {
        fault(self.name.to_owned(), self.line(record.position()), encoder, &record[column], why)
    }
}

/// What is wrong with a cell, and where.
pub(super) fn fault(file: String, line: u64, encoder: &dyn Encode, cell: &str, why: &Fault) -> ProblemError {
    let (column, value) = (encoder.column().to_owned(), cell.to_owned());
    match why {
        Fault::Empty => ProblemError::EmptyCell { file, line, column },
        Fault::NotANumber => ProblemError::NotANumber { file, line, column, value },
        Fault::NonFinite => ProblemError::NonFiniteCell { file, line, column, value },
        Fault::UndeclaredLevel => {
            let declared = encoder.levels().join(", ");
            ProblemError::UndeclaredLevel { file, line, column, value, declared }
        }
    }
}
