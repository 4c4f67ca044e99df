//! `dido data inspect`: what is in a data file, or in a folder with a file for each node.
//!
//! * [`inspect`]: reads, and says what there is;
//! * [`Inspection`]: what is said, as text or JSON;
//! * [`Encoded`]: the numbers that a model would see, on request.
//!
//! Everything here is computed from the records without noise. It is for the owner of the data.

mod encoded;
mod folder;
mod sparse;
mod summary;
mod target;
mod text;
mod warnings;

use std::collections::BTreeMap;
use std::path::PathBuf;

use dido_data::{Data, DataError, Fault, Format, Options, Source, Table};
use serde::Serialize;

use crate::error::ExperimentError;

pub use encoded::Encoded;
pub use folder::File;
pub use summary::{Class, Summary};

/// Said of every inspection.
pub const NOT_PRIVATE: &str = "not private: these figures are computed from the records without noise; \
    they are for the owner of the data, and no bound may be chosen from them";

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The file, or the folder whose files are the records of one node each.
    pub path: PathBuf,
    /// How to read it.
    pub options: Options,
    /// The target: a name or a number from 1; by default the last column, of NPZ archives `y`, of NPY files none.
    pub target: Option<String>,
    /// What the target is for.
    pub task: Option<Task>,
    /// Whether the encoded values are wanted.
    pub values: bool,
}

/// What a target is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Numbers are predicted.
    Regression,
    /// One of two classes is predicted; there have to be two.
    Binary,
}

/// What there is: the keys of `dido data inspect --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// The file or folder.
    pub file: String,
    /// What the figures are not.
    pub privacy: &'static str,
    /// The format.
    pub format: String,
    /// The files of a folder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<File>,
    /// Records, without those that were dropped.
    pub rows: usize,
    /// The columns of features, before they are encoded. Those of sparse files are numbered and not listed.
    pub columns: Vec<String>,
    /// The column of the target.
    pub target: Option<String>,
    /// The features of a record after encoding.
    pub n_features: usize,
    /// The entries of a sparse file that are not zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nnz: Option<usize>,
    /// Each column: its kind, its range or levels.
    pub summaries: Vec<Summary>,
    /// The classes of the target, if it has few different values.
    pub classes: Option<Vec<Class>>,
    /// Values that are missing, by column that lacks one.
    pub missing_by_column: BTreeMap<String, u64>,
    /// The numbers of the records that were dropped, from 1, counted through all files of a folder.
    pub dropped_rows: Vec<u64>,
    /// What to look at before the data are used.
    pub warnings: Vec<String>,
    /// The encoded values, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Encoded>,
}

/// Reads a file or a folder and says what is in it.
///
/// # Errors
/// In one line with file and place, if it cannot be read, has no such target, or the target does not suit the task.
pub fn inspect(question: &Question) -> Result<Inspection, ExperimentError> {
    let name = question.path.display().to_string();
    let (data, files) = if question.path.is_dir() {
        folder::read(&question.path, &question.options)?
    } else {
        (dido_data::read(&Source::file(&question.path), &question.options)?, vec![])
    };
    let refuse = |fault| DataError::whole(name.as_str(), fault);
    let mut inspection = match &data {
        Data::Table(table) => dense(table, question).map_err(refuse)?,
        Data::Sparse(rows) => sparse::inspect(rows, question).map_err(refuse)?,
    };
    if !inspection.dropped_rows.is_empty() {
        inspection.warnings.push(
            "which rows are dropped depends on the data: that is not covered by any privacy guarantee".to_owned(),
        );
    }
    Ok(Inspection { file: name, files, ..inspection })
}

fn dense(table: &Table, question: &Question) -> Result<Inspection, Fault> {
    let target = chosen(table, question.target.as_deref())?;
    let features: Vec<usize> = (0..table.columns.len()).filter(|k| Some(*k) != target).collect();
    if features.is_empty() {
        return Err(Fault::Shape("there is no column besides the target".to_owned()));
    }
    let (coding, mut notes) = target::target(target.map(|k| &table.columns[k].values), question.task)?;
    let mut warnings = table.notes.clone();
    warnings.extend(warnings::of_columns(table, target));
    warnings.append(&mut notes);
    let columns: Vec<_> = features.iter().map(|k| &table.columns[*k]).collect();
    let encoded = encoded::Plan::new(&columns);
    Ok(Inspection {
        file: String::new(),
        privacy: NOT_PRIVATE,
        format: table.format.to_string(),
        files: vec![],
        rows: table.records(),
        columns: columns.iter().map(|column| column.name.clone()).collect(),
        target: target.map(|k| table.columns[k].name.clone()),
        n_features: encoded.width(),
        nnz: None,
        summaries: table.columns.iter().map(summary::of).collect(),
        classes: target.and_then(|k| summary::classes(&table.columns[k].values)),
        missing_by_column: table.missing.by_column.clone(),
        dropped_rows: table.missing.dropped.clone(),
        warnings,
        values: question.values.then(|| encoded.values(table.records(), coding)).transpose()?,
    })
}

/// The position of the target, if there is one.
fn chosen(table: &Table, asked: Option<&str>) -> Result<Option<usize>, Fault> {
    match (asked, table.format) {
        (Some(asked), _) => table.find(asked).map(Some),
        (None, Format::Npy | Format::Npz) => Ok(table.target),
        (None, _) => Ok(table.columns.len().checked_sub(1)),
    }
}
