//! The keys of a sweep that name files: absolute in the stored sweep, bare in its digest.

use std::path::Path;

use toml::{Table, Value};

use super::Sweep;
use crate::file::{SWEEP, put};

/// The keys that name files.
const FILES: [&str; 4] = ["data.source", "graph.file", "graph.matrix", "graph.sequence.file"];

/// The sweep as a file that can be run again from anywhere.
pub fn toml(sweep: &Sweep) -> String {
    let absolute = |name: &str| {
        let path = sweep.base.folder.join(name);
        std::path::absolute(&path).unwrap_or(path).display().to_string()
    };
    let mut table = sweep.base.table.clone();
    rename(&mut table, &absolute);
    if let Some(Value::Table(axes)) = table.get_mut(SWEEP) {
        for (joined, values) in axes.iter_mut() {
            let paths: Vec<&str> = joined.split(',').map(str::trim).collect();
            for value in values.as_array_mut().into_iter().flatten() {
                match (&paths[..], value) {
                    ([path], value) => rename_value(path, value, &absolute),
                    (_, Value::Array(tuple)) => {
                        paths.iter().zip(tuple).for_each(|(path, value)| rename_value(path, value, &absolute));
                    }
                    _ => {}
                }
            }
        }
    }
    table.to_string()
}

/// An experiment with its files known by their names, not by the folders they lie in.
pub fn without_folders(mut table: Table) -> String {
    let file_name = |name: &str| Path::new(name).file_name().unwrap_or_default().to_string_lossy().into_owned();
    rename(&mut table, &file_name);
    table.to_string()
}

/// Renames the files in a value of `path`.
fn rename_value(path: &str, value: &mut Value, to: &dyn Fn(&str) -> String) {
    let mut table = Table::new();
    if put(&mut table, path, value.clone()).is_ok() {
        rename(&mut table, to);
        if let Some(renamed) = path.split('.').try_fold(&Value::Table(table), |place, part| place.get(part)) {
            *value = renamed.clone();
        }
    }
}

/// Renames all files in a table of an experiment.
fn rename(table: &mut Table, to: &dyn Fn(&str) -> String) {
    for path in FILES {
        let mut parts = path.split('.');
        let first = parts.next().and_then(|part| table.get_mut(part));
        let place = parts.try_fold(first, |place, part| Some(place?.get_mut(part))).flatten();
        if let Some(Value::String(name)) = place
            && !name.starts_with("builtin:")
        {
            *name = to(name);
        }
    }
    let sources = table.get_mut("data").and_then(|data| data.get_mut("sources")).and_then(Value::as_array_mut);
    for source in sources.into_iter().flatten() {
        if let Value::String(name) = source {
            *name = to(name);
        }
    }
}
