//! `dido plan` and `dido run` of an experiment with a sweep.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use dido_experiments::sweep::{self, Row, Status, Sweep, SweepFolder, SweepProgress, SweepSummary};
use dido_experiments::{ExperimentError, Options, report};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::output::{print, say, tell};

/// What is printed of a sweep: its file `cells.json`, and where it lies.
#[derive(Serialize)]
struct Printed<'a> {
    results: String,
    #[serde(flatten)]
    summary: &'a SweepSummary,
}

/// Prints one line for each cell, or a list.
pub fn plan(sweep: &Sweep, json: bool) -> Result<(), ExperimentError> {
    let plan = sweep::plan(sweep)?;
    say(json, &report::text::sweep_plan(&sweep.name, &plan))?;
    if json {
        print(&dido_experiments::json(&plan.rows))?;
    }
    any(sweep, &plan.rows)
}

/// Runs all cells, with one bar for all of them or, where nobody sees it, a line for each.
pub fn run(sweep: &Sweep, root: &Path, options: Options, stop: &AtomicBool, json: bool) -> Result<(), ExperimentError> {
    let bar = progress_bar(sweep);
    let count = sweep.cells.len();
    let progress = |told: SweepProgress<'_>| match told {
        SweepProgress::Rounds(rounds) => {
            // Plans, data and reference optima come before, and are done once.
            if bar.position() == 0 {
                bar.reset_eta();
            }
            bar.inc(rounds);
        }
        SweepProgress::Saved(rounds) => bar.dec_length(rounds),
        SweepProgress::Finished { row, finished, already } => {
            bar.set_message(format!("{finished}/{count}"));
            if bar.is_hidden() {
                tell(&line(row, count, already));
            }
        }
    };
    let summary = sweep::run(sweep, root, options, stop, &progress);
    bar.finish_and_clear();
    let summary = summary?;
    let results = SweepFolder::path_of(root, sweep).display().to_string();
    say(json, &report::text::sweep(&summary))?;
    say(json, &format!("results in {results}"))?;
    if json {
        print(&dido_experiments::json(&Printed { results, summary: &summary }))?;
    }
    any(sweep, &summary.cells)
}

fn progress_bar(sweep: &Sweep) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {msg} cells, {eta} left");
    let bar = ProgressBar::new(sweep.rounds()).with_message(format!("0/{}", sweep.cells.len()));
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn line(row: &Row, count: usize, already: bool) -> String {
    let outcome = match (&row.reason, &row.result) {
        (Some(reason), _) => format!("failed: {reason}"),
        _ if already => "is already there".to_owned(),
        (None, Some(found)) => format!("done, {} {:.4}", found.measure[0], found.merit),
        (None, None) => row.status.name().to_owned(),
    };
    format!("cell {} of {count} ({}): {outcome}", row.cell, row.setting())
}

/// A sweep has succeeded if one of its cells has.
fn any(sweep: &Sweep, rows: &[Row]) -> Result<(), ExperimentError> {
    let failed = |row: &Row| row.status == Status::Failed;
    match rows.iter().find(|row| failed(row)).filter(|_| rows.iter().all(failed)) {
        Some(first) => Err(ExperimentError::NoCell {
            file: sweep.file.clone(),
            cells: rows.len(),
            reason: first.reason.clone().unwrap_or_default(),
        }),
        None => Ok(()),
    }
}
