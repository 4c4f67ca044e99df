//! Optima and scores against which a run is judged. All of them look at records: none is covered by a guarantee.

mod regularised;
mod scalar;

pub use regularised::{Minimum, regularised};

use ndarray::{Array1, ArrayView1, ArrayView2};

use crate::ProblemError;

/// A minimiser with its certificate.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// The minimiser, one coefficient per feature.
    pub beta: Array1<f64>,
    /// The objective there, in the units stated by the function that computed it.
    pub objective: f64,
    /// Certificate: the largest entry of the gradient in size, divided by the number of records.
    pub gradient_norm: f64,
}

/// Minimises `(1/2) ||X b - y||^2` over all records (`x`: records x features, `y`: one target per record).
///
/// If the features are linearly dependent the minimiser of least norm is returned.
///
/// # Errors
/// If there is no record or feature, rows and targets differ in number, or the factorisation fails.
pub fn least_squares(x: ArrayView2<'_, f64>, y: ArrayView1<'_, f64>) -> Result<Optimum, ProblemError> {
    check(x, y)?;
    let beta = dido_linalg::least_squares(x, y).map_err(|e| ProblemError::Reference(e.to_string()))?;
    let residual = x.dot(&beta) - y;
    // Row after row: `x.t().dot` walks a row-major matrix down its columns, which is far slower.
    let mut gradient = Array1::zeros(x.ncols());
    for (row, &r) in x.rows().into_iter().zip(&residual) {
        gradient.scaled_add(r, &row);
    }
    let largest = gradient.iter().fold(0.0_f64, |m: f64, g: &f64| m.max(g.abs()));
    let objective = residual.iter().map(|r| r * r).sum::<f64>() / 2.0;
    Ok(Optimum { beta, objective, gradient_norm: largest / x.nrows() as f64 })
}

/// `R^2 = 1 - sum (y - x'b)^2 / sum (y - mean y)^2` over the rows given, with the mean of these rows.
///
/// # Errors
/// If the shapes do not fit, there is no row, or all targets are equal.
pub fn r2(x: ArrayView2<'_, f64>, y: ArrayView1<'_, f64>, beta: ArrayView1<'_, f64>) -> Result<f64, ProblemError> {
    let residual = squared_error(x, y, beta)?;
    let mean = y.sum() / y.len() as f64;
    let total: f64 = y.iter().map(|v| (v - mean).powi(2)).sum();
    if y.iter().all(|v| v.total_cmp(&y[0]).is_eq()) {
        return Err(ProblemError::ConstantTarget { records: y.len() });
    }
    Ok(1.0 - residual / total)
}

/// Root mean squared error of the predictions `x'b`, in the units of `y`.
///
/// # Errors
/// If the shapes do not fit or there is no row.
pub fn rmse(x: ArrayView2<'_, f64>, y: ArrayView1<'_, f64>, beta: ArrayView1<'_, f64>) -> Result<f64, ProblemError> {
    Ok((squared_error(x, y, beta)? / y.len() as f64).sqrt())
}

fn squared_error(
    x: ArrayView2<'_, f64>,
    y: ArrayView1<'_, f64>,
    beta: ArrayView1<'_, f64>,
) -> Result<f64, ProblemError> {
    check(x, y)?;
    if beta.len() != x.ncols() {
        return Err(ProblemError::Coefficients { got: beta.len(), expected: x.ncols() });
    }
    Ok((x.dot(&beta) - y).iter().map(|r| r * r).sum())
}

fn check(x: ArrayView2<'_, f64>, y: ArrayView1<'_, f64>) -> Result<(), ProblemError> {
    let (records, dim) = x.dim();
    if records != y.len() {
        return Err(ProblemError::Targets { rows: records, targets: y.len() });
    }
    if records == 0 || dim == 0 {
        return Err(ProblemError::Empty { records, dim });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn a_hand_computed_line() {
        // y = 1, 2, 2 at t = 0, 1, 2: the line 7/6 + t/2 with residuals 1/6, -1/3, 1/6.
        let (x, y) = (array![[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], array![1.0, 2.0, 2.0]);
        let optimum = least_squares(x.view(), y.view()).unwrap();
        assert!((&optimum.beta - &array![7.0 / 6.0, 0.5]).iter().all(|e| e.abs() < 1e-14));
        assert!((optimum.objective - 1.0 / 12.0).abs() < 1e-15);
        assert!(optimum.gradient_norm < 1e-14);
        assert!((r2(x.view(), y.view(), optimum.beta.view()).unwrap() - 0.75).abs() < 1e-14);
        assert!((rmse(x.view(), y.view(), optimum.beta.view()).unwrap() - (1.0_f64 / 18.0).sqrt()).abs() < 1e-14);
    }

    #[test]
    fn dependent_features_share_the_coefficient() {
        let optimum = least_squares(array![[1.0, 1.0], [2.0, 2.0]].view(), array![2.0, 4.0].view()).unwrap();
        assert!((&optimum.beta - 1.0).iter().all(|e| e.abs() < 1e-14), "{optimum:?}");
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        let (x, y) = (array![[1.0], [2.0]], array![1.0, 1.0]);
        assert!(matches!(least_squares(x.view(), array![1.0].view()), Err(ProblemError::Targets { .. })));
        assert!(matches!(rmse(x.view(), y.view(), y.view()), Err(ProblemError::Coefficients { .. })));
        assert!(matches!(r2(x.view(), y.view(), array![1.0].view()), Err(ProblemError::ConstantTarget { .. })));
    }
}
