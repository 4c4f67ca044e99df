//! `output-perturbation`: every party's own minimiser, released once.

use std::sync::Arc;

use dido_geometry::Set;
use dido_mechanisms::Public;
use dido_optimizers::Algorithm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Checks, Kind, Method, Sequences, Takes};
use crate::config::SetConfig;
use crate::error::ExperimentError;
use crate::report::significant;
use crate::spec::Spec;

/// Output perturbation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputPerturbationConfig {
    /// The set that is minimised on, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<SetConfig>,
}

impl Kind for OutputPerturbationConfig {
    const TAKES: Takes = Takes { regulariser: true, sequences: Sequences::Awake, ..Takes::LEAST };

    fn check(&self, checks: &Checks<'_>) -> Result<Arc<dyn Method>, ExperimentError> {
        let (at, declaration) = (checks.at, checks.declaration);
        let set = checks.set_or_whole(self.set.as_ref())?;
        at.require("algorithm.set", set.is_exact(), "a minimiser on an intersection is found to no known tolerance")?;
        let curved = declaration.loss().largest_curvature(declaration.bounds().target()).is_finite();
        let message = "output-perturbation needs a loss whose slope does not jump: take smoothed-hinge for hinge";
        at.require("objective.loss", curved, message)?;
        let mu = checks.squared_l2()?;
        // How many steps the minimiser takes depends on mu and on public bounds; all that can be wrong is too many.
        let zero = Public::declared(dido_geometry::Rows::zeros(dido_geometry::Shape {
            nodes: declaration.nodes(),
            lanes: 1,
            dim: declaration.dim(),
        }));
        let tried = dido_optimizers::OutputPerturbation::new(declaration, set.clone(), mu, zero);
        at.check("objective.regulariser.mu", tried)?;
        Ok(Arc::new(OutputPerturbation { set, mu }))
    }
}

#[derive(Clone, Debug)]
struct OutputPerturbation {
    set: Set,
    mu: f64,
}

impl Method for OutputPerturbation {
    fn build(&self, spec: &Spec, zeros: Public) -> Box<dyn Algorithm> {
        let output = dido_optimizers::OutputPerturbation::new(&spec.declaration, self.set.clone(), self.mu, zeros);
        Box::new(output.expect("loss, set and regulariser were checked"))
    }

    fn released(&self) -> String {
        "in round 0 only: the minimiser of the party's own f_i + h, plus noise; the parties average them".to_owned()
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
        let widths = spec.declaration.l2_by_class(spec.config.privacy.adjacency, self.set.radius());
        let widest = widths.into_iter().fold(0.0, f64::max);
        widest.is_finite().then(|| {
            let [mu, widest] = [self.mu, widest].map(significant);
            let dim = spec.declaration.dim();
            format!(
                "D / mu and a millionth of it for the tolerance of the solver, with D = {widest} the sensitivity of the \
                 gradient of f_i and mu = {mu}; L1 = sqrt({dim}) L2"
            )
        })
    }
}
