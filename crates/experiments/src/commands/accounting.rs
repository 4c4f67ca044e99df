//! `dido epsilon` and `dido calibrate`.

use clap::{Args, Subcommand};
use dido_experiments::accounting::calibrate::Calibrated;
use dido_experiments::accounting::subsampled_dda::DdaAnswer;
use dido_experiments::accounting::{Answer, LedgerAnswer, calibrate, epsilon, subsampled_dda};
use dido_experiments::{ExperimentError, json};
use serde::Serialize;

use super::output::print;

#[derive(Args)]
pub struct EpsilonArgs {
    #[command(subcommand)]
    question: Epsilon,
}

#[derive(Subcommand)]
enum Epsilon {
    /// Gaussian noise, also on a sample of the records.
    Gaussian(Asked<epsilon::Gaussian>),
    /// Laplace noise, also on a sample of the records.
    Laplace(Asked<epsilon::Laplace>),
    /// Subsampled dual averaging (paper B), by who can tell which nodes are active; with the published claim.
    SubsampledDda(Asked<subsampled_dda::Dda>),
    /// What a run has released: the ledger.json of its result.
    Ledger(Asked<epsilon::LedgerFile>),
}

#[derive(Args)]
pub struct CalibrateArgs {
    #[command(subcommand)]
    question: Calibrate,
}

#[derive(Subcommand)]
enum Calibrate {
    /// The least Gaussian noise for a budget.
    Gaussian(Asked<calibrate::Gaussian>),
    /// The least Laplace noise for a budget.
    Laplace(Asked<calibrate::Laplace>),
    /// The most rounds, up to 2^40, that keep a budget.
    #[command(subcommand)]
    Rounds(Rounds),
}

#[derive(Subcommand)]
enum Rounds {
    /// With Gaussian noise.
    Gaussian(Asked<calibrate::GaussianRounds>),
    /// With Laplace noise.
    Laplace(Asked<calibrate::LaplaceRounds>),
}

/// A question, and for whom the answer is.
#[derive(Args)]
struct Asked<Q: Args> {
    #[command(flatten)]
    question: Q,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl<Q: Args> Asked<Q> {
    fn answer<A: Serialize>(
        &self,
        find: impl Fn(&Q) -> Result<A, ExperimentError>,
        text: impl Fn(&A) -> String,
    ) -> Result<String, ExperimentError> {
        let answer = find(&self.question)?;
        Ok(if self.json { json(&answer) } else { text(&answer) + "\n" })
    }
}

/// Prints the answer.
pub fn epsilon(args: &EpsilonArgs) -> Result<(), ExperimentError> {
    print(&match &args.question {
        Epsilon::Gaussian(asked) => asked.answer(epsilon::gaussian, Answer::text),
        Epsilon::Laplace(asked) => asked.answer(epsilon::laplace, Answer::text),
        Epsilon::SubsampledDda(asked) => asked.answer(subsampled_dda::answer, DdaAnswer::text),
        Epsilon::Ledger(asked) => asked.answer(epsilon::ledger, LedgerAnswer::text),
    }?)
}

/// Prints the answer.
pub fn calibrate(args: &CalibrateArgs) -> Result<(), ExperimentError> {
    print(&match &args.question {
        Calibrate::Gaussian(asked) => asked.answer(calibrate::gaussian, Calibrated::text),
        Calibrate::Laplace(asked) => asked.answer(calibrate::laplace, Calibrated::text),
        Calibrate::Rounds(Rounds::Gaussian(asked)) => asked.answer(calibrate::gaussian_rounds, Calibrated::text),
        Calibrate::Rounds(Rounds::Laplace(asked)) => asked.answer(calibrate::laplace_rounds, Calibrated::text),
    }?)
}
