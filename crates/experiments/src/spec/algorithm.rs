//! `[algorithm]`: from a kind to its set, steps and average.

use dido_geometry::{Box as BoxSet, L2Ball, Set};
use dido_optimizers::Schedule;

use super::At;
use crate::config::{AlgorithmConfig, Config, SetConfig};
use crate::error::ExperimentError;

pub(super) fn algorithm(at: &At<'_>, config: &Config, dim: usize) -> Result<(Set, Schedule, u32), ExperimentError> {
    let (set, step, fraction) = match &config.algorithm {
        AlgorithmConfig::Dgd(dgd) => (Set::Whole, &dgd.step, dgd.average_from),
        AlgorithmConfig::ProjectedDgd(projected) => {
            let set = match projected.set.clone() {
                SetConfig::L2Ball(ball) => at.check("algorithm.set.radius", L2Ball::new(ball.radius))?.into(),
                SetConfig::Box(b) => at.check("algorithm.set", BoxSet::new(b.lower, b.upper))?.into(),
            };
            (set, &projected.step, projected.average_from)
        }
    };
    let fits = set.dim().is_none_or(|d| d == dim);
    at.require("algorithm.set", fits, format!("the box has {:?} bounds, a row has {dim} coordinates", set.dim()))?;
    at.check("algorithm.step", step.check(config.rounds))?;
    let in_range = (0.0..1.0).contains(&fraction);
    at.require("algorithm.average_from", in_range, format!("{fraction} is not in [0, 1)"))?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a fraction of the rounds")]
    let average_from = (fraction * f64::from(config.rounds)).floor() as u32;
    Ok((set, step.clone(), average_from))
}
