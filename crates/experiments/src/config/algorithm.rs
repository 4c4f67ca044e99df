//! `[objective]` and `[algorithm]`: what is minimised, and how. A new algorithm is a variant here, an arm in
//! `spec::algorithm`, which checks it, and one in `crate::algorithm`, which builds it.

use dido_optimizers::Schedule;
use serde::{Deserialize, Serialize};

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
