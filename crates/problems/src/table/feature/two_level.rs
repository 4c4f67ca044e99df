//! A category with two levels.

use super::{Cell, Encode, Fault, Units, check_levels, indicator, level_of};

/// A category with two levels: -1/2 for the first, +1/2 for the second.
///
/// The coefficient is the difference between the levels, and the row is shorter than with an indicator of 0 and 1.
#[derive(Clone, Debug, PartialEq)]
pub struct TwoLevel {
    /// The column of the file.
    pub column: String,
    /// The two levels.
    pub levels: [String; 2],
}

impl Encode for TwoLevel {
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
        0.25
    }

    fn encode(&self, cell: &Cell<'_>, row: &mut Vec<f64>) -> Result<bool, Fault> {
        row.push(if level_of(cell, &self.levels)? == 0 { -0.5 } else { 0.5 });
        Ok(false)
    }

    fn original_units(&self, beta: &[f64], units: &mut Units) {
        units.intercept -= beta[0] / 2.0;
        units.coefficients.push((indicator(&self.column, &self.levels[1]), beta[0]));
    }

    fn levels(&self) -> &[String] {
        &self.levels
    }
}
