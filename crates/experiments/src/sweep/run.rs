//! The cells of a sweep, several at once.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::Sweep;
use super::cell::{Cell, Checked, reason};
use super::folder::SweepFolder;
use super::rows::{NOT_COVERED, Row, SweepPlan, SweepSummary, csv};
use super::shared::{self, Shared};
use super::total::{Counted, total};
use crate::error::ExperimentError;
use crate::planning::plan as plan_one;
use crate::report;
use crate::results::{ResultFolder, json};
use crate::run::{Options, Progress, run_on};
use crate::spec::Spec;

/// What a sweep tells while it lasts. Calls come from several threads, but never two at once for one cell.
#[derive(Clone, Copy, Debug)]
pub enum SweepProgress<'a> {
    /// So many rounds are completed since the last call.
    Rounds(u64),
    /// So many rounds need not be run: an earlier run has them, or the cell has failed.
    Saved(u64),
    /// A cell is finished.
    Finished {
        /// What there is to tell of it.
        row: &'a Row,
        /// How many cells are.
        finished: usize,
        /// Whether its result was there already.
        already: bool,
    },
}

/// Cells at once hold at most so many numbers in one vector of all parties and lanes, 32 MiB; algorithms hold several
/// vectors. A cell above that has passes long enough for all threads and runs alone.
const MOST_NUMBERS: usize = 1 << 22;

/// Plans every cell, without touching data.
///
/// # Errors
/// If an accountant does not understand an event.
pub fn plan(sweep: &Sweep) -> Result<SweepPlan, ExperimentError> {
    let one = |cell: &Cell| match planned(&sweep.file, cell) {
        Ok((row, counted)) => (row, Some(counted)),
        Err(reason) => (Row::failed(cell, reason), None),
    };
    let (rows, counted): (Vec<Row>, Vec<Option<Counted>>) = sweep.cells.par_iter().map(one).unzip();
    Ok(SweepPlan { rows, total: total(&counted.into_iter().flatten().collect::<Vec<_>>())? })
}

fn planned(file: &str, cell: &Cell) -> Result<(Row, Counted), String> {
    let Checked { loaded, .. } = cell.state.clone()?;
    let spec = Spec::new(loaded).map_err(|error| reason(file, &error))?;
    let planned = plan_one(&spec).map_err(|error| reason(file, &error))?;
    Ok((Row::planned(cell, &planned), Counted::new(cell.number, &spec, &planned)))
}

impl Sweep {
    /// The rounds of all cells that check, each experiment once.
    pub fn rounds(&self) -> u64 {
        jobs(&self.cells).iter().map(|job| u64::from(job.checked.loaded.config.rounds)).sum()
    }
}

/// Runs every cell whose result is not there, until somebody sets `stop`.
///
/// # Errors
/// If the folder of the sweep cannot be written, or another process is at it; [`ExperimentError::Interrupted`] if it was
/// stopped. A cell that fails is a row of the summary.
pub fn run(
    sweep: &Sweep,
    root: &Path,
    options: Options,
    stop: &AtomicBool,
    progress: &(dyn Fn(SweepProgress<'_>) + Sync),
) -> Result<SweepSummary, ExperimentError> {
    let folder = SweepFolder::begin(root, sweep)?;
    let jobs = jobs(&sweep.cells);
    let mut waiting: HashMap<&str, usize> = HashMap::new();
    for job in &jobs {
        *waiting.entry(&job.inputs).or_default() += 1;
    }
    let board = Mutex::new(Board { rows: vec![None; sweep.cells.len()], waiting, counted: BTreeMap::new() });
    let runs = Runs { sweep, root, options, stop, progress, folder: &folder, shared: Shared::default(), board };
    for cell in &sweep.cells {
        if let Err(reason) = &cell.state {
            runs.enter(cell, &Row::failed(cell, reason.clone()), false)?;
        }
    }
    runs.all(&jobs)?;
    runs.finish()
}

/// Cells of one experiment, which is run once.
struct Job<'a> {
    checked: &'a Checked,
    cells: Vec<&'a Cell>,
    /// What distinguishes its inputs.
    inputs: String,
}

fn jobs(cells: &[Cell]) -> Vec<Job<'_>> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut jobs: Vec<Job<'_>> = vec![];
    for cell in cells {
        let Ok(checked) = &cell.state else { continue };
        let place = *places.entry(&checked.digest).or_insert(jobs.len());
        match jobs.get_mut(place) {
            Some(job) => job.cells.push(cell),
            None => jobs.push(Job { checked, cells: vec![cell], inputs: shared::key(&checked.loaded.config) }),
        }
    }
    jobs
}

struct Runs<'a> {
    sweep: &'a Sweep,
    root: &'a Path,
    options: Options,
    stop: &'a AtomicBool,
    progress: &'a (dyn Fn(SweepProgress<'_>) + Sync),
    folder: &'a SweepFolder,
    shared: Shared,
    board: Mutex<Board<'a>>,
}

/// What is known so far.
struct Board<'a> {
    rows: Vec<Option<Row>>,
    /// Jobs that still need these inputs.
    waiting: HashMap<&'a str, usize>,
    counted: BTreeMap<usize, Counted>,
}

