//! The records of an experiment: read, encoded, split, and given to their parties.

use dido_problems::table::Source;
use dido_problems::{Features, ProblemError, Shard, partition};
use ndarray::{Array1, Axis};
use sha2::{Digest, Sha256};

use crate::config::{Baseline, PartitionConfig};
use crate::encoding::Encoded;
use crate::error::ExperimentError;
use crate::presets;
use crate::records::Clipped;
use crate::spec::{Spec, hexadecimal};

/// The records of one party, or the held-out ones.
#[derive(Clone)]
pub struct Records {
    /// Encoded rows.
    pub x: Features,
    /// Encoded targets.
    pub y: Array1<f64>,
}

/// All records of an experiment.
pub struct Prepared {
    /// What the parties bring to the run: rows and targets within their declared bounds.
    pub shards: Vec<Shard>,
    /// The same records, for the comparisons without privacy.
    pub parties: Vec<Records>,
    /// What no party trains on.
    pub held_out: Records,
    /// Values that were moved to a public bound, by column.
    pub clipped: Vec<Clipped>,
    /// SHA-256 of the bytes of the source: a local matter, never part of a public name.
    pub sha256: String,
}

/// Reads and splits the data of `spec`.
///
/// # Errors
/// If the source cannot be read, a cell is not what the schema declares, or the records of a party are not as many as
/// declared.
pub fn prepare(spec: &Spec) -> Result<Prepared, ExperimentError> {
    let data = &spec.config.data;
    let bytes = bytes(spec)?;
    let sha256 = hexadecimal(&Sha256::digest(&bytes));
    let extra = match &data.partition {
        PartitionConfig::Sorted(c) | PartitionConfig::ByColumn(c) => Some(c.column.as_str()),
        PartitionConfig::Contiguous(_) | PartitionConfig::Shuffled(_) => None,
    };
    let separator = u8::try_from(data.separator).expect("the separator was checked to be ASCII");
    let table = spec.schema.load(&Source::bytes(&data.source, bytes).separated_by(separator), extra)?;
    let (train, held_out) = partition::hold_out(table.y.len(), data.held_out.fraction, data.held_out.seed)
        .map_err(|error| discreet(spec, error))?;
    if held_out.len() < 2 {
        let message = if spec.counts_are_public() {
            format!("{} of {} records are held out; a score needs at least 2", held_out.len(), table.y.len())
        } else {
            "too few records are held out; a score needs at least 2".to_owned()
        };
        let path = "data.held_out.fraction".to_owned();
        return Err(ExperimentError::Key { file: spec.file.clone(), path, message });
    }
    let members = members(spec, &table, &train)?;
    check_counts(spec, &table, &members, held_out.len())?;
    let select = |rows: &[usize]| Records { x: table.x.select(rows), y: table.y.select(Axis(0), rows) };
    let parties: Vec<Records> = members.iter().map(|rows| select(rows)).collect();
    let bounds = spec.declaration.bounds();
    let shards: Vec<Shard> = parties
        .iter()
        .map(|records| Shard::clipped(records.x.clone(), records.y.clone(), bounds))
        .collect::<Result<Vec<_>, _>>()?;
    let mut clipped: Vec<Clipped> =
        table.clipped.iter().map(|(column, count)| Clipped { column: column.clone(), count: *count }).collect();
    clipped.push(Clipped {
        column: "whole rows, to the declared norm".to_owned(),
        count: shards.iter().map(Shard::clipped_records).sum(),
    });
    let centralised = spec.config.baseline == Some(Baseline::Centralised);
    let shards = if centralised { vec![Shard::joined(&shards)?] } else { shards };
    Ok(Prepared { shards, parties, held_out: select(&held_out), clipped, sha256 })
}

/// The declared counts are public, and every party's share of the objective follows from them. Where records are added or
/// removed the counts of the file are what is protected: they are not compared.
fn check_counts(spec: &Spec, table: &Encoded, members: &[Vec<usize>], held_out: usize) -> Result<(), ExperimentError> {
    let declared = &spec.config.data.records;
    let found: Vec<usize> = members.iter().map(Vec::len).collect();
    if found == *declared || !spec.counts_are_public() {
        return Ok(());
    }
    let message = format!(
        "of the {} records of `{}`, {held_out} are held out and the parties train on {} of them, {} are declared",
        table.y.len(),
        spec.config.data.source,
        list(&found),
        list(declared),
    );
    Err(ExperimentError::Key { file: spec.file.clone(), path: "data.records".to_owned(), message })
}

