//! What a theorem allows. Beside what is measured it takes numbers that are read off the data, so that is for simulations:
//! [`bound`] is not covered by the guarantee. Before a run it takes what is declared: [`Facts::declared`] is public.

use dido_geometry::Set;
use dido_linalg::symmetric_eigenvalues;
use dido_optimizers::{Declaration, Noise, Schedule};
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
    known: Known<'a>,
}

/// Where the constants of a problem come from.
#[derive(Clone, Copy)]
enum Known<'a> {
    /// From the data.
    Data { optimum: &'a [f64], shards: &'a [Shard] },
    /// From what is declared.
    Declared(Declared),
}

/// What is known of a problem in public.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// A bound on the distance of the origin from the optimum.
    pub distance: f64,
    /// A bound from below on the curvature of the mean of the parties' objectives, if there is one.
    pub strong_convexity: Option<f64>,
    /// With what the bounds on gradients are multiplied: 1, or 0 for what a bound would be if steps were of no length.
    pub gradients: f64,
}

/// The largest curvature `s_i n_i R_x^2 c` that the declared bounds allow a party's objective, `c` being that of the loss.
pub fn curvatures(declaration: &Declaration) -> impl Iterator<Item = f64> {
    let bounds = declaration.bounds();
    let record = bounds.row_norm() * bounds.row_norm() * declaration.loss().largest_curvature(bounds.target());
    declaration.records().iter().map(move |&n| declaration.scale(n) * n as f64 * record)
}

/// The same for the mean of the parties' objectives.
pub fn mean_curvature(declaration: &Declaration) -> f64 {
    curvatures(declaration).sum::<f64>() / declaration.nodes() as f64
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
        let known = Known::Data { optimum, shards: &data.shards };
        (spec.declaration.dim() <= DENSE).then_some(Self { spec, noise, lambda, observed, known })
    }

    /// What is declared, for the last round; `lambda` is that of a round.
    pub fn declared(spec: &'a Spec, noise: &'a Noise, lambda: f64, declared: Declared) -> Self {
        Self { spec, noise, lambda, observed: vec![spec.config.rounds], known: Known::Declared(declared) }
    }

    /// The distance of the starting point, the origin, from the optimum.
    pub fn distance(&self) -> f64 {
        match self.known {
            Known::Data { optimum, .. } => optimum.iter().map(|b| b * b).sum::<f64>().sqrt(),
            Known::Declared(declared) => declared.distance,
        }
    }

    /// Those of values after 1, 2, ... rounds that are asked for.
    pub fn picked(&self, values: &[f64]) -> Vec<f64> {
        self.observed.iter().map(|&t| values[t as usize - 1]).collect()
    }

    /// Whether the optimum that is meant is that on the set: before a run it is, and beside measurements, that without a set has to
    /// be inside.
    pub fn is_inside(&self, set: &Set) -> bool {
        let Known::Data { optimum, .. } = self.known else { return true };
        let mut projected = optimum.to_vec();
        set.project_row(&mut projected);
        let moved = projected.iter().zip(optimum).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
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
        largest.is_finite().then_some(largest * self.gradients())
    }

    /// The constants of least squares on a set of this radius.
    pub fn quadratic(&self, radius: f64) -> Option<Quadratic> {
        let declaration = &self.spec.declaration;
        if declaration.loss() != Loss::Squared || !radius.is_finite() {
            return None;
        }
        let dim = declaration.dim();
        let shards = match self.known {
            Known::Data { shards, .. } => shards,
            Known::Declared(declared) => return self.declared_quadratic(radius, declared),
        };
        let (mut sum, mut smoothness, mut gradients) = (Array2::zeros((dim, dim)), 0.0_f64, vec![]);
        for (shard, &records) in shards.iter().zip(declaration.records()) {
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

    /// The same from declared bounds: a row has the norm `R_x`, so `||X_i||_2^2 <= n_i R_x^2` and `||y_i|| <= sqrt(n_i) R_y`.
    fn declared_quadratic(&self, radius: f64, declared: Declared) -> Option<Quadratic> {
        let declaration = &self.spec.declaration;
        let (x, y) = (declaration.bounds().row_norm(), declaration.bounds().target());
        let largest = || curvatures(declaration);
        let gradients = largest().map(|l| declared.gradients * l * (radius + y / x)).collect();
        let strong_convexity = declared.strong_convexity? * declaration.nodes() as f64;
        Some(Quadratic { smoothness: largest().fold(0.0, f64::max), strong_convexity, gradients })
    }

    /// With what bounds on gradients are multiplied.
    fn gradients(&self) -> f64 {
        if let Known::Declared(declared) = self.known { declared.gradients } else { 1.0 }
    }
}

/// The strong convexity that the mean of the parties' objectives has on these data, for least squares: not private.
pub fn measured_strong_convexity(spec: &Spec, shards: &[Shard]) -> Option<f64> {
    let declaration = &spec.declaration;
    let dim = declaration.dim();
    if declaration.loss() != Loss::Squared || dim > DENSE {
        return None;
    }
    let mut sum = Array2::zeros((dim, dim));
    for (shard, &records) in shards.iter().zip(declaration.records()) {
        let x = shard.x();
        sum += &(x.t().dot(&x) * (declaration.scale(records) / declaration.nodes() as f64));
    }
    let least = symmetric_eigenvalues(sum.view()).ok()?.iter().copied().fold(f64::INFINITY, f64::min);
    Some(least.max(0.0))
}
