//! `projected-dgd`: paper A, Algorithm 1.

use std::sync::Arc;

use dido_geometry::Set;
use dido_mechanisms::least_squares::{PublishedTheorem, published_epsilon};
use dido_mechanisms::{Adjacency, Public};
use dido_optimizers::bounds::liu2020;
use dido_optimizers::{Algorithm, Noise, Schedule};
use dido_problems::Loss;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Checks, Descent, Enters, Kind, Method, Sequences, Takes};
use crate::config::SetConfig;
use crate::config::algorithm::half;
use crate::error::ExperimentError;
use crate::spec::Spec;
use crate::theory::{Facts, Quadratic};

/// Projected decentralised gradient descent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectedDgdConfig {
    /// The set that holds the solution.
    pub set: SetConfig,
    /// The step size of each round.
    pub step: Schedule,
    /// The fraction of the rounds before averaging begins.
    #[serde(default = "half")]
    pub average_from: f64,
}

impl Kind for ProjectedDgdConfig {
    const TAKES: Takes = Takes { sequences: Sequences::Any, ..Takes::LEAST };

    fn check(&self, checks: &Checks<'_>) -> Result<Arc<dyn Method>, ExperimentError> {
        let set = checks.set(&self.set)?;
        let average_from = checks.average_from(self.average_from)?;
        Ok(Arc::new(ProjectedDgd { set, step: checks.step(&self.step)?, average_from }))
    }
}

#[derive(Clone, Debug)]
struct ProjectedDgd {
    set: Set,
    step: Schedule,
    average_from: u32,
}

impl Method for ProjectedDgd {
    fn build(&self, _spec: &Spec, zeros: Public) -> Box<dyn Algorithm> {
        let Self { set, step, average_from } = self.clone();
        Box::new(dido_optimizers::ProjectedDgd::new(set, step, average_from, zeros))
    }

    fn released(&self) -> String {
        "b_i(t+1) = sum_j w_ij p_j(t) - step(t) grad f_i(p_i(t)) + noise_i(t+1), where p_j(t) is b_j(t) projected"
            .to_owned()
    }

    fn step(&self) -> Option<&Schedule> {
        Some(&self.step)
    }

    fn set(&self) -> &Set {
        &self.set
    }

    fn theorem(&self) -> Option<&'static str> {
        Some("the recursion (R) that replaces Theorem 2 of paper A")
    }

    fn error_bound(&self, facts: &Facts<'_>) -> Option<Vec<f64>> {
        let (radius, nodes) = (self.set.radius(), facts.spec.declaration.nodes() as f64);
        let Quadratic { smoothness, strong_convexity, gradients } =
            facts.quadratic(radius).filter(|_| facts.is_inside(&self.set))?;
        let (dim, lambda) = (facts.spec.declaration.dim(), facts.lambda);
        let problem = liu2020::Problem { dim, diameter: 2.0 * radius, gradients, smoothness, strong_convexity, lambda };
        let mut r = problem.start(nodes * facts.distance().powi(2), 0.0);
        let mut sum = 0.0;
        let all: Option<Vec<f64>> = (0..facts.spec.config.rounds)
            .map(|t| {
                // (R) counts the variance of Laplace noise, twice its squared scale.
                r = problem.next(r, self.step.at(t), (facts.variance(t)? / 2.0).sqrt());
                // The estimate is the latest release, and later the mean of some: its square is at most the mean of theirs.
                sum = if t <= self.average_from { r } else { sum + r };
                Some((sum / f64::from(t.saturating_sub(self.average_from) + 1) / nodes).sqrt())
            })
            .collect();
        Some(facts.picked(&all?))
    }

    fn published_epsilon(&self, spec: &Spec, noise: &Noise) -> Option<f64> {
        published(&self.set, &self.step, spec, noise)
    }

    fn descent(&self) -> Option<Descent<'_>> {
        Some(Descent { step: &self.step, enters: Enters::Point, average_from: Some(self.average_from) })
    }
}

