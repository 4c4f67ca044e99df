//! What can be wrong with a graph or a mixing matrix.

use std::fmt;
use std::path::PathBuf;

use crate::matrix::TOLERANCE;
use crate::sequence::DENSE_NODES;

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
    /// Two options exclude each other.
    #[error("{family} takes {options}, but not both")]
    ExclusiveOptions {
        /// The family.
        family: &'static str,
        /// The two options.
        options: &'static str,
    },
    /// A line of a graph file is wrong.
    #[error("{name}, line {line}: {problem}")]
    FileLine {
        /// The file or other source.
        name: String,
        /// Line, from 1.
        line: usize,
        /// What is wrong there.
        problem: String,
    },
    /// A graph file that is wrong as a whole.
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
    /// The Lanczos iteration for the spectrum did not reach its residual bound.
    #[error("the second singular value of {nodes} nodes did not converge: residual {residual:.1e} after {steps} steps")]
    SpectrumNotConverged {
        /// Nodes of the graph.
        nodes: usize,
        /// Lanczos steps taken.
        steps: usize,
        /// Residual reached.
        residual: f64,
    },
    /// A parameter of a sequence is out of range.
    #[error("the {name} must lie in {range}, got {value}")]
    SequenceParameter {
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
    /// A node that does not exist.
    #[error("there is no node {node}: the nodes are 0 to {}", nodes.saturating_sub(1))]
    NoSuchNode {
        /// Which was named.
        node: usize,
        /// How many there are.
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
    /// A line of a recorded sequence is wrong.
    #[error("{name}, line {line}: {problem}")]
    SequenceLine {
        /// The file or other source.
        name: String,
        /// Line, from 1.
        line: usize,
        /// What is wrong there.
        problem: String,
    },
    /// A recorded sequence does not say how many nodes or rounds it has.
    #[error("'{what}' is missing")]
    SequenceHeader {
        /// Which of the two.
        what: &'static str,
    },
    /// A recorded sequence that is wrong as a whole.
    #[error("{name}: {source}")]
    SequenceText {
        /// The file or other source.
        name: String,
        /// What is wrong.
        source: Box<TopologyError>,
    },
    /// A file that cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
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
    /// A dense matrix of all nodes would be too large.
    #[error("{nodes} nodes are too many for a dense matrix: at most {DENSE_NODES} are supported here")]
    TooManyForDense {
        /// Nodes of the sequence.
        nodes: usize,
    },
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
        value: impl fmt::Display,
    ) -> Self {
        Self::Parameter { family, parameter, requirement: requirement.into(), value: value.to_string() }
    }
}

/// The connected components of a graph, each ascending, in the order of their smallest node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components(pub Vec<Vec<usize>>);

/// Lists so many components, and so many nodes of each, before it shortens.
const LISTED: usize = 8;

impl fmt::Display for Components {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} components:", self.0.len())?;
        for (k, nodes) in self.0.iter().take(LISTED).enumerate() {
            let listed: Vec<String> = nodes.iter().take(LISTED).map(ToString::to_string).collect();
            write!(f, "{} {{{}", if k == 0 { "" } else { "," }, listed.join(", "))?;
            match nodes.len().saturating_sub(LISTED) {
                0 => write!(f, "}}")?,
                more => write!(f, ", and {more} more}}")?,
            }
        }
        match self.0.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => write!(f, ", and {more} more"),
        }
    }
}
