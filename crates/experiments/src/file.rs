//! From a name or a path, with overrides, to a [`Config`].

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::config::Config;
use crate::error::ExperimentError;
use crate::presets;
use crate::schema::{self, Fault, fault};
use crate::spelling::{one_line, suggestion};
use crate::sweep::flattened;

/// An experiment file after overrides, and the folder its relative paths start from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What messages call the file.
    pub file: String,
    /// Relative paths start here.
    pub folder: PathBuf,
    /// The parsed file.
    pub config: Config,
}

/// Reads the preset or file `name`, applies `overrides` of the form `KEY=VALUE`, and checks the spelling of all keys.
///
/// # Errors
/// If there is no such file, it is no TOML, or a key has an unknown name or a value of the wrong type.
pub fn load(name: &str, overrides: &[String]) -> Result<Loaded, ExperimentError> {
    let mut unread = unread(name, overrides)?;
    match unread.table.remove(SWEEP) {
        Some(sweep) if sweep.as_table().is_none_or(|axes| !axes.is_empty()) => Err(ExperimentError::Key {
            file: unread.file,
            path: SWEEP.to_owned(),
            message: "only plan and run take a sweep; --set sweep={} leaves it out".to_owned(),
        }),
        _ => unread.loaded(),
    }
}

/// The table of a file that is crossed, not read.
pub(crate) const SWEEP: &str = "sweep";

/// An experiment file after overrides, whose keys nobody has looked at.
#[derive(Clone)]
pub(crate) struct Unread {
    pub file: String,
    pub folder: PathBuf,
    pub table: Table,
}

/// The preset or file `name` with `overrides`, as a table.
///
/// # Errors
/// If there is no such file, it is no TOML, or an override leads nowhere.
pub(crate) fn unread(name: &str, overrides: &[String]) -> Result<Unread, ExperimentError> {
    let (file, folder, text) = read(name, presets::find, &presets::NAMES)?;
    let mut table: Table = text.parse().map_err(|e| syntax(&file, &text, &e))?;
    if let Some(lanes) = table.remove(REPEAT)
        && table.insert(LANES.to_owned(), lanes).is_some()
    {
        let message = format!("another name of {LANES}: give it once");
        return Err(ExperimentError::Key { file, path: REPEAT.to_owned(), message });
    }
    if let Some(sweep) = table.get_mut(SWEEP) {
        *sweep = Value::Table(flattened(&file, sweep)?);
    }
    for argument in overrides {
        set(&mut table, argument)?;
    }
    Ok(Unread { file, folder, table })
}

impl Unread {
    /// Checks the spelling of all keys.
    ///
    /// # Errors
    /// If a key has an unknown name or a value of the wrong type.
    pub fn loaded(self) -> Result<Loaded, ExperimentError> {
        let Self { file, folder, table } = self;
        refuse_undeclared(&file, &table)?;
        let mut config: Config = deserialised(&file, table, schema::config())?;
        config.data.scale_ranges();
        Ok(Loaded { file, folder, config })
    }
}

/// What stands in a file for a value that is still to be declared.
pub(crate) const PLACEHOLDER: &str = "DECLARE";

/// Names all keys that are still to be declared.
fn refuse_undeclared(file: &str, table: &Table) -> Result<(), ExperimentError> {
    let mut paths = vec![];
    table.iter().for_each(|(key, value)| undeclared(key.clone(), value, &mut paths));
    if paths.is_empty() {
        return Ok(());
    }
    let message = format!(
        "still to be declared: {}; put a public value, not one that was read off the data, in the place of each \"{PLACEHOLDER}\"",
        paths.join(", ")
    );
    Err(ExperimentError::Key { file: file.to_owned(), path: String::new(), message })
}

/// Adds the path of every placeholder; a column is called by its name too.
fn undeclared(path: String, value: &Value, paths: &mut Vec<String>) {
    match value {
        Value::String(word) if word == PLACEHOLDER => paths.push(path),
        Value::Table(table) => {
            let name = table.get("column").and_then(Value::as_str).map_or(String::new(), |name| format!(" ({name})"));
            for (key, value) in table {
                undeclared(format!("{path}.{key}{name}"), value, paths);
            }
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(k, value)| undeclared(format!("{path}.{k}"), value, paths));
        }
        _ => {}
    }
}

