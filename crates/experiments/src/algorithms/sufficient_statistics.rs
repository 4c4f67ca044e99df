//! `sufficient-statistics`: the normal equations, released once.

use std::sync::Arc;

use dido_geometry::Set;
use dido_mechanisms::{Adjacency, Public, sufficient_statistics};
use dido_optimizers::{Algorithm, Declaration};
use dido_problems::Loss;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Checks, Kind, Method, Sequences, Takes};
use crate::config::SetConfig;
use crate::error::ExperimentError;
use crate::report::significant;
use crate::spec::Spec;

/// Sufficient statistics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SufficientStatisticsConfig {
    /// The set on which the solution is projected, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<SetConfig>,
}

impl Kind for SufficientStatisticsConfig {
    const TAKES: Takes = Takes { sequences: Sequences::Awake, ..Takes::LEAST };

    fn check(&self, checks: &Checks<'_>) -> Result<Arc<dyn Method>, ExperimentError> {
        let squared = checks.declaration.loss() == Loss::Squared;
        let message = "sufficient-statistics is least squares: other losses have no statistics to release";
        checks.at.require("objective.loss", squared, message)?;
        Ok(Arc::new(SufficientStatistics { set: checks.set_or_whole(self.set.as_ref())? }))
    }
}

#[derive(Clone, Debug)]
struct SufficientStatistics {
    set: Set,
}

impl Method for SufficientStatistics {
    fn build(&self, spec: &Spec, zeros: Public) -> Box<dyn Algorithm> {
        let averaged = spec.connected_parties();
        let statistics =
            dido_optimizers::SufficientStatistics::new(&spec.declaration, self.set.clone(), averaged, zeros);
        Box::new(statistics.expect("the loss was checked"))
    }

    fn released(&self) -> String {
        "in round 0 only: s (X_i'X_i, k X_i'y_i) + noise, the matrix packed; the parties average it and solve for the model"
            .to_owned()
    }

    fn in_place_of_step(&self) -> Option<String> {
        Some("none: a linear system is solved, with a ridge that follows from the noise".to_owned())
    }

    fn set(&self) -> &Set {
        &self.set
    }

    fn releases_in(&self, round: u32) -> bool {
        round == 0
    }

    fn released_coordinates(&self, dim: usize) -> usize {
        sufficient_statistics::len(dim)
    }

    fn sensitivity_in_words(&self, spec: &Spec) -> Option<String> {
        let (x, y) = (spec.declaration.bounds().row_norm(), spec.declaration.bounds().target());
        let (adjacency, dim) = (spec.config.privacy.adjacency, spec.declaration.dim());
        let k = sufficient_statistics::best_balance(x, y, self.set.radius()).ok()?;
        let one = sufficient_statistics::l2_sensitivity(adjacency, x, y, k, dim).ok()?.value;
        let node = if adjacency == Adjacency::ReplaceNode { "n " } else { "" };
        let [one, k, x, y] = [one, k, x, y].map(significant);
        let length = sufficient_statistics::len(dim);
        Some(format!(
            "s {node}D, with D = {one} for the stack (X'X, k X'y) of one record, k = {k}, R_x = {x} and R_y = {y}; \
             L1 = sqrt({length}) L2"
        ))
    }

    fn is_bounded(&self, _declaration: &Declaration, _adjacency: Adjacency) -> bool {
        true
    }
}
