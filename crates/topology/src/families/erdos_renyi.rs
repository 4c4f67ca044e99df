//! The Erdős–Rényi graph G(n, p), given that it is connected.

use rand::Rng;

use super::sampling::{ConnectedSample, check_nodes, connected, stream};
use super::skips::{Skips, select};
use crate::TopologyError;

/// Joins each of the `n (n - 1) / 2` pairs independently with probability `p`, and draws again until the graph is
/// connected. This is G(n, p) conditioned on being connected: nothing is added to repair a draw.
///
/// | parameter | range | meaning |
/// |---|---|---|
/// | `n` | at least 1 | nodes |
/// | `p` | 0 to 1 | probability of each edge |
/// | `seed` | any | equal seeds give equal graphs, on every platform and in every version |
///
/// # Algorithm
/// Attempt `a = 0, 1, ...` reads stream `a` of `ChaCha8` keyed with the seed (64 bits, little endian) followed by the
/// 24 bytes `dido/topology/gnp/000001`. The pairs are numbered (1,0), (2,0), (2,1), (3,0), ... and the walk over them
/// skips a geometric number `G` of pairs before each edge, `P(G = g) = (1-p)^g p` (Batagelj and Brandes, *Efficient
/// generation of large random networks*, 2005). The binary digits of a geometric variable are independent coins, digit
/// `k` being 1 with probability `q / (1 + q)`, `q = (1-p)^(2^k)`; they are drawn in this way, from the lowest, because
/// it needs no logarithm, whose last bit differs between platforms.
///
/// # Precision
/// A coin of probability `c` compares 53 random bits with `c`; `1 - p` is rounded to 53 bits.
///
/// # Errors
/// If `n` is 0, `p` is not in `[0, 1]`, or none of [`MAX_ATTEMPTS`](super::MAX_ATTEMPTS) graphs is connected.
///
/// # Complexity
/// `O(n + edges log(1/p))` per attempt.
pub fn erdos_renyi(n: usize, p: f64, seed: u64) -> Result<ConnectedSample, TopologyError> {
    if !(0.0..=1.0).contains(&p) {
        return Err(TopologyError::EdgeProbability { p });
    }
    check_nodes(n)?;
    let skips = skips(n, p);
    let law = format!("edge probability {p}");
    connected(n, &law, "p", |attempt| Some(draw(n, &skips, &mut stream(seed, *b"gnp", attempt))))
}

/// Skips over all pairs of `n` nodes.
fn skips(n: usize, p: f64) -> Skips {
    Skips::new(p, n as f64 * (n as f64 - 1.0) / 2.0)
}

/// One draw of G(n, p), connected or not.
fn draw(n: usize, skips: &Skips, rng: &mut impl Rng) -> Vec<(usize, usize)> {
    let mut edges = Vec::new();
    select(n, |i| i, skips, rng, |i, j| edges.push((j, i)));
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Value stability: these edges may never change, published experiments rest on them.
    #[test]
    fn a_seed_gives_the_same_graph_for_ever() {
        let sample = erdos_renyi(8, 0.3, 2026).unwrap();
        let edges: Vec<_> = sample.graph.edges().collect();
        let expected = vec![(0, 5), (0, 7), (1, 4), (1, 5), (2, 3), (2, 4), (2, 5), (2, 6), (3, 6), (6, 7)];
        assert_eq!((sample.attempts, edges), (2, expected));
    }

    /// 400 unconditioned draws on 60 nodes: 708 000 coins for each p. The number of edges is binomial; five standard
    /// deviations are passed with probability 6e-7, and the seeds are fixed, so the test cannot flake.
    #[test]
    fn every_pair_is_joined_with_probability_p() {
        let (n, draws) = (60, 400_u32);
        let coins = f64::from(draws) * 1770.0;
        for p in [0.003, 0.05, 0.3, 0.5, 0.9] {
            let skips = skips(n, p);
            let mut joined = vec![0_u32; n * n];
            for seed in 0..draws {
                for (i, j) in draw(n, &skips, &mut stream(seed.into(), *b"gnp", 0)) {
                    assert!(i < j && j < n);
                    joined[i * n + j] += 1;
                }
            }
            let total: f64 = joined.iter().map(|&k| f64::from(k)).sum();
            let sigma = (coins * p * (1.0 - p)).sqrt();
            assert!((total - coins * p).abs() < 5.0 * sigma, "p = {p}: {total} edges");
            // Each pair alone: 6 sigma and 1 for 1770 pairs, a union bound of 4e-6 where the normal law applies.
            let bound = 6.0 * (f64::from(draws) * p * (1.0 - p)).sqrt() + 1.0;
            for j in 0..n {
                for i in 0..j {
                    let k = f64::from(joined[i * n + j]);
                    assert!((k - f64::from(draws) * p).abs() < bound, "p = {p}, pair {i}-{j}: {k}");
                }
            }
        }
    }
}
