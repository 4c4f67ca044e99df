//! The two-world test: scores of runs on two data sets, a threshold, and what the error rates say about epsilon.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

use super::{Verdict, alpha, delta_in_range, proportion_upper};
use crate::MechanismError;

/// Errors of a test that tells two data sets apart: on independent runs, each with noise of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Runs on the one data set (negatives).
    pub negatives: u64,
    /// Those of them that the test takes for runs on the other one.
    pub false_positives: u64,
    /// Runs on the other data set (positives).
    pub positives: u64,
    /// Those of them that the test takes for runs on the one.
    pub false_negatives: u64,
}

impl Counts {
    /// Upper bounds on the two error rates, (false positives, false negatives), which hold together.
    ///
    /// # Errors
    /// If there are more errors than runs, or no runs, or `confidence` is not in `(0, 1)`.
    pub fn rates(self, confidence: f64) -> Result<(f64, f64), MechanismError> {
        let half = 0.5 * alpha(confidence)?;
        let fpr = proportion_upper(self.false_positives, self.negatives, half)?;
        let fnr = proportion_upper(self.false_negatives, self.positives, half)?;
        Ok((fpr, fnr))
    }

    /// The largest epsilon that is refuted at `delta`: the larger of `ln((1 - delta - FNR) / FPR)` and the same with the data
    /// sets exchanged, and 0. Clopper-Pearson bounds at half the error probability each, so that both directions hold.
    ///
    /// # Errors
    /// As [`rates`](Self::rates); if `delta` is not in `[0, 1)`.
    pub fn epsilon_lower(self, delta: f64, confidence: f64) -> Result<f64, MechanismError> {
        let (fpr, fnr) = self.rates(confidence)?;
        let power = 1.0 - delta_in_range(delta)?;
        let bound = |miss: f64, alarm: f64| if power > miss { ((power - miss) / alarm).ln() } else { 0.0 };
        Ok(bound(fnr, fpr).max(bound(fpr, fnr)).max(0.0))
    }

    /// A lower bound on `mu` of Gaussian differential privacy, `Phi^-1(1 - FPR) - Phi^-1(FNR)`.
    ///
    /// **Valid only if the trade-off between the two errors is Gaussian**, as it is for Gaussian noise without sampling. Then
    /// it is tighter than [`epsilon_lower`](Self::epsilon_lower); otherwise it bounds nothing.
    ///
    /// # Errors
    /// As [`rates`](Self::rates).
    pub fn mu_lower_if_gaussian(self, confidence: f64) -> Result<f64, MechanismError> {
        let (fpr, fnr) = self.rates(confidence)?;
        let normal = Normal::standard();
        // A bound of 1 says nothing about that error, and so the pair says nothing.
        if fpr >= 1.0 || fnr >= 1.0 {
            return Ok(0.0);
        }
        Ok((-normal.inverse_cdf(fpr) - normal.inverse_cdf(fnr)).max(0.0))
    }
}

/// The most that `runs` runs on each data set can show: no error at all.
///
/// # Errors
/// If there are no runs, or `delta` or `confidence` is out of range.
pub fn ceiling(runs: u64, delta: f64, confidence: f64) -> Result<f64, MechanismError> {
    Counts { negatives: runs, false_positives: 0, positives: runs, false_negatives: 0 }.epsilon_lower(delta, confidence)
}

/// How many runs on each data set refute the claim, for a test with these error rates: the counts are taken as expected,
/// rounded up. None if such a test refutes it with no number of runs below `2^40`.
///
/// # Errors
/// If a rate is not in `[0, 1]`, or `epsilon`, `delta` or `confidence` is out of range.
pub fn runs_to_refute(
    (fpr, fnr): (f64, f64),
    epsilon: f64,
    delta: f64,
    confidence: f64,
) -> Result<Option<u64>, MechanismError> {
    for rate in [fpr, fnr] {
        if !(0.0..=1.0).contains(&rate) {
            return Err(MechanismError::Bound { name: "error rate", value: rate });
        }
    }
    if epsilon.is_nan() || epsilon < 0.0 {
        return Err(MechanismError::Epsilon(epsilon));
    }
    // With the rates themselves in place of their bounds: what is approached with ever more runs.
    let power = 1.0 - delta_in_range(delta)?;
    alpha(confidence)?;
    let limit = ((power - fnr) / fpr).ln().max(((power - fpr) / fnr).ln());
    // NaN, of a useless test, ends here too.
    if limit.is_nan() || limit <= epsilon * (1.0 + 1e-12) {
        return Ok(None);
    }
    let refutes = |runs: u64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of fewer than 2^40 runs")]
        let errors = |rate: f64| (rate * runs as f64).ceil() as u64;
        let (false_positives, false_negatives) = (errors(fpr), errors(fnr));
        let counts = Counts { negatives: runs, false_positives, positives: runs, false_negatives };
        Ok::<_, MechanismError>(counts.epsilon_lower(delta, confidence)? > epsilon)
    };
    let Some(mut high) = (0..40).map(|k| 1_u64 << k).find_map(|runs| match refutes(runs) {
        Ok(true) => Some(Ok(runs)),
        Ok(false) => None,
        Err(error) => Some(Err(error)),
    }) else {
        return Ok(None);
    };
    let mut low = high.clone()? / 2;
    while high.clone()? - low > 1 {
        let middle = low.midpoint(high.clone()?);
        if refutes(middle)? { high = Ok(middle) } else { low = middle }
    }
    high.map(Some)
}

