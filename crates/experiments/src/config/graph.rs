//! `[graph]`: who talks to whom, with which weights. Families and rules go by their names in `dido_topology`, so a new one
//! there needs nothing here but an option that no other has.

use std::path::PathBuf;

use clap::Args;
use dido_topology::families;
use serde::{Deserialize, Serialize};

use super::Empty;

/// `[graph]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphConfig {
    /// The family.
    pub kind: String,
    /// The weight rule.
    #[serde(default = "default_weights", skip_serializing_if = "is_default")]
    pub weights: String,
    /// The options of the family.
    #[serde(flatten)]
    pub options: FamilyOptions,
    /// How the weights change from round to round, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence: Option<SequenceConfig>,
}

fn default_weights() -> String {
    "metropolis".to_owned()
}

fn is_default(weights: &str) -> bool {
    weights == default_weights()
}

/// The options of all families but the number of nodes, for a file and for a command line; each family takes some.
#[derive(Args, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FamilyOptions {
    /// Probability of an edge (erdos-renyi), or of rewiring one (watts-strogatz).
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// Number of edges (erdos-renyi, instead of --p).
    #[arg(long, value_name = "M")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edges: Option<usize>,
    /// Degree of every node (random-regular), in the ring (watts-strogatz), on arrival (barabasi-albert).
    #[arg(long, value_name = "D")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degree: Option<usize>,
    /// Rows of a grid or torus.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<usize>,
    /// Columns of a grid or torus.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cols: Option<usize>,
    /// Sides of a grid or torus of any dimension, for example 3,4,5.
    #[arg(long, value_delimiter = ',')]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dims: Option<Vec<usize>>,
    /// Nodes of a clique (barbell, lollipop).
    #[arg(long, value_name = "K")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clique: Option<usize>,
    /// Nodes of the path (barbell, lollipop).
    #[arg(long, value_name = "L")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<usize>,
    /// Reach of a node in sides of the square (geometric).
    #[arg(long, value_name = "R")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Base of the distances (exponential); by default 2.
    #[arg(long, value_name = "B")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<usize>,
    /// Nodes of each block (block-model), for example 20,30.
    #[arg(long, value_delimiter = ',')]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Vec<usize>>,
    /// Number of equal blocks (block-model, instead of --sizes).
    #[arg(long, value_name = "K")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<usize>,
    /// Probability of an edge within a block (block-model).
    #[arg(long, value_name = "P")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_in: Option<f64>,
    /// Probability of an edge between blocks (block-model).
    #[arg(long, value_name = "P")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_out: Option<f64>,
    /// The public seed of a random family; by default 0.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The file of a graph that is read (edge-list, graphml, dot).
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
}

impl FamilyOptions {
    /// The same for `dido_topology`, with a number of nodes.
    pub fn with_nodes(&self, nodes: Option<usize>) -> families::Options {
        let Self {
            p,
            edges,
            degree,
            rows,
            cols,
            dims,
            clique,
            path,
            radius,
            base,
            sizes,
            blocks,
            p_in,
            p_out,
            seed,
            file,
        } = self.clone();
        families::Options {
            nodes,
            p,
            edges,
            degree,
            rows,
            cols,
            dims,
            clique,
            path,
            radius,
            base,
            sizes,
            blocks,
            p_in,
            p_out,
            seed,
            file,
        }
    }
}

/// `[graph.sequence]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum SequenceConfig {
    /// Each edge fails in each round with probability `p`; both ends keep the lost weight.
    EdgeFailures(EdgeFailuresConfig),
    /// In each round the ends of one random edge take their mean.
    PairwiseGossip(SeedOnly),
    /// In each round every node takes the mean with one peer; for the family of this name.
    OnePeerExponential(Empty),
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
