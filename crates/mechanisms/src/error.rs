//! Why the privacy crate refuses.

use crate::Adjacency;

/// The errors of this crate.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MechanismError {
    /// Noise cannot hide what is unbounded.
    #[error("a sensitivity must be finite and not negative, got {0}")]
    Sensitivity(f64),
    /// Noise needs a width.
    #[error("a noise scale must be positive and at most 2^1017, got {0}")]
    Scale(f64),
    /// A record that shows whatever the noise.
    #[error(
        "one record adds {curvature} to the second derivative of the objective: for mu = {mu} that costs more than epsilon = \
         {epsilon}, whatever the noise"
    )]
    Outweighed {
        /// Of the loss of one record.
        curvature: f64,
        /// The regulariser.
        mu: f64,
        /// What was to be kept.
        epsilon: f64,
    },
    /// The minimiser of a perturbed objective leaves with Gaussian noise of its own only.
    #[error("the minimiser of a perturbed objective leaves with Gaussian noise that is neither shared nor carried on")]
    Perturbed,
    /// A failure probability outside its range.
    #[error("delta must be at least 0 (zCDP: above 0) and below 1, got {0}")]
    Delta(f64),
    /// A budget that is none.
    #[error("epsilon must be positive and finite, got {0}")]
    Epsilon(f64),
    /// A zCDP parameter outside its range.
    #[error("rho must not be negative or NaN, got {0}")]
    Rho(f64),
    /// A public declaration that bounds nothing.
    #[error("the bound `{name}` must be finite and not negative, got {value}")]
    Bound {
        /// Which declaration.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A release whose sensitivity no multiple of its relative scale can hide.
    #[error("release {release}: sensitivity / relative scale must be finite and not negative, got {value}")]
    Ratio {
        /// Position of the release in the list, from 0.
        release: usize,
        /// The quotient.
        value: f64,
    },
    /// A vector without coordinates has no sensitivity.
    #[error("a released vector needs at least one coordinate")]
    NoCoordinates,
    /// A guarantee needs somebody to protect.
    #[error("the ledger has no nodes")]
    NoNodes,
    /// Sensitivities of different neighbouring relations cannot be added.
    #[error("expected a sensitivity for `{expected}`, got one for `{found}`")]
    Adjacency {
        /// The relation of the ledger, or of the releases so far.
        expected: Adjacency,
        /// The relation of the event.
        found: Adjacency,
    },
    /// A number of an event outside its range.
    #[error("the `{field}` of an event is out of range: {value}")]
    EventField {
        /// Which number.
        field: &'static str,
        /// Its value.
        value: f64,
    },
    /// The accountant has no theorem for such a release.
    #[error("the accountant `{accountant}` does not cover {event}")]
    Unsupported {
        /// Who refuses.
        accountant: &'static str,
        /// What was released.
        event: &'static str,
    },
    /// Nothing is known of such a mechanism on a sample.
    #[error("no theorem says what sampling the records does for {event}")]
    NotOnSample {
        /// The mechanism.
        event: &'static str,
    },
    /// A sampling scheme amplifies for one neighbouring relation only.
    #[error("{sampling} is accounted for `{expected}`, the mechanism is declared for `{found}`")]
    Sampling {
        /// The scheme.
        sampling: &'static str,
        /// The relation it speaks of.
        expected: Adjacency,
        /// The relation of the mechanism.
        found: Adjacency,
    },
    /// A node that is never active, or more than always.
    #[error("the probability of a node to be active must be in (0, 1], got {0}")]
    Activation(f64),
    /// Nothing to draw from.
    #[error("a node needs at least one record")]
    NoRecords,
    /// Every node has a count of active rounds.
    #[error("{found} counts of active rounds for {nodes} nodes")]
    Counts {
        /// Nodes of the run.
        nodes: usize,
        /// Counts given.
        found: usize,
    },
    /// Nobody is active more often than there are rounds.
    #[error("node {node} cannot be active {count} times in {rounds} rounds")]
    TooActive {
        /// The node.
        node: usize,
        /// Its count.
        count: u32,
        /// Rounds of the run.
        rounds: u32,
    },
    /// A published figure that is not one.
    #[error(
        "({epsilon}, {delta}) is claimed, not guaranteed: the closed form takes activation for a secret, and no constant \
         makes it true for every epsilon"
    )]
    Claim {
        /// The claimed privacy loss.
        epsilon: f64,
        /// The claimed delta.
        delta: f64,
    },
    /// Sampling of nodes hides nothing from those who see who is active.
    #[error("an event with hidden activation is no secret from an adversary who {0}")]
    ActivationSeen(crate::Adversary),
    /// No noise that can be written down is enough, or any amount is.
    #[error("no noise multiplier between {low} and {high} meets the budget exactly")]
    Calibration {
        /// The smallest that was tried.
        low: f64,
        /// The largest that was tried.
        high: f64,
    },
    /// A Rényi order outside its range.
    #[error("a Rényi order must be above 1 and finite, got {0}")]
    Order(f64),
    /// The release would break the promise; it must not leave.
    #[error("the release asks for {unit} {asked}, but {spent} of {cap} is spent")]
    Overspent {
        /// What the other three are measured in.
        unit: crate::Unit,
        /// Charged so far.
        spent: f64,
        /// What the refused release would cost.
        asked: f64,
        /// The most that may be charged.
        cap: f64,
    },
    /// Each row of noise needs a key of its own.
    #[error("{keys} keys for {numbers} numbers in rows of {dim}: one key per row is needed")]
    Keys {
        /// Keys given.
        keys: usize,
        /// Numbers to add noise to.
        numbers: usize,
        /// Coordinates of a row.
        dim: usize,
    },
    /// The number of a draw does not fit into its 24 bits of the stream number.
    #[error("the draw of a stream must be below 2^24, got {0}")]
    Draw(u32),
    /// The operating system gave no entropy.
    #[error("no key from the operating system: {0}")]
    Entropy(String),
    /// A stream of random numbers is used once; rounds do not come back.
    #[error("round {round} is over, the gate is in round {current}: its noise would be drawn twice")]
    RepeatedStream {
        /// The round asked for.
        round: u32,
        /// The round of the next draw.
        current: u32,
    },
    /// A stored ledger replaces none that is in use.
    #[error("the gate has released something already: a stored ledger is taken over before the first release only")]
    Resumed,
    /// A stored ledger of another run.
    #[error("the stored ledger is of other nodes, another adjacency or another adversary")]
    OtherLedger,
    /// A release that is not the next one of the plan.
    #[error("the release of node {node} in round {round} is not the planned one")]
    OffPlan {
        /// The round.
        round: u32,
        /// The first node of the class.
        node: usize,
    },
    /// A number that is not finite must not leave.
    #[error(
        "node {node} would release a number that is not finite in round {round} (lane {lane}, coordinate {coordinate})"
    )]
    NonFinite {
        /// The round.
        round: u32,
        /// The node.
        node: usize,
        /// The lane.
        lane: usize,
        /// The coordinate.
        coordinate: usize,
    },
    /// A step whose multiples are no ordinary numbers.
    #[error("a grid needs a step of 2^-1022 to 2^960, got the exponent {0}")]
    Grid(i32),
    /// No grid is coarse or fine enough.
    #[error("no grid rounds {dim} coordinates at a millionth of a sensitivity of {sensitivity}")]
    NoGrid {
        /// The sensitivity.
        sensitivity: f64,
        /// Coordinates of the vector.
        dim: usize,
    },
    /// The exact samplers count steps up to `2^52`.
    #[error("a noise scale of {scale} is more than 2^52 steps of 2^{exponent}: a coarser grid is needed")]
    TooFine {
        /// The scale asked for.
        scale: f64,
        /// Of the step.
        exponent: i32,
    },
    /// Exact noise hides what is on the grid, which must be near what theory speaks of.
    #[error(
        "exact noise needs a proved bound on rounding; there is none for a private value that was projected on a set other \
         than a ball or a box, or multiplied after a public value was added"
    )]
    UnboundedRounding,
    /// Noise of one grid does not hide values of another.
    #[error("the values are on the grid of step 2^{expected}, the noise on that of 2^{found}")]
    OtherGrid {
        /// Exponent of the values.
        expected: i32,
        /// Exponent of the noise.
        found: i32,
    },
    /// What is not finite has no place on a grid.
    #[error("number {position} of the vector is not finite")]
    NotFinite {
        /// From 0.
        position: usize,
    },
    /// A record of another shape.
    #[error("a record of {expected} coordinates is expected, this one has {found}")]
    Coordinates {
        /// Of the records so far.
        expected: usize,
        /// Of this one.
        found: usize,
    },
    /// A record that could move the sum by more than was promised.
    #[error("a record is longer than {cap} steps in {norm:?}")]
    OverCap {
        /// The longest that is allowed.
        cap: u64,
        /// How it is measured.
        norm: crate::Norm,
    },
    /// The random words cannot come from a working generator: with one, this happens once in more than `2^2000` draws.
    #[error("the random number generator is broken: a draw has used up 32768 words")]
    BrokenGenerator,
    /// An index beyond the nodes there are.
    #[error("there is no node {node} among {nodes} nodes")]
    NoSuchNode {
        /// The index.
        node: usize,
        /// The nodes there are.
        nodes: usize,
    },
    /// Nodes share a key with others, not with themselves.
    #[error("an edge joins two different nodes, got ({0}, {0})")]
    Loop(usize),
    /// A node draws one noise for each neighbour.
    #[error("node {node} has {neighbours} neighbours and needs a key for each, got {keys}")]
    PairKeys {
        /// The node.
        node: usize,
        /// Its neighbours.
        neighbours: usize,
        /// Keys given.
        keys: usize,
    },
    /// A row of weights has a place and a value for each of its entries.
    #[error("row {row} of the weights has {columns} places for {values} values")]
    Row {
        /// The row, from 0.
        row: usize,
        /// Places given.
        columns: usize,
        /// Values given.
        values: usize,
    },
    /// A weight that is no number, or so large that messages overflow.
    #[error("weight ({row}, {column}) is {value}; it must be a number of at most 1e100 in size")]
    Weight {
        /// The row, from 0.
        row: usize,
        /// The column, from 0.
        column: usize,
        /// What stands there.
        value: f64,
    },
    /// Averaging takes as many values as it yields.
    #[error("the weights are {rows} x {columns}; they must be square")]
    Shape {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// A factorisation failed.
    #[cfg(feature = "linalg")]
    #[error("{0}")]
    Linalg(#[source] dido_linalg::LinalgError),
    /// An audit that is never or always sure says nothing.
    #[error("a confidence must be above 0 (of a one-sided bound: 1/2) and below 1, got {0}")]
    Confidence(f64),
    /// Counts that do not go together.
    #[error("an audit needs some {what}, and no more than there can be: {found} of {most}")]
    Runs {
        /// What was counted.
        what: &'static str,
        /// How many.
        found: u64,
        /// The most there can be.
        most: u64,
    },
    /// A transcript is replayed by the algorithm that it came from.
    #[error("release {release}, in round {round}, is not the one of the transcript: it came from another algorithm")]
    OtherTranscript {
        /// Position of the release, from 0.
        release: usize,
        /// The round.
        round: u32,
    },
    /// The likelihood of what a sample led to is a mixture over all samples there could have been.
    #[error("a run that looks at random records cannot be replayed: each of its messages may stem from any of them")]
    SampledReplay,
    /// A comparison is of two replays.
    #[error("a comparison needs two gates that have replayed the whole of one transcript")]
    NoReplay,
    /// A value was made to leave through the gate that guards its data.
    #[error("this gate does not guard the data that the value has looked at")]
    OtherGate,
    /// More than the whole of the old noise, or less than nothing of it, cannot be taken out.
    #[error("the part of the old noise that is carried on must be in [0, 1], got {0}")]
    Keep(f64),
    /// The mean of a message depends on the earlier samples then: its likelihood is a mixture over all of them.
    #[error("noise is carried on by values that look at all records; these were sampled")]
    CarriedSample,
    /// The ledger of a class says when its nodes released, if all of them did.
    #[error(
        "noise is carried on by classes of which all nodes are awake or none is: node {node} is not as node {with}"
    )]
    CarriedApart {
        /// The node.
        node: usize,
        /// The first node of its class.
        with: usize,
    },
    /// The ledger does not say which of several messages the noise is to be taken from.
    #[error(
        "noise is carried on from the only message of a round; node {node} sent several in or before round {round}"
    )]
    CarriedTwice {
        /// The first node of the class.
        node: usize,
        /// The round of the latest message.
        round: u32,
    },
    /// Noise on one grid is no multiple of the step of another.
    #[error("noise is carried on between messages on one grid, or on none")]
    CarriedGrid,
    /// The latest message was hidden in another way.
    #[error("noise is carried on from noise, not from {event}")]
    Carried {
        /// What the latest message was.
        event: &'static str,
    },
    /// Keys are shared by the nodes of the gate.
    #[error("noise is shared by {shared} nodes, the gate has {gate}")]
    SharedNodes {
        /// Nodes that share keys.
        shared: usize,
        /// Nodes of the gate.
        gate: usize,
    },
    /// Each lane repeats the run with noise of its own.
    #[error("there are shared keys for {lanes} lanes, the release has {found}")]
    SharedKeys {
        /// Lanes with keys.
        lanes: usize,
        /// Lanes of the value.
        found: usize,
    },
    /// Which parties collude decides what shared noise is worth.
    #[error("shared noise is accounted against one party or none, not against one who {0}")]
    SharedColluders(crate::Adversary),
    /// What shared noise is not combined with.
    #[error("noise that neighbours share does not go with {0}")]
    Shared(&'static str),
    /// Lanes are for simulations.
    #[error("{0} lanes would release {0} times what the ledger counts once; this gate has one")]
    Lanes(usize),
    /// A deployed party's noise must be exact.
    #[error("floating-point noise is for simulations; this gate releases with exact noise only")]
    FloatingPoint,
}
