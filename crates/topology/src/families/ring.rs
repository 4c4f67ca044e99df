//! The ring.

use crate::{Graph, TopologyError};

/// The ring `0 - 1 - ... - (n - 1) - 0`. Two nodes are joined by one edge, a single node by none.
///
/// # Errors
/// If `n` is 0.
pub fn ring(n: usize) -> Result<Graph, TopologyError> {
    // Below three nodes the closing edge would repeat the first one or be a self-loop.
    let closing = (n > 2).then(|| (n - 1, 0));
    Graph::from_edges(n, (1..n).map(|i| (i - 1, i)).chain(closing))
}
