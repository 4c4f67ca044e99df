//! Clopper-Pearson bounds on a probability, from the tails of the binomial distribution.
//!
//! # Precision
//! A tail is summed term by term from the one nearest to the mean, at a relative `1e-8` for a million trials (the
//! cancellation in the logarithm of the first term). Continued fractions of the incomplete beta function with a fixed
//! number of steps do not converge there.

use libm::lgamma;

use crate::MechanismError;

/// The upper Clopper-Pearson bound on a probability, one-sided: `successes` of `trials` or fewer have probability
/// `alpha` there.
///
/// # Errors
/// If there is no trial, there are more successes than trials, or `alpha` is not in `(0, 1/2]`.
pub fn proportion_upper(successes: u64, trials: u64, alpha: f64) -> Result<f64, MechanismError> {
    if trials == 0 || successes > trials {
        return Err(MechanismError::Runs { what: "successes", found: successes, most: trials });
    }
    if !(alpha > 0.0 && alpha <= 0.5) {
        return Err(MechanismError::Confidence(1.0 - alpha));
    }
    if successes == trials {
        return Ok(1.0);
    }
    let n = trials as f64;
    if successes == 0 {
        return Ok(-(alpha.ln() / n).exp_m1());
    }
    let (mut low, mut high) = (successes as f64 / n, 1.0);
    // Rounded outwards: where the bisection ends, the tail is at most alpha.
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if at_most(successes, trials, middle) > alpha { low = middle } else { high = middle }
    }
    Ok(high)
}

/// The lower Clopper-Pearson bound: `successes` of `trials` or more have probability `alpha` there.
///
/// # Errors
/// As [`proportion_upper`].
pub fn proportion_lower(successes: u64, trials: u64, alpha: f64) -> Result<f64, MechanismError> {
    let failures = trials.checked_sub(successes);
    let failures = failures.ok_or(MechanismError::Runs { what: "successes", found: successes, most: trials })?;
    Ok(1.0 - proportion_upper(failures, trials, alpha)?)
}

/// `P(X <= k)` of `n` trials at probability `p`, `0 < p < 1`.
fn at_most(k: u64, n: u64, p: f64) -> f64 {
    if k >= n {
        1.0
    } else if (k as f64) < n as f64 * p {
        let odds = (1.0 - p) / p;
        sum(pmf(k, n, p), (1..=k).rev().map(|j| j as f64 / (n - j + 1) as f64 * odds))
    } else {
        1.0 - at_least(k + 1, n, p)
    }
}

/// `P(X >= k)`.
pub(super) fn at_least(k: u64, n: u64, p: f64) -> f64 {
    if k == 0 {
        1.0
    } else if k > n {
        0.0
    } else if k as f64 > n as f64 * p {
        let odds = p / (1.0 - p);
        sum(pmf(k, n, p), (k..n).map(|j| (n - j) as f64 / (j + 1) as f64 * odds))
    } else {
        1.0 - at_most(k - 1, n, p)
    }
}

/// `P(X = k)`.
pub(super) fn pmf(k: u64, n: u64, p: f64) -> f64 {
    let (k, n) = (k as f64, n as f64);
    let choices = lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0);
    (choices + k * p.ln() + (n - k) * (-p).ln_1p()).exp()
}

/// A first term and those after it, each the one before times a ratio below 1.
fn sum(first: f64, ratios: impl Iterator<Item = f64>) -> f64 {
    let (mut term, mut total) = (first, first);
    for ratio in ratios {
        term *= ratio;
        let next = total + term;
        if next <= total {
            break;
        }
        total = next;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All outcomes of few trials, added up one by one.
    #[test]
    fn tails_agree_with_brute_force() {
        for n in 1..=12_u64 {
            for p in [0.01_f64, 0.3, 0.5, 0.9] {
                let mass = |k: u64| {
                    let choices = (0..k).fold(1.0, |c, j| c * (n - j) as f64 / (j + 1) as f64);
                    choices * p.powf(k as f64) * (1.0 - p).powf((n - k) as f64)
                };
                for k in 0..=n {
                    let lower: f64 = (0..=k).map(mass).sum();
                    let upper: f64 = (k..=n).map(mass).sum();
                    assert!((at_most(k, n, p) / lower - 1.0).abs() < 1e-12, "{k} of {n} at {p}");
                    assert!((at_least(k, n, p) / upper - 1.0).abs() < 1e-12, "{k} of {n} at {p}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_count_is_refused() {
        assert!(proportion_upper(3, 2, 0.05).is_err() && proportion_lower(3, 2, 0.05).is_err());
        assert!(proportion_upper(0, 0, 0.05).is_err());
        for alpha in [0.0, -0.1, 0.6, f64::NAN] {
            assert!(proportion_upper(1, 2, alpha).is_err());
        }
    }
}
