//! `[data]`: the records, and what is public about them.

use serde::{Deserialize, Serialize};

use super::Empty;

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
    pub target: TargetConfig,
    /// From what: the columns of a table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<FeatureConfig>,
    /// From what: the sparse rows of an svmlight file, in place of columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub svmlight: Option<SvmlightConfig>,
}

/// `svmlight`: what is public about a file of lines `target feature:value feature:value ...`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SvmlightConfig {
    /// Number of features; they are counted from 1.
    pub features: usize,
    /// Values are divided by it.
    #[serde(default = "unit")]
    pub scale: f64,
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

impl PartitionConfig {
    /// The public seed of a random partition.
    pub fn seed(&self) -> Option<u64> {
        match self {
            Self::Shuffled(shuffled) => Some(shuffled.seed),
            Self::Contiguous(_) | Self::Sorted(_) | Self::ByColumn(_) => None,
        }
    }
}

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

/// `target`: a number with public bounds `min` and `max`, encoded as `(value - center) / scale`, or two `levels`, encoded as
/// -1 and +1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetConfig {
    /// The column; an svmlight file has one target and no name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// Of a number: values below are moved here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Of a number: values above are moved here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Subtracted from a number.
    #[serde(default)]
    pub center: f64,
    /// A number is divided by it.
    #[serde(default = "unit")]
    pub scale: f64,
    /// Of two classes: the one encoded as -1, then the one encoded as +1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<[String; 2]>,
}

/// A number with public bounds, encoded as `(value - center) / scale`.
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
