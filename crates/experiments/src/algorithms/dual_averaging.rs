//! `dual-averaging`: paper B, Algorithm 1.

use std::sync::Arc;

use dido_geometry::Set;
use dido_mechanisms::Public;
use dido_optimizers::bounds::liu2024;
use dido_optimizers::{Algorithm, DualWeights, Points, Sampling};
use dido_problems::{Distance, DualStep};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Checks, Kind, Method, Sequences, Takes};
use crate::config::algorithm::SamplingConfig;
use crate::config::graph::SequenceConfig;
use crate::config::{Config, SetConfig};
use crate::error::ExperimentError;
use crate::report::significant;
use crate::spec::Spec;
use crate::theory::Facts;

/// Dual averaging.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Who sees which nodes take part.
    #[serde(default, skip_serializing_if = "is_visible")]
    #[schemars(extend("default" = ActivationConfig::default()))]
    pub activation: ActivationConfig,
    /// Which points gradients are taken at.
    #[serde(default)]
    pub points: PointsConfig,
    /// The distance.
    #[serde(default)]
    pub distance: Distance,
}

/// `activation`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ActivationConfig {
    /// Everybody: a node that is away is silent.
    #[default]
    Visible,
    /// Nobody: every node has a secret coin, of the probability `participation`, and sends noise when it says no.
    Hidden,
}

/// Files of before, and their digests, know nothing of it.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_visible(activation: &ActivationConfig) -> bool {
    *activation == ActivationConfig::Visible
}

/// `points`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
        let (sampling, points) = (checks.sampling(self.sampling)?, self.points.into());
        let hidden = match self.activation {
            ActivationConfig::Visible => None,
            ActivationConfig::Hidden => Some(self.hidden(checks, participation)?),
        };
        // The coin is part of the sample then, and everybody takes part as far as others see.
        let (participation, sampling) = hidden.map_or((participation, sampling), |sampling| (1.0, sampling));
        Ok(Arc::new(DualAveraging { step, weights, participation, sampling, points }))
    }
}

impl DualAveragingConfig {
    /// One record of a node whose coin says so.
    fn hidden(&self, checks: &Checks<'_>, participation: f64) -> Result<Sampling, ExperimentError> {
        let Checks { at, config, .. } = checks;
        let one_record = self.sampling == SamplingConfig::OneRecord;
        let message = "hidden activation is accounted for one secret record: use one-record";
        at.require("algorithm.sampling", one_record, message)?;
        let chosen = self.participation.is_some();
        at.require("algorithm.participation", chosen, "hidden activation needs the probability of its coins here")?;
        let seen = config.graph.sequence.as_ref().is_some_and(SequenceConfig::may_put_to_sleep);
        let message = "hidden activation needs everybody to send in every round: use a sequence in which nobody sleeps";
        at.require("graph.sequence", !seen, message)?;
        let sampling = Sampling::HiddenOneRecord(participation);
        at.check("algorithm.activation", checks.accounted(sampling))?;
        Ok(sampling)
    }
}

