//! Facts of a run beside its figures: what made it, where its randomness came from, how long it took.

use serde::{Deserialize, Serialize};

use crate::config::Seed;

/// What made a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versions {
    /// The version of this program.
    pub dido: String,
    /// Its build, where whoever built it gave it a name in the environment variable `DIDO_BUILD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
}

impl Versions {
    /// Those of this program.
    pub fn here() -> Self {
        Self { dido: env!("CARGO_PKG_VERSION").to_owned(), build: option_env!("DIDO_BUILD").map(str::to_owned) }
    }
}

/// Where randomness comes from. All seeds but that of the noise are public coins; one is absent where nothing is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seeds {
    /// Of the noise: in JSON a number, or `"os"` for a key of the operating system that was not stored.
    pub noise: Seed,
    /// Of the choice of held-out records.
    pub held_out: u64,
    /// Of the assignment of records to parties.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<u64>,
    /// Of the graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<u64>,
    /// Of the sequence of graphs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence: Option<u64>,
}

/// All that a clock says of a run: no other file of a result, and no other key, depends on one. A run that was interrupted
/// adds up its parts, each to its last checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Seconds that passed.
    pub wall_seconds: f64,
    /// Seconds that all threads of the process computed.
    pub cpu_seconds: f64,
}

/// What an accountant says of the whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Accounting {
    /// The name of the accountant.
    pub accountant: String,
    /// At which delta.
    pub delta: f64,
    /// Epsilon of one lane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
