//! `[algorithm]`: from a kind to its set, steps and weights.

use dido_geometry::{Affine, Box as BoxSet, HalfSpace, Intersection, L1Ball, L2Ball, Set, Simplex};
use dido_optimizers::{At as GradientAt, DualWeights, Points, Sampling, Schedule};
use dido_problems::{DualStep, Regulariser};

use super::At;
use crate::config::algorithm::{DualAveragingConfig, PdopConfig};
use crate::config::graph::SequenceConfig;
use crate::config::{AlgorithmConfig, AtConfig, Config, SetConfig, WeightingConfig};
use crate::error::ExperimentError;

/// A checked algorithm. `average_from` is the round whose release is the first to enter the answer.
#[derive(Clone, Debug)]
pub enum Method {
    /// Decentralised gradient descent.
    Dgd {
        /// The step sizes.
        step: Schedule,
        /// See above.
        average_from: u32,
    },
    /// Projected decentralised gradient descent.
    ProjectedDgd {
        /// The set of the points.
        set: Set,
        /// The step sizes.
        step: Schedule,
        /// See above.
        average_from: u32,
    },
    /// Private distributed optimisation.
    Pdop {
        /// The set of the points.
        set: Set,
        /// The step sizes.
        step: Schedule,
        /// Where the gradient is taken.
        at: GradientAt,
    },
    /// Dual averaging.
    DualAveraging {
        /// Regulariser, set and distance.
        step: DualStep,
        /// The weights of gradients and distance.
        weights: DualWeights,
        /// The expected share of nodes that are awake.
        participation: f64,
        /// Which records a node looks at.
        sampling: Sampling,
        /// Which points gradients are taken at.
        points: Points,
    },
}

impl Method {
    /// The set of the points: the whole space where there is none.
    pub fn set(&self) -> &Set {
        match self {
            Self::Dgd { .. } => &Set::Whole,
            Self::ProjectedDgd { set, .. } | Self::Pdop { set, .. } => set,
            Self::DualAveraging { step, .. } => step.set(),
        }
    }

    /// What the gradient is multiplied with before it is released; dual averaging releases it as it is.
    pub fn step(&self) -> Option<&Schedule> {
        match self {
            Self::Dgd { step, .. } | Self::ProjectedDgd { step, .. } | Self::Pdop { step, .. } => Some(step),
            Self::DualAveraging { .. } => None,
        }
    }

    /// The norm to which gradients are clipped, if they are.
    pub fn clip(&self) -> Option<f64> {
        if let Self::Pdop { at: GradientAt::Clipped(norm), .. } = self { Some(*norm) } else { None }
    }

    /// Whether a node looks at one of its records in place of all.
    pub fn looks_at_one_record(&self) -> bool {
        matches!(self, Self::DualAveraging { sampling: Sampling::OneRecord, .. })
    }
}

pub(super) fn algorithm(at: &At<'_>, config: &Config, dim: usize) -> Result<Method, ExperimentError> {
    let regularised = config.objective.regulariser != Regulariser::none();
    let dual_averaging = matches!(config.algorithm, AlgorithmConfig::DualAveraging(_));
    at.require("objective.regulariser", dual_averaging || !regularised, "only dual-averaging has a step for it")?;
    let weighed = config.objective.weighting != WeightingConfig::Sum;
    let message = "sum counts every record against the regulariser: use pooled or node-mean";
    at.require("objective.weighting", weighed || !regularised, message)?;
    match &config.algorithm {
        AlgorithmConfig::Dgd(dgd) => {
            let average_from = average_from(at, config, dgd.average_from)?;
            Ok(Method::Dgd { step: schedule(at, config, &dgd.step)?, average_from })
        }
        AlgorithmConfig::ProjectedDgd(projected) => {
            let set = set(at, "algorithm.set", &projected.set, dim)?;
            let average_from = average_from(at, config, projected.average_from)?;
            Ok(Method::ProjectedDgd { set, step: schedule(at, config, &projected.step)?, average_from })
        }
        AlgorithmConfig::Pdop(chosen) => pdop(at, config, chosen, dim),
        AlgorithmConfig::DualAveraging(dual) => dual_averaging_of(at, config, dual, dim),
    }
}

