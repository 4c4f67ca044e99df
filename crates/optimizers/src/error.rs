//! Why an optimiser refuses or stops.

use dido_mechanisms::{Adjacency, MechanismError};
use dido_problems::{ProblemError, RecordBounds};
use dido_topology::TopologyError;

/// The errors of this crate.
#[derive(Debug, thiserror::Error)]
pub enum OptimizerError {
    /// A schedule has a parameter outside its range.
    #[error("schedule parameter {name} = {value} is out of range")]
    ScheduleParameter {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A table is shorter than the run.
    #[error("the table has {length} values, the run needs {rounds}")]
    ScheduleLength {
        /// Values in the table.
        length: usize,
        /// Values needed.
        rounds: u32,
    },
    /// A schedule leaves the positive numbers.
    #[error("the schedule is {value} in round {round}; it must be finite and positive")]
    ScheduleValue {
        /// The first such round.
        round: u32,
        /// The value.
        value: f64,
    },
    /// The data of a party are not what was declared.
    #[error("node {node} holds {found} records, {declared} were declared")]
    Records {
        /// The node.
        node: usize,
        /// Records found.
        found: usize,
        /// Records declared.
        declared: usize,
    },
    /// The records of a party are bounded otherwise than declared.
    #[error("node {node} has records within {found:?}, declared was {declared:?}")]
    Bounds {
        /// The node.
        node: usize,
        /// The bounds its records meet.
        found: RecordBounds,
        /// The bounds declared.
        declared: RecordBounds,
    },
    /// A run needs as many parties as the declaration, the graph and the key list have.
    #[error("{what}: {found}, the declaration has {declared}")]
    Count {
        /// What was counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        declared: usize,
    },
    /// The share of nodes that are awake is a probability.
    #[error("the participation must be above 0 and at most 1, got {0}")]
    Participation(f64),
    /// What a node hears replaces a part of its state, and no more than the whole of it.
    #[error("the coupling is {value} in round {round}; it must be above 0 and at most 1")]
    Coupling {
        /// The first such round.
        round: u32,
        /// The value.
        value: f64,
    },
    /// A parameter of an algorithm is outside its range.
    #[error("{name} = {value} must be finite and positive")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// An algorithm for another loss.
    #[error("{algorithm} needs {needs}, not {found:?}")]
    Loss {
        /// The algorithm.
        algorithm: &'static str,
        /// The losses it is for.
        needs: &'static str,
        /// The declared loss.
        found: dido_problems::Loss,
    },
    /// The gate keeps a ledger for other classes of nodes than were declared.
    #[error("the gate and the declaration put the nodes into different classes")]
    Classes,
    /// A relation for which no worst case is built.
    #[error("audits build neighbouring data sets for replaced records and nodes, not for: {0}")]
    Unaudited(Adjacency),
    /// The privacy crate refuses a bound, or a comparison.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// A bound on the weights that is none.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// A run that was to be audited is refused.
    #[error(transparent)]
    Stop(#[from] Stop),
    /// Data that cannot be used.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// Why a run stops before its last round.
#[derive(Debug, thiserror::Error)]
pub enum Stop {
    /// Exact noise hides numbers of which nobody has proved how far they are from those that theory speaks of.
    #[error("exact noise needs a bound on rounding, and {what} have none: use noise in floating point")]
    Rounding {
        /// What was to be released.
        what: &'static str,
    },
    /// A random term in the objective is Gaussian.
    #[error("objective perturbation needs Gaussian noise in floating point or none, not {0}")]
    Perturbation(&'static str),
    /// The privacy crate refused, or a released number was not finite.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// The sensitivity of a gradient depends on where it is taken.
    #[error(
        "the gradient in round {round} is taken at a point without a bound, so its sensitivity is infinite: project the \
         point on a bounded set first, clip the gradient, use a loss of bounded slope, or run without noise"
    )]
    Unbounded {
        /// The round.
        round: u32,
    },
    /// A sample of records that a node does not have.
    #[error("node {node} draws {count} records without replacement and has {records}: it needs 1 to {records}")]
    Sample {
        /// The node.
        node: usize,
        /// Records to be drawn.
        count: usize,
        /// Records there are.
        records: usize,
    },
    /// A record that is never looked at, or more than always.
    #[error("the rate of Poisson sampling must be above 0 and at most 1, got {0}")]
    Rate(f64),
    /// Rounding errors grow with the number of records, which is protected where records are added or removed.
    #[error(
        "node {node} holds more than twice the records it declared: with noise on a grid, rounding is bounded for no more"
    )]
    ManyRecords {
        /// The node.
        node: usize,
    },
    /// A dry run with a gate that lets values out.
    #[error("a dry run needs a gate made for plans")]
    NotAPlan,
    /// The parties of a dry run cannot be what is declared.
    #[error(transparent)]
    Parties(Box<OptimizerError>),
    /// A step of dual averaging that has no result.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The network joins other nodes than those that are played.
    #[error("the network has {network} nodes, the run has {parties}")]
    Nodes {
        /// Nodes of the network.
        network: usize,
        /// Parties of the run.
        parties: usize,
    },
    /// A value left the finite numbers in a run whose noise is to hide the data. Where is not said: it depends on records, before
    /// any noise. That the run stops does so too; on a bounded set it cannot happen, unless the declared bounds alone let a
    /// gradient or a step of it pass `1e308`.
    #[error("round {round} diverged: a number is not finite before the noise; bound the points, or take smaller steps")]
    Overflow {
        /// The round.
        round: u32,
    },
    /// A value left the finite numbers in a run without noise.
    #[error("node {node} diverged in round {round}: coordinate {coordinate} of lane {lane} is not finite")]
    Diverged {
        /// The round.
        round: u32,
        /// The node.
        node: usize,
        /// The lane.
        lane: usize,
        /// The coordinate.
        coordinate: usize,
    },
    /// A node sleeps in the one round in which it would have been asked.
    #[error("node {node} sleeps in round {round}, in which every node has to make its only release")]
    Asleep {
        /// The round.
        round: u32,
        /// The node.
        node: usize,
    },
    /// A linear system that cannot be solved.
    #[error(transparent)]
    Linalg(#[from] dido_linalg::LinalgError),
    /// The algorithm is wrong on networks that change.
    #[error(
        "{algorithm} needs mixing weights that stay the same, with every node awake; on networks that change use DIGing"
    )]
    Varying {
        /// The algorithm.
        algorithm: &'static str,
    },
    /// The network failed.
    #[error("round {round}: {source}")]
    Network {
        /// The round.
        round: u32,
        /// What the network says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// `value`, if it is finite and positive.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<f64, OptimizerError> {
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err(OptimizerError::Parameter { name, value }) }
}
