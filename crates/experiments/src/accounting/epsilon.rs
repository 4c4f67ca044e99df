//! `dido epsilon`: what noise is worth.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use dido_mechanisms::{Adjacency, Adversary, Base, Ledger, Norm, Sensitivity};
use serde::Serialize;

use super::answer::{Answer, Figures, LedgerAnswer};
use super::number;
use super::run::Run;
use super::sample::{SampleOptions, adjacency, mechanism, usage};
use crate::error::ExperimentError;

/// A run with Gaussian noise.
#[derive(Args, Clone, Debug)]
#[command(allow_negative_numbers = true)]
pub struct Gaussian {
    /// Standard deviation of the noise divided by the sensitivity (L2) of what is released, under the adjacency.
    #[arg(long, value_name = "Z", value_parser = number::positive)]
    pub noise_multiplier: f64,
    /// How the records of a step are drawn.
    #[command(flatten)]
    pub sample: SampleOptions,
    /// Number of releases.
    #[arg(long, value_name = "T", value_parser = number::count)]
    pub steps: u64,
    /// The probability that the loss is larger than epsilon.
    #[arg(long, value_name = "D", value_parser = number::delta)]
    pub delta: f64,
    /// The data sets the sensitivity speaks of: add-remove-record (default, and of poisson), replace-record (of the
    /// other samplings), replace-node.
    #[arg(long, value_parser = number::adjacency)]
    pub adjacency: Option<Adjacency>,
}

/// A run with Laplace noise.
#[derive(Args, Clone, Debug)]
#[command(allow_negative_numbers = true)]
pub struct Laplace {
    /// The scale of the noise of every release (variance 2 scale^2), in the units of the sensitivity.
    #[arg(long, value_name = "S", value_parser = number::positive, required_unless_present = "scales", requires = "steps")]
    pub scale: Option<f64>,
    /// The scale of each release.
    #[arg(long, value_name = "S1,S2,..", value_delimiter = ',', value_parser = number::positive, conflicts_with = "scale")]
    pub scales: Option<Vec<f64>>,
    /// Number of releases; with --scales their number.
    #[arg(long, value_name = "T", value_parser = number::count)]
    pub steps: Option<u64>,
    /// What a release is.
    #[command(flatten)]
    pub release: Release,
    /// How the records of a step are drawn.
    #[command(flatten)]
    pub sample: SampleOptions,
    /// The probability that the loss is larger than epsilon; 0 for pure privacy.
    #[arg(long, value_name = "D", value_parser = number::delta)]
    pub delta: f64,
    /// The data sets the sensitivity speaks of: add-remove-record (default, and of poisson), replace-record (of the
    /// other samplings), replace-node.
    #[arg(long, value_parser = number::adjacency)]
    pub adjacency: Option<Adjacency>,
}

/// How far a released vector moves.
#[derive(Args, Clone, Copy, Debug)]
pub struct Release {
    /// How far a change of the data moves what is released.
    #[arg(long, value_name = "X", value_parser = number::positive)]
    pub sensitivity: f64,
    /// How the vector is measured, before noise is added to it.
    #[command(flatten)]
    pub vector: Vector,
}

/// In which norm a sensitivity of a vector is, and what the other one is then.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Vector {
    /// The norm of the sensitivity: l1 or l2; an L2 sensitivity needs --dim.
    #[arg(long, value_enum, default_value = "l1")]
    pub norm: NormName,
    /// Coordinates of what is released.
    #[arg(long, value_name = "M", value_parser = number::positive_count)]
    pub dim: Option<u64>,
}

/// A norm by its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NormName {
    /// Sum of absolute values.
    #[default]
    L1,
    /// Euclidean length.
    L2,
}

/// The ledger of a run.
#[derive(Args, Clone, Debug)]
#[command(allow_negative_numbers = true)]
pub struct LedgerFile {
    /// The ledger.json of a result.
    pub file: PathBuf,
    /// The probability that the loss is larger than epsilon.
    #[arg(long, value_name = "D", value_parser = number::delta, default_value = "1e-5")]
    pub delta: f64,
}

impl Vector {
    /// The norm and the number of coordinates; an L1 sensitivity is that of a single one.
    ///
    /// # Errors
    /// If an L2 sensitivity comes without the dimension.
    pub fn checked(self) -> Result<(Norm, usize), ExperimentError> {
        match (self.norm, self.dim) {
            (NormName::L1, _) => Ok((Norm::L1, 1)),
            (NormName::L2, None) => Err(usage("--norm l2 needs --dim: each coordinate has its own noise")),
            (NormName::L2, Some(dim)) => {
                let dim = usize::try_from(dim).map_err(|_| usage(format!("--dim {dim}: out of range")))?;
                Ok((Norm::L2, dim))
            }
        }
    }
}

