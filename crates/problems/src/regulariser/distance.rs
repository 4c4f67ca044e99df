//! The distances that keep a step of dual averaging near the centre.

use dido_geometry::kernel;
use serde::{Deserialize, Serialize};

/// The function `d >= 0` of a step of dual averaging, zero at the point where the algorithm starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Distance {
    /// `d(x) = ||x||_2^2 / 2`, 1-strongly convex in the Euclidean norm.
    #[default]
    Euclidean,
    /// `d(x) = r sum_k x_k ln(m x_k / r)` on the simplex of sum `r` in `m` coordinates: 1-strongly convex in the l1
    /// norm, so in the Euclidean norm too. It is zero in the centre and `r^2 ln m` in the corners.
    Entropy,
}

kernel! {
    /// Replaces every row by the point of the simplex of sum `radius` that minimises `<z, x> + gamma d(x)`, d the
    /// entropy: `x_k` is proportional to `exp(-z_k / (gamma radius))`.
    ///
    /// The smallest entry is taken off first, so that the largest exponential is 1. An entry that lies more than 746
    /// times `gamma radius` above it comes out as zero.
    pub(super) fn softmin(radius: f64, gamma: f64, dim: usize, rows: &mut [f64]) = softmin_loop;
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "the body of a kernel is inlined into each instruction set")]
fn softmin_loop(radius: f64, gamma: f64, dim: usize, rows: &mut [f64]) {
    for row in rows.chunks_exact_mut(dim) {
        let smallest = row.iter().fold(f64::INFINITY, |smallest, &z| if z < smallest { z } else { smallest });
        let mut total = 0.0;
        for z in &mut *row {
            // Two divisions: the product of the two may be too small for a double, which each of them is not.
            *z = libm::exp((smallest - *z) / gamma / radius);
            total += *z;
        }
        for x in row {
            *x = radius * (*x / total);
        }
    }
}
