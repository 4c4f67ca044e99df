//! `dido compare`.

use clap::Args;
use dido_experiments::{ExperimentError, comparison::compare, report};

use super::output::print;

#[derive(Args)]
pub struct CompareArgs {
    /// A preset (table1) or a TOML file.
    comparison: String,
    /// Print one JSON object on the standard output.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &CompareArgs) -> Result<(), ExperimentError> {
    let found = compare(&args.comparison, &[])?;
    print(&if args.json { dido_experiments::json(&found) } else { report::text::comparison(&found) + "\n" })
}
