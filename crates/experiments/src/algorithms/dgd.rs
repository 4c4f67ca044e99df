//! `dgd`: decentralised gradient descent, with noise in the message or in the gradient; clipped, or of losses of bounded slope.

use std::sync::Arc;

use dido_mechanisms::Public;
use dido_optimizers::{Algorithm, Clip, Perturbed, Schedule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Checks, Descent, Enters, Kind, Method, Sequences, Takes};
use crate::config::algorithm::half;
use crate::error::ExperimentError;
use crate::spec::Spec;

/// Decentralised gradient descent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DgdConfig {
    /// The step size of each round.
    pub step: Schedule,
    /// The fraction of the rounds before averaging begins.
    #[serde(default = "half")]
    pub average_from: f64,
    /// What noise is added to.
    #[serde(default, skip_serializing_if = "is_message")]
    #[schemars(extend("default" = PerturbConfig::default()))]
    pub perturb: PerturbConfig,
    /// What is clipped, and to which length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<ClipConfig>,
}

/// `perturb`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PerturbConfig {
    /// What is sent.
    #[default]
    Message,
    /// The gradient, before it is multiplied with the step.
    Gradient,
}

/// Files of before, and their digests, know nothing of it.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_message(perturb: &PerturbConfig) -> bool {
    *perturb == PerturbConfig::Message
}

/// `clip`
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClipConfig {
    /// The gradient of every record.
    Record(f64),
    /// The gradient of a party.
    Gradient(f64),
}

impl ClipConfig {
    /// What is clipped, if the length is one.
    pub(super) fn check(self, checks: &Checks<'_>) -> Result<Clip, ExperimentError> {
        Ok(match self {
            Self::Record(norm) => Clip::Record(checks.length("algorithm.clip.record", norm)?),
            Self::Gradient(norm) => Clip::Gradient(checks.length("algorithm.clip.gradient", norm)?),
        })
    }
}

impl Kind for DgdConfig {
    const TAKES: Takes = Takes { sequences: Sequences::Any, ..Takes::LEAST };

    fn check(&self, checks: &Checks<'_>) -> Result<Arc<dyn Method>, ExperimentError> {
        let average_from = checks.average_from(self.average_from)?;
        let perturbed = match self.perturb {
            PerturbConfig::Message => Perturbed::Message,
            PerturbConfig::Gradient => Perturbed::Gradient,
        };
        let clip = self.clip.map(|clip| clip.check(checks)).transpose()?;
        Ok(Arc::new(Dgd { step: checks.step(&self.step)?, average_from, perturbed, clip }))
    }
}

#[derive(Clone, Debug)]
struct Dgd {
    step: Schedule,
    average_from: u32,
    perturbed: Perturbed,
    clip: Option<Clip>,
}

impl Method for Dgd {
    fn build(&self, _spec: &Spec, zeros: Public) -> Box<dyn Algorithm> {
        let dgd = dido_optimizers::Dgd::new(self.step.clone(), self.average_from, zeros).with_noise_in(self.perturbed);
        Box::new(match self.clip {
            None => dgd,
            Some(clip) => dgd.with_clip(clip),
        })
    }

    fn released(&self) -> String {
        let clipped = match self.clip {
            None => "",
            Some(Clip::Record(_)) => ", the gradient of each record clipped",
            Some(Clip::Gradient(_)) => ", clipped",
        };
        match self.perturbed {
            Perturbed::Message => {
                format!("b_i(t+1) = sum_j w_ij b_j(t) - step(t) grad f_i(b_i(t)) + noise_i(t+1){clipped}")
            }
            Perturbed::Gradient => {
                format!("grad f_i(b_i(t)) + noise_i(t+1){clipped}; the parties step along it and mix")
            }
        }
    }

    fn step(&self) -> Option<&Schedule> {
        Some(&self.step)
    }

    fn step_of_release(&self) -> Option<&Schedule> {
        (self.perturbed == Perturbed::Message).then_some(&self.step)
    }

    fn clip(&self) -> Option<f64> {
        if let Some(Clip::Gradient(norm)) = self.clip { Some(norm) } else { None }
    }

    fn record_clip(&self) -> Option<f64> {
        if let Some(Clip::Record(norm)) = self.clip { Some(norm) } else { None }
    }

    fn unbounded(&self) -> (&'static str, &'static str) {
        (
            "algorithm.kind",
            "dgd has no bounded set, so its gradients have no finite sensitivity: use projected-dgd, clip, a loss of \
             bounded slope, or noise.kind = \"none\"",
        )
    }

    fn descent(&self) -> Option<Descent<'_>> {
        let enters = match self.perturbed {
            Perturbed::Message => Enters::Point,
            Perturbed::Gradient => Enters::Gradient,
        };
        Some(Descent { step: &self.step, enters, average_from: Some(self.average_from) })
    }
}
