//! Discrete Laplace noise: `P(k steps) = (1 - r)/(1 + r) r^|k|`, `r = exp(-1/t)`, for a scale of `t` steps.

use rand::CryptoRng;

use super::coin::Words;
use super::{ExactNoise, Grid};
use crate::{Discrete, Event, MechanismError, Sensitivity};

/// Independent discrete Laplace noise on a [`Grid`], exact: no draw is rounded.
///
/// On vectors of grid points that differ by `d` steps in L1 it is `(d/t, 0)`-differentially private, exactly. Its
/// variance, `2 r / (1 - r)^2` squared steps, is a little below `2 t^2`.
///
/// Algorithm 2 of Canonne, Kamath, Steinke, *The discrete Gaussian for differential privacy*, 2020.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiscreteLaplace {
    grid: Grid,
    steps: u64,
}

impl DiscreteLaplace {
    /// Noise of at least `scale` (in the units of the value): rounded **up** to a multiple of the step.
    ///
    /// # Errors
    /// If `scale` is not positive, or wider than `2^52` steps.
    pub fn new(scale: f64, grid: Grid) -> Result<Self, MechanismError> {
        Ok(Self { grid, steps: grid.steps_up(scale)? })
    }

    /// The scale `b` of the noise, in the units of the value: a multiple of the step.
    pub fn scale(self) -> f64 {
        self.steps as f64 * self.grid.step()
    }

    /// The scale `t` in steps.
    pub fn steps(self) -> u64 {
        self.steps
    }
}

impl ExactNoise for DiscreteLaplace {
    fn grid(&self) -> Grid {
        self.grid
    }

    /// An [`Event::DiscreteLaplace`].
    fn event(&self, sensitivity: Sensitivity, dim: usize) -> Result<Event, MechanismError> {
        Ok(Event::DiscreteLaplace(Discrete::new(self.grid, self.steps, sensitivity, dim)?))
    }

    fn draw<R: CryptoRng>(&self, rng: &mut R) -> Result<i64, MechanismError> {
        let mut words = Words::new(rng);
        signed(&mut words, |words| {
            let Magnitude { whole, part } = magnitude(words, self.steps)?;
            Some(Some(whole.saturating_mul(self.steps).saturating_add(part)))
        })
    }
}

/// A magnitude of `whole * t + part`, `part < t`.
pub struct Magnitude {
    pub whole: u64,
    pub part: u64,
}

/// Each magnitude `m` with probability proportional to `exp(-m/t)`: `exp(-part/t)` by rejection, `exp(-whole)` by
/// counting.
#[inline]
pub fn magnitude<R: CryptoRng>(words: &mut Words<R>, t: u64) -> Option<Magnitude> {
    let mut part = words.below(t)?;
    while !words.exp(part, t)? {
        part = words.below(t)?;
    }
    let mut whole = 0;
    while words.exp_one()? {
        whole += 1;
    }
    Some(Magnitude { whole, part })
}

/// Gives magnitudes a sign; 0 has one only, or it would be twice as likely. `Some(None)` is a refused magnitude.
#[inline]
pub fn signed<'r, R: CryptoRng>(
    words: &mut Words<'r, R>,
    mut magnitude: impl FnMut(&mut Words<'r, R>) -> Option<Option<u64>>,
) -> Result<i64, MechanismError> {
    loop {
        let Some(magnitude) = magnitude(words).ok_or(MechanismError::BrokenGenerator)? else { continue };
        let negative = words.next().ok_or(MechanismError::BrokenGenerator)? >> 63 == 1;
        if negative && magnitude == 0 {
            continue;
        }
        let magnitude = i64::try_from(magnitude).unwrap_or(i64::MAX);
        return Ok(if negative { -magnitude } else { magnitude });
    }
}
