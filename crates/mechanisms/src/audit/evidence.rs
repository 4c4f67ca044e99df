//! What many transcripts say together.

use serde::{Deserialize, Serialize};

use super::{Comparison, Moved, NoiseCheck, Verdict, alpha, delta_in_range, mean_lower, mean_upper};
use crate::MechanismError;

/// Comparisons of transcripts of one pair of data sets, in both directions.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    forward: Vec<f64>,
    backward: Vec<f64>,
    moved: Option<Moved>,
    off_grid: u64,
    noise: NoiseCheck,
}

/// An estimate of the delta of a pair of data sets in one direction, `E[(1 - e^(epsilon - L))_+]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeltaEstimate {
    /// The mean over runs.
    pub estimate: f64,
    /// The delta is larger, with the confidence of the audit.
    pub lower: f64,
    /// The delta is smaller, with the confidence of the audit.
    pub upper: f64,
}

/// What an audit of transcripts found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TranscriptAudit {
    /// Runs on each of the two data sets.
    pub runs: usize,
    /// The largest absolute log-likelihood ratio of any run, in nats.
    pub largest_loss: f64,
    /// The mean ratio of the runs on the one data set, an estimate of the Kullback-Leibler divergence.
    pub mean_loss: f64,
    /// Delta at the claimed epsilon, of runs on the one data set against the other: the larger estimate of both directions.
    pub delta: DeltaEstimate,
    /// How much of its declared sensitivity a release used, at most.
    pub moved: Option<Moved>,
    /// Draws of noise that were checked.
    pub noise_draws: u64,
    /// The distance of their distribution function from the declared one.
    pub noise_distance: f64,
    /// The distance up to which that is chance.
    pub noise_allowed: f64,
    /// Pairs of releases with the same noise.
    pub noise_repeated: u64,
    /// Messages that are not on the grid of their mechanism.
    pub off_grid: u64,
    /// All of it in a word.
    pub verdict: Verdict,
    /// What is violated, or why nothing can be said; one line each.
    pub reasons: Vec<String>,
}

/// What rounding may add, relative to the bound. Values are computed to some `1e-14`, sums of up to a million terms to
/// some `1e-11`.
const ROUNDING: f64 = 1e-9;

/// Releases that move by less than this share of what they may hardly test the claim.
const HARMLESS: f64 = 0.01;

impl Evidence {
    /// Takes in transcripts of runs on the one data set, compared with the other.
    pub fn forward(&mut self, comparison: Comparison) {
        self.forward.extend_from_slice(&comparison.losses);
        self.common(comparison);
    }

    /// Takes in transcripts of runs on the other data set, compared with the one.
    pub fn backward(&mut self, comparison: Comparison) {
        self.backward.extend_from_slice(&comparison.losses);
        self.common(comparison);
    }

    fn common(&mut self, comparison: Comparison) {
        let share = |moved: Option<Moved>| moved.map_or(f64::NEG_INFINITY, |m| m.share);
        if share(comparison.moved) > share(self.moved) {
            self.moved = comparison.moved;
        }
        self.off_grid += comparison.off_grid;
        self.noise.merge(comparison.noise);
    }

    /// Log-likelihood ratios of the runs on the one data set: the optimal scores of a [threshold test](super::Scores),
    /// high for the one. Those of the other data set are the negated [`backward_losses`](Self::backward_losses).
    pub fn forward_losses(&self) -> &[f64] {
        &self.forward
    }

    /// Log-likelihood ratios of the runs on the other data set, high for the other.
    pub fn backward_losses(&self) -> &[f64] {
        &self.backward
    }

