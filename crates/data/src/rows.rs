//! A table of a binary format: whole columns, some of whose values are missing.

use crate::error::At;
use crate::{Column, Fault, Format, Missing, MissingValues, Options, Place, Places, Table, Texts, Values};

/// More columns than this are refused: a small file can announce more of them than memory holds.
pub(crate) const MOST_COLUMNS: usize = 1 << 20;

/// A column as it is in the file: where a value is missing, anything may stand for it.
pub(crate) struct Raw {
    pub(crate) column: Column,
    /// The rows without a value, from 0, ascending.
    pub(crate) missing: Vec<usize>,
}

impl Raw {
    fn place(&self, row: usize) -> Place {
        Place::row(row as u64 + 1).column(self.column.number, self.column.name.as_str())
    }
}

/// Applies the policy for missing values, and refuses what is not finite.
pub(crate) fn table(format: Format, columns: Vec<Raw>, rows: usize, options: &Options) -> Result<Table, At> {
    if rows == 0 {
        return Err(Fault::NoRows.into());
    }
    let first = columns.iter().filter_map(|raw| Some((*raw.missing.first()?, raw))).min_by_key(|(row, _)| *row);
    if let (Some((row, raw)), Missing::Error) = (first, options.missing) {
        return Err(At::new(raw.place(row), Fault::Missing(String::new())));
    }
    let mut keep = vec![true; rows];
    let mut missing = MissingValues::default();
    for raw in &columns {
        raw.missing.iter().for_each(|row| keep[*row] = false);
        if !raw.missing.is_empty() {
            missing.by_column.insert(raw.column.name.clone(), raw.missing.len() as u64);
        }
    }
    let numbered = || keep.iter().zip(1..);
    missing.dropped = numbered().filter(|(keep, _)| !**keep).map(|(_, row)| row).collect();
    let kept: Vec<u64> = numbered().filter(|(keep, _)| **keep).map(|(_, row)| row).collect();
    if kept.is_empty() {
        return Err(Fault::AllMissing(rows as u64).into());
    }
    for raw in &columns {
        finite(raw, &keep)?;
    }
    let whole = missing.dropped.is_empty();
    let column = |raw: Raw| Column {
        values: if whole { raw.column.values } else { select(raw.column.values, &keep) },
        ..raw.column
    };
    let columns = columns.into_iter().map(column).collect();
    Ok(Table { format, columns, target: None, missing, notes: vec![], places: Places::Rows(kept) })
}

fn finite(raw: &Raw, keep: &[bool]) -> Result<(), At> {
    let Values::Numbers(values) = &raw.column.values else { return Ok(()) };
    match values.iter().zip(keep).position(|(value, keep)| *keep && !value.is_finite()) {
        Some(row) => Err(At::new(raw.place(row), Fault::NotFinite(values[row].to_string()))),
        None => Ok(()),
    }
}

fn select(values: Values, keep: &[bool]) -> Values {
    match values {
        Values::Numbers(values) => Values::Numbers(kept(values.into_iter(), keep).collect()),
        Values::Booleans(values) => Values::Booleans(kept(values.into_iter(), keep).collect()),
        Values::Text(texts) => Values::Text(kept(texts.iter(), keep).collect::<Texts>()),
    }
}

fn kept<T>(values: impl Iterator<Item = T>, keep: &[bool]) -> impl Iterator<Item = T> {
    values.zip(keep).filter(|(_, keep)| **keep).map(|(value, _)| value)
}
