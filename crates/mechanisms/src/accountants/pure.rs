//! Basic composition: the epsilons of the releases add up.
//!
//! A release with L1 sensitivity `D` and Laplace noise of scale `b` in each coordinate is `D/b`-differentially private
//! (Dwork and others, *Calibrating noise to sensitivity*, 2006). The sum holds for releases chosen adaptively, and cannot be
//! improved at delta 0.

use super::{Accountant, Bound, in_scales, worst_class};
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
        let (epsilon, node) = worst_class(ledger, epsilon)?;
        Ok(Bound {
            epsilon,
            delta: 0.0,
            method: self.name().into(),
            adjacency: ledger.adjacency,
            adversary: ledger.adversary,
            node,
        })
    }
}

/// The epsilon of one release.
pub(crate) fn epsilon(event: &Event) -> Result<f64, MechanismError> {
    match *event {
        Event::Laplace { sensitivity, dim, scale } => in_scales(sensitivity, dim, scale, |s| s.l1(dim)),
        Event::NonPrivate => Ok(f64::INFINITY),
    }
}
