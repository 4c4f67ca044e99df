//! `dido calibrate`: the least noise for a budget, or the most rounds.
//!
//! Where there is a closed form, its result is handed to the accountant and raised by rounding errors until that
//! agrees; everywhere else the accountant is asked until the multiplier is found. Either way the epsilon of the answer is the
//! accountant's, and never above the budget.

use clap::Args;
use dido_mechanisms::calibrate::{Allocation, gaussian_schedule, gaussian_sigma, laplace_schedule, most_rounds};
use dido_mechanisms::{Accountant, Adjacency, Base, Best, Bound, Norm, Sensitivity};
use serde::Serialize;

use super::answer::Loss;
use super::epsilon::{Release, Vector, gaussian_release, in_dimensions, laplace_release};
use super::number;
use super::sample::{Sample, SampleOptions, mechanism, usage};
use super::search::{Search, pairs};
use crate::error::ExperimentError;

/// The least Gaussian noise.
#[derive(Args, Clone, Debug)]
#[command(allow_negative_numbers = true)]
pub struct Gaussian {
    /// The most that may be given away.
    #[arg(long, value_name = "E", value_parser = number::positive)]
    pub epsilon: f64,
    /// The probability that the loss may be larger; above 0.
    #[arg(long, value_name = "D", value_parser = number::delta)]
    pub delta: f64,
    /// How far a change of the data moves what is released, in L2; sigma has its units.
    #[arg(long, value_name = "X", value_parser = number::positive, default_value = "1")]
    pub sensitivity: f64,
    /// Number of releases.
    #[arg(long, value_name = "T", value_parser = number::positive_count, default_value = "1")]
    pub steps: u64,
    /// The sensitivity of each release, for noise of least total variance.
    #[arg(long, value_name = "X1,X2,..", value_delimiter = ',', value_parser = number::positive, conflicts_with_all = ["sensitivity", "steps"])]
    pub schedule: Option<Vec<f64>>,
    /// How the records of a step are drawn.
    #[command(flatten)]
    pub sample: SampleOptions,
    /// The data sets the sensitivity speaks of: add-remove-record (default, and of poisson), replace-record (of the
    /// other samplings), replace-node.
    #[arg(long, value_parser = number::adjacency)]
    pub adjacency: Option<Adjacency>,
}

/// The least Laplace noise.
#[derive(Args, Clone, Debug)]
#[command(allow_negative_numbers = true)]
pub struct Laplace {
    /// The most that may be given away.
    #[arg(long, value_name = "E", value_parser = number::positive)]
    pub epsilon: f64,
    /// The probability that the loss may be larger; 0 for pure privacy.
    #[arg(long, value_name = "D", value_parser = number::delta, default_value = "0")]
    pub delta: f64,
    /// How far a change of the data moves what is released; the scale has its units.
    #[arg(long, value_name = "X", value_parser = number::positive, default_value = "1")]
    pub sensitivity: f64,
    /// In which norm.
    #[command(flatten)]
    pub vector: Vector,
    /// Number of releases.
    #[arg(long, value_name = "T", value_parser = number::positive_count, default_value = "1")]
    pub steps: u64,
    /// The sensitivity of each release, for noise of least total variance.
    #[arg(long, value_name = "X1,X2,..", value_delimiter = ',', value_parser = number::positive, conflicts_with_all = ["sensitivity", "steps"])]
    pub schedule: Option<Vec<f64>>,
    /// How the records of a step are drawn.
    #[command(flatten)]
    pub sample: SampleOptions,
    /// The data sets the sensitivity speaks of: add-remove-record (default, and of poisson), replace-record (of the
    /// other samplings), replace-node.
    #[arg(long, value_parser = number::adjacency)]
    pub adjacency: Option<Adjacency>,
}

/// The most rounds with Gaussian noise.
#[derive(Args, Clone, Debug)]
#[command(allow_negative_numbers = true)]
pub struct GaussianRounds {
    /// Standard deviation of the noise divided by the sensitivity (L2), under the adjacency.
    #[arg(long, value_name = "Z", value_parser = number::positive)]
    pub noise_multiplier: f64,
    /// What is asked for.
    #[command(flatten)]
    pub goal: Goal,
}

