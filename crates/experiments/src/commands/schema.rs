//! `dido schema`.

use clap::Args;
use dido_experiments::{ExperimentError, json, schema};

use super::output::print;

#[derive(Args)]
pub struct SchemaArgs {
    /// Print a JSON Schema (draft 2020-12) for editors.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &SchemaArgs) -> Result<(), ExperimentError> {
    print(&if args.json { json(&schema::json_schema()) } else { schema::text() })
}