/// What a run with Gaussian noise is worth.
///
/// # Errors
/// If the options contradict each other, a number is out of its range, or no method applies.
pub fn gaussian(question: &Gaussian) -> Result<Answer, ExperimentError> {
    let sampling = question.sample.checked()?;
    let adjacency = adjacency(question.adjacency, sampling)?;
    let base = gaussian_release(adjacency, 1.0, question.noise_multiplier)?;
    let run = Run { adjacency, sampling, releases: vec![(base, question.steps)] };
    let noise = format!("Gaussian noise of standard deviation {} times the sensitivity", question.noise_multiplier);
    answer(&run, &noise, question.delta)
}

/// What a run with Laplace noise is worth.
///
/// # Errors
/// As [`gaussian`].
pub fn laplace(question: &Laplace) -> Result<Answer, ExperimentError> {
    let sampling = question.sample.checked()?;
    let adjacency = adjacency(question.adjacency, sampling)?;
    let Release { sensitivity, vector } = question.release;
    let (norm, dim) = vector.checked()?;
    let of_scale = |&scale: &f64| laplace_release(Sensitivity { value: sensitivity, norm, adjacency }, dim, scale);
    let (releases, noise) = match (&question.scales, question.scale, question.steps) {
        (Some(scales), None, steps) if steps.is_none_or(|steps| steps == scales.len() as u64) => {
            let each = scales.iter().map(|scale| Ok((of_scale(scale)?, 1)));
            let noise = format!("Laplace noise of {} scales", scales.len());
            (each.collect::<Result<_, ExperimentError>>()?, noise)
        }
        (Some(scales), None, Some(steps)) => {
            return Err(usage(format!("--steps {steps}: there are {} --scales", scales.len())));
        }
        (None, Some(scale), Some(steps)) => {
            (vec![(of_scale(&scale)?, steps)], format!("Laplace noise of scale {scale}"))
        }
        _ => return Err(usage("--scale with --steps, or --scales: one of the two is needed")),
    };
    let noise = format!("{noise} for an {norm:?} sensitivity of {sensitivity}{}", in_dimensions(norm, dim));
    answer(&Run { adjacency, sampling, releases }, &noise, question.delta)
}

/// What the releases of a run are worth, for each class of nodes. The ledger is that of one lane.
///
/// # Errors
/// If the file cannot be read, is no ledger, or has an event that makes no sense.
pub fn ledger(question: &LedgerFile) -> Result<LedgerAnswer, ExperimentError> {
    let failed = |reason: String| ExperimentError::Input { path: question.file.clone(), reason };
    let bytes = std::fs::read(&question.file).map_err(|error| failed(error.to_string()))?;
    let ledger: Ledger =
        serde_json::from_slice(&bytes).map_err(|error| failed(format!("this is no ledger: {error}")))?;
    LedgerAnswer::of(&ledger, question.delta).map_err(|error| match error {
        ExperimentError::Mechanism(reason) => failed(reason.to_string()),
        other => other,
    })
}

/// The coordinates of a vector, where they matter.
pub(super) fn in_dimensions(norm: Norm, dim: usize) -> String {
    if norm == Norm::L2 { format!(" in {dim} dimensions") } else { String::new() }
}

pub(super) fn gaussian_release(adjacency: Adjacency, sensitivity: f64, sigma: f64) -> Result<Base, ExperimentError> {
    Ok(Base::Gaussian { sensitivity: Sensitivity::new(sensitivity, Norm::L2, adjacency)?, sigma })
}

pub(super) fn laplace_release(sensitivity: Sensitivity, dim: usize, scale: f64) -> Result<Base, ExperimentError> {
    let Sensitivity { value, norm, adjacency } = sensitivity;
    Ok(Base::Laplace { sensitivity: Sensitivity::new(value, norm, adjacency)?, dim, scale })
}

fn answer(run: &Run, noise: &str, delta: f64) -> Result<Answer, ExperimentError> {
    let figures = Figures::of(&run.ledger(), delta)?;
    Ok(Answer {
        mechanism: mechanism(noise, run.sampling),
        sampling: run.sampling,
        releases: run.releases.iter().map(|(_, releases)| releases).sum(),
        adjacency: run.adjacency,
        adversary: Adversary::AllMessages,
        delta,
        figures,
    })
}
