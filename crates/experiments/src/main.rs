//! The command `dido`.

mod commands;

use std::process::ExitCode;

use clap::error::ErrorKind as Usage;
use clap::{Parser, Subcommand};
use dido_experiments::ExperimentError;

use commands::accounting::{self, BAD_INPUT, CalibrateArgs, EpsilonArgs};
use commands::audit::{self, AuditArgs};
use commands::compare::{self, CompareArgs};
use commands::network_privacy::{self, NetworkArgs};
use commands::output::{ended, failed, print, tell};
use commands::run::{self, RunArgs};
use commands::study::{self, StudyArgs};
use commands::topology::{self, TopologyArgs};
use commands::{Common, plan};

/// Differentially private decentralised optimisation: plan and run experiments.
#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print what a run would release and what it would cost, without touching data.
    Plan(Common),
    /// Run an experiment and write its report.
    Run(RunArgs),
    /// Try to refute the privacy claim of an experiment, on the data; the report is not private.
    Audit(AuditArgs),
    /// Run several algorithms on one problem at two budgets and print one table, which is not private.
    Compare(CompareArgs),
    /// Print what a graph and its mixing weights are, and how fast they average.
    Topology(Box<TopologyArgs>),
    /// Say what noise is worth, by every method of accounting. No data are read.
    Epsilon(EpsilonArgs),
    /// Find the least noise, or the most rounds, for a budget. No data are read.
    Calibrate(CalibrateArgs),
    /// Print what each party of a private averaging learns about the others, by their distance.
    NetworkPrivacy(Box<NetworkArgs>),
    /// Carry out a published experiment and write its page and figures; not private.
    Study(StudyArgs),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return not_understood(&error),
    };
    match cli.command {
        Command::Plan(common) => ended(plan::run(&common)),
        Command::Run(args) => ended(run::run(&args)),
        Command::Audit(args) => audit::run(&args).unwrap_or_else(|error| failed(&error)),
        Command::Compare(args) => ended(compare::run(&args)),
        Command::Topology(args) => ended(topology::run(&args)),
        Command::Epsilon(args) => answered(accounting::epsilon(&args)),
        Command::Calibrate(args) => answered(accounting::calibrate(&args)),
        Command::NetworkPrivacy(args) => ended(network_privacy::run(&args)),
        Command::Study(args) => ended(study::run(&args)),
    }
}

/// An answer that cannot be given is bad input, one that cannot be printed a failure.
fn answered(answer: Result<String, ExperimentError>) -> ExitCode {
    match answer {
        Ok(text) => ended(print(&text)),
        Err(error) => {
            tell(&format!("dido: {error}"));
            ExitCode::from(BAD_INPUT)
        }
    }
}

/// Help and version as they are; what is wrong with the arguments in one line, as all other errors.
fn not_understood(error: &clap::Error) -> ExitCode {
    let accounting = std::env::args_os().nth(1).is_some_and(|name| accounting::NAMES.iter().any(|n| name == *n));
    let failure = if accounting { ExitCode::from(BAD_INPUT) } else { ExitCode::FAILURE };
    if !error.use_stderr() || error.kind() == Usage::DisplayHelpOnMissingArgumentOrSubcommand {
        // Whoever reads may stop reading.
        let _ = error.print();
        return if error.use_stderr() { failure } else { ExitCode::SUCCESS };
    }
    let text = error.to_string();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<&str> =
        lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more")).collect();
    tell(&format!("dido: {}", lines.join("; ").trim_start_matches("error: ").replace(":; ", ": ")));
    failure
}
