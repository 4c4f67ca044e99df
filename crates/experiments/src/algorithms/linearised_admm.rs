//! `linearised-admm`: decentralised linearised ADMM on released gradients.

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
use crate::report::significant;
use crate::spec::Spec;

/// Linearised ADMM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinearisedAdmmConfig {
    /// The set that holds the solution, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<SetConfig>,
    /// The penalty `c` on disagreement.
    pub penalty: f64,
    /// `rho`, that holds a point where its gradient was taken.
    pub proximity: f64,
    /// The length to which gradients are scaled down, if they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<f64>,
    /// The fraction of the rounds before averaging begins.
    #[serde(default = "half")]
    pub average_from: f64,
}

impl Kind for LinearisedAdmmConfig {
    const TAKES: Takes = Takes::LEAST;

    fn check(&self, checks: &Checks<'_>) -> Result<Arc<dyn Method>, ExperimentError> {
        let set = checks.set_or_whole(self.set.as_ref())?;
        let penalty = checks.positive("algorithm.penalty", self.penalty)?;
        let proximity = checks.positive("algorithm.proximity", self.proximity)?;
        let (clip, average_from) = (checks.clip(self.clip)?, checks.average_from(self.average_from)?);
        let step = Schedule::constant(1.0 / (2.0 * penalty + proximity));
        Ok(Arc::new(LinearisedAdmm { set, penalty, proximity, step, clip, average_from }))
    }
}

#[derive(Clone, Debug)]
struct LinearisedAdmm {
    set: Set,
    penalty: f64,
    proximity: f64,
    /// What they amount to.
    step: Schedule,
    clip: Option<f64>,
    average_from: u32,
}

impl Method for LinearisedAdmm {
    fn build(&self, _spec: &Spec, zeros: Public) -> Box<dyn Algorithm> {
        let Self { set, penalty, proximity, clip, average_from, .. } = self.clone();
        let admm = dido_optimizers::LinearisedAdmm::new(set, penalty, proximity, average_from, zeros);
        let admm = admm.expect("penalty and proximity were checked");
        Box::new(if let Some(clip) = clip { admm.clipped(clip) } else { admm })
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

    fn in_place_of_step(&self) -> Option<String> {
        let [penalty, proximity] = [self.penalty, self.proximity].map(significant);
        Some(format!("penalty c = {penalty} and proximity rho = {proximity}: steps of 1 / (2 c + rho)"))
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
