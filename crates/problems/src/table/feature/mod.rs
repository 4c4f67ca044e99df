//! The kinds of column a schema can declare. One file each, and its lines here.

mod classes;
mod numeric;
mod one_hot;
mod two_level;

use std::borrow::Cow;

use dido_data::{NotANumber, number};

pub use classes::Classes;
pub use numeric::Numeric;
pub use one_hot::OneHot;
pub use two_level::TwoLevel;

/// One declared feature; it becomes one or more columns of the matrix.
#[derive(Clone, Debug, PartialEq)]
pub enum Feature {
    /// The constant 1.
    Intercept,
    /// A number, clipped, centred and scaled.
    Numeric(Numeric),
    /// A category with two levels, as -1/2 and +1/2.
    TwoLevel(TwoLevel),
    /// A category with several levels, as an indicator per level but the first.
    OneHot(OneHot),
}

/// Why a cell could not be encoded; the loader adds where.
#[derive(Debug, PartialEq)]
pub(super) enum Fault {
    Empty,
    NotANumber,
    Ambiguous,
    NonFinite,
    UndeclaredLevel,
}

/// A cell as its file has it.
#[derive(Clone, Debug)]
pub(super) enum Cell<'a> {
    /// Text, and the decimal mark in it if it says a number.
    Text(Cow<'a, str>, u8),
    /// A finite number.
    Number(f64),
}

impl Cell<'_> {
    /// What it says.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text, _) => Cow::Borrowed(text),
            Self::Number(number) => Cow::Owned(number.to_string()),
        }
    }

    /// The number it says.
    fn number(&self) -> Result<f64, Fault> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Text(text, _) if text.is_empty() => Err(Fault::Empty),
            Self::Text(text, decimal) => number(text, *decimal).map_err(|why| match why {
                NotANumber::Text => Fault::NotANumber,
                NotANumber::Ambiguous(_) => Fault::Ambiguous,
                NotANumber::NotFinite => Fault::NonFinite,
            }),
        }
    }

    /// Whether it says this level: as text, or as a number that is the same one.
    fn is(&self, level: &str) -> bool {
        match self {
            Self::Text(text, _) => text == level,
            Self::Number(own) => number(level, b'.').is_ok_and(|level| level.to_bits() == own.to_bits()),
        }
    }
}

/// Collects a linear predictor in original units: an intercept and one coefficient per raw value or indicator.
#[derive(Debug, Default)]
pub(super) struct Units {
    pub(super) intercept: f64,
    pub(super) coefficients: Vec<(String, f64)>,
}

/// What a kind of column has to say for itself.
pub(super) trait Encode {
    /// The column of the file.
    fn column(&self) -> &str;
    /// The names of the encoded columns, as many as `encode` appends.
    fn names(&self) -> Vec<String>;
    /// Whether the declaration makes sense.
    fn check(&self) -> Result<(), &'static str>;
    /// The largest sum of squares of the encoded columns over all admissible cells.
    fn square_bound(&self) -> f64;
    /// Appends the encoded cell; says whether it had to be clipped.
    fn encode(&self, cell: &Cell<'_>, row: &mut Vec<f64>) -> Result<bool, Fault>;
    /// The part of the predictor that the coefficients of these columns make up.
    fn original_units(&self, beta: &[f64], units: &mut Units);
    /// The declared levels, if the column is a category.
    fn levels(&self) -> &[String];
}

impl Feature {
    /// The kind of column; the intercept has none.
    pub(super) fn encoder(&self) -> Option<&dyn Encode> {
        match self {
            Self::Intercept => None,
            Self::Numeric(feature) => Some(feature),
            Self::TwoLevel(feature) => Some(feature),
            Self::OneHot(feature) => Some(feature),
        }
    }
}

impl From<Numeric> for Feature {
    fn from(feature: Numeric) -> Self {
        Self::Numeric(feature)
    }
}

impl From<TwoLevel> for Feature {
    fn from(feature: TwoLevel) -> Self {
        Self::TwoLevel(feature)
    }
}

impl From<OneHot> for Feature {
    fn from(feature: OneHot) -> Self {
        Self::OneHot(feature)
    }
}

/// Levels must differ and say something.
fn check_levels(levels: &[String]) -> Result<(), &'static str> {
    if levels.len() < 2 {
        return Err("a category needs at least two levels");
    }
    if levels.iter().any(|level| level.is_empty() || level.trim() != level) {
        return Err("a level is empty or surrounded by blanks, which the loader trims");
    }
    if (1..levels.len()).any(|k| levels[..k].contains(&levels[k])) {
        return Err("a level is declared twice");
    }
    Ok(())
}

/// The number of the level a cell names.
fn level_of(cell: &Cell<'_>, levels: &[String]) -> Result<usize, Fault> {
    if matches!(cell, Cell::Text(text, _) if text.is_empty()) {
        return Err(Fault::Empty);
    }
    levels.iter().position(|level| cell.is(level)).ok_or(Fault::UndeclaredLevel)
}

/// The name of the indicator of a level.
fn indicator(column: &str, level: &str) -> String {
    format!("{column}={level}")
}
