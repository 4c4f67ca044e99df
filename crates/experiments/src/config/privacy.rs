//! `[privacy]`: what is promised to whom, and the noise that keeps the promise.

use dido_mechanisms::{Accountant, Adjacency, Adversary, Best, Gdp, Grid, Pld, Pure, Rdp, Zcdp};
use dido_optimizers::Schedule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Empty;

/// `[privacy]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// The accounting that is compared with the budget and calibrates the noise; by default the filter that charges release by
    /// release or, with Gaussian noise or a sample, the tightest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accountant: Option<AccountantConfig>,
    /// The delta at which epsilon is reported when there is no budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// The noise.
    pub noise: NoiseConfig,
}

/// `budget`
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetConfig {
    /// Epsilon.
    pub epsilon: f64,
    /// Delta; 0 for pure differential privacy.
    pub delta: f64,
    /// How many of the `rounds` of the file it has to pay for.
    #[serde(default, skip_serializing_if = "is_all")]
    #[schemars(extend("default" = PaidRounds::default()))]
    pub rounds: PaidRounds,
}

/// `rounds` of a budget
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PaidRounds {
    /// All of them, or the run is refused.
    #[default]
    All,
    /// As many as it can with the noise that is given: the plan finds the largest number.
    Largest,
}

/// Files of before, and their digests, know nothing of it.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_all(rounds: &PaidRounds) -> bool {
    *rounds == PaidRounds::All
}

/// `accountant`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AccountantConfig {
    /// The sum of pure losses.
    Pure,
    /// Concentrated differential privacy.
    Zcdp,
    /// Rényi divergences.
    Rdp,
    /// Gaussian differential privacy: exact for Gaussian noise, and for no other.
    Gdp,
    /// The distribution of the privacy loss.
    Pld,
    /// The least of all accountings that cover the releases.
    Best,
}

impl AccountantConfig {
    /// The accountant.
    pub fn accountant(self) -> Box<dyn Accountant> {
        match self {
            Self::Pure => Box::new(Pure),
            Self::Zcdp => Box::new(Zcdp::default()),
            Self::Rdp => Box::new(Rdp::default()),
            Self::Gdp => Box::new(Gdp),
            Self::Pld => Box::new(Pld),
            Self::Best => Box::new(Best),
        }
    }
}

/// `noise`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum NoiseConfig {
    /// None: a non-private run.
    None(Empty),
    /// Laplace noise of given scales; the release of round `t` has scale number `t + 1`.
    Laplace(LaplaceConfig),
    /// Gaussian noise of given standard deviations; the release of round `t` has number `t + 1`.
    Gaussian(GaussianConfig),
    /// Laplace noise on a grid, drawn exactly.
    DiscreteLaplace(DiscreteLaplaceConfig),
    /// Gaussian noise on a grid, drawn exactly.
    DiscreteGaussian(DiscreteGaussianConfig),
    /// As little noise as the budget allows.
    Calibrated(CalibratedConfig),
}

/// Laplace noise of given scales.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LaplaceConfig {
    /// The scale in message `t`.
    pub scale: Schedule,
}

/// Gaussian noise of given standard deviations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GaussianConfig {
    /// The standard deviation in message `t`, in the units of what is released.
    pub sigma: Schedule,
}

/// Discrete Laplace noise of given scales, rounded up to the grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscreteLaplaceConfig {
    /// The scale in message `t`.
    pub scale: Schedule,
    /// The exponent of its step; by default rounding adds at most a millionth to the smallest sensitivity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<Grid>,
}

/// Discrete Gaussian noise of given standard deviations, rounded up to the grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscreteGaussianConfig {
    /// The standard deviation in message `t`, in the units of what is released.
    pub sigma: Schedule,
    /// As for discrete Laplace noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<Grid>,
}

/// Noise calibrated to the budget.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CalibratedConfig {
    /// Its distribution.
    pub mechanism: MechanismConfig,
    /// How it is spread over the rounds.
    #[serde(default)]
    pub allocation: AllocationConfig,
}

/// A noise distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MechanismConfig {
    /// Laplace.
    Laplace,
    /// Gaussian.
    Gaussian,
    /// Laplace on a grid, drawn exactly.
    DiscreteLaplace,
    /// Gaussian on a grid, drawn exactly.
    DiscreteGaussian,
}

impl MechanismConfig {
    /// Whether it is Gaussian, on a grid or not.
    pub fn is_gaussian(self) -> bool {
        matches!(self, Self::Gaussian | Self::DiscreteGaussian)
    }
}

/// How calibrated noise is spread over the rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AllocationConfig {
    /// Least total variance: scale proportional to `step^(1/2)`, under pure privacy to `step^(1/3)`. Releases of equal
    /// sensitivities, as those of dual averaging, have equal scales.
    #[default]
    Optimal,
    /// The same scale in each round.
    Constant,
}
