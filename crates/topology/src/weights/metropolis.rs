//! Metropolis weights.

use crate::{Graph, MixingMatrix};

/// `w_ij = 1 / (1 + max(d_i, d_j))` for neighbours, the rest on the diagonal (Metropolis-Hastings with self weight at
/// least `1 / (1 + d_i)`; Xiao, Boyd and Kim, *Distributed average consensus with least-mean-square deviation*, 2007).
///
/// Nodes need their neighbours' degrees only. All weights are positive, so the second largest singular value is below
/// 1 on every connected graph.
///
/// # Panics
/// Never: the weights are doubly stochastic by construction.
///
/// # Complexity
/// `O(n + edges)`.
pub fn metropolis(graph: &Graph) -> MixingMatrix {
    MixingMatrix::from_edge_weights(graph, |i, j| 1.0 / (1 + graph.degree(i).max(graph.degree(j))) as f64)
        .expect("Metropolis weights are doubly stochastic")
}
