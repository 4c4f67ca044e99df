//! `[objective]`: what is minimised.

use dido_problems::{Loss, Regulariser};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Empty;

/// `[objective]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObjectiveConfig {
    /// The scale of each party's sum of losses.
    #[serde(default)]
    pub weighting: WeightingConfig,
    /// The loss of a record.
    #[serde(default, skip_serializing_if = "LossConfig::is_squared")]
    #[schemars(extend("default" = LossConfig::default()))]
    pub loss: LossConfig,
    /// The part that looks at no data.
    #[serde(default = "Regulariser::none", skip_serializing_if = "is_none")]
    #[schemars(extend("default" = Regulariser::none()))]
    pub regulariser: Regulariser,
    /// A public assumption on the data, of which no run depends: the mean of the parties' objectives, without the regulariser, is
    /// at least so strongly convex. `dido explain` and `dido tune` need it for some bounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strong_convexity: Option<f64>,
    /// The like: no solution that is looked for has a larger norm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimum_norm: Option<f64>,
}

impl Default for ObjectiveConfig {
    fn default() -> Self {
        let (weighting, loss) = (WeightingConfig::default(), LossConfig::default());
        Self { weighting, loss, regulariser: Regulariser::none(), strong_convexity: None, optimum_norm: None }
    }
}

fn is_none(regulariser: &Regulariser) -> bool {
    *regulariser == Regulariser::none()
}

/// `loss`
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WidthConfig {
    /// In units of the prediction.
    pub width: f64,
}

/// The scale `s_i` in `f_i(b) = s_i sum_r l(x_r'b, y_r)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
