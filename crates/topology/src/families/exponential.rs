//! Exponential graphs.

use crate::{Graph, TopologyError};

/// The static exponential graph: on a circle, node `i` is joined with `i + base^k` and `i - base^k` modulo `n`, for
/// `k = 0, 1, ...` as long as `base^k < n`.
///
/// It is the undirected graph of the directed one of Ying et al. (*Exponential graph is provably efficient for
/// decentralized deep training*, 2021), where `i` sends to `i + 2^k`. Any `n` will do; places that meet (`+ n/2` and
/// `- n/2`, or two powers) are one edge. Degrees are at most `2 ceil(log_base n)` and the same for all nodes.
///
/// # Errors
/// If `n` is 0 or `base` is below 2.
///
/// # Complexity
/// `O(edges log edges)`, at most `n ceil(log_base n)` edges.
pub fn exponential(n: usize, base: usize) -> Result<Graph, TopologyError> {
    if base < 2 {
        return Err(TopologyError::parameter("exponential", "base", "at least 2", base));
    }
    let powers = std::iter::successors(Some(1_usize), |power| power.checked_mul(base)).take_while(|&power| power < n);
    // A circle knows no direction: `+ d` for some nodes is `- d` for others, and `n - d` is `- d`.
    let mut distances: Vec<usize> = powers.map(|power| power.min(n - power)).collect();
    distances.sort_unstable();
    distances.dedup();
    let edges = distances.into_iter().flat_map(|d| {
        // Half way round, both directions lead to the same node.
        let starts = if 2 * d == n { d } else { n };
        (0..starts).map(move |i| (i, (i + d) % n))
    });
    Graph::from_edges(n, edges)
}

/// All edges of the one-peer exponential sequence: the union of its rounds, which is [`exponential`] with base 2.
///
/// In round `t` of the sequence (Assran et al., *Stochastic gradient push*, 2019) node `i` talks to the one peer at
/// distance `2^(t mod ceil(log2 n))`. This is the graph of who ever talks to whom.
///
/// # Errors
/// If `n` is 0.
///
/// # Complexity
/// As for [`exponential`].
pub fn one_peer_exponential(n: usize) -> Result<Graph, TopologyError> {
    exponential(n, 2)
}