fn pdop(at: &At<'_>, config: &Config, pdop: &PdopConfig, dim: usize) -> Result<Method, ExperimentError> {
    let set = set(at, "algorithm.set", &pdop.set, dim)?;
    let message = "pdop projects before the noise, and the projection on an intersection is an iteration";
    at.require("algorithm.set", set.is_exact(), message)?;
    let gradient_at = match pdop.at {
        AtConfig::Projected => GradientAt::Projected,
        AtConfig::Clipped(norm) => {
            at.require("algorithm.at.clipped", norm > 0.0, format!("{norm} is not positive"))?;
            GradientAt::Clipped(norm)
        }
    };
    Ok(Method::Pdop { set, step: schedule(at, config, &pdop.step)?, at: gradient_at })
}

fn dual_averaging_of(
    at: &At<'_>,
    config: &Config,
    dual: &DualAveragingConfig,
    dim: usize,
) -> Result<Method, ExperimentError> {
    let set = dual.set.as_ref().map_or(Ok(Set::Whole), |chosen| set(at, "algorithm.set", chosen, dim))?;
    let regulariser = config.objective.regulariser.clone();
    let fits = regulariser.dim().is_none_or(|d| d == dim);
    let message = format!("its groups have {} coordinates, a row has {dim}", regulariser.dim().unwrap_or_default());
    at.require("objective.regulariser.groups", fits, message)?;
    let step = at.check("algorithm", DualStep::new(regulariser, set, dual.distance))?;
    let weights = at.check("algorithm.weights", dual.weights.checked())?;
    let participation = dual.participation.unwrap_or_else(|| expected_share(config));
    let in_range = participation > 0.0 && participation <= 1.0;
    at.require("algorithm.participation", in_range, format!("{participation} is not above 0 and at most 1"))?;
    let (sampling, points) = (dual.sampling.into(), dual.points.into());
    Ok(Method::DualAveraging { step, weights, participation, sampling, points })
}

/// The share of nodes that the graph lets take part: what an activation says, all otherwise.
fn expected_share(config: &Config) -> f64 {
    match &config.graph.sequence {
        Some(SequenceConfig::Activation(activation)) => match (activation.active, activation.p) {
            (Some(active), _) => active as f64 / config.data.records.len() as f64,
            (None, p) => p.unwrap_or(1.0),
        },
        _ => 1.0,
    }
}

fn schedule(at: &At<'_>, config: &Config, step: &Schedule) -> Result<Schedule, ExperimentError> {
    at.check("algorithm.step", step.check(config.rounds))?;
    Ok(step.clone())
}

fn average_from(at: &At<'_>, config: &Config, fraction: f64) -> Result<u32, ExperimentError> {
    let in_range = (0.0..1.0).contains(&fraction);
    at.require("algorithm.average_from", in_range, format!("{fraction} is not in [0, 1)"))?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a fraction of the rounds")]
    let average_from = (fraction * f64::from(config.rounds)).floor() as u32;
    Ok(average_from)
}

/// The set at `path`, in `dim` coordinates.
fn set(at: &At<'_>, path: &str, config: &SetConfig, dim: usize) -> Result<Set, ExperimentError> {
    let radius = format!("{path}.radius");
    let set: Set = match config.clone() {
        SetConfig::L2Ball(ball) => at.check(&radius, L2Ball::new(ball.radius))?.into(),
        SetConfig::Box(b) => at.check(path, BoxSet::new(b.lower, b.upper))?.into(),
        SetConfig::Simplex(simplex) => at.check(&radius, Simplex::new(simplex.radius))?.into(),
        SetConfig::L1Ball(ball) => at.check(&radius, L1Ball::new(ball.radius))?.into(),
        SetConfig::HalfSpace(half) => at.check(path, HalfSpace::new(half.normal, half.offset))?.into(),
        SetConfig::Affine(affine) => at.check(path, Affine::new(affine.rows, affine.offsets))?.into(),
        SetConfig::Intersection(all) => {
            let members = all.sets.iter().enumerate();
            let members = members.map(|(k, member)| self::set(at, &format!("{path}.sets[{k}]"), member, dim));
            at.check(path, Intersection::new(dim, members.collect::<Result<_, _>>()?))?.into()
        }
    };
    match set.dim() {
        Some(prescribed) if prescribed != dim => {
            Err(at.key(path, format!("it is a set of {prescribed} coordinates, a row has {dim} coordinates")))
        }
        _ => Ok(set),
    }
}
