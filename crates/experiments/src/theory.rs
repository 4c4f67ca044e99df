//! What a theorem allows, beside what is measured. It takes numbers that are read off the data, so it is for simulations:
//! nothing here is covered by the guarantee.

use dido_geometry::Set;
use dido_linalg::symmetric_eigenvalues;
use dido_optimizers::{Noise, Schedule};
use dido_problems::{Loss, Shard};
use ndarray::Array2;

use crate::config::WeightingConfig;
use crate::data::Prepared;
use crate::metrics::References;
use crate::records::{ErrorBound, TracePoint};
use crate::spec::Spec;

/// Problems of more coordinates have no bound drawn: it takes eigenvalues.
const DENSE: usize = 512;

/// What a theorem may ask of an experiment whose premises hold: every record counts the same, the optimum is that of the very
/// records of the run, and the weights are the same in every round.
pub struct Facts<'a> {
    /// The experiment.
    pub spec: &'a Spec,
    /// Its noise.
    pub noise: &'a Noise,
    /// The second largest singular value of the weights.
    pub lambda: f64,
    /// The numbers of completed rounds for which bounds are asked, ascending from 1.
    pub observed: Vec<u32>,
    optimum: &'a [f64],
    shards: &'a [Shard],
}

/// The constants of least squares.
pub struct Quadratic {
    /// The largest curvature of a party's objective.
    pub smoothness: f64,
    /// The least curvature of the sum of all.
    pub strong_convexity: f64,
    /// For each party a bound on its gradient over the set.
    pub gradients: Vec<f64>,
}

/// The bound on the distance from the optimum, relative to its norm, in each observed round; nothing where no theorem applies.
pub fn bound(
    spec: &Spec,
    noise: &Noise,
    data: &Prepared,
    references: &References,
    trace: &[TracePoint],
) -> Option<ErrorBound> {
    let theorem = spec.method.theorem()?;
    let optimum = references.optimum.to_vec();
    let observed = trace.iter().map(|point| point.round).collect();
    let facts = Facts::new(spec, noise, data, &optimum, observed)?;
    let values = spec.method.error_bound(&facts)?;
    let norm = facts.distance();
    let points: Vec<(u32, f64)> = facts.observed.iter().zip(values).map(|(&t, value)| (t, value / norm)).collect();
    let usable = norm > 0.0 && points.iter().all(|point| point.1.is_finite());
    let measured = trace.last()?.distance;
    usable.then(|| ErrorBound { theorem: theorem.to_owned(), measured, points })
}

impl<'a> Facts<'a> {
    fn new(
        spec: &'a Spec,
        noise: &'a Noise,
        data: &'a Prepared,
        optimum: &'a [f64],
        observed: Vec<u32>,
    ) -> Option<Self> {
        let records = spec.declaration.records();
        let equal = records.iter().all(|n| *n == records[0]);
        let together = equal || spec.config.objective.weighting == WeightingConfig::Pooled;
        let as_they_are = data.shards.iter().all(|shard| shard.clipped_records() == 0);
        let fixed = spec.sequence.is_none() && spec.config.baseline.is_none();
        let lambda = spec.graph.lambda.filter(|_| together && as_they_are && fixed)?;
        let shards = &data.shards;
        (spec.declaration.dim() <= DENSE).then(|| Self { spec, noise, lambda, observed, optimum, shards })
    }

    /// The distance of the starting point, the origin, from the optimum.
    pub fn distance(&self) -> f64 {
        self.optimum.iter().map(|b| b * b).sum::<f64>().sqrt()
    }

    /// Those of values after 1, 2, ... rounds that are asked for.
    pub fn picked(&self, values: &[f64]) -> Vec<f64> {
        self.observed.iter().map(|&t| values[t as usize - 1]).collect()
    }

    /// Whether the optimum without a set is that on the set as well.
    pub fn is_inside(&self, set: &Set) -> bool {
        let mut projected = self.optimum.to_vec();
        set.project_row(&mut projected);
        let moved = projected.iter().zip(self.optimum).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        moved <= 1e-9 * self.distance()
    }

    /// The variance of the noise in a coordinate of what leaves in round `t`; nothing for noise on a grid.
    pub fn variance(&self, t: u32) -> Option<f64> {
        let at = |schedule: &Schedule| schedule.at(t + 1).powi(2);
        match self.noise {
            Noise::None => Some(0.0),
            Noise::Laplace(scale) => Some(2.0 * at(scale)),
            Noise::Gaussian(sigma) => Some(at(sigma)),
            Noise::DiscreteLaplace { .. } | Noise::DiscreteGaussian { .. } => None,
        }
    }

    /// A bound on the norm of a party's subgradient, at any point, if the loss has one.
    pub fn slope(&self) -> Option<f64> {
        let declaration = &self.spec.declaration;
        let bounds = declaration.bounds();
        let record = bounds.row_norm() * declaration.loss().largest_slope(f64::INFINITY, bounds.target());
        let largest =
            declaration.records().iter().map(|&n| declaration.scale(n) * n as f64 * record).fold(0.0, f64::max);
        largest.is_finite().then_some(largest)
    }

    /// The constants of least squares on a set of this radius.
    pub fn quadratic(&self, radius: f64) -> Option<Quadratic> {
        let declaration = &self.spec.declaration;
        if declaration.loss() != Loss::Squared || !radius.is_finite() {
            return None;
        }
        let dim = declaration.dim();
        let (mut sum, mut smoothness, mut gradients) = (Array2::zeros((dim, dim)), 0.0_f64, vec![]);
        for (shard, &records) in self.shards.iter().zip(declaration.records()) {
            let (x, scale) = (shard.x(), declaration.scale(records));
            let gram = x.t().dot(&x) * scale;
            let largest = symmetric_eigenvalues(gram.view()).ok()?.iter().copied().fold(0.0, f64::max);
            let at_origin = x.t().dot(&shard.y()) * scale;
            gradients.push(largest * radius + at_origin.dot(&at_origin).sqrt());
            smoothness = smoothness.max(largest);
            sum += &gram;
        }
        let least = symmetric_eigenvalues(sum.view()).ok()?.iter().copied().fold(f64::INFINITY, f64::min);
        (least > 0.0).then_some(Quadratic { smoothness, strong_convexity: least, gradients })
    }
}
