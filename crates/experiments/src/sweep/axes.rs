//! `[sweep]`: which keys are set to which values, and how they are crossed.
//!
//! A table is a part of a path; the first list on the way is the list of values, and whatever lies in it is a value, lists and
//! tables too. Paths are those of `--set`. Several paths joined by commas are set together: their values are lists, one
//! entry for each path.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use crate::error::ExperimentError;
use crate::file::{MOST_PARTS, known_as};

/// More cells than this are a slip of the keyboard.
const MOST_CELLS: usize = 10_000;

/// What a cell sets: paths and their values.
pub type Assignment = BTreeMap<String, Value>;

/// The paths of `sweep` with their lists of values, each path in one piece.
///
/// # Errors
/// If it is no table, a path does not end in a list, or two are the same.
pub fn flattened(file: &str, sweep: &Value) -> Result<Table, ExperimentError> {
    let mut flat = Table::new();
    let Value::Table(table) = sweep else {
        return Err(refusal(file, "`sweep`: expected a table of keys and lists of values"));
    };
    flatten(file, "", table, &mut flat)?;
    Ok(flat)
}

fn flatten(file: &str, prefix: &str, table: &Table, flat: &mut Table) -> Result<(), ExperimentError> {
    for (key, value) in table {
        let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        if path.split('.').count() > MOST_PARTS {
            let start: String = path.chars().take(40).collect();
            return Err(refusal(file, &format!("`sweep.{start}...`: a key has at most {MOST_PARTS} parts")));
        }
        match value {
            Value::Table(below) => flatten(file, &path, below, flat)?,
            Value::Array(_) if flat.contains_key(&path) => {
                return Err(refusal(file, &format!("`sweep.{path}`: given twice")));
            }
            Value::Array(_) => {
                flat.insert(path, value.clone());
            }
            other => {
                let message =
                    format!("`sweep.{path}`: expected a list of values, not the {} {other}", other.type_str());
                return Err(refusal(file, &message));
            }
        }
    }
    Ok(())
}

/// What each cell sets. The last path in alphabetical order varies fastest.
///
/// # Errors
/// If a list is empty or does not fit its paths, a path cannot be swept or is there twice, or there are too many cells.
pub fn crossed(file: &str, flat: &Table) -> Result<Vec<Assignment>, ExperimentError> {
    let mut known = BTreeSet::new();
    let mut cells = vec![Assignment::new()];
    for (joined, values) in flat {
        let refuse = |message: &str| refusal(file, &format!("`sweep.{joined}`: {message}"));
        let paths: Vec<&str> = joined.split(',').map(|path| known_as(path.trim())).collect();
        for &path in &paths {
            let top = path.split('.').next().unwrap_or_default();
            if path.split('.').any(str::is_empty) {
                return Err(refuse("a key has no empty parts"));
            }
            if top == "name" || top == "sweep" {
                return Err(refuse(&format!("`{top}` is that of the whole sweep")));
            }
            if !known.insert(path) {
                return Err(refuse(&format!("`{path}` is swept twice")));
            }
        }
        let values = values.as_array().filter(|values| !values.is_empty());
        let values = values.ok_or_else(|| refuse("there must be at least one value"))?;
        let options = values.iter().map(|value| option(&paths, value)).collect::<Result<Vec<_>, _>>();
        let options = options.map_err(|message| refuse(&message))?;
        if cells.len() * options.len() > MOST_CELLS {
            return Err(refuse(&format!("there can be at most {MOST_CELLS} cells")));
        }
        let with = |cell: &Assignment, option: &Assignment| cell.iter().chain(option).map(owned).collect();
        cells = cells.iter().flat_map(|cell| options.iter().map(move |option| with(cell, option))).collect();
    }
    Ok(cells)
}

fn owned((path, value): (&String, &Value)) -> (String, Value) {
    (path.clone(), value.clone())
}

/// One value of a path, or one entry for each of several.
fn option(paths: &[&str], value: &Value) -> Result<Assignment, String> {
    if let [path] = paths {
        return Ok([((*path).to_owned(), value.clone())].into());
    }
    match value {
        Value::Array(values) if values.len() == paths.len() => {
            Ok(paths.iter().map(|&path| path.to_owned()).zip(values.iter().cloned()).collect())
        }
        other => Err(format!("the {} keys set together take lists of as many values, not {other}", paths.len())),
    }
}

