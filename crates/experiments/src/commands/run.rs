//! `dido run`.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use dido_experiments::{ExperimentError, Options, Progress, ResultFolder, Spec, plan, report, run_until};
use indicatif::{ProgressBar, ProgressStyle};

use super::output::{print, say, tell, warn};
use super::{Common, interrupt, sweep};

/// More threads than this are a slip of the keyboard.
const MOST_THREADS: usize = 1024;

#[derive(Args)]
pub struct RunArgs {
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

pub fn run(args: &RunArgs) -> Result<(), ExperimentError> {
    let common = &args.common;
    let options = Options { force: args.force, checkpoint_every: checkpoint_interval(args.checkpoint_seconds)? };
    use_threads(args.threads)?;
    let stop = interrupt::requested()?;
    match common.sweep()? {
        Some(sweep) => sweep::run(&sweep, &args.out, options, &stop, common.json),
        None => single(args, &common.spec()?, options, &stop),
    }
}

fn single(args: &RunArgs, spec: &Spec, options: Options, stop: &AtomicBool) -> Result<(), ExperimentError> {
    let common = &args.common;
    let planned = plan(spec)?;
    warn(&planned);
    let folder = ResultFolder::new(&args.out, &spec.config.name, &spec.digest);
    let bar = progress_bar(u64::from(spec.config.rounds));
    // A plan that cannot be shown does not stop the run: the error is told after it.
    let mut shown = Ok(());
    let summary = run_until(spec, &planned, &folder, options, stop, |progress| match progress {
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
