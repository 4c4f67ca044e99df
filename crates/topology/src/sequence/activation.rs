//! Node activation: in each round some nodes are awake.

use super::{RoundMatrix, Sequence, SequenceError};
use crate::randomness::{Streams, below, heads};
use crate::{Graph, TopologyError};

/// In each round a random set of nodes is awake; they average with Metropolis weights on the subgraph that they induce,
/// `w_ij = 1 / (1 + max(d_i, d_j))` with the degrees among awake nodes, and the others keep what they hold (rows `e_i`).
///
/// This is the sampling of nodes of Liu, Johansson and Shi, *Distributed empirical risk minimization with differential
/// privacy* (Automatica 162:111514, 2024). Who is awake is a public coin: it hides nothing.
///
/// # Algorithm
/// Round `t` reads stream `t` of `ChaCha8` keyed with the seed (64 bits, little endian) followed by the 24 bytes
/// `dido/sequence/awake/0001`. A fixed number `k` of nodes is the start of a Fisher-Yates shuffle of `0..n`, cut after
/// `k` exchanges, each of place `a` with a uniform place of `a..n`; Bernoulli activation tosses one coin per node,
/// ascending.
#[derive(Clone, Debug)]
pub struct NodeActivation {
    graph: Graph,
    rule: Rule,
    coin: Streams,
}

#[derive(Clone, Copy, Debug)]
enum Rule {
    FixedSize(usize),
    Bernoulli(f64),
}

impl NodeActivation {
    /// Exactly `active` nodes are awake, every set of that size with the same probability.
    ///
    /// # Errors
    /// If `active` is not one of `1..=n`.
    pub fn fixed_size(graph: Graph, active: usize, seed: u64) -> Result<Self, TopologyError> {
        if active == 0 || active > graph.nodes() {
            return Err(SequenceError::ActiveNodes { active, nodes: graph.nodes() }.into());
        }
        Ok(Self::new(graph, Rule::FixedSize(active), seed))
    }

    /// Every node is awake with probability `iota`, independently of the others: sometimes nobody is.
    ///
    /// # Errors
    /// If `iota` is not in `(0, 1]`.
    pub fn bernoulli(graph: Graph, iota: f64, seed: u64) -> Result<Self, TopologyError> {
        if !(iota > 0.0 && iota <= 1.0) {
            return Err(
                SequenceError::Parameter { name: "activation probability", range: "(0, 1]", value: iota }.into()
            );
        }
        Ok(Self::new(graph, Rule::Bernoulli(iota), seed))
    }

    fn new(graph: Graph, rule: Rule, seed: u64) -> Self {
        Self { graph, rule, coin: Streams::new(seed, b"dido/sequence/awake/0001") }
    }

    /// `||E[W'W] - J||_2` if the graph is complete, else nothing.
    ///
    /// There the `k` awake nodes take their mean: `W` is a projection, so `W'W = W`, and `I - W` has rank `k - 1` (0 if
    /// nobody is awake). By symmetry among nodes `E[I - W] = c (I - J)`, and the trace gives `c (n - 1) = E[k - 1]`. So
    /// it is `1 - (k - 1) / (n - 1)` for a fixed size, and `1 - (n iota - 1 + (1 - iota)^n) / (n - 1)` for Bernoulli.
    pub fn expected_contraction(&self) -> Option<f64> {
        let nodes = self.graph.nodes();
        if (0..nodes).any(|i| self.graph.degree(i) + 1 < nodes) {
            return None;
        }
        if nodes == 1 {
            return Some(0.0);
        }
        let n = nodes as f64;
        let rank = match self.rule {
            Rule::FixedSize(active) => active as f64 - 1.0,
            Rule::Bernoulli(iota) => n * iota - 1.0 + (1.0 - iota).powf(n),
        };
        Some(1.0 - rank / (n - 1.0))
    }
}

impl Sequence for NodeActivation {
    fn nodes(&self) -> usize {
        self.graph.nodes()
    }

    /// # Complexity
    /// `O(nodes + edges of the awake nodes)`, and a sort of a fixed number of nodes.
    fn fill(&self, t: u32, round: &mut RoundMatrix) -> Result<(), TopologyError> {
        let (nodes, rng) = (self.graph.nodes(), &mut self.coin.stream(t));
        round.induce(&self.graph, |awake| match self.rule {
            Rule::FixedSize(active) => {
                awake.extend(0..nodes);
                for place in 0..active {
                    awake.swap(place, place + below(nodes - place, rng));
                }
                awake.truncate(active);
                awake.sort_unstable();
            }
            Rule::Bernoulli(iota) => awake.extend((0..nodes).filter(|_| heads(iota, rng))),
        });
        Ok(())
    }
}
