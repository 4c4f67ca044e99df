//! The Erdős–Rényi graph G(n, M), given that it is connected.

use std::collections::HashSet;

use rand::Rng;

use super::sampling::{ConnectedSample, check_nodes, connected, stream};
use crate::TopologyError;
use crate::randomness::below;

/// A uniform set of `edges` of the `n (n - 1) / 2` pairs, drawn again until the graph is connected: the uniform law on
/// the connected graphs of `n` nodes and that many edges.
///
/// | parameter | range | meaning |
/// |---|---|---|
/// | `n` | at least 1 | nodes |
/// | `edges` | `n - 1` to `n (n - 1) / 2` | edges; with fewer than `n/2 ln n`, connected graphs are rare |
/// | `seed` | any | equal seeds give equal graphs, on every platform and in every version |
///
/// # Algorithm
/// Attempt `a` reads stream `a` of `ChaCha8` keyed with the seed (64 bits, little endian) and
/// `dido/topology/gnm/000001`. The pairs are numbered (1,0), (2,0), (2,1), (3,0), ... and a set of `M` out of `N` is
/// drawn by Floyd's method (Bentley and Floyd, *A sample of brilliance*, 1987): for `t = N - M, ..., N - 1`, a uniform
/// number in `0..=t`, or `t` itself if that number is in the set already. Uniform numbers are exact (rejection on
/// 64-bit words).
///
/// # Errors
/// If `n` is 0, `edges` is out of its range, or none of [`MAX_ATTEMPTS`](super::MAX_ATTEMPTS) graphs is connected.
///
/// # Complexity
/// `O(n + edges)` per attempt, and `O(edges log edges)` for the graph.
pub fn erdos_renyi_edges(n: usize, edges: usize, seed: u64) -> Result<ConnectedSample, TopologyError> {
    check_nodes(n)?;
    let pairs = n * (n - 1) / 2;
    if edges > pairs || edges < n - 1 {
        let range = format!("{} to {pairs} on {n} nodes", n - 1);
        return Err(TopologyError::parameter("erdos-renyi", "edges", range, edges));
    }
    let law = format!("{edges} edges");
    connected(n, &law, "edges", |attempt| Some(draw(pairs, edges, &mut stream(seed, *b"gnm", attempt))))
}

/// A uniform set of so many of the pairs.
fn draw(pairs: usize, edges: usize, rng: &mut impl Rng) -> Vec<(usize, usize)> {
    let mut chosen = HashSet::with_capacity(edges);
    (pairs - edges..pairs)
        .map(|last| {
            let number = below(last + 1, rng);
            let number = if chosen.insert(number) { number } else { last };
            chosen.insert(number);
            pair(number)
        })
        .collect()
}

/// The pair `(j, i)`, `j < i`, with the number `i (i - 1) / 2 + j`.
#[allow(clippy::cast_possible_truncation, reason = "the root of a number of 66 bits")]
fn pair(number: usize) -> (usize, usize) {
    // The root is at least 2 i - 1 and below 2 i + 1.
    let i = ((8 * number as u128 + 1).isqrt() as usize).div_ceil(2);
    (number - i * (i - 1) / 2, i)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_numbered_one_after_the_other() {
        let expected = (1..60).flat_map(|i| (0..i).map(move |j| (j, i)));
        assert!(expected.enumerate().all(|(number, expected)| pair(number) == expected));
        let n = u32::MAX as usize - 1;
        assert_eq!(pair(n * (n - 1) / 2 - 1), (n - 2, n - 1));
    }
}
