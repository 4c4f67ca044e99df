//! `stop`: when a run ends before its last planned round.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `stop`: a rule on the estimates of the parties, which are public. The claim stays that of all planned rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum StopConfig {
    /// Every party's estimate moves by less than a part of its length.
    RelativeChange(StopWhen),
    /// Every party's estimate is nearer to the mean of all than a part of the length of that mean.
    Consensus(StopWhen),
}

impl StopConfig {
    /// Its numbers.
    pub fn when(self) -> StopWhen {
        match self {
            Self::RelativeChange(when) | Self::Consensus(when) => when,
        }
    }
}

/// How near, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StopWhen {
    /// The part of the length.
    pub below: f64,
    /// So many rounds in a row.
    #[serde(default = "one")]
    pub rounds: u32,
}

fn one() -> u32 {
    1
}
