//! `dgd`: decentralised gradient descent, non-private but for losses of bounded slope.

use std::sync::Arc;

use dido_mechanisms::Public;
use dido_optimizers::{Algorithm, Schedule};
use serde::{Deserialize, Serialize};

use super::{Checks, Kind, Method, Sequences, Takes};
use crate::config::algorithm::half;
use crate::error::ExperimentError;
use crate::spec::Spec;

/// Decentralised gradient descent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DgdConfig {
    /// The step size of each round.
    pub step: Schedule,
    /// The fraction of the rounds before averaging begins.
    #[serde(default = "half")]
    pub average_from: f64,
}

impl Kind for DgdConfig {
    const TAKES: Takes = Takes { sequences: Sequences::Any, ..Takes::LEAST };

    fn check(&self, checks: &Checks<'_>) -> Result<Arc<dyn Method>, ExperimentError> {
        let average_from = checks.average_from(self.average_from)?;
        Ok(Arc::new(Dgd { step: checks.step(&self.step)?, average_from }))
    }
}

#[derive(Clone, Debug)]
struct Dgd {
    step: Schedule,
    average_from: u32,
}

impl Method for Dgd {
    fn build(&self, _spec: &Spec, zeros: Public) -> Box<dyn Algorithm> {
        Box::new(dido_optimizers::Dgd::new(self.step.clone(), self.average_from, zeros))
    }

    fn released(&self) -> String {
        "b_i(t+1) = sum_j w_ij b_j(t) - step(t) grad f_i(b_i(t))".to_owned()
    }

    fn step(&self) -> Option<&Schedule> {
        Some(&self.step)
    }

    fn unbounded(&self) -> (&'static str, &'static str) {
        (
            "algorithm.kind",
            "dgd has no bounded set, so its gradients have no finite sensitivity: use projected-dgd, a loss of bounded \
             slope, or noise.kind = \"none\"",
        )
    }
}
