//! Linear systems: least squares by the singular value decomposition, positive definite ones by Cholesky.

use ndarray::{Array, Array1, Array2, ArrayView1, ArrayView2, Dimension};

use crate::error::{check_matrix, check_right_hand_side, check_symmetric};
use crate::{LinalgError, ThinSvd, chosen};

/// The minimiser of `||a x - b||_2` of least norm, `a` of shape `rows x columns` and `b` of `rows` entries.
///
/// Computed from a thin singular value decomposition, so the error grows with the condition number of `a`, not with
/// its square as it does for the normal equations. Singular values below `max(rows, columns) * 2^-52` of the largest
/// count as zero: a full-rank problem has its unique solution, a rank-deficient or underdetermined one the solution of
/// minimum norm, and a zero matrix gives zero. The threshold sees the columns as they are scaled: bring columns of very
/// different units to a common scale first.
///
/// # Errors
/// If `a` is empty, `b` has another length than `a` has rows, a number is not finite, the decomposition does not
/// converge, or the solution overflows.
pub fn least_squares(a: ArrayView2<'_, f64>, b: ArrayView1<'_, f64>) -> Result<Array1<f64>, LinalgError> {
    check_matrix(a)?;
    check_right_hand_side(b, a.nrows())?;
    finite(minimum_norm(&chosen::thin_svd(a)?, b), "least-squares solution")
}

/// The solution of `a x = b` for a symmetric positive definite `a` of shape `n x n`, by Cholesky.
///
/// # Errors
/// If `a` is not square, not symmetric or not positive definite, `b` has not `n` entries, a number is not finite, or
/// the solution overflows.
pub fn solve_positive_definite(a: ArrayView2<'_, f64>, b: ArrayView1<'_, f64>) -> Result<Array1<f64>, LinalgError> {
    check_symmetric(a)?;
    check_right_hand_side(b, a.nrows())?;
    finite(chosen::cholesky_solve(a, b)?, "Cholesky solution")
}

/// The inverse of a symmetric positive definite `a` of shape `n x n`, by Cholesky. For one or a few right-hand sides
/// [`solve_positive_definite`] is cheaper and more accurate.
///
/// # Errors
/// If `a` is not square, not symmetric or not positive definite, a number is not finite, or the inverse overflows.
pub fn inverse_positive_definite(a: ArrayView2<'_, f64>) -> Result<Array2<f64>, LinalgError> {
    check_symmetric(a)?;
    finite(chosen::cholesky_inverse(a)?, "Cholesky inverse")
}

/// `x = V diag(1/s) Uᵀ b` over the singular values that count as non-zero.
pub(crate) fn minimum_norm(svd: &ThinSvd, b: ArrayView1<'_, f64>) -> Array1<f64> {
    let ThinSvd { u, s, vt } = svd;
    let threshold = u.nrows().max(vt.ncols()) as f64 * f64::EPSILON * s[0];
    let mut x = Array1::zeros(vt.ncols());
    for (k, &singular_value) in s.iter().enumerate() {
        if singular_value > threshold {
            x.scaled_add(u.column(k).dot(&b) / singular_value, &vt.row(k));
        }
    }
    x
}

pub(crate) fn finite<D: Dimension>(
    x: Array<f64, D>,
    factorisation: &'static str,
) -> Result<Array<f64, D>, LinalgError> {
    if x.iter().all(|v| v.is_finite()) { Ok(x) } else { Err(LinalgError::OutOfRange { factorisation }) }
}