impl<'a> Runs<'a> {
    /// Threads of their own take the jobs in order. Those of the pool would, while they wait for a pass, begin another cell.
    fn all(&self, jobs: &'a [Job<'a>]) -> Result<(), ExperimentError> {
        let numbers = jobs.iter().map(|job| job.checked.numbers).max().unwrap_or(1);
        let at_once = (MOST_NUMBERS / numbers.max(1)).clamp(1, rayon::current_num_threads()).min(jobs.len());
        let next = AtomicUsize::new(0);
        let work = || -> Result<(), ExperimentError> {
            while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                if self.stop.load(Ordering::Relaxed) {
                    break;
                }
                let done = self.job(job);
                if done.is_err() {
                    next.store(jobs.len(), Ordering::Relaxed);
                }
                done?;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..at_once).map(|_| scope.spawn(work)).collect();
            let results: Vec<_> = threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
            results.into_iter().try_for_each(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }

    /// Runs a job and enters the rows of its cells; an error is one of the sweep.
    fn job(&self, job: &'a Job<'a>) -> Result<(), ExperimentError> {
        let mut meter = Meter { told: 0, progress: self.progress };
        let mut already = false;
        let rounds = job.checked.loaded.config.rounds;
        let found = self.found(job, |told| match told {
            Progress::AlreadyThere => already = true,
            Progress::Started => {}
            Progress::Resumed(round) => meter.saved(round),
            Progress::Completed(round) => meter.completed(round),
        });
        meter.saved(rounds);
        self.leave(&job.inputs);
        let result = ResultFolder::new(self.root, &self.sweep.name, &job.checked.digest);
        match found {
            Err(ExperimentError::Interrupted { .. }) => return Ok(()),
            // A cell that has a result has not failed: its data have changed, or somebody has changed its files.
            Err(error) if !self.options.force && result.path().exists() => return Err(error),
            _ => {}
        }
        for &cell in &job.cells {
            let row = match &found {
                Ok(row) => Row { cell: cell.number, values: cell.values.clone(), ..row.clone() },
                Err(error) => Row::failed(cell, reason(&self.sweep.file, error)),
            };
            self.enter(cell, &row, already)?;
        }
        Ok(())
    }

    fn found(&self, job: &Job<'_>, progress: impl FnMut(Progress)) -> Result<Row, ExperimentError> {
        let spec = Spec::new(job.checked.loaded.clone())?;
        let planned = plan_one(&spec)?;
        let folder = ResultFolder::new(self.root, &spec.config.name, &spec.digest);
        let inputs = self.shared.inputs(&spec, &job.inputs)?;
        let summary = run_on(&inputs, &spec, &planned, &folder, self.options, self.stop, progress)?;
        let cell = job.cells[0];
        let counted = Counted::new(cell.number, &spec, &planned);
        self.board().counted.insert(cell.number, counted);
        Ok(Row::done(cell, &planned, &summary))
    }

    fn leave(&self, inputs: &str) {
        if let Some(waiting) = self.board().waiting.get_mut(inputs) {
            *waiting -= 1;
            if *waiting == 0 {
                self.shared.forget(inputs);
            }
        }
    }

    /// Enters a row, and writes the table if a run was made for it: a table that is complete stays so.
    fn enter(&self, cell: &Cell, row: &Row, already: bool) -> Result<(), ExperimentError> {
        let mut board = self.board();
        board.rows[cell.number - 1] = Some(row.clone());
        if !already && cell.state.is_ok() {
            self.folder.write("cells.csv", &csv(&self.sweep.keys, board.rows.iter().flatten()))?;
        }
        let finished = board.rows.iter().flatten().count();
        drop(board);
        (self.progress)(SweepProgress::Finished { row, finished, already });
        Ok(())
    }

    fn board(&self) -> MutexGuard<'_, Board<'a>> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The files of a sweep all of whose cells are finished.
    fn finish(self) -> Result<SweepSummary, ExperimentError> {
        let Board { rows, counted, .. } = self.board.into_inner().unwrap_or_else(PoisonError::into_inner);
        let cells: Vec<Row> = rows.into_iter().flatten().collect();
        if cells.len() < self.sweep.cells.len() {
            let done = format!("{} of {} cells", cells.len(), self.sweep.cells.len());
            return Err(ExperimentError::Interrupted { done, next: "the same command goes on from there" });
        }
        let summary = SweepSummary {
            name: self.sweep.name.clone(),
            digest: self.sweep.digest.clone(),
            keys: self.sweep.keys.clone(),
            epsilon_all_cells: total(&counted.into_values().collect::<Vec<_>>())?,
            not_covered: NOT_COVERED,
            cells,
        };
        self.folder.write("cells.csv", &csv(&self.sweep.keys, summary.cells.iter()))?;
        self.folder.write("cells.json", &json(&summary))?;
        self.folder.write("report.html", &report::html::sweep(&summary))?;
        Ok(summary)
    }
}

/// Tells rounds as differences.
struct Meter<'a> {
    told: u32,
    progress: &'a (dyn Fn(SweepProgress<'_>) + Sync),
}

impl Meter<'_> {
    fn completed(&mut self, round: u32) {
        (self.progress)(SweepProgress::Rounds(u64::from(round.saturating_sub(self.told))));
        self.told = round;
    }

    /// Nobody has to run the rounds up to this one any more.
    fn saved(&mut self, round: u32) {
        (self.progress)(SweepProgress::Saved(u64::from(round.saturating_sub(self.told))));
        self.told = self.told.max(round);
    }
}
