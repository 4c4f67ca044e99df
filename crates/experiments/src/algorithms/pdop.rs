//! `pdop`: paper C.

use std::sync::Arc;

use dido_geometry::Set;
use dido_mechanisms::Public;
use dido_optimizers::bounds::huang2015;
use dido_optimizers::{Algorithm, At, Schedule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Checks, Descent, Enters, Kind, Method, Sequences, Takes};
use crate::config::SetConfig;
use crate::error::ExperimentError;
use crate::spec::Spec;
use crate::theory::{Facts, Quadratic};

/// Private distributed optimisation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PdopConfig {
    /// The set that holds the solution.
    pub set: SetConfig,
    /// The step size of each round.
    pub step: Schedule,
    /// Where the gradient is taken.
    #[serde(default)]
    pub at: AtConfig,
}

/// `at`
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AtConfig {
    /// At the projected point.
    #[default]
    Projected,
    /// At the mixed point, scaled down where it is longer than this.
    Clipped(f64),
}

impl Kind for PdopConfig {
    const TAKES: Takes = Takes { sequences: Sequences::Any, ..Takes::LEAST };

    fn check(&self, checks: &Checks<'_>) -> Result<Arc<dyn Method>, ExperimentError> {
        let set = checks.set(&self.set)?;
        let message = "pdop projects before the noise, and the projection on an intersection is an iteration";
        checks.at.require("algorithm.set", set.is_exact(), message)?;
        let at = match self.at {
            AtConfig::Projected => At::Projected,
            AtConfig::Clipped(norm) => {
                checks.at.require("algorithm.at.clipped", norm > 0.0, format!("{norm} is not positive"))?;
                At::Clipped(norm)
            }
        };
        Ok(Arc::new(Pdop { set, step: checks.step(&self.step)?, at }))
    }
}

#[derive(Clone, Debug)]
struct Pdop {
    set: Set,
    step: Schedule,
    at: At,
}

impl Method for Pdop {
    fn build(&self, _spec: &Spec, zeros: Public) -> Box<dyn Algorithm> {
        Box::new(dido_optimizers::Pdop::new(self.set.clone(), self.step.clone(), self.at, zeros))
    }

    fn released(&self) -> String {
        match self.at {
            At::Projected => {
                "y_i(t+1) = noise_i(t+1) + P(p_i(t) - step(t) grad f_i(p_i(t))), where p_i(t) is P(sum_j w_ij y_j(t)) and \
                 P projects"
            }
            At::Clipped(_) => {
                "y_i(t+1) = noise_i(t+1) + P(z_i(t) - step(t) grad f_i(z_i(t)), clipped), where z_i(t) is sum_j w_ij \
                 y_j(t) and P projects"
            }
        }
        .to_owned()
    }

    fn step(&self) -> Option<&Schedule> {
        Some(&self.step)
    }

    fn set(&self) -> &Set {
        &self.set
    }

    fn theorem(&self) -> Option<&'static str> {
        Some("the recursion for paper C, derived anew")
    }

    fn error_bound(&self, facts: &Facts<'_>) -> Option<Vec<f64>> {
        let radius = self.set.radius();
        let bounded = self.at == At::Projected && facts.is_inside(&self.set);
        let Quadratic { smoothness, strong_convexity, gradients } = facts.quadratic(radius).filter(|_| bounded)?;
        let (nodes, dim) = (facts.spec.declaration.nodes(), facts.spec.declaration.dim());
        let weights = &facts.spec.weights;
        let problem = huang2015::Problem {
            dim,
            nodes,
            strong_convexity,
            smoothness,
            gradient: gradients.into_iter().fold(0.0, f64::max),
            diameter: 2.0 * radius,
            lambda: facts.lambda,
            frobenius_squared: (0..nodes).flat_map(|i| weights.row(i).1).map(|w| w * w).sum(),
        };
        let mut v = nodes as f64 * facts.distance().powi(2);
        let mut noise = 0.0;
        let all: Option<Vec<f64>> = (0..facts.spec.config.rounds)
            .map(|t| {
                // The noise that enters is that of the release before; the recursion counts twice a squared scale.
                v = problem.next(v, self.step.at(t), f64::sqrt(noise / 2.0));
                noise = facts.variance(t)?;
                // The estimate is the latest release, whose noise is fresh.
                Some(((v + dim as f64 * noise) / nodes as f64).sqrt())
            })
            .collect();
        Some(facts.picked(&all?))
    }

    fn clip(&self) -> Option<f64> {
        if let At::Clipped(norm) = self.at { Some(norm) } else { None }
    }

    fn descent(&self) -> Option<Descent<'_>> {
        Some(Descent { step: &self.step, enters: Enters::Point, average_from: None })
    }
}
