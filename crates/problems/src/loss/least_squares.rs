//! Least squares.

use std::fmt;
use std::ops::Range;

use ndarray::{Array1, Array2};

use super::linear_model::record_gradient;
use super::records::add_records;
use super::{Loss, Weighting, nodes_of_one_dimension};
use crate::gram::Grams;
use crate::{Objective, ProblemError, RecordBounds, Shard};

/// `f_i(b) = (s_i / 2) ||X_i b - y_i||^2`, with gradient `G_i b - c_i`, `G_i = s_i X_i'X_i`, `c_i = s_i X_i'y_i`.
///
/// The Gram matrices are computed once, so a gradient costs `O(dim^2)` per node and lane whatever the number of
/// records. With one lane they are stored as packed symmetric tiles, with more as panels of columns; the two add in
/// different orders, so one lane agrees with a lane of a bundle to rounding, not bit for bit. Lanes of bundles agree
/// bit for bit, and so do all instruction sets and any split of the nodes into ranges.
///
/// ```
/// use dido_problems::{LeastSquares, Objective, RecordBounds, Shard, Weighting};
/// use ndarray::array;
///
/// let bounds = RecordBounds::new(2.0, 3.0)?;
/// let shard = Shard::checked(array![[1.0, 0.0], [0.0, 2.0]], array![3.0, 2.0], bounds)?;
/// let loss = LeastSquares::new(&[shard], Weighting::Sum, 1)?;
/// let mut gradient = [f64::NAN; 2];
/// loss.gradient(0..1, &[1.0, 2.0], &mut gradient);
/// assert_eq!(gradient, [1.0 - 3.0, 4.0 * 2.0 - 4.0]);
/// assert_eq!(loss.value(0, &[1.0, 2.0]), ((1.0_f64 - 3.0).powi(2) + (4.0_f64 - 2.0).powi(2)) / 2.0);
/// # Ok::<(), dido_problems::ProblemError>(())
/// ```
pub struct LeastSquares {
    shards: Vec<Shard>,
    scales: Vec<f64>,
    lanes: usize,
    grams: Grams,
}

impl LeastSquares {
    /// The loss of the nodes that hold these shards, in the order given, evaluated in `lanes` lanes.
    ///
    /// # Errors
    /// If there is no shard or no lane, or the shards differ in dimension.
    pub fn new(shards: &[Shard], weighting: Weighting, lanes: usize) -> Result<Self, ProblemError> {
        let total = shards.iter().map(Shard::records).sum();
        let scales = shards.iter().map(|shard| weighting.scale(shard.records(), shards.len(), total)).collect();
        Self::scaled(shards, scales, lanes)
    }

    /// The loss with given factors `s_i`, one per shard: for nodes that are part of a larger network, or whose factors
    /// are declared rather than counted.
    ///
    /// # Errors
    /// If there is no shard or no lane, the shards differ in dimension, or there are not as many factors as shards.
    pub fn scaled(shards: &[Shard], scales: Vec<f64>, lanes: usize) -> Result<Self, ProblemError> {
        nodes_of_one_dimension(shards, &scales, lanes)?;
        let mut grams = Grams::new(shards.len(), shards[0].dim(), lanes);
        for (shard, &scale) in shards.iter().zip(&scales) {
            grams.push(shard.x().view(), shard.y(), scale);
        }
        Ok(Self { shards: shards.to_vec(), scales, lanes, grams })
    }

    /// The bounds declared for the records of a node.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn bounds(&self, node: usize) -> RecordBounds {
        self.shards[node].bounds()
    }

    /// The scaled Gram matrix `s_i X_i'X_i` of a node, dim x dim: the Hessian of `f_i`, whose largest eigenvalue is
    /// the Lipschitz constant of the gradient. It is computed from the records: private.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn gram(&self, node: usize) -> Array2<f64> {
        self.grams.matrix(node)
    }
}

/// Sizes only: everything else is computed from records.
impl fmt::Debug for LeastSquares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeastSquares")
            .field("nodes", &self.nodes())
            .field("dim", &self.dim())
            .field("lanes", &self.lanes)
            .finish_non_exhaustive()
    }
}

impl Objective for LeastSquares {
    fn nodes(&self) -> usize {
        self.shards.len()
    }

    fn dim(&self) -> usize {
        self.shards[0].dim()
    }

    fn lanes(&self) -> usize {
        self.lanes
    }

    fn gradient(&self, nodes: Range<usize>, x: &[f64], out: &mut [f64]) {
        self.grams.gradient(nodes, x, out);
    }

    /// Summed over the records, not over the Gram matrix, whose large terms would cancel near a good fit.
    fn value(&self, node: usize, x: &[f64]) -> f64 {
        let shard = &self.shards[node];
        assert_eq!(x.len(), shard.dim(), "the point of node {node} has another dimension than its records");
        let rows = shard.x();
        let squares = rows.rows().into_iter().zip(shard.y()).map(|(row, y)| {
            let prediction: f64 = row.iter().zip(x).map(|(a, b)| a * b).sum();
            (prediction - y).powi(2)
        });
        self.scales[node] / 2.0 * squares.sum::<f64>()
    }

    fn scale(&self, node: usize) -> f64 {
        self.scales[node]
    }

    fn records(&self, node: usize) -> usize {
        self.shards[node].records()
    }

    fn record_gradient(&self, node: usize, record: usize, x: &[f64], out: &mut [f64]) {
        record_gradient(Loss::Squared, &self.shards[node], record, self.scales[node], x, out);
    }

    fn add_record_gradients(
        &self,
        node: usize,
        records: &mut dyn Iterator<Item = usize>,
        weight: f64,
        clip: f64,
        x: &[f64],
        out: &mut [f64],
    ) {
        add_records(Loss::Squared, &self.shards[node], records, self.scales[node] * weight, clip, x, out);
    }

    fn normal_equations(&self, node: usize) -> Option<(Array2<f64>, Array1<f64>)> {
        Some((self.grams.matrix(node), self.grams.vector(node)))
    }
}
