//! `clipped-dgd`: DGD on clipped gradients, with noise that neighbours share if asked for.

use std::sync::Arc;

use dido_mechanisms::{Adversary, Public};
use dido_optimizers::{Algorithm, Clip, Schedule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::dgd::ClipConfig;
use super::{Checks, Descent, Enters, Kind, Method, Sequences, Takes};
use crate::config::algorithm::half;
use crate::config::{MechanismConfig, NoiseConfig};
use crate::error::ExperimentError;
use crate::report::significant;
use crate::spec::Spec;

/// DGD on clipped gradients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClippedDgdConfig {
    /// The step size of each round.
    pub step: Schedule,
    /// What is clipped, and to which length.
    pub clip: ClipConfig,
    /// The noise that two neighbours share, in multiples of a party's own, if they share some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_noise: Option<f64>,
    /// The fraction of the rounds before averaging begins.
    #[serde(default = "half")]
    pub average_from: f64,
}

/// Floating-point numbers have some sixteen digits: of noise wider than this they keep too few of what it is added to.
const MOST_SHARED: f64 = 1e6;

/// With more parties, of which each may be the one that looks, the inverses take too long.
const MOST_VIEWERS: usize = 300;

impl Kind for ClippedDgdConfig {
    const TAKES: Takes = Takes { sequences: Sequences::Any, ..Takes::LEAST };

    fn check(&self, checks: &Checks<'_>) -> Result<Arc<dyn Method>, ExperimentError> {
        let clip = self.clip.check(checks)?;
        let average_from = checks.average_from(self.average_from)?;
        if let Some(ratio) = self.shared_noise {
            checks.positive("algorithm.shared_noise", ratio)?;
            let message = format!("{ratio} is above {MOST_SHARED}: rounding it would lose what it hides");
            checks.at.require("algorithm.shared_noise", ratio <= MOST_SHARED, message)?;
            shares(checks)?;
        }
        Ok(Arc::new(ClippedDgd { step: checks.step(&self.step)?, clip, ratio: self.shared_noise, average_from }))
    }
}

/// Whether the rest of the experiment goes with shared noise.
fn shares(checks: &Checks<'_>) -> Result<(), ExperimentError> {
    let Checks { at, config, .. } = checks;
    let gaussian = match &config.privacy.noise {
        // Without noise there is none to share: what a run with noise is compared with.
        NoiseConfig::None(_) | NoiseConfig::Gaussian(_) => true,
        NoiseConfig::Calibrated(calibrated) => calibrated.mechanism == MechanismConfig::Gaussian,
        _ => false,
    };
    at.require("privacy.noise", gaussian, "noise that parties share is gaussian")?;
    at.require(
        "baseline",
        config.baseline.is_none(),
        "a baseline has no neighbours to share noise with: leave one out",
    )?;
    let fixed = config.graph.sequence.is_none();
    at.require("graph.sequence", fixed, "parties share noise with the same neighbours in every round: leave it out")?;
    let (parties, viewers) = (config.data.records.len(), "shared noise is accounted against everybody or one party");
    match config.privacy.adversary {
        Adversary::Colluders(1) => {
            let message = format!("any one of {parties} parties: shared noise is accounted for {MOST_VIEWERS} at most");
            at.require("privacy.adversary", parties <= MOST_VIEWERS, message)
        }
        Adversary::Colluders(_) => Err(at.key("privacy.adversary", viewers)),
        _ => Ok(()),
    }
}

#[derive(Clone, Debug)]
struct ClippedDgd {
    step: Schedule,
    clip: Clip,
    ratio: Option<f64>,
    average_from: u32,
}

impl Method for ClippedDgd {
    fn build(&self, _spec: &Spec, zeros: Public) -> Box<dyn Algorithm> {
        Box::new(dido_optimizers::ClippedDgd::new(self.step.clone(), self.clip, self.average_from, zeros))
    }

    fn released(&self) -> String {
        let plain = "y_i(t+1) = b_i(t) - step(t) clipped grad f_i(b_i(t)) + noise_i(t+1), b_i(t) = sum_j w_ij y_j(t)";
        match self.ratio {
            None => plain.to_owned(),
            Some(ratio) => format!(
                "{plain}; to noise_i each pair of neighbours adds noise {} times as wide, one what the other subtracts: the \
                 guarantee counts what that is worth to the adversary",
                significant(ratio)
            ),
        }
    }

    fn step(&self) -> Option<&Schedule> {
        Some(&self.step)
    }

    fn clip(&self) -> Option<f64> {
        if let Clip::Gradient(norm) = self.clip { Some(norm) } else { None }
    }

    fn record_clip(&self) -> Option<f64> {
        if let Clip::Record(norm) = self.clip { Some(norm) } else { None }
    }

    fn shared_noise(&self) -> Option<f64> {
        self.ratio
    }

    fn descent(&self) -> Option<Descent<'_>> {
        Some(Descent { step: &self.step, enters: Enters::Point, average_from: Some(self.average_from) })
    }
}
