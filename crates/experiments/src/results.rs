//! The folder of a result: complete or absent, and resumable in between.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::checkpoint::Checkpoint;
use crate::error::ExperimentError;
use crate::records::Summary;

/// `results/<name>/<digest>/` once the run is complete; `<digest>.partial/` with a checkpoint until then.
#[derive(Clone, Debug)]
pub struct ResultFolder {
    complete: PathBuf,
    partial: PathBuf,
}

/// A result that is being made. No other process can work on it meanwhile.
#[derive(Debug)]
pub struct Unfinished {
    folder: ResultFolder,
    /// Held as long as this value lives.
    _lock: File,
}

/// A fact about the data that must not leave the machine: it is computed from records without noise.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Local {
    /// Says so.
    pub note: String,
    /// SHA-256 of the data source.
    pub data_sha256: String,
}

impl Local {
    /// What is known of the data behind a result.
    pub fn new(data_sha256: &str) -> Self {
        let note = "NOT PRIVATE: computed from the records; keep this file to yourself".to_owned();
        Self { note, data_sha256: data_sha256.to_owned() }
    }
}

impl ResultFolder {
    /// The folder of the experiment `name` with specification `digest` below `root`. Nothing is created yet.
    pub fn new(root: &Path, name: &str, digest: &str) -> Self {
        let parent = root.join(name);
        Self { complete: parent.join(digest), partial: parent.join(format!("{digest}.partial")) }
    }

    /// Where the complete result lies.
    pub fn path(&self) -> &Path {
        &self.complete
    }

    /// The summary of a complete result, if there is one, with the folder it lies in now.
    ///
    /// # Errors
    /// If it cannot be read, or a result without one is in the way.
    pub fn summary(&self) -> Result<Option<Summary>, ExperimentError> {
        let path = self.complete.join("summary.json");
        let summary = read_json::<Summary>(&path)?;
        if summary.is_none() && self.complete.exists() {
            return Err(ExperimentError::Damaged { path, reason: "it is missing".to_owned() });
        }
        Ok(summary.map(|summary| self.located(summary)))
    }

    /// A summary with the folder it lies in.
    pub(crate) fn located(&self, summary: Summary) -> Summary {
        Summary { results: self.complete.display().to_string(), ..summary }
    }

    /// What is known of the data behind a complete result or a checkpoint.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn local(&self) -> Result<Option<Local>, ExperimentError> {
        match read_json(&self.complete.join(LOCAL))? {
            None if self.partial.join(CHECKPOINT).exists() => read_json(&self.partial.join(LOCAL)),
            local => Ok(local),
        }
    }

    /// Begins a result, or goes on with an interrupted one unless `afresh`.
    ///
    /// # Errors
    /// If the folder cannot be written, or another process is at it.
    pub fn begin(&self, local: &Local, afresh: bool) -> Result<Unfinished, ExperimentError> {
        let path = &self.partial;
        fs::create_dir_all(path).map_err(|e| file_error(path, &e))?;
        let unfinished = Unfinished { folder: self.clone(), _lock: lock(path)? };
        // Whoever was killed while it replaced a file has left the new one.
        for name in [CHECKPOINT, LOCAL] {
            remove(&path.join(new(name)))?;
        }
        if afresh {
            remove(&path.join(CHECKPOINT))?;
        }
        // A checkpoint without it would not be known to be of these data.
        replace(&unfinished.path().join(LOCAL), &json(local))?;
        Ok(unfinished)
    }
}

const CHECKPOINT: &str = "checkpoint.json";
const LOCAL: &str = "local.json";
pub(crate) const LOCK: &str = "lock";

impl Unfinished {
    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.folder.partial
    }

    /// Where the run goes on, if it was interrupted.
    ///
    /// # Errors
    /// If the checkpoint cannot be read.
    pub fn checkpoint(&self) -> Result<Option<Checkpoint>, ExperimentError> {
        read_json(&self.path().join(CHECKPOINT))
    }

    /// The error for a checkpoint that does not make sense.
    pub fn damaged_checkpoint(&self, reason: String) -> ExperimentError {
        ExperimentError::Damaged { path: self.path().join(CHECKPOINT), reason }
    }

    /// Stores a checkpoint in place of the one before, in one step.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn store(&self, checkpoint: &Checkpoint) -> Result<(), ExperimentError> {
        replace(&self.path().join(CHECKPOINT), &json(checkpoint))
    }

    /// Writes one file of the result.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, name: &str, contents: &str) -> Result<(), ExperimentError> {
        write(&self.path().join(name), contents)
    }

    /// Turns what was written into the complete result, in place of an older one.
    ///
    /// # Errors
    /// If the folder cannot be renamed.
    pub fn complete(self) -> Result<(), ExperimentError> {
        for name in [CHECKPOINT, LOCK] {
            remove(&self.path().join(name))?;
        }
        let ResultFolder { complete, partial } = &self.folder;
        let old = complete.with_extension("old");
        if complete.exists() {
            remove(&old)?;
            rename(complete, &old)?;
        }
        rename(partial, complete)?;
        remove(&old)
    }

    /// Leaves nothing behind.
    ///
    /// # Errors
    /// If the folder cannot be removed.
    pub fn abandon(self) -> Result<(), ExperimentError> {
        remove(self.path())?;
        // The folders above go too, unless there is something else in them.
        for parent in self.path().ancestors().skip(1).take(2) {
            if fs::remove_dir(parent).is_err() {
                break;
            }
        }
        Ok(())
    }
}

/// Pretty JSON with a final newline.
///
/// # Panics
/// Never: the values of this crate have a JSON form.
pub fn json(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("a value of this crate has a JSON form") + "\n"
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, ExperimentError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(file_error(path, &e)),
    };
    let damaged = |e: serde_json::Error| ExperimentError::Damaged { path: path.to_owned(), reason: e.to_string() };
    serde_json::from_slice(&bytes).map(Some).map_err(damaged)
}

fn write(path: &Path, contents: &str) -> Result<(), ExperimentError> {
    fs::write(path, contents).map_err(|e| file_error(path, &e))
}

/// What a file is called until it is complete.
fn new(name: &str) -> String {
    format!("{name}.new")
}

/// Writes a file in place of the one before, in one step: whoever reads it meanwhile finds the one or the other.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn replace(path: &Path, contents: &str) -> Result<(), ExperimentError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = path.with_file_name(new(&name));
    write(&unfinished, contents)?;
    rename(&unfinished, path)
}

/// A lock that no other process holds.
///
/// # Errors
/// If another process holds it, or the file cannot be made.
pub(crate) fn lock(folder: &Path) -> Result<File, ExperimentError> {
    let path = folder.join(LOCK);
    let lock = File::create(&path).map_err(|e| file_error(&path, &e))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(ExperimentError::Busy { path: folder.to_owned() }),
        Err(TryLockError::Error(e)) => Err(file_error(&path, &e)),
    }
}

/// Removes a file or a folder with all that is in it, if it is there.
pub(crate) fn remove(path: &Path) -> Result<(), ExperimentError> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(file_error(path, &e)),
        _ => Ok(()),
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), ExperimentError> {
    fs::rename(from, to).map_err(|e| file_error(from, &e))
}

pub(crate) fn file_error(path: &Path, reason: &impl std::fmt::Display) -> ExperimentError {
    ExperimentError::File { path: path.to_owned(), reason: reason.to_string() }
}
