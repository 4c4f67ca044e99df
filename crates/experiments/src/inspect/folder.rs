//! A folder with a file for each node: together they are one table.

use std::fs;
use std::path::{Path, PathBuf};

use dido_data::{Data, DataError, Fault, Options, Places, Source, Sparse, Table, read as read_file};
use serde::Serialize;

use crate::error::ExperimentError;

/// A file of a folder.
#[derive(Clone, Debug, Serialize)]
pub struct File {
    /// Its name in the folder.
    pub file: String,
    /// Its records, without those that were dropped.
    pub rows: usize,
}

/// All files, in the order of their names, one after another. Hidden files and folders are left out.
///
/// # Errors
/// If one cannot be read, or has other columns than the first.
pub(super) fn read(folder: &Path, options: &Options) -> Result<(Data, Vec<File>), ExperimentError> {
    let mut all: Option<(String, Data)> = None;
    let mut files = vec![];
    for path in paths(folder)? {
        let data = read_file(&Source::file(&path), options)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.push(File { file: name.clone(), rows: data.records() });
        let joined = match all.take() {
            None => Ok((name, data)),
            Some((first, before)) => join(before, data, &first).map(|data| (first, data)),
        };
        let refuse = |fault| DataError::whole(path.display().to_string(), fault);
        all = Some(joined.map_err(refuse)?);
    }
    let (_, data) = all.ok_or_else(|| file_error(folder, &"there is no file in this folder"))?;
    Ok((data, files))
}

fn file_error(path: &Path, reason: &dyn std::fmt::Display) -> ExperimentError {
    ExperimentError::File { path: path.to_owned(), reason: reason.to_string() }
}

fn paths(folder: &Path) -> Result<Vec<PathBuf>, ExperimentError> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|e| file_error(folder, &e))?;
    let visible = |path: &PathBuf| path.is_file() && path.file_name().is_none_or(|n| n.as_encoded_bytes()[0] != b'.');
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).filter(visible).collect();
    paths.sort();
    Ok(paths)
}

fn join(before: Data, next: Data, first: &str) -> Result<Data, Fault> {
    match (before, next) {
        (Data::Table(before), Data::Table(next)) => tables(before, next, first).map(Data::Table),
        (Data::Sparse(before), Data::Sparse(next)) => rows(before, next, first).map(Data::Sparse),
        _ => Err(Fault::WrongFormat(format!("a sparse and a dense file; {first} is of the other kind"))),
    }
}

fn tables(mut before: Table, next: Table, first: &str) -> Result<Table, Fault> {
    // One column of each file is the target.
    let width = |table: &Table| table.columns.len().saturating_sub(1);
    if width(&before) != width(&next) {
        let message = format!("{} feature columns, {first} has {}", width(&next), width(&before));
        return Err(Fault::Shape(message));
    }
    if before.names() != next.names() {
        let pairs = before.names().into_iter().zip(next.names());
        let other = pairs.into_iter().find(|(a, b)| a != b).unwrap_or_default();
        return Err(Fault::Shape(format!("a column \"{}\" where {first} has \"{}\"", other.1, other.0)));
    }
    let read = before.records() as u64 + before.missing.dropped.len() as u64;
    before.missing.dropped.extend(next.missing.dropped.iter().map(|row| read + row));
    for (column, count) in next.missing.by_column {
        *before.missing.by_column.entry(column).or_default() += count;
    }
    before.notes.extend(next.notes);
    before.notes.dedup();
    match (&mut before.places, next.places) {
        (Places::Lines(all) | Places::Rows(all), Places::Lines(more) | Places::Rows(more)) => all.extend(more),
    }
    for (column, more) in before.columns.iter_mut().zip(next.columns) {
        let kind = column.values.kind();
        column
            .values
            .append(more.values)
            .map_err(|other| Fault::Mixed(format!("column \"{}\" is {other}, in {first} it is {kind}", column.name)))?;
    }
    Ok(before)
}

fn rows(mut before: Sparse, next: Sparse, first: &str) -> Result<Sparse, Fault> {
    if before.features != next.features {
        return Err(Fault::Shape(format!(
            "{} feature columns, {first} has {}; say how many there are with --features",
            next.features, before.features
        )));
    }
    let entries = before.values.len();
    before.starts.extend(next.starts.iter().skip(1).map(|start| entries + start));
    before.indices.extend(next.indices);
    before.values.extend(next.values);
    before.labels.extend(next.labels);
    next.label_texts.iter().for_each(|text| before.label_texts.push(text));
    before.lines.extend(next.lines);
    before.notes.extend(next.notes);
    before.notes.dedup();
    Ok(before)
}
