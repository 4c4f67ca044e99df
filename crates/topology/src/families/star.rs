//! The star.

use crate::{Graph, TopologyError};

/// The star with centre 0 and the leaves `1..n`.
///
/// # Errors
/// If `n` is 0.
pub fn star(n: usize) -> Result<Graph, TopologyError> {
    Graph::from_edges(n, (1..n).map(|leaf| (0, leaf)))
}
