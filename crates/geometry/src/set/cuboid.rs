//! The box.

#![expect(clippy::inline_always, reason = "the body of a kernel is inlined into each instruction set")]

use serde::{Deserialize, Serialize};

use crate::{GeometryError, kernel};

/// The box `{x : lower_k <= x_k <= upper_k}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw")]
pub struct Box {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

/// The bounds as a file gives them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Box {
    /// A box from its bounds, one pair per coordinate.
    ///
    /// # Errors
    /// If the bounds differ in number, are not finite or not in order.
    pub fn new(lower: Vec<f64>, upper: Vec<f64>) -> Result<Self, GeometryError> {
        if lower.len() != upper.len() || lower.is_empty() {
            return Err(GeometryError::Length { lower: lower.len(), upper: upper.len() });
        }
        for (coordinate, (&l, &u)) in lower.iter().zip(&upper).enumerate() {
            if !(l.is_finite() && u.is_finite() && l <= u) {
                return Err(GeometryError::Bounds { coordinate, lower: l, upper: u });
            }
        }
        Ok(Self { lower, upper })
    }

    pub(super) fn dim(&self) -> usize {
        self.lower.len()
    }

    pub(super) fn radius(&self) -> f64 {
        self.lower.iter().zip(&self.upper).map(|(l, u)| l.abs().max(u.abs()).powi(2)).sum::<f64>().sqrt()
    }

    pub(super) fn project(&self, rows: &mut [f64]) {
        project_on_box(&self.lower, &self.upper, rows);
    }
}

impl TryFrom<Raw> for Box {
    type Error = GeometryError;

    fn try_from(raw: Raw) -> Result<Self, GeometryError> {
        Self::new(raw.lower, raw.upper)
    }
}

kernel! {
    fn project_on_box(lower: &[f64], upper: &[f64], rows: &mut [f64]) = project_on_box_loop;
}

#[inline(always)]
fn project_on_box_loop(lower: &[f64], upper: &[f64], rows: &mut [f64]) {
    for row in rows.chunks_exact_mut(lower.len()) {
        for ((x, &l), &u) in row.iter_mut().zip(lower).zip(upper) {
            // As `clamp`, which checks the order of the bounds for each number; NaN stays.
            let raised = if *x < l { l } else { *x };
            *x = if raised > u { u } else { raised };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::tests::{DIMS, same_bits};

    #[test]
    fn the_kernel_computes_the_bits_of_the_plain_loop() {
        for dim in DIMS {
            let (lower, upper) = (vec![-5.0; dim], vec![1.0 / 3.0; dim]);
            let cuboid = Box::new(lower.clone(), upper.clone()).unwrap();
            same_bits(cuboid, dim, |rows| project_on_box_loop(&lower, &upper, rows));
        }
    }
}
