//! `dido predict`.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use dido_experiments::ExperimentError;
use dido_experiments::predict::{Options, Predictions, predict};
use dido_experiments::report::text;

use super::output::{print, tell};

#[derive(Args)]
pub struct PredictArgs {
    /// The model of a run: results/NAME/DIGEST/model.json.
    #[arg(value_name = "MODEL.json")]
    model: PathBuf,
    /// The records: a table with a header, or a file of svmlight, as the data of the run.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Write the predictions here, and not on the standard output. An existing file is left alone.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace an existing file.
    #[arg(long, requires = "out")]
    force: bool,
    /// The field separator of a table.
    #[arg(long, value_name = "C", default_value = ",")]
    separator: char,
    /// Which of the models, if the run had several lanes.
    #[arg(long, value_name = "N", default_value_t = 0)]
    lane: usize,
    /// Print one JSON object on the standard output, in place of the table.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &PredictArgs) -> Result<(), ExperimentError> {
    let separator = u8::try_from(args.separator).ok().filter(u8::is_ascii);
    let separator = separator
        .ok_or_else(|| ExperimentError::Argument { argument: "--separator", value: args.separator.to_string() })?;
    let predictions = predict(&args.model, &args.file, Options { separator, lane: args.lane })?;
    if let Some(out) = &args.out {
        write(out, &predictions, args.force)?;
    }
    tell(&text::predictions(&predictions));
    match (&args.out, args.json) {
        (_, true) => print(&dido_experiments::json(&predictions)),
        (None, false) => print(&predictions.csv()),
        (Some(_), false) => Ok(()),
    }
}

fn write(out: &Path, predictions: &Predictions, force: bool) -> Result<(), ExperimentError> {
    let failed = |e: std::io::Error| {
        let exists = e.kind() == std::io::ErrorKind::AlreadyExists;
        let reason = if exists { "is already there; --force replaces it".to_owned() } else { e.to_string() };
        ExperimentError::File { path: out.to_owned(), reason }
    };
    let mut options = OpenOptions::new();
    options.write(true);
    let options = if force { options.create(true).truncate(true) } else { options.create_new(true) };
    options.open(out).and_then(|mut file| file.write_all(predictions.csv().as_bytes())).map_err(failed)
}
