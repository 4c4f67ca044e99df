//! `wang-nedic`: gradient descent with weakening coupling.

use std::sync::Arc;

use dido_geometry::Set;
use dido_mechanisms::Public;
use dido_optimizers::{Algorithm, OptimizerError, Schedule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Checks, Descent, Enters, Kind, Method, Sequences, Takes};
use crate::config::SetConfig;
use crate::error::ExperimentError;
use crate::report::significant;
use crate::spec::Spec;

/// Wang and Nedic's method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WangNedicConfig {
    /// The set within which gradients are taken.
    pub set: SetConfig,
    /// The step size of each round.
    pub step: Schedule,
    /// The part of what a node hears that enters its state.
    pub coupling: Schedule,
}

impl Kind for WangNedicConfig {
    const TAKES: Takes = Takes { sequences: Sequences::Any, ..Takes::LEAST };

    fn check(&self, checks: &Checks<'_>) -> Result<Arc<dyn Method>, ExperimentError> {
        let (rounds, coupling) = (checks.config.rounds, &self.coupling);
        checks.at.check("algorithm.coupling", coupling.check(rounds))?;
        if let Some((round, value)) = (0..rounds).map(|t| (t, coupling.at(t))).find(|(_, value)| *value > 1.0) {
            return Err(checks.at.key("algorithm.coupling", OptimizerError::Coupling { round, value }));
        }
        let (set, step) = (checks.set(&self.set)?, checks.step(&self.step)?);
        let mut left = 0.0;
        let add = |t| {
            left = (1.0 - coupling.at(t)) * left + step.at(t);
            left
        };
        let left = (0..rounds).map(add).collect();
        Ok(Arc::new(WangNedic { set, step, coupling: coupling.clone(), left }))
    }
}

#[derive(Clone, Debug)]
struct WangNedic {
    set: Set,
    step: Schedule,
    coupling: Schedule,
    /// What is left of all steps in the message of each round, if everyone is awake.
    left: Vec<f64>,
}

impl Method for WangNedic {
    fn build(&self, spec: &Spec, zeros: Public) -> Box<dyn Algorithm> {
        let Self { set, step, coupling, .. } = self.clone();
        let built = dido_optimizers::WangNedic::new(set, step, coupling, spec.config.rounds, zeros);
        Box::new(built.expect("the coupling was checked"))
    }

    fn released(&self) -> String {
        "m_i(t+1) = x_i(t+1) + noise_i(t+1), x_i(t+1) = x_i(t) + coupling(t) sum_j w_ij (m_j(t) - x_i(t)) - step(t) grad f_i \
         at the projection of what a party has heard"
            .to_owned()
    }

    fn step(&self) -> Option<&Schedule> {
        Some(&self.step)
    }

    fn set(&self) -> &Set {
        &self.set
    }

    fn relative_sensitivity(&self, round: u32) -> f64 {
        self.left[round as usize]
    }

    fn sensitivity_in_words(&self, spec: &Spec) -> Option<String> {
        let bounds = spec.declaration.l2_by_class(spec.config.privacy.adjacency, self.set.radius());
        let largest = bounds.into_iter().fold(0.0, f64::max);
        Some(format!(
            "Delta(t+1) = (1 - coupling(t)) Delta(t) + step(t) s D from Delta(0) = 0: what all gradients so far have left in \
             the state, with s D = {}, the bound of one gradient within the set; L1 = sqrt({}) L2",
            significant(largest),
            spec.declaration.dim()
        ))
    }

    fn descent(&self) -> Option<Descent<'_>> {
        Some(Descent { step: &self.step, enters: Enters::Coupled(&self.coupling), average_from: None })
    }
}
