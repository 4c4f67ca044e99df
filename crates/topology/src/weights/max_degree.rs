//! Maximum-degree weights.

use crate::{Graph, MixingMatrix};

/// `w_ij = 1 / (1 + d_max)` on every edge: `I - L / (1 + d_max)`. Nodes need to know the largest degree of the graph.
///
/// # Panics
/// Never: the weights are doubly stochastic by construction.
///
/// # Complexity
/// `O(n + edges)`.
pub fn max_degree(graph: &Graph) -> MixingMatrix {
    let largest = (0..graph.nodes()).map(|i| graph.degree(i)).max().unwrap_or(0);
    let weight = 1.0 / (1 + largest) as f64;
    MixingMatrix::from_edge_weights(graph, |_, _| weight).expect("the weights are doubly stochastic and positive")
}
