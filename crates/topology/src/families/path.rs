//! The path.

use crate::{Graph, TopologyError};

/// The path `0 - 1 - ... - (n - 1)`.
///
/// # Errors
/// If `n` is 0.
pub fn path(n: usize) -> Result<Graph, TopologyError> {
    Graph::from_edges(n, (1..n).map(|i| (i - 1, i)))
}
