//! What the random families share: the stream of a seed, exact draws, and drawing again until a graph is connected.
//!
//! All draws are by integers or by comparisons of correctly rounded numbers, so that a seed gives the same graph on
//! every platform.

use chacha20::ChaCha8Rng;
use petgraph::unionfind::UnionFind;
use rand::{Rng, SeedableRng};

use crate::{Graph, TopologyError};

/// How many graphs a random family draws before it gives up looking for a connected one.
pub const MAX_ATTEMPTS: u32 = 1000;

/// A connected random graph and how many draws it took to find one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectedSample {
    /// The graph.
    pub graph: Graph,
    /// Graphs drawn, this one included: 1 when the first was connected. Its mean is `1 / P(a draw is connected)`.
    pub attempts: u32,
}

impl From<Graph> for ConnectedSample {
    /// A graph of a family that is always connected.
    fn from(graph: Graph) -> Self {
        Self { graph, attempts: 1 }
    }
}

/// Draws until a graph is connected; `draw` gets the number of the attempt. A draw of `None` (a construction that got
/// stuck) counts as an attempt. `law` and `raise` are for the error.
pub(super) fn connected(
    nodes: usize,
    law: &str,
    raise: &'static str,
    mut draw: impl FnMut(u32) -> Option<Vec<(usize, usize)>>,
) -> Result<ConnectedSample, TopologyError> {
    for attempt in 0..MAX_ATTEMPTS {
        if let Some(edges) = draw(attempt).filter(|edges| joins_all(nodes, edges)) {
            return Ok(ConnectedSample { graph: Graph::from_edges(nodes, edges)?, attempts: attempt + 1 });
        }
    }
    Err(TopologyError::NeverConnected { nodes, law: law.to_owned(), raise, attempts: MAX_ATTEMPTS })
}

/// Whether the edges connect the nodes: cheaper than a refused [`Graph`], which sorts them and lists the components.
fn joins_all(nodes: usize, edges: &[(usize, usize)]) -> bool {
    // A tree has `nodes - 1` edges.
    if edges.len() + 1 < nodes {
        return false;
    }
    let mut sets = UnionFind::<usize>::new(nodes);
    edges.iter().filter(|&&(i, j)| sets.union(i, j)).count() + 1 == nodes
}

/// Refuses no nodes, and more than node numbers allow, before anything is allocated for them.
pub(super) fn check_nodes(nodes: usize) -> Result<(), TopologyError> {
    match nodes {
        0 => Err(TopologyError::NoNodes),
        _ if nodes >= u32::MAX as usize => Err(TopologyError::TooManyNodes { nodes }),
        _ => Ok(()),
    }
}

/// Stream `attempt` of `ChaCha8` keyed with the seed (64 bits, little endian) followed by the 24 bytes
/// `dido/topology/<code>/000001`, the code being the three letters of the family.
pub(super) fn stream(seed: u64, code: [u8; 3], attempt: u32) -> ChaCha8Rng {
    let mut key = *b"\0\0\0\0\0\0\0\0dido/topology/---/000001";
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[22..25].copy_from_slice(&code);
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(u64::from(attempt));
    rng.set_word_pos(0);
    rng
}

/// True with probability `c`, compared with 53 random bits: never for 0, always for 1.
pub(super) fn coin(c: f64, rng: &mut impl Rng) -> bool {
    ((rng.next_u64() >> 11) as f64) < c * (1_u64 << 53) as f64
}

/// A uniform number below `bound >= 1`: the upper half of a 64-bit word times `bound`, drawn again while the lower half
/// is below `2^64 mod bound` (Lemire, *Fast random integer generation in an interval*, 2019). Exactly uniform.
#[allow(clippy::cast_possible_truncation, reason = "the two halves of a 128-bit product; the upper is below `bound`")]
pub(super) fn below(bound: usize, rng: &mut impl Rng) -> usize {
    let bound = bound as u64;
    loop {
        let product = u128::from(rng.next_u64()) * u128::from(bound);
        let low = product as u64;
        // The remainder is below `bound`: most draws do without the division.
        if low >= bound || low >= bound.wrapping_neg() % bound {
            return (product >> 64) as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source whose words are given.
    struct Words(std::vec::IntoIter<u64>);

    impl rand::TryRng for Words {
        type Error = std::convert::Infallible;

        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            unreachable!("not used")
        }

        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            Ok(self.0.next().expect("a word"))
        }

        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
            unreachable!("not used")
        }
    }

    /// `2^64 = 3 * 0x5555_5555_5555_5555 + 1`: of the words 0, 1, 2, ... only 0 leaves a lower half below 1.
    #[test]
    fn a_number_below_three_is_the_upper_half_of_a_product() {
        let third = u64::MAX / 3;
        let mut words = Words(vec![0, 1, third, third + 1, 2 * third, 2 * third + 1, u64::MAX].into_iter());
        // The word 0 is drawn again; the other six are two for each number.
        let drawn: Vec<usize> = (0..6).map(|_| below(3, &mut words)).collect();
        assert_eq!(drawn, [0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn a_coin_of_probability_zero_or_one_is_no_chance() {
        let mut words = Words(vec![0, u64::MAX, 1 << 63, (1 << 63) - 1].into_iter());
        assert!(!coin(0.0, &mut words));
        assert!(coin(1.0, &mut words));
        assert!(!coin(0.5, &mut words));
        assert!(coin(0.5, &mut words));
    }
}
