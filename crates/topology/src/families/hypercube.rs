//! The hypercube.

use super::sampling::check_nodes;
use crate::{Graph, TopologyError};

/// The hypercube: `2^dimension` nodes, joined when their numbers differ in one binary digit.
///
/// All degrees and the diameter are `dimension`. Its uniform weights `1 / (dimension + 1)` have
/// `lambda = (dimension - 1) / (dimension + 1)`.
///
/// # Errors
/// If there are more nodes than are supported, from dimension 32.
///
/// # Complexity
/// `O(edges log edges)` with `dimension * 2^(dimension - 1)` edges.
pub fn hypercube(dimension: u32) -> Result<Graph, TopologyError> {
    let nodes = 1_usize.checked_shl(dimension).unwrap_or(usize::MAX);
    check_nodes(nodes)?;
    let flips = move |i: usize| (0..dimension).map(move |k| i ^ (1 << k)).filter(move |&j| i < j).map(move |j| (i, j));
    Graph::from_edges(nodes, (0..nodes).flat_map(flips))
}

/// The [`hypercube`] of `n` nodes.
///
/// # Errors
/// If `n` is not a power of two, or more than are supported.
pub fn hypercube_of(n: usize) -> Result<Graph, TopologyError> {
    if !n.is_power_of_two() {
        return Err(TopologyError::parameter("hypercube", "nodes", "a power of two", n));
    }
    hypercube(n.ilog2())
}
