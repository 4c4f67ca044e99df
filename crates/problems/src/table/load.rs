//! From the columns of a file to numbers.
//!
//! A record that lacks one of its values, where such records are let through ([`Missing::Drop`]), keeps its place: its row and its
//! target are zeros. That is a function of the record alone, and a record within every bound, so it changes neither the number of
//! records nor what a replaced one can move.

use std::borrow::Cow;
use std::fmt;

use dido_data::{Data, Kind, Missing, Options, Values};
use ndarray::{Array1, Array2};

use super::feature::{Cell, Encode, Fault};
use super::{Feature, Schema, Source};
use crate::{Features, ProblemError};

/// The encoded rows of a file, in its order. `Debug` shows its size, never a record.
#[derive(Clone)]
pub struct Table {
    /// Encoded features, records x [`Schema::names`].
    pub x: Array2<f64>,
    /// Encoded targets.
    pub y: Array1<f64>,
    /// Per numeric column (the target last): how many cells were outside the declared range. Computed from the
    /// records: not covered by any privacy guarantee.
    pub clipped: Vec<(String, usize)>,
    /// The extra columns asked for, as text, in the order asked for.
    pub extra: Vec<(String, Vec<String>)>,
    /// The records, ascending, that lack a value: their rows and targets are zeros. Not covered by any privacy guarantee.
    pub incomplete: Vec<usize>,
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (records, dim) = self.x.dim();
        f.debug_struct("Table").field("records", &records).field("dim", &dim).finish_non_exhaustive()
    }
}

/// The encoded rows of a file to predict for, in its order. `Debug` shows its size, never a record.
#[derive(Clone)]
pub struct Unlabelled {
    /// Encoded features.
    pub x: Features,
    /// Encoded targets, if the file has them.
    pub y: Option<Array1<f64>>,
    /// As [`Table::clipped`]; the target is there if the file has it.
    pub clipped: Vec<(String, usize)>,
}

impl fmt::Debug for Unlabelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (records, dim) = (self.x.records(), self.x.dim());
        f.debug_struct("Unlabelled").field("records", &records).field("dim", &dim).finish_non_exhaustive()
    }
}

/// Loads the columns a schema declares, and `extra` columns as text (to partition by, for example), in which nothing may be missing.
///
/// # Errors
/// In one line, with file, line and column: whatever [`dido_data::read`] refuses; a column that is missing; text, NaN, an infinity
/// or nothing in place of a number; an undeclared level.
pub fn load(source: &Source, schema: &Schema, extra: &[&str]) -> Result<Table, ProblemError> {
    let text = |name: &&str| Ok(((*name).to_owned(), texts(source, name)?));
    let extra = extra.iter().map(text).collect::<Result<_, ProblemError>>()?;
    let Encoded { x, y, clipped, incomplete } = encoded(source, schema, true)?;
    Ok(Table { x, y: y.into(), clipped, extra, incomplete })
}

/// Loads the features a schema declares, and the target if there is such a column: what a model predicts from.
///
/// # Errors
/// As [`load`], but for a target that is missing.
pub fn load_unlabelled(source: &Source, schema: &Schema) -> Result<Unlabelled, ProblemError> {
    let labelled = has_column(source, schema.target().column())?;
    let Encoded { x, y, clipped, .. } = encoded(source, schema, labelled)?;
    Ok(Unlabelled { x: x.into(), y: labelled.then(|| y.into()), clipped })
}

/// What the loaders read; without a target there are no targets.
struct Encoded {
    x: Array2<f64>,
    y: Vec<f64>,
    clipped: Vec<(String, usize)>,
    incomplete: Vec<usize>,
}

