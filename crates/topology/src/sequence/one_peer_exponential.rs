//! The one-peer exponential sequence.

use super::{RoundMatrix, Sequence};
use crate::TopologyError;

/// In round `t` node `i` takes the mean with the one peer `i xor 2^k`, `k = t mod ceil(log2 n)`; if there is no such
/// node, `i` rests, awake.
///
/// In the directed original (Assran et al., *Stochastic gradient push*, 2019; Ying et al., *Exponential graph is
/// provably efficient for decentralized deep training*, 2021) node `i` hears from `i - 2^k mod n`, and `W` is not
/// symmetric. Here a round is symmetrised into a matching: `i xor 2^k` is `i + 2^k` or `i - 2^k`, and it is `i`'s peer
/// exactly if `i` is its. Nothing wraps around.
///
/// * Every round is a projection with rows of halves or `e_i`.
/// * Over `ceil(log2 n)` rounds in a row the union is connected for any `n`: clearing the bits of `i` one by one leads
///   to node 0 through existing nodes.
/// * If `n` is a power of two, the product over `log2 n` rounds in a row is `J` exactly, whichever round comes first:
///   each round averages over one more bit. For other `n` it is not, and `ceil(log2 n)` rounds shrink the deviations by
///   less than `1 / sqrt(2)` (tested up to 70 nodes; `2^m + 1` nodes come closest);
///   [`product_norm`](super::product_norm) gives the factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnePeerExponential {
    nodes: usize,
}

impl OnePeerExponential {
    /// Any number of nodes from 1.
    ///
    /// # Errors
    /// If there is no node, or more than fit into 32 bits.
    pub fn new(nodes: usize) -> Result<Self, TopologyError> {
        if nodes == 0 {
            return Err(TopologyError::NoNodes);
        }
        if nodes >= u32::MAX as usize {
            return Err(TopologyError::TooManyNodes { nodes });
        }
        Ok(Self { nodes })
    }

    /// Rounds after which the sequence repeats: `ceil(log2 n)`, at least 1.
    pub fn period(&self) -> u32 {
        self.nodes.next_power_of_two().ilog2().max(1)
    }
}

impl Sequence for OnePeerExponential {
    fn nodes(&self) -> usize {
        self.nodes
    }

    /// # Complexity
    /// `O(nodes)`.
    fn fill(&self, t: u32, round: &mut RoundMatrix) -> Result<(), TopologyError> {
        let (n, hop) = (self.nodes, 1_usize << (t % self.period()));
        let edges = (0..n).filter(|i| i & hop == 0 && i | hop < n).map(|i| (i, i | hop, 0.5));
        round.set(n, 0..n, edges)
    }
}
