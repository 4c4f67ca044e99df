//! Eigenvalues and singular values.

use ndarray::{Array1, ArrayView2};

use crate::error::{check_matrix, check_symmetric};
use crate::least_squares::finite;
use crate::{LinalgError, chosen};

/// The `n` eigenvalues of a symmetric `n x n` matrix, ascending, each to about `2^-52` times the largest one.
///
/// Mirrored entries may differ by `1e-12` of the largest entry; the lower triangle is the one used.
///
/// # Errors
/// If `a` is empty, not square or not symmetric, a number is not finite, or the iteration does not converge.
pub fn symmetric_eigenvalues(a: ArrayView2<'_, f64>) -> Result<Array1<f64>, LinalgError> {
    check_symmetric(a)?;
    finite(chosen::symmetric_eigenvalues(a)?, "symmetric eigenvalue decomposition")
}

/// The `min(rows, columns)` singular values of a matrix, descending, each to about `2^-52` times the largest one.
///
/// # Errors
/// If `a` is empty, a number is not finite, or the iteration does not converge.
pub fn singular_values(a: ArrayView2<'_, f64>) -> Result<Array1<f64>, LinalgError> {
    check_matrix(a)?;
    finite(chosen::singular_values(a)?, "singular value decomposition")
}

/// The largest singular value `||a||_2` of a matrix.
///
/// # Errors
/// As for [`singular_values`].
pub fn spectral_norm(a: ArrayView2<'_, f64>) -> Result<f64, LinalgError> {
    Ok(singular_values(a)?[0])
}
