//! What several theorems draw.

use dido_geometry::{L2Ball, Rows, Set, norm};
use dido_linalg::{solve_positive_definite, spectral_norm, symmetric_eigenvalues};
use dido_mechanisms::Adjacency;
use dido_optimizers::bounds::liu2020::Problem;
use dido_optimizers::strategies::{Instance, instances};
use dido_optimizers::{Declaration, Parties};
use dido_problems::{Loss, Weighting};
use ndarray::{Array1, Array2};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy};

use crate::TheoremError;

/// Sizes between a tenth and ten.
pub fn sizes() -> impl Strategy<Value = f64> {
    (-1.0..=1.0).prop_map(|exponent| 10_f64.powf(exponent))
}

/// A vector in any direction, half of the time of the given length and shorter otherwise.
pub fn vectors(dim: usize, length: f64) -> impl Strategy<Value = Vec<f64>> {
    (vec(-1.0..1.0, dim), 0.0..2.0).prop_filter_map("a direction", move |(x, share): (Vec<f64>, f64)| {
        let scale = length * share.min(1.0) / norm(&x);
        scale.is_finite().then(|| x.into_iter().map(|x| x * scale).collect())
    })
}

/// The sum of the sizes.
pub fn norm1(x: &[f64]) -> f64 {
    x.iter().map(|x| x.abs()).sum()
}

/// `x - y`.
pub fn difference(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x - y).collect()
}

/// The squared distance of two points.
pub fn squared_distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum()
}

/// The mean over the nodes in one lane.
pub fn mean_of_nodes(rows: &Rows, lane: usize) -> Vec<f64> {
    let shape = rows.shape();
    let sum = |k: usize| (0..shape.nodes).map(|node| rows.row(node, lane)[k]).sum::<f64>();
    (0..shape.dim).map(|k| sum(k) / shape.nodes as f64).collect()
}

/// The problem of paper A: least squares whose solution is inside a ball.
#[derive(Clone, Debug)]
pub struct Regression {
    /// Graph, weights, declaration with the weighting `Sum`, data.
    pub instance: Instance,
    /// `b*`, the minimiser of the sum over all records.
    pub optimum: Vec<f64>,
    /// `B`, the radius of the ball.
    pub radius: f64,
    /// The constants of the bounds.
    pub constants: Problem,
}

impl Regression {
    /// The ball.
    pub fn ball(&self) -> Result<Set, TheoremError> {
        Ok(L2Ball::new(self.radius)?.into())
    }

    /// The parties, behind a gate with noise from `seed`.
    pub fn parties(&self, lanes: u32, seed: u64) -> Result<Parties, TheoremError> {
        Ok(self.instance.parties(Adjacency::ReplaceNode, lanes, seed)?)
    }

    /// Nothing if the sum is far from strongly convex or the solution at the origin.
    fn new(instance: Instance, room: f64) -> Option<Self> {
        let dim = instance.dim();
        let (mut gram, mut moment) = (Array2::zeros((dim, dim)), Array1::zeros(dim));
        for shard in &instance.shards {
            gram += &shard.x().t().dot(&shard.x());
            moment += &shard.x().t().dot(&shard.y());
        }
        let eigenvalues = symmetric_eigenvalues(gram.view()).ok()?;
        let (least, most) = (eigenvalues[0], eigenvalues[dim - 1]);
        let optimum =
            if least > 0.02 * most { solve_positive_definite(gram.view(), moment.view()).ok()? } else { return None };
        let radius = room * optimum.dot(&optimum).sqrt();
        let norms: Vec<f64> =
            instance.shards.iter().map(|s| spectral_norm(s.x().view())).collect::<Result<_, _>>().ok()?;
        let gradient = |(s, norm): (&dido_problems::Shard, &f64)| norm * (norm * radius + s.y().dot(&s.y()).sqrt());
        let constants = Problem {
            dim,
            diameter: 2.0 * radius,
            gradients: instance.shards.iter().zip(&norms).map(gradient).collect(),
            smoothness: norms.iter().fold(0.0, |l: f64, norm| l.max(norm * norm)),
            strong_convexity: least,
            lambda: instance.weights.second_largest_singular_value().ok()?,
        };
        (radius > 1e-3).then(|| Self { instance, optimum: optimum.to_vec(), radius, constants })
    }
}

/// Problems of paper A on up to eight nodes and in up to four dimensions; the radius is up to twice the length of the solution.
pub fn regressions() -> impl Strategy<Value = Regression> {
    let instances = instances(Just(Loss::Squared), 2..=8, 1..=4);
    (instances, 1.05..2.0).prop_filter_map("a regression", |(mut instance, room)| {
        let declared = &instance.declaration;
        instance.declaration =
            Declaration::least_squares(declared.dim(), declared.bounds(), Weighting::Sum, declared.records().to_vec())
                .ok()?;
        if instance.weights.is_nonnegative() { Regression::new(instance, room) } else { None }
    })
}
