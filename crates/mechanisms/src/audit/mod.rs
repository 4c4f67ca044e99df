//! Audits: trying to refute a claim of differential privacy.
//!
//! | audit | looks at | can show |
//! |---|---|---|
//! | transcript ([`compare`], [`Evidence`]) | everything that was sent, and the data | that a run lost more than it may, that a value moved by more than was declared, that the noise is not what the ledger says |
//! | threshold test ([`Scores`], [`Counts`]) | one number of each of many runs on two data sets | a lower bound on epsilon, below a [`ceiling`] set by the number of runs |
//! | one run ([`OneRun`]) | guesses at many coins in one run | a lower bound on epsilon, from one run |
//! | [`Granularity`] | the last bits of outputs | that outputs are not on the grid that hides values |
//!
//! An audit can refute and cannot prove: [`Verdict::Pass`] says that this audit, which might have refuted the claim, did
//! not. What is rarer than one run in `n` is out of reach of `n` runs.
//!
//! **An audit looks at data**: its figures are not private, and are for the owner of the data only.

mod binomial;
mod compare;
mod evidence;
mod granularity;
mod mean;
mod noise;
mod one_run;
mod threshold;
mod transcript;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::MechanismError;

pub use binomial::{proportion_lower, proportion_upper};
pub use compare::{Comparison, Moved, compare};
pub use evidence::{DeltaEstimate, Evidence, TranscriptAudit};
pub use granularity::Granularity;
pub use mean::{mean_lower, mean_upper};
pub use noise::NoiseCheck;
pub use one_run::OneRun;
pub use threshold::{Counts, Scores, ThresholdAudit, ceiling, runs_to_refute};
pub(crate) use transcript::Replay;
pub use transcript::Transcript;

/// The outcome of an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// The audit might have refuted the claim and did not. This proves nothing.
    Pass,
    /// The claim is refuted, up to the confidence of the audit.
    Violation,
    /// The audit could not have refuted the claim, or its figures are neither within the claim nor clearly beyond.
    Inconclusive,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pass => "PASS",
            Self::Violation => "VIOLATION",
            Self::Inconclusive => "INCONCLUSIVE",
        })
    }
}

/// The error probability `1 - confidence`.
fn alpha(confidence: f64) -> Result<f64, MechanismError> {
    if confidence > 0.0 && confidence < 1.0 {
        Ok(1.0 - confidence)
    } else {
        Err(MechanismError::Confidence(confidence))
    }
}

/// `delta`, if it is in `[0, 1)`.
fn delta_in_range(delta: f64) -> Result<f64, MechanismError> {
    if (0.0..1.0).contains(&delta) { Ok(delta) } else { Err(MechanismError::Delta(delta)) }
}
