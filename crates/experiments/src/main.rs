//! The command `dido`.

mod commands;

use std::process::ExitCode;

use clap::error::ErrorKind as Usage;
use clap::{Parser, Subcommand};

use commands::accounting::{self, CalibrateArgs, EpsilonArgs};
use commands::audit::{self, AuditArgs};
use commands::compare::{self, CompareArgs};
use commands::data::{self, DataArgs};
use commands::doctor::{self, DoctorArgs};
use commands::explain::{self, ExplainArgs};
use commands::init::{self, InitArgs};
use commands::network_privacy::{self, NetworkArgs};
use commands::output::{BAD_INPUT, ended, failed, tell};
use commands::predict::{self, PredictArgs};
use commands::report::{self, ReportArgs};
use commands::run::{self, RunArgs};
use commands::schema::{self, SchemaArgs};
use commands::study::{self, StudyArgs};
use commands::topology::{self, TopologyArgs};
use commands::tune::{self, TuneArgs};
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
    /// Say how much noise a budget means, and what error to expect, from public numbers.
    Explain(ExplainArgs),
    /// Choose rounds, step, noise and algorithm from public numbers, which costs no privacy.
    Tune(TuneArgs),
    /// Check that this program and this machine compute what they should.
    Doctor(DoctorArgs),
    /// Run an experiment and write its report.
    Run(RunArgs),
    /// Predict the target of every record of a file by the model of a run.
    Predict(PredictArgs),
    /// Try to refute the privacy claim of an experiment, on the data; the report is not private.
    Audit(AuditArgs),
    /// Make page and pictures of a result again from the files beside them; nothing is run.
    Report(ReportArgs),
    /// Set results side by side, or run several algorithms on one problem at two budgets: one table, which is not private.
    Compare(CompareArgs),
    /// Print what a graph and its mixing weights are, and how fast they average.
    Topology(Box<TopologyArgs>),
    /// Say what noise is worth, by every method of accounting. No data are read.
    Epsilon(EpsilonArgs),
    /// Find the least noise, or the most rounds, for a budget. No data are read.
    Calibrate(CalibrateArgs),
    /// Print all keys of an experiment file with their types, defaults and meaning.
    Schema(SchemaArgs),
    /// Write an experiment file for a data file, with the bounds left to be declared.
    Init(Box<InitArgs>),
    /// Look at a data file, which is not private.
    Data(Box<DataArgs>),
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
        Command::Explain(args) => ended(explain::run(&args)),
        Command::Tune(args) => ended(tune::run(&args)),
        Command::Doctor(args) => doctor::run(&args).unwrap_or_else(|error| failed(&error)),
        Command::Run(args) => ended(run::run(&args)),
        Command::Predict(args) => ended(predict::run(&args)),
        Command::Audit(args) => audit::run(&args).unwrap_or_else(|error| failed(&error)),
        Command::Report(args) => ended(report::run(&args)),
        Command::Compare(args) => ended(compare::run(&args)),
        Command::Topology(args) => ended(topology::run(&args)),
        Command::Epsilon(args) => ended(accounting::epsilon(&args)),
        Command::Calibrate(args) => ended(accounting::calibrate(&args)),
        Command::Schema(args) => ended(schema::run(&args)),
        Command::Init(args) => ended(init::run(&args)),
        Command::Data(args) => ended(data::run(&args)),
        Command::NetworkPrivacy(args) => ended(network_privacy::run(&args)),
        Command::Study(args) => ended(study::run(&args)),
    }
}

/// Help and version as they are; what is wrong with the arguments in one line, as all other errors.
fn not_understood(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() || error.kind() == Usage::DisplayHelpOnMissingArgumentOrSubcommand {
        // Whoever reads may stop reading.
        let _ = error.print();
        return if error.use_stderr() { ExitCode::from(BAD_INPUT) } else { ExitCode::SUCCESS };
    }
    let text = error.to_string();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<&str> =
        lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more")).collect();
    tell(&format!("dido: {}", lines.join("; ").trim_start_matches("error: ").replace(":; ", ": ")));
    ExitCode::from(BAD_INPUT)
}
