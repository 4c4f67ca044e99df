//! Quadratic costs `f_i(x) = (h_i / 2) ||x - v_i||^2` as least squares, and what is sampled of them.

use dido_linalg::spectral_norm;
use dido_mechanisms::Adjacency;
use dido_optimizers::strategies::Instance;
use dido_optimizers::{Declaration, Parties};
use dido_problems::{RecordBounds, Shard, Weighting};
use dido_topology::{Graph, MixingMatrix};
use ndarray::{Array1, Array2};

use crate::TheoremError;

/// Agents with quadratic costs.
pub struct Quadratics {
    pub instance: Instance,
    /// `x*` without a set: the mean of the centres, weighted by the curvatures.
    pub optimum: Vec<f64>,
    /// The curvatures `h_i`.
    pub curvatures: Vec<f64>,
    /// The centres `v_i`.
    pub centres: Vec<Vec<f64>>,
}

impl Quadratics {
    /// Agents of a graph with the curvatures `h_i` and the centres `v_i`: one record for each coordinate.
    pub fn new(
        (graph, weights): (Graph, MixingMatrix),
        curvatures: Vec<f64>,
        centres: Vec<Vec<f64>>,
    ) -> Result<Self, TheoremError> {
        let dim = centres[0].len();
        let root = |h: f64| h.sqrt();
        let row_norm = curvatures.iter().fold(0.0, |most: f64, h| most.max(root(*h)));
        let longest = centres.iter().flatten().fold(0.1, |most: f64, v| most.max(v.abs()));
        let bounds = RecordBounds::new(row_norm, row_norm * longest)?;
        let shard = |(h, v): (&f64, &Vec<f64>)| {
            let y: Array1<f64> = v.iter().map(|v| root(*h) * v).collect();
            Shard::clipped(Array2::eye(dim) * root(*h), y, bounds)
        };
        let shards = curvatures.iter().zip(&centres).map(shard).collect::<Result<Vec<_>, _>>()?;
        let declaration = Declaration::least_squares(dim, bounds, Weighting::Sum, vec![dim; shards.len()])?;
        let total: f64 = curvatures.iter().sum();
        let mean = |k: usize| curvatures.iter().zip(&centres).map(|(h, v)| h * v[k]).sum::<f64>() / total;
        let optimum = (0..dim).map(mean).collect();
        Ok(Self { instance: Instance { graph, weights, declaration, shards }, optimum, curvatures, centres })
    }

    /// The agents, behind a gate with noise from `seed`.
    pub fn parties(&self, lanes: u32, seed: u64) -> Result<Parties, TheoremError> {
        Ok(self.instance.parties(Adjacency::ReplaceNode, lanes, seed)?)
    }
}

/// A bound on the gradient of a shard's sum of squares over the ball, the paper's `C_2`.
pub fn longest_gradient(shard: &Shard, radius: f64) -> Result<f64, TheoremError> {
    let norm = spectral_norm(shard.x().view())?;
    Ok(norm * (norm * radius + shard.y().dot(&shard.y()).sqrt()))
}