/// A file of another kind, whose keys cannot be overridden.
///
/// # Errors
/// As for [`load`].
pub(crate) fn parsed<T: DeserializeOwned + JsonSchema>(file: &str, text: &str) -> Result<T, ExperimentError> {
    deserialised(file, text.parse().map_err(|e| syntax(file, text, &e))?, &schema::of::<T>())
}

fn deserialised<T: DeserializeOwned>(
    file: &str,
    table: Table,
    schema: &serde_json::Value,
) -> Result<T, ExperimentError> {
    let key =
        |path: String, message: &str| ExperimentError::Key { file: file.to_owned(), path, message: one_line(message) };
    refuse_non_finite(file, "", &Value::Table(table.clone()))?;
    if let Some(Fault { path, message }) = fault(schema, &table) {
        return Err(key(path, &message));
    }
    // What is left are values that make no sense, such as a negative weight of a regulariser.
    serde_path_to_error::deserialize(Value::Table(table))
        .map_err(|e| key(e.path().to_string(), &e.into_inner().to_string()))
}

/// The name, the folder and the text of a file that is `known` by this name, one of `names`, or lies there.
///
/// # Errors
/// If it is neither.
pub(crate) fn read(
    name: &str,
    known: impl Fn(&str) -> Option<&'static str>,
    names: &[&str],
) -> Result<(String, PathBuf, String), ExperimentError> {
    if let Some(text) = known(name) {
        return Ok((name.to_owned(), PathBuf::new(), text.to_owned()));
    }
    let path = Path::new(name);
    let text = std::fs::read_to_string(path).map_err(|e| ExperimentError::NoSuchExperiment {
        name: name.to_owned(),
        meant: suggestion(name, names.iter().copied()),
        presets: names.join(", "),
        reason: e.to_string(),
    })?;
    Ok((name.to_owned(), path.parent().unwrap_or(Path::new("")).to_owned(), text))
}

fn syntax(file: &str, text: &str, error: &toml::de::Error) -> ExperimentError {
    let offset = error.span().map_or(0, |span| span.start.min(text.len()));
    let line = text[..offset].matches('\n').count() + 1;
    ExperimentError::Syntax { file: file.to_owned(), line, message: one_line(error.message()) }
}

/// No key of an experiment lies deeper; a table much deeper than this could not even be taken apart again.
pub(crate) const MOST_PARTS: usize = 64;

/// Sets one key. The value is read as TOML, and as a string where it is none.
fn set(table: &mut Table, argument: &str) -> Result<(), ExperimentError> {
    let refuse =
        |message: &str| ExperimentError::Override { argument: argument.to_owned(), message: message.to_owned() };
    let (key, text) = argument.split_once('=').ok_or_else(|| refuse("expected KEY=VALUE"))?;
    if key.split('.').count() > MOST_PARTS {
        let start: String = key.chars().take(40).collect();
        let message = format!("a key has at most {MOST_PARTS} parts");
        return Err(ExperimentError::Override { argument: format!("{start}..."), message });
    }
    let value = format!("value = {text}")
        .parse::<Table>()
        .ok()
        .filter(|t| t.len() == 1)
        .and_then(|mut t| t.remove("value"))
        .unwrap_or_else(|| Value::String(text.to_owned()));
    let Some(swept) = key.strip_prefix(SWEEP).and_then(|rest| rest.strip_prefix('.')) else {
        return put(table, key, value).map_err(|message| refuse(&message));
    };
    // A swept key is known by its whole path, so that it takes the place of the one in the file.
    let sweep = table.entry(SWEEP).or_insert_with(|| Value::Table(Table::new())).as_table_mut();
    sweep.ok_or_else(|| refuse("the key leads nowhere"))?.insert(swept.to_owned(), value);
    Ok(())
}

/// Another name of the key `lanes`.
const REPEAT: &str = "repeat";
const LANES: &str = "lanes";

/// The name by which a key is known.
pub(crate) fn known_as(key: &str) -> &str {
    if key == REPEAT { LANES } else { key }
}

