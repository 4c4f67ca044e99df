//! `dido tune`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use dido_experiments::{ExperimentError, json, report, tune::tune};

use super::Common;
use super::output::print;

#[derive(Args)]
pub struct TuneArgs {
    #[command(flatten)]
    common: Common,
    /// Write the best experiment to a new file.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

pub fn run(args: &TuneArgs) -> Result<(), ExperimentError> {
    let found = tune(&args.common.experiment, &args.common.overrides)?;
    if let Some(path) = &args.write {
        // What is there was written by somebody.
        let written = std::fs::File::create_new(path).and_then(|mut file| file.write_all(found.toml.as_bytes()));
        written.map_err(|error| ExperimentError::File { path: path.clone(), reason: error.to_string() })?;
    }
    print(&if args.common.json { json(&found) } else { report::text::tuned(&found) })
}
