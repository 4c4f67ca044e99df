//! Spectra of mixing matrices and graphs, and what they say about the speed of averaging.
//!
//! | question | function | for `n` nodes |
//! |---|---|---|
//! | by which factor a round shrinks deviations | [`MixingMatrix::second_largest_singular_value`], [`spectral_gap`](crate::MixingMatrix::spectral_gap) | dense up to 512, then Lanczos |
//! | the extreme eigenvalues, with a bound of their error | [`MixingMatrix::extreme_eigenvalues`] | dense up to 512, then Lanczos |
//! | the step bound `(1 + lambda_min) / L` | [`MixingMatrix::smallest_eigenvalue`] | dense up to 512, then Lanczos |
//! | rounds to average | [`MixingMatrix::rounds_to_shrink`], [`MixingMatrix::mixing_time`] | from lambda |
//! | every eigenvalue | [`MixingMatrix::eigenvalues`], [`Graph::laplacian_eigenvalues`] | dense, up to [`MAX_DENSE`] |
//! | how well a graph holds together | [`Graph::algebraic_connectivity`] | dense up to 512, then Lanczos |
//! | resistance between nodes | [`Graph::effective_resistance`], [`Graph::kirchhoff_index`] | conjugate gradients; dense |
//! | the exact answer on a known family | [`ClosedForm`] | formulas, any size |
//!
//! [`MixingMatrix::second_largest_singular_value`]: crate::MixingMatrix::second_largest_singular_value
//! [`MixingMatrix::extreme_eigenvalues`]: crate::MixingMatrix::extreme_eigenvalues
//! [`MixingMatrix::smallest_eigenvalue`]: crate::MixingMatrix::smallest_eigenvalue
//! [`MixingMatrix::rounds_to_shrink`]: crate::MixingMatrix::rounds_to_shrink
//! [`MixingMatrix::mixing_time`]: crate::MixingMatrix::mixing_time
//! [`MixingMatrix::eigenvalues`]: crate::MixingMatrix::eigenvalues
//! [`Graph::laplacian_eigenvalues`]: crate::Graph::laplacian_eigenvalues
//! [`Graph::algebraic_connectivity`]: crate::Graph::algebraic_connectivity
//! [`Graph::effective_resistance`]: crate::Graph::effective_resistance
//! [`Graph::kirchhoff_index`]: crate::Graph::kirchhoff_index

mod closed_forms;
mod lanczos;
mod laplacian;
mod mixing;
mod resistance;
mod time;
mod tridiagonal;

use crate::TopologyError;

pub use closed_forms::ClosedForm;
pub use time::MixingTime;
pub(crate) use time::{check_factor, rounds, whole};

/// Up to so many nodes extreme eigenvalues are computed by a dense factorisation.
pub(crate) const DENSE: usize = 512;

/// Up to so many nodes all eigenvalues can be asked for: a dense matrix of this order takes 800 MB.
pub const MAX_DENSE: usize = 10_000;

/// The extreme eigenvalues of a symmetric matrix on the vectors of mean zero, where averaging has its work.
///
/// For a mixing matrix the largest is its second largest eigenvalue; for a Laplacian the smallest is the algebraic
/// connectivity. A single node has no vectors of mean zero: both are then 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extremes {
    /// The smallest.
    pub smallest: f64,
    /// The largest.
    pub largest: f64,
    /// An eigenvalue lies within this distance of each of the two. After a dense factorisation it is the rounding
    /// error, `n 2^-52` times the largest magnitude; after a Lanczos iteration the residual `||A v - theta v||` of the
    /// worse of the two unit vectors found, which bounds the error of the extremes themselves unless the random start
    /// was orthogonal to their eigenvectors.
    pub error: f64,
}

impl Extremes {
    /// The largest magnitude: for a mixing matrix the second largest singular value `||W - J||_2`.
    pub fn magnitude(&self) -> f64 {
        self.largest.abs().max(self.smallest.abs())
    }

    /// `1 - magnitude`: for a mixing matrix the spectral gap, off by at most `error`.
    pub fn gap(&self) -> f64 {
        1.0 - self.magnitude()
    }

    /// From all eigenvalues on the whole space, one of which is 0 and belongs to the constant vectors.
    fn from_dense(mut eigenvalues: Vec<f64>) -> Self {
        drop_nearest_to_zero(&mut eigenvalues);
        let smallest = eigenvalues.iter().copied().reduce(f64::min).unwrap_or(0.0);
        let largest = eigenvalues.iter().copied().reduce(f64::max).unwrap_or(0.0);
        let rounding = (eigenvalues.len() + 1) as f64 * f64::EPSILON;
        Self { smallest, largest, error: rounding * smallest.abs().max(largest.abs()) }
    }
}

/// Removes the eigenvalue 0 of the constant vectors: whichever is nearest differs from it by rounding only.
fn drop_nearest_to_zero(eigenvalues: &mut Vec<f64>) {
    let nearest = (0..eigenvalues.len()).min_by(|&a, &b| eigenvalues[a].abs().total_cmp(&eigenvalues[b].abs()));
    if let Some(nearest) = nearest {
        eigenvalues.remove(nearest);
    }
}

fn check_dense(nodes: usize) -> Result<(), TopologyError> {
    if nodes > MAX_DENSE {
        return Err(TopologyError::TooManyForDense { nodes, limit: MAX_DENSE });
    }
    Ok(())
}
