//! `dido doctor`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use dido_experiments::{ExperimentError, doctor::examine, json, report};

use super::output::print;

#[derive(Args)]
#[command(after_help = "Exit code: 0 if every check passed, 1 otherwise.")]
pub struct DoctorArgs {
    /// The folder of results.
    #[arg(long, value_name = "FOLDER", default_value = "results")]
    out: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Prints the report; whether all is well is the exit code.
pub fn run(args: &DoctorArgs) -> Result<ExitCode, ExperimentError> {
    let report = examine(&args.out);
    print(&if args.json { json(&report) } else { report::text::doctor(&report) })?;
    Ok(if report.healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
