//! Lazy Metropolis weights.

use crate::{Graph, MixingMatrix};

/// `(I + W) / 2` with the Metropolis matrix `W`: half its edge weights, `w_ij = 1 / (2 + 2 max(d_i, d_j))`.
///
/// Every node keeps at least half of its own value, so no eigenvalue is negative: the step bound `(1 + lambda_min) / L`
/// of decentralised gradient descent is at least `1 / L`. The gap is half that of the largest eigenvalue of `W`. For the
/// weights `1 / (2 max(d_i, d_j))` that also go by this name see [`olshevsky`](super::olshevsky).
///
/// # Panics
/// Never: the weights are doubly stochastic by construction.
///
/// # Complexity
/// `O(n + edges)`.
pub fn lazy_metropolis(graph: &Graph) -> MixingMatrix {
    MixingMatrix::from_edge_weights(graph, |i, j| 0.5 / (1 + graph.degree(i).max(graph.degree(j))) as f64)
        .expect("lazy Metropolis weights are doubly stochastic and positive")
}
