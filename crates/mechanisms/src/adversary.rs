//! Who looks at what.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The adversary against whom a bound holds. Each of them may know everything else: graph, weights, schedules, code,
/// and all records but the one that is protected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Adversary {
    /// Sees every release of every node: the whole transcript. The default, and the strongest.
    #[default]
    AllMessages,
    /// Is one of the parties: sees the messages of its neighbours, and its own data. Sees no more than
    /// [`AllMessages`](Self::AllMessages) does, so a bound against that one holds here too, and is what is reported.
    Neighbour(usize),
}

impl fmt::Display for Adversary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AllMessages => f.write_str("sees all messages"),
            Self::Neighbour(node) => write!(f, "is party {node} and sees the messages of its neighbours"),
        }
    }
}
