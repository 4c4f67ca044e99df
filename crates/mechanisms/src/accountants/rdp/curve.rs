//! The Rényi divergence of one event as a function of the order.
//!
//! Sampled events: exact for Poisson sampling of Gaussian and Laplace noise and of the worst pure mechanism; for fixed
//! size a bound. In both cases at most that of the mechanism without sampling (joint quasi-convexity).

use super::discrete;
use super::poisson::Poisson;
use super::subset::Subset;
use crate::accountants::facts::{Chance, Facts, Loss};
use crate::accountants::pure;
use crate::{Event, MechanismError};

/// Upper bounds on the divergence of every order above 1, in both directions, for an event that does not fail.
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
                let (epsilon, _) = pure::approximate(event)?;
                let loss = Loss::Approximate { epsilon, delta: 0.0 };
                Ok(Self { loss, chance: Chance::Certain, subset: Subset::of(loss, 1.0) })
            }
            _ => Ok(Self { loss, chance, subset: Subset::of(loss, chance.rate()) }),
        }
    }

    /// Whether the bound is known for integer orders, and follows from them for those between.
    pub(crate) fn is_known_at_integers(&self) -> bool {
        matches!(self.chance, Chance::Subset { .. })
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
    pure::sampled((order - 1.0) * divergence, active) / (order - 1.0)
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
        Loss::DiscreteLaplace(noise) => discrete::vector_laplace(order, noise),
        Loss::DiscreteGaussian(noise) => 0.5 * order * noise.l2_scales().powi(2),
    }
}

/// Laplace noise on a vector that moves by at most `l1` scales in sum and `l2` in length.
///
/// With `f(x)` the divergence of one coordinate that moves by `x` scales: `f` is convex with `f(0) = 0`, so the sum over
/// coordinates is at most `f(l1)`, with no coordinate above `l2` at most `(l1/l2) f(l2)`, and since `f(x) <= alpha x^2/2`
/// at most `alpha l2^2/2`.
pub(super) fn vector_laplace(order: f64, l1: f64, l2: f64) -> f64 {
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
    let (grow, fall) = ((excess * epsilon).exp_m1(), (-excess * epsilon).exp_m1());
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, for losses of both signs: `E_P e^((alpha - 1) loss)`.
    #[test]
    fn the_divergence_of_randomised_response_is_that_of_its_definition() {
        for epsilon in [1e-3_f64, 0.1, 0.5, 2.0, 30.0] {
            for order in [1.01, 1.5, 2.0, 6.4, 20.0] {
                let truth = 1.0 / (1.0 + (-epsilon).exp());
                let (up, down) =
                    (truth * ((order - 1.0) * epsilon).exp(), (1.0 - truth) * ((1.0 - order) * epsilon).exp());
                let expected = (up + down).ln() / (order - 1.0);
                let found = response(order, epsilon);
                // The definition loses the digits that are gone in 1 + x.
                let lost = 1e-15 / (order - 1.0);
                assert!((found - expected).abs() <= 1e-9 * expected + lost, "{order} {epsilon}: {found} {expected}");
            }
        }
    }
}