    /// Holds the evidence against a claim of `(epsilon, delta)`-differential privacy, and against `pure`, the sum of the pure
    /// losses of the releases, which no single run may exceed (infinite if there is none).
    ///
    /// The checks of single runs, values and grids are exact. Half the error probability goes to the two bounds on delta,
    /// half to the law of the noise.
    ///
    /// # Errors
    /// If there are no runs, or `epsilon`, `pure`, `delta` or `confidence` is out of range.
    pub fn audit(
        &self,
        epsilon: f64,
        delta: f64,
        pure: f64,
        confidence: f64,
    ) -> Result<TranscriptAudit, MechanismError> {
        for (claim, most) in [(epsilon, f64::MAX), (pure, f64::INFINITY)] {
            if !(0.0..=most).contains(&claim) {
                return Err(MechanismError::Epsilon(claim));
            }
        }
        let (alpha, delta) = (alpha(confidence)?, delta_in_range(delta)?);
        if self.forward.is_empty() || self.backward.is_empty() {
            return Err(MechanismError::Runs { what: "runs", found: 0, most: 0 });
        }
        let estimates = [&self.forward, &self.backward].map(|losses| estimate(losses, epsilon, 0.25 * alpha));
        let [forward, backward] = estimates;
        let (forward, backward) = (forward?, backward?);
        let all = self.forward.iter().chain(&self.backward);
        let mut found = TranscriptAudit {
            runs: self.forward.len().min(self.backward.len()),
            largest_loss: all.fold(0.0, |largest, loss| largest.max(loss.abs())),
            mean_loss: self.forward.iter().sum::<f64>() / self.forward.len() as f64,
            delta: if backward.estimate > forward.estimate { backward } else { forward },
            moved: self.moved,
            noise_draws: self.noise.draws(),
            noise_distance: self.noise.distance(),
            noise_allowed: self.noise.allowed(0.5 * alpha),
            noise_repeated: self.noise.repeated(),
            off_grid: self.off_grid,
            verdict: Verdict::Pass,
            reasons: vec![],
        };
        let lower = forward.lower.max(backward.lower);
        found.reasons = found.violations((epsilon, delta, lower), pure);
        if !found.reasons.is_empty() {
            found.verdict = Verdict::Violation;
        } else if let Some(reason) = found.doubt(epsilon, delta) {
            found.verdict = Verdict::Inconclusive;
            found.reasons.push(reason);
        }
        Ok(found)
    }
}

impl TranscriptAudit {
    fn violations(&self, (epsilon, delta, lower): (f64, f64, f64), pure: f64) -> Vec<String> {
        let mut reasons = vec![];
        let largest = self.largest_loss;
        let mut add = |holds: bool, reason: String| reasons.extend((!holds).then_some(reason));
        add(within(largest, pure), format!("a run lost {largest}, its releases allow {pure}"));
        if delta > 0.0 {
            add(lower <= delta, format!("delta at epsilon {epsilon} is above {lower}, {delta} is claimed"));
        } else {
            add(within(largest, epsilon), format!("a run lost {largest}, the pure epsilon claimed is {epsilon}"));
        }
        if let Some(Moved { share, node, round }) = self.moved {
            let reason =
                format!("node {node} released a value in round {round} that moves by {share} times its sensitivity");
            add(within(share, 1.0), reason);
        }
        let (distance, allowed) = (self.noise_distance, self.noise_allowed);
        add(
            distance <= allowed,
            format!("the noise is not the declared one: {distance} away, chance allows {allowed}"),
        );
        let repeated = self.noise_repeated;
        add(repeated == 0, format!("noise was used again, {repeated} times"));
        add(self.off_grid == 0, format!("{} numbers are not on the grid of their noise", self.off_grid));
        reasons
    }

    fn doubt(&self, epsilon: f64, delta: f64) -> Option<String> {
        let DeltaEstimate { estimate, .. } = self.delta;
        if delta > 0.0 && estimate > delta {
            Some(format!(
                "delta at epsilon {epsilon} is estimated as {estimate}, above {delta}, but may be below: more runs"
            ))
        } else if self.moved.is_some_and(|moved| moved.share < HARMLESS) {
            Some("the two data sets are too close to test anything".to_owned())
        } else {
            None
        }
    }
}

/// NaN is not within anything.
fn within(value: f64, bound: f64) -> bool {
    value <= bound * (1.0 + ROUNDING)
}

fn estimate(losses: &[f64], epsilon: f64, alpha: f64) -> Result<DeltaEstimate, MechanismError> {
    // Infinite losses count 1; NaN is an error of the bounds below.
    let excess = |loss: f64| if loss.is_nan() { loss } else { (-(epsilon - loss).exp_m1()).max(0.0) };
    let n = losses.len() as u64;
    let estimate = losses.iter().map(|&loss| excess(loss)).sum::<f64>() / n as f64;
    Ok(DeltaEstimate { estimate, lower: mean_lower(estimate, n, alpha)?, upper: mean_upper(estimate, n, alpha)? })
}
