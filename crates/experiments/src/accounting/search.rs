//! The search for noise that keeps a budget, with the best accountant as the judge.

use dido_mechanisms::calibrate::{Allocation, noise_multiplier};
use dido_mechanisms::{Accountant, Adjacency, Base, Best, Bound, Budget, MechanismError};

use super::run::Run;
use super::sample::{Sample, SampleOptions, adjacency, usage};
use crate::error::ExperimentError;
use crate::report::significant;

/// A budget, and what is known of the releases beside their noise.
pub struct Search {
    pub budget: Budget,
    pub adjacency: Adjacency,
    pub sampling: Option<Sample>,
}

impl Search {
    pub fn new(
        sample: &SampleOptions,
        named: Option<Adjacency>,
        epsilon: f64,
        delta: f64,
    ) -> Result<Self, ExperimentError> {
        let sampling = sample.checked()?;
        let budget = Budget::new(epsilon, delta)?;
        Ok(Self { budget, adjacency: adjacency(named, sampling)?, sampling })
    }

    pub fn run(&self, releases: Vec<(Base, u64)>) -> Run {
        Run { adjacency: self.adjacency, sampling: self.sampling, releases }
    }

    /// What the noise of the releases is to be multiplied with, and what they are worth then. `closed`: it is right but for
    /// rounding.
    pub fn factor(&self, releases: &[(Base, u64)], closed: bool) -> Result<(f64, Bound), ExperimentError> {
        let run = |factor: f64| {
            let releases = releases.iter().map(|&(base, times)| (louder(base, factor), times));
            self.run(releases.collect()).ledger()
        };
        let delta = self.budget.delta();
        if closed {
            let (mut factor, mut margin) = (1.0, 4.0 * f64::EPSILON);
            while factor < 2.0 {
                let bound = Best.bound(&run(factor), delta).map_err(|error| self.no_noise(error))?;
                if bound.epsilon <= self.budget.epsilon() {
                    return Ok((factor, bound));
                }
                (factor, margin) = (factor + margin, 2.0 * margin);
            }
            return Err(self.no_noise(MechanismError::Scale(0.0)));
        }
        let times: u64 = releases.iter().map(|(_, times)| times).sum();
        let seen = self.sampling.map_or(1.0, |sampling| -(times as f64 * (-sampling.rate).ln_1p()).exp_m1());
        if seen <= delta {
            let seen = significant(seen);
            let reason = format!("a record is in a sample with probability {seen} only (--rate): no noise is needed");
            return Err(usage(format!("--delta {delta}: {reason}")));
        }
        let factor = noise_multiplier(&Best, self.budget, run).map_err(|error| self.no_noise(error))?;
        Ok((factor, Best.bound(&run(factor), delta)?))
    }

    /// A search that ends where numbers do.
    fn no_noise(&self, error: MechanismError) -> ExperimentError {
        match error {
            MechanismError::Calibration { .. } | MechanismError::Scale(_) => {
                usage(format!("--epsilon {}: no noise that is a number keeps this budget", self.budget.epsilon()))
            }
            error => error.into(),
        }
    }

    /// The one of both allocations that has the smaller total variance, by the best accountant.
    pub fn less_variance(
        &self,
        sensitivities: &[f64],
        release: impl Fn(f64, f64) -> Result<Base, ExperimentError>,
    ) -> Result<(Vec<f64>, Bound), ExperimentError> {
        let of = |allocation: Allocation| -> Result<(Vec<f64>, Bound), ExperimentError> {
            let scales = allocation.relative_scales(sensitivities)?;
            let (factor, bound) = self.factor(&pairs(sensitivities, &scales, &release)?, false)?;
            Ok((scales.iter().map(|scale| scale * factor).collect(), bound))
        };
        let variance = |scales: &[f64]| scales.iter().map(|scale| scale * scale).sum::<f64>();
        let (pure, concentrated) = (of(Allocation::Pure)?, of(Allocation::Concentrated)?);
        Ok(if variance(&pure.0) < variance(&concentrated.0) { pure } else { concentrated })
    }
}

/// One release for each sensitivity and its noise.
pub fn pairs(
    sensitivities: &[f64],
    noise: &[f64],
    release: impl Fn(f64, f64) -> Result<Base, ExperimentError>,
) -> Result<Vec<(Base, u64)>, ExperimentError> {
    sensitivities.iter().zip(noise).map(|(&sensitivity, &noise)| Ok((release(sensitivity, noise)?, 1))).collect()
}

/// The same with more noise, or less.
fn louder(base: Base, factor: f64) -> Base {
    match base {
        Base::Gaussian { sensitivity, sigma } => Base::Gaussian { sensitivity, sigma: sigma * factor },
        Base::Laplace { sensitivity, dim, scale } => Base::Laplace { sensitivity, dim, scale: scale * factor },
        other => other,
    }
}
