//! Sequences written down round by round.

mod text;

use std::ops::Range;

use super::{RoundMatrix, Sequence, SequenceError};
use crate::TopologyError;

/// A finite list of rounds, numbered from 0: recorded from another sequence, given by its edges, or read from a file.
///
/// It has nothing to say about later rounds: asking for one is an error. [`Periodic`](super::Periodic) repeats it.
///
/// # File format
/// ```text
/// # Four nodes, three rounds; everyone rests in round 1, and node 3 sleeps in rounds 0 and 1.
/// nodes 4
/// rounds 3
/// 0 0 1 0.5          # round, node, node, weight of their edge
/// 0 asleep 3         # round, nodes that sleep in it
/// 1 asleep 3
/// 2 2 3 0.5
/// 2 1 0 0.25         # the rest of a line after '#' is a comment
/// ```
/// `nodes` and `rounds` come first; the other lines come in any order. Words are separated by white space. Each edge of
/// a round is given once, in either direction; what a row leaves over is the node's own weight. Weights are written with
/// as many digits as they need to be read back as the same number.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    nodes: usize,
    rounds: u32,
    /// Ascending by round, then by edge, `i < j`.
    edges: Vec<(u32, usize, usize, f64)>,
    /// Ascending by round, then by node.
    asleep: Vec<(u32, usize)>,
}

impl Recorded {
    /// A sequence of `rounds` rounds from its edges `(round, i, j, w_ij)`, in any order, each given once. Everyone is
    /// always awake.
    ///
    /// # Errors
    /// If there is no round, an edge belongs to no round, or a round is refused as by [`RoundMatrix::set`]; the error
    /// names it.
    ///
    /// # Complexity
    /// `O(E log E)` and `O(nodes)` per round that has an edge, `E` being the edges of all rounds.
    pub fn from_edges(
        nodes: usize,
        rounds: u32,
        edges: impl IntoIterator<Item = (u32, usize, usize, f64)>,
    ) -> Result<Self, TopologyError> {
        Self::assemble(nodes, rounds, edges.into_iter().collect(), Vec::new())
    }

    /// A sequence of one round for each list of edges, with the Metropolis weights of the graph of that round,
    /// `w_ij = 1 / (1 + max(d_i, d_j))`. Everyone is always awake.
    ///
    /// # Errors
    /// If there is no round, or one is refused as by [`RoundMatrix::set_metropolis`]; the error names it.
    ///
    /// # Complexity
    /// As for [`from_edges`](Self::from_edges).
    pub fn metropolis(nodes: usize, rounds: &[Vec<(usize, usize)>]) -> Result<Self, TopologyError> {
        let mut round = RoundMatrix::identity(nodes);
        let (mut edges, mut count) = (Vec::new(), 0);
        for (pairs, t) in rounds.iter().zip(0..) {
            let pairs = pairs.iter().copied();
            round.set_metropolis(nodes, 0..nodes, pairs).map_err(|source| in_round(t, source))?;
            edges.extend(round.edges().map(|(i, j, weight)| (t, i, j, weight)));
            count = t + 1;
        }
        Self::from_edges(nodes, count, edges)
    }

    /// The given rounds of another sequence, numbered anew from 0. Edges keep their weights to the last bit.
    ///
    /// # Errors
    /// If there is no round or one cannot be had.
    ///
    /// # Complexity
    /// That of the rounds; memory for their edges and sleeping nodes.
    pub fn record(sequence: &dyn Sequence, rounds: Range<u32>) -> Result<Self, TopologyError> {
        let mut round = RoundMatrix::identity(sequence.nodes());
        let (mut edges, mut asleep) = (Vec::new(), Vec::new());
        for (t, number) in rounds.clone().zip(0..) {
            sequence.fill(t, &mut round)?;
            edges.extend(round.edges().map(|(i, j, weight)| (number, i, j, weight)));
            let awake = round.awake();
            asleep.extend((0..round.nodes()).filter(|i| awake.binary_search(i).is_err()).map(|i| (number, i)));
        }
        Self::assemble(sequence.nodes(), rounds.end.saturating_sub(rounds.start), edges, asleep)
    }

    fn assemble(
        nodes: usize,
        rounds: u32,
        mut edges: Vec<(u32, usize, usize, f64)>,
        mut asleep: Vec<(u32, usize)>,
    ) -> Result<Self, TopologyError> {
        if rounds == 0 {
            return Err(SequenceError::NoRounds.into());
        }
        for edge in &mut edges {
            *edge = (edge.0, edge.1.min(edge.2), edge.1.max(edge.2), edge.3);
        }
        edges.sort_unstable_by_key(|&(t, i, j, _)| (t, i, j));
        asleep.sort_unstable();
        if let Some(round) =
            edges.last().map(|edge| edge.0).max(asleep.last().map(|node| node.0)).filter(|&t| t >= rounds)
        {
            return Err(SequenceError::NotRecorded { round, rounds }.into());
        }
        let recorded = Self { nodes, rounds, edges, asleep };
        let mut checked = RoundMatrix::identity(1);
        recorded.fill(0, &mut checked).map_err(|source| in_round(0, source))?;
        for edges in recorded.edges.chunk_by(|a, b| a.0 == b.0) {
            let round = edges[0].0;
            recorded.fill(round, &mut checked).map_err(|source| in_round(round, source))?;
        }
        if let Some(&(round, node)) = recorded.asleep.iter().find(|&&(_, node)| node >= nodes) {
            return Err(in_round(round, TopologyError::NoSuchNode { node, nodes }));
        }
        Ok(recorded)
    }

    /// Number of rounds.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// The edges of round `t`.
    fn edges_of(&self, t: u32) -> &[(u32, usize, usize, f64)] {
        let start = self.edges.partition_point(|edge| edge.0 < t);
        let edges = &self.edges[start..];
        &edges[..edges.partition_point(|edge| edge.0 == t)]
    }

    /// The nodes that sleep in round `t`.
    fn asleep_in(&self, t: u32) -> &[(u32, usize)] {
        let start = self.asleep.partition_point(|node| node.0 < t);
        let asleep = &self.asleep[start..];
        &asleep[..asleep.partition_point(|node| node.0 == t)]
    }
}

fn in_round(round: u32, source: TopologyError) -> TopologyError {
    SequenceError::InRound { round, source: Box::new(source) }.into()
}

impl Sequence for Recorded {
    fn nodes(&self) -> usize {
        self.nodes
    }

    /// # Complexity
    /// `O(nodes log(sleeping nodes) + edges of the round + log E)`, `E` being the edges of all rounds.
    fn fill(&self, t: u32, round: &mut RoundMatrix) -> Result<(), TopologyError> {
        if t >= self.rounds {
            return Err(SequenceError::NotRecorded { round: t, rounds: self.rounds }.into());
        }
        let asleep = self.asleep_in(t);
        let awake = (0..self.nodes).filter(|&i| asleep.binary_search(&(t, i)).is_err());
        round.set(self.nodes, awake, self.edges_of(t).iter().map(|&(_, i, j, weight)| (i, j, weight)))
    }
}
