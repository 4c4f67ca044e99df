//! Slopes of power laws, with their standard errors.

use super::wording::estimate;

/// A number with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
}

impl Estimate {
    /// The mean of repeats and its standard error.
    pub fn mean(repeats: &[f64]) -> Self {
        let n = repeats.len() as f64;
        let value = repeats.iter().sum::<f64>() / n;
        let variance = repeats.iter().map(|x| (x - value).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        Self { value, error: (variance / n).sqrt() }
    }

    /// Number and standard error in words.
    pub fn text(self) -> String {
        estimate(self.value, self.error)
    }
}

/// The slope of `ln y` against `ln x` by least squares, with the standard error that the residuals give it. Points that have no
/// logarithm are left out.
///
/// With exact values the error says how far the points are from a power law.
pub fn slope(points: &[(f64, f64)]) -> Estimate {
    let logs: Vec<(f64, f64)> =
        points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0).map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let (mean_x, mean_y) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let spread: f64 = logs.iter().map(|p| (p.0 - mean_x).powi(2)).sum();
    let value = logs.iter().map(|p| (p.0 - mean_x) * (p.1 - mean_y)).sum::<f64>() / spread;
    let residuals: f64 = logs.iter().map(|p| (p.1 - mean_y - value * (p.0 - mean_x)).powi(2)).sum();
    Estimate { value, error: (residuals / (n - 2.0).max(1.0) / spread).sqrt() }
}

/// The same of independent estimates, with the standard error that theirs give it.
pub fn slope_of_estimates(points: &[(f64, Estimate)]) -> Estimate {
    let value = slope(&points.iter().map(|(x, y)| (*x, y.value)).collect::<Vec<_>>()).value;
    let mean = points.iter().map(|(x, _)| x.ln()).sum::<f64>() / points.len() as f64;
    let spread: f64 = points.iter().map(|(x, _)| (x.ln() - mean).powi(2)).sum();
    let variance = points.iter().map(|(x, y)| ((x.ln() - mean) / spread * y.error / y.value).powi(2)).sum::<f64>();
    Estimate { value, error: variance.sqrt() }
}

/// The slope of the mean over independent repeats, each a curve over the same `x`: the standard error is that of the slopes of
/// `groups` groups of repeats, so that errors which a repeat carries from point to point count as they should.
///
/// # Panics
/// If there are fewer repeats than groups.
pub fn slope_of_repeats(x: &[f64], repeats: &[Vec<f64>], groups: usize) -> Estimate {
    assert!(groups > 1 && repeats.len() >= groups, "{} repeats in {groups} groups", repeats.len());
    let of = |part: &[Vec<f64>]| slope(&mean_curve(x, part)).value;
    let parts: Vec<f64> = repeats.chunks_exact(repeats.len() / groups).map(of).collect();
    Estimate { value: of(repeats), ..Estimate::mean(&parts) }
}

/// The mean of curves over the same `x`.
pub fn mean_curve(x: &[f64], repeats: &[Vec<f64>]) -> Vec<(f64, f64)> {
    let mean = |k: usize| repeats.iter().map(|curve| curve[k]).sum::<f64>() / repeats.len() as f64;
    x.iter().enumerate().map(|(k, &x)| (x, mean(k))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_has_its_exponent_and_no_error() {
        let points: Vec<(f64, f64)> = (1..9).map(|k| (f64::from(k), 3.0 * f64::from(k).powf(-1.5))).collect();
        let fit = slope(&points);
        assert!((fit.value + 1.5).abs() < 1e-12 && fit.error < 1e-12, "{fit:?}");
    }

    #[test]
    fn the_error_is_that_of_the_residuals() {
        // ln x = 0, 1, 2 and ln y = 0, 1.3, 2: slope 1, residuals -0.1, 0.2, -0.1, so sqrt(0.06 / 1 / 2).
        let e = std::f64::consts::E;
        let fit = slope(&[(1.0, 1.0), (e, 1.3_f64.exp()), (e * e, e * e)]);
        assert!((fit.value - 1.0).abs() < 1e-12 && (fit.error - 0.03_f64.sqrt()).abs() < 1e-12, "{fit:?}");
    }

    #[test]
    fn the_error_is_that_of_the_estimates() {
        // Two points: the slope is the difference of the logarithms over that of x.
        let e = std::f64::consts::E;
        let estimate = |value: f64, error: f64| Estimate { value, error };
        let fit = slope_of_estimates(&[(1.0, estimate(1.0, 0.03)), (e, estimate(e * e, 0.04 * e * e))]);
        assert!((fit.value - 2.0).abs() < 1e-12 && (fit.error - 0.05).abs() < 1e-12, "{fit:?}");
    }

    #[test]
    fn repeats_have_the_slope_of_their_mean() {
        let x = [1.0_f64, 2.0, 4.0];
        let curve = |scale: f64, e: f64| x.iter().map(|x| scale * x.powf(e)).collect::<Vec<_>>();
        let fit = slope_of_repeats(&x, &[curve(1.0, -1.0), curve(2.0, -1.0), curve(3.0, -1.2), curve(1.0, -0.8)], 4);
        let mean = slope(&mean_curve(&x, &[curve(1.0, -1.0), curve(2.0, -1.0), curve(3.0, -1.2), curve(1.0, -0.8)]));
        assert!((fit.value - mean.value).abs() < 1e-12);
        // The slopes are -1, -1, -1.2 and -0.8: variance 0.08 / 3, over four.
        assert!((fit.error - (0.02_f64 / 3.0).sqrt()).abs() < 1e-12, "{fit:?}");
    }
}
