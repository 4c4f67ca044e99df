//! Filling a round, and taking links and nodes out of it.

use super::RoundMatrix;
use crate::matrix::{is_one, sum};
use crate::sequence::SequenceError;
use crate::{Graph, MixingMatrix, TopologyError};

impl RoundMatrix {
    /// A round in which everyone is awake, with the given edges `(i, j, w_ij)`.
    ///
    /// # Errors
    /// As for [`set`](Self::set).
    pub fn from_edges(
        nodes: usize,
        edges: impl IntoIterator<Item = (usize, usize, f64)>,
    ) -> Result<Self, TopologyError> {
        let mut round = Self::identity(0);
        round.set(nodes, 0..nodes, edges)?;
        Ok(round)
    }

    /// Fills the round: `edges` are `(i, j, w_ij)`, each given once, in either direction and any order; the diagonal is
    /// what a row leaves over. Nodes that are not in `awake` have no edge.
    ///
    /// ```
    /// use dido_topology::RoundMatrix;
    ///
    /// let mut round = RoundMatrix::identity(4);
    /// round.set(4, [0, 2, 3], [(3, 0, 0.25), (2, 3, 0.5)])?;
    /// assert_eq!(round.row(3), (&[0, 2, 3][..], &[0.25, 0.5, 0.25][..]));
    /// assert_eq!(round.row(1), (&[1][..], &[1.0][..]));
    /// # Ok::<(), dido_topology::TopologyError>(())
    /// ```
    ///
    /// # Errors
    /// If there is no node, a node is out of range, an edge is a loop, given twice or leads to a sleeping node, or a
    /// weight is not finite or so large that a row cannot sum to 1. The round is then the identity of its former size.
    ///
    /// # Complexity
    /// `O(nodes + edges)` if the edges come ascending with `i < j`, else with a sort.
    pub fn set(
        &mut self,
        nodes: usize,
        awake: impl IntoIterator<Item = usize>,
        edges: impl IntoIterator<Item = (usize, usize, f64)>,
    ) -> Result<(), TopologyError> {
        let former = self.nodes();
        let outcome = self.gather(nodes, awake, edges).and_then(|()| {
            self.assemble(nodes);
            self.check()
        });
        if outcome.is_err() {
            *self = Self::identity(former);
        }
        outcome
    }

