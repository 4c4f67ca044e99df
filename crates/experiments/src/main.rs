//! The command `dido`.

mod accounting_command;
mod audit_command;
mod compare_command;
mod network_command;
mod topology_command;

use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::error::ErrorKind as Usage;
use clap::{Args, Parser, Subcommand};
use dido_experiments::{ExperimentError, Options, Planned, Progress, ResultFolder, Spec, load, plan, report, run};
use indicatif::{ProgressBar, ProgressStyle};

use accounting_command::{BAD_INPUT, CalibrateArgs, EpsilonArgs};
use audit_command::AuditArgs;
use compare_command::CompareArgs;
use network_command::NetworkArgs;
use topology_command::TopologyArgs;

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
}

#[derive(Args)]
struct Common {
    /// A preset (quickstart) or a TOML file.
    experiment: String,
    /// Override a key of the TOML, for example --set seed=3 or --set privacy.budget.epsilon=2.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// Print one JSON object on the standard output, and everything else on the standard error.
    #[arg(long)]
    json: bool,
}

/// More threads than this are a slip of the keyboard.
const MOST_THREADS: usize = 1024;

#[derive(Args)]
struct RunArgs {
    #[command(flatten)]
    common: Common,
    /// The folder that holds all results.
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// Run again, and replace an existing result.
    #[arg(long)]
    force: bool,
    /// Threads to use; by default all cores. The results do not depend on it.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Seconds between two checkpoints of a long run.
    #[arg(long, value_name = "S", default_value_t = 5.0)]
    checkpoint_seconds: f64,
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return not_understood(&error),
    };
    let result = match cli.command {
        Command::Plan(common) => plan_command(&common),
        Command::Run(args) => run_command(&args),
        Command::Audit(args) => return audit_command::run(&args).unwrap_or_else(|error| failed(&error)),
        Command::Compare(args) => compare_command::run(&args),
        Command::Topology(args) => topology_command::run(&args),
        Command::Epsilon(args) => return answered(accounting_command::epsilon(&args)),
        Command::Calibrate(args) => return answered(accounting_command::calibrate(&args)),
        Command::NetworkPrivacy(args) => network_command::run(&args),
    };
    ended(result)
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

fn ended(result: Result<(), ExperimentError>) -> ExitCode {
    result.map_or_else(|error| failed(&error), |()| ExitCode::SUCCESS)
}

fn failed(error: &ExperimentError) -> ExitCode {
    tell(&format!("dido: {error}"));
    ExitCode::FAILURE
}

/// Help and version as they are; what is wrong with the arguments in one line, as all other errors.
fn not_understood(error: &clap::Error) -> ExitCode {
    let accounting =
        std::env::args_os().nth(1).is_some_and(|name| accounting_command::NAMES.iter().any(|n| name == *n));
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

fn plan_command(common: &Common) -> Result<(), ExperimentError> {
    let spec = Spec::new(load(&common.experiment, &common.overrides)?)?;
    let planned = plan(&spec)?;
    warn(&planned);
    say(common.json, &report::text::plan(&planned.plan))?;
    if common.json {
        print(&dido_experiments::json(&planned.plan))?;
    }
    Ok(())
}

fn run_command(args: &RunArgs) -> Result<(), ExperimentError> {
    let common = &args.common;
    let spec = Spec::new(load(&common.experiment, &common.overrides)?)?;
    let options = Options { force: args.force, checkpoint_every: checkpoint_interval(args.checkpoint_seconds)? };
    use_threads(args.threads)?;
    let planned = plan(&spec)?;
    warn(&planned);
    let folder = ResultFolder::new(&args.out, &spec.config.name, &spec.digest);
    let bar = progress_bar(u64::from(spec.config.rounds));
    // A plan that cannot be shown does not stop the run: the error is told after it.
    let mut shown = Ok(());
    let summary = run(&spec, &planned, &folder, options, |progress| match progress {
        Progress::AlreadyThere => {
            bar.suspend(|| tell(&format!("{} is already there; --force runs it again", folder.path().display())));
        }
        Progress::Started => shown = bar.suspend(|| say(common.json, &report::text::plan(&planned.plan))),
        Progress::Resumed(round) => bar.suspend(|| tell(&format!("resumed at round {round}"))),
        Progress::Completed(round) => bar.set_position(u64::from(round)),
    });
    bar.finish_and_clear();
    let summary = summary?;
    shown?;
    say(common.json, &report::text::summary(&summary, &planned.plan))?;
    if common.json {
        print(&dido_experiments::json(&summary))?;
    }
    Ok(())
}

fn warn(planned: &Planned) {
    for warning in &planned.plan.warnings {
        tell(&format!("dido: warning: {warning}"));
    }
}

/// Text for people goes to the standard output, unless that is kept for JSON.
fn say(json: bool, text: &str) -> Result<(), ExperimentError> {
    if json {
        tell(text);
        Ok(())
    } else {
        print(&format!("{text}\n"))
    }
}

/// Whoever reads may stop reading, as `head` does: that is no error, where `println!` would panic. A full disk is one.
fn print(text: &str) -> Result<(), ExperimentError> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            Err(ExperimentError::File { path: "standard output".into(), reason: e.to_string() })
        }
        _ => Ok(()),
    }
}

/// The standard error is the last resort: where it fails, there is nobody to tell.
fn tell(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

fn progress_bar(rounds: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} round {pos}/{len}, {eta} left");
    ProgressBar::new(rounds).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn checkpoint_interval(seconds: f64) -> Result<Duration, ExperimentError> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| ExperimentError::Argument { argument: "--checkpoint-seconds", value: seconds.to_string() })
}

fn use_threads(threads: Option<usize>) -> Result<(), ExperimentError> {
    let Some(threads) = threads else { return Ok(()) };
    let refuse = || ExperimentError::Argument { argument: "--threads", value: threads.to_string() };
    if !(1..=MOST_THREADS).contains(&threads) {
        return Err(refuse());
    }
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().map_err(|_| refuse())
}
