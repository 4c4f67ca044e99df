//! Small-world graphs, given that they are connected.

use rand::Rng;

use super::sampling::{ConnectedSample, check_nodes, connected, stream};
use crate::TopologyError;
use crate::randomness::{below, heads};

/// The small-world graph of Watts and Strogatz (*Collective dynamics of small-world networks*, 1998), drawn again until
/// it is connected: a ring in which each node is joined with its `degree` nearest, half of them on each side, and each
/// edge then gets a new far end with probability `beta`.
///
/// | parameter | range | meaning |
/// |---|---|---|
/// | `n` | at least 1 | nodes |
/// | `degree` | even, 2 to `n - 1` (0 if `n` is 1) | neighbours in the ring; the mean degree afterwards |
/// | `beta` | 0 to 1 | probability (`p` in the paper) that an edge is rewired: 0 is the ring lattice, 1 nearly random |
/// | `seed` | any | equal seeds give equal graphs, on every platform and in every version |
///
/// # Algorithm
/// Attempt `a` reads stream `a` of `ChaCha8` keyed with the seed (64 bits, little endian) and
/// `dido/topology/wsw/000001`. As in the paper (and in networkx), the edges are met lap by lap: for
/// `k = 1, ..., degree / 2` and `i = 0, ..., n - 1`, the edge from `i` to `i + k`. With probability `beta` (53 bits)
/// its end `i + k` becomes a uniform node that is neither `i` nor a neighbour of `i` at that moment, `i + k` included;
/// a node joined to all others keeps its edge. `n degree / 2` edges in any case, and every node keeps at least
/// `degree / 2`.
///
/// # Errors
/// If `n` is 0, a parameter is out of its range, or none of [`MAX_ATTEMPTS`](super::MAX_ATTEMPTS) graphs is connected.
///
/// # Complexity
/// `O(n degree^2)` per attempt: the neighbours of a node are a list.
pub fn watts_strogatz(n: usize, degree: usize, beta: f64, seed: u64) -> Result<ConnectedSample, TopologyError> {
    check_nodes(n)?;
    if degree % 2 == 1 || degree >= n || (degree == 0 && n > 1) {
        let range =
            if n == 1 { "0 on 1 node".to_owned() } else { format!("even, at least 2 and below {n}, the nodes") };
        return Err(TopologyError::parameter("watts-strogatz", "degree", range, degree));
    }
    if !(0.0..=1.0).contains(&beta) {
        return Err(TopologyError::parameter("watts-strogatz", "p", "in [0, 1]", beta));
    }
    let law = format!("degree {degree} and rewiring probability {beta}");
    connected(n, &law, "degree", |attempt| Some(draw(n, degree, beta, &mut stream(seed, *b"wsw", attempt))))
}

fn draw(n: usize, degree: usize, beta: f64, rng: &mut impl Rng) -> Vec<(usize, usize)> {
    let lap = |k: usize| (0..n).map(move |i| (i, (i + k) % n));
    let mut neighbours = vec![Vec::with_capacity(2 * degree); n];
    for (i, j) in (1..=degree / 2).flat_map(lap) {
        neighbours[i].push(j);
        neighbours[j].push(i);
    }
    for (i, j) in (1..=degree / 2).flat_map(lap) {
        if !heads(beta, rng) || neighbours[i].len() + 1 == n {
            continue;
        }
        let end = loop {
            let end = below(n, rng);
            if end != i && !neighbours[i].contains(&end) {
                break end;
            }
        };
        neighbours[i].retain(|&other| other != j);
        neighbours[j].retain(|&other| other != i);
        neighbours[i].push(end);
        neighbours[end].push(i);
    }
    let larger = |(i, list): (usize, Vec<usize>)| list.into_iter().filter(move |&j| i < j).map(move |j| (i, j));
    neighbours.into_iter().enumerate().flat_map(larger).collect()
}
