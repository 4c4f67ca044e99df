//! `dido compare DIR...`: results side by side, a row for each, with the keys in which their specifications differ.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;
use toml::Value;

use crate::error::ExperimentError;
use crate::rebuild::{spec, stored};
use crate::records::{Band, Score, Summary};
use crate::report::figures;
use crate::results::SUMMARY;
use crate::sweep::{SweepSummary, plain};

/// Results side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// The keys that are not the same in all specifications.
    pub keys: Vec<String>,
    /// Why the scores cannot be compared, where they cannot.
    pub warnings: Vec<String>,
    /// One for each result.
    pub rows: Vec<Row>,
    /// The keys of a row that are computed from records: no guarantee covers them.
    pub not_covered: [&'static str; 2],
}

/// A result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Where it lies.
    pub folder: PathBuf,
    /// The experiment.
    pub name: String,
    /// Digest of its specification.
    pub digest: String,
    /// Its values of [`Table::keys`]; a key that it does not have is absent.
    pub values: BTreeMap<String, String>,
    /// What merit and error are.
    pub measure: [&'static str; 2],
    /// R^2 or accuracy over lanes, at the party that fares worst.
    pub merit: Option<Band>,
    /// RMSE or mean loss, the mean over lanes.
    pub error: f64,
    /// Whether nothing is promised: no noise was added, or bounds were read off the data.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub non_private: bool,
    /// The least epsilon of one lane; absent where it is unbounded or no guarantee.
    pub epsilon: Option<f64>,
    /// Epsilon of one lane at delta 0.
    pub epsilon_pure: Option<f64>,
    /// The delta of [`Self::epsilon`].
    pub delta: f64,
    /// Rounds with a release.
    pub rounds: u32,
    /// Messages along an edge, one way, of a lane.
    pub messages: u64,
}

/// What decides whether scores can be compared, and what it is called.
const SAME: [(&str, &str); 2] = [("data", "data, split or encoding"), ("objective", "objectives")];

/// Keys of `data` that move no record and change no score.
const HARMLESS: [&str; 1] = ["data.row_norm"];

/// The table of these result folders; the folder of a sweep stands for all cells that are done.
///
/// # Errors
/// If a folder holds no result, or a damaged one.
///
/// # Panics
/// Never: a checked configuration has a TOML form.
pub fn table(folders: &[PathBuf]) -> Result<Table, ExperimentError> {
    let mut all = vec![];
    for folder in folders {
        all.extend(results(folder)?);
    }
    let read = |folder: PathBuf| -> Result<_, ExperimentError> {
        let summary: Summary = stored(&folder, SUMMARY)?;
        let spec = spec(&folder)?.toml();
        let table = spec.parse::<toml::Table>().expect("a checked configuration has a TOML form");
        let mut keys = BTreeMap::new();
        flatten("", &Value::Table(table), &mut keys);
        keys.remove("name");
        Ok((folder, summary, keys))
    };
    let read: Vec<_> = all.into_iter().map(read).collect::<Result<_, _>>()?;
    let known: BTreeSet<&String> = read.iter().flat_map(|(_, _, keys)| keys.keys()).collect();
    let differs = |key: &&String| read.windows(2).any(|pair| pair[0].2.get(*key) != pair[1].2.get(*key));
    let keys: Vec<String> = known.into_iter().filter(differs).cloned().collect();
    let warnings = warnings(&keys);
    let rows = read.iter().map(|(folder, summary, values)| row(folder, summary, values, &keys)).collect();
    Ok(Table { warnings, rows, keys, not_covered: ["merit", "error"] })
}

/// The folder itself, or those of the cells of a sweep.
fn results(folder: &Path) -> Result<Vec<PathBuf>, ExperimentError> {
    if !folder.join("cells.json").exists() {
        return Ok(vec![folder.to_owned()]);
    }
    let summary: SweepSummary = stored(folder, "cells.json")?;
    let beside = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let beside = beside.parent().map(Path::to_owned).unwrap_or_default();
    let done = summary.cells.into_iter().filter(|cell| cell.result.is_some());
    Ok(done.filter_map(|cell| cell.digest).map(|digest| beside.join(digest)).collect())
}

