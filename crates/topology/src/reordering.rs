//! Numbering nodes so that neighbours are near each other in memory.

use crate::{Graph, TopologyError};

impl Graph {
    /// The reverse Cuthill–`McKee` order: `order[k]` is the node that becomes `k` (Cuthill and `McKee`, *Reducing the
    /// bandwidth of sparse symmetric matrices*, 1969; George, 1971). On graphs with a geometry (grids, random geometric)
    /// rows of neighbours then share the cache while [`MixingMatrix::mix`](crate::MixingMatrix::mix) runs; expanders, as
    /// random regular graphs are, have no good order.
    ///
    /// Sums then run over the neighbours in another order, so averages agree with those of the old numbers to rounding,
    /// not bit for bit.
    ///
    /// A breadth-first walk that starts at a far end of the graph (the last node of a first walk, repeated once) and
    /// takes neighbours by degree, then by number; then the reverse. It depends on the graph alone.
    ///
    /// # Complexity
    /// `O(n + edges log d_max)`.
    pub fn reverse_cuthill_mckee(&self) -> Vec<usize> {
        let lowest = (0..self.nodes()).min_by_key(|&i| self.degree(i)).unwrap_or(0);
        let mut order = self.walk(lowest);
        for _ in 0..2 {
            order = self.walk(order.last().copied().unwrap_or(0));
        }
        order.reverse();
        order
    }

    /// Breadth first, the neighbours of a node by degree.
    fn walk(&self, start: usize) -> Vec<usize> {
        let mut seen = vec![false; self.nodes()];
        let mut order = Vec::with_capacity(self.nodes());
        seen[start] = true;
        order.push(start);
        let mut head = 0;
        while let Some(&i) = order.get(head) {
            head += 1;
            let first = order.len();
            for &j in self.neighbours(i) {
                if !seen[j] {
                    seen[j] = true;
                    order.push(j);
                }
            }
            order[first..].sort_by_key(|&j| self.degree(j));
        }
        order
    }

    /// The same graph with other numbers: node `order[k]` becomes `k`.
    ///
    /// ```
    /// use dido_topology::Graph;
    ///
    /// // A path whose nodes were numbered at random: in order, neighbours are one apart.
    /// let path = Graph::from_edges(5, [(3, 0), (0, 4), (4, 1), (1, 2)])?;
    /// let ordered = path.reordered(&path.reverse_cuthill_mckee())?;
    /// assert!(ordered.edges().all(|(i, j)| j - i == 1));
    /// # Ok::<(), dido_topology::TopologyError>(())
    /// ```
    ///
    /// # Errors
    /// If `order` does not name every node once.
    ///
    /// # Complexity
    /// `O(n + edges log edges)`.
    pub fn reordered(&self, order: &[usize]) -> Result<Self, TopologyError> {
        let nodes = self.nodes();
        let mut number = vec![usize::MAX; nodes];
        for (k, &node) in order.iter().enumerate() {
            match number.get_mut(node) {
                Some(place) if *place == usize::MAX => *place = k,
                _ => return Err(TopologyError::NotAPermutation { given: order.len(), nodes }),
            }
        }
        if order.len() != nodes {
            return Err(TopologyError::NotAPermutation { given: order.len(), nodes });
        }
        Self::from_edges(nodes, self.edges().map(|(i, j)| (number[i], number[j])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::{erdos_renyi, ring, star};

    fn bandwidth(graph: &Graph) -> usize {
        graph.edges().map(|(i, j)| j - i).max().unwrap_or(0)
    }

    /// A 12 x 15 grid whose numbers were shuffled (multiplied by 77 modulo 180): the order finds bandwidth about its short side.
    #[test]
    fn a_shuffled_grid_becomes_a_band() {
        let number = |r: usize, c: usize| (r * 15 + c) * 77 % 180;
        let right = (0..12).flat_map(|r| (0..14).map(move |c| (number(r, c), number(r, c + 1))));
        let down = (0..11).flat_map(|r| (0..15).map(move |c| (number(r, c), number(r + 1, c))));
        let grid = Graph::from_edges(180, right.chain(down)).unwrap();
        let ordered = grid.reordered(&grid.reverse_cuthill_mckee()).unwrap();
        assert!(bandwidth(&grid) > 90 && bandwidth(&ordered) <= 13, "{} {}", bandwidth(&grid), bandwidth(&ordered));
    }

    #[test]
    fn an_order_is_a_permutation_and_its_inverse_leads_back() {
        for graph in [ring(9).unwrap(), star(6).unwrap(), star(1).unwrap(), erdos_renyi(30, 0.2, 1).unwrap().graph] {
            let order = graph.reverse_cuthill_mckee();
            let mut inverse = vec![0; order.len()];
            order.iter().enumerate().for_each(|(k, &node)| inverse[node] = k);
            assert_eq!(graph.reordered(&order).unwrap().reordered(&inverse).unwrap(), graph);
        }
    }

    #[test]
    fn orders_that_are_none_are_refused() {
        let graph = ring(3).unwrap();
        for wrong in [&[0, 1][..], &[0, 1, 1], &[0, 1, 3], &[0, 1, 2, 0]] {
            assert!(matches!(graph.reordered(wrong), Err(TopologyError::NotAPermutation { nodes: 3, .. })));
        }
    }
}
