//! `dido report`.

use std::path::PathBuf;

use clap::Args;
use dido_experiments::{ExperimentError, rebuild::rebuild};

use super::output::print;

#[derive(Args)]
pub struct ReportArgs {
    /// The folder of a result (results/NAME/DIGEST) or of a sweep.
    folder: PathBuf,
    /// Print the names of the files as JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &ReportArgs) -> Result<(), ExperimentError> {
    let files: Vec<String> = rebuild(&args.folder)?.iter().map(|path| path.display().to_string()).collect();
    print(&if args.json { dido_experiments::json(&files) } else { files.join("\n") + "\n" })
}
