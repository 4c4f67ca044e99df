//! Graphs of communities, given that they are connected.

use ndarray::{Array2, ArrayView2};
use rand::Rng;

use super::sampling::{ConnectedSample, check_nodes, connected, stream};
use super::skips::{Skips, select};
use crate::TopologyError;

const NAME: &str = "block-model";

/// The planted partition: two nodes of the same block are joined with probability `p_in`, two of different blocks with
/// `p_out`; see [`stochastic_block_model_with`].
///
/// # Errors
/// As for [`stochastic_block_model_with`].
pub fn stochastic_block_model(
    sizes: &[usize],
    p_in: f64,
    p_out: f64,
    seed: u64,
) -> Result<ConnectedSample, TopologyError> {
    for (name, p) in [("p-in", p_in), ("p-out", p_out)] {
        if !(0.0..=1.0).contains(&p) {
            return Err(TopologyError::parameter(NAME, name, "in [0, 1]", p));
        }
    }
    let p = Array2::from_shape_fn((sizes.len(), sizes.len()), |(a, b)| if a == b { p_in } else { p_out });
    stochastic_block_model_with(sizes, p.view(), seed)
}

/// The stochastic block model (Holland, Laskey and Leinhardt, 1983), drawn again until the graph is connected: a node
/// of block `a` and one of block `b` are joined with probability `p[a, b]`, independently.
///
/// | parameter | range | meaning |
/// |---|---|---|
/// | `sizes` | each at least 1 | nodes of each block; block 0 has the first numbers, then comes block 1, ... |
/// | `p` | blocks x blocks, 0 to 1, symmetric | probability of an edge between two blocks |
/// | `seed` | any | equal seeds give equal graphs, on every platform and in every version |
///
/// # Algorithm
/// Attempt `t` reads stream `t` of `ChaCha8` keyed with the seed (64 bits, little endian) and
/// `dido/topology/sbm/000001`. The pairs of blocks are met in the order (0,0), (1,0), (1,1), (2,0), ..., each by the
/// skips of [`erdos_renyi`](super::erdos_renyi) over the nodes of the first block and, for each of them, the nodes of
/// the second (its predecessors within a single block).
///
/// # Errors
/// If there is no block, a block is empty, `p` has another shape, is not symmetric or leaves `[0, 1]`, or none of
/// [`MAX_ATTEMPTS`](super::MAX_ATTEMPTS) graphs is connected.
///
/// # Complexity
/// `O(n blocks + edges log(1/p))` per attempt.
#[allow(clippy::needless_pass_by_value, reason = "array views are passed by value, as slices are")]
pub fn stochastic_block_model_with(
    sizes: &[usize],
    p: ArrayView2<'_, f64>,
    seed: u64,
) -> Result<ConnectedSample, TopologyError> {
    if sizes.is_empty() || sizes.contains(&0) {
        let value = format!("{sizes:?}");
        return Err(TopologyError::parameter(NAME, "sizes", "one or more blocks of at least 1 node", value));
    }
    let blocks = sizes.len();
    if p.dim() != (blocks, blocks) {
        let (rows, columns) = p.dim();
        let value = format!("{rows} x {columns}");
        return Err(TopologyError::parameter(NAME, "p", format!("{blocks} x {blocks}, one row per block"), value));
    }
    for ((a, b), &value) in p.indexed_iter() {
        // Mirrored probabilities have to be the same number; -0.0 is 0.
        if !(0.0..=1.0).contains(&value) || (value - p[[b, a]]).abs() > 0.0 {
            let value = format!("{value} for blocks {a} and {b}");
            return Err(TopologyError::parameter(NAME, "p", "in [0, 1] and symmetric", value));
        }
    }
    let nodes = sizes.iter().fold(0, |sum: usize, &size| sum.saturating_add(size));
    check_nodes(nodes)?;
    let skips =
        Array2::from_shape_fn((blocks, blocks), |(a, b)| Skips::new(p[[a, b]], sizes[a] as f64 * sizes[b] as f64));
    let law = format!("{blocks} blocks and these edge probabilities");
    connected(nodes, &law, "them", |attempt| Some(draw(sizes, &skips, &mut stream(seed, *b"sbm", attempt))))
}

fn draw(sizes: &[usize], skips: &Array2<Skips>, rng: &mut impl Rng) -> Vec<(usize, usize)> {
    let mut edges = Vec::new();
    let mut first_a = 0;
    for (a, &size_a) in sizes.iter().enumerate() {
        let mut first_b = 0;
        for (b, &size_b) in sizes[..=a].iter().enumerate() {
            let visit = |i, j| edges.push((first_b + j, first_a + i));
            let len = |i| if a == b { i } else { size_b };
            select(size_a, len, &skips[[a, b]], rng, visit);
            first_b += size_b;
        }
        first_a += size_a;
    }
    edges
}
