//! Parties of a made-up problem: data that follow from a seed, and how far models are from the optimum.

use dido_geometry::Rows;
use dido_linalg::solve_positive_definite;
use dido_mechanisms::{Adjacency, Adversary, Gate, Key};
use dido_optimizers::{Declaration, InProcess, Parties};
use dido_problems::Shard;
use dido_topology::MixingMatrix;
use ndarray::{Array1, Array2};

use crate::error::ExperimentError;

/// Parties with squared loss, who they talk to, and what they hold.
pub struct Network {
    /// The mixing weights.
    pub weights: MixingMatrix,
    /// What the parties declare.
    pub declaration: Declaration,
    /// What they hold.
    pub shards: Vec<Shard>,
}

impl Network {
    /// The parties behind a gate with noise from `seed`, against somebody who sees all messages.
    ///
    /// # Errors
    /// If there is no lane, or the shards are not as declared.
    pub fn parties(&self, adjacency: Adjacency, lanes: u32, seed: u64) -> Result<Parties, ExperimentError> {
        let nodes = (0..).take(self.declaration.nodes());
        let keys = nodes.flat_map(|node| (0..lanes).map(move |lane| Key::derive(seed, node, lane))).collect();
        let gate = Gate::simulated(adjacency, Adversary::AllMessages, self.declaration.class_of(), None, keys);
        Ok(Parties::new(self.declaration.clone(), &self.shards, lanes as usize, gate)?)
    }

    /// All nodes in this process.
    pub fn in_process(&self) -> InProcess {
        InProcess::new(self.weights.clone())
    }

    /// The minimiser of the sum of squares over all records.
    ///
    /// # Errors
    /// If there is not only one.
    pub fn optimum(&self) -> Result<Vec<f64>, ExperimentError> {
        let dim = self.declaration.dim();
        let (mut gram, mut moment) = (Array2::zeros((dim, dim)), Array1::zeros(dim));
        for shard in &self.shards {
            gram += &shard.x().t().dot(&shard.x());
            moment += &shard.x().t().dot(&shard.y());
        }
        Ok(solve_positive_definite(gram.view(), moment.view())?.to_vec())
    }
}

/// The mean over nodes in each lane.
fn means(rows: &Rows) -> Vec<Vec<f64>> {
    let shape = rows.shape();
    let mean =
        |lane: usize, k: usize| (0..shape.nodes).map(|node| rows.row(node, lane)[k]).sum::<f64>() / shape.nodes as f64;
    (0..shape.lanes).map(|lane| (0..shape.dim).map(|k| mean(lane, k)).collect()).collect()
}

/// For each lane the squared distance of the mean over nodes from `point`.
pub fn of_the_mean(rows: &Rows, point: &[f64]) -> Vec<f64> {
    means(rows).iter().map(|mean| squared_distance(mean, point)).collect()
}

/// The squared distance of two points.
fn squared_distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum()
}
