//! The encoded target.
//!
//! Truth values, text of two levels, and what is wanted for a binary task become -1 and +1: false, the level that comes first in
//! the alphabet and the smaller number become -1. Other numbers stay as they are.
#![allow(clippy::float_cmp, reason = "classes are equal numbers")]

use dido_data::{Fault, Texts, Values};

use super::Task;
use super::encoded::levels;

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
    /// The values, if there is a target.
    ///
    /// # Errors
    /// If it cannot be encoded.
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

/// A target, and what has to be said about it.
type Told = (Target, Vec<String>);

/// The encoded target.
///
/// # Errors
/// If the task is binary and there are not two classes, or it is a regression and the target is text.
pub(super) fn target(values: Option<&Values>, task: Option<Task>) -> Result<Told, Fault> {
    match (values, task) {
        (None, None) => Ok((Target::None, vec![])),
        (None, Some(_)) => Err(Fault::Shape("there is no target".to_owned())),
        (Some(Values::Numbers(values)), Some(Task::Binary)) => two_numbers(values),
        (Some(Values::Numbers(values)), _) => {
            let one = values.first().filter(|first| values.iter().all(|v| v == *first));
            Ok((Target::Values(values.clone()), one.map(only_one).into_iter().collect()))
        }
        (Some(Values::Booleans(values)), task) => booleans(values, task),
        (Some(Values::Text(_)), Some(Task::Regression)) => {
            Err(Fault::Shape("the target is text, not numbers".to_owned()))
        }
        (Some(values @ Values::Text(texts)), task) => text(texts, &levels(values), task),
    }
}

fn two_numbers(values: &[f64]) -> Result<Told, Fault> {
    let mut classes = values.to_vec();
    classes.sort_by(f64::total_cmp);
    classes.dedup_by(|a, b| a == b);
    let names: Vec<String> = classes.iter().take(2).map(f64::to_string).collect();
    two(classes.len(), &names)?;
    let y = values.iter().map(|v| sign(*v != classes[0])).collect();
    Ok((Target::Values(y), if names == ["-1", "1"] { vec![] } else { vec![mapped(&names[0], &names[1])] }))
}

fn booleans(values: &[bool], task: Option<Task>) -> Result<Told, Fault> {
    let one = values.first().filter(|first| values.iter().all(|v| v == *first));
    if let (Some(one), Some(Task::Binary)) = (one, task) {
        two(1, &[one.to_string()])?;
    }
    let note = one.map_or_else(|| mapped("false", "true"), only_one);
    Ok((Target::Values(values.iter().map(|v| sign(*v)).collect()), vec![note]))
}

fn text(texts: &Texts, levels: &[&str], task: Option<Task>) -> Result<Told, Fault> {
    if task == Some(Task::Binary) {
        two(levels.len(), levels)?;
    }
    Ok(match levels {
        [first, second] => {
            (Target::Values(texts.iter().map(|text| sign(text != *first)).collect()), vec![mapped(first, second)])
        }
        [one] => (Target::Levels(1), vec![only_one(one)]),
        levels => (Target::Levels(levels.len()), vec![]),
    })
}

fn sign(positive: bool) -> f64 {
    if positive { 1.0 } else { -1.0 }
}

fn two(classes: usize, names: &[impl ToString]) -> Result<(), Fault> {
    match (classes, names) {
        (2, _) => Ok(()),
        (1, [one, ..]) => Err(Fault::Shape(format!("only one class in the target: {}", one.to_string()))),
        _ => Err(Fault::Shape(format!("{classes} classes in the target; a binary task has two"))),
    }
}

fn only_one(class: impl std::fmt::Display) -> String {
    format!("only one class: every target is {class}")
}

fn mapped(first: &str, second: &str) -> String {
    format!("labels {{{first}, {second}}} are mapped to {{-1, +1}}")
}
