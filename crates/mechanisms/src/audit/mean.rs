//! Confidence bounds on the mean of independent numbers in `[0, 1]`.
//!
//! The mean `m` of `n` of them is at or beyond `a` with probability at most `exp(-n KL(a || mu))`, whatever their law
//! (Hoeffding 1963, Theorem 1, the form before it is simplified). With all numbers 0 this is the Clopper-Pearson bound;
//! unlike that one it holds for numbers between 0 and 1 too.

use crate::MechanismError;

/// An upper bound on the expectation: smaller ones give a mean as low as `mean` with probability at most `alpha`.
///
/// # Errors
/// If `mean` is not in `[0, 1]`, there are no numbers, or `alpha` is not in `(0, 1)`.
pub fn mean_upper(mean: f64, numbers: u64, alpha: f64) -> Result<f64, MechanismError> {
    let limit = limit(mean, numbers, alpha)?;
    let (mut low, mut high) = (mean, 1.0);
    if mean <= 0.0 {
        return Ok(-(-limit).exp_m1());
    }
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if divergence(mean, middle) < limit { low = middle } else { high = middle }
    }
    Ok(high)
}

/// A lower bound on the expectation.
///
/// # Errors
/// As [`mean_upper`].
pub fn mean_lower(mean: f64, numbers: u64, alpha: f64) -> Result<f64, MechanismError> {
    let limit = limit(mean, numbers, alpha)?;
    if mean <= 0.0 {
        return Ok(0.0);
    }
    // Halving the exponent finds tiny bounds as well as large ones.
    let (mut low, mut high) = (f64::MIN_POSITIVE.ln(), mean.ln());
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if divergence(mean, middle.exp()) < limit { high = middle } else { low = middle }
    }
    Ok(if divergence(mean, f64::MIN_POSITIVE) < limit { 0.0 } else { low.exp().min(mean) })
}

/// `ln(1/alpha) / n`.
fn limit(mean: f64, numbers: u64, alpha: f64) -> Result<f64, MechanismError> {
    if !(0.0..=1.0).contains(&mean) {
        return Err(MechanismError::Bound { name: "mean", value: mean });
    }
    if numbers == 0 {
        return Err(MechanismError::Runs { what: "numbers", found: 0, most: 0 });
    }
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(MechanismError::Confidence(1.0 - alpha));
    }
    Ok(-alpha.ln() / numbers as f64)
}

/// `KL(a || b)` of two coins, in nats.
fn divergence(a: f64, b: f64) -> f64 {
    let part = |x: f64, y: f64| if x > 0.0 { x * (x / y).ln() } else { 0.0 };
    part(a, b) + part(1.0 - a, 1.0 - b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_have_closed_forms() {
        // All 0: 1 - alpha^(1/n); all 1: alpha^(1/n).
        let (n, alpha) = (200, 0.025_f64);
        let root = alpha.powf(1.0 / 200.0);
        assert!((mean_upper(0.0, n, alpha).unwrap() - (1.0 - root)).abs() < 1e-15);
        assert!((mean_lower(1.0, n, alpha).unwrap() - root).abs() < 1e-12);
        assert!(mean_lower(0.0, n, alpha).unwrap() <= 0.0 && mean_upper(1.0, n, alpha).unwrap() >= 1.0);
    }

    /// The bound covers: of coins with mean `mu`, at most a share `alpha` of the possible outcomes has a lower bound above
    /// `mu` or an upper one below. Summed over all outcomes, so nothing is random.
    #[test]
    fn both_bounds_cover_every_coin() {
        let (n, alpha) = (40_u64, 0.05);
        for mu in [0.01, 0.1, 0.5, 0.8] {
            let (mut above, mut below) = (0.0, 0.0);
            for k in 0..=n {
                let mass = super::super::binomial::pmf(k, n, mu);
                let mean = k as f64 / n as f64;
                above += if mean_lower(mean, n, alpha).unwrap() > mu { mass } else { 0.0 };
                below += if mean_upper(mean, n, alpha).unwrap() < mu { mass } else { 0.0 };
            }
            assert!(above <= alpha && below <= alpha, "{mu}: {above} {below}");
        }
    }

    #[test]
    fn what_is_no_mean_is_refused() {
        for mean in [-0.1, 1.1, f64::NAN] {
            assert!(mean_upper(mean, 5, 0.05).is_err() && mean_lower(mean, 5, 0.05).is_err());
        }
        assert!(mean_upper(0.5, 0, 0.05).is_err() && mean_lower(0.5, 5, 1.0).is_err());
    }
}
