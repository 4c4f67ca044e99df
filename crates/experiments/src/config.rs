//! The TOML of an experiment, key for key. Nothing is checked here but the spelling: see [`crate::Spec`].

use std::path::PathBuf;

use dido_mechanisms::{Adjacency, Adversary};
use dido_optimizers::Schedule;
use serde::{Deserialize, Serialize};

/// An experiment file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Names the result folder.
    pub name: String,
    /// Where the noise comes from.
    #[serde(default)]
    pub seed: Seed,
    /// Independent repetitions on the same data.
    #[serde(default = "one")]
    pub lanes: usize,
    /// Rounds with a release.
    pub rounds: u32,
    /// Rounds of plain averaging after the last release.
    #[serde(default)]
    pub averaging_rounds: u32,
    /// Completed rounds between two points of the trace; by default 200 points in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observe_every: Option<u32>,
    /// Remarks that the plan prints.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// The data and their public bounds.
    pub data: DataConfig,
    /// Who talks to whom.
    pub graph: GraphConfig,
    /// What is minimised.
    #[serde(default)]
    pub objective: ObjectiveConfig,
    /// How.
    pub algorithm: AlgorithmConfig,
    /// What is promised.
    pub privacy: PrivacyConfig,
}

fn one() -> usize {
    1
}

/// The seed of the noise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Seed {
    /// A number: the run is reproducible, and its files are not private.
    Number(u64),
    /// The word `os`: a key from the operating system, which is not stored.
    Word(String),
}

impl Default for Seed {
    fn default() -> Self {
        Self::Number(1)
    }
}

/// `[data]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataConfig {
    /// A path (relative to the experiment file), or `builtin:NAME`.
    pub source: String,
    /// The field separator.
    #[serde(default = "comma")]
    pub separator: char,
    /// Public bound on the Euclidean norm of an encoded row.
    pub row_norm: f64,
    /// Public number of training records of each party.
    pub records: Vec<usize>,
    /// What is kept for testing.
    pub held_out: HeldOutConfig,
    /// Which party a training record belongs to.
    pub partition: PartitionConfig,
    /// What is predicted.
    pub target: NumericConfig,
    /// From what.
    pub features: Vec<FeatureConfig>,
}

fn comma() -> char {
    ','
}

/// `held_out`
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldOutConfig {
    /// The fraction of all records.
    pub fraction: f64,
    /// The public seed of the split.
    #[serde(default)]
    pub seed: u64,
}

/// `partition`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PartitionConfig {
    /// Nearly equal parts in the order of the file.
    Contiguous(Empty),
    /// Nearly equal parts of a public random order.
    Shuffled(SeedOnly),
    /// Nearly equal parts of the order of a numeric column.
    Sorted(ColumnOnly),
    /// One party for each value of a column, in ascending order of the values.
    ByColumn(ColumnOnly),
}

/// A table without keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Empty {}

/// A table with a seed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedOnly {
    /// A public seed.
    #[serde(default)]
    pub seed: u64,
}

/// A table with a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnOnly {
    /// The column.
    pub column: String,
}

/// `target`: a number with public bounds, encoded as `(value - center) / scale`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumericConfig {
    /// The column.
    pub column: String,
    /// Values below are moved here.
    pub min: f64,
    /// Values above are moved here.
    pub max: f64,
    /// Subtracted.
    #[serde(default)]
    pub center: f64,
    /// Divided by.
    #[serde(default = "unit")]
    pub scale: f64,
}

fn unit() -> f64 {
    1.0
}

/// One entry of `features`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FeatureConfig {
    /// The constant 1.
    Intercept(Empty),
    /// A number with public bounds.
    Numeric(NumericConfig),
    /// A category of two levels: -1/2 and +1/2.
    TwoLevel(TwoLevelConfig),
    /// A category of several levels: one column each but for the first.
    OneHot(OneHotConfig),
}

/// A category of two levels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TwoLevelConfig {
    /// The column.
    pub column: String,
    /// The level encoded as -1/2, then the one encoded as +1/2.
    pub levels: [String; 2],
}

