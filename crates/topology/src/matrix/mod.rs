//! Checked mixing matrices.

mod contraction;
mod mix;
mod panels;

use ndarray::{Array2, ArrayView2};

use crate::{Graph, TopologyError};

pub use mix::weighted_rows;

/// How far a row sum, a column sum or a mirrored weight of a mixing matrix may be off.
pub const TOLERANCE: f64 = 1e-12;

/// A symmetric doubly stochastic matrix on a graph, in compressed sparse rows.
///
/// Row `i` is what node `i` takes in: `x_i <- sum_j w_ij x_j`. A value of this type exists only if its weights are
/// finite and symmetric, its rows and columns sum to 1 (both within [`TOLERANCE`]), and `w_ij` is non-zero only for
/// neighbours and on the diagonal, and every averaging shrinks deviations from the mean: `||W - J||_2 < 1`, `J` being
/// the matrix of all `1 / n`. So the identity is no mixing matrix on two nodes or more, nor is a ring of even length
/// with weights 1/2 and nothing on the diagonal. Where no weight is negative this is decided exactly, by who reaches
/// whom; else the spectrum is computed.
///
/// Row `i` stores its own weight and one per neighbour, zeros included, columns ascending. Weights may be negative; see
/// [`is_nonnegative`](Self::is_nonnegative).
#[derive(Clone, Debug, PartialEq)]
pub struct MixingMatrix {
    /// Row `i` is `[offsets[i]..offsets[i + 1]]` of the two arrays below.
    offsets: Vec<usize>,
    columns: Vec<usize>,
    weights: Vec<f64>,
    /// How far in memory a row is from those it takes from; see [`panels::reach`].
    reach: usize,
}

impl MixingMatrix {
    /// Weights from a rule: `weight(i, j)` is asked once per edge, `i < j`; the diagonal is what a row leaves over.
    ///
    /// ```
    /// use dido_topology::{MixingMatrix, families};
    ///
    /// // Constant weights 1/4 on a ring: each node keeps half of its own value.
    /// let w = MixingMatrix::from_edge_weights(&families::ring(6)?, |_, _| 0.25)?;
    /// assert_eq!(w.row(0), (&[0, 1, 5][..], &[0.5, 0.25, 0.25][..]));
    /// # Ok::<(), dido_topology::TopologyError>(())
    /// ```
    ///
    /// # Errors
    /// If a weight is not finite, or so large that a row cannot sum to 1 within [`TOLERANCE`], or some deviation from
    /// the mean would never shrink (see the type); and, where a weight is negative, if the spectrum cannot be computed.
    ///
    /// # Complexity
    /// `O(n + edges)`; with negative weights that of
    /// [`second_largest_singular_value`](Self::second_largest_singular_value) besides.
    pub fn from_edge_weights(graph: &Graph, weight: impl FnMut(usize, usize) -> f64) -> Result<Self, TopologyError> {
        Self::from_weights(graph, |_, rest| rest, weight)
    }

    /// As above, the diagonal being `own(i, rest)`, where `rest` is what row `i` leaves over.
    pub(crate) fn from_weights(
        graph: &Graph,
        own: impl Fn(usize, f64) -> f64,
        mut weight: impl FnMut(usize, usize) -> f64,
    ) -> Result<Self, TopologyError> {
        let mut matrix = Self::support(graph);
        // A row meets its mirror images in ascending order, as the edges come.
        let mut next = matrix.offsets.clone();
        for i in 0..matrix.nodes() {
            let diagonal = next[i];
            for k in diagonal + 1..matrix.offsets[i + 1] {
                let j = matrix.columns[k];
                matrix.weights[k] = weight(i, j);
                matrix.weights[next[j]] = matrix.weights[k];
                next[j] += 1;
            }
            // Its own place still holds 0.
            matrix.weights[diagonal] = own(i, 1.0 - sum(matrix.row(i).1));
        }
        matrix.check()?;
        Ok(matrix)
    }

