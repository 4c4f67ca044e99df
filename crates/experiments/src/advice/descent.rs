//! How far the mean of all points gets, by an exact linear recursion: the estimate where no theorem says anything.
//!
//! All algorithms whose weights are doubly stochastic move the mean of the parties' points as gradient descent on the mean of
//! their objectives, with the mean of their noise. For a quadratic of curvature `h` in one direction the distance from the
//! optimum is `e(t+1) = (1 - step(t) h) e(t) + w(t)`, which gives what is left of the start, and the variance of the answer,
//! without an inequality. What is approximated: the parties take their gradients at the mean of their points, the set is not met,
//! gradients are not clipped, a sample has the gradient of all records, and a loss that is not squared has the curvature `h`
//! everywhere.

use dido_optimizers::Noise;

use crate::algorithms::{Descent, expected_share};
use crate::config::Baseline;
use crate::config::graph::SequenceConfig;
use crate::spec::Spec;
use crate::theory::mean_curvature;

/// Curvatures that are looked at, from the largest one down by factors.
const CURVATURES: i32 = 48;
/// The least of them, if nothing is assumed, in units of the largest.
const LEAST: f64 = 1e-6;

/// The answer in one direction of curvature `h`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// The factor by which the distance of the start from the optimum is multiplied.
    pub start: f64,
    /// The variance of the answer.
    pub variance: f64,
}

/// The worst of all curvatures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worst {
    /// `max h r(h)^2`, with the factor `r` of the start.
    pub start: f64,
    /// `max h V(h)`, with the variance `V` of a coefficient.
    pub noise: f64,
    /// `max V(h)`, also for a direction without curvature if none is assumed.
    pub variance: f64,
}

/// The variance of the noise in a coordinate of what leaves in round `t`; that of discrete noise is at most so large, up to its
/// grid.
pub fn variance(noise: &Noise, t: u32) -> f64 {
    let factor = if noise.name().ends_with("laplace") { 2.0 } else { 1.0 };
    noise.schedule().map_or(0.0, |scale| factor * scale.at(t + 1).powi(2))
}

/// The share of the parties that take part in a round, where that is known to be independent of the round.
pub fn share(spec: &Spec) -> Option<f64> {
    match &spec.config.graph.sequence {
        Some(SequenceConfig::Activation(_)) => Some(expected_share(&spec.config)),
        Some(other) if other.may_put_to_sleep() => None,
        _ => Some(1.0),
    }
}

/// The answer after `rounds` rounds of `descent` in a direction of curvature `curvature`, if a share of `nodes` nodes takes part
/// and the noise of one has the variance `variance(t)`.
pub fn response(
    descent: &Descent<'_>,
    rounds: u32,
    (nodes, share): (usize, f64),
    curvature: f64,
    variance: impl Fn(u32) -> f64,
) -> Response {
    let from = descent.average_from.unwrap_or(rounds - 1);
    let weight = 1.0 / f64::from(rounds - from);
    // By what the answer moves with the point after round t: backwards, by the rule of the chain.
    let mut moved = 0.0;
    let mut sum = 0.0;
    for t in (0..rounds).rev() {
        if t >= from {
            moved += weight;
        }
        sum += (moved * descent.enters.factor(descent.step, t)).powi(2) * variance(t);
        moved *= 1.0 - share * descent.step.at(t) * curvature;
    }
    Response { start: moved, variance: share * sum / nodes as f64 }
}

/// The worst of the curvatures that the mean of the objectives can have, from the one that is assumed to the largest that the
/// declared bounds allow. Nothing for other algorithms, losses with corners, sleepers without a known share, and parties alone.
pub fn worst(spec: &Spec, noise: &Noise) -> Option<Worst> {
    let (descent, share) = (spec.method.descent()?, share(spec)?);
    let largest = mean_curvature(&spec.declaration);
    // Parties that never talk have no mean to speak of.
    if !largest.is_finite() || spec.config.baseline == Some(Baseline::Alone) {
        return None;
    }
    let assumed = spec.config.objective.strong_convexity;
    let least = assumed.unwrap_or(LEAST * largest);
    let at =
        |h: f64| response(&descent, spec.config.rounds, (spec.declaration.nodes(), share), h, |t| variance(noise, t));
    let flat = if assumed.is_none() { at(0.0).variance } else { 0.0 };
    let curvatures = (0..=CURVATURES).map(|k| largest * (least / largest).powf(f64::from(k) / f64::from(CURVATURES)));
    let start = Worst { start: 0.0, noise: 0.0, variance: flat };
    Some(curvatures.fold(start, |worst, h| {
        let Response { start, variance } = at(h);
        Worst {
            start: worst.start.max(h * start * start),
            noise: worst.noise.max(h * variance),
            variance: worst.variance.max(variance),
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::Enters;
    use dido_optimizers::Schedule;

    /// Two rounds by hand: `e1 = (1 - 0.5) e0 + w0`, `e2 = (1 - 0.25) e1 + w1`.
    #[test]
    fn two_rounds_by_hand() {
        let step = Schedule::table(vec![0.5, 0.25]);
        let noise = |t: u32| [4.0, 9.0][t as usize];
        let of =
            |average_from, enters| response(&Descent { step: &step, enters, average_from }, 2, (2, 1.0), 1.0, noise);
        let close = |found: Response, start: f64, variance: f64| {
            assert!((found.start - start).abs() < 1e-15 && (found.variance - variance).abs() < 1e-14, "{found:?}");
        };
        // The last point: 0.375 e0 + 0.75 w0 + w1.
        close(of(None, Enters::Point), 0.375, 0.5 * (0.5625 * 4.0 + 9.0));
        // The mean of both: (0.5 + 0.375)/2 e0 + (1 + 0.75)/2 w0 + w1 / 2.
        close(of(Some(0), Enters::Point), 0.4375, 0.5 * (0.765_625 * 4.0 + 0.25 * 9.0));
        // Noise in the gradient: each w is multiplied with its step.
        close(of(None, Enters::Gradient), 0.375, 0.5 * (0.5625 * 0.25 * 4.0 + 0.0625 * 9.0));
        let coupling = Schedule::constant(0.5);
        close(of(None, Enters::Coupled(&coupling)), 0.375, 0.25 * (0.5625 * 4.0 + 9.0) / 2.0);
    }
}