/// The most rounds with Laplace noise.
#[derive(Args, Clone, Debug)]
#[command(allow_negative_numbers = true)]
pub struct LaplaceRounds {
    /// The scale of the noise, in the units of the sensitivity.
    #[arg(long, value_name = "S", value_parser = number::positive)]
    pub scale: f64,
    /// What a release is.
    #[command(flatten)]
    pub release: Release,
    /// What is asked for.
    #[command(flatten)]
    pub goal: Goal,
}

/// A budget, and how records are drawn.
#[derive(Args, Clone, Debug)]
pub struct Goal {
    /// The most that may be given away.
    #[arg(long, value_name = "E", value_parser = number::positive)]
    pub epsilon: f64,
    /// The probability that the loss may be larger; 0 for pure privacy.
    #[arg(long, value_name = "D", value_parser = number::delta, default_value = "0")]
    pub delta: f64,
    /// How the records of a step are drawn.
    #[command(flatten)]
    pub sample: SampleOptions,
    /// The data sets the sensitivity speaks of: add-remove-record (default, and of poisson), replace-record (of the
    /// other samplings), replace-node.
    #[arg(long, value_parser = number::adjacency)]
    pub adjacency: Option<Adjacency>,
}

/// An answer of `dido calibrate`.
#[derive(Clone, Debug, Serialize)]
pub struct Calibrated {
    /// What is released each time, in words.
    pub mechanism: String,
    /// How the records of a release are drawn, if not all are looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Sample>,
    /// How often.
    pub releases: u64,
    /// What was asked for.
    #[serde(flatten)]
    pub found: Found,
    /// The epsilon that this gives: at most the target.
    pub epsilon: Loss,
    /// The epsilon that was asked for.
    pub target: f64,
    /// At which failure probability.
    pub delta: f64,
    /// By which accountant.
    pub method: String,
    /// The data sets that cannot be told apart.
    pub adjacency: Adjacency,
}

/// What was asked for: noise, or rounds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Found {
    /// Gaussian noise.
    Sigma {
        /// Its standard deviation, in the units of the sensitivity.
        sigma: f64,
        /// The same divided by the sensitivity.
        noise_multiplier: f64,
    },
    /// Laplace noise.
    Scale {
        /// Its scale, in the units of the sensitivity.
        scale: f64,
    },
    /// Gaussian noise of each release.
    Sigmas {
        /// Standard deviations.
        sigmas: Vec<f64>,
    },
    /// Laplace noise of each release.
    Scales {
        /// Scales.
        scales: Vec<f64>,
    },
    /// How many releases keep the budget.
    Rounds {
        /// Their number.
        rounds: u64,
    },
}

/// The least Gaussian noise for a budget.
///
/// # Errors
/// If the options contradict each other, a number is out of its range, or no noise keeps the budget, or any does.
pub fn gaussian(question: &Gaussian) -> Result<Calibrated, ExperimentError> {
    let Gaussian { epsilon, delta, sensitivity, steps, .. } = *question;
    let search = Search::new(&question.sample, question.adjacency, epsilon, delta)?;
    need_delta(delta)?;
    let release = |sensitivity, sigma| gaussian_release(search.adjacency, sensitivity, sigma);
    if let Some(sensitivities) = &question.schedule {
        let sigmas = if search.sampling.is_none() {
            gaussian_schedule(sensitivities, search.budget)?
        } else {
            Allocation::Concentrated.relative_scales(sensitivities)?
        };
        let releases = pairs(sensitivities, &sigmas, release)?;
        let (factor, bound) = search.factor(&releases, search.sampling.is_none())?;
        let sigmas = sigmas.iter().map(|sigma| sigma * factor).collect();
        let noise = format!("Gaussian noise for {} sensitivities", sensitivities.len());
        return Ok(Calibrated::new(&search, &noise, sensitivities.len() as u64, Found::Sigmas { sigmas }, bound));
    }
    let exact = search.sampling.is_none();
    let value = Sensitivity::new(sensitivity, Norm::L2, search.adjacency)?;
    let start = if exact { gaussian_sigma(value, search.budget)? * (steps as f64).sqrt() } else { sensitivity };
    let (factor, bound) = search.factor(&[(release(sensitivity, start)?, steps)], exact)?;
    let sigma = start * factor;
    let quotient = sigma / sensitivity;
    let noise_multiplier = if quotient * sensitivity < sigma { quotient.next_up() } else { quotient };
    let found = Found::Sigma { sigma, noise_multiplier };
    Ok(Calibrated::new(&search, &format!("Gaussian noise for a sensitivity of {sensitivity}"), steps, found, bound))
}

