//! Zero-concentrated differential privacy (Bun, Steinke 2016): the `rho` of the releases add up.
//!
//! **Laplace noise by the Euclidean norm.** The Rényi divergence of order `alpha` of one coordinate moved by `x`
//! scales is at most `alpha x^2 / 2`, so that of a vector moved by `d` with noise of scale `b` in each coordinate is at
//! most `alpha ||d||_2^2 / (2 b^2)`: the release is `D^2/(2 b^2)`-zCDP with the **L2** sensitivity `D`, whatever the
//! dimension. Pure epsilon pays the L1 norm, `sqrt(dim)` times as much.
//!
//! **Discrete noise.** A coordinate with discrete Laplace noise of `t` steps that moves by `d` is `d/t`-private, hence
//! `d^2/(2 t^2)`-zCDP (Bun, Steinke 2016, proposition 3.3), and a vector `D^2/(2 t^2)`-zCDP. Discrete Gaussian noise is
//! `D^2/(2 s^2)`-zCDP in any dimension (Canonne, Kamath, Steinke 2020, theorem 14).

use super::facts::{Chance, Facts, Loss};
use super::{Accountant, Bound, failures, left_of, positive_delta, pure, total, worst};
use crate::{Event, Ledger, MechanismError};

/// How `rho` is turned into `(epsilon, delta)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Conversion {
    /// [`epsilon_of_rho`]: the minimum over the Rényi orders (Canonne, Kamath, Steinke 2020).
    #[default]
    Optimal,
    /// `rho + 2 sqrt(rho ln(1/delta))` (Bun, Steinke 2016), as many papers report it.
    Simple,
}

/// zCDP: `rho` = sum of `D^2/(2 b^2)`, converted at the delta that is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Zcdp {
    /// From `rho` to epsilon.
    pub conversion: Conversion,
}

impl Accountant for Zcdp {
    fn name(&self) -> &'static str {
        match self.conversion {
            Conversion::Optimal => "zcdp",
            Conversion::Simple => "zcdp-simple",
        }
    }

    fn bound(&self, ledger: &Ledger, delta: f64) -> Result<Bound, MechanismError> {
        positive_delta(delta)?;
        worst(ledger, delta, self.name(), |class| {
            let rho = total(class, rho)?;
            let left = left_of(delta, failures(class)?);
            let epsilon = match self.conversion {
                // What fails more often than delta is no promise.
                _ if left < 0.0 || left <= 0.0 && rho > 0.0 => f64::INFINITY,
                _ if rho <= 0.0 => 0.0,
                Conversion::Optimal => epsilon_of_rho(rho, left)?,
                Conversion::Simple => rho + 2.0 * (-rho * left.ln()).sqrt(),
            };
            Ok((epsilon, None))
        })
    }
}

/// The rho of one release, if it does not fail: half the square of its distance in scales, of its epsilon for a pure
/// mechanism (Bun, Steinke 2016), also of one on a sample.
pub(crate) fn rho(event: &Event) -> Result<f64, MechanismError> {
    let facts = Facts::of(event)?;
    let unsupported = MechanismError::Unsupported { accountant: "zcdp", event: event.name() };
    if facts.chance != Chance::Certain {
        let (epsilon, _) = pure::approximate(event).map_err(|_| unsupported)?;
        return Ok(0.5 * epsilon * epsilon);
    }
    match facts.loss {
        Loss::Nothing => Ok(0.0),
        Loss::Laplace { l2: x, .. } | Loss::Gaussian { mu: x } => Ok(0.5 * x * x),
        Loss::DiscreteLaplace(noise) | Loss::DiscreteGaussian(noise) => Ok(0.5 * noise.l2_scales().powi(2)),
        Loss::Approximate { epsilon, .. } => Ok(0.5 * epsilon * epsilon),
        Loss::Zcdp { rho } => Ok(rho),
        Loss::Everything => Ok(f64::INFINITY),
    }
}

/// An epsilon for which every `rho`-zCDP mechanism is `(epsilon, delta)`-differentially private: the minimum over
/// `alpha > 1` of `rho alpha + ln(1 - 1/alpha) - (ln delta + ln alpha) / (alpha - 1)`, at least 0 (Canonne, Kamath,
/// Steinke, *The discrete Gaussian for differential privacy*, 2020).
///
/// With `x = alpha - 1` the derivative vanishes where `rho x^2 + ln(1 + x) = ln(1/delta)`, whose left side
/// increases: one root, found by bisection. Every `alpha` gives a valid bound, so the error of the root is harmless.
///
/// # Errors
/// If `rho` is negative or NaN, or `delta` is not in `(0, 1)`.
pub fn epsilon_of_rho(rho: f64, delta: f64) -> Result<f64, MechanismError> {
    let log = log_of_inverse(delta)?;
    if rho >= 0.0 { Ok(optimal_epsilon(rho, log)) } else { Err(MechanismError::Rho(rho)) }
}

/// The largest `rho` whose [`epsilon_of_rho`] is at most `epsilon`, to the last bit and never over.
///
/// # Errors
/// If `epsilon` is not positive and finite, or `delta` is not in `(0, 1)`.
pub fn rho_of_epsilon(epsilon: f64, delta: f64) -> Result<f64, MechanismError> {
    let log = log_of_inverse(delta)?;
    if epsilon > 0.0 && epsilon.is_finite() {
        Ok(largest_rho(epsilon, log))
    } else {
        Err(MechanismError::Epsilon(epsilon))
    }
}

/// `ln(1/delta)` for `delta` in `(0, 1)`.
fn log_of_inverse(delta: f64) -> Result<f64, MechanismError> {
    Ok(-positive_delta(delta)?.ln())
}

