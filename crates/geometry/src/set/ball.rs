//! The Euclidean ball.

#![expect(clippy::inline_always, reason = "the body of a kernel is inlined into each instruction set")]

use serde::{Deserialize, Serialize};

use super::radius::{Raw, checked};
use crate::{GeometryError, kernel, norm};

/// The Euclidean ball `{x : ||x||_2 <= radius}`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw")]
pub struct L2Ball {
    radius: f64,
}

impl L2Ball {
    /// A ball around the origin.
    ///
    /// # Errors
    /// If the radius is not finite and positive.
    pub fn new(radius: f64) -> Result<Self, GeometryError> {
        Ok(Self { radius: checked(radius)? })
    }

    /// Its radius.
    pub fn radius(self) -> f64 {
        self.radius
    }

    pub(super) fn project(self, dim: usize, rows: &mut [f64]) {
        project_on_ball(self.radius, dim, rows);
    }
}

impl TryFrom<Raw> for L2Ball {
    type Error = GeometryError;

    fn try_from(raw: Raw) -> Result<Self, GeometryError> {
        Self::new(raw.radius)
    }
}

kernel! {
    fn project_on_ball(radius: f64, dim: usize, rows: &mut [f64]) = project_on_ball_loop;
}

#[inline(always)]
fn project_on_ball_loop(radius: f64, dim: usize, rows: &mut [f64]) {
    for row in rows.chunks_exact_mut(dim) {
        let norm = norm(row);
        if norm > radius {
            let shrink = radius / norm;
            for x in row {
                *x *= shrink;
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
            let ball = L2Ball::new(10.0).unwrap();
            same_bits(ball, dim, |rows| project_on_ball_loop(10.0, dim, rows));
        }
    }
}
