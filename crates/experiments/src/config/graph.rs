//! `[graph]`: who talks to whom. A new kind is a variant here and an arm in `spec::graph`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Empty;

/// `[graph]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum GraphConfig {
    /// A cycle.
    Ring(Empty),
    /// A path.
    Path(Empty),
    /// Party 0 in the middle.
    Star(Empty),
    /// Everybody talks to everybody.
    Complete(Empty),
    /// Each pair with probability `p`, connected.
    ErdosRenyi(ErdosRenyiConfig),
    /// Pairs of parties in a file.
    EdgeList(FileOnly),
}

/// An Erdos-Renyi graph.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErdosRenyiConfig {
    /// Probability of an edge.
    pub p: f64,
    /// The public seed.
    #[serde(default)]
    pub seed: u64,
}

/// A table with a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileOnly {
    /// A path, relative to the experiment file.
    pub file: PathBuf,
}
