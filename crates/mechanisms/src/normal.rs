//! The tail of the normal distribution, also far out, where it is no longer a number itself.
//!
//! # Precision
//! Relative 1e-13, for `z` up to 1e150.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use libm::erfc;

/// `P(N > z)`.
pub(crate) fn tail(z: f64) -> f64 {
    0.5 * erfc(z * FRAC_1_SQRT_2)
}

/// `P(N > z)` and `P(N <= z)`, for little more than the price of one: the larger is what is left by the smaller.
pub(crate) fn both_tails(z: f64) -> (f64, f64) {
    let small = tail(z.abs());
    if z > 0.0 { (small, 1.0 - small) } else { (1.0 - small, small) }
}

/// `ln` of the density at `z`.
pub(crate) fn log_density(z: f64) -> f64 {
    -0.5 * z * z - 0.5 * (2.0 * PI).ln()
}

/// Mills' ratio `P(N > z) / density(z)`. Overflows for `z` below -38.
pub(crate) fn mills(z: f64) -> f64 {
    if z < 5.0 { tail(z) * (0.5 * z * z).exp() * (2.0 * PI).sqrt() } else { 1.0 / (z + fraction(z)) }
}

/// `1 - z mills(z)`, the fall of [`mills`] at `z`, without cancellation.
pub(crate) fn mills_fall(z: f64) -> f64 {
    if z < 5.0 {
        1.0 - z * mills(z)
    } else {
        let c = fraction(z);
        c / (z + c)
    }
}

/// Laplace's continued fraction `1/(z + 2/(z + 3/(z + ...)))`, for `z >= 5`.
fn fraction(z: f64) -> f64 {
    (1..=60).rev().fold(0.0, |rest, k| f64::from(k) / (z + rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `ln P(N > z)`, computed with 30 digits.
    #[test]
    fn tails_agree_with_high_precision() {
        for (z, expected) in TAILS {
            let found = if z < 5.0 { tail(z).ln() } else { log_density(z) + mills(z).ln() };
            assert!((found - expected).abs() < 1e-13 * expected.abs().max(0.1), "{z}: {found}");
        }
    }

    #[test]
    fn both_tails_are_the_tails() {
        for z in [-39.0_f64, -3.0, -0.5, 0.0, 1e-9, 0.7, 4.9, 20.0, f64::INFINITY, f64::NEG_INFINITY] {
            let (above, below) = both_tails(z);
            assert!((above - tail(z)).abs() <= f64::EPSILON * tail(z), "{z}");
            assert!((below - tail(-z)).abs() <= f64::EPSILON * tail(-z), "{z}");
        }
        assert!(both_tails(f64::NAN).0.is_nan());
    }

    #[test]
    fn both_forms_of_the_ratio_meet() {
        for z in [4.999_999_999_999_f64, 4.5, 3.0] {
            let other = 1.0 / (z + fraction(z));
            assert!((mills(z) / other - 1.0).abs() < 1e-12, "{z}: {} {other}", mills(z));
            assert!((mills_fall(z) / (1.0 - z * other) - 1.0).abs() < 1e-10);
        }
    }

    const TAILS: [(f64, f64); 6] = [
        (-3.0, -0.001_350_809_964_748_193_8),
        (0.0, -std::f64::consts::LN_2),
        (2.0, -3.783_184_333_682_032),
        (4.9, -14.551_182_689_355_313),
        (20.0, -203.917_155_371_097_26),
        (1e5, -5_000_000_012.431_864),
    ];
}
