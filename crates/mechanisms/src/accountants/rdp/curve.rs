//! The Rényi divergence of one event as a function of the order.
//!
//! Sampled events: exact for Poisson sampling of Gaussian and Laplace noise and of the worst pure mechanism; for fixed
//! size a bound. In both cases at most that of the mechanism without sampling (joint quasi-convexity).

use super::poisson::Poisson;
use super::subset::Subset;
use crate::accountants::facts::{Chance, Facts, Loss};
use crate::accountants::pure::sampled as with_probability;
use crate::{Event, MechanismError};

/// Upper bounds on the divergence of every order above 1, in both directions.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    loss: Loss,
    chance: Chance,
    subset: Subset,
}

impl Curve {
    pub(crate) fn of(event: &Event) -> Result<Self, MechanismError> {
        let Facts { loss, chance } = Facts::of(event)?;
        match loss {
            Loss::Approximate { delta, .. } if delta > 0.0 => {
                Err(MechanismError::Unsupported { accountant: "rdp", event: event.name() })
            }
            _ => Ok(Self { loss, chance, subset: Subset::of(loss, chance.rate()) }),
        }
    }

    /// The divergence of this order, above 1.
    pub(crate) fn at(&self, order: f64) -> f64 {
        let whole = unsampled(self.loss, order);
        let sampled = match self.chance {
            Chance::Certain => return whole,
            Chance::Poisson { rate } => Poisson { loss: self.loss, rate }.at(order),
            Chance::Subset { .. } => at_integers(order, |order| self.subset.at(order)),
        };
        // NaN, where a sum overflowed, loses against the mechanism without sampling.
        mixed(sampled.min(whole), order, self.chance.active())
    }
}

/// The divergence of a mechanism with this one that takes place with probability `active`, which everybody sees:
/// `ln(1 - a + a e^((alpha - 1) D)) / (alpha - 1)`.
fn mixed(divergence: f64, order: f64, active: f64) -> f64 {
    with_probability((order - 1.0) * divergence, active) / (order - 1.0)
}

/// The divergence of a mechanism that sees everything.
pub(super) fn unsampled(loss: Loss, order: f64) -> f64 {
    match loss {
        Loss::Nothing => 0.0,
        Loss::Everything => f64::INFINITY,
        Loss::Gaussian { mu } => 0.5 * order * mu * mu,
        Loss::Zcdp { rho } => order * rho,
        Loss::Approximate { epsilon, .. } => response(order, epsilon),
        Loss::Laplace { l1, l2 } => vector_laplace(order, l1, l2),
    }
}

/// Laplace noise on a vector that moves by at most `l1` scales in sum and `l2` in length.
///
/// With `f(x)` the divergence of one coordinate that moves by `x` scales: `f` is convex with `f(0) = 0`, so the sum over
/// coordinates is at most `f(l1)`, with no coordinate above `l2` at most `(l1/l2) f(l2)`, and since `f(x) <= alpha x^2/2`
/// at most `alpha l2^2/2`.
fn vector_laplace(order: f64, l1: f64, l2: f64) -> f64 {
    (l1 / l2 * laplace(order, l2)).min(0.5 * order * l2 * l2)
}

/// `f(x) = ln(alpha/(2 alpha - 1) e^((alpha - 1) x) + (alpha - 1)/(2 alpha - 1) e^(-alpha x)) / (alpha - 1)` (Mironov
/// 2017).
pub(super) fn laplace(order: f64, x: f64) -> f64 {
    let excess = order - 1.0;
    let weight = order / (order + excess);
    // 1 + weight (e^(excess x) - 1) + (1 - weight)(e^(-order x) - 1), where that loses no digits.
    if excess * x < 1.0 {
        let sum = weight * (excess * x).exp_m1() + (1.0 - weight) * (-order * x).exp_m1();
        sum.max(0.0).ln_1p() / excess
    } else {
        let rest = (1.0 - weight) / weight * (-(order + excess) * x).exp();
        x + (weight.ln() + rest.ln_1p()) / excess
    }
}

/// The worst mechanism that is `epsilon`-differentially private, randomised response (Bun, Steinke 2016).
fn response(order: f64, epsilon: f64) -> f64 {
    // ln((e^(alpha e) + e^((1-alpha) e)) / (1 + e^e)) / (alpha - 1)
    let excess = order - 1.0;
    let (grow, fall) = ((excess * epsilon).exp_m1(), (-order * epsilon).exp_m1());
    if grow < 1.0 {
        // The two terms with weights p = e^e/(1+e^e) and 1 - p.
        let p = 1.0 / (1.0 + (-epsilon).exp());
        (p * grow + (1.0 - p) * fall).max(0.0).ln_1p() / excess
    } else {
        epsilon + ((-(order + excess) * epsilon).exp().ln_1p() - (-epsilon).exp().ln_1p()) / excess
    }
}

/// A bound that is known for integer orders, at any order: `(alpha - 1) D_alpha` is convex in `alpha` and 0 at 1, so it
/// lies below the chord.
pub(super) fn at_integers(order: f64, renyi: impl Fn(u32) -> f64) -> f64 {
    if order > f64::from(LARGEST) {
        return f64::INFINITY;
    }
    let below = order.floor();
    let moment = |k: f64| if k > 1.0 { (k - 1.0) * renyi(k as u32) } else { 0.0 };
    let part = order - below;
    let chord = (1.0 - part) * moment(below) + if part > 0.0 { part * moment(below + 1.0) } else { 0.0 };
    chord / (order - 1.0)
}

/// The largest integer order whose sum over binomial terms is formed.
const LARGEST: u32 = 1 << 14;