/// Puts a value at a path, and makes the tables on the way.
///
/// # Errors
/// If the path leads through a value that has no keys.
pub(crate) fn put(table: &mut Table, key: &str, value: Value) -> Result<(), String> {
    let nowhere = || "the key leads nowhere".to_owned();
    let key = known_as(key);
    let (parents, last) = match key.rsplit_once('.') {
        Some((parents, last)) => (parents.split('.').collect(), last),
        None => (vec![], key),
    };
    let mut place = None::<&mut Value>;
    for part in parents {
        place = Some(match place {
            None => table.entry(part).or_insert_with(|| Value::Table(Table::new())),
            Some(parent) => step(parent, part).ok_or_else(nowhere)?,
        });
    }
    match place {
        None => {
            table.insert(last.to_owned(), value);
        }
        Some(parent) => *step(parent, last).ok_or_else(nowhere)? = value,
    }
    Ok(())
}

/// The place of `part` in a table (made if it is not there) or of an element of a list.
fn step<'a>(parent: &'a mut Value, part: &str) -> Option<&'a mut Value> {
    match parent {
        Value::Table(table) => Some(table.entry(part).or_insert_with(|| Value::Table(Table::new()))),
        Value::Array(list) => list.get_mut(part.parse::<usize>().ok()?),
        _ => None,
    }
}

/// TOML has `nan` and `inf`; no key of an experiment has a use for them.
fn refuse_non_finite(file: &str, path: &str, value: &Value) -> Result<(), ExperimentError> {
    let below = |part: &str| if path.is_empty() { part.to_owned() } else { format!("{path}.{part}") };
    match value {
        Value::Float(x) if !x.is_finite() => Err(ExperimentError::Key {
            file: file.to_owned(),
            path: path.to_owned(),
            message: format!("{x} is not a finite number"),
        }),
        Value::Table(table) => table.iter().try_for_each(|(key, v)| refuse_non_finite(file, &below(key), v)),
        Value::Array(list) => {
            list.iter().enumerate().try_for_each(|(k, v)| refuse_non_finite(file, &format!("{path}[{k}]"), v))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(overrides: &[&str]) -> Result<Loaded, ExperimentError> {
        load("quickstart", &overrides.iter().map(|&s| s.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn an_override_reaches_numbers_strings_and_elements_of_lists() {
        let config = with(&["rounds=7", "privacy.budget.epsilon=2", "graph.kind=path", "data.features.1.max=20"]);
        let config = config.unwrap().config;
        assert_eq!(config.rounds, 7);
        assert!((config.privacy.budget.unwrap().epsilon - 2.0).abs() < 1e-15);
        assert_eq!(config.graph.kind.as_deref(), Some("path"));
        let crate::config::FeatureConfig::Numeric(education) = &config.data.features[1] else { panic!() };
        assert!((education.max - 20.0).abs() < 1e-15);
    }

    #[test]
    fn an_empty_objective_has_its_default() {
        let config = with(&["objective={}"]).unwrap().config;
        assert_eq!(config.objective.weighting, crate::config::WeightingConfig::Pooled);
    }

    #[test]
    fn what_is_no_key_is_refused_with_its_path() {
        for (argument, expected) in [
            ("colour=1", "colour"),
            ("privacy.bugdet.epsilon=1", "bugdet"),
            ("algorithm.set.raduis=1", "raduis"),
            ("data.features.1.mx=3", "mx"),
            ("data.features.99.max=3", "leads nowhere"),
            ("rounds", "KEY=VALUE"),
            ("rounds=-3", "rounds"),
            ("rounds=many", "rounds"),
            ("data.row_norm=nan", "data.row_norm"),
            ("privacy.budget.epsilon=inf", "privacy.budget.epsilon"),
            // Below a table with a kind, the key itself, in the words of the file.
            ("algorithm.step=0.1", "`algorithm.step`: invalid type: floating point `0.1`, expected a table such as"),
            ("algorithm.set=2", "`algorithm.set`: invalid type: integer `2`, expected a table such as"),
            (
                "algorithm.average_from=half",
                "`algorithm.average_from`: invalid type: string \"half\", expected a number",
            ),
            ("algorithm.set.radius=wide", "expected a number"),
            ("algorithm.kind=simplex", "`algorithm"),
        ] {
            let message = with(&[argument]).unwrap_err().to_string();
            assert!(message.contains(expected), "{argument}: {message}");
            assert!(!message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn a_syntax_error_names_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("broken.toml");
        std::fs::write(&file, "name = \"x\"\nrounds = = 3\n").unwrap();
        let message = load(file.to_str().unwrap(), &[]).unwrap_err().to_string();
        assert!(message.contains("line 2"), "{message}");
    }
}