fn warnings(keys: &[String]) -> Vec<String> {
    let of = |(table, what): (&str, &str)| {
        let inside = |key: &&String| {
            key.split('.').next() == Some(table) && HARMLESS.iter().all(|harmless| key.as_str() != *harmless)
        };
        let differing: Vec<&str> = keys.iter().filter(inside).map(String::as_str).collect();
        (!differing.is_empty())
            .then(|| format!("not comparable: the results have different {what} ({})", differing.join(", ")))
    };
    SAME.into_iter().filter_map(of).collect()
}

fn row(folder: &Path, summary: &Summary, values: &BTreeMap<String, String>, keys: &[String]) -> Row {
    let merits: Vec<f64> = summary.lane_scores.iter().map(|score: &Score| score.merit()).collect();
    let (merit, error) = figures(summary.metrics.private);
    Row {
        folder: folder.to_owned(),
        name: summary.name.clone(),
        digest: summary.digest.clone(),
        values: keys.iter().filter_map(|key| Some((key.clone(), values.get(key)?.clone()))).collect(),
        measure: [merit, error],
        merit: Band::of(&merits),
        error: summary.metrics.private.error(),
        non_private: summary.non_private.is_some(),
        epsilon: summary.epsilon.least().filter(|_| summary.non_private.is_none()),
        epsilon_pure: summary.epsilon.pure.filter(|_| summary.non_private.is_none()),
        delta: summary.delta,
        rounds: summary.rounds,
        messages: summary.messages,
    }
}

/// The keys of a table with their paths. A list is one value.
fn flatten(path: &str, value: &Value, into: &mut BTreeMap<String, String>) {
    match value {
        Value::Table(table) => {
            for (key, value) in table {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                flatten(&path, value, into);
            }
        }
        value => {
            into.insert(path.to_owned(), plain(value));
        }
    }
}

/// The figures that follow the keys in a table.
const COLUMNS: [&str; 12] = [
    "measure",
    "merit",
    "merit_q05",
    "merit_q95",
    "error",
    "epsilon",
    "epsilon_pure",
    "delta",
    "rounds",
    "messages",
    "digest",
    "folder",
];

impl Table {
    /// One line for each result; what is absent is an empty cell, an epsilon without a bound `inf`.
    ///
    /// # Panics
    /// Never: a vector takes all that is written, and text was written.
    pub fn csv(&self) -> String {
        let mut table = csv::Writer::from_writer(vec![]);
        let head = std::iter::once("name").chain(self.keys.iter().map(String::as_str)).chain(COLUMNS);
        let written = table.write_record(head).and_then(|()| {
            self.rows.iter().try_for_each(|row| {
                let values = self.keys.iter().map(|key| row.values.get(key).cloned().unwrap_or_default());
                table.write_record(std::iter::once(row.name.clone()).chain(values).chain(figures_of(row)))
            })
        });
        written.expect("a vector takes all that is written");
        let bytes = table.into_inner().expect("a vector takes all that is written");
        String::from_utf8(bytes).expect("text was written")
    }
}

fn figures_of(row: &Row) -> [String; COLUMNS.len()] {
    let merit = |of: fn(Band) -> f64| row.merit.map_or(String::new(), |band| of(band).to_string());
    let epsilon = |epsilon: Option<f64>| epsilon.map_or("inf".to_owned(), |epsilon| epsilon.to_string());
    [
        row.measure.join(" "),
        merit(|band| band.mean),
        merit(|band| band.q05),
        merit(|band| band.q95),
        row.error.to_string(),
        epsilon(row.epsilon),
        epsilon(row.epsilon_pure),
        row.delta.to_string(),
        row.rounds.to_string(),
        row.messages.to_string(),
        row.digest.clone(),
        row.folder.display().to_string(),
    ]
}