/// [`epsilon_of_rho`] for `rho >= 0` and `log = ln(1/delta) > 0`.
fn optimal_epsilon(rho: f64, log: f64) -> f64 {
    if rho <= 0.0 || rho.is_infinite() {
        return rho;
    }
    // Both terms of the left side are at least 0, so the root is at most where either alone reaches the right side.
    let (mut low, mut high) = (0.0, (log / rho).sqrt().min(log.exp_m1()));
    loop {
        let middle = low + 0.5 * (high - low);
        if middle <= low || middle >= high {
            break;
        }
        if rho * middle * middle + middle.ln_1p() < log {
            low = middle;
        } else {
            high = middle;
        }
    }
    let x = high;
    let (slope, shrink, tail) = (rho * (1.0 + x), -(1.0 / x).ln_1p(), (log - x.ln_1p()) / x);
    // Rounded up by more than the terms can be wrong, so that the bound stays one.
    let slack = 4.0 * f64::EPSILON * (slope - shrink + tail.abs());
    (slope + shrink + tail + slack).max(0.0)
}

/// [`rho_of_epsilon`] for a finite `epsilon > 0` and `log = ln(1/delta) > 0`.
pub(crate) fn largest_rho(epsilon: f64, log: f64) -> f64 {
    // The bits of the numbers >= 0 are in the order of the numbers: 63 halvings find one of them exactly.
    let (mut fits, mut exceeds) = (0.0_f64.to_bits(), f64::INFINITY.to_bits());
    while exceeds - fits > 1 {
        let middle = fits + (exceeds - fits) / 2;
        if optimal_epsilon(f64::from_bits(middle), log) <= epsilon {
            fits = middle;
        } else {
            exceeds = middle;
        }
    }
    f64::from_bits(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The Rényi divergence of order `alpha` of one Laplace coordinate moved by `x` scales (Mironov 2017, Table II).
    fn renyi(alpha: f64, x: f64) -> f64 {
        let grow = alpha / (2.0 * alpha - 1.0) * ((alpha - 1.0) * x).exp();
        let fall = (alpha - 1.0) / (2.0 * alpha - 1.0) * (-alpha * x).exp();
        (grow + fall).ln() / (alpha - 1.0)
    }

    /// What the rho of vector Laplace rests on: coordinate by coordinate, at most `alpha x^2 / 2` (and at most `x`).
    #[test]
    fn a_laplace_coordinate_is_no_worse_than_its_rho() {
        for alpha in [1.001, 1.5, 2.0, 3.7, 10.0, 100.0] {
            assert!(renyi(alpha, 0.0).abs() < 1e-12);
            for step in 1..=400 {
                let x = f64::from(step) * 0.01;
                assert!(renyi(alpha, x) <= (0.5 * alpha * x * x).min(x) * (1.0 + 1e-9), "alpha {alpha}, x {x}");
            }
        }
    }

    /// The formula to be minimised, on a grid of orders: never below the minimum found, and close to it.
    #[test]
    fn the_conversion_is_the_minimum_over_orders() {
        for rho in [1e-4, 0.01, 0.0865, 1.0, 30.0, 1e4] {
            for delta in [1e-12_f64, 1e-5, 0.1] {
                let objective = |x: f64| rho * (1.0 + x) + (x / (1.0 + x)).ln() - (delta.ln() + x.ln_1p()) / x;
                let grid = (-4000..8000).map(|k| objective((f64::from(k) * 0.002).exp())).fold(f64::INFINITY, f64::min);
                let found = epsilon_of_rho(rho, delta).unwrap();
                assert!(found <= grid.max(0.0) + 1e-12 * (1.0 + rho), "rho {rho} delta {delta}: {found} {grid}");
                assert!(found >= grid - 1e-5 * (1.0 + grid.abs()), "rho {rho} delta {delta}: {found} {grid}");
            }
        }
    }

    #[test]
    fn extremes_are_numbers() {
        for delta in [1e-300, 1e-12, 0.5, 1.0 - 1e-15] {
            let mut last = 0.0;
            for exponent in -320..=308 {
                let rho = 10_f64.powi(exponent);
                let epsilon = epsilon_of_rho(rho, delta).unwrap();
                assert!(epsilon >= last, "rho {rho} delta {delta}: {epsilon} < {last}");
                last = epsilon;
            }
            assert_eq!(epsilon_of_rho(0.0, delta).unwrap().to_bits(), 0);
            assert!(epsilon_of_rho(f64::INFINITY, delta).unwrap().is_infinite());
        }
    }

    #[test]
    fn the_largest_rho_fits_and_the_next_does_not() {
        for epsilon in [1e-9, 0.01, 1.0, 10.0, 1e6] {
            for delta in [1e-12, 1e-5, 0.1] {
                let rho = rho_of_epsilon(epsilon, delta).unwrap();
                assert!(rho > 0.0 && epsilon_of_rho(rho, delta).unwrap() <= epsilon);
                assert!(epsilon_of_rho(rho * (1.0 + 1e-9), delta).unwrap() > epsilon);
            }
        }
    }

    #[test]
    fn arguments_out_of_range_are_refused() {
        for delta in [0.0, 1.0, -1.0, f64::NAN] {
            assert!(matches!(epsilon_of_rho(1.0, delta), Err(MechanismError::Delta(_))));
        }
        for rho in [-1.0, f64::NAN] {
            assert!(matches!(epsilon_of_rho(rho, 0.1), Err(MechanismError::Rho(_))));
        }
        for epsilon in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(rho_of_epsilon(epsilon, 0.1), Err(MechanismError::Epsilon(_))));
        }
    }
}
