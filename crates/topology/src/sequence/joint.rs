//! What several rounds do together.

use std::collections::BTreeSet;
use std::ops::Range;

use ndarray::Array2;

use super::{RoundMatrix, Sequence, SequenceError};
use crate::{Graph, TopologyError};

/// What needs a dense matrix of all nodes is offered up to so many.
pub const DENSE_NODES: usize = 2048;

/// The graph of all edges that have a weight other than 0 in one of the rounds.
///
/// # Errors
/// If it is not connected (the error lists the components), or a round cannot be had.
///
/// # Complexity
/// `O(edges log edges)` and `O(nodes)` per round, the edges of all rounds together.
pub fn union(sequence: &dyn Sequence, rounds: Range<u32>) -> Result<Graph, TopologyError> {
    let mut round = RoundMatrix::identity(sequence.nodes());
    let mut edges = BTreeSet::new();
    for t in rounds {
        sequence.fill(t, &mut round)?;
        edges.extend(round.edges().filter(|edge| edge.2 != 0.0).map(|(i, j, _)| (i, j)));
    }
    Graph::from_edges(sequence.nodes(), edges)
}

/// The product of the rounds, the last one leftmost: `W(end - 1) ... W(start)`, `nodes x nodes`. Column `j` is what
/// becomes of a unit held by node `j`.
///
/// # Errors
/// If there are more than [`DENSE_NODES`] nodes, or a round cannot be had.
///
/// # Complexity
/// `O((nodes + edges) nodes)` per round.
pub fn product(sequence: &dyn Sequence, rounds: Range<u32>) -> Result<Array2<f64>, TopologyError> {
    let nodes = sequence.nodes();
    check_dense(nodes)?;
    let mut round = RoundMatrix::identity(nodes);
    let (mut product, mut next) = (identity(nodes), vec![0.0; nodes * nodes]);
    for t in rounds {
        sequence.fill(t, &mut round)?;
        round.mix(nodes, &product, &mut next);
        std::mem::swap(&mut product, &mut next);
    }
    Ok(Array2::from_shape_fn((nodes, nodes), |(i, j)| product[i * nodes + j]))
}

/// `||W(end - 1) ... W(start) - J||_2`: by this factor, at least, the rounds together shrink the deviations from the
/// mean. It is at least 1 if their [`union`] is not connected; conversely, if it is connected by positive weights and all
/// own weights are positive, it is below 1.
///
/// # Errors
/// As for [`product`], or if the factorisation fails.
///
/// # Complexity
/// `O(nodes^3)` and that of [`product`].
pub fn product_norm(sequence: &dyn Sequence, rounds: Range<u32>) -> Result<f64, TopologyError> {
    let deviation = product(sequence, rounds)? - 1.0 / sequence.nodes() as f64;
    Ok(dido_linalg::spectral_norm(deviation.view())?)
}

/// Whether every `window` rounds in a row within `rounds` connect the nodes by weights of at least `eta`.
///
/// It is Assumption 2 of Huang, Mitra and Vaidya, *Differentially private distributed optimization* (ICDCN 2015): own
/// weights and non-zero weights are at least `eta`, and the union over each window is connected. Then over any
/// `window` rounds disagreement shrinks.
///
/// # Errors
/// Which window is not connected, with its components; or which weight is too small, in which round; or that `window`
/// is not within the rounds or `eta` not in `(0, 1)`.
///
/// # Complexity
/// That of [`union`] for every window.
pub fn check_jointly_connected(
    sequence: &dyn Sequence,
    rounds: Range<u32>,
    window: u32,
    eta: f64,
) -> Result<(), TopologyError> {
    if !(eta > 0.0 && eta < 1.0) {
        return Err(SequenceError::Parameter { name: "smallest weight eta", range: "(0, 1)", value: eta }.into());
    }
    if window == 0 || window as usize > rounds.len() {
        return Err(SequenceError::Window { window, rounds: rounds.len() }.into());
    }
    let mut matrix = RoundMatrix::identity(sequence.nodes());
    for round in rounds.clone() {
        sequence.fill(round, &mut matrix)?;
        check_weights(&matrix, round, eta)?;
    }
    for first in rounds.start..=rounds.end - window {
        let last = first + (window - 1);
        union(sequence, first..last + 1).map_err(|error| match error {
            TopologyError::Disconnected(components) => {
                SequenceError::NotJointlyConnected { first, last, components }.into()
            }
            other => other,
        })?;
    }
    Ok(())
}

fn check_weights(matrix: &RoundMatrix, round: u32, eta: f64) -> Result<(), TopologyError> {
    for row in 0..matrix.nodes() {
        let (columns, weights) = matrix.row(row);
        for (&column, &value) in columns.iter().zip(weights) {
            if value < eta && (value != 0.0 || row == column) {
                return Err(SequenceError::SmallWeight { round, row, column, value, eta }.into());
            }
        }
    }
    Ok(())
}

/// Refuses what would need too large a dense matrix.
pub(super) fn check_dense(nodes: usize) -> Result<(), TopologyError> {
    if nodes > DENSE_NODES { Err(TopologyError::TooManyForDense { nodes, limit: DENSE_NODES }) } else { Ok(()) }
}

/// `||M - J||_2` of a symmetric matrix.
pub(super) fn deviation_norm(matrix: &Array2<f64>) -> Result<f64, TopologyError> {
    let deviation = matrix - 1.0 / matrix.nrows() as f64;
    let eigenvalues = dido_linalg::symmetric_eigenvalues(deviation.view())?;
    Ok(eigenvalues.iter().fold(0.0, |largest, v| largest.max(v.abs())))
}

fn identity(nodes: usize) -> Vec<f64> {
    let mut identity = vec![0.0; nodes * nodes];
    (0..nodes).for_each(|i| identity[i * nodes + i] = 1.0);
    identity
}
