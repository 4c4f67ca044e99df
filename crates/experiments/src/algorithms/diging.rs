//! `diging`: gradient tracking on released gradients.

use std::sync::Arc;

use dido_geometry::Set;
use dido_mechanisms::Public;
use dido_optimizers::{Algorithm, Schedule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Checks, Descent, Enters, GRADIENT, Kind, Method, Sequences, Takes};
use crate::config::SetConfig;
use crate::config::algorithm::half;
use crate::error::ExperimentError;
use crate::spec::Spec;

/// Gradient tracking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DIGingConfig {
    /// The set that holds the solution, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<SetConfig>,
    /// The step size of each round.
    pub step: Schedule,
    /// The length to which gradients are scaled down, if they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<f64>,
    /// The fraction of the rounds before averaging begins.
    #[serde(default = "half")]
    pub average_from: f64,
}

impl Kind for DIGingConfig {
    const TAKES: Takes = Takes { sequences: Sequences::Any, ..Takes::LEAST };

    fn check(&self, checks: &Checks<'_>) -> Result<Arc<dyn Method>, ExperimentError> {
        let set = checks.set_or_whole(self.set.as_ref())?;
        let clip = checks.clip(self.clip)?;
        let average_from = checks.average_from(self.average_from)?;
        Ok(Arc::new(DIGing { set, step: checks.step(&self.step)?, clip, average_from }))
    }
}

#[derive(Clone, Debug)]
struct DIGing {
    set: Set,
    step: Schedule,
    clip: Option<f64>,
    average_from: u32,
}

impl Method for DIGing {
    fn build(&self, _spec: &Spec, zeros: Public) -> Box<dyn Algorithm> {
        let Self { set, step, clip, average_from } = self.clone();
        let diging = dido_optimizers::DIGing::new(set, step, average_from, zeros);
        Box::new(if let Some(clip) = clip { diging.clipped(clip) } else { diging })
    }

    fn released(&self) -> String {
        GRADIENT.to_owned()
    }

    fn step(&self) -> Option<&Schedule> {
        Some(&self.step)
    }

    fn step_of_release(&self) -> Option<&Schedule> {
        None
    }

    fn set(&self) -> &Set {
        &self.set
    }

    fn clip(&self) -> Option<f64> {
        self.clip
    }

    fn descent(&self) -> Option<Descent<'_>> {
        Some(Descent { step: &self.step, enters: Enters::Gradient, average_from: Some(self.average_from) })
    }

    fn exchanges(&self) -> u32 {
        2
    }
}
