//! All that can be wrong with data, declarations and partitions.

use crate::Distance;

/// What was wrong, in one line. Records, features and nodes count from 0, lines of a file from 1.
///
/// Messages quote the cell or number at fault: they are for the eyes of the owner of the data.
#[derive(Debug, thiserror::Error)]
pub enum ProblemError {
    /// A declared bound must be a finite positive number.
    #[error("the declared bound {name} must be finite and positive, got {value}")]
    Bound {
        /// Which bound.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A minimiser that is found to an unknown tolerance.
    #[error("the projection on an intersection of sets stops early, so a minimiser on it has no known tolerance")]
    InexactSet,
    /// A regulariser that is too small to be minimised with.
    #[error(
        "mu = {mu} is too small for second derivatives up to {curvature}: the minimum would take over a million steps"
    )]
    TooManySteps {
        /// The regulariser.
        mu: f64,
        /// A bound on the second derivative of the rest.
        curvature: f64,
    },
    /// A regulariser that is so small that rounding is not bounded by what it may be.
    #[error(
        "mu = {mu} is too small: the condition number is {condition:e}, and rounding is known to be harmless up to {largest:e}"
    )]
    Conditioning {
        /// The regulariser.
        mu: f64,
        /// The largest second derivative over the least.
        condition: f64,
        /// The largest condition number that is accepted.
        largest: f64,
    },
    /// Every record has one row of features and one target.
    #[error("{rows} rows of features and {targets} targets; they must be as many")]
    Targets {
        /// Rows of features.
        rows: usize,
        /// Targets.
        targets: usize,
    },
    /// A shard needs a record and a record needs a feature.
    #[error("{records} records of {dim} features; there must be at least one of each")]
    Empty {
        /// Records given.
        records: usize,
        /// Features of each.
        dim: usize,
    },
    /// A feature that is NaN or infinite.
    #[error("record {record}, feature {feature}: {value} is not a finite number")]
    NonFiniteFeature {
        /// Which record.
        record: usize,
        /// Which feature.
        feature: usize,
        /// What it says.
        value: f64,
    },
    /// A target that is NaN or infinite.
    #[error("record {record}: the target {value} is not a finite number")]
    NonFiniteTarget {
        /// Which record.
        record: usize,
        /// What it says.
        value: f64,
    },
    /// A row longer than declared.
    #[error("record {record}: the row has norm {norm}, more than the declared {bound}")]
    RowNorm {
        /// Which record.
        record: usize,
        /// Its Euclidean norm.
        norm: f64,
        /// The declared bound.
        bound: f64,
    },
    /// A target larger than declared.
    #[error("record {record}: the target {value} is larger in size than the declared {bound}")]
    Target {
        /// Which record.
        record: usize,
        /// Its target.
        value: f64,
        /// The declared bound.
        bound: f64,
    },
    /// A loss needs at least one node and one lane.
    #[error("{nodes} nodes and {lanes} lanes; there must be at least one of each")]
    NoNodes {
        /// Nodes given.
        nodes: usize,
        /// Lanes asked for.
        lanes: usize,
    },
    /// A loss that is rounded off needs a width over which it is.
    #[error("the width of a loss must be finite and positive, got {0}")]
    LossWidth(f64),
    /// Parties whose records are bounded otherwise cannot be one.
    #[error("node {node} has records within {got:?}, node 0 within {expected:?}")]
    OtherBounds {
        /// Which node.
        node: usize,
        /// The bounds its records meet.
        got: crate::RecordBounds,
        /// Those of the first node.
        expected: crate::RecordBounds,
    },
    /// All nodes have the same features.
    #[error("node {node} has {dim} features, node 0 has {expected}")]
    Dimension {
        /// Which node.
        node: usize,
        /// Its number of features.
        dim: usize,
        /// That of the first node.
        expected: usize,
    },
    /// As many coefficients as features.
    #[error("{got} coefficients for {expected} features")]
    Coefficients {
        /// Coefficients given.
        got: usize,
        /// Features there are.
        expected: usize,
    },
    /// A declaration of a column that makes no sense.
    #[error("column {column:?}: {problem}")]
    Declaration {
        /// The declared column.
        column: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The file cannot be read, or is not certain to mean what it seems to.
    #[error(transparent)]
    File(#[from] dido_data::DataError),
    /// A column that is asked for and not there.
    #[error("{file}: no column {column:?} in the header; there are {present}")]
    MissingColumn {
        /// The file.
        file: String,
        /// The column asked for.
        column: String,
        /// The columns there are.
        present: String,
    },
    /// A cell that says nothing.
    #[error("{file}, {place}, column {column:?}: the cell is empty")]
    EmptyCell {
        /// The file.
        file: String,
        /// The line or row.
        place: Box<str>,
        /// The column.
        column: String,
    },
    /// Text where a number belongs.
    #[error("{file}, {place}, column {column:?}: {value:?} is not a number")]
    NotANumber {
        /// The file.
        file: String,
        /// The line or row.
        place: Box<str>,
        /// The column.
        column: String,
        /// What the cell says.
        value: String,
    },
    /// What could mean several numbers.
    #[error(
        "{file}, {place}, column {column:?}: {value:?} could mean several numbers: thousands separators are not read, and \
         a decimal comma has to be declared"
    )]
    AmbiguousNumber {
        /// The file.
        file: String,
        /// The line or row.
        place: Box<str>,
        /// The column.
        column: String,
        /// What the cell says.
        value: String,
    },
    /// NaN or an infinity where a finite number belongs.
    #[error("{file}, {place}, column {column:?}: {value} is not a finite number")]
    NonFiniteCell {
        /// The file.
        file: String,
        /// The line or row.
        place: Box<str>,
        /// The column.
        column: String,
        /// What the cell says.
        value: String,
    },
    /// A category that was not declared.
    #[error("{file}, {place}, column {column:?}: {value:?} is not among the declared levels {declared}")]
    UndeclaredLevel {
        /// The file.
        file: String,
        /// The line or row.
        place: Box<str>,
        /// The column.
        column: String,
        /// What the cell says.
        value: String,
        /// The declared levels.
        declared: Box<str>,
    },
    /// Every party needs a record.
    #[error(
        "{records} records cannot be given to {parties} parties; each needs at least one, and there must be a party"
    )]
    TooFewRecords {
        /// Records there are.
        records: usize,
        /// Parties asked for.
        parties: usize,
    },
    /// Records can be sorted by finite numbers only.
    #[error("the key of record {record} is {value}; records are sorted by finite numbers")]
    NonFiniteKey {
        /// Which record.
        record: usize,
        /// Its key.
        value: f64,
    },
    /// The parameter of a Dirichlet distribution is finite and positive.
    #[error("alpha must be finite and positive, got {0}")]
    Alpha(f64),
    /// The share held out is at least 0 and below 1.
    #[error("the fraction held out must be at least 0 and below 1, got {0}")]
    Fraction(f64),
    /// Something must be left to train on.
    #[error("holding out {fraction} of {records} records leaves none to train on")]
    NothingLeft {
        /// Records there are.
        records: usize,
        /// The fraction held out.
        fraction: f64,
    },
    /// R^2 compares with the mean of the target, which predicts a constant perfectly.
    #[error("R^2 is not defined: all {records} targets are equal")]
    ConstantTarget {
        /// Records given.
        records: usize,
    },
    /// The weights of a regulariser are finite and not negative.
    #[error("the weight {name} of the regulariser must be finite and not negative, got {value}")]
    RegulariserWeight {
        /// Which weight.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// There is at least one group of coordinates, and none is empty.
    #[error("the regulariser has groups of {groups:?} coordinates; there must be at least one, and none empty")]
    Groups {
        /// The size of each group.
        groups: Vec<usize>,
    },
    /// The step of a proximal operator is finite and not negative.
    #[error("the step of the proximal operator must be finite and not negative, also times the weights, got {0}")]
    ProximalStep(f64),
    /// Of these three the dual step has no closed form.
    #[error(
        "the dual step has no closed form for the regulariser {regulariser} over {set} with the {distance:?} distance"
    )]
    NoClosedForm {
        /// The kind of the regulariser.
        regulariser: &'static str,
        /// The kind of the set.
        set: &'static str,
        /// The distance.
        distance: Distance,
    },
    /// The weights of a dual step make what is minimised finite and strongly convex.
    #[error(
        "the dual step needs weights that are finite, not negative and not all zero, got a = {a} and gamma = {gamma}"
    )]
    DualWeights {
        /// The weight of the regulariser.
        a: f64,
        /// The weight of the distance.
        gamma: f64,
    },
    /// The factorisation failed.
    #[error("the reference optimum could not be computed: {0}")]
    Reference(String),
}
