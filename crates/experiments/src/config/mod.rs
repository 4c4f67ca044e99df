//! The TOML of an experiment, key for key. Nothing is checked here but the spelling: see [`crate::Spec`].
//!
//! * [`Config`]: the whole file; [`Seed`]: where the noise comes from;
//! * [`data`]: `[data]`; [`graph`]: `[graph]`; [`objective`]: `[objective]`; [`algorithm`]: `[algorithm]`, whose
//!   kinds have a file each; [`privacy`]: `[privacy]`; [`stop`]: `stop`.
//!
//! Every variant of a table with a `kind` wraps a struct, so that serde refuses unknown keys there too.

pub mod algorithm;
pub mod data;
pub mod graph;
pub mod objective;
pub mod privacy;
mod seed;
pub mod stop;

use dido_topology::families;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::records::Seeds;
use graph::SequenceConfig;

pub use algorithm::{AlgorithmConfig, AtConfig, SetConfig};
pub use data::{
    BoundsConfig, DataConfig, FeatureConfig, MissingConfig, NumericConfig, PartitionConfig, ScalingConfig, TargetConfig,
};
pub use graph::GraphConfig;
pub use objective::{ObjectiveConfig, WeightingConfig};
pub use privacy::{AccountantConfig, AllocationConfig, MechanismConfig, NoiseConfig, PrivacyConfig};
pub use seed::Seed;
pub use stop::StopConfig;

/// An experiment file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Names the result folder.
    pub name: String,
    /// Where the noise comes from.
    #[serde(default)]
    pub seed: Seed,
    /// Independent repetitions on the same data.
    #[serde(default = "one")]
    pub lanes: usize,
    /// Rounds with a release.
    pub rounds: u32,
    /// Rounds of plain averaging after the last release.
    #[serde(default)]
    pub averaging_rounds: u32,
    /// Completed rounds between two points of the trace; by default 200 points in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observe_every: Option<u32>,
    /// A rule by which the run ends before its last round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopConfig>,
    /// What the experiment is compared with, in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baseline>,
    /// Remarks that the plan prints.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// The data and their public bounds.
    pub data: DataConfig,
    /// Who talks to whom.
    pub graph: GraphConfig,
    /// What is minimised.
    #[serde(default)]
    pub objective: ObjectiveConfig,
    /// How.
    pub algorithm: AlgorithmConfig,
    /// What is promised.
    pub privacy: PrivacyConfig,
}

/// `baseline`: the same algorithm, records and guarantee without the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Baseline {
    /// One party that holds the records of all.
    Centralised,
    /// The parties never talk.
    Alone,
}

impl Config {
    /// Where randomness comes from.
    pub fn seeds(&self) -> Seeds {
        let Self { data, graph, .. } = self;
        let family = families::ALL.iter().find(|family| Some(family.name) == graph.kind.as_deref());
        Seeds {
            noise: self.seed,
            held_out: data.held_out.seed,
            partition: data.partition.seed(),
            graph: family.filter(|family| family.is_random()).map(|_| graph.options.seed.unwrap_or(0)),
            sequence: graph.sequence.as_ref().and_then(SequenceConfig::seed),
        }
    }
}

fn one() -> usize {
    1
}

/// A table without keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Empty {}
