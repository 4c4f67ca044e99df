//! Uniform weights.

use crate::{Graph, MixingMatrix, TopologyError};

/// `1 / (1 + d)` on every edge and for every node itself, on a graph where all degrees are `d`: each node takes the plain
/// mean of its neighbourhood. On other graphs such means are not doubly stochastic, their averages drift.
///
/// # Errors
/// If two degrees differ; the error names two nodes.
///
/// # Complexity
/// `O(n + edges)`.
pub fn uniform(graph: &Graph) -> Result<MixingMatrix, TopologyError> {
    let degree = graph.degree(0);
    if let Some(j) = (1..graph.nodes()).find(|&j| graph.degree(j) != degree) {
        return Err(TopologyError::NotRegular { i: 0, degree_i: degree, j, degree_j: graph.degree(j) });
    }
    let weight = 1.0 / (degree + 1) as f64;
    MixingMatrix::from_weights(graph, |_, _| weight, |_, _| weight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families;

    #[test]
    fn regular_graphs_get_means_and_others_are_refused() {
        let ring = uniform(&families::ring(7).unwrap()).unwrap();
        assert!((0..7).all(|i| ring.row(i).1.iter().all(|w| w.to_bits() == (1.0_f64 / 3.0).to_bits())));
        let refused = uniform(&families::path(4).unwrap()).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "uniform weights need a regular graph, but node 0 has degree 1 and node 1 has 2"
        );
    }
}