    /// Fills the round with Metropolis weights on the given edges, `w_ij = 1 / (1 + max(d_i, d_j))`, `d_i` being the
    /// number of edges of node `i` in this round.
    ///
    /// # Errors
    /// As for [`set`](Self::set).
    ///
    /// # Complexity
    /// As for [`set`](Self::set).
    pub fn set_metropolis(
        &mut self,
        nodes: usize,
        awake: impl IntoIterator<Item = usize>,
        edges: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<(), TopologyError> {
        let former = self.nodes();
        let outcome = self.gather(nodes, awake, edges.into_iter().map(|(i, j)| (i, j, 0.0)));
        if outcome.is_err() {
            *self = Self::identity(former);
        } else {
            self.weigh(nodes);
            self.assemble(nodes);
        }
        outcome
    }

    /// Fills the round with a fixed matrix; everyone is awake.
    ///
    /// The diagonal is kept as it is; only if mirrored weights differ (by up to the tolerance) the upper one stands for
    /// both and the diagonal is what a row leaves over.
    ///
    /// # Complexity
    /// `O(nodes + edges)`.
    pub fn copy(&mut self, matrix: &MixingMatrix) {
        let nodes = matrix.nodes();
        self.awake.clear();
        self.awake.extend(0..nodes);
        self.edges.clear();
        for i in 0..nodes {
            let (columns, weights) = matrix.row(i);
            self.edges.extend(columns.iter().zip(weights).filter(|&(&j, _)| i < j).map(|(&j, &w)| (i, j, w)));
        }
        self.assemble(nodes);
        let symmetric = (0..nodes).all(|i| {
            let (columns, weights) = matrix.row(i);
            let mine = self.row(i).1;
            columns.iter().zip(weights).zip(mine).all(|((&j, w), v)| i == j || w.to_bits() == v.to_bits())
        });
        if symmetric {
            self.weights.clear();
            (0..nodes).for_each(|i| self.weights.extend_from_slice(matrix.row(i).1));
        }
    }

    /// Metropolis weights on the subgraph induced by the nodes that `choose` puts, ascending, into the empty buffer it
    /// is given.
    pub(in crate::sequence) fn induce(&mut self, graph: &Graph, choose: impl FnOnce(&mut Vec<usize>)) {
        let nodes = graph.nodes();
        self.awake.clear();
        choose(&mut self.awake);
        self.per_node.clear();
        self.per_node.resize(nodes, 0);
        for &i in &self.awake {
            self.per_node[i] = 1;
        }
        self.edges.clear();
        for &i in &self.awake {
            let peers = graph.neighbours(i).iter().filter(|&&j| i < j && self.per_node[j] == 1);
            self.edges.extend(peers.map(|&j| (i, j, 0.0)));
        }
        self.weigh(nodes);
        self.assemble(nodes);
    }

    /// Keeps the edges `(i, j)`, `i < j`, for which `keep` says so, asked once each, ascending. Both ends of a lost edge
    /// add its weight to their own, so that the round stays doubly stochastic.
    ///
    /// # Complexity
    /// `O(nodes + edges)`.
    pub fn retain_edges(&mut self, mut keep: impl FnMut(usize, usize) -> bool) {
        let nodes = self.nodes();
        // Walking the rows upwards meets the mirror images of a row's entries in ascending order, then its diagonal.
        self.per_node.clear();
        self.per_node.extend_from_slice(&self.offsets[..nodes]);
        for i in 0..nodes {
            for k in self.per_node[i] + 1..self.offsets[i + 1] {
                let j = self.columns[k];
                let mirror = self.per_node[j];
                self.per_node[j] += 1;
                if !keep(i, j) {
                    self.weights[k] = f64::NAN;
                    self.weights[mirror] = f64::NAN;
                }
            }
        }
        let (mut read, mut write) = (0, 0);
        for i in 0..nodes {
            let (end, start, mut diagonal) = (self.offsets[i + 1], write, write);
            for k in read..end {
                if self.weights[k].is_nan() {
                    continue;
                }
                if self.columns[k] == i {
                    diagonal = write;
                }
                self.columns[write] = self.columns[k];
                self.weights[write] = self.weights[k];
                write += 1;
            }
            if write - start < end - read {
                self.weights[diagonal] = 0.0;
                self.weights[diagonal] = 1.0 - sum(&self.weights[start..write]);
            }
            self.offsets[i] = start;
            read = end;
        }
        self.offsets[nodes] = write;
        self.columns.truncate(write);
        self.weights.truncate(write);
    }

    /// Lets the awake nodes sleep for which `keep` is false: they lose their edges as in
    /// [`retain_edges`](Self::retain_edges).
    ///
    /// # Complexity
    /// `O(nodes + edges)`.
    pub fn retain_nodes(&mut self, keep: impl Fn(usize) -> bool) {
        self.awake.retain(|&i| keep(i));
        self.retain_edges(|i, j| keep(i) && keep(j));
    }

    /// Checks and sorts what a round is made of: awake nodes and edges.
    fn gather(
        &mut self,
        nodes: usize,
        awake: impl IntoIterator<Item = usize>,
        edges: impl IntoIterator<Item = (usize, usize, f64)>,
    ) -> Result<(), TopologyError> {
        if nodes == 0 {
            return Err(TopologyError::NoNodes);
        }
        if nodes >= u32::MAX as usize {
            return Err(TopologyError::TooManyNodes { nodes });
        }
        self.per_node.clear();
        self.per_node.resize(nodes, 0);
        for node in awake {
            let place = self.per_node.get_mut(node).ok_or(TopologyError::NoSuchNode { node, nodes })?;
            *place = 1;
        }
        self.awake.clear();
        self.awake.extend((0..nodes).filter(|&i| self.per_node[i] == 1));
        self.edges.clear();
        for (i, j, value) in edges {
            if i >= nodes || j >= nodes {
                return Err(TopologyError::EndOutOfRange { i, j, nodes });
            }
            if i == j {
                return Err(TopologyError::SelfLoop { node: i });
            }
            if let Some(&node) = [i, j].iter().find(|&&node| self.per_node[node] == 0) {
                return Err(SequenceError::SleepingEnd { i, j, node }.into());
            }
            if !value.is_finite() {
                return Err(TopologyError::NonFiniteWeight { row: i, column: j, value });
            }
            self.edges.push((i.min(j), i.max(j), value));
        }
        let ends = |&(i, j, _): &(usize, usize, f64)| (i, j);
        if !self.edges.is_sorted_by_key(ends) {
            self.edges.sort_unstable_by_key(ends);
        }
        match self.edges.windows(2).find(|pair| ends(&pair[0]) == ends(&pair[1])) {
            Some(pair) => Err(TopologyError::DuplicateEdge { i: pair[0].0, j: pair[0].1 }),
            None => Ok(()),
        }
    }

    /// Gives the gathered edges Metropolis weights.
    fn weigh(&mut self, nodes: usize) {
        self.per_node.clear();
        self.per_node.resize(nodes, 0);
        for &(i, j, _) in &self.edges {
            self.per_node[i] += 1;
            self.per_node[j] += 1;
        }
        for (i, j, weight) in &mut self.edges {
            *weight = 1.0 / (1 + self.per_node[*i].max(self.per_node[*j])) as f64;
        }
    }

    /// Writes the rows of the gathered edges, which are ascending.
    fn assemble(&mut self, nodes: usize) {
        self.offsets.clear();
        self.offsets.resize(nodes + 1, 0);
        for &(i, j, _) in &self.edges {
            self.offsets[i + 1] += 1;
            self.offsets[j + 1] += 1;
        }
        for i in 0..nodes {
            self.offsets[i + 1] += self.offsets[i] + 1;
        }
        let stored = self.offsets[nodes];
        self.columns.clear();
        self.columns.resize(stored, 0);
        self.weights.clear();
        self.weights.resize(stored, 0.0);
        self.per_node.clear();
        self.per_node.extend_from_slice(&self.offsets[..nodes]);
        let mut next = 0;
        for i in 0..nodes {
            // The smaller neighbours are in place already.
            let diagonal = self.per_node[i];
            self.columns[diagonal] = i;
            self.per_node[i] += 1;
            while let Some(&(_, j, weight)) = self.edges.get(next).filter(|edge| edge.0 == i) {
                for (row, column) in [(i, j), (j, i)] {
                    let place = self.per_node[row];
                    self.columns[place] = column;
                    self.weights[place] = weight;
                    self.per_node[row] += 1;
                }
                next += 1;
            }
            self.weights[diagonal] = 1.0 - sum(&self.weights[self.offsets[i]..self.offsets[i + 1]]);
        }
    }

    /// Row sums; columns are the same, mirrored weights being equal.
    fn check(&self) -> Result<(), TopologyError> {
        for row in 0..self.nodes() {
            let sum = sum(self.row(row).1);
            if !is_one(sum) {
                return Err(TopologyError::RowSum { row, sum });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{families, weights};

    /// The ring 0 - 1 - 2 - 3 - 0 with weights 1/4 loses the edge 0 - 3: ends 0 and 3 keep 1/2 + 1/4.
    #[test]
    fn the_ends_of_a_lost_edge_keep_its_weight() {
        let ring = [(0, 1, 0.25), (1, 2, 0.25), (2, 3, 0.25), (3, 0, 0.25)];
        let mut round = RoundMatrix::from_edges(4, ring).unwrap();
        let mut asked = Vec::new();
        round.retain_edges(|i, j| {
            asked.push((i, j));
            (i, j) != (0, 3)
        });
        assert_eq!(asked, [(0, 1), (0, 3), (1, 2), (2, 3)]);
        assert_eq!(round.row(0), (&[0, 1][..], &[0.75, 0.25][..]));
        assert_eq!(round.row(1), (&[0, 1, 2][..], &[0.25, 0.5, 0.25][..]));
        assert_eq!(round.row(3), (&[2, 3][..], &[0.25, 0.75][..]));
        round.retain_nodes(|i| i != 1);
        assert_eq!(round.awake(), [0, 2, 3]);
        assert_eq!(round.row(0), (&[0][..], &[1.0][..]));
        assert_eq!(round.edges().collect::<Vec<_>>(), [(2, 3, 0.25)]);
    }

    #[test]
    fn a_round_filled_again_uses_its_buffers() {
        let graph = families::complete(12).unwrap();
        let w = weights::metropolis(&graph);
        let mut round = RoundMatrix::identity(12);
        round.copy(&w);
        let buffers = |r: &RoundMatrix| (r.columns.as_ptr(), r.weights.as_ptr(), r.edges.as_ptr(), r.awake.as_ptr());
        let first = buffers(&round);
        for k in 1..=12 {
            round.induce(&graph, |awake| awake.extend(0..k));
            round.retain_edges(|i, j| (i + j) % 3 > 0);
            round.set(12, 0..12, graph.edges().take(k).map(|(i, j)| (i, j, 0.01))).unwrap();
        }
        assert_eq!(buffers(&round), first);
    }

    /// Mirrored weights that differ within the tolerance are made equal, and the rows still sum to 1.
    #[test]
    fn a_copy_is_symmetric_to_the_last_bit() {
        let mut dense = weights::metropolis(&families::complete(3).unwrap()).to_dense();
        dense[[0, 1]] += 4e-13;
        let matrix = MixingMatrix::from_dense(&families::complete(3).unwrap(), dense.view()).unwrap();
        let mut round = RoundMatrix::identity(1);
        round.copy(&matrix);
        let copied = round.to_dense();
        assert_eq!(copied, copied.t());
        assert_eq!(copied[[1, 0]].to_bits(), dense[[0, 1]].to_bits());
        assert!(round.check().is_ok());
    }
}
