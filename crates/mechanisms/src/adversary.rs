//! Who looks at what.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The adversary against whom a bound holds. Each of them may know everything else: graph, weights, schedules, code,
/// and all records but the one that is protected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Adversary {
    /// Sees every release of every node: the whole transcript. The default, and the strongest.
    #[default]
    AllMessages,
    /// Is one of the parties: sees the messages of its neighbours, and its own data. Where the noise of the nodes is
    /// independent it sees no more than [`AllMessages`](Self::AllMessages) does, so a bound against that one holds here
    /// too, and is what is reported.
    Neighbour(usize),
    /// Sees all messages but cannot tell who is active. That takes more than silence about it: every node draws its own
    /// coin, independently of all others, from a secret key, and every node sends in every round, an idle one noise of
    /// the same distribution. A fixed number of active nodes does not qualify: what the others send gives a node away.
    HiddenActivation,
    /// So many of the parties, who pool what they know, the keys they share with others included, and see all messages.
    /// Who they are: the nodes for which the ledger has no entry, or any so many of
    /// them if it has one for all; their own data are not protected from them. Where the
    /// noise of the nodes is independent they learn no more about the others than [`AllMessages`](Self::AllMessages).
    Colluders(usize),
}

impl fmt::Display for Adversary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AllMessages => f.write_str("sees all messages"),
            Self::Colluders(1) => f.write_str("is a party and sees all messages"),
            Self::Colluders(count) => write!(f, "is {count} parties who pool what they know and see all messages"),
            Self::Neighbour(node) => write!(f, "is party {node} and sees the messages of its neighbours"),
            Self::HiddenActivation => f.write_str("sees all messages, but not who is active"),
        }
    }
}
