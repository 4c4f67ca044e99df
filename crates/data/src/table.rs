//! What was read: named columns, or sparse rows.

use std::collections::BTreeMap;
use std::fmt;

use crate::error::excerpt;
use crate::{Fault, Format, Kind, Place};

/// What a file holds.
#[derive(Clone, Debug)]
pub enum Data {
    /// Named columns.
    Table(Table),
    /// Labelled sparse rows.
    Sparse(Sparse),
}

impl Data {
    /// Number of records.
    pub fn records(&self) -> usize {
        match self {
            Self::Table(table) => table.records(),
            Self::Sparse(sparse) => sparse.records(),
        }
    }

    /// Remarks on how the file was read, such as what was left out.
    pub fn notes(&self) -> &[String] {
        match self {
            Self::Table(table) => &table.notes,
            Self::Sparse(sparse) => &sparse.notes,
        }
    }
}

/// Named columns of equal length. `Debug` shows the shape, never a record.
#[derive(Clone, PartialEq)]
pub struct Table {
    /// What kind of file it was.
    pub format: Format,
    /// The columns that were read, in the order of the file.
    pub columns: Vec<Column>,
    /// The column that the format itself calls the target: `y` of an NPZ archive.
    pub target: Option<usize>,
    /// Which rows have no value in a column, and which were dropped.
    pub missing: MissingValues,
    /// Remarks on how the file was read.
    pub notes: Vec<String>,
    /// Where each record is.
    pub places: Places,
}

/// A column. `Debug` shows its name, kind and length, never a value.
#[derive(Clone, PartialEq)]
pub struct Column {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Its name: as in the file, or its number.
    pub name: String,
    /// Its values, one per record.
    pub values: Values,
}

/// The values of a column: never missing, numbers always finite.
#[derive(Clone, PartialEq)]
pub enum Values {
    /// Numbers.
    Numbers(Vec<f64>),
    /// Truth values.
    Booleans(Vec<bool>),
    /// Texts.
    Text(Texts),
}

/// Texts one after another in one buffer.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Texts {
    text: String,
    ends: Vec<usize>,
}

/// Where the records of a table are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Places {
    /// The physical line on which each record starts, from 1.
    Lines(Vec<u64>),
    /// The row of each record, from 1.
    Rows(Vec<u64>),
}

/// What was missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissingValues {
    /// How many values are missing, for each column that lacks one.
    pub by_column: BTreeMap<String, u64>,
    /// The records that were dropped, from 1; the header does not count.
    pub dropped: Vec<u64>,
}

/// Labelled rows in compressed form. `Debug` shows the shape, never a record.
#[derive(Clone, PartialEq)]
pub struct Sparse {
    /// Number of features.
    pub features: usize,
    /// Row `i` has the entries `starts[i]..starts[i + 1]`.
    pub starts: Vec<usize>,
    /// The feature of each entry, from 0, ascending in each row.
    pub indices: Vec<u32>,
    /// The value of each entry, never 0.
    pub values: Vec<f64>,
    /// The labels as numbers; none if the lines have none.
    pub labels: Vec<f64>,
    /// The labels as they are written.
    pub label_texts: Texts,
    /// The physical line of each record, from 1.
    pub lines: Vec<u64>,
    /// Remarks on how the file was read.
    pub notes: Vec<String>,
}

impl Table {
    /// Number of records.
    pub fn records(&self) -> usize {
        match &self.places {
            Places::Lines(places) | Places::Rows(places) => places.len(),
        }
    }

    /// Where a record is, for messages.
    ///
    /// # Panics
    /// If there is no such record.
    pub fn place(&self, record: usize) -> Place {
        match &self.places {
            Places::Lines(lines) => Place::line(lines[record]),
            Places::Rows(rows) => Place::row(rows[record]),
        }
    }

    /// The names of the columns.
    pub fn names(&self) -> Vec<&str> {
        self.columns.iter().map(|column| column.name.as_str()).collect()
    }

    /// The position in [`Table::columns`] of a column, by its name or else by its number in the file.
    ///
    /// # Errors
    /// If there is none; the names there are are listed.
    pub fn find(&self, column: &str) -> Result<usize, Fault> {
        find(column, self.columns.iter().map(|column| (column.number, column.name.as_str())))
    }
}

/// The position of a column among numbers and names.
pub(crate) fn find<'a>(wanted: &str, columns: impl Iterator<Item = (usize, &'a str)> + Clone) -> Result<usize, Fault> {
    let by_name = columns.clone().position(|(_, name)| name == wanted);
    let number = wanted.parse::<usize>().ok();
    let by_number = || columns.clone().position(|(k, _)| Some(k) == number);
    by_name.or_else(by_number).ok_or_else(|| {
        let names: Vec<&str> = columns.map(|(_, name)| name).collect();
        let near = crate::near::nearest(wanted, &names).map(excerpt);
        let shown = names.iter().take(20).map(|name| excerpt(name)).collect::<Vec<_>>().join(", ");
        let present = if names.len() > 20 { format!("{shown}, … ({} in all)", names.len()) } else { shown };
        Fault::NoColumn { name: excerpt(wanted), near, present }
    })
}

impl Values {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Booleans(values) => values.len(),
            Self::Text(texts) => texts.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds the values of another column at the end.
    ///
    /// # Errors
    /// If they are of another kind, which is returned.
    pub fn append(&mut self, other: Self) -> Result<(), Kind> {
        match (self, other) {
            (Self::Numbers(values), Self::Numbers(other)) => values.extend(other),
            (Self::Booleans(values), Self::Booleans(other)) => values.extend(other),
            (Self::Text(texts), Self::Text(other)) => other.iter().for_each(|text| texts.push(text)),
            (_, other) => return Err(other.kind()),
        }
        Ok(())
    }

    /// What they are.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Numbers(_) => Kind::Number,
            Self::Booleans(_) => Kind::Boolean,
            Self::Text(_) => Kind::Text,
        }
    }
}

impl Texts {
    /// Number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a text at the end.
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    /// The text of a record, if there is such a record.
    pub fn get(&self, record: usize) -> Option<&str> {
        let end = *self.ends.get(record)?;
        let start = record.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(start..end)
    }

    /// All of them in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|record| self.get(record).unwrap_or_default())
    }
}

impl<'a> FromIterator<&'a str> for Texts {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        let mut all = Self::default();
        texts.into_iter().for_each(|text| all.push(text));
        all
    }
}

impl Sparse {
    /// Number of records.
    pub fn records(&self) -> usize {
        self.starts.len() - 1
    }

    /// The features and values of a record.
    ///
    /// # Panics
    /// If there is no such record.
    pub fn row(&self, record: usize) -> impl ExactSizeIterator<Item = (usize, f64)> {
        let entries = self.starts[record]..self.starts[record + 1];
        self.indices[entries.clone()].iter().map(|&k| k as usize).zip(self.values[entries].iter().copied())
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shape = f.debug_struct("Table");
        shape.field("records", &self.records()).field("columns", &self.columns.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Column").field("name", &self.name).field("values", &self.values).finish_non_exhaustive()
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Values").field("kind", &self.kind()).field("len", &self.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Texts").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Sparse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shape = f.debug_struct("Sparse");
        shape.field("records", &self.records()).field("features", &self.features);
        shape.field("entries", &self.values.len()).finish_non_exhaustive()
    }
}
