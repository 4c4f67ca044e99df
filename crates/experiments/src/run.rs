//! One experiment from its data to its result folder.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::artefacts;
use crate::data::{self, Prepared};
use crate::error::ExperimentError;
use crate::metrics::{self, References};
use crate::planning::Planned;
use crate::records::Summary;
use crate::results::{Local, ResultFolder, Unfinished};
use crate::rounds::Rounds;
use crate::spec::Spec;
use crate::summary::summarise;

/// How to run, as far as it does not change the result.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Run again where a complete or interrupted result lies.
    pub force: bool,
    /// Time between two checkpoints.
    pub checkpoint_every: Duration,
}

/// What a run tells while it lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There is a complete result of this specification; nothing is run.
    AlreadyThere,
    /// The data fit the declarations, the folder can be written and a checkpoint in it makes sense: the rounds begin.
    Started,
    /// An interrupted run goes on after so many completed rounds.
    Resumed(u32),
    /// So many rounds are completed.
    Completed(u32),
}

/// Runs `spec` as planned, or finds the result of an earlier run.
///
/// # Errors
/// If the data cannot be used, a round is refused, or a file cannot be written. There is no result folder then; what
/// can be resumed stays in the folder of the unfinished result.
pub fn run(
    spec: &Spec,
    planned: &Planned,
    folder: &ResultFolder,
    options: Options,
    progress: impl FnMut(Progress),
) -> Result<Summary, ExperimentError> {
    run_until(spec, planned, folder, options, &AtomicBool::new(false), progress)
}

/// As [`run()`], until somebody sets `stop`: the round is finished then, and a checkpoint stored.
///
/// # Errors
/// As [`run()`]; [`ExperimentError::Interrupted`] if it was stopped before its last round.
pub fn run_until(
    spec: &Spec,
    planned: &Planned,
    folder: &ResultFolder,
    options: Options,
    stop: &AtomicBool,
    progress: impl FnMut(Progress),
) -> Result<Summary, ExperimentError> {
    run_on(&Inputs::new(spec)?, spec, planned, folder, options, stop, progress)
}

/// Data with their reference optima, which are computed when they are first asked for. Runs that differ in neither share
/// them.
pub(crate) struct Inputs {
    data: Prepared,
    references: Mutex<Option<Arc<References>>>,
}

impl Inputs {
    /// Reads the data of `spec`.
    ///
    /// # Errors
    /// If they cannot be used.
    pub fn new(spec: &Spec) -> Result<Self, ExperimentError> {
        Ok(Self { data: data::prepare(spec)?, references: Mutex::default() })
    }

    fn references(&self, spec: &Spec) -> Result<Arc<References>, ExperimentError> {
        let mut known = self.references.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some(references) => Ok(references.clone()),
            None => Ok(known.insert(Arc::new(metrics::references(spec, &self.data)?)).clone()),
        }
    }
}

/// As [`run_until`], on data that are read already.
///
/// # Errors
/// As [`run_until`].
pub(crate) fn run_on(
    inputs: &Inputs,
    spec: &Spec,
    planned: &Planned,
    folder: &ResultFolder,
    options: Options,
    stop: &AtomicBool,
    mut progress: impl FnMut(Progress),
) -> Result<Summary, ExperimentError> {
    let data = &inputs.data;
    let local = Local::new(&data.sha256);
    if !options.force {
        refuse_other_data(spec, folder, &local)?;
        if let Some(summary) = folder.summary()? {
            progress(Progress::AlreadyThere);
            return Ok(summary);
        }
    }
    let references = &*inputs.references(spec)?;
    let unfinished = folder.begin(&local, options.force)?;
    let rounds = Rounds {
        spec,
        planned,
        data,
        references,
        unfinished: &unfinished,
        stop,
        checkpoint_every: options.checkpoint_every,
    };
    let result = rounds.run(progress).and_then(|outcome| {
        let mut summary = summarise(spec, planned, data, references, &outcome)?;
        artefacts::write(spec, planned, &unfinished, &outcome, &mut summary)?;
        Ok(folder.located(summary))
    });
    finish(unfinished, result)
}

fn refuse_other_data(spec: &Spec, folder: &ResultFolder, local: &Local) -> Result<(), ExperimentError> {
    match folder.local()? {
        Some(known) if known.data_sha256 != local.data_sha256 => Err(ExperimentError::OtherData {
            path: folder.path().to_owned(),
            source_name: spec.config.data.files().join(", "),
        }),
        _ => Ok(()),
    }
}

/// A run that would fail again leaves nothing behind; one that met a full disk, say, can be resumed.
fn finish(unfinished: Unfinished, result: Result<Summary, ExperimentError>) -> Result<Summary, ExperimentError> {
    match result {
        Ok(summary) => unfinished.complete().map(|()| summary),
        Err(error) => {
            use ExperimentError::{Data, Mechanism, Report, Stop};
            if matches!(error, Stop(_) | Mechanism(_) | Data(_) | Report(_)) {
                unfinished.abandon()?;
            }
            Err(error)
        }
    }
}