/// The share of nodes that the graph lets take part: what an activation says, all otherwise.
pub(crate) fn expected_share(config: &Config) -> f64 {
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
            Sampling::All => {
                "g_i(t) + noise_i(t): a subgradient of f_i at x_i(t); the parties add up and mix them".to_owned()
            }
            Sampling::OneRecord => {
                "g_i(t) + noise_i(t): a subgradient at x_i(t) of one secret random record of the party, times its number \
                 of records; the parties add up and mix them"
                    .to_owned()
            }
            Sampling::Records(count) => format!(
                "g_i(t) + noise_i(t): a subgradient at x_i(t) of {count} secret random records of the party, weighted; the \
                 parties add up and mix them"
            ),
            Sampling::Poisson(rate) => format!(
                "g_i(t) + noise_i(t): a subgradient at x_i(t) of the records of the party, each taken by a coin of {}, \
                 weighted; the parties add up and mix them",
                significant(rate)
            ),
            Sampling::HiddenOneRecord(coin) => format!(
                "g_i(t) + noise_i(t), in every round: g_i is zero unless a secret coin of {} says so, and then a subgradient \
                 at x_i(t) of one secret random record of the party, times its number of records; the parties add up and \
                 mix them",
                significant(coin)
            ),
        }
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
        let participation = match self.sampling {
            Sampling::HiddenOneRecord(coin) => format!("{}, by coins that nobody sees", significant(coin)),
            _ => significant(self.participation),
        };
        Some(format!("{of}; participation {participation}; {distance}; points {points}"))
    }

    fn set(&self) -> &Set {
        self.step.set()
    }

    fn theorem(&self) -> Option<&'static str> {
        Some("the bound for paper B, derived anew, with strong convexity,")
    }

    fn error_bound(&self, facts: &Facts<'_>) -> Option<Vec<f64>> {
        let declaration = &facts.spec.declaration;
        let mu = self.step.regulariser().strong_convexity();
        let everyone = self.participation >= 1.0 && matches!(self.sampling, Sampling::All | Sampling::OneRecord);
        let problem = self.problem(facts, liu2024::Activation::FixedSize).filter(|_| everyone && mu > 0.0)?;
        let weights = self.weights;
        let root_n = (declaration.nodes() as f64).sqrt();
        // How far the mean of the nodes' points is from the point that follows from the mean of their sums.
        let mut apart = 0.0;
        let apart: Vec<f64> = (1..=facts.spec.config.rounds)
            .map(|t| {
                apart += weights.a(t) * problem.distance_of_points(weights, t) / root_n;
                apart / weights.sum(t)
            })
            .collect();
        let to_the_optimum = |t: u32| (2.0 * problem.gap(weights, t) / mu).sqrt();
        Some(facts.observed.iter().zip(facts.picked(&apart)).map(|(&t, apart)| to_the_optimum(t) + apart).collect())
    }

    fn gap_bound(&self, facts: &Facts<'_>, agreed: bool) -> Option<f64> {
        let config = &facts.spec.config;
        let (activation, fits) = match &config.graph.sequence {
            // Otherwise the points of nodes that sleep are those of before.
            Some(SequenceConfig::Activation(coins)) => {
                let kind = match coins.active {
                    Some(_) => liu2024::Activation::FixedSize,
                    None => liu2024::Activation::Bernoulli,
                };
                (kind, self.points == Points::Fresh && (self.participation - expected_share(config)).abs() < 1e-12)
            }
            None | Some(SequenceConfig::EdgeFailures(_)) => (liu2024::Activation::FixedSize, self.participation >= 1.0),
            Some(_) => return None,
        };
        let summed = matches!(self.sampling, Sampling::All | Sampling::OneRecord | Sampling::Records(_));
        let problem = self.problem(facts, activation).filter(|_| fits && summed)?;
        let gap = if agreed { liu2024::Problem::gap_in_agreement } else { liu2024::Problem::gap };
        Some(gap(&problem, self.weights, config.rounds))
    }

    fn sampling(&self) -> Sampling {
        self.sampling
    }
}

impl DualAveraging {
    /// The constants of the bound, where there is no set, the distance is Euclidean, the slope is bounded and the noise is known.
    fn problem(&self, facts: &Facts<'_>, activation: liu2024::Activation) -> Option<liu2024::Problem> {
        let declaration = &facts.spec.declaration;
        let free = matches!(self.step.set(), Set::Whole) && self.step.distance() == Distance::Euclidean;
        let lipschitz = facts.slope().filter(|_| free)?;
        let variances = (0..facts.spec.config.rounds).map(|t| facts.variance(t)).collect::<Option<Vec<f64>>>()?;
        Some(liu2024::Problem {
            nodes: declaration.nodes(),
            dim: declaration.dim(),
            lipschitz,
            strong_convexity: self.step.regulariser().strong_convexity(),
            participation: self.participation,
            activation,
            sigma: variances.into_iter().fold(0.0, f64::max).sqrt(),
            contraction: facts.lambda * facts.lambda,
            distance: facts.distance().powi(2) / 2.0,
        })
    }
}
