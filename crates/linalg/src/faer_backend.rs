//! faer: pure Rust, the default. Arrays in standard or transposed order are viewed in place, others are copied.

use faer::linalg::solvers::{DenseSolveCore, Solve};
use faer::{Col, Mat, MatRef, Side};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use crate::{LinalgError, ThinSvd};

#[cfg_attr(feature = "lapack", expect(dead_code, reason = "with LAPACK on, faer is compiled for the cross-check only"))]
pub(crate) const NAME: &str = "faer";

pub(crate) fn thin_svd(a: ArrayView2<'_, f64>) -> Result<ThinSvd, LinalgError> {
    let svd = with_view(a, |a| a.thin_svd()).map_err(|_| not_converged("singular value decomposition"))?;
    let (u, v, s) = (svd.U(), svd.V(), svd.S().column_vector());
    Ok(ThinSvd {
        u: Array2::from_shape_fn((u.nrows(), u.ncols()), |(i, k)| u[(i, k)]),
        s: s.iter().copied().collect(),
        vt: Array2::from_shape_fn((v.ncols(), v.nrows()), |(k, j)| v[(j, k)]),
    })
}

pub(crate) fn singular_values(a: ArrayView2<'_, f64>) -> Result<Array1<f64>, LinalgError> {
    let values = with_view(a, |a| a.singular_values()).map_err(|_| not_converged("singular value decomposition"))?;
    Ok(values.into())
}

pub(crate) fn symmetric_eigenvalues(a: ArrayView2<'_, f64>) -> Result<Array1<f64>, LinalgError> {
    let values = with_view(a, |a| a.self_adjoint_eigenvalues(Side::Lower))
        .map_err(|_| not_converged("symmetric eigenvalue decomposition"))?;
    Ok(values.into())
}

pub(crate) fn cholesky_solve(a: ArrayView2<'_, f64>, b: ArrayView1<'_, f64>) -> Result<Array1<f64>, LinalgError> {
    let factor = with_view(a, |a| a.llt(Side::Lower)).map_err(|_| LinalgError::NotPositiveDefinite)?;
    let mut x = Col::from_fn(b.len(), |i| b[i]);
    factor.solve_in_place(x.as_mut());
    Ok(x.iter().copied().collect())
}

pub(crate) fn cholesky_inverse(a: ArrayView2<'_, f64>) -> Result<Array2<f64>, LinalgError> {
    let factor = with_view(a, |a| a.llt(Side::Lower)).map_err(|_| LinalgError::NotPositiveDefinite)?;
    let inverse = factor.inverse();
    Ok(Array2::from_shape_fn(a.dim(), |(i, j)| inverse[(i, j)]))
}

/// Calls `work` with a faer view of the array, by its strides where they are those of a standard or transposed array.
fn with_view<T>(a: ArrayView2<'_, f64>, work: impl FnOnce(MatRef<'_, f64>) -> T) -> T {
    let (rows, columns) = a.dim();
    if let Some(entries) = a.as_slice() {
        work(MatRef::from_row_major_slice(entries, rows, columns))
    } else if let Some(entries) = a.t().as_slice() {
        work(MatRef::from_column_major_slice(entries, rows, columns))
    } else {
        work(Mat::from_fn(rows, columns, |i, j| a[[i, j]]).as_ref())
    }
}

fn not_converged(factorisation: &'static str) -> LinalgError {
    LinalgError::NotConverged { factorisation }
}
