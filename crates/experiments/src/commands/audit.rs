//! `dido audit`.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use dido_experiments::audit::{AuditOptions, Method, View, audit};
use dido_experiments::{ExperimentError, plan, report};
use dido_mechanisms::audit::Verdict;

use super::Common;
use super::output::{print, say};

#[derive(Args)]
#[command(
    after_help = "Exit code: 0 for PASS, 3 for VIOLATION, 4 for INCONCLUSIVE, 2 for bad input, 1 for a failure.\n\
    An audit looks at the data without noise: what it prints is for the owner of the data only."
)]
pub struct AuditArgs {
    #[command(flatten)]
    common: Common,
    /// How to audit.
    #[arg(long, value_enum, default_value_t = MethodArg::Transcript)]
    method: MethodArg,
    /// Runs on each data set; coins of a one-run audit.
    #[arg(long, value_name = "N", default_value_t = 200)]
    runs: usize,
    /// The probability that a true claim is not called violated.
    #[arg(long, value_name = "C", default_value_t = 0.99)]
    confidence: f64,
    /// The party whose data differ; by default one with the largest epsilon.
    #[arg(long, value_name = "PARTY")]
    victim: Option<usize>,
    /// What the adversary sees; transcript and one-run see all.
    #[arg(long, value_enum, default_value_t = ViewArg::All)]
    view: ViewArg,
    /// Of the noise of the audit, which is never that of a run.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum MethodArg {
    /// The likelihood ratio of everything that is sent.
    Transcript,
    /// A threshold on a score of each run.
    BlackBox,
    /// Guesses at many coins in one run.
    OneRun,
}

#[derive(Clone, Copy, ValueEnum)]
enum ViewArg {
    /// All releases of all parties.
    All,
    /// The releases of a neighbour of the victim and of its neighbours.
    Neighbour,
    /// The models at the end.
    Final,
}

/// Prints the report; the verdict is the exit code.
pub fn run(args: &AuditArgs) -> Result<ExitCode, ExperimentError> {
    let common = &args.common;
    let spec = common.spec()?;
    let options = AuditOptions {
        method: match args.method {
            MethodArg::Transcript => Method::Transcript,
            MethodArg::BlackBox => Method::BlackBox,
            MethodArg::OneRun => Method::OneRun,
        },
        runs: args.runs,
        confidence: args.confidence,
        victim: args.victim,
        view: match args.view {
            ViewArg::All => View::All,
            ViewArg::Neighbour => View::Neighbour,
            ViewArg::Final => View::Final,
        },
        seed: args.seed,
    };
    let found = audit(&spec, &plan(&spec)?, &options)?;
    say(common.json, &report::text::audit(&found))?;
    if common.json {
        print(&dido_experiments::json(&found))?;
    }
    Ok(match found.verdict {
        Verdict::Pass => ExitCode::SUCCESS,
        Verdict::Violation => ExitCode::from(3),
        Verdict::Inconclusive => ExitCode::from(4),
    })
}
