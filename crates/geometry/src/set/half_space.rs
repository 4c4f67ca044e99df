//! The half-space.

use serde::{Deserialize, Serialize};

use super::affine::unit;
use crate::sums::dot;
use crate::{GeometryError, kernel};

/// The half-space `{x : <normal, x> <= offset}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw")]
pub struct HalfSpace {
    normal: Vec<f64>,
    offset: f64,
    /// The normal vector of length 1, and the offset that belongs to it.
    #[serde(skip_serializing)]
    unit: (Vec<f64>, f64),
}

/// The half-space as a file gives it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    normal: Vec<f64>,
    offset: f64,
}

impl HalfSpace {
    /// The points that `normal` takes to at most `offset`.
    ///
    /// # Errors
    /// If the norm of `normal` is zero or not finite, or `offset` divided by it is not finite.
    pub fn new(normal: Vec<f64>, offset: f64) -> Result<Self, GeometryError> {
        let unit = unit(0, &normal, offset)?;
        Ok(Self { normal, offset, unit })
    }

    pub(super) fn dim(&self) -> usize {
        self.normal.len()
    }

    pub(super) fn project(&self, rows: &mut [f64]) {
        let (normal, offset) = &self.unit;
        project_on_half_space(normal, *offset, rows);
    }
}

impl TryFrom<Raw> for HalfSpace {
    type Error = GeometryError;

    fn try_from(raw: Raw) -> Result<Self, GeometryError> {
        Self::new(raw.normal, raw.offset)
    }
}

kernel! {
    fn project_on_half_space(normal: &[f64], offset: f64, rows: &mut [f64]) = project_on_half_space_loop;
}

/// Twice: the second time takes away what the first left of a point far outside by rounding.
#[inline(always)]
#[expect(clippy::inline_always, reason = "the body of a kernel is inlined into each instruction set")]
fn project_on_half_space_loop(normal: &[f64], offset: f64, rows: &mut [f64]) {
    for row in rows.chunks_exact_mut(normal.len()) {
        for _ in 0..2 {
            let excess = dot(normal, row) - offset;
            if excess > 0.0 {
                for (x, n) in row.iter_mut().zip(normal) {
                    *x -= excess * n;
                }
            }
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
            let half = HalfSpace::new((1..=dim).map(|k| k as f64).collect(), -1.0).unwrap();
            let (normal, offset) = half.unit.clone();
            same_bits(half, dim, |rows| project_on_half_space_loop(&normal, offset, rows));
        }
    }
}
