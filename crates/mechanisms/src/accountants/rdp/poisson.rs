//! Poisson sampling: the divergence of `(1-q) Q + q P` from `Q`.
//!
//! Integer orders by the binomial sum (Mironov, Talwar, Zhang, *Rényi differential privacy of the sampled Gaussian
//! mechanism*, 2019), which for any pair `P`, `Q` is
//!
//! ```text
//! sum_k C(alpha, k) (1-q)^(alpha-k) q^k e^((k-1) D_k(P||Q)).
//! ```
//!
//! The terms for `k = 0` and 1 are `(1-q)^alpha + alpha q (1-q)^(alpha-1)`, and all terms without their exponential sum to
//! 1; so with `e^x - 1` in place of `e^x` the sum starts at `k = 2`, has positive terms only and loses no digits.
//!
//! Other orders, for Gaussian noise, by the trapezoidal rule for `E ((1-q) + q e^((2x-1)/(2 z^2)))^alpha` over
//! `x ~ N(0, z^2)`: the integrand is analytic in a strip of half width `pi z^2` (or of any width where the mixture is
//! harmless), so a step of `min(z/2, pi z^2/6)` leaves an error of `e^-37`.
//!
//! The other direction, of `Q` from the mixture, is smaller for pairs that a reflection exchanges (Theorem 5 there), as
//! are Gaussian, Laplace and randomised response.

use super::curve::{at_integers, unsampled};
use crate::accountants::facts::Loss;

/// A loss on a Poisson sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Poisson {
    pub(super) loss: Loss,
    pub(super) rate: f64,
}

/// The most points of a quadrature; beyond, the chord between integer orders is taken.
const POINTS: f64 = 20_000.0;

impl Poisson {
    pub(super) fn at(self, order: f64) -> f64 {
        if let Loss::Gaussian { mu } = self.loss
            && order.fract() > 0.0
            && let Some(moment) = self.log_moment(order, 1.0 / mu)
        {
            return moment / (order - 1.0);
        }
        at_integers(order, |order| self.binomial(order))
    }

    /// The divergence of an integer order, at least 2.
    fn binomial(self, order: u32) -> f64 {
        let alpha = f64::from(order);
        let (log_rate, log_rest) = (self.rate.ln(), (-self.rate).ln_1p());
        // ln of C(alpha, k), by recurrence.
        let mut choose = alpha.ln();
        let terms = (2..=order).map(|k| {
            let k = f64::from(k);
            choose += ((alpha - k + 1.0) / k).ln();
            choose + (alpha - k) * log_rest + k * log_rate + log_expm1((k - 1.0) * unsampled(self.loss, k))
        });
        log_one_plus_sum(terms) / (alpha - 1.0)
    }

    /// `ln E (1 - q + q e^u)^alpha` with `u = (2x - 1)/(2 z^2)`, `x ~ N(0, z^2)`.
    fn log_moment(self, order: f64, z: f64) -> Option<f64> {
        let step = (0.5 * z).min(std::f64::consts::PI * z * z / 6.0);
        // The integrand is a Gaussian around 0 that moves to at most alpha where the exponential rules.
        let (first, last) = ((-10.0 * z / step).floor(), ((order + 10.0 * z) / step).ceil());
        if (last - first).is_nan() || last - first > POINTS {
            return None;
        }
        let density = (step / z).ln() - 0.5 * (2.0 * std::f64::consts::PI).ln();
        let point = |k: f64| {
            let x = k * step;
            let weight = density - 0.5 * (x / z) * (x / z);
            (weight, order * self.log_mixture((x - 0.5) / (z * z)))
        };
        let points = || (0..=(last - first) as u32).map(|k| point(first + f64::from(k)));
        let peak = points().map(|(weight, power)| weight + power).fold(f64::NEG_INFINITY, f64::max);
        let largest = points().map(|(_, power)| power).fold(0.0, f64::max);
        Some(if largest < 500.0 && peak < 1.0 {
            let sum: f64 = points().map(|(weight, power)| weight.exp() * power.exp_m1()).sum();
            sum.max(0.0).ln_1p()
        } else {
            peak + points().map(|(weight, power)| (weight + power - peak).exp()).sum::<f64>().ln()
        })
    }

    /// `ln(1 - q + q e^u)`.
    fn log_mixture(self, u: f64) -> f64 {
        if u < 30.0 {
            (self.rate * u.exp_m1()).ln_1p()
        } else {
            u + self.rate.ln() + ((1.0 - self.rate) / self.rate * (-u).exp()).ln_1p()
        }
    }
}

/// `ln(e^x - 1)` for `x >= 0`.
pub(super) fn log_expm1(x: f64) -> f64 {
    if x < 30.0 { x.exp_m1().ln() } else { x + (-(-x).exp()).ln_1p() }
}

/// `ln(1 + sum e^terms)`.
pub(super) fn log_one_plus_sum(terms: impl Iterator<Item = f64>) -> f64 {
    let terms: Vec<f64> = terms.collect();
    let peak = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if peak < 600.0 {
        terms.iter().map(|term| term.exp()).sum::<f64>().ln_1p()
    } else {
        peak + terms.iter().map(|term| (term - peak).exp()).sum::<f64>().ln()
    }
}