    /// The matrix with the given entries.
    ///
    /// # Errors
    /// If it is not `nodes x nodes`, not finite, not symmetric, not doubly stochastic, or has a weight between nodes
    /// that are not neighbours: the error names the row. If some deviation from the mean would never shrink (see the
    /// type), or weights are negative and the spectrum cannot be computed.
    #[allow(clippy::needless_pass_by_value, reason = "array views are passed by value, as slices are")]
    pub fn from_dense(graph: &Graph, entries: ArrayView2<'_, f64>) -> Result<Self, TopologyError> {
        let (nodes, (rows, columns)) = (graph.nodes(), entries.dim());
        if (rows, columns) != (nodes, nodes) {
            return Err(TopologyError::WeightShape { rows, columns, nodes });
        }
        for ((row, column), &value) in entries.indexed_iter() {
            if !value.is_finite() {
                return Err(TopologyError::NonFiniteWeight { row, column, value });
            }
            if value != 0.0 && row != column && graph.neighbours(row).binary_search(&column).is_err() {
                return Err(TopologyError::OutsideGraph { row, column, value });
            }
        }
        let mut matrix = Self::support(graph);
        for i in 0..nodes {
            for k in matrix.offsets[i]..matrix.offsets[i + 1] {
                matrix.weights[k] = entries[[i, matrix.columns[k]]];
            }
        }
        matrix.check()?;
        Ok(matrix)
    }

    /// All zeros on the diagonal and the edges.
    fn support(graph: &Graph) -> Self {
        let (mut offsets, mut columns) = (vec![0], Vec::new());
        for i in 0..graph.nodes() {
            let neighbours = graph.neighbours(i);
            let smaller = neighbours.partition_point(|&j| j < i);
            columns.extend_from_slice(&neighbours[..smaller]);
            columns.push(i);
            columns.extend_from_slice(&neighbours[smaller..]);
            offsets.push(columns.len());
        }
        Self { reach: panels::reach(&offsets, &columns), offsets, weights: vec![0.0; columns.len()], columns }
    }

    fn check(&self) -> Result<(), TopologyError> {
        // Walking the rows upwards meets the mirror image of each row's entries in ascending order too.
        let mut mirror = self.offsets.clone();
        for row in 0..self.nodes() {
            let (columns, weights) = self.row(row);
            for (&column, &value) in columns.iter().zip(weights) {
                if !value.is_finite() {
                    return Err(TopologyError::NonFiniteWeight { row, column, value });
                }
                let mirrored = self.weights[mirror[column]];
                mirror[column] += 1;
                if (value - mirrored).abs() > TOLERANCE {
                    return Err(TopologyError::AsymmetricWeights { row, column, value, mirrored });
                }
            }
            let sum = sum(weights);
            if !is_one(sum) {
                return Err(TopologyError::RowSum { row, sum });
            }
        }
        let mut sums = vec![(0.0, 0.0); self.nodes()];
        for (&column, &value) in self.columns.iter().zip(&self.weights) {
            sums[column] = add(sums[column], value);
        }
        for (column, (sum, lost)) in sums.into_iter().enumerate() {
            let sum = sum + lost;
            if !is_one(sum) {
                return Err(TopologyError::ColumnSum { column, sum });
            }
        }
        self.check_contraction()
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Row `i`: the nodes it takes from, itself included, ascending, and their weights.
    ///
    /// # Panics
    /// If there is no node `i`.
    pub fn row(&self, i: usize) -> (&[usize], &[f64]) {
        let range = self.offsets[i]..self.offsets[i + 1];
        (&self.columns[range.clone()], &self.weights[range])
    }

    /// All entries, `nodes x nodes`.
    pub fn to_dense(&self) -> Array2<f64> {
        let mut dense = Array2::zeros((self.nodes(), self.nodes()));
        for i in 0..self.nodes() {
            let (columns, weights) = self.row(i);
            for (&j, &w) in columns.iter().zip(weights) {
                dense[[i, j]] = w;
            }
        }
        dense
    }

    /// Whether no weight is negative, so that averages stay inside the convex hull of the values.
    pub fn is_nonnegative(&self) -> bool {
        self.weights.iter().all(|&w| w >= 0.0)
    }
}

/// False also for a sum that overflowed to NaN.
pub(crate) fn is_one(sum: f64) -> bool {
    (sum - 1.0).abs() <= TOLERANCE
}

/// A compensated sum (Neumaier): the naive sum of a star's hundred thousand equal weights is off by more than
/// [`TOLERANCE`].
pub(crate) fn sum(values: &[f64]) -> f64 {
    let (sum, lost) = values.iter().fold((0.0, 0.0), |sum, &v| add(sum, v));
    sum + lost
}

/// One step of the compensated sum: the running sum and what its additions lost.
fn add((sum, lost): (f64, f64), value: f64) -> (f64, f64) {
    let total = sum + value;
    let rounding = if sum.abs() >= value.abs() { (sum - total) + value } else { (value - total) + sum };
    (total, lost + rounding)
}
