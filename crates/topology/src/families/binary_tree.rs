//! The binary tree.

use crate::{Graph, TopologyError};

/// The complete binary tree, filled level by level: node 0 is the root and node `i` has the parent `(i - 1) / 2`, that
/// is the children `2 i + 1` and `2 i + 2` where these exist.
///
/// `n - 1` edges; degrees 1, 2 and 3. Information passes between the halves through the root alone, so the spectral
/// gap is `Theta(1/n)` although the diameter is logarithmic.
///
/// # Errors
/// If `n` is 0.
///
/// # Complexity
/// `O(n log n)`.
pub fn binary_tree(n: usize) -> Result<Graph, TopologyError> {
    Graph::from_edges(n, (1..n).map(|i| ((i - 1) / 2, i)))
}
