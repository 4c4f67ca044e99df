//! `objective-perturbation`: every party's own minimiser of a randomly tilted objective, released once.

use std::sync::Arc;

use dido_geometry::{Rows, Set, Shape};
use dido_mechanisms::{Adjacency, Budget, MechanismError, Public};
use dido_optimizers::{Algorithm, Declaration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Checks, Kind, Method, Sequences, Takes};
use crate::config::{MechanismConfig, NoiseConfig, SetConfig};
use crate::error::ExperimentError;
use crate::report::significant;
use crate::spec::Spec;

/// Objective perturbation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObjectivePerturbationConfig {
    /// The set on which the answer is projected, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<SetConfig>,
}

impl Kind for ObjectivePerturbationConfig {
    const TAKES: Takes =
        Takes { regulariser: true, sequences: Sequences::Awake, adjacencies: &[Adjacency::ReplaceRecord] };

    fn check(&self, checks: &Checks<'_>) -> Result<Arc<dyn Method>, ExperimentError> {
        let (at, declaration) = (checks.at, checks.declaration);
        let set = checks.set_or_whole(self.set.as_ref())?;
        let (loss, target) = (declaration.loss(), declaration.bounds().target());
        let bounded =
            loss.largest_slope(f64::INFINITY, target).is_finite() && loss.largest_curvature(target).is_finite();
        let message = "objective-perturbation needs a loss with bounded slope and second derivative: huber, logistic or \
                       smoothed-hinge";
        at.require("objective.loss", bounded, message)?;
        let gaussian = match &checks.config.privacy.noise {
            NoiseConfig::None(_) | NoiseConfig::Gaussian(_) => true,
            NoiseConfig::Calibrated(calibrated) => calibrated.mechanism == MechanismConfig::Gaussian,
            _ => false,
        };
        at.require("privacy.noise", gaussian, "objective-perturbation draws a Gaussian term: use gaussian or none")?;
        let mu = checks.squared_l2()?;
        // How many steps the minimiser takes depends on mu and on public bounds; all that can be wrong is too many.
        let shape = Shape { nodes: declaration.nodes(), lanes: 1, dim: declaration.dim() };
        let zero = Public::declared(Rows::zeros(shape));
        let tried = dido_optimizers::ObjectivePerturbation::new(declaration, set.clone(), mu, 0.5, zero);
        at.check("objective.regulariser.mu", tried)?;
        Ok(Arc::new(ObjectivePerturbation { set, mu }))
    }
}

#[derive(Clone, Debug)]
struct ObjectivePerturbation {
    set: Set,
    mu: f64,
}

impl ObjectivePerturbation {
    /// What one record of each class of parties contributes, without a noise.
    fn facts(&self, declaration: &Declaration, delta: f64) -> Vec<dido_mechanisms::ObjectivePerturbation> {
        let (x, y) = (declaration.bounds().row_norm(), declaration.bounds().target());
        let of = |&records: &usize| dido_mechanisms::ObjectivePerturbation {
            sigma: 1.0,
            slope: declaration.scale(records) * x * declaration.loss().largest_slope(f64::INFINITY, y),
            curvature: declaration.scale(records) * x * x * declaration.loss().largest_curvature(y),
            mu: self.mu,
            delta,
        };
        declaration.class_records().iter().map(of).collect()
    }
}

impl Method for ObjectivePerturbation {
    fn build(&self, spec: &Spec, zeros: Public) -> Box<dyn Algorithm> {
        let Self { set, mu } = self.clone();
        let built = dido_optimizers::ObjectivePerturbation::new(&spec.declaration, set, mu, spec.delta, zeros);
        Box::new(built.expect("loss and regulariser were checked"))
    }

    fn released(&self) -> String {
        "in round 0 only: the minimiser of the party's own f_i + h + <nu_i, .>, with a secret Gaussian nu_i of the noise's \
         deviation; the parties average them"
            .to_owned()
    }

    fn in_place_of_step(&self) -> Option<String> {
        Some(format!("none: every party minimises, with mu = {}", significant(self.mu)))
    }

    fn set(&self) -> &Set {
        &self.set
    }

    fn releases_in(&self, round: u32) -> bool {
        round == 0
    }

    fn sensitivity_in_words(&self, spec: &Spec) -> Option<String> {
        let facts = self.facts(&spec.declaration, spec.delta);
        let widest = facts.into_iter().max_by(|a, b| a.slope.total_cmp(&b.slope))?;
        let [slope, curvature, mu] = [widest.slope, widest.curvature, self.mu].map(significant);
        Some(format!(
            "the gradient of one record is at most {slope} long; its second derivative is at most {curvature}; the \
             regulariser is strongly convex with mu = {mu}"
        ))
    }

    fn noise_in_words(&self) -> Option<&'static str> {
        Some(
            "the secret linear term of the objective; to the minimiser so little is added as hides the error of the solver",
        )
    }

    fn is_bounded(&self, _declaration: &Declaration, _adjacency: Adjacency) -> bool {
        true
    }

    fn least_noise(&self, spec: &Spec, budget: Budget) -> Option<Result<f64, MechanismError>> {
        let facts = self.facts(&spec.declaration, spec.delta);
        let mut least = facts.into_iter().map(|facts| facts.least_sigma(budget.epsilon()));
        Some(least.try_fold(0.0, |most: f64, sigma| Ok(most.max(sigma?))))
    }
}
