//! `dido explain`.

use clap::Args;
use dido_experiments::advice::{explain, measured};
use dido_experiments::{ExperimentError, json, plan, report};

use super::Common;
use super::output::print;

#[derive(Args)]
pub struct ExplainArgs {
    #[command(flatten)]
    common: Common,
    /// Also look at the data, for the strong convexity that they have: what is printed is then not private.
    #[arg(long)]
    measured: bool,
}

pub fn run(args: &ExplainArgs) -> Result<(), ExperimentError> {
    let spec = args.common.spec()?;
    let planned = plan(&spec)?;
    let mut explained = explain(&spec, &planned);
    if args.measured {
        explained.measured = Some(measured(&spec, &planned)?);
    }
    print(&if args.common.json { json(&explained) } else { report::text::explained(&explained) })
}
