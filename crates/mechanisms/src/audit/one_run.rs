//! An audit in one run, with many coins (Steinke, Nasr, Jagielski, *Privacy auditing with one (1) training run*, 2023).

use serde::{Deserialize, Serialize};

use super::{Verdict, alpha, binomial, delta_in_range};
use crate::MechanismError;

/// The result of guessing secret coins after one run.
///
/// Each of `canaries` independent fair coins decided which of two adjacent versions of the data was used (whether a record
/// took part, or which of two records did). Of them, `guesses` were guessed and the others left out; `correct` guesses
/// were right. How many are guessed is fixed before looking at the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OneRun {
    canaries: u64,
    guesses: u64,
    correct: u64,
}

/// An epsilon above which a run without a wrong guess is as likely as not, for any number of guesses below `2^60`.
const MOST_EPSILON: f64 = 50.0;

impl OneRun {
    /// Checked counts.
    ///
    /// # Errors
    /// If there are more right guesses than guesses, or more guesses than canaries.
    pub fn new(canaries: u64, guesses: u64, correct: u64) -> Result<Self, MechanismError> {
        for (what, found, most) in [("guesses", guesses, canaries), ("right guesses", correct, guesses)] {
            if found > most {
                return Err(MechanismError::Runs { what, found, most });
            }
        }
        Ok(Self { canaries, guesses, correct })
    }

    /// Coins in all.
    pub fn canaries(self) -> u64 {
        self.canaries
    }

    /// Coins guessed.
    pub fn guesses(self) -> u64 {
        self.guesses
    }

    /// Coins guessed right.
    pub fn correct(self) -> u64 {
        self.correct
    }

    /// A bound on the probability of so many right guesses, or more, if the run is `(epsilon, delta)`-differentially
    /// private: the binomial tail at `e^epsilon / (1 + e^epsilon)` plus `2 m delta max_i P(v - i <= X < v) / i`
    /// (Theorem 5.2).
    ///
    /// # Errors
    /// If `epsilon` is negative or NaN, or `delta` not in `[0, 1)`.
    pub fn p_value(self, epsilon: f64, delta: f64) -> Result<f64, MechanismError> {
        if epsilon.is_nan() || epsilon < 0.0 {
            return Err(MechanismError::Epsilon(epsilon));
        }
        let delta = delta_in_range(delta)?;
        let (guesses, correct) = (self.guesses, self.correct);
        let right = 1.0 / (1.0 + (-epsilon).exp());
        if right >= 1.0 {
            return Ok(1.0);
        }
        let tail = binomial::at_least(correct, guesses, right);
        if delta <= 0.0 || tail >= 1.0 {
            return Ok(tail.min(1.0));
        }
        let (mut sum, mut largest) = (0.0, 0.0_f64);
        for i in 1..=correct {
            sum += binomial::pmf(correct - i, guesses, right);
            largest = largest.max(sum / i as f64);
        }
        Ok((tail + 2.0 * self.canaries as f64 * largest * delta).min(1.0))
    }

    /// The largest epsilon that is refuted at this confidence; 0 if none is.
    ///
    /// # Errors
    /// If `delta` or `confidence` is out of range.
    pub fn epsilon_lower(self, delta: f64, confidence: f64) -> Result<f64, MechanismError> {
        let alpha = alpha(confidence)?;
        let refuted = |epsilon: f64| Ok::<_, MechanismError>(self.p_value(epsilon, delta)? < alpha);
        if !refuted(0.0)? {
            return Ok(0.0);
        }
        let (mut low, mut high) = (0.0, MOST_EPSILON);
        while high - low > 1e-12 * high {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if refuted(middle)? { low = middle } else { high = middle }
        }
        Ok(low)
    }

    /// The most that these numbers of canaries and guesses can show: all guesses right.
    ///
    /// # Errors
    /// As [`epsilon_lower`](Self::epsilon_lower).
    pub fn ceiling(self, delta: f64, confidence: f64) -> Result<f64, MechanismError> {
        Self { correct: self.guesses, ..self }.epsilon_lower(delta, confidence)
    }

    /// Whether the claim `(epsilon, delta)` is refuted; inconclusive if all guesses right would not have done so.
    ///
    /// # Errors
    /// As [`p_value`](Self::p_value) and [`epsilon_lower`](Self::epsilon_lower).
    pub fn verdict(self, epsilon: f64, delta: f64, confidence: f64) -> Result<Verdict, MechanismError> {
        let alpha = alpha(confidence)?;
        let perfect = Self { correct: self.guesses, ..self };
        Ok(if self.p_value(epsilon, delta)? < alpha {
            Verdict::Violation
        } else if perfect.p_value(epsilon, delta)? < alpha {
            Verdict::Pass
        } else {
            Verdict::Inconclusive
        })
    }
}