fn encoded(source: &Source, schema: &Schema, labelled: bool) -> Result<Encoded, ProblemError> {
    let target = labelled.then(|| schema.target().encoder());
    let encoders: Vec<&dyn Encode> = schema.features().iter().filter_map(Feature::encoder).chain(target).collect();
    let table = table(source, &encoders)?;
    let columns: Vec<Option<(usize, &dyn Encode)>> = schema
        .features()
        .iter()
        .map(|feature| feature.encoder().map(|e| Ok((place(source, &table, e.column())?, e))).transpose())
        .collect::<Result<_, ProblemError>>()?;
    let target = target.map(|e| Ok::<_, ProblemError>((place(source, &table, e.column())?, e))).transpose()?;

    let (dim, incomplete) = (schema.dim(), lacking(&table));
    let records = table.records() + incomplete.len();
    let (mut x, mut y) = (Vec::with_capacity(records * dim), Vec::with_capacity(records));
    let (mut clipped, mut clipped_targets) = (vec![0; columns.len()], 0);
    let fault = |found: usize, column: usize, encoder: &dyn Encode, why: &Fault| {
        let place = table.place(found).to_string();
        super::fault(source.name(), place, encoder, &cell(source, &table.columns[column].values, found).text(), why)
    };
    let (mut found, mut lacks) = (0, incomplete.iter().peekable());
    for record in 0..records {
        if lacks.next_if_eq(&&record).is_some() {
            x.resize((record + 1) * dim, 0.0);
            y.resize(if target.is_some() { record + 1 } else { 0 }, 0.0);
            continue;
        }
        for (feature, clipped) in columns.iter().zip(&mut clipped) {
            let Some((column, encoder)) = *feature else {
                x.push(1.0);
                continue;
            };
            let outside = encoder.encode(&cell(source, &table.columns[column].values, found), &mut x);
            *clipped += usize::from(outside.map_err(|why| fault(found, column, encoder, &why))?);
        }
        if let Some((column, encoder)) = target {
            let outside = encoder.encode(&cell(source, &table.columns[column].values, found), &mut y);
            clipped_targets += usize::from(outside.map_err(|why| fault(found, column, encoder, &why))?);
        }
        found += 1;
    }
    let numeric = schema.features().iter().zip(clipped).filter_map(|(feature, clipped)| match feature {
        Feature::Numeric(numeric) => Some((numeric.column.clone(), clipped)),
        _ => None,
    });
    let of_target = target.map(|_| (schema.target().column().to_owned(), clipped_targets));
    Ok(Encoded {
        x: Array2::from_shape_fn((records, dim), |(i, j)| x[i * dim + j]),
        y,
        clipped: numeric.chain(of_target).collect(),
        incomplete,
    })
}

/// The columns of these encoders. Of separated values they are read as text: what they are is declared.
fn table(source: &Source, encoders: &[&dyn Encode]) -> Result<dido_data::Table, ProblemError> {
    let names: Vec<String> = encoders.iter().map(|encoder| encoder.column().to_owned()).collect();
    let mut options = only(source, &names);
    let is_level = |na: &String| encoders.iter().any(|encoder| encoder.levels().contains(na));
    if options.na == Options::default().na {
        options.na.retain(|na| !is_level(na));
    } else if let Some(na) = options.na.iter().find(|na| is_level(na)) {
        return Err(source.refuse(&format!("\"{na}\" is a declared level, and cannot mean that a value is missing")));
    }
    columns(source, &options)
}

fn only(source: &Source, names: &[String]) -> Options {
    let kinds = names.iter().map(|name| (name.clone(), Kind::Text)).collect();
    // A schema of the intercept alone still says how many records there are.
    let only = if names.is_empty() { None } else { Some(names.to_vec()) };
    Options { only, kinds, ..source.options().clone() }
}

fn columns(source: &Source, options: &Options) -> Result<dido_data::Table, ProblemError> {
    match source.data(options)? {
        Data::Table(table) => Ok(table),
        Data::Sparse(_) => Err(source.refuse("a LIBSVM file has no columns with names; declare it as svmlight")),
    }
}

/// All cells of a column as text.
fn texts(source: &Source, name: &str) -> Result<Vec<String>, ProblemError> {
    let options = Options { missing: Missing::Error, ..only(source, &[name.to_owned()]) };
    let table = columns(source, &options)?;
    let values = &table.columns[place(source, &table, name)?].values;
    Ok((0..values.len()).map(|record| cell(source, values, record).text().into_owned()).collect())
}

/// Whether there is a column of this name: it is looked for in the names alone.
fn has_column(source: &Source, name: &str) -> Result<bool, ProblemError> {
    let options = Options { missing: Missing::Drop, ..only(source, &[name.to_owned()]) };
    match columns(source, &options) {
        Ok(table) => Ok(table.columns.iter().any(|column| column.name == name)),
        Err(ProblemError::File(error)) if matches!(error.fault, dido_data::Fault::NoColumn { .. }) => Ok(false),
        // What is wrong with the file or its cells is told when they are needed.
        Err(ProblemError::File(_)) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Where a column is. A file also knows columns by number; a schema goes by names.
fn place(source: &Source, table: &dido_data::Table, name: &str) -> Result<usize, ProblemError> {
    let found = table.columns.iter().position(|column| column.name == name);
    found.ok_or_else(|| ProblemError::MissingColumn {
        file: source.name().to_owned(),
        column: name.to_owned(),
        present: table.names().join(", "),
    })
}

/// The records, from 0, that lack a value.
fn lacking(table: &dido_data::Table) -> Vec<usize> {
    table.missing.dropped.iter().map(|&row| usize::try_from(row - 1).unwrap_or(usize::MAX)).collect()
}

fn cell<'a>(source: &Source, values: &'a Values, record: usize) -> Cell<'a> {
    let text = |text| Cell::Text(Cow::Borrowed(text), source.options().decimal);
    match values {
        Values::Numbers(numbers) => Cell::Number(numbers[record]),
        Values::Booleans(truths) => text(if truths[record] { "True" } else { "False" }),
        Values::Text(texts) => text(texts.get(record).unwrap_or_default()),
    }
}
