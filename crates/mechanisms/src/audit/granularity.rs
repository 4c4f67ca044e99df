//! The last bits: outputs on a grid that does not depend on the data.

use super::Verdict;
use crate::{Grid, MechanismError};

/// How many outputs of two data sets are off the grid they were promised to lie on.
///
/// Floating-point noise passes every histogram, and its sums `x + noise` still reach other numbers for other `x`
/// (Mironov 2012). An output off the grid can tell the data sets apart however much noise there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granularity {
    /// Outputs looked at, of both data sets.
    pub outputs: usize,
    /// Outputs of the one data set that are no multiple of the step.
    pub off_one: usize,
    /// Outputs of the other one that are no multiple of the step.
    pub off_other: usize,
}

impl Granularity {
    /// Looks at the outputs of both data sets.
    ///
    /// # Errors
    /// If there are no outputs of one of them.
    pub fn new(grid: Grid, one: &[f64], other: &[f64]) -> Result<Self, MechanismError> {
        if one.is_empty() || other.is_empty() {
            return Err(MechanismError::Runs { what: "outputs", found: 0, most: 0 });
        }
        let off = |outputs: &[f64]| outputs.iter().filter(|&&x| !on_grid(grid, x)).count();
        Ok(Self { outputs: one.len() + other.len(), off_one: off(one), off_other: off(other) })
    }

    /// One output off the grid is a violation.
    pub fn verdict(self) -> Verdict {
        if self.off_one + self.off_other > 0 { Verdict::Violation } else { Verdict::Pass }
    }
}

/// Whether `x` is a finite multiple of the step. Exact: steps are powers of two.
pub(super) fn on_grid(grid: Grid, x: f64) -> bool {
    let remainder = x % grid.step();
    x.is_finite() && remainder.abs() <= 0.0
}
