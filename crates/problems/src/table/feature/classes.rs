//! A target of two classes.

use super::{Cell, Encode, Fault, Units, check_levels, indicator, level_of};

/// A target with two levels: -1 for the first, +1 for the second, as the losses of classification want it.
///
/// A model predicts the second one where its linear predictor is positive.
#[derive(Clone, Debug, PartialEq)]
pub struct Classes {
    /// The column of the file.
    pub column: String,
    /// The two levels.
    pub levels: [String; 2],
}

impl Encode for Classes {
    fn column(&self) -> &str {
        &self.column
    }

    fn names(&self) -> Vec<String> {
        vec![indicator(&self.column, &self.levels[1])]
    }

    fn check(&self) -> Result<(), &'static str> {
        check_levels(&self.levels)
    }

    fn square_bound(&self) -> f64 {
        1.0
    }

    fn encode(&self, cell: &Cell<'_>, row: &mut Vec<f64>) -> Result<bool, Fault> {
        row.push(if level_of(cell, &self.levels)? == 0 { -1.0 } else { 1.0 });
        Ok(false)
    }

    fn original_units(&self, beta: &[f64], units: &mut Units) {
        units.coefficients.push((indicator(&self.column, &self.levels[1]), beta[0]));
    }

    fn levels(&self) -> &[String] {
        &self.levels
    }
}
