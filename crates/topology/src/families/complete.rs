//! The complete graph.

use crate::{Graph, TopologyError};

/// The complete graph: all `n (n - 1) / 2` pairs are joined.
///
/// # Errors
/// If `n` is 0.
pub fn complete(n: usize) -> Result<Graph, TopologyError> {
    Graph::from_edges(n, (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))))
}
