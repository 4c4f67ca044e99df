//! Gaussian differential privacy: exact for Gaussian noise.
//!
//! A release of sensitivity `D` with Gaussian noise of standard deviation `sigma` is as hard to tell apart as `N(0, 1)`
//! and `N(mu, 1)` with `mu = D/sigma`, and many releases as `mu = sqrt(sum mu_t^2)` (Dong, Roth, Su, *Gaussian
//! differential privacy*, 2022). Their curve is (Balle, Wang, *Improving the Gaussian mechanism*, 2018)
//!
//! ```text
//! delta(epsilon) = P(N > a) - e^epsilon P(N > b),     a = epsilon/mu - mu/2,   b = epsilon/mu + mu/2.
//! ```
//!
//! The approximation of other mechanisms by a central limit theorem is no guarantee, and not offered.
//!
//! # Precision
//! `e^epsilon density(b) = density(a)`, so for `a > 0` the difference is `density(a) (M(a) - M(b))` with Mills' ratio `M`,
//! evaluated in logarithms; for small `mu` as the integral of the fall of `M`. Relative 1e-12 for every `mu` and `epsilon`,
//! also where delta is below the smallest number; epsilon and `mu` are then rounded to the safe side by that much.

use super::facts::{Chance, Facts, Loss};
use super::smooth;
use super::{Accountant, Bound, positive_delta, total, worst};
use crate::normal::{log_density, mills, mills_fall, tail};
use crate::{Event, Ledger, MechanismError};

/// The exact accountant of Gaussian noise without sampling: its upper and lower bounds agree but for rounding. Wide
/// discrete Gaussian noise lies between two continuous ones that differ by a relative `9/s^2`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gdp;

impl Accountant for Gdp {
    fn name(&self) -> &'static str {
        "gdp"
    }

    fn bound(&self, ledger: &Ledger, delta: f64) -> Result<Bound, MechanismError> {
        positive_delta(delta)?;
        worst(ledger, delta, self.name(), |class| {
            let mu = total(class, |event| Ok(mus(event)?.1.powi(2)))?.sqrt();
            let least = total(class, |event| Ok(mus(event)?.0.powi(2)))?.sqrt();
            let lower = epsilon_of_mu(least, delta)? * (1.0 - 4.0 * SLACK);
            Ok((epsilon_of_mu(mu, delta)?, Some(lower)))
        })
    }
}

/// Lower and upper bounds of the distance.
fn mus(event: &Event) -> Result<(f64, f64), MechanismError> {
    match Facts::of(event)? {
        Facts { loss: Loss::Nothing, .. } => Ok((0.0, 0.0)),
        Facts { loss: Loss::Everything, .. } => Ok((f64::INFINITY, f64::INFINITY)),
        Facts { loss: Loss::Gaussian { mu }, chance: Chance::Certain } => Ok((mu, mu)),
        Facts { loss: Loss::DiscreteGaussian(noise), chance: Chance::Certain } if smooth::is_wide(noise) => {
            Ok((smooth::mu_below(noise), smooth::mu_above(noise)))
        }
        _ => Err(MechanismError::Unsupported { accountant: "gdp", event: event.name() }),
    }
}

/// The relative error that is allowed for when rounding to the safe side.
const SLACK: f64 = 1e-12;

/// The delta of `mu`-Gaussian differential privacy at `epsilon`, both at least 0.
///
/// # Errors
/// If `mu` or `epsilon` is negative or NaN.
pub fn delta_of_mu(mu: f64, epsilon: f64) -> Result<f64, MechanismError> {
    checked(mu)?;
    if epsilon >= 0.0 { Ok(log_delta(mu, epsilon).exp()) } else { Err(MechanismError::Epsilon(epsilon)) }
}

/// The least epsilon of `mu`-Gaussian differential privacy at `delta`; rounded up by a relative 1e-12.
///
/// # Errors
/// If `mu` is negative or NaN, or `delta` is not in `(0, 1)`.
pub fn epsilon_of_mu(mu: f64, delta: f64) -> Result<f64, MechanismError> {
    let log = positive_delta(delta)?.ln();
    if checked(mu)? <= 0.0 || log_delta(mu, 0.0) <= log {
        return Ok(0.0);
    }
    if mu.is_infinite() {
        return Ok(f64::INFINITY);
    }
    Ok(least(|epsilon| log_delta(mu, epsilon) <= log) * (1.0 + SLACK))
}

/// The largest `mu` whose [`epsilon_of_mu`] is at most `epsilon` (which may be 0); rounded down by a relative 1e-12. The
/// least Gaussian noise for `(epsilon, delta)` is `sensitivity / mu`.
///
/// # Errors
/// If `epsilon` is negative or not finite, or `delta` is not in `(0, 1)`.
pub fn mu_of_epsilon(epsilon: f64, delta: f64) -> Result<f64, MechanismError> {
    let log = positive_delta(delta)?.ln();
    if !(epsilon >= 0.0 && epsilon.is_finite()) {
        return Err(MechanismError::Epsilon(epsilon));
    }
    Ok(least(|mu| log_delta(mu, epsilon) > log) * (1.0 - SLACK))
}

fn checked(mu: f64) -> Result<f64, MechanismError> {
    if mu >= 0.0 { Ok(mu) } else { Err(MechanismError::EventField { field: "mu", value: mu }) }
}

/// The least positive number with the property, which all larger ones have. The bits of positive numbers are in the order
/// of the numbers, so 63 halvings find it.
fn least(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut no, mut yes) = (0.0_f64.to_bits(), f64::MAX.to_bits());
    while yes - no > 1 {
        let middle = no + (yes - no) / 2;
        if holds(f64::from_bits(middle)) {
            yes = middle;
        } else {
            no = middle;
        }
    }
    f64::from_bits(yes)
}

/// `ln delta`, for `mu >= 0` and `epsilon >= 0`.
fn log_delta(mu: f64, epsilon: f64) -> f64 {
    if mu <= 0.0 {
        return f64::NEG_INFINITY;
    }
    let ratio = epsilon / mu;
    let (a, b) = (ratio - 0.5 * mu, ratio + 0.5 * mu);
    if b.is_infinite() {
        // The loss never, or always, passes epsilon.
        return if ratio.is_infinite() { f64::NEG_INFINITY } else { 0.0 };
    }
    if mu < 0.5 {
        return log_density(a) + integral(a, b).ln();
    }
    if a < 0.0 {
        return (tail(a) - (log_density(a) + mills(b).ln()).exp()).ln();
    }
    log_density(a) + (mills(a) - mills(b)).ln()
}

/// `M(a) - M(b)` by Gauss and Legendre's rule with five points: `b - a` is below 1/2, where the rule is exact to 1e-14.
fn integral(a: f64, b: f64) -> f64 {
    const RULE: [(f64, f64); 3] = [
        (0.0, 0.568_888_888_888_888_9),
        (0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
        (0.906_179_845_938_664, 0.236_926_885_056_189_08),
    ];
    let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
    let sum: f64 = RULE
        .iter()
        .map(|&(node, weight)| {
            let at = |x: f64| mills_fall(middle + x * half);
            weight * if node > 0.0 { at(node) + at(-node) } else { at(0.0) }
        })
        .sum();
    sum * half
}
