//! The facts of one release, and nothing but facts: accountants interpret them.

use serde::{Deserialize, Serialize};

use crate::{Adjacency, Grid, MechanismError, Norm, Sensitivity};

/// What left a node.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Event {
    /// A vector with independent Laplace noise in each coordinate.
    Laplace {
        /// Of the vector before the noise.
        sensitivity: Sensitivity,
        /// Coordinates of the vector.
        dim: usize,
        /// The scale `b` of the noise: density `exp(-|x|/b) / 2b`, variance `2 b^2`.
        scale: f64,
    },
    /// A vector with independent Gaussian noise in each coordinate. Its dimension does not matter.
    Gaussian {
        /// Of the vector before the noise; an L1 bound counts as an L2 bound.
        sensitivity: Sensitivity,
        /// The standard deviation of the noise, in the units of the value. Not a multiplier of the sensitivity.
        sigma: f64,
    },
    /// A vector of grid points with independent discrete Laplace noise in each coordinate: `P(k) ~ exp(-|k|/scale)`.
    DiscreteLaplace(Discrete),
    /// A vector of grid points with independent discrete Gaussian noise in each coordinate:
    /// `P(k) ~ exp(-k^2 / 2 scale^2)`.
    DiscreteGaussian(Discrete),
    /// Any mechanism that is `epsilon`-differentially private.
    Pure {
        /// Its privacy loss, in nats.
        epsilon: f64,
        /// The data sets it speaks of.
        adjacency: Adjacency,
    },
    /// Any mechanism that is `(epsilon, delta)`-differentially private.
    Approximate {
        /// Its privacy loss, in nats.
        epsilon: f64,
        /// The probability that the loss is larger, in `[0, 1]`.
        delta: f64,
        /// The data sets it speaks of.
        adjacency: Adjacency,
    },
    /// Any mechanism that is `rho`-zero-concentrated differentially private.
    Zcdp {
        /// Half the slope of its Rényi divergence in the order.
        rho: f64,
        /// The data sets it speaks of.
        adjacency: Adjacency,
    },
    /// A mechanism that has looked at a secret random sample of the records only.
    Sampled {
        /// How the sample was drawn, afresh for this release.
        sampling: Sampling,
        /// The mechanism that saw the sample; its sensitivity is that for a record *in* the sample.
        base: Base,
    },
    /// A value that has looked at data and left without noise: no guarantee is left.
    NonPrivate,
}

/// Noise on a grid, counted in whole steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Discrete {
    /// The grid of the value and of the noise.
    pub grid: Grid,
    /// The scale of the noise, in steps: at most 2^52.
    pub scale: u64,
    /// How far data can move the vector **on the grid**, in steps: what rounding to the grid adds is part of it.
    pub sensitivity: u64,
    /// The norm of the sensitivity.
    pub norm: Norm,
    /// Coordinates of the vector.
    pub dim: usize,
    /// The data sets it speaks of.
    pub adjacency: Adjacency,
}

impl Discrete {
    /// Noise of `scale` steps, for a sensitivity in the units of the value. Two vectors of grid points differ by a
    /// whole number of steps in L1, so that an L1 bound is rounded down; an L2 bound is rounded up, unless there is
    /// one coordinate only.
    ///
    /// # Errors
    /// If the sensitivity is negative, not finite or more than `2^62` steps, or `dim` is 0.
    pub fn new(grid: Grid, scale: u64, sensitivity: Sensitivity, dim: usize) -> Result<Self, MechanismError> {
        if dim == 0 {
            return Err(MechanismError::NoCoordinates);
        }
        let steps = grid.whole_steps(sensitivity, dim)?;
        let Sensitivity { norm, adjacency, .. } = sensitivity;
        Ok(Self { grid, scale, sensitivity: steps, norm, dim, adjacency })
    }

    /// The sensitivity in the units of the value, what rounding adds included.
    pub fn in_units(self) -> Sensitivity {
        let Self { grid, sensitivity, norm, adjacency, .. } = self;
        Sensitivity { value: sensitivity as f64 * grid.step(), norm, adjacency }
    }
}

/// How a secret sample of the records is drawn. The sample must be independent of everything that is released
/// otherwise; whoever sees who was sampled is not fooled by it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Sampling {
    /// Each record by a coin of its own. Speaks of records that are added or removed.
    Poisson {
        /// The probability of a record to be in the sample, in `[0, 1]`.
        rate: f64,
    },
    /// A uniformly random subset of fixed size. Speaks of records that are replaced: their number is public.
    WithoutReplacement {
        /// Records in the sample.
        batch: u64,
        /// Records there are.
        population: u64,
    },
    /// One uniformly random record. Speaks of records that are replaced.
    OneOf {
        /// Records there are.
        population: u64,
    },
    /// One uniformly random record of a node that takes part at all if a coin says so. Everybody sees the coin, so it
    /// amplifies nothing; what it saves is releases. For plans: a ledger of a run knows the coins, and has
    /// [`OneOf`](Self::OneOf) events for the rounds in which the node was active. Speaks of records that are replaced.
    VisibleOneOf {
        /// The probability of the node to be active, in `[0, 1]`.
        activation: f64,
        /// Records there are.
        population: u64,
    },
    /// One uniformly random record of a node whose secret coin says so; otherwise the mechanism runs on a record of
    /// nobody. Accounted against [`Adversary::HiddenActivation`](crate::Adversary::HiddenActivation) only (a
    /// [`Filter`](crate::Filter), which knows no adversary, takes it as it is). Speaks of records that are replaced.
    HiddenOneOf {
        /// The probability of the node to be active, in `[0, 1]`.
        activation: f64,
        /// Records there are.
        population: u64,
    },
}

