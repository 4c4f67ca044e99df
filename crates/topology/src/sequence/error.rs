//! What can be wrong with a sequence of mixing weights.

use crate::{Components, TopologyError};

/// Why a sequence was refused, or a question about one.
///
/// What is wrong with a graph or with weights, in whichever round, is said by [`TopologyError`].
#[derive(Debug, thiserror::Error)]
pub enum SequenceError {
    /// A parameter is out of range.
    #[error("the {name} must lie in {range}, got {value}")]
    Parameter {
        /// Which.
        name: &'static str,
        /// Where it may lie.
        range: &'static str,
        /// What was given.
        value: f64,
    },
    /// The number of awake nodes is none of `1..=nodes`.
    #[error("{active} of {nodes} nodes cannot be awake in each round; at least one and at most all can")]
    ActiveNodes {
        /// Awake nodes asked for.
        active: usize,
        /// Nodes of the graph.
        nodes: usize,
    },
    /// An edge of a round leads to a node that is not awake.
    #[error("edge {i}-{j} leads to node {node}, which sleeps in this round")]
    SleepingEnd {
        /// One end.
        i: usize,
        /// The other end.
        j: usize,
        /// The one that sleeps.
        node: usize,
    },
    /// An outage without a round.
    #[error("the outage of node {node} from round {start} to before {end} is empty")]
    EmptyOutage {
        /// The node.
        node: usize,
        /// Its first round.
        start: u32,
        /// The first round after it.
        end: u32,
    },
    /// One round of several is wrong.
    #[error("round {round}: {source}")]
    InRound {
        /// Which.
        round: u32,
        /// What is wrong.
        source: Box<TopologyError>,
    },
    /// A recorded sequence has at least one round.
    #[error("a recorded sequence needs at least one round")]
    NoRounds,
    /// A recorded sequence has ended.
    #[error("round {round} is not recorded: there are {rounds}, numbered from 0")]
    NotRecorded {
        /// The round asked for.
        round: u32,
        /// Rounds of the recording.
        rounds: u32,
    },
    /// A recorded sequence does not say how many nodes or rounds it has.
    #[error("'{what}' is missing")]
    Header {
        /// Which of the two.
        what: &'static str,
    },
    /// The rounds of a window together leave some nodes apart.
    #[error("the union of rounds {first} to {last} is not connected: {components}")]
    NotJointlyConnected {
        /// First round of the window.
        first: u32,
        /// Its last round.
        last: u32,
        /// What it leaves apart.
        components: Components,
    },
    /// A window of rounds has at least one and at most all of them.
    #[error("a window of {window} rounds does not fit into {rounds}")]
    Window {
        /// Rounds of the window.
        window: u32,
        /// Rounds there are.
        rounds: usize,
    },
    /// A weight is smaller than was promised.
    #[error("round {round}, row {row}, column {column} has weight {value}, less than eta = {eta}")]
    SmallWeight {
        /// The round.
        round: u32,
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// The weight.
        value: f64,
        /// The promise.
        eta: f64,
    },
    /// An estimate needs more rounds.
    #[error("{rounds} rounds are too few for an estimate: it takes at least {needed}")]
    TooFewRounds {
        /// Rounds given.
        rounds: usize,
        /// Rounds needed.
        needed: usize,
    },
}
