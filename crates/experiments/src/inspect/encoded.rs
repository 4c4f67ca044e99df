//! The numbers that a model would see.
//!
//! Numbers stay as they are, truth values become 1 and 0, and text becomes one column for each of its levels.

use std::collections::BTreeSet;

use dido_data::{Column, Fault, Values};
use serde::Serialize;

use super::target::Target;

/// More numbers than this are not printed.
pub const MOST_PRINTED: usize = 10_000_000;

/// Encoded records.
#[derive(Clone, Debug, Serialize)]
pub struct Encoded {
    /// The names of the encoded features; none for sparse files, whose features are numbered.
    pub columns: Vec<String>,
    /// A row for each record.
    #[serde(rename = "X")]
    pub x: Vec<Vec<f64>>,
    /// A target for each record, if there is a target.
    pub y: Option<Vec<f64>>,
}

/// How features are encoded.
pub(super) struct Plan<'a> {
    columns: Vec<(&'a Column, Vec<&'a str>)>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(columns: &[&'a Column]) -> Self {
        Self { columns: columns.iter().map(|column| (*column, levels(&column.values))).collect() }
    }

    /// Features of a record after encoding.
    pub(super) fn width(&self) -> usize {
        self.columns.iter().map(|(column, levels)| width(column, levels)).sum()
    }

    pub(super) fn values(&self, rows: usize, y: Target) -> Result<Encoded, Fault> {
        printable(rows, self.width())?;
        let mut x = vec![Vec::with_capacity(self.width()); rows];
        for (column, levels) in &self.columns {
            match &column.values {
                Values::Numbers(values) => x.iter_mut().zip(values).for_each(|(row, v)| row.push(*v)),
                Values::Booleans(values) => x.iter_mut().zip(values).for_each(|(row, v)| row.push(indicator(*v))),
                Values::Text(texts) => x.iter_mut().zip(texts.iter()).for_each(|(row, text)| {
                    row.extend(levels.iter().map(|level| indicator(*level == text)));
                }),
            }
        }
        let names = self.columns.iter().flat_map(|(column, levels)| names(column, levels)).collect();
        Ok(Encoded { columns: names, x, y: y.values()? })
    }
}

/// Refuses to write out what no one can read.
pub(super) fn printable(rows: usize, width: usize) -> Result<(), Fault> {
    let numbers = rows.saturating_mul(width);
    if numbers > MOST_PRINTED {
        let what = format!("{numbers} encoded values; --values is for at most {MOST_PRINTED}");
        return Err(Fault::Option(what));
    }
    Ok(())
}

fn indicator(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

fn width(column: &Column, levels: &[&str]) -> usize {
    if matches!(column.values, Values::Text(_)) { levels.len() } else { 1 }
}

fn names(column: &Column, levels: &[&str]) -> Vec<String> {
    if matches!(column.values, Values::Text(_)) {
        levels.iter().map(|level| format!("{}={level}", column.name)).collect()
    } else {
        vec![column.name.clone()]
    }
}

/// The different texts, sorted; none of other kinds.
pub(super) fn levels(values: &Values) -> Vec<&str> {
    match values {
        Values::Text(texts) => texts.iter().collect::<BTreeSet<_>>().into_iter().collect(),
        _ => vec![],
    }
}
