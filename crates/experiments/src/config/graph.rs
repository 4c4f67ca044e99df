//! `[graph]`: who talks to whom, with which weights. Families with their options and rules go by their names in
//! `dido_topology`: a new one there needs nothing here.

use std::path::PathBuf;

use dido_topology::families::Options;
use serde::{Deserialize, Serialize};

use super::Empty;

/// `[graph]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphConfig {
    /// The family; where a matrix is given, by default the graph of its entries that are not 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The weight rule, or `matrix`.
    #[serde(default = "default_weights", skip_serializing_if = "is_default")]
    pub weights: String,
    /// The file of the weights, where they are a `matrix`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matrix: Option<PathBuf>,
    /// The options of the family; their number of nodes is that of the parties and cannot be given.
    #[serde(flatten)]
    pub options: Options,
    /// How the weights change from round to round, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence: Option<SequenceConfig>,
}

impl GraphConfig {
    /// Whether the weights are read from a file.
    pub fn has_matrix(&self) -> bool {
        self.weights == "matrix"
    }

    /// The files that are named here.
    pub fn files_mut(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let of_sequence = match &mut self.sequence {
            Some(SequenceConfig::Periodic(periodic)) => periodic.file.as_mut(),
            Some(SequenceConfig::Recorded(recorded)) => Some(&mut recorded.file),
            _ => None,
        };
        [self.options.file.as_mut(), self.matrix.as_mut(), of_sequence].into_iter().flatten()
    }
}

fn default_weights() -> String {
    "metropolis".to_owned()
}

fn is_default(weights: &str) -> bool {
    weights == default_weights()
}

/// `[graph.sequence]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum SequenceConfig {
    /// In each round some nodes are awake and average with each other; the others keep what they hold.
    Activation(ActivationConfig),
    /// Each edge fails in each round with probability `p`; both ends keep the lost weight.
    EdgeFailures(EdgeFailuresConfig),
    /// Nodes are down for stated rounds; what they do not give or take, both ends keep.
    NodeOutages(NodeOutagesConfig),
    /// In each round the ends of one random edge take their mean.
    PairwiseGossip(SeedOnly),
    /// In each round every node takes the mean with one peer; for the family of this name.
    OnePeerExponential(Empty),
    /// Some rounds over and over.
    Periodic(PeriodicConfig),
    /// The rounds of a file, once.
    Recorded(RecordedConfig),
}

impl SequenceConfig {
    /// The public seed of a random sequence.
    pub fn seed(&self) -> Option<u64> {
        match self {
            Self::Activation(of) => Some(of.seed),
            Self::EdgeFailures(of) => Some(of.seed),
            Self::PairwiseGossip(of) => Some(of.seed),
            Self::NodeOutages(_) | Self::OnePeerExponential(_) | Self::Periodic(_) | Self::Recorded(_) => None,
        }
    }

    /// Whether nodes may sleep in some rounds.
    pub fn may_put_to_sleep(&self) -> bool {
        match self {
            Self::Activation(_) | Self::NodeOutages(_) | Self::PairwiseGossip(_) | Self::Recorded(_) => true,
            Self::Periodic(periodic) => periodic.file.is_some(),
            Self::EdgeFailures(_) | Self::OnePeerExponential(_) => false,
        }
    }
}

/// Nodes that are awake: a fixed number or each by its own coin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActivationConfig {
    /// Number of nodes awake in a round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<usize>,
    /// Probability that a node is awake in a round, instead of their number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// The public seed.
    #[serde(default)]
    pub seed: u64,
}

/// Nodes that are down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeOutagesConfig {
    /// When which node is down.
    pub outages: Vec<OutageConfig>,
}

/// A node that is down.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutageConfig {
    /// Which node.
    pub node: usize,
    /// The first round without it, from 0.
    pub first: u32,
    /// The last round without it.
    pub last: u32,
}

/// Rounds that come again, from a list or from a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeriodicConfig {
    /// The edges `[i, j]` of each round; they get the Metropolis weights of their round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Vec<Vec<(usize, usize)>>>,
    /// The file of the rounds, instead of a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// Any so many rounds in a row connect the nodes; by default all rounds together have to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// Lower bound on own weights and on weights between peers.
    #[serde(default = "default_eta")]
    pub eta: f64,
}

fn default_eta() -> f64 {
    1e-9
}

/// Rounds from a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedConfig {
    /// The file.
    pub file: PathBuf,
}

/// Edges that fail.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeFailuresConfig {
    /// Probability that an edge fails in a round.
    pub p: f64,
    /// The public seed.
    #[serde(default)]
    pub seed: u64,
}

/// A table with a public seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedOnly {
    /// The public seed.
    #[serde(default)]
    pub seed: u64,
}