/// The error, without the counts of the file where those are protected.
pub(crate) fn discreet(spec: &Spec, error: ProblemError) -> ExperimentError {
    let path = match error {
        _ if spec.counts_are_public() => return error.into(),
        ProblemError::NothingLeft { .. } => "data.held_out.fraction",
        ProblemError::TooFewRecords { .. } => "data.records",
        ProblemError::ConstantTarget { .. } => "data.target",
        other => return other.into(),
    };
    let message = match path {
        "data.target" => "R^2 is not defined: all held-out targets are equal",
        _ => "the file has too few records to hold some out and leave each party one",
    };
    ExperimentError::Key { file: spec.file.clone(), path: path.to_owned(), message: message.to_owned() }
}

/// The first counts of a list.
fn list(counts: &[usize]) -> String {
    const SHOWN: usize = 20;
    let shown: Vec<String> = counts.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = if counts.len() > SHOWN { ", ..." } else { "" };
    format!("[{}{more}]", shown.join(", "))
}

/// The source as it lies on disk or in this program.
fn bytes(spec: &Spec) -> Result<Vec<u8>, ExperimentError> {
    let source = &spec.config.data.source;
    if let Some(builtin) = source.strip_prefix("builtin:").and_then(presets::data) {
        return Ok(builtin.to_vec());
    }
    let path = spec.resolve(source);
    let refuse = |reason: String| ExperimentError::Input { path: path.clone(), reason };
    // A pipe or a device may never end.
    let kind = std::fs::metadata(&path).map_err(|e| refuse(e.to_string()))?;
    if !kind.is_file() {
        let what = if kind.is_dir() { "is a directory" } else { "is not a regular file" };
        return Err(refuse(what.to_owned()));
    }
    std::fs::read(&path).map_err(|e| refuse(e.to_string()))
}

/// The beginning of a cell, for a message: a cell can be as long as the file.
fn excerpt(cell: &str) -> String {
    const SHOWN: usize = 60;
    match cell.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &cell[..end]),
        None => cell.to_owned(),
    }
}

/// The rows of each party.
fn members(spec: &Spec, table: &Encoded, train: &[usize]) -> Result<Vec<Vec<usize>>, ExperimentError> {
    let parties = spec.config.data.records.len();
    let key =
        |message: String| ExperimentError::Key { file: spec.file.clone(), path: "data.partition".to_owned(), message };
    let discreet = |error| discreet(spec, error);
    let parts = match &spec.config.data.partition {
        PartitionConfig::Contiguous(_) => partition::contiguous(train.len(), parties).map_err(discreet)?,
        PartitionConfig::Shuffled(shuffled) => {
            partition::shuffled(train.len(), parties, shuffled.seed).map_err(discreet)?
        }
        PartitionConfig::Sorted(sorted) => {
            let keys = train
                .iter()
                .map(|&row| {
                    let text = &table.extra[row];
                    text.parse::<f64>().ok().filter(|v| v.is_finite()).ok_or_else(|| {
                        key(format!("column `{}` has `{}`, which is no number", sorted.column, excerpt(text)))
                    })
                })
                .collect::<Result<Vec<_>, _>>()?;
            partition::sorted(&keys, parties).map_err(discreet)?
        }
        PartitionConfig::ByColumn(by) => {
            let labels: Vec<String> = train.iter().map(|&row| table.extra[row].clone()).collect();
            let (names, parts) = partition::by_label(&labels)?;
            if names.len() != parties {
                let found = if spec.counts_are_public() { names.len().to_string() } else { "other".to_owned() };
                return Err(key(format!(
                    "column `{}` has {found} values, data.records declares {parties} parties",
                    by.column
                )));
            }
            parts
        }
    };
    Ok(parts.into_iter().map(|part| part.into_iter().map(|k| train[k]).collect()).collect())
}
