//! Randomised pairwise gossip.

use super::{RoundMatrix, Sequence};
use crate::randomness::{Streams, below};
use crate::{Graph, MixingMatrix, TopologyError};

/// In each round one edge of the graph, drawn uniformly, has its ends take their mean; all others sleep (Boyd, Ghosh,
/// Prabhakar and Shah, *Randomized gossip algorithms*, 2006, with uniform edges in place of uniform callers).
///
/// # Algorithm
/// Round `t` reads stream `t` of `ChaCha8` keyed with the seed (64 bits, little endian) followed by the 24 bytes
/// `dido/sequence/gossip/001`: one uniform number of `0..edges`, edges ascending.
#[derive(Clone, Debug)]
pub struct PairwiseGossip {
    graph: Graph,
    edges: Vec<(usize, usize)>,
    coin: Streams,
}

impl PairwiseGossip {
    /// Gossip on the edges of a graph. A single node has nobody to talk to and sleeps.
    pub fn new(graph: Graph, seed: u64) -> Self {
        let edges = graph.edges().collect();
        Self { graph, edges, coin: Streams::new(seed, b"dido/sequence/gossip/001") }
    }

    /// `||E[W'W] - J||_2 = 1 - lambda_2(L) / (2 |E|)`, `L` being the Laplacian of the graph: each `W` is a projection, so
    /// `W'W = W`, and `E[W] = I - L / (2 |E|)`, which is the matrix with the weight `1 / (2 |E|)` on every edge.
    ///
    /// # Errors
    /// As for [`MixingMatrix::second_largest_singular_value`].
    pub fn expected_contraction(&self) -> Result<f64, TopologyError> {
        let weight = 0.5 / self.edges.len() as f64;
        MixingMatrix::from_edge_weights(&self.graph, |_, _| weight)?.second_largest_singular_value()
    }
}

impl Sequence for PairwiseGossip {
    fn nodes(&self) -> usize {
        self.graph.nodes()
    }

    /// # Complexity
    /// `O(nodes)`.
    fn fill(&self, t: u32, round: &mut RoundMatrix) -> Result<(), TopologyError> {
        if self.edges.is_empty() {
            return round.set(self.nodes(), [], []);
        }
        let (i, j) = self.edges[below(self.edges.len(), &mut self.coin.stream(t))];
        round.set(self.nodes(), [i, j], [(i, j, 0.5)])
    }
}
