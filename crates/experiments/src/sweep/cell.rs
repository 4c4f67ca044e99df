//! One experiment of a sweep.

use std::collections::HashMap;

use toml::Table;

use super::Assignment;
use crate::error::ExperimentError;
use crate::file::{Loaded, SWEEP, Unread, put};
use crate::spec::Spec;

/// One experiment of a sweep.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Its number, from 1.
    pub number: usize,
    /// What it sets.
    pub values: Assignment,
    /// The checked experiment, or why it is none.
    pub(super) state: Result<Checked, String>,
}

/// An experiment that was checked. What the check has built is built again when it runs: many graphs would not fit at once.
#[derive(Clone, Debug)]
pub struct Checked {
    pub loaded: Loaded,
    pub digest: String,
    /// Numbers in a vector of all parties and lanes.
    pub numbers: usize,
}

/// Why a cell does not check.
pub(super) struct Fault {
    /// Whether the fault is in a value, not in the spelling or type of a key.
    pub is_read: bool,
    pub error: Box<ExperimentError>,
}

impl Fault {
    /// The key at fault.
    pub fn key(&self) -> Option<&str> {
        match &*self.error {
            ExperimentError::Key { path, .. } => Some(path),
            _ => None,
        }
    }
}

impl Cell {
    /// The digest of its specification, if it checks.
    pub fn digest(&self) -> Option<&str> {
        self.state.as_ref().ok().map(|checked| checked.digest.as_str())
    }
}

/// The base with these values, checked as a file is.
pub(super) fn check(base: &Unread, values: &Assignment) -> Result<Checked, Fault> {
    let unread = |error| Fault { is_read: false, error: Box::new(error) };
    let (table, nowhere) = table(base, values);
    if let Some((path, message)) = nowhere {
        return Err(unread(ExperimentError::Key { file: base.file.clone(), path, message }));
    }
    let loaded = Unread { table, ..base.clone() }.loaded().map_err(unread)?;
    let spec = Spec::new(loaded.clone()).map_err(|error| Fault { is_read: true, error: Box::new(error) })?;
    let numbers = spec.declaration.nodes() * spec.config.lanes * spec.declaration.dim();
    Ok(Checked { loaded, digest: spec.digest, numbers })
}

/// The base with these values, and the first path that leads nowhere.
pub(super) fn table(base: &Unread, values: &Assignment) -> (Table, Option<(String, String)>) {
    let mut table = base.table.clone();
    table.remove(SWEEP);
    // A table that is replaced as a whole is replaced before its keys are set.
    let mut ordered: Vec<_> = values.iter().collect();
    ordered.sort_by_key(|(path, _)| path.split('.').count());
    let mut nowhere = None;
    for (path, value) in ordered {
        if let Err(message) = put(&mut table, path, value.clone()) {
            nowhere = nowhere.or_else(|| Some((path.clone(), message)));
        }
    }
    (table, nowhere)
}

/// The cells in their order.
pub(super) fn cells(file: &str, all: Vec<Assignment>, checked: Vec<Result<Checked, Fault>>) -> Vec<Cell> {
    let mut known: HashMap<String, (usize, Loaded)> = HashMap::new();
    let of = |(k, (values, checked)): (usize, (Assignment, Result<Checked, Fault>))| {
        let number = k + 1;
        let state = checked.map_err(|fault| reason(file, &fault.error)).and_then(|checked| {
            let (first, like) = known.entry(checked.digest.clone()).or_insert((number, checked.loaded.clone()));
            // A digest knows files by their names.
            if like.config == checked.loaded.config {
                Ok(checked)
            } else {
                Err(format!("it differs from cell {first} in the folder of a file only: give the file another name"))
            }
        });
        Cell { number, values, state }
    };
    all.into_iter().zip(checked).enumerate().map(of).collect()
}

/// What is wrong with a cell, without the file that all share.
pub(super) fn reason(file: &str, error: &ExperimentError) -> String {
    let message = error.to_string();
    message.strip_prefix(&format!("{file}: ")).map_or(message.clone(), str::to_owned)
}
