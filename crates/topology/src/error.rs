//! What can be wrong with a graph or a mixing matrix.

use std::fmt::Display;
use std::path::PathBuf;

use crate::components::Components;
use crate::matrix::TOLERANCE;
use crate::sequence::SequenceError;

/// Why a graph or a mixing matrix was refused.
#[derive(Debug, thiserror::Error)]
pub enum TopologyError {
    /// A graph has at least one node.
    #[error("a graph needs at least one node")]
    NoNodes,
    /// Node numbers must fit into 32 bits.
    #[error("{nodes} nodes are too many: at most {} are supported", u32::MAX - 1)]
    TooManyNodes {
        /// How many were asked for.
        nodes: usize,
    },
    /// An edge names a node that does not exist.
    #[error("edge {i}-{j} leaves the graph: its nodes are 0 to {}", nodes - 1)]
    EndOutOfRange {
        /// One end.
        i: usize,
        /// The other end.
        j: usize,
        /// Nodes of the graph.
        nodes: usize,
    },
    /// A node is its own neighbour.
    #[error(
        "node {node} is joined to itself; self-loops are not allowed, the self weight belongs to the mixing matrix"
    )]
    SelfLoop {
        /// Which node.
        node: usize,
    },
    /// The same two nodes are joined twice (`i j` and `j i` are the same edge).
    #[error("edge {i}-{j} is given more than once; the graph is undirected and simple")]
    DuplicateEdge {
        /// The smaller end.
        i: usize,
        /// The larger end.
        j: usize,
    },
    /// Some nodes can never hear of each other.
    #[error("the graph is not connected: {0}")]
    Disconnected(Components),
    /// An edge probability must lie in `[0, 1]`.
    #[error("the edge probability must lie in [0, 1], got {p}")]
    EdgeProbability {
        /// What was given.
        p: f64,
    },
    /// A parameter outside the definition of its family.
    #[error("{family}: {parameter} must be {requirement}, got {value}")]
    Parameter {
        /// The family, by its name in [`ALL`](crate::families::ALL).
        family: &'static str,
        /// The parameter, as the option is called.
        parameter: &'static str,
        /// What the definition asks of it.
        requirement: String,
        /// What was given.
        value: String,
    },
    /// No connected graph was found within the number of attempts.
    #[error("none of {attempts} random graphs on {nodes} nodes with {law} was connected; raise {raise}")]
    NeverConnected {
        /// Nodes of the graph.
        nodes: usize,
        /// The parameters of the family.
        law: String,
        /// The parameter that makes connected graphs likelier.
        raise: &'static str,
        /// Graphs drawn.
        attempts: u32,
    },
    /// No family has this name.
    #[error("there is no family '{name}'; the families are {known}")]
    UnknownFamily {
        /// What was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// No weight rule has this name.
    #[error("there is no weight rule '{name}'; the rules are {known}")]
    UnknownRule {
        /// What was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A family was given an option that it does not have.
    #[error("{family} has no option '{option}'; its options are {options}")]
    UnknownOption {
        /// The family.
        family: &'static str,
        /// The option.
        option: &'static str,
        /// The options that it has.
        options: String,
    },
    /// A family lacks an option without which it is not defined.
    #[error("{family} needs the option {option}")]
    MissingOption {
        /// The family.
        family: &'static str,
        /// The option, or the choice between several.
        option: &'static str,
    },
    /// A graph by name would not fit into memory.
    #[error("{family}: about {edges:.0} edges are too many, at most {limit} are built")]
    GraphTooLarge {
        /// The family.
        family: &'static str,
        /// The edges to be expected.
        edges: f64,
        /// How many are built.
        limit: usize,
    },
    /// Two options exclude each other.
    #[error("{family} takes {options}, but not both")]
    ExclusiveOptions {
        /// The family.
        family: &'static str,
        /// The two options.
        options: &'static str,
    },
    /// A line of a file (a graph, a recorded sequence) is wrong.
    #[error("{name}, line {line}: {problem}")]
    FileLine {
        /// The file or other source.
        name: String,
        /// Line, from 1.
        line: usize,
        /// What is wrong there.
        problem: String,
    },
    /// A file (a graph, a recorded sequence) is wrong as a whole.
    #[error("{name}: {source}")]
    File {
        /// The file or other source.
        name: String,
        /// What is wrong.
        source: Box<TopologyError>,
    },
    /// A file that cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file that cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A mixing matrix is `nodes x nodes`.
    #[error("the matrix is {rows} x {columns} for a graph of {nodes} nodes")]
    WeightShape {
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
        /// Nodes of the graph.
        nodes: usize,
    },
    /// A weight is NaN or infinite.
    #[error("row {row}, column {column} of the mixing matrix is {value}; it must be finite")]
    NonFiniteWeight {
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// The weight.
        value: f64,
    },
    /// A weight between nodes that are not neighbours.
    #[error("row {row} of the mixing matrix has weight {value} in column {column}, but these nodes are not neighbours")]
    OutsideGraph {
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// The weight.
        value: f64,
    },
    /// Two mirrored weights differ.
    #[error(
        "row {row}, column {column} of the mixing matrix is {value} but its mirror is {mirrored}; it must be symmetric"
    )]
    AsymmetricWeights {
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// Weight (row, column).
        value: f64,
        /// Weight (column, row).
        mirrored: f64,
    },
    /// A row does not sum to one.
    #[error("row {row} of the mixing matrix sums to {sum}, not to 1 within {TOLERANCE}")]
    RowSum {
        /// Row.
        row: usize,
        /// Its sum.
        sum: f64,
    },
    /// A column does not sum to one.
    #[error("column {column} of the mixing matrix sums to {sum}, not to 1 within {TOLERANCE}")]
    ColumnSum {
        /// Column.
        column: usize,
        /// Its sum.
        sum: f64,
    },
    /// Some deviation from the mean never shrinks under these weights, whatever the number of rounds.
    #[error("the mixing matrix does not average: its second largest singular value is {lambda}, it must be below 1")]
    NoContraction {
        /// `||W - J||_2`.
        lambda: f64,
    },
    /// Uniform weights need equal degrees.
    #[error("uniform weights need a regular graph, but node {i} has degree {degree_i} and node {j} has {degree_j}")]
    NotRegular {
        /// A node.
        i: usize,
        /// Its degree.
        degree_i: usize,
        /// Another node.
        j: usize,
        /// Its degree.
        degree_j: usize,
    },
    /// A pattern for the Sinkhorn rule has finite entries that are not negative.
    #[error("row {row}, column {column} of the pattern is {value}; it must be finite and not negative")]
    Pattern {
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// The pattern could not be scaled to a doubly stochastic matrix.
    #[error(
        "the pattern was not scaled to a doubly stochastic matrix: row {row} still sums to {sum} after {steps} steps; \
         positive diagonal entries always make it possible"
    )]
    NotScaled {
        /// The row that is worst.
        row: usize,
        /// Its sum.
        sum: f64,
        /// Scaling steps taken.
        steps: u32,
    },
    /// The interior-point method for the fastest weights works with dense matrices of the order of the edges.
    #[error("the fastest weights of {edges} edges are too many to search for: at most {limit} edges are supported")]
    TooManyEdges {
        /// Edges of the graph.
        edges: usize,
        /// How many are supported.
        limit: usize,
    },
    /// The search for the fastest weights stopped before its optimality gap was small.
    #[error("the fastest weights were only found within {gap:.1e} of the optimum, not within {wanted:.1e}")]
    NotOptimal {
        /// The gap reached: what the weights found lose at most.
        gap: f64,
        /// The gap asked for.
        wanted: f64,
    },
    /// Dense matrices of this order would not fit.
    #[error("{nodes} nodes are too many for a dense matrix: at most {limit} are supported here")]
    TooManyForDense {
        /// Nodes asked for.
        nodes: usize,
        /// How many are supported.
        limit: usize,
    },
    /// A node that does not exist was named.
    #[error("node {node} does not exist: the nodes are 0 to {}", nodes.saturating_sub(1))]
    NoSuchNode {
        /// The node.
        node: usize,
        /// Nodes of the graph.
        nodes: usize,
    },
    /// A list of nodes names one twice, or misses one.
    #[error("the order names {given} nodes and must name each of the {nodes} once")]
    NotAPermutation {
        /// Nodes named.
        given: usize,
        /// Nodes of the graph.
        nodes: usize,
    },
    /// A linear system with the Laplacian did not converge.
    #[error("the potentials did not converge: relative residual {residual:.1e} after {steps} steps")]
    PotentialsNotConverged {
        /// Steps taken.
        steps: usize,
        /// Residual relative to the current.
        residual: f64,
    },
    /// A factor or tolerance that no number of rounds can mean.
    #[error("the factor by which deviations shrink must lie between 0 and 1, both excluded, got {factor}")]
    Factor {
        /// What was given.
        factor: f64,
    },
    /// A bound of the second singular value that is none.
    #[error("lambda must lie in [0, 1), got {lambda}")]
    Lambda {
        /// What was given.
        lambda: f64,
    },
    /// Values that are not `nodes x width`.
    #[error("{len} values are not {nodes} nodes x width {width}")]
    ValueCount {
        /// Values given.
        len: usize,
        /// Nodes of the matrix.
        nodes: usize,
        /// Width of a row.
        width: usize,
    },
    /// The values are still too far apart.
    #[error("after {rounds} rounds the disagreement is {disagreement:.3e}, not {wanted:.3e}")]
    NoConsensus {
        /// Rounds taken.
        rounds: u32,
        /// Root mean square deviation from the mean.
        disagreement: f64,
        /// What was asked for.
        wanted: f64,
    },
    /// The Lanczos iteration for the spectrum did not reach its residual bound.
    #[error("the extreme eigenvalues of {nodes} nodes did not converge: residual {residual:.1e} after {steps} steps")]
    SpectrumNotConverged {
        /// Nodes of the graph.
        nodes: usize,
        /// Lanczos steps taken.
        steps: usize,
        /// Residual reached.
        residual: f64,
    },
    /// A sequence was refused, or a question about one.
    #[error(transparent)]
    Sequence(#[from] SequenceError),
    /// A dense factorisation failed.
    #[error(transparent)]
    Linalg(#[from] dido_linalg::LinalgError),
}

impl TopologyError {
    /// A parameter that its family refuses.
    pub(crate) fn parameter(
        family: &'static str,
        parameter: &'static str,
        requirement: impl Into<String>,
        value: impl Display,
    ) -> Self {
        Self::Parameter { family, parameter, requirement: requirement.into(), value: value.to_string() }
    }
}
