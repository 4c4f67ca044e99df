//! `extra`: EXTRA on released gradients.

use std::sync::Arc;

use dido_geometry::Set;
use dido_mechanisms::Public;
use dido_optimizers::{Algorithm, Schedule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Checks, Descent, Enters, GRADIENT, Kind, Method, Takes};
use crate::config::SetConfig;
use crate::config::algorithm::half;
use crate::error::ExperimentError;
use crate::spec::Spec;

/// EXTRA.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtraConfig {
    /// The set that holds the solution, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<SetConfig>,
    /// The step size, the same in every round.
    pub step: f64,
    /// The length to which gradients are scaled down, if they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<f64>,
    /// The fraction of the rounds before averaging begins.
    #[serde(default = "half")]
    pub average_from: f64,
}

impl Kind for ExtraConfig {
    const TAKES: Takes = Takes::LEAST;

    fn check(&self, checks: &Checks<'_>) -> Result<Arc<dyn Method>, ExperimentError> {
        let set = checks.set_or_whole(self.set.as_ref())?;
        let clip = checks.clip(self.clip)?;
        let average_from = checks.average_from(self.average_from)?;
        Ok(Arc::new(Extra { set, step: checks.step(&Schedule::constant(self.step))?, clip, average_from }))
    }
}

#[derive(Clone, Debug)]
struct Extra {
    set: Set,
    /// A constant.
    step: Schedule,
    clip: Option<f64>,
    average_from: u32,
}

impl Method for Extra {
    fn build(&self, _spec: &Spec, zeros: Public) -> Box<dyn Algorithm> {
        let extra = dido_optimizers::Extra::new(self.set.clone(), self.step.at(0), self.average_from, zeros);
        let extra = extra.expect("the step was checked");
        Box::new(if let Some(clip) = self.clip { extra.clipped(clip) } else { extra })
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
}