/// What rounding may add to a ratio that meets its bound exactly.
const ROUNDING: f64 = 1e-12;

/// Paper A's published constant, where its premises hold: power schedules `c/(t+d)^e` with `e_v <= e_a`, and in every
/// round a ratio of step and noise of at most `c_a/c_v`, with which the paper bounds it. The offsets `d` decide that.
fn published(set: &Set, step: &Schedule, spec: &Spec, noise: &Noise) -> Option<f64> {
    let Noise::Laplace(scale) = noise else { return None };
    if spec.declaration.loss() != Loss::Squared {
        return None;
    }
    let (c_a, e_a) = power(step)?;
    let (c_v, e_v) = power(scale)?;
    let step_over_noise = c_a / c_v;
    let bounded = |t: u32| step.at(t) <= step_over_noise * scale.at(t + 1) * (1.0 + ROUNDING);
    if e_v > e_a || !set.radius().is_finite() || !(0..spec.config.rounds).all(bounded) {
        return None;
    }
    let declaration = &spec.declaration;
    let bounds = declaration.bounds();
    declaration
        .records()
        .iter()
        .map(|&records| {
            let rows = match spec.config.privacy.adjacency {
                Adjacency::ReplaceNode => records,
                Adjacency::ReplaceRecord | Adjacency::AddRemoveRecord => 1,
            };
            published_epsilon(&PublishedTheorem {
                x_bound: bounds.row_norm() * (rows as f64).sqrt(),
                y_bound: bounds.target() * (rows as f64).sqrt(),
                radius: set.radius(),
                dim: declaration.dim(),
                nodes: declaration.nodes(),
                rows,
                step_over_noise: step_over_noise * declaration.scale(records),
                rounds: spec.config.rounds as usize + 1,
            })
        })
        .fold(None, |worst: Option<f64>, epsilon| Some(worst.map_or(epsilon, |w| w.max(epsilon))))
}

/// `(c, e)` of a schedule of the form `c/(t+d)^e`; a constant has `e = 0`.
#[expect(clippy::float_cmp, reason = "a table that repeats one number is a constant")]
fn power(schedule: &Schedule) -> Option<(f64, f64)> {
    match schedule {
        Schedule::Constant(constant) => Some((constant.c, 0.0)),
        Schedule::Power(power) => Some((power.c, power.e)),
        Schedule::Table(table) if table.values.windows(2).all(|w| w[0] == w[1]) => Some((*table.values.first()?, 0.0)),
        Schedule::Geometric(_) | Schedule::Table(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{load, plan};

    #[test]
    fn the_published_constant_is_given_only_where_it_bounds_every_round() {
        let step = |d: f64, e: f64| format!("algorithm.step={{ kind = 'power', c = 0.1, d = {d}, e = {e} }}");
        let constant = "{ kind = 'constant', c = 100 }";
        let power = "{ kind = 'power', c = 100, d = 1, e = 1 }";
        for (step, scale, applies) in [
            // The first step is 100, a thousand times what c_a stands for.
            (step(0.001, 1.0), constant, false),
            (step(1.0, 1.0), constant, true),
            // Equal in every round: step number t meets scale number t + 1.
            (step(2.0, 1.0), power, true),
            (step(1.999, 1.0), power, false),
            (step(2.0, 0.5), power, false),
        ] {
            let noise = format!("privacy.noise={{ kind = 'laplace', scale = {scale} }}");
            let fixed = ["rounds=3".to_owned(), "privacy.budget.epsilon=1000".to_owned()];
            let overrides = [&fixed[..], &[step.clone(), noise]].concat();
            let spec = Spec::new(load("quickstart", &overrides).unwrap()).unwrap();
            let epsilon = plan(&spec).unwrap().plan.epsilon;
            assert_eq!(epsilon.published.is_some(), applies, "{step}, {scale}");
            assert!(epsilon.published.is_none_or(|published| published >= epsilon.pure.unwrap()));
        }
    }
}
