//! Grids and tori of any dimension.

use super::sampling::check_nodes;
use crate::{Graph, TopologyError};

/// The grid with the given sides: nodes are the points of the box, joined when they differ by 1 in one coordinate.
///
/// Node numbers are row-major, the last coordinate moving fastest: in `grid(&[rows, cols])`, row `r` and column `c` is
/// node `r * cols + c`. One side is a path; sides of 1 change nothing. The diameter is `sum_k (side_k - 1)`.
///
/// # Errors
/// If there is no side, a side is 0, or the sides multiply to more nodes than are supported.
///
/// # Complexity
/// `O(edges log edges)`, at most one edge per node and side.
pub fn grid(sides: &[usize]) -> Result<Graph, TopologyError> {
    lattice("grid", sides, false)
}

/// The torus with the given sides: the [`grid`] with each line of nodes closed to a ring.
///
/// A line of two nodes is closed by the edge it already has, a line of one node by none: `torus(&[2, 2])` is the ring
/// of four, and the torus of sides 2 is the hypercube. With sides of at least 3, all degrees are twice the dimension.
/// The diameter is `sum_k floor(side_k / 2)`.
///
/// # Errors
/// As for [`grid`].
///
/// # Complexity
/// As for [`grid`].
pub fn torus(sides: &[usize]) -> Result<Graph, TopologyError> {
    lattice("torus", sides, true)
}

fn lattice(family: &'static str, sides: &[usize], closed: bool) -> Result<Graph, TopologyError> {
    if sides.is_empty() || sides.contains(&0) {
        return Err(TopologyError::parameter(family, "dims", "one or more sides of at least 1", format!("{sides:?}")));
    }
    let nodes = sides.iter().fold(1, |product: usize, &side| product.saturating_mul(side));
    check_nodes(nodes)?;
    let mut edges = Vec::new();
    for node in 0..nodes {
        let mut stride = nodes;
        for &side in sides {
            stride /= side;
            let place = node / stride % side;
            if place + 1 < side {
                edges.push((node, node + stride));
            } else if closed && side > 2 {
                edges.push((node, node - place * stride));
            }
        }
    }
    Graph::from_edges(nodes, edges)
}
