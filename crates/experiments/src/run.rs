//! One experiment from its data to its result folder.

use std::time::Duration;

use crate::artefacts;
use crate::data;
use crate::error::ExperimentError;
use crate::metrics;
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
    mut progress: impl FnMut(Progress),
) -> Result<Summary, ExperimentError> {
    let data = data::prepare(spec)?;
    let local = Local::new(&data.sha256);
    if !options.force {
        refuse_other_data(spec, folder, &local)?;
        if let Some(summary) = folder.summary()? {
            progress(Progress::AlreadyThere);
            return Ok(summary);
        }
    }
    let references = metrics::references(spec, &data)?;
    let unfinished = folder.begin(&local, options.force)?;
    let rounds = Rounds {
        spec,
        planned,
        data: &data,
        references: &references,
        unfinished: &unfinished,
        checkpoint_every: options.checkpoint_every,
    };
    let result = rounds.run(progress).and_then(|outcome| {
        let mut summary = summarise(spec, planned, &data, &references, &outcome)?;
        artefacts::write(spec, planned, &unfinished, &outcome, &mut summary)?;
        Ok(folder.located(summary))
    });
    finish(unfinished, result)
}

fn refuse_other_data(spec: &Spec, folder: &ResultFolder, local: &Local) -> Result<(), ExperimentError> {
    match folder.local()? {
        Some(known) if known.data_sha256 != local.data_sha256 => Err(ExperimentError::OtherData {
            path: folder.path().to_owned(),
            source_name: spec.config.data.source.clone(),
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
