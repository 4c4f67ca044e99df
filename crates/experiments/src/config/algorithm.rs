//! What the keys of several algorithms share. The keys of each stand in its own file in `algorithms`.

use dido_optimizers::Sampling;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::algorithms::{AlgorithmConfig, AtConfig, PointsConfig};

/// `sampling`
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SamplingConfig {
    /// All of its own.
    #[default]
    All,
    /// One of its own, drawn in secret.
    OneRecord,
    /// So many of its own, drawn in secret without replacement.
    Records(usize),
    /// Each of its own by a secret coin of this probability.
    Poisson(f64),
}

impl From<SamplingConfig> for Sampling {
    fn from(sampling: SamplingConfig) -> Self {
        match sampling {
            SamplingConfig::All => Self::All,
            SamplingConfig::OneRecord => Self::OneRecord,
            SamplingConfig::Records(count) => Self::Records(count),
            SamplingConfig::Poisson(rate) => Self::Poisson(rate),
        }
    }
}

/// The default of `average_from`.
pub(crate) fn half() -> f64 {
    0.5
}

/// `set`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum SetConfig {
    /// A Euclidean ball around the origin.
    L2Ball(RadiusConfig),
    /// A box.
    Box(BoxConfig),
    /// The vectors without negative coordinates that sum to a radius.
    Simplex(RadiusConfig),
    /// An l1 ball around the origin.
    L1Ball(RadiusConfig),
    /// The points that a vector takes to at most a number.
    HalfSpace(HalfSpaceConfig),
    /// The solutions of linear equations.
    Affine(AffineConfig),
    /// The common points of several sets.
    Intersection(IntersectionConfig),
}

/// A set with a radius.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RadiusConfig {
    /// Its radius.
    pub radius: f64,
}

/// A box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxConfig {
    /// Lower bound of each coordinate.
    pub lower: Vec<f64>,
    /// Upper bound of each coordinate.
    pub upper: Vec<f64>,
}

/// A half-space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HalfSpaceConfig {
    /// The vector.
    pub normal: Vec<f64>,
    /// The largest product with it.
    pub offset: f64,
}

/// Linear equations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AffineConfig {
    /// The coefficients of each equation.
    pub rows: Vec<Vec<f64>>,
    /// The right-hand side of each.
    pub offsets: Vec<f64>,
}

/// An intersection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IntersectionConfig {
    /// The sets.
    pub sets: Vec<SetConfig>,
}
