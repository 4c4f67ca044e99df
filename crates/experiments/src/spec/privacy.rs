//! `[privacy]`: what can be promised.

use dido_mechanisms::{Adjacency, Adversary, Budget};
use dido_optimizers::{Declaration, Sampling};

use super::At;
use crate::algorithms::{Method, those_that};
use crate::config::privacy::PaidRounds;
use crate::config::{AccountantConfig, Baseline, Config, NoiseConfig};
use crate::error::ExperimentError;

/// The delta at which epsilon is reported when nothing is said.
const DEFAULT_DELTA: f64 = 1e-5;

/// No budget can be larger: the noise for it would be lost in rounding.
const MOST_EPSILON: f64 = 1e9;

pub(super) fn check(at: &At<'_>, config: &Config, method: &dyn Method) -> Result<(), ExperimentError> {
    // Under the other relations a file whose counts differ from the declared ones is refused, which gives them away.
    let (name, takes, adjacency) = (config.algorithm.name(), config.algorithm.takes(), config.privacy.adjacency);
    let known = takes.adjacencies.contains(&adjacency);
    let others = those_that(|takes| takes.adjacencies.contains(&Adjacency::AddRemoveRecord));
    at.require(
        "privacy.adjacency",
        known || adjacency != Adjacency::AddRemoveRecord,
        format!(
            "add-remove-record hides the record counts, which only {others} can: use replace-record or replace-node"
        ),
    )?;
    at.require("privacy.adjacency", known, format!("{name} has no known sensitivity for: {adjacency}"))?;
    let centralised = config.baseline == Some(Baseline::Centralised);
    at.require(
        "privacy.adjacency",
        !centralised || adjacency != Adjacency::ReplaceNode,
        "the one party of baseline = \"centralised\" holds all records, and replace-node would replace all of them: use \
         replace-record",
    )?;
    let parties = config.data.records.len();
    let hides = matches!(method.sampling(), Sampling::HiddenOneRecord(_));
    let everybody = config.baseline.is_none() || config.privacy.adversary == Adversary::AllMessages;
    at.require("privacy.adversary", everybody, "a baseline has no neighbours: leave it at all-messages")?;
    match config.privacy.adversary {
        Adversary::Neighbour(party) if party >= parties => {
            Err(at.key("privacy.adversary", format!("there is no party {party}: they are 0 to {}", parties - 1)))
        }
        Adversary::HiddenActivation if !hides => Err(at.key(
            "privacy.adversary",
            "hidden-activation needs secret coins and dummy messages: only dual-averaging with activation = \"hidden\" sends \
             them",
        )),
        _ if hides && config.privacy.adversary != Adversary::HiddenActivation => Err(at.key(
            "privacy.adversary",
            "activation = \"hidden\" is accounted against those who cannot tell who is active: set hidden-activation",
        )),
        Adversary::Colluders(count) if count >= parties => {
            Err(at
                .key("privacy.adversary", format!("{count} colluders among {parties} parties leave nobody to protect")))
        }
        _ => Ok(()),
    }
}

pub(super) fn budget(at: &At<'_>, config: &Config) -> Result<Option<Budget>, ExperimentError> {
    let budget =
        config.privacy.budget.map(|b| at.check("privacy.budget", Budget::new(b.epsilon, b.delta))).transpose()?;
    let meaningful = budget.is_none_or(|b| b.epsilon() <= MOST_EPSILON);
    at.require("privacy.budget", meaningful, format!("an epsilon above {MOST_EPSILON} promises nothing"))?;
    let given = !matches!(config.privacy.noise, NoiseConfig::Calibrated(_));
    let largest = config.privacy.budget.is_some_and(|b| b.rounds == PaidRounds::Largest);
    let message = "calibrated noise makes the budget pay for any number of rounds: give the noise, or leave it at all";
    at.require("privacy.budget.rounds", given || !largest, message)?;
    accountant(at, config, budget)?;
    match &config.privacy.noise {
        NoiseConfig::Laplace(laplace) => {
            at.check("privacy.noise.scale", laplace.scale.check(config.rounds + 1))?;
        }
        NoiseConfig::DiscreteLaplace(laplace) => {
            at.check("privacy.noise.scale", laplace.scale.check(config.rounds + 1))?;
        }
        NoiseConfig::DiscreteGaussian(gaussian) => {
            at.check("privacy.noise.sigma", gaussian.sigma.check(config.rounds + 1))?;
            gaussian_needs_delta(at, budget)?;
        }
        NoiseConfig::Gaussian(gaussian) => {
            at.check("privacy.noise.sigma", gaussian.sigma.check(config.rounds + 1))?;
            gaussian_needs_delta(at, budget)?;
        }
        NoiseConfig::Calibrated(calibrated) => {
            at.require("privacy.budget", budget.is_some(), "calibrated noise needs a budget")?;
            if calibrated.mechanism.is_gaussian() {
                gaussian_needs_delta(at, budget)?;
            }
        }
        NoiseConfig::None(_) => {
            at.require("privacy.budget", budget.is_none(), "a run without noise meets no budget: leave it out")?;
        }
    }
    Ok(budget)
}

/// An accountant compares with a budget, and most do not know of a delta of 0.
fn accountant(at: &At<'_>, config: &Config, budget: Option<Budget>) -> Result<(), ExperimentError> {
    let Some(accountant) = config.privacy.accountant else { return Ok(()) };
    let message = "there is no budget that it could be compared with: leave it out, all accountings are reported";
    at.require("privacy.accountant", budget.is_some(), message)?;
    let pure = matches!(accountant, AccountantConfig::Pure | AccountantConfig::Best);
    let message = "at delta 0 there is pure accounting only: use pure, or give the budget a delta";
    at.require("privacy.accountant", pure || budget.is_none_or(|b| b.delta() > 0.0), message)
}

fn gaussian_needs_delta(at: &At<'_>, budget: Option<Budget>) -> Result<(), ExperimentError> {
    let message = "gaussian noise keeps no budget with delta 0: give a delta, or use laplace";
    at.require("privacy.budget.delta", budget.is_none_or(|b| b.delta() > 0.0), message)
}

/// Noise hides what has a finite sensitivity only.
pub(super) fn bounded(
    at: &At<'_>,
    config: &Config,
    method: &dyn Method,
    declaration: &Declaration,
) -> Result<(), ExperimentError> {
    let noisy = !matches!(config.privacy.noise, NoiseConfig::None(_));
    if !noisy || method.is_bounded(declaration, config.privacy.adjacency) {
        return Ok(());
    }
    let (path, message) = method.unbounded();
    Err(at.key(path, message))
}

pub(super) fn delta(at: &At<'_>, config: &Config, budget: Option<Budget>) -> Result<f64, ExperimentError> {
    match (config.privacy.delta, budget) {
        (Some(_), Some(_)) => Err(at.key("privacy.delta", "delta is part of the budget; give it once")),
        (Some(delta), None) => {
            at.require("privacy.delta", delta > 0.0 && delta < 1.0, format!("{delta} is not between 0 and 1"))?;
            Ok(delta)
        }
        (None, Some(budget)) if budget.delta() > 0.0 => Ok(budget.delta()),
        (None, _) => Ok(DEFAULT_DELTA),
    }
}
