//! A category with several levels.

use super::{Cell, Encode, Fault, Units, check_levels, indicator, level_of};

/// A category as one indicator per level but the first, times `value`.
///
/// | field | range | meaning |
/// |---|---|---|
/// | `levels` | at least two, all different | the first is the one the others are compared with |
/// | `value` | finite, positive | what an indicator says where it holds; smaller makes a shorter row |
#[derive(Clone, Debug, PartialEq)]
pub struct OneHot {
    /// The column of the file.
    pub column: String,
    /// The levels.
    pub levels: Vec<String>,
    /// The size of an indicator.
    pub value: f64,
}

impl Encode for OneHot {
    fn column(&self) -> &str {
        &self.column
    }

    fn names(&self) -> Vec<String> {
        self.levels.iter().skip(1).map(|level| indicator(&self.column, level)).collect()
    }

    fn check(&self) -> Result<(), &'static str> {
        if !(self.value > 0.0 && self.square_bound().is_finite()) {
            return Err("the value of an indicator must be finite and positive");
        }
        check_levels(&self.levels)
    }

    fn square_bound(&self) -> f64 {
        self.value.powi(2)
    }

    fn encode(&self, cell: &Cell<'_>, row: &mut Vec<f64>) -> Result<bool, Fault> {
        let level = level_of(cell, &self.levels)?;
        row.extend((1..self.levels.len()).map(|k| if k == level { self.value } else { 0.0 }));
        Ok(false)
    }

    fn original_units(&self, beta: &[f64], units: &mut Units) {
        units.coefficients.extend(self.names().into_iter().zip(beta.iter().map(|b| b * self.value)));
    }

    fn levels(&self) -> &[String] {
        &self.levels
    }
}
