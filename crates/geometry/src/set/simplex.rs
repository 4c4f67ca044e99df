//! The simplex, and the threshold it shares with the l1 ball.

#![expect(clippy::inline_always, reason = "the body of a kernel is inlined into each instruction set")]

use serde::{Deserialize, Serialize};

use super::radius::{Raw, checked};
use crate::sums::sum;
use crate::{GeometryError, kernel};

/// The simplex `{x : x_k >= 0, sum_k x_k = radius}`.
///
/// The nearest point to `y` is `max(y_k - theta, 0)` with the one `theta` for which the sum is right (Held, Wolfe,
/// Crowder, 1974).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw")]
pub struct Simplex {
    radius: f64,
}

impl Simplex {
    /// The simplex of vectors that sum to `radius`: with radius 1 the probability vectors.
    ///
    /// # Errors
    /// If the radius is not finite and positive.
    pub fn new(radius: f64) -> Result<Self, GeometryError> {
        Ok(Self { radius: checked(radius)? })
    }

    /// The sum of its points, which is the largest Euclidean norm among them: that of a corner.
    pub fn radius(self) -> f64 {
        self.radius
    }

    pub(super) fn project(self, dim: usize, rows: &mut [f64]) {
        project_on_simplex(self.radius, dim, rows);
    }
}

impl TryFrom<Raw> for Simplex {
    type Error = GeometryError;

    fn try_from(raw: Raw) -> Result<Self, GeometryError> {
        Self::new(raw.radius)
    }
}

kernel! {
    fn project_on_simplex(radius: f64, dim: usize, rows: &mut [f64]) = project_on_simplex_loop;
}

#[inline(always)]
fn project_on_simplex_loop(radius: f64, dim: usize, rows: &mut [f64]) {
    for row in rows.chunks_exact_mut(dim) {
        let largest = row.iter().fold(f64::NEG_INFINITY, |largest, &x| if x > largest { x } else { largest });
        let theta = threshold(row, radius, |x| x - largest);
        for x in row {
            *x = above(theta, *x - largest);
        }
    }
}

/// The `theta` with `sum_k max(y_k - theta, 0) = radius`, where `y_k = shifted(x_k)` and the largest `y_k` is 0.
///
/// The largest entry is taken off first, so that rows far away from the origin lose no digits that matter and nothing
/// overflows. Then `theta >= -radius`, and Newton's method on the convex, piecewise linear sum climbs from there: each
/// pass drops the entries that are not above `theta` (Michelot, 1986). It ends after at most as many passes as there
/// are entries, commonly after a few, and neither sorts nor stores anything.
#[inline(always)]
pub(super) fn threshold(row: &[f64], radius: f64, shifted: impl Fn(f64) -> f64 + Copy) -> f64 {
    let mut theta = -radius;
    loop {
        let total = sum(row, |x| if shifted(x) > theta { shifted(x) } else { 0.0 });
        let count = sum(row, |x| if shifted(x) > theta { 1.0 } else { 0.0 });
        let next = (total - radius) / count;
        if next > theta {
            theta = next;
        } else {
            return theta;
        }
    }
}

/// `max(y - theta, 0)`; NaN stays.
#[inline(always)]
pub(super) fn above(theta: f64, y: f64) -> f64 {
    let rest = y - theta;
    if rest < 0.0 { 0.0 } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::tests::{DIMS, same_bits};

    #[test]
    fn the_kernel_computes_the_bits_of_the_plain_loop() {
        for dim in DIMS {
            let simplex = Simplex::new(40.0).unwrap();
            same_bits(simplex, dim, |rows| project_on_simplex_loop(40.0, dim, rows));
        }
    }
}
