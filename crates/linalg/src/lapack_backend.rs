//! LAPACK through ndarray-linalg, behind the feature `lapack`. Every call works on a fresh row-major copy, because
//! ndarray-linalg takes contiguous arrays only.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use ndarray_linalg::{EigValsh, InverseC, JobSvd, SVDDC, SolveC, UPLO};

use crate::{LinalgError, ThinSvd};

pub(crate) const NAME: &str = "lapack";

pub(crate) fn thin_svd(a: ArrayView2<'_, f64>) -> Result<ThinSvd, LinalgError> {
    match copy(a).svddc(JobSvd::Some) {
        Ok((Some(u), s, Some(vt))) => Ok(ThinSvd { u, s, vt }),
        _ => Err(not_converged("singular value decomposition")),
    }
}

pub(crate) fn singular_values(a: ArrayView2<'_, f64>) -> Result<Array1<f64>, LinalgError> {
    let (_, values, _) = copy(a).svddc(JobSvd::None).map_err(|_| not_converged("singular value decomposition"))?;
    Ok(values)
}

pub(crate) fn symmetric_eigenvalues(a: ArrayView2<'_, f64>) -> Result<Array1<f64>, LinalgError> {
    copy(a).eigvalsh(UPLO::Lower).map_err(|_| not_converged("symmetric eigenvalue decomposition"))
}

pub(crate) fn cholesky_solve(a: ArrayView2<'_, f64>, b: ArrayView1<'_, f64>) -> Result<Array1<f64>, LinalgError> {
    copy(a).solvec(&b).map_err(|_| LinalgError::NotPositiveDefinite)
}

pub(crate) fn cholesky_inverse(a: ArrayView2<'_, f64>) -> Result<Array2<f64>, LinalgError> {
    copy(a).invc().map_err(|_| LinalgError::NotPositiveDefinite)
}

fn copy(a: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut copy = Array2::zeros(a.raw_dim());
    copy.assign(&a);
    copy
}

fn not_converged(factorisation: &'static str) -> LinalgError {
    LinalgError::NotConverged { factorisation }
}
