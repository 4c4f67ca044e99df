//! `[objective]` and `[algorithm]`: what is minimised, and how. A new algorithm is a variant here, an arm in
//! `spec::algorithm`, which checks it, and one in `crate::algorithm`, which builds it.

use dido_optimizers::{DualWeights, Points, Sampling, Schedule};
use dido_problems::{Distance, Loss, Regulariser};
use serde::{Deserialize, Serialize};

use super::Empty;

/// `[objective]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectiveConfig {
    /// The scale of each party's sum of losses.
    #[serde(default)]
    pub weighting: WeightingConfig,
    /// The loss of a record.
    #[serde(default, skip_serializing_if = "LossConfig::is_squared")]
    pub loss: LossConfig,
    /// The part that looks at no data.
    #[serde(default = "Regulariser::none", skip_serializing_if = "is_none")]
    pub regulariser: Regulariser,
}

impl Default for ObjectiveConfig {
    fn default() -> Self {
        Self { weighting: WeightingConfig::default(), loss: LossConfig::default(), regulariser: Regulariser::none() }
    }
}

fn is_none(regulariser: &Regulariser) -> bool {
    *regulariser == Regulariser::none()
}

/// `loss`
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum LossConfig {
    /// Least squares.
    Squared(Empty),
    /// Squares near the target, absolute values far away.
    Huber(WidthConfig),
    /// Logistic regression.
    Logistic(Empty),
    /// The support vector machine.
    Hinge(Empty),
    /// The hinge with its corner rounded off.
    SmoothedHinge(WidthConfig),
}

impl Default for LossConfig {
    fn default() -> Self {
        Self::Squared(Empty {})
    }
}

impl LossConfig {
    /// Whether it is the default.
    pub fn is_squared(&self) -> bool {
        matches!(self, Self::Squared(_))
    }
}

impl From<LossConfig> for Loss {
    fn from(loss: LossConfig) -> Self {
        match loss {
            LossConfig::Squared(_) => Self::Squared,
            LossConfig::Huber(huber) => Self::Huber { width: huber.width },
            LossConfig::Logistic(_) => Self::Logistic,
            LossConfig::Hinge(_) => Self::Hinge,
            LossConfig::SmoothedHinge(hinge) => Self::SmoothedHinge { width: hinge.width },
        }
    }
}

/// Over how much a corner is rounded off.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WidthConfig {
    /// In units of the prediction.
    pub width: f64,
}

/// The scale `s_i` in `f_i(b) = s_i sum_r l(x_r'b, y_r)`.
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
    /// Paper C.
    Pdop(PdopConfig),
    /// Paper B, Algorithm 1.
    DualAveraging(DualAveragingConfig),
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

/// Private distributed optimisation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PdopConfig {
    /// The set that holds the solution.
    pub set: SetConfig,
    /// The step size of each round.
    pub step: Schedule,
    /// Where the gradient is taken.
    #[serde(default)]
    pub at: AtConfig,
}

/// `at`
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AtConfig {
    /// At the projected point.
    #[default]
    Projected,
    /// At the mixed point, scaled down where it is longer than this.
    Clipped(f64),
}

/// Dual averaging.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DualAveragingConfig {
    /// The set of the points, if they are confined to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<SetConfig>,
    /// The weights of gradients and distance.
    pub weights: DualWeights,
    /// The expected share of nodes that are awake; by default that of an `activation`, and 1 without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub participation: Option<f64>,
    /// Which records a node looks at.
    #[serde(default)]
    pub sampling: SamplingConfig,
    /// Which points gradients are taken at.
    #[serde(default)]
    pub points: PointsConfig,
    /// The distance.
    #[serde(default)]
    pub distance: Distance,
}

/// `sampling`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SamplingConfig {
    /// All of its own.
    #[default]
    All,
    /// One of its own, drawn in secret.
    OneRecord,
}

impl From<SamplingConfig> for Sampling {
    fn from(sampling: SamplingConfig) -> Self {
        match sampling {
            SamplingConfig::All => Self::All,
            SamplingConfig::OneRecord => Self::OneRecord,
        }
    }
}

/// `points`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PointsConfig {
    /// Made anew in every round.
    #[default]
    Fresh,
    /// Kept while a node sleeps, as published.
    Stale,
}

impl From<PointsConfig> for Points {
    fn from(points: PointsConfig) -> Self {
        match points {
            PointsConfig::Fresh => Self::Fresh,
            PointsConfig::Stale => Self::Stale,
        }
    }
}

fn half() -> f64 {
    0.5
}

/// `set`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RadiusConfig {
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

/// A half-space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HalfSpaceConfig {
    /// The vector.
    pub normal: Vec<f64>,
    /// The largest product with it.
    pub offset: f64,
}

/// Linear equations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AffineConfig {
    /// The coefficients of each equation.
    pub rows: Vec<Vec<f64>>,
    /// The right-hand side of each.
    pub offsets: Vec<f64>,
}

/// An intersection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IntersectionConfig {
    /// The sets.
    pub sets: Vec<SetConfig>,
}
