//! The files of a sweep: written as it goes, complete when the lock is gone.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::Sweep;
use crate::error::ExperimentError;
use crate::file::{SWEEP, put};
use crate::results::{LOCK, file_error, lock, remove, replace};

/// `results/<name>/sweep-<digest>/`. The results of the cells lie beside it.
#[derive(Debug)]
pub struct SweepFolder {
    path: PathBuf,
    /// Held as long as this value lives.
    _lock: File,
}

impl SweepFolder {
    /// Where the files of `sweep` lie below `root`.
    pub fn path_of(root: &Path, sweep: &Sweep) -> PathBuf {
        root.join(&sweep.name).join(format!("sweep-{}", sweep.digest))
    }

    /// Begins, or goes on with what an interrupted sweep has left.
    ///
    /// # Errors
    /// If the folder cannot be written, or another process is at it.
    pub(super) fn begin(root: &Path, sweep: &Sweep) -> Result<Self, ExperimentError> {
        let path = Self::path_of(root, sweep);
        fs::create_dir_all(&path).map_err(|e| file_error(&path, &e))?;
        let folder = Self { _lock: lock(&path)?, path };
        // Whoever was killed while it replaced a file has left the new one.
        for name in ["sweep.toml.new", "cells.csv.new", "cells.json.new", "report.html.new"] {
            remove(&folder.path.join(name))?;
        }
        folder.write("sweep.toml", &toml(sweep))?;
        Ok(folder)
    }

    /// Writes one file in place of the one before, in one step.
    pub(super) fn write(&self, name: &str, contents: &str) -> Result<(), ExperimentError> {
        replace(&self.path.join(name), contents)
    }
}

impl Drop for SweepFolder {
    /// A lock that stays behind does no harm: it is the process that holds it.
    fn drop(&mut self) {
        let _ = fs::remove_file(self.path.join(LOCK));
    }
}

/// The keys that name files.
const PATHS: [&str; 4] = ["data.source", "graph.file", "graph.matrix", "graph.sequence.file"];

/// The sweep as a file that can be run again from anywhere: its paths are absolute.
fn toml(sweep: &Sweep) -> String {
    let mut table = sweep.base.table.clone();
    resolve(&mut table, &sweep.base.folder);
    if let Some(Value::Table(axes)) = table.get_mut(SWEEP) {
        for (joined, values) in axes.iter_mut() {
            let paths: Vec<&str> = joined.split(',').map(str::trim).collect();
            for value in values.as_array_mut().into_iter().flatten() {
                match (&paths[..], value) {
                    ([path], value) => *value = resolved(path, value.clone(), &sweep.base.folder),
                    (_, Value::Array(tuple)) => {
                        for (path, value) in paths.iter().zip(tuple) {
                            *value = resolved(path, value.clone(), &sweep.base.folder);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    table.to_string()
}

/// A value of `path` with all file names in it absolute.
fn resolved(path: &str, value: Value, folder: &Path) -> Value {
    let mut table = Table::new();
    if put(&mut table, path, value.clone()).is_err() {
        return value;
    }
    resolve(&mut table, folder);
    let top = Value::Table(table);
    path.split('.').try_fold(&top, |place, part| place.get(part)).cloned().unwrap_or(value)
}

fn resolve(table: &mut Table, folder: &Path) {
    for path in PATHS {
        let (first, rest) = path.split_once('.').expect("every path here has two parts");
        let place = rest.split('.').try_fold(table.get_mut(first), |place, part| Some(place?.get_mut(part)));
        if let Some(Some(Value::String(name))) = place
            && !name.starts_with("builtin:")
        {
            let path = folder.join(&*name);
            *name = std::path::absolute(&path).unwrap_or(path).display().to_string();
        }
    }
}