fn refusal(file: &str, message: &str) -> ExperimentError {
    ExperimentError::Sweep { file: file.to_owned(), message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(sweep: &str) -> Result<Vec<String>, String> {
        let file: Table = sweep.parse().unwrap();
        let cells = flattened("x.toml", &file["sweep"]).and_then(|flat| crossed("x.toml", &flat));
        let line = |cell: &Assignment| cell.iter().map(|(path, v)| format!("{path}={v}")).collect::<Vec<_>>().join(" ");
        Ok(cells.map_err(|error| error.to_string())?.iter().map(line).collect())
    }

    /// Every way to write a path leads to the same cells, listed by hand.
    #[test]
    fn paths_are_crossed_however_they_are_written() {
        let expected = [
            "graph.kind=\"ring\" privacy.budget.epsilon=0.1",
            "graph.kind=\"ring\" privacy.budget.epsilon=1",
            "graph.kind=\"star\" privacy.budget.epsilon=0.1",
            "graph.kind=\"star\" privacy.budget.epsilon=1",
        ];
        for sweep in [
            "[sweep]\n\"privacy.budget.epsilon\" = [0.1, 1]\n\"graph.kind\" = [\"ring\", \"star\"]",
            "[sweep]\nprivacy.budget.epsilon = [0.1, 1]\ngraph.kind = [\"ring\", \"star\"]",
            "[sweep.privacy.budget]\nepsilon = [0.1, 1]\n[sweep.graph]\nkind = [\"ring\", \"star\"]",
            "[sweep.privacy]\n\"budget.epsilon\" = [0.1, 1]\n[sweep]\ngraph = { kind = [\"ring\", \"star\"] }",
        ] {
            assert_eq!(cells(sweep).unwrap(), expected, "{sweep}");
        }
    }

    #[test]
    fn the_first_list_is_the_list_of_values() {
        let sweep = "[sweep]\ndata.records = [[1, 2], [3, 4]]\nalgorithm = [{ kind = \"dgd\", step = [1] }]";
        let algorithm = "algorithm={ kind = \"dgd\", step = [1] }";
        let expected = [format!("{algorithm} data.records=[1, 2]"), format!("{algorithm} data.records=[3, 4]")];
        assert_eq!(cells(sweep).unwrap(), expected);
    }

    #[test]
    fn keys_joined_by_a_comma_are_set_together() {
        let sweep = "[sweep]\n\"graph.kind, rounds\" = [[\"ring\", 9], [\"star\", 4]]\nrepeat = [2, 3]";
        let expected = [
            "graph.kind=\"ring\" lanes=2 rounds=9",
            "graph.kind=\"ring\" lanes=3 rounds=9",
            "graph.kind=\"star\" lanes=2 rounds=4",
            "graph.kind=\"star\" lanes=3 rounds=4",
        ];
        assert_eq!(cells(sweep).unwrap(), expected);
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_its_path() {
        for (sweep, expected) in [
            ("sweep = 3", "`sweep`: expected a table"),
            ("sweep = [1]", "`sweep`: expected a table"),
            ("[sweep]\nrounds = 3", "`sweep.rounds`: expected a list of values, not the integer 3"),
            ("[sweep.privacy.budget]\nepsilon = \"x\"", "`sweep.privacy.budget.epsilon`: expected a list"),
            ("[sweep]\nrounds = []", "`sweep.rounds`: there must be at least one value"),
            ("[sweep]\n\"a.b\" = [1]\na.b = [2]", "`sweep.a.b`: given twice"),
            ("[sweep]\nlanes = [1]\nrepeat = [2]", "`sweep.repeat`: `lanes` is swept twice"),
            ("[sweep]\n\"a,b\" = [[1, 2]]\nb = [2]", "`sweep.b`: `b` is swept twice"),
            ("[sweep]\n\"a,b\" = [[1, 2, 3]]", "the 2 keys set together take lists of as many values, not [1, 2, 3]"),
            ("[sweep]\n\"a,b\" = [1]", "`sweep.a,b`: the 2 keys set together"),
            ("[sweep]\n\"a,\" = [[1, 2]]", "`sweep.a,`: a key has no empty parts"),
            ("[sweep]\n\"a..b\" = [1]", "a key has no empty parts"),
            ("[sweep]\nname = [\"a\", \"b\"]", "`sweep.name`: `name` is that of the whole sweep"),
            ("[sweep]\n\"sweep.a\" = [1]", "`sweep` is that of the whole sweep"),
        ] {
            let message = cells(sweep).unwrap_err();
            assert!(message.starts_with("x.toml: ") && message.contains(expected), "{sweep}: {message}");
            assert!(!message.contains('\n'), "{message}");
        }
        let many = format!("[sweep]\na = {0}\nb = {0}", format!("[{}]", vec!["1"; 101].join(", ")));
        assert!(cells(&many).unwrap_err().contains("at most 10000 cells"));
        let deep = format!("[sweep]\n\"{}\" = [1]", ["a"; 65].join("."));
        assert!(cells(&deep).unwrap_err().contains("at most 64 parts"));
    }
}
