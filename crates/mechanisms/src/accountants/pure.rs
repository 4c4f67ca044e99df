//! Basic composition: the epsilons of the releases add up.
//!
//! A release with L1 sensitivity `D` and Laplace noise of scale `b` in each coordinate is `D/b`-differentially private
//! (Dwork and others, *Calibrating noise to sensitivity*, 2006), and so it is with discrete Laplace noise. The sum holds for releases chosen adaptively, and cannot be
//! improved at delta 0.
//!
//! On a secret sample that contains a record with probability `q`, an `epsilon`-private mechanism is
//! `ln(1 + q (e^epsilon - 1))`-private (Balle, Barthe, Gaboardi, *Privacy amplification by subsampling*, 2018).

use super::facts::{Facts, Loss};
use super::{Accountant, Bound, total, worst};
use crate::{Event, Ledger, MechanismError};

/// Pure differential privacy: `epsilon` = sum of L1 sensitivity / scale. The delta asked for is ignored; that of the
/// bound is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pure;

impl Accountant for Pure {
    fn name(&self) -> &'static str {
        "pure"
    }

    fn bound(&self, ledger: &Ledger, _delta: f64) -> Result<Bound, MechanismError> {
        worst(ledger, 0.0, self.name(), |class| Ok((total(class, epsilon)?, None)))
    }
}

/// The `(epsilon, delta)` of one release; on a sample both shrink (Balle, Barthe, Gaboardi 2018).
pub(crate) fn approximate(event: &Event) -> Result<(f64, f64), MechanismError> {
    match Facts::of(event)? {
        Facts { loss: Loss::Approximate { epsilon, delta }, chance } => {
            Ok((sampled(epsilon, chance.rate()), chance.rate() * delta))
        }
        _ => Ok((epsilon(event)?, 0.0)),
    }
}

/// The probability with which one release may fail its promise: that of [`Event::Approximate`], 0 for all others.
pub(crate) fn failure(event: &Event) -> Result<f64, MechanismError> {
    match Facts::of(event)? {
        Facts { loss: Loss::Approximate { delta, .. }, chance } => Ok(chance.rate() * delta),
        _ => Ok(0.0),
    }
}

/// The epsilon of one release.
pub(crate) fn epsilon(event: &Event) -> Result<f64, MechanismError> {
    let facts = Facts::of(event)?;
    let epsilon = match facts.loss {
        Loss::Nothing => 0.0,
        Loss::Laplace { l1: epsilon, .. } => epsilon,
        Loss::DiscreteLaplace(noise) => noise.l1_scales(),
        Loss::Approximate { epsilon, delta } if delta <= 0.0 => epsilon,
        Loss::Everything => f64::INFINITY,
        Loss::Approximate { .. } | Loss::Gaussian { .. } | Loss::DiscreteGaussian(_) | Loss::Zcdp { .. } => {
            return Err(MechanismError::Unsupported { accountant: "pure", event: event.name() });
        }
    };
    Ok(sampled(epsilon, facts.chance.rate()))
}

/// The epsilon of an `epsilon`-private mechanism on a sample.
pub(crate) fn sampled(epsilon: f64, rate: f64) -> f64 {
    if rate >= 1.0 {
        epsilon
    } else if epsilon < 700.0 {
        (rate * epsilon.exp_m1()).ln_1p()
    } else {
        // e^epsilon overflows: ln(q e^epsilon) plus what is left of 1 - q.
        epsilon + rate.ln() + ((1.0 - rate) / rate * (-epsilon).exp()).ln_1p()
    }
}
