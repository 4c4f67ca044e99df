//! `dual-averaging`: paper B, Algorithm 1.

use std::sync::Arc;

use dido_geometry::Set;
use dido_mechanisms::Public;
use dido_optimizers::{Algorithm, DualWeights, Points, Sampling};
use dido_problems::{Distance, DualStep};
use serde::{Deserialize, Serialize};

use super::{Checks, Kind, Method, Sequences, Takes};
use crate::config::algorithm::SamplingConfig;
use crate::config::graph::SequenceConfig;
use crate::config::{Config, SetConfig};
use crate::error::ExperimentError;
use crate::report::significant;
use crate::spec::Spec;

/// Dual averaging.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DualAveragingConfig {
    /// The set of the points, if they are confined to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<SetConfig>,
    /// The weights of gradients and distance.
    pub weights: DualWeights,
    /// The expected share of nodes that are awake; by default that of an `activation`, and 1 without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub participation: Option<f64>,
    /// Which records a node looks at.
    #[serde(default)]
    pub sampling: SamplingConfig,
    /// Which points gradients are taken at.
    #[serde(default)]
    pub points: PointsConfig,
    /// The distance.
    #[serde(default)]
    pub distance: Distance,
}

/// `points`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PointsConfig {
    /// Made anew in every round.
    #[default]
    Fresh,
    /// Kept while a node sleeps, as published.
    Stale,
}

impl From<PointsConfig> for Points {
    fn from(points: PointsConfig) -> Self {
        match points {
            PointsConfig::Fresh => Self::Fresh,
            PointsConfig::Stale => Self::Stale,
        }
    }
}

impl Kind for DualAveragingConfig {
    const TAKES: Takes = Takes { regulariser: true, sequences: Sequences::Any, ..Takes::LEAST };

    fn check(&self, checks: &Checks<'_>) -> Result<Arc<dyn Method>, ExperimentError> {
        let (at, dim) = (checks.at, checks.declaration.dim());
        let set = checks.set_or_whole(self.set.as_ref())?;
        let regulariser = checks.config.objective.regulariser.clone();
        let fits = regulariser.dim().is_none_or(|d| d == dim);
        let message = format!("its groups have {} coordinates, a row has {dim}", regulariser.dim().unwrap_or_default());
        at.require("objective.regulariser.groups", fits, message)?;
        let step = at.check("algorithm", DualStep::new(regulariser, set, self.distance))?;
        let weights = at.check("algorithm.weights", self.weights.checked())?;
        let participation = self.participation.unwrap_or_else(|| expected_share(checks.config));
        let in_range = participation > 0.0 && participation <= 1.0;
        at.require("algorithm.participation", in_range, format!("{participation} is not above 0 and at most 1"))?;
        let (sampling, points) = (self.sampling.into(), self.points.into());
        Ok(Arc::new(DualAveraging { step, weights, participation, sampling, points }))
    }
}

/// The share of nodes that the graph lets take part: what an activation says, all otherwise.
fn expected_share(config: &Config) -> f64 {
    match &config.graph.sequence {
        Some(SequenceConfig::Activation(activation)) => match (activation.active, activation.p) {
            (Some(active), _) => active as f64 / config.data.records.len() as f64,
            (None, p) => p.unwrap_or(1.0),
        },
        _ => 1.0,
    }
}

#[derive(Clone, Debug)]
struct DualAveraging {
    step: DualStep,
    weights: DualWeights,
    participation: f64,
    sampling: Sampling,
    points: Points,
}

impl Method for DualAveraging {
    fn build(&self, _spec: &Spec, zeros: Public) -> Box<dyn Algorithm> {
        let Self { step, weights, participation, sampling, points } = self.clone();
        let dual = dido_optimizers::DualAveraging::new(step, weights, participation, sampling, zeros);
        Box::new(dual.expect("weights and participation were checked").with_points(points))
    }

    fn released(&self) -> String {
        match self.sampling {
            Sampling::All => "g_i(t) + noise_i(t): a subgradient of f_i at x_i(t); the parties add up and mix them",
            Sampling::OneRecord => {
                "g_i(t) + noise_i(t): a subgradient at x_i(t) of one secret random record of the party, times its number \
                 of records; the parties add up and mix them"
            }
        }
        .to_owned()
    }

    fn in_place_of_step(&self) -> Option<String> {
        let of = match self.weights {
            DualWeights::GrowingDistance { gamma } => {
                format!("a_t = 1 and gamma_t = {} sqrt(t + 1)", significant(gamma))
            }
            DualWeights::GrowingGradients { gamma } => format!("a_t = t and gamma_t = {}", significant(gamma)),
        };
        let points = match self.points {
            Points::Fresh => "made anew in every round",
            Points::Stale => "kept by nodes that sleep",
        };
        let distance = match self.step.distance() {
            Distance::Euclidean => "Euclidean distance",
            Distance::Entropy => "entropy",
        };
        Some(format!("{of}; participation {}; {distance}; points {points}", significant(self.participation)))
    }

    fn set(&self) -> &Set {
        self.step.set()
    }

    fn sampling(&self) -> Sampling {
        self.sampling
    }
}