impl Sampling {
    /// The probability that a given record is in the sample.
    pub fn rate(self) -> f64 {
        match self {
            Self::Poisson { rate } => rate,
            Self::WithoutReplacement { batch, population } => batch as f64 / population as f64,
            Self::OneOf { population } => 1.0 / population as f64,
            Self::VisibleOneOf { activation, population } | Self::HiddenOneOf { activation, population } => {
                activation / population as f64
            }
        }
    }
}

/// A mechanism that sees a sample: an [`Event`] that is not itself sampled.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Base {
    /// As [`Event::Laplace`].
    Laplace {
        /// Of the vector before the noise.
        sensitivity: Sensitivity,
        /// Coordinates of the vector.
        dim: usize,
        /// The scale of the noise.
        scale: f64,
    },
    /// As [`Event::Gaussian`].
    Gaussian {
        /// Of the vector before the noise.
        sensitivity: Sensitivity,
        /// The standard deviation of the noise.
        sigma: f64,
    },
    /// As [`Event::DiscreteLaplace`].
    DiscreteLaplace(Discrete),
    /// As [`Event::DiscreteGaussian`].
    DiscreteGaussian(Discrete),
    /// As [`Event::Pure`].
    Pure {
        /// Its privacy loss, in nats.
        epsilon: f64,
        /// The data sets it speaks of.
        adjacency: Adjacency,
    },
    /// As [`Event::Approximate`].
    Approximate {
        /// Its privacy loss, in nats.
        epsilon: f64,
        /// The probability that the loss is larger.
        delta: f64,
        /// The data sets it speaks of.
        adjacency: Adjacency,
    },
}

impl From<Base> for Event {
    fn from(base: Base) -> Self {
        match base {
            Base::Laplace { sensitivity, dim, scale } => Self::Laplace { sensitivity, dim, scale },
            Base::Gaussian { sensitivity, sigma } => Self::Gaussian { sensitivity, sigma },
            Base::DiscreteLaplace(noise) => Self::DiscreteLaplace(noise),
            Base::DiscreteGaussian(noise) => Self::DiscreteGaussian(noise),
            Base::Pure { epsilon, adjacency } => Self::Pure { epsilon, adjacency },
            Base::Approximate { epsilon, delta, adjacency } => Self::Approximate { epsilon, delta, adjacency },
        }
    }
}

impl Event {
    /// The same mechanism, if it sees a sample of the records only. A sample of all records changes nothing.
    ///
    /// # Errors
    /// If nothing is known of such a mechanism on a sample.
    pub fn on_sample(self, sampling: Sampling) -> Result<Self, MechanismError> {
        if sampling.rate().to_bits() == 1.0_f64.to_bits() {
            return Ok(self);
        }
        let base = match self {
            Self::Laplace { sensitivity, dim, scale } => Base::Laplace { sensitivity, dim, scale },
            Self::Gaussian { sensitivity, sigma } => Base::Gaussian { sensitivity, sigma },
            Self::DiscreteLaplace(noise) => Base::DiscreteLaplace(noise),
            Self::DiscreteGaussian(noise) => Base::DiscreteGaussian(noise),
            Self::Pure { epsilon, adjacency } => Base::Pure { epsilon, adjacency },
            Self::Approximate { epsilon, delta, adjacency } => Base::Approximate { epsilon, delta, adjacency },
            Self::NonPrivate => return Ok(Self::NonPrivate),
            other => return Err(MechanismError::NotOnSample { event: other.name() }),
        };
        Ok(Self::Sampled { sampling, base })
    }

    /// The pairs of data sets the event speaks of; none if nothing is promised.
    pub fn adjacency(&self) -> Option<Adjacency> {
        match *self {
            Self::Laplace { sensitivity, .. } | Self::Gaussian { sensitivity, .. } => Some(sensitivity.adjacency),
            Self::DiscreteLaplace(noise) | Self::DiscreteGaussian(noise) => Some(noise.adjacency),
            Self::Pure { adjacency, .. } | Self::Approximate { adjacency, .. } | Self::Zcdp { adjacency, .. } => {
                Some(adjacency)
            }
            Self::Sampled { base, .. } => Self::from(base).adjacency(),
            Self::NonPrivate => None,
        }
    }

    /// Whether its privacy rests on nobody seeing which nodes are active.
    pub fn hides_activation(&self) -> bool {
        matches!(self, Self::Sampled { sampling: Sampling::HiddenOneOf { .. }, .. })
    }

    /// What kind of release it is, in words.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Laplace { .. } => "Laplace noise",
            Self::Gaussian { .. } => "Gaussian noise",
            Self::DiscreteLaplace(_) => "discrete Laplace noise",
            Self::DiscreteGaussian(_) => "discrete Gaussian noise",
            Self::Pure { .. } => "a pure differentially private mechanism",
            Self::Approximate { .. } => "an (epsilon, delta) mechanism",
            Self::Zcdp { .. } => "a zCDP mechanism",
            Self::Sampled { base: Base::Laplace { .. }, .. } => "Laplace noise on a sample",
            Self::Sampled { base: Base::Gaussian { .. }, .. } => "Gaussian noise on a sample",
            Self::Sampled { .. } => "a mechanism on a sample",
            Self::NonPrivate => "no noise",
        }
    }
}
