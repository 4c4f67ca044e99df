//! The l1 ball.

#![expect(clippy::inline_always, reason = "the body of a kernel is inlined into each instruction set")]

use serde::{Deserialize, Serialize};

use super::radius::{Raw, checked};
use super::simplex::{above, threshold};
use crate::sums::sum;
use crate::{GeometryError, kernel};

/// The l1 ball `{x : sum_k |x_k| <= radius}`.
///
/// A point outside goes where its sizes `|x_k|` go on the [`Simplex`](super::Simplex), and keeps its signs (Duchi,
/// Shalev-Shwartz, Singer, Chandra, 2008).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw")]
pub struct L1Ball {
    radius: f64,
}

impl L1Ball {
    /// An l1 ball around the origin.
    ///
    /// # Errors
    /// If the radius is not finite and positive.
    pub fn new(radius: f64) -> Result<Self, GeometryError> {
        Ok(Self { radius: checked(radius)? })
    }

    /// Its radius in the l1 norm, which is the largest Euclidean norm among its points: that of a corner.
    pub fn radius(self) -> f64 {
        self.radius
    }

    pub(super) fn project(self, dim: usize, rows: &mut [f64]) {
        project_on_l1_ball(self.radius, dim, rows);
    }
}

impl TryFrom<Raw> for L1Ball {
    type Error = GeometryError;

    fn try_from(raw: Raw) -> Result<Self, GeometryError> {
        Self::new(raw.radius)
    }
}

kernel! {
    fn project_on_l1_ball(radius: f64, dim: usize, rows: &mut [f64]) = project_on_l1_ball_loop;
}

#[inline(always)]
fn project_on_l1_ball_loop(radius: f64, dim: usize, rows: &mut [f64]) {
    for row in rows.chunks_exact_mut(dim) {
        if sum(row, f64::abs) <= radius {
            continue;
        }
        let largest = row.iter().fold(0.0, |largest, x| if x.abs() > largest { x.abs() } else { largest });
        let theta = threshold(row, radius, |x| x.abs() - largest);
        for x in row {
            *x = above(theta, x.abs() - largest).copysign(*x);
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
            let ball = L1Ball::new(10.0).unwrap();
            same_bits(ball, dim, |rows| project_on_l1_ball_loop(10.0, dim, rows));
        }
    }
}
