//! What a value goes through on its way out, and the event that it is.

use crate::{
    DiscreteGaussian, DiscreteLaplace, Event, ExactNoise, Gaussian, Grid, Laplace, MechanismError, Sensitivity,
};

/// How the values that leave are made safe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mechanism {
    /// Not at all: the ledger says so, and every epsilon is infinite.
    None,
    /// Independent Laplace noise on each coordinate, in floating point.
    Laplace(Laplace),
    /// Independent Gaussian noise on each coordinate, in floating point.
    Gaussian(Gaussian),
    /// Rounded to a grid, with independent discrete Laplace noise.
    DiscreteLaplace {
        /// The noise and its grid.
        noise: DiscreteLaplace,
        /// How far the value as computed may be from the one whose sensitivity was derived, in the norm of that
        /// sensitivity; the event counts it twice.
        float_error: f64,
    },
    /// Rounded to a grid, with independent discrete Gaussian noise.
    DiscreteGaussian {
        /// The noise and its grid.
        noise: DiscreteGaussian,
        /// As for discrete Laplace noise.
        float_error: f64,
    },
}

impl Mechanism {
    /// Whether what leaves gives away no more than the event says, down to the last bit.
    pub fn is_exact(&self) -> bool {
        !matches!(self, Self::Laplace(_) | Self::Gaussian(_))
    }

    pub(crate) fn is_discrete(self) -> bool {
        matches!(self, Self::DiscreteLaplace { .. } | Self::DiscreteGaussian { .. })
    }

    /// What values and noise are multiples of, where they are.
    pub(crate) fn grid(self) -> Option<Grid> {
        match self {
            Self::DiscreteLaplace { noise, .. } => Some(noise.grid()),
            Self::DiscreteGaussian { noise, .. } => Some(noise.grid()),
            Self::None | Self::Laplace(_) | Self::Gaussian(_) => None,
        }
    }

    /// How far the value as computed may be from the one whose sensitivity was derived, by the word of the caller.
    pub(crate) fn float_error(self) -> f64 {
        match self {
            Self::DiscreteLaplace { float_error, .. } | Self::DiscreteGaussian { float_error, .. } => float_error,
            Self::None | Self::Laplace(_) | Self::Gaussian(_) => 0.0,
        }
    }

    /// The release of a vector of `dim` coordinates, whose sensitivity is that on the grid.
    pub(crate) fn event(self, sensitivity: Sensitivity, dim: usize) -> Result<Event, MechanismError> {
        match self {
            Self::None => Ok(Event::NonPrivate),
            Self::Laplace(laplace) => Ok(Event::Laplace { sensitivity, dim, scale: laplace.scale() }),
            Self::Gaussian(gaussian) => Ok(Event::Gaussian { sensitivity, sigma: gaussian.sigma() }),
            Self::DiscreteLaplace { noise, .. } => noise.event(sensitivity, dim),
            Self::DiscreteGaussian { noise, .. } => noise.event(sensitivity, dim),
        }
    }
}
