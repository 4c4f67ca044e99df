//! The files of a sweep: written as it goes, complete when the lock is gone.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::Sweep;
use super::paths::toml;
use crate::error::ExperimentError;
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
