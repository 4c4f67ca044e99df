//! One column.

use std::collections::BTreeMap;

use dido_data::{Column, Values};
use serde::Serialize;

/// More different values than this are no classes.
const MOST_CLASSES: usize = 20;

/// What a column holds.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// `number`, `boolean` or `text`.
    pub kind: String,
    /// The smallest number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The largest number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// How many truth values are true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trues: Option<usize>,
    /// How many texts are different.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<usize>,
}

/// A class, or a value of a target that has few.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Class {
    /// The number, truth value or text.
    pub class: String,
    /// The records of it.
    pub count: usize,
}

/// What there is to say about a column.
pub(super) fn of(column: &Column) -> Summary {
    let mut summary = Summary {
        number: column.number,
        name: column.name.clone(),
        kind: column.values.kind().to_string(),
        min: None,
        max: None,
        trues: None,
        levels: None,
    };
    match &column.values {
        Values::Numbers(values) => (summary.min, summary.max) = range(values),
        Values::Booleans(values) => summary.trues = Some(values.iter().filter(|v| **v).count()),
        Values::Text(_) => summary.levels = Some(super::encoded::levels(&column.values).len()),
    }
    summary
}

/// The smallest and the largest number.
pub(super) fn range(values: &[f64]) -> (Option<f64>, Option<f64>) {
    (values.iter().copied().reduce(f64::min), values.iter().copied().reduce(f64::max))
}

/// The classes of a target and their sizes, sorted; nothing if there are too many different numbers.
pub(super) fn classes(values: &Values) -> Option<Vec<Class>> {
    match values {
        Values::Numbers(values) => {
            let counts = count(values.iter().map(|v| Sorted(if *v == 0.0 { 0.0 } else { *v })), Some(MOST_CLASSES))?;
            Some(counts.into_iter().map(|(v, count)| Class { class: v.0.to_string(), count }).collect())
        }
        Values::Booleans(values) => Some(named(count(values.iter(), None)?)),
        Values::Text(texts) => Some(named(count(texts.iter(), None)?)),
    }
}

fn named(counts: BTreeMap<impl ToString, usize>) -> Vec<Class> {
    counts.into_iter().map(|(class, count)| Class { class: class.to_string(), count }).collect()
}

fn count<T: Ord>(values: impl Iterator<Item = T>, most: Option<usize>) -> Option<BTreeMap<T, usize>> {
    let mut counts = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_insert(0) += 1;
        if most.is_some_and(|most| counts.len() > most) {
            return None;
        }
    }
    Some(counts)
}

/// A finite number, in order.
#[derive(PartialEq)]
struct Sorted(f64);

impl Eq for Sorted {}

impl PartialOrd for Sorted {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Sorted {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}