/// A category of several levels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OneHotConfig {
    /// The column.
    pub column: String,
    /// All levels that may occur; the first is the one that the others are compared with.
    pub levels: Vec<String>,
    /// What stands for "this level".
    #[serde(default = "unit")]
    pub value: f64,
}

/// `[graph]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum GraphConfig {
    /// A cycle.
    Ring(Empty),
    /// A path.
    Path(Empty),
    /// Party 0 in the middle.
    Star(Empty),
    /// Everybody talks to everybody.
    Complete(Empty),
    /// Each pair with probability `p`, connected.
    ErdosRenyi(ErdosRenyiConfig),
    /// Pairs of parties in a file.
    EdgeList(FileOnly),
}

/// An Erdos-Renyi graph.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErdosRenyiConfig {
    /// Probability of an edge.
    pub p: f64,
    /// The public seed.
    #[serde(default)]
    pub seed: u64,
}

/// A table with a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileOnly {
    /// A path, relative to the experiment file.
    pub file: PathBuf,
}

/// `[objective]`
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectiveConfig {
    /// The scale of each party's sum of squares.
    pub weighting: WeightingConfig,
}

/// The scale `s_i` in `f_i(b) = (s_i / 2) ||X_i b - y_i||^2`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WeightingConfig {
    /// Parties / all records: every record counts the same.
    #[default]
    Pooled,
    /// 1 / records of the party: every party counts the same.
    NodeMean,
    /// 1: paper A as published.
    Sum,
}

/// `[algorithm]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum AlgorithmConfig {
    /// Decentralised gradient descent; non-private.
    Dgd(DgdConfig),
    /// Paper A, Algorithm 1.
    ProjectedDgd(ProjectedDgdConfig),
}

/// Decentralised gradient descent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DgdConfig {
    /// The step size of each round.
    pub step: Schedule,
    /// The fraction of the rounds before averaging begins.
    #[serde(default = "half")]
    pub average_from: f64,
}

/// Projected decentralised gradient descent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectedDgdConfig {
    /// The set that holds the solution.
    pub set: SetConfig,
    /// The step size of each round.
    pub step: Schedule,
    /// The fraction of the rounds before averaging begins.
    #[serde(default = "half")]
    pub average_from: f64,
}

fn half() -> f64 {
    0.5
}

/// `set`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum SetConfig {
    /// A Euclidean ball around the origin.
    L2Ball(BallConfig),
    /// A box.
    Box(BoxConfig),
}

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BallConfig {
    /// Its radius.
    pub radius: f64,
}

/// A box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoxConfig {
    /// Lower bound of each coordinate.
    pub lower: Vec<f64>,
    /// Upper bound of each coordinate.
    pub upper: Vec<f64>,
}

/// `[privacy]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrivacyConfig {
    /// Which data sets are made indistinguishable.
    pub adjacency: Adjacency,
    /// Who looks.
    #[serde(default)]
    pub adversary: Adversary,
    /// The total budget of each party.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetConfig>,
    /// The delta at which epsilon is reported when there is no budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// The noise.
    pub noise: NoiseConfig,
}

/// `budget`
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetConfig {
    /// Epsilon.
    pub epsilon: f64,
    /// Delta; 0 for pure differential privacy.
    pub delta: f64,
}

/// `noise`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum NoiseConfig {
    /// None: a non-private run.
    None(Empty),
    /// Laplace noise of given scales; the release of round `t` has scale number `t + 1`.
    Laplace(LaplaceConfig),
    /// As little noise as the budget allows.
    Calibrated(CalibratedConfig),
}

/// Laplace noise of given scales.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaplaceConfig {
    /// The scale in message `t`.
    pub scale: Schedule,
}

/// Noise calibrated to the budget.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalibratedConfig {
    /// Its distribution.
    pub mechanism: MechanismConfig,
    /// How it is spread over the rounds.
    #[serde(default)]
    pub allocation: AllocationConfig,
}

/// A noise distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MechanismConfig {
    /// Laplace.
    Laplace,
}

/// How calibrated noise is spread over the rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AllocationConfig {
    /// Least total variance: scale proportional to `step^(1/2)` under zCDP, `step^(1/3)` under pure privacy.
    #[default]
    Optimal,
    /// The same scale in each round.
    Constant,
}
