//! The folder of a result: complete or absent, and resumable in between.

use std::fs;
use std::path::{Path, PathBuf};

use dido_mechanisms::Ledger;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::error::ExperimentError;
use crate::records::{Summary, TracePoint};

/// `results/<name>/<digest>/` once the run is complete; `<digest>.partial/` with a checkpoint until then.
#[derive(Clone, Debug)]
pub struct ResultFolder {
    complete: PathBuf,
    partial: PathBuf,
}

/// Where an interrupted run goes on. It holds released values only.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The next round.
    pub round: u32,
    /// What the algorithm keeps between rounds.
    pub state: Vec<Vec<f64>>,
    /// What has been released.
    pub ledger: Ledger,
    /// The trace so far.
    pub trace: Vec<TracePoint>,
    /// Seconds spent in the rounds so far.
    pub seconds: f64,
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

    /// The summary of a complete result, if there is one.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn summary(&self) -> Result<Option<Summary>, ExperimentError> {
        read_json(&self.complete.join("summary.json"))
    }

    /// What is known of the data behind a complete or interrupted result.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn local(&self) -> Result<Option<Local>, ExperimentError> {
        match read_json(&self.complete.join("local.json"))? {
            Some(local) => Ok(Some(local)),
            None => read_json(&self.partial.join("local.json")),
        }
    }

    /// The checkpoint of an interrupted run, if there is one.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn checkpoint(&self) -> Result<Option<Checkpoint>, ExperimentError> {
        read_json(&self.partial.join("checkpoint.json"))
    }

    /// Stores a checkpoint in place of the one before, in one step.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn store(&self, checkpoint: &Checkpoint, local: &Local) -> Result<(), ExperimentError> {
        self.write("local.json", &json(local))?;
        self.write("checkpoint.json.new", &json(checkpoint))?;
        let from = self.partial.join("checkpoint.json.new");
        fs::rename(&from, self.partial.join("checkpoint.json")).map_err(|e| file_error(&from, &e))
    }

    /// Writes one file of the result.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, name: &str, contents: &str) -> Result<(), ExperimentError> {
        fs::create_dir_all(&self.partial).map_err(|e| file_error(&self.partial, &e))?;
        let path = self.partial.join(name);
        fs::write(&path, contents).map_err(|e| file_error(&path, &e))
    }

    /// Turns what was written into the complete result, in place of an older one.
    ///
    /// # Errors
    /// If the folder cannot be renamed.
    pub fn complete(&self) -> Result<(), ExperimentError> {
        let checkpoint = self.partial.join("checkpoint.json");
        if checkpoint.exists() {
            fs::remove_file(&checkpoint).map_err(|e| file_error(&checkpoint, &e))?;
        }
        let old = self.complete.with_extension("old");
        if self.complete.exists() {
            fs::rename(&self.complete, &old).map_err(|e| file_error(&self.complete, &e))?;
        }
        fs::rename(&self.partial, &self.complete).map_err(|e| file_error(&self.partial, &e))?;
        if old.exists() {
            fs::remove_dir_all(&old).map_err(|e| file_error(&old, &e))?;
        }
        Ok(())
    }

    /// Removes what an interrupted run left.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn discard_partial(&self) -> Result<(), ExperimentError> {
        if self.partial.exists() {
            fs::remove_dir_all(&self.partial).map_err(|e| file_error(&self.partial, &e))?;
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
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(file_error(path, &e)),
    };
    serde_json::from_str(&text).map(Some).map_err(|e| file_error(path, &e))
}

fn file_error(path: &Path, reason: &impl std::fmt::Display) -> ExperimentError {
    ExperimentError::File { path: path.to_owned(), reason: reason.to_string() }
}
