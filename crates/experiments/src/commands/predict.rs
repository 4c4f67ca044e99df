//! `dido predict`.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use dido_data::Header;
use dido_experiments::ExperimentError;
use dido_experiments::predict::{Predictions, predict};
use dido_experiments::report::text;

use super::output::{print, tell};
use super::reading::ReadingArgs;

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
    #[command(flatten)]
    reading: ReadingArgs,
    /// Which of the models, if the run had several lanes.
    #[arg(long, value_name = "N", default_value_t = 0)]
    lane: usize,
    /// Print one JSON object on the standard output, in place of the table.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &PredictArgs) -> Result<(), ExperimentError> {
    let predictions = predict(&args.model, &args.file, args.reading.options(Header::Yes), args.lane)?;
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
        let path = out.to_owned();
        if e.kind() == std::io::ErrorKind::AlreadyExists {
            return ExperimentError::Input { path, reason: "is already there; --force replaces it".to_owned() };
        }
        ExperimentError::File { path, reason: e.to_string() }
    };
    let mut options = OpenOptions::new();
    options.write(true);
    let options = if force { options.create(true).truncate(true) } else { options.create_new(true) };
    options.open(out).and_then(|mut file| file.write_all(predictions.csv().as_bytes())).map_err(failed)
}
