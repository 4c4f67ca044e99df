//! A sweep: one experiment with some of its keys crossed, its cells run one beside the other.
//!
//! * `axes`: what `[sweep]` says; `cell`: one experiment of many; `rows`: what is told of a cell;
//! * `run`: the cells in threads; `shared`: data and optima that cells have in common; `folder`, `paths`: the files;
//! * `total`: what all cells together cost.

mod axes;
mod cell;
mod folder;
mod paths;
mod rows;
mod run;
mod shared;
mod total;

use std::collections::BTreeMap;

use rayon::prelude::*;
use sha2::{Digest, Sha256};
use toml::Value;

pub use axes::Assignment;
pub(crate) use axes::flattened;
pub use cell::Cell;
pub use folder::SweepFolder;
pub(crate) use rows::plain;
pub use rows::{Beside, PlanFigures, ResultFigures, Row, Status, SweepPlan, SweepSummary};
pub use run::{SweepProgress, plan, run};
pub use total::{Accounting, Total};

use crate::error::ExperimentError;
use crate::file::{SWEEP, Unread, known_as, unread};
use crate::spec::hexadecimal;
use cell::Fault;

/// An experiment with a sweep, every cell of which was checked.
#[derive(Clone)]
pub struct Sweep {
    /// What messages call the file.
    pub file: String,
    /// Names the folder of the results.
    pub name: String,
    /// Twelve hexadecimal digits that stand for the sweep and all its cells.
    pub digest: String,
    /// The keys that are swept, ascending.
    pub keys: Vec<String>,
    /// The cells; the last key varies fastest.
    pub cells: Vec<Cell>,
    base: Unread,
}

/// Reads the preset or file `name` with `overrides`; nothing if it has no sweep. A cell that does not check is kept with its
/// reason.
///
/// # Errors
/// If the file or its sweep makes no sense, or no cell can be read, or all fail for the same key.
pub fn load(name: &str, overrides: &[String]) -> Result<Option<Sweep>, ExperimentError> {
    let base = unread(name, overrides)?;
    let flat = match base.table.get(SWEEP) {
        Some(sweep) => flattened(&base.file, sweep)?,
        None => return Ok(None),
    };
    if flat.is_empty() {
        return Ok(None);
    }
    let assignments = axes::crossed(&base.file, &flat)?;
    let keys: Vec<String> = assignments.first().into_iter().flat_map(BTreeMap::keys).cloned().collect();
    refuse_swept_overrides(&base, &keys, overrides)?;
    let checked: Vec<_> = assignments.par_iter().map(|values| cell::check(&base, values)).collect();
    refuse_hopeless(&base, &checked)?;
    let cells: Vec<Cell> = cell::cells(&base.file, assignments, checked);
    let name = base.table.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let digest = digest(&base, &keys, &cells);
    Ok(Some(Sweep { file: base.file.clone(), name, digest, keys, cells, base }))
}

/// A value that every cell replaces was not meant.
fn refuse_swept_overrides(base: &Unread, keys: &[String], overrides: &[String]) -> Result<(), ExperimentError> {
    let set = overrides.iter().filter_map(|argument| argument.split_once('=')).map(|(key, _)| known_as(key));
    match set.into_iter().find(|&key| keys.iter().any(|swept| swept == key)) {
        Some(key) => {
            let message = format!("`sweep` sets {key} in every cell: give --set sweep.{key} in place of --set {key}");
            Err(ExperimentError::Sweep { file: base.file.clone(), message })
        }
        None => Ok(()),
    }
}

/// Every cell sets all swept keys: if none can be read, the sweep is at fault, as a file with a misspelt key is.
fn refuse_hopeless(base: &Unread, checked: &[Result<cell::Checked, Fault>]) -> Result<(), ExperimentError> {
    let faults: Vec<&Fault> = checked.iter().filter_map(|result| result.as_ref().err()).collect();
    let Some(first) = faults.first().filter(|_| faults.len() == checked.len()) else { return Ok(()) };
    let alike = faults.iter().all(|fault| fault.key().is_some() && fault.key() == first.key());
    if !alike && faults.iter().any(|fault| fault.is_read) {
        return Ok(());
    }
    let cells = faults.len();
    let reason = cell::reason(&base.file, &first.error);
    let message = match cells {
        1 => reason,
        _ if alike => format!("all {cells} cells of the sweep are refused for one key: {reason}"),
        _ => format!("none of the {cells} cells of the sweep can be read; the first: {reason}"),
    };
    Err(ExperimentError::Sweep { file: base.file.clone(), message })
}

/// The name of a sweep: its keys and the digests of its cells in their order, or what is written of a cell that does not
/// check.
fn digest(base: &Unread, keys: &[String], cells: &[Cell]) -> String {
    let mut hash = Sha256::new().chain_update(env!("CARGO_PKG_VERSION")).chain_update(keys.join(","));
    for cell in cells {
        match cell.digest() {
            Some(digest) => hash.update(digest),
            None => hash.update(paths::without_folders(cell::table(base, &cell.values).0)),
        }
    }
    hexadecimal(&hash.finalize()[..6])
}
