//! `dido report`: page and pictures of a result again, from the files beside them. Nothing is run, and no data are read.

use std::fs;
use std::path::{Path, PathBuf};

use dido_mechanisms::Ledger;

use crate::artefacts::derived;
use crate::error::ExperimentError;
use crate::planning::plan;
use crate::records::{Summary, Trace};
use crate::report;
use crate::results::{SUMMARY, file_error, read_json, replace};
use crate::spec::Spec;
use crate::sweep::SweepSummary;

/// The table of a sweep.
const CELLS: &str = "cells.json";

/// Makes page and pictures of the result or the sweep in `folder` again, the same bytes as the run wrote, and says which files
/// were written.
///
/// # Errors
/// If the folder is that of neither, one of its files is damaged or belongs to another run, or it cannot be written.
pub fn rebuild(folder: &Path) -> Result<Vec<PathBuf>, ExperimentError> {
    let files = if folder.join(CELLS).exists() { sweep(folder)? } else { single(folder)? };
    files
        .into_iter()
        .map(|(name, contents)| {
            let path = folder.join(name);
            replace(&path, &contents).map(|()| path)
        })
        .collect()
}

fn sweep(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, ExperimentError> {
    let summary: SweepSummary = stored(folder, CELLS)?;
    Ok(vec![("report.html".to_owned(), report::html::sweep(&summary)?.into_bytes())])
}

fn single(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, ExperimentError> {
    let summary: Summary = stored(folder, SUMMARY)?;
    let ledger: Ledger = stored(folder, "ledger.json")?;
    let path = folder.join("trace.csv");
    let text = fs::read_to_string(&path).map_err(|e| file_error(&path, &e))?;
    let trace = Trace::from_csv(&text).map_err(|reason| ExperimentError::Spoilt { path, reason })?;
    let spec = spec(folder)?;
    if spec.digest != summary.digest {
        let reason = format!("it is the specification {}, and summary.json belongs to {}", spec.digest, summary.digest);
        return Err(ExperimentError::Spoilt { path: folder.join("spec.toml"), reason });
    }
    derived(&spec, &plan(&spec)?.plan, &summary, &trace, &ledger)
}

/// The specification of the result in `folder`.
///
/// # Errors
/// If there is none, or it does not check.
pub(crate) fn spec(folder: &Path) -> Result<Spec, ExperimentError> {
    let path = folder.join("spec.toml");
    Spec::new(crate::load(&path.display().to_string(), &[])?)
}

/// A file that has to be there.
///
/// # Errors
/// If it is not, or does not hold such a value.
pub(crate) fn stored<T: serde::de::DeserializeOwned>(folder: &Path, name: &str) -> Result<T, ExperimentError> {
    let path = folder.join(name);
    match read_json(&path) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Err(ExperimentError::Spoilt { path, reason: "it is missing".to_owned() }),
        Err(ExperimentError::Damaged { path, reason }) => Err(ExperimentError::Spoilt { path, reason }),
        Err(error) => Err(error),
    }
}
