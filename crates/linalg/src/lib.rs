//! Dense factorisations behind one small facade.
//!
//! * [`least_squares`]: the minimum-norm minimiser of `||a x - b||`;
//! * [`solve_positive_definite`], [`inverse_positive_definite`]: `a x = b` and the inverse of `a`, by Cholesky;
//! * [`symmetric_eigenvalues`], [`singular_values`], [`spectral_norm`]: spectra;
//! * [`backend`]: which library does the work.
//!
//! Every function checks its input (shape, symmetry, finite numbers) before a backend sees it, so both backends refuse
//! the same matrices with the same [`LinalgError`].
#![doc = include_str!("../README.md")]
#![allow(clippy::needless_pass_by_value, reason = "array views are passed by value, as slices are")]

mod error;
#[cfg(any(test, not(feature = "lapack")))]
mod faer_backend;
#[cfg(feature = "lapack")]
mod lapack_backend;
mod least_squares;
mod spectra;

#[cfg(all(test, feature = "lapack"))]
mod cross_check;

#[cfg(not(feature = "lapack"))]
use faer_backend as chosen;
#[cfg(feature = "lapack")]
use lapack_backend as chosen;

pub use error::LinalgError;
pub use least_squares::{inverse_positive_definite, least_squares, solve_positive_definite};
pub use spectra::{singular_values, spectral_norm, symmetric_eigenvalues};

/// The library that does the work: `"faer"`, or `"lapack"` when that feature is on. Reports name it, because two
/// backends agree to rounding, not bit for bit.
pub fn backend() -> &'static str {
    chosen::NAME
}

/// A thin singular value decomposition `a = u diag(s) vt`, `k = min(rows, columns)`.
struct ThinSvd {
    /// Left singular vectors, `rows x k`.
    u: ndarray::Array2<f64>,
    /// Singular values, descending, `k`.
    s: ndarray::Array1<f64>,
    /// Right singular vectors, transposed, `k x columns`.
    vt: ndarray::Array2<f64>,
}
