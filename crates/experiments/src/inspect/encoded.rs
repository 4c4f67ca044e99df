//! The numbers that a model would see.
//!
//! Numbers stay as they are, truth values become 1 and 0, and text becomes one column for each of its levels. A target that is
//! a truth value, is text of two levels, or is wanted for a binary task becomes -1 and +1: false, the smaller number and the
//! level that comes first in the alphabet become -1.

use std::collections::BTreeSet;

use dido_data::{Column, Fault, Values};
use serde::Serialize;

use super::Task;

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

/// An encoded target.
pub(super) enum Target {
    /// There is none.
    None,
    /// These are the values.
    Values(Vec<f64>),
    /// It cannot be encoded; so many levels.
    Levels(usize),
}

impl Target {
    pub(super) fn values(self) -> Result<Option<Vec<f64>>, Fault> {
        match self {
            Self::None => Ok(None),
            Self::Values(values) => Ok(Some(values)),
            Self::Levels(levels) => Err(Fault::Shape(format!(
                "the target is text of {levels} levels; numbers or two levels can be encoded"
            ))),
        }
    }
}

/// The encoded target, and what has to be said about it.
///
/// # Errors
/// If the task is binary and there are not two classes, or it is a regression and the target is text.
pub(super) fn target(values: Option<&Values>, task: Option<Task>) -> Result<(Target, Vec<String>), Fault> {
    let Some(values) = values else {
        return if task.is_some() {
            Err(Fault::Shape("there is no target".to_owned()))
        } else {
            Ok((Target::None, vec![]))
        };
    };
    match (values, task) {
        (Values::Numbers(values), None | Some(Task::Regression)) => {
            let one = values.first().filter(|first| values.iter().all(|v| v == *first));
            let note = one.map(|one| format!("only one class: every target is {one}"));
            Ok((Target::Values(values.clone()), note.into_iter().collect()))
        }
        (Values::Numbers(numbers), Some(Task::Binary)) => {
            let mut classes = numbers.clone();
            classes.sort_by(f64::total_cmp);
            classes.dedup_by(|a, b| a == b);
            let names: Vec<String> = classes.iter().take(3).map(f64::to_string).collect();
            two(classes.len(), &names)?;
            let y = numbers.iter().map(|v| if *v == classes[0] { -1.0 } else { 1.0 }).collect();
            let same = names == ["-1", "1"];
            Ok((Target::Values(y), if same { vec![] } else { vec![mapped(&names)] }))
        }
        (Values::Booleans(values), _) => {
            let names: Vec<String> = values.iter().collect::<BTreeSet<_>>().iter().map(ToString::to_string).collect();
            let note = of_classes(&names, names.len(), task)?;
            let y = values.iter().map(|v| if *v { 1.0 } else { -1.0 }).collect();
            Ok((Target::Values(y), vec![note.unwrap_or_else(|| mapped(&["false".to_owned(), "true".to_owned()]))]))
        }
        (Values::Text(_), Some(Task::Regression)) => Err(Fault::Shape("the target is text, not numbers".to_owned())),
        (Values::Text(texts), _) => {
            let levels = levels(values);
            let names: Vec<String> = levels.iter().take(2).map(ToString::to_string).collect();
            let note = of_classes(&names, levels.len(), task)?;
            if levels.len() > 2 {
                return Ok((Target::Levels(levels.len()), vec![]));
            }
            let y = texts.iter().map(|text| if levels.len() == 2 && text == levels[0] { -1.0 } else { 1.0 }).collect();
            Ok((Target::Values(y), vec![note.unwrap_or_else(|| mapped(&names))]))
        }
    }
}

/// A warning, if there is one class only and that is no error.
fn of_classes(names: &[String], classes: usize, task: Option<Task>) -> Result<Option<String>, Fault> {
    if task == Some(Task::Binary) {
        two(classes, names)?;
    }
    Ok((classes == 1).then(|| format!("only one class: every target is {}", names[0])))
}

fn two(classes: usize, names: &[String]) -> Result<(), Fault> {
    match classes {
        2 => Ok(()),
        1 => Err(Fault::Shape(format!("only one class in the target: {}", names[0]))),
        classes => Err(Fault::Shape(format!("{classes} classes in the target; a binary task has two"))),
    }
}

fn mapped(names: &[String]) -> String {
    format!("labels {{{}, {}}} are mapped to {{-1, +1}}", names[0], names[1])
}