/// The least Laplace noise for a budget.
///
/// # Errors
/// As [`gaussian`].
pub fn laplace(question: &Laplace) -> Result<Calibrated, ExperimentError> {
    let Laplace { epsilon, delta, sensitivity, steps, vector, .. } = *question;
    let (norm, dim) = vector.checked()?;
    let search = Search::new(&question.sample, question.adjacency, epsilon, delta)?;
    let of = |value| Sensitivity { value, norm, adjacency: search.adjacency };
    let release = |sensitivity, scale| laplace_release(of(sensitivity), dim, scale);
    let exact = search.sampling.is_none() && delta <= 0.0;
    if let Some(sensitivities) = &question.schedule {
        let (scales, bound) = if exact {
            let scales = laplace_schedule(sensitivities, dim, search.budget)?;
            let (factor, bound) = search.factor(&pairs(sensitivities, &scales, release)?, true)?;
            (scales.iter().map(|scale| scale * factor).collect(), bound)
        } else {
            search.less_variance(sensitivities, release)?
        };
        let noise = format!("Laplace noise for {} {norm:?} sensitivities{}", scales.len(), in_dimensions(norm, dim));
        return Ok(Calibrated::new(&search, &noise, scales.len() as u64, Found::Scales { scales }, bound));
    }
    let start = if exact { of(sensitivity).l1(dim) * (steps as f64) / epsilon } else { sensitivity };
    let (factor, bound) = search.factor(&[(release(sensitivity, start)?, steps)], exact)?;
    let noise = format!("Laplace noise for an {norm:?} sensitivity of {sensitivity}{}", in_dimensions(norm, dim));
    Ok(Calibrated::new(&search, &noise, steps, Found::Scale { scale: start * factor }, bound))
}

/// The most rounds with Gaussian noise that keep a budget; none if one is too many.
///
/// # Errors
/// As [`gaussian`].
pub fn gaussian_rounds(question: &GaussianRounds) -> Result<Calibrated, ExperimentError> {
    let GaussianRounds { noise_multiplier, goal } = question;
    need_delta(goal.delta)?;
    let noise = format!("Gaussian noise of standard deviation {noise_multiplier} times the sensitivity");
    goal.most_rounds(&noise, |adjacency| gaussian_release(adjacency, 1.0, *noise_multiplier))
}

/// The most rounds with Laplace noise that keep a budget; none if one is too many.
///
/// # Errors
/// As [`gaussian`].
pub fn laplace_rounds(question: &LaplaceRounds) -> Result<Calibrated, ExperimentError> {
    let LaplaceRounds { scale, release: Release { sensitivity, vector }, goal } = question;
    let (norm, dim) = vector.checked()?;
    let dimensions = in_dimensions(norm, dim);
    let noise = format!("Laplace noise of scale {scale} for an {norm:?} sensitivity of {sensitivity}{dimensions}");
    goal.most_rounds(&noise, |adjacency| {
        laplace_release(Sensitivity { value: *sensitivity, norm, adjacency }, dim, *scale)
    })
}

impl Goal {
    fn most_rounds(
        &self,
        noise: &str,
        release: impl Fn(Adjacency) -> Result<Base, ExperimentError>,
    ) -> Result<Calibrated, ExperimentError> {
        let search = Search::new(&self.sample, self.adjacency, self.epsilon, self.delta)?;
        let release = release(search.adjacency)?;
        let run = |rounds| search.run(vec![(release, rounds)]).ledger();
        let rounds = most_rounds(&Best, search.budget, run)?;
        let bound = Best.bound(&run(rounds), self.delta)?;
        Ok(Calibrated::new(&search, noise, rounds, Found::Rounds { rounds }, bound))
    }
}

impl Calibrated {
    fn new(search: &Search, noise: &str, releases: u64, found: Found, bound: Bound) -> Self {
        Self {
            mechanism: mechanism(noise, search.sampling),
            sampling: search.sampling,
            releases,
            found,
            epsilon: Loss(bound.epsilon),
            target: search.budget.epsilon(),
            delta: search.budget.delta(),
            method: bound.method,
            adjacency: search.adjacency,
        }
    }
}

/// Gaussian noise leaves no guarantee without a delta.
fn need_delta(delta: f64) -> Result<(), ExperimentError> {
    if delta > 0.0 { Ok(()) } else { Err(usage(format!("--delta {delta}: Gaussian noise needs a delta above 0"))) }
}
