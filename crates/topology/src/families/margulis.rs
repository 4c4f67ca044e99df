//! The expander of Margulis, Gabber and Galil.

use super::sampling::check_nodes;
use crate::{Graph, TopologyError};

/// The simple graph of the Margulis-Gabber-Galil expander on the torus `Z_side x Z_side`.
///
/// Node `(x, y)`, numbered `x * side + y`, is joined with `(x + 2y, y)`, `(x + 2y + 1, y)`, `(x, y + 2x)` and
/// `(x, y + 2x + 1)`, modulo `side`. As a multigraph with loops it is 8-regular and `A / 8` has
/// `lambda <= 5 sqrt(2) / 8 = 0.884` for every size (Gabber and Galil, *Explicit constructions of linear-sized
/// superconcentrators*, 1981; the bound as in Hoory, Linial and Wigderson, *Expander graphs and their applications*,
/// 2006, section 8). Here loops are dropped and parallel edges are one edge, so degrees vary up to 8 and mixing weights
/// have another `lambda`, bounded away from 1 as well.
///
/// # Errors
/// If `side` is 0 or `side^2` nodes are more than are supported.
///
/// # Complexity
/// `O(n log n)` with `n = side^2` nodes.
pub fn margulis(side: usize) -> Result<Graph, TopologyError> {
    let nodes = side.saturating_mul(side);
    check_nodes(nodes)?;
    let mut edges = Vec::with_capacity(4 * nodes);
    for x in 0..side {
        for y in 0..side {
            let maps = [(x + 2 * y, y), (x + 2 * y + 1, y), (x, y + 2 * x), (x, y + 2 * x + 1)];
            let i = x * side + y;
            let ends = maps.map(|(x, y)| (x % side) * side + y % side);
            edges.extend(ends.into_iter().filter(|&j| j != i).map(|j| (i.min(j), i.max(j))));
        }
    }
    edges.sort_unstable();
    edges.dedup();
    Graph::from_edges(nodes, edges)
}

/// The graph of [`margulis`] with `n` nodes.
///
/// # Errors
/// If `n` is 0, not a square, or more than are supported.
pub fn margulis_of(n: usize) -> Result<Graph, TopologyError> {
    let side = n.isqrt();
    if side * side != n {
        return Err(TopologyError::parameter("margulis", "nodes", "a square number", n));
    }
    margulis(side)
}
