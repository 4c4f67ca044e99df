//! The records of an experiment: read, encoded, split, and given to their parties.

use dido_problems::table::Source;
use dido_problems::{Features, ProblemError, Shard, partition};
use ndarray::{Array1, Axis};
use sha2::{Digest, Sha256};

use crate::config::{Baseline, MissingConfig, PartitionConfig};
use crate::encoding::Encoded;
use crate::error::ExperimentError;
use crate::reading;
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
    /// What no party trains on, without incomplete records: there is nothing to predict from.
    pub held_out: Records,
    /// How many records no party trains on, incomplete ones among them.
    pub held_out_records: usize,
    /// Training records that lack a value and count as zeros: not private.
    pub incomplete: usize,
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
    let (table, files, sha256) = read(spec)?;
    let (members, held_out) = split(spec, &table, &files)?;
    let is_whole = whole(&table);
    let scored: Vec<usize> = held_out.iter().copied().filter(|&record| is_whole[record]).collect();
    if scored.len() < 2 {
        let message = if spec.counts_are_public() && table.incomplete.is_empty() {
            format!("{} of {} records are held out; a score needs at least 2", held_out.len(), table.y.len())
        } else {
            "too few records are held out; a score needs at least 2".to_owned()
        };
        let path = "data.held_out.fraction".to_owned();
        return Err(ExperimentError::Key { file: spec.file.clone(), path, message });
    }
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
    let incomplete = members.iter().flatten().filter(|&&record| !is_whole[record]).count();
    if data.missing == MissingConfig::Drop {
        clipped.push(Clipped { column: "whole records that lack a value, to zeros".to_owned(), count: incomplete });
    }
    let centralised = spec.config.baseline == Some(Baseline::Centralised);
    let shards = if centralised { vec![Shard::joined(&shards)?] } else { shards };
    Ok(Prepared {
        shards,
        parties,
        held_out: select(&scored),
        held_out_records: held_out.len(),
        incomplete,
        clipped,
        sha256,
    })
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
        "of the {} records of {}, {held_out} are held out and the parties train on {} of them, {} are declared",
        table.y.len(),
        spec.config.data.named(),
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
    const SHOWN: usize = 1000;
    let shown: Vec<String> = counts.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = if counts.len() > SHOWN { ", ..." } else { "" };
    format!("[{}{more}]", shown.join(", "))
}

/// All files: their records, the number of records of each, and the SHA-256 of their bytes.
fn read(spec: &Spec) -> Result<(Encoded, Vec<usize>, String), ExperimentError> {
    let data = &spec.config.data;
    let extra = match &data.partition {
        PartitionConfig::Sorted(c) | PartitionConfig::ByColumn(c) => Some(c.column.as_str()),
        PartitionConfig::Files(_)
        | PartitionConfig::Contiguous(_)
        | PartitionConfig::Shuffled(_)
        | PartitionConfig::Dirichlet(_) => None,
    };
    let options = reading::options(data).expect("the options were checked");
    let (mut hash, mut parts) = (Sha256::new(), vec![]);
    for file in data.files() {
        let bytes = reading::bytes(spec, file)?;
        if data.sources.len() > 1 {
            hash.update((bytes.len() as u64).to_le_bytes());
        }
        hash.update(&bytes);
        let source = Source::bytes(file, bytes).read_with(options.clone());
        parts.push(spec.schema.load(&source, extra).map_err(reading::in_keys)?);
    }
    let files = parts.iter().map(|part| part.y.len()).collect();
    Ok((Encoded::joined(parts), files, hexadecimal(&hash.finalize())))
}

/// For each record, whether it lacks no value.
fn whole(table: &Encoded) -> Vec<bool> {
    let mut whole = vec![true; table.y.len()];
    table.incomplete.iter().for_each(|&record| whole[record] = false);
    whole
}

/// The training records of each party, and those held out.
fn split(spec: &Spec, table: &Encoded, files: &[usize]) -> Result<(Vec<Vec<usize>>, Vec<usize>), ExperimentError> {
    let data = &spec.config.data;
    let (fraction, seed) = (data.held_out.fraction, data.held_out.seed);
    let discreet = |error| discreet(spec, error);
    if data.is_held_out_by_party() {
        let all: Vec<usize> = (0..table.y.len()).collect();
        let parts = members(spec, table, &all, files)?;
        let split = partition::hold_out_each(&parts, fraction, seed).map_err(discreet)?;
        let (train, held_out): (Vec<_>, Vec<_>) = split.into_iter().unzip();
        return Ok((train, held_out.concat()));
    }
    let (train, held_out) = partition::hold_out(table.y.len(), fraction, seed).map_err(discreet)?;
    Ok((members(spec, table, &train, files)?, held_out))
}

/// Bins of a numeric target that a label skew takes for classes.
const BINS: usize = 10;

/// The class of each of these records: its label, the tenth of the targets that it is in, or that it lacks a value.
fn classes(spec: &Spec, table: &Encoded, rows: &[usize]) -> Result<Vec<usize>, ExperimentError> {
    let is_whole = whole(table);
    let of_classes = spec.config.data.target.levels.is_some();
    let found: Vec<usize> = (0..rows.len()).filter(|&k| is_whole[rows[k]]).collect();
    let targets: Vec<f64> = found.iter().map(|&k| table.y[rows[k]]).collect();
    let bins = if of_classes || targets.is_empty() {
        targets.iter().map(|&y| usize::from(y > 0.0)).collect()
    } else {
        partition::quantile_bins(&targets, BINS.min(targets.len())).map_err(|error| discreet(spec, error))?
    };
    let mut classes = vec![BINS; rows.len()];
    found.into_iter().zip(bins).for_each(|(k, bin)| classes[k] = bin);
    Ok(classes)
}

/// The beginning of a cell, for a message: a cell can be as long as the file.
fn excerpt(cell: &str) -> String {
    const SHOWN: usize = 60;
    match cell.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &cell[..end]),
        None => cell.to_owned(),
    }
}

/// The rows of each party, of these.
fn members(spec: &Spec, table: &Encoded, train: &[usize], files: &[usize]) -> Result<Vec<Vec<usize>>, ExperimentError> {
    let parties = spec.config.data.records.len();
    let key =
        |message: String| ExperimentError::Key { file: spec.file.clone(), path: "data.partition".to_owned(), message };
    let discreet = |error| discreet(spec, error);
    let parts = match &spec.config.data.partition {
        PartitionConfig::Files(_) => {
            let file = files.iter().enumerate().flat_map(|(file, &records)| std::iter::repeat_n(file, records));
            let file: Vec<usize> = file.collect();
            let of = |party: usize| (0..train.len()).filter(|&k| file[train[k]] == party).collect();
            (0..parties).map(of).collect()
        }
        PartitionConfig::Dirichlet(skew) => {
            let classes = classes(spec, table, train)?;
            partition::dirichlet(&classes, parties, skew.alpha, skew.seed).map_err(discreet)?
        }
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
