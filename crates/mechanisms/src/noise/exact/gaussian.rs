//! Discrete Gaussian noise: `P(k steps)` proportional to `exp(-k^2 / 2 s^2)`, for a parameter of `s` steps.

use rand::CryptoRng;

use super::coin::Words;
use super::laplace::{Magnitude, magnitude, signed};
use super::{ExactNoise, Grid};
use crate::{Discrete, Event, MechanismError, Sensitivity};

/// Independent discrete Gaussian noise on a [`Grid`], exact: no draw is rounded.
///
/// On vectors of grid points that differ by `d` steps in L2 it is `d^2 / 2 s^2`-zCDP, exactly as continuous noise is;
/// its `(epsilon, delta)` curve is close to the continuous one, and not always below it. Its variance is at most `s^2`
/// squared steps.
///
/// Algorithm 3 of Canonne, Kamath, Steinke, *The discrete Gaussian for differential privacy*, 2020.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiscreteGaussian {
    grid: Grid,
    steps: u64,
}

impl DiscreteGaussian {
    /// Noise of at least `sigma` (in the units of the value): rounded **up** to a multiple of the step.
    ///
    /// # Errors
    /// If `sigma` is not positive, or wider than `2^52` steps.
    pub fn new(sigma: f64, grid: Grid) -> Result<Self, MechanismError> {
        Ok(Self { grid, steps: grid.steps_up(sigma)? })
    }

    /// The parameter `sigma` of the noise, in the units of the value: a multiple of the step.
    pub fn sigma(self) -> f64 {
        self.steps as f64 * self.grid.step()
    }

    /// The parameter `s` in steps.
    pub fn steps(self) -> u64 {
        self.steps
    }
}

impl ExactNoise for DiscreteGaussian {
    fn grid(&self) -> Grid {
        self.grid
    }

    /// An [`Event::DiscreteGaussian`].
    fn event(&self, sensitivity: Sensitivity, dim: usize) -> Result<Event, MechanismError> {
        Ok(Event::DiscreteGaussian(Discrete::new(self.grid, self.steps, sensitivity, dim)?))
    }

    fn draw<R: CryptoRng>(&self, rng: &mut R) -> Result<i64, MechanismError> {
        let mut words = Words::new(rng);
        signed(&mut words, |words| {
            let proposal = magnitude(words, self.steps)?;
            let accepted = accept(words, &proposal, self.steps)?;
            let Magnitude { whole, part } = proposal;
            Some(accepted.then(|| whole.saturating_mul(self.steps).saturating_add(part)))
        })
    }
}

/// True with probability `exp(-(m - s)^2 / 2 s^2)`, which makes Gaussian what was Laplace of scale `s`.
///
/// With `m - s = q s + p` the exponent is `q^2/2 + q p/s + (p/s)^2/2`: one coin for each half, for each `p/s` and for
/// the last square, none of which needs a number above `s` squared.
#[inline]
fn accept<R: CryptoRng>(words: &mut Words<R>, m: &Magnitude, s: u64) -> Option<bool> {
    let Some(q) = m.whole.checked_sub(1) else {
        return words.exp_half_square(s - m.part, s);
    };
    for _ in 0..q.saturating_mul(q) {
        if !words.exp(1, 2)? {
            return Some(false);
        }
    }
    for _ in 0..q {
        if !words.exp(m.part, s)? {
            return Some(false);
        }
    }
    words.exp_half_square(m.part, s)
}
