//! The Erdős–Rényi graph G(n, p), given that it is connected.

use chacha20::ChaCha8Rng;
use rand::{Rng, SeedableRng};

use crate::{Graph, TopologyError};

/// How many graphs [`erdos_renyi`] draws before it gives up.
pub const MAX_ATTEMPTS: u32 = 1000;

/// A connected random graph and how many draws it took to find one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectedSample {
    /// The graph.
    pub graph: Graph,
    /// Graphs drawn, this one included: 1 when the first was connected. Its mean is `1 / P(G(n, p) is connected)`.
    pub attempts: u32,
}

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
/// If `n` is 0, `p` is not in `[0, 1]`, or none of [`MAX_ATTEMPTS`] graphs is connected.
///
/// # Complexity
/// `O(n + edges log(1/p))` per attempt.
pub fn erdos_renyi(n: usize, p: f64, seed: u64) -> Result<ConnectedSample, TopologyError> {
    if !(0.0..=1.0).contains(&p) {
        return Err(TopologyError::EdgeProbability { p });
    }
    let skips = Skips::new(p, n);
    for attempt in 0..MAX_ATTEMPTS {
        let edges = draw(n, &skips, &mut stream(seed, attempt));
        match Graph::from_edges(n, edges) {
            Ok(graph) => return Ok(ConnectedSample { graph, attempts: attempt + 1 }),
            Err(TopologyError::Disconnected(_)) => {}
            Err(other) => return Err(other),
        }
    }
    Err(TopologyError::NeverConnected { nodes: n, p, attempts: MAX_ATTEMPTS })
}

fn stream(seed: u64, attempt: u32) -> ChaCha8Rng {
    let mut key = *b"\0\0\0\0\0\0\0\0dido/topology/gnp/000001";
    key[..8].copy_from_slice(&seed.to_le_bytes());
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(u64::from(attempt));
    rng.set_word_pos(0);
    rng
}

/// One draw of G(n, p), connected or not.
fn draw(n: usize, skips: &Skips, rng: &mut impl Rng) -> Vec<(usize, usize)> {
    let mut edges = Vec::new();
    // The next pair is (i, j), j < i.
    let (mut i, mut j) = (1, 0);
    while let Some(skip) = skips.draw(rng) {
        j += skip;
        while i < n && j >= i {
            j -= i;
            i += 1;
        }
        if i >= n {
            break;
        }
        edges.push((j, i));
        j += 1;
    }
    edges
}

/// A geometric number of failures before the first success, digit by digit.
struct Skips {
    /// Digit `k` is 1 with this probability.
    digits: Vec<f64>,
    /// The skip reaches `2^digits.len()`, beyond the last pair, with this probability.
    beyond: f64,
}

impl Skips {
    /// Enough digits for the pairs of `n` nodes.
    fn new(p: f64, n: usize) -> Self {
        let pairs = n as f64 * (n as f64 - 1.0) / 2.0;
        let mut digits = Vec::new();
        let (mut failure, mut reach) = (1.0 - p, 1.0);
        // A digit whose coin never falls on 1 (53 bits) is not drawn.
        while reach <= pairs && failure >= f64::EPSILON / 2.0 {
            digits.push(failure / (1.0 + failure));
            failure *= failure;
            reach *= 2.0;
        }
        Self { digits, beyond: failure }
    }

    /// The skip, or nothing when it leads beyond the last pair.
    fn draw(&self, rng: &mut impl Rng) -> Option<usize> {
        let skip = self.digits.iter().enumerate().fold(0, |skip, (k, &c)| skip | usize::from(coin(c, rng)) << k);
        (!coin(self.beyond, rng)).then_some(skip)
    }
}

/// True with probability `c`: never for 0, always for 1.
fn coin(c: f64, rng: &mut impl Rng) -> bool {
    ((rng.next_u64() >> 11) as f64) < c * (1_u64 << 53) as f64
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
            let skips = Skips::new(p, n);
            let mut joined = vec![0_u32; n * n];
            for seed in 0..draws {
                for (i, j) in draw(n, &skips, &mut stream(seed.into(), 0)) {
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

    /// A geometric variable has mean `q/p` and variance `q/p^2`; 100 000 draws, five standard deviations.
    #[test]
    fn skips_are_geometric() {
        let (p, draws) = (0.07, 100_000);
        let skips = Skips::new(p, 100_000);
        let mut rng = stream(1, 0);
        let drawn: Vec<usize> = (0..draws).filter_map(|_| skips.draw(&mut rng)).collect();
        assert_eq!(drawn.len(), draws, "a skip of 2^32 has probability 0");
        let mean = drawn.iter().sum::<usize>() as f64 / draws as f64;
        let sigma = ((1.0 - p) / (p * p) / draws as f64).sqrt();
        assert!((mean - (1.0 - p) / p).abs() < 5.0 * sigma, "mean {mean}");
        for g in 0..10 {
            let share = drawn.iter().filter(|&&d| d == g).count() as f64 / draws as f64;
            let expected = p * (1.0 - p).powf(g as f64);
            assert!((share - expected).abs() < 5.0 * (expected / draws as f64).sqrt(), "{g}: {share}");
        }
    }
}
