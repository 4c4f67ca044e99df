//! `[data]`: the records, and what is public about them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Empty;

/// `[data]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataConfig {
    /// A path (relative to the experiment file), or `builtin:NAME`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// In place of `source`: one path for each party, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// Where the bounds come from.
    #[serde(default, skip_serializing_if = "BoundsConfig::is_declared")]
    pub bounds: BoundsConfig,
    /// The format; by default it is found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The field separator; by default it is found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separator: Option<char>,
    /// The decimal mark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimal: Option<char>,
    /// Whether the first line names the columns; otherwise they are called by their numbers, from 1.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub header: bool,
    /// What a line that says nothing begins with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<char>,
    /// What becomes of a record that lacks a value.
    #[serde(default, skip_serializing_if = "MissingConfig::is_error")]
    pub missing: MissingConfig,
    /// The cells that mean "missing".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub na: Option<Vec<String>>,
    /// What becomes of a number whose center and scale are not given.
    #[serde(default, skip_serializing_if = "ScalingConfig::is_none")]
    pub scaling: ScalingConfig,
    /// Public bound on the Euclidean norm of an encoded row.
    pub row_norm: f64,
    /// Public number of training records of each party.
    pub records: Vec<usize>,
    /// What is kept for testing.
    pub held_out: HeldOutConfig,
    /// Which party a training record belongs to.
    #[serde(default, skip_serializing_if = "PartitionConfig::is_files")]
    pub partition: PartitionConfig,
    /// What is predicted.
    pub target: TargetConfig,
    /// From what: the columns of a table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("default" = Vec::<FeatureConfig>::new()))]
    pub features: Vec<FeatureConfig>,
    /// From what: the sparse rows of an svmlight file, in place of columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub svmlight: Option<SvmlightConfig>,
}

impl DataConfig {
    /// Fills in the centers and scales that follow from declared ranges. Done again, it changes nothing.
    pub(crate) fn scale_ranges(&mut self) {
        if self.scaling.is_none() {
            return;
        }
        let scaled = |min: f64, max: f64, center: &mut f64, scale: &mut f64| {
            // Ranges that make no sense are refused as they are.
            if center.abs() <= 0.0 && scale.to_bits() == 1.0_f64.to_bits() && min < max {
                (*center, *scale) = (f64::midpoint(min, max), max / 2.0 - min / 2.0);
            }
        };
        if let TargetConfig { min: Some(min), max: Some(max), center, scale, .. } = &mut self.target {
            scaled(*min, *max, center, scale);
        }
        for feature in &mut self.features {
            if let FeatureConfig::Numeric(NumericConfig { min, max, center, scale, .. }) = feature {
                scaled(*min, *max, center, scale);
            }
        }
    }

    /// The files, in the order of their records.
    pub fn files(&self) -> Vec<&str> {
        if self.sources.is_empty() { vec![&self.source] } else { self.sources.iter().map(String::as_str).collect() }
    }

    /// The same, to change them.
    pub(crate) fn files_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let single = self.sources.is_empty().then_some(&mut self.source);
        single.into_iter().chain(&mut self.sources).filter(|file| !file.starts_with("builtin:"))
    }

    /// The files, for a message.
    pub(crate) fn named(&self) -> String {
        if self.sources.is_empty() { format!("`{}`", self.source) } else { format!("{} files", self.sources.len()) }
    }

    /// Whether each party's records are split for themselves.
    pub fn is_held_out_by_party(&self) -> bool {
        self.held_out.by.unwrap_or(if self.sources.is_empty() { HeldOutBy::All } else { HeldOutBy::Party })
            == HeldOutBy::Party
    }
}

/// `svmlight`: what is public about a file of lines `target feature:value feature:value ...`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SvmlightConfig {
    /// Number of features.
    pub features: usize,
    /// What they are counted from.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub index_base: u8,
    /// Values are divided by it.
    #[serde(default = "unit")]
    pub scale: f64,
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_yes(yes: &bool) -> bool {
    *yes
}

fn one() -> u8 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_one(base: &u8) -> bool {
    *base == 1
}

/// `bounds`: where ranges, levels, norms and record counts come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BoundsConfig {
    /// They were declared before anybody looked at a record.
    #[default]
    Declared,
    /// They were read off the records: nothing is promised.
    FromData,
}

impl BoundsConfig {
    /// Whether it is the default.
    pub fn is_declared(&self) -> bool {
        *self == Self::Declared
    }
}

/// `scaling`: what becomes of a number whose center is 0 and whose scale is 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ScalingConfig {
    /// It is left as it is.
    #[default]
    None,
    /// Its declared range becomes -1 to 1.
    Range,
}

impl ScalingConfig {
    /// Whether it is the default.
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// `missing`: what becomes of a record that lacks a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MissingConfig {
    /// The file is refused.
    #[default]
    Error,
    /// It keeps its place and counts as a record of zeros, from which no model learns.
    Drop,
}

impl MissingConfig {
    /// Whether it is the default.
    pub fn is_error(&self) -> bool {
        *self == Self::Error
    }
}

/// `held_out`
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeldOutConfig {
    /// The fraction of all records.
    pub fraction: f64,
    /// What the fraction is of; by default of each party where it has a file of its own, and of the whole file otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<HeldOutBy>,
    /// The public seed of the split.
    #[serde(default)]
    pub seed: u64,
}

/// What a fraction is held out of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HeldOutBy {
    /// All records, before they are given to parties.
    All,
    /// The records of each party.
    Party,
}

/// `partition`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PartitionConfig {
    /// One file for each party.
    Files(Empty),
    /// Each class, or tenth of a numeric target, in random proportions.
    Dirichlet(DirichletConfig),
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
            Self::Dirichlet(dirichlet) => Some(dirichlet.seed),
            Self::Files(_) | Self::Contiguous(_) | Self::Sorted(_) | Self::ByColumn(_) => None,
        }
    }

    /// Whether it is the default.
    pub fn is_files(&self) -> bool {
        matches!(self, Self::Files(_))
    }
}

impl Default for PartitionConfig {
    fn default() -> Self {
        Self::Files(Empty {})
    }
}

/// Label skew.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DirichletConfig {
    /// Small: parties of one class each; large: all alike.
    pub alpha: f64,
    /// A public seed.
    #[serde(default)]
    pub seed: u64,
}

/// A table with a seed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeedOnly {
    /// A public seed.
    #[serde(default)]
    pub seed: u64,
}

/// A table with a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColumnOnly {
    /// The column.
    pub column: String,
}

/// `target`: a number with public bounds `min` and `max`, encoded as `(value - center) / scale`, or two `levels`, encoded as
/// -1 and +1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TwoLevelConfig {
    /// The column.
    pub column: String,
    /// The level encoded as -1/2, then the one encoded as +1/2.
    pub levels: [String; 2],
}

/// A category of several levels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
