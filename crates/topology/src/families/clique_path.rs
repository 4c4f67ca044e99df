//! Cliques with a path: the graphs on which random walks and averages are slowest.

use crate::{Graph, TopologyError};

/// The barbell: two complete graphs of `clique` nodes, joined by a path of `path` further nodes.
///
/// The definition and the node numbers of networkx's `barbell_graph(m1, m2)`: the left clique is `0..clique`, then come
/// the nodes of the path, then the right clique; each end of the path is joined to the nearest node of a clique by
/// number. With `path = 0` one edge joins the cliques. `clique (clique - 1) + path + 1` edges; the diameter is
/// `path + 3`, unless the cliques are of two nodes, when the whole is a path itself.
///
/// # Errors
/// If a clique has fewer than two nodes, or there are more nodes than are supported.
///
/// # Complexity
/// `O(edges log edges)`, quadratic in `clique`.
pub fn barbell(clique: usize, path: usize) -> Result<Graph, TopologyError> {
    at_least_two("barbell", clique)?;
    let right = clique.saturating_add(path);
    let bridge = (clique..=right).map(|i| (i - 1, i));
    Graph::from_edges(right.saturating_add(clique), pairs(0, clique).chain(bridge).chain(pairs(right, clique)))
}

/// The lollipop: a complete graph of `clique` nodes with a path of `path` further nodes on it.
///
/// The definition and the node numbers of networkx's `lollipop_graph(m, n)`: the clique is `0..clique`, and its last
/// node is joined to the first of the path. With `path = 0` it is the complete graph. `clique (clique - 1) / 2 + path`
/// edges; the diameter is `path + 1` (`path` nodes on a clique of at least two).
///
/// # Errors
/// If the clique has fewer than two nodes, or there are more nodes than are supported.
///
/// # Complexity
/// `O(edges log edges)`, quadratic in `clique`.
pub fn lollipop(clique: usize, path: usize) -> Result<Graph, TopologyError> {
    at_least_two("lollipop", clique)?;
    let nodes = clique.saturating_add(path);
    Graph::from_edges(nodes, pairs(0, clique).chain((clique..nodes).map(|i| (i - 1, i))))
}

fn at_least_two(family: &'static str, clique: usize) -> Result<(), TopologyError> {
    if clique < 2 {
        return Err(TopologyError::parameter(family, "clique", "at least 2", clique));
    }
    Ok(())
}

/// All pairs of the `size` nodes from `first`.
fn pairs(first: usize, size: usize) -> impl Iterator<Item = (usize, usize)> {
    (first..first.saturating_add(size)).flat_map(move |i| (i + 1..first + size).map(move |j| (i, j)))
}