/// Scores of runs on two data sets: any number that a run shows to the adversary, the more telling the better.
#[derive(Clone, Copy, Debug)]
pub struct Scores<'a> {
    /// Of runs on the one data set.
    pub one: &'a [f64],
    /// Of runs on the other one.
    pub other: &'a [f64],
}

/// What a threshold test found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThresholdAudit {
    /// Scores on one side of it are taken for runs on the other data set.
    pub threshold: f64,
    /// Whether it is the side above, rather than the side below or at the threshold.
    pub above: bool,
    /// The errors on the runs that did not choose the threshold.
    pub counts: Counts,
    /// The largest epsilon that is refuted.
    pub epsilon_lower: f64,
    /// The most that so many runs can show.
    pub ceiling: f64,
    /// Against the claim.
    pub verdict: Verdict,
}

impl Scores<'_> {
    /// The first half of the runs chooses the threshold and the side, the second half is counted: a threshold chosen on the runs it is
    /// counted on would refute true claims. Scores of no information give 0.
    ///
    /// # Errors
    /// If a data set has fewer than two runs, a score is NaN, or `epsilon`, `delta` or `confidence` is out of range.
    pub fn audit(self, epsilon: f64, delta: f64, confidence: f64) -> Result<ThresholdAudit, MechanismError> {
        for scores in [self.one, self.other] {
            if scores.len() < 2 {
                return Err(MechanismError::Runs { what: "runs", found: scores.len() as u64, most: u64::MAX });
            }
            if let Some(position) = scores.iter().position(|score| score.is_nan()) {
                return Err(MechanismError::NotFinite { position });
            }
        }
        if epsilon.is_nan() || epsilon < 0.0 {
            return Err(MechanismError::Epsilon(epsilon));
        }
        let (one, other) = (self.one.split_at(self.one.len() / 2), self.other.split_at(self.other.len() / 2));
        let (threshold, above) = best_threshold(one.0, other.0, delta, confidence)?;
        let counts = count(one.1, other.1, threshold, above);
        let epsilon_lower = counts.epsilon_lower(delta, confidence)?;
        let ceiling = Counts { false_positives: 0, false_negatives: 0, ..counts }.epsilon_lower(delta, confidence)?;
        let verdict = if epsilon_lower > epsilon {
            Verdict::Violation
        } else if ceiling > epsilon {
            Verdict::Pass
        } else {
            Verdict::Inconclusive
        };
        Ok(ThresholdAudit { threshold, above, counts, epsilon_lower, ceiling, verdict })
    }
}

/// Thresholds that are tried; each costs two Clopper-Pearson bounds.
const CANDIDATES: usize = 200;

/// The threshold and the side with the largest bound on these runs.
fn best_threshold(one: &[f64], other: &[f64], delta: f64, confidence: f64) -> Result<(f64, bool), MechanismError> {
    let mut candidates = [one, other].concat();
    candidates.sort_by(f64::total_cmp);
    candidates.dedup();
    let every = candidates.len().div_ceil(CANDIDATES);
    let mut best = (f64::NEG_INFINITY, candidates[0], true);
    for &threshold in candidates.iter().step_by(every) {
        for above in [true, false] {
            let bound = count(one, other, threshold, above).epsilon_lower(delta, confidence)?;
            if bound > best.0 {
                best = (bound, threshold, above);
            }
        }
    }
    Ok((best.1, best.2))
}

fn count(one: &[f64], other: &[f64], threshold: f64, above: bool) -> Counts {
    let taken = |scores: &[f64]| scores.iter().filter(|&&score| (score > threshold) == above).count() as u64;
    let (negatives, positives) = (one.len() as u64, other.len() as u64);
    Counts { negatives, false_positives: taken(one), positives, false_negatives: positives - taken(other) }
}
