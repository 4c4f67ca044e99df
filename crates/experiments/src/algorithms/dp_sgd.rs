//! `dp-sgd`: DP-SGD, centralised with one party, decentralised with several.

use std::sync::Arc;

use dido_geometry::Set;
use dido_mechanisms::{Adjacency, Public};
use dido_optimizers::{Algorithm, Sampling, Schedule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Checks, Descent, Enters, Kind, Method, Sequences, Takes};
use crate::config::SetConfig;
use crate::config::algorithm::{SamplingConfig, half};
use crate::error::ExperimentError;
use crate::report::significant;
use crate::spec::Spec;

/// DP-SGD.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DpSgdConfig {
    /// The set of the points, if they are confined to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<SetConfig>,
    /// The step size of each round.
    pub step: Schedule,
    /// The length to which the gradient of a record is clipped.
    pub clip: f64,
    /// Which records a node looks at.
    #[serde(default)]
    pub sampling: SamplingConfig,
    /// The fraction of the rounds before averaging begins.
    #[serde(default = "half")]
    pub average_from: f64,
}

impl Kind for DpSgdConfig {
    const TAKES: Takes = Takes {
        sequences: Sequences::Any,
        adjacencies: &[Adjacency::ReplaceRecord, Adjacency::ReplaceNode, Adjacency::AddRemoveRecord],
        ..Takes::LEAST
    };

    fn check(&self, checks: &Checks<'_>) -> Result<Arc<dyn Method>, ExperimentError> {
        Ok(Arc::new(DpSgd {
            set: checks.set_or_whole(self.set.as_ref())?,
            step: checks.step(&self.step)?,
            clip: checks.length("algorithm.clip", self.clip)?,
            sampling: checks.sampling(self.sampling)?,
            average_from: checks.average_from(self.average_from)?,
        }))
    }
}

#[derive(Clone, Debug)]
struct DpSgd {
    set: Set,
    step: Schedule,
    clip: f64,
    sampling: Sampling,
    average_from: u32,
}

impl Method for DpSgd {
    fn build(&self, _spec: &Spec, zeros: Public) -> Box<dyn Algorithm> {
        let Self { set, step, clip, sampling, average_from } = self.clone();
        Box::new(dido_optimizers::DpSgd::new(set, step, sampling, clip, average_from, zeros))
    }

    fn released(&self) -> String {
        let records = match self.sampling {
            Sampling::All => "all records of the party".to_owned(),
            Sampling::OneRecord | Sampling::HiddenOneRecord(_) => "one secret record of the party".to_owned(),
            Sampling::Records(count) => format!("{count} secret records of the party"),
            Sampling::Poisson(rate) => {
                format!("the records of the party, each taken by a coin of {}", significant(rate))
            }
        };
        format!(
            "g_i(t) + noise_i(t+1): the gradients of {records} at b_i(t), each clipped, summed and weighted; the parties \
             step along it and mix"
        )
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

    fn record_clip(&self) -> Option<f64> {
        Some(self.clip)
    }

    fn sampling(&self) -> Sampling {
        self.sampling
    }

    fn descent(&self) -> Option<Descent<'_>> {
        Some(Descent { step: &self.step, enters: Enters::Gradient, average_from: Some(self.average_from) })
    }
}
