//! Scale-free graphs by preferential attachment.

use super::sampling::{check_nodes, stream};
use crate::randomness::below;
use crate::{Graph, TopologyError};

/// The graph of Barabási and Albert (*Emergence of scaling in random networks*, 1999): nodes arrive one by one, and
/// each joins `degree` of the earlier ones, preferring those of high degree. Always connected.
///
/// | parameter | range | meaning |
/// |---|---|---|
/// | `n` | at least 2 | nodes |
/// | `degree` | 1 to `n - 1` | edges that each new node brings, `m` in the paper |
/// | `seed` | any | equal seeds give equal graphs, on every platform and in every version |
///
/// The paper leaves the start open; here, as in networkx, it is the star with centre 0 and the leaves
/// `1, ..., degree`. The others arrive in the order of their numbers. `degree (n - degree)` edges.
///
/// # Algorithm
/// Stream 0 of `ChaCha8` keyed with the seed (64 bits, little endian) and `dido/topology/bar/000001`. The ends of all
/// edges so far stand in a list, the new node of each first; a new node draws uniform places of it until it has met
/// `degree` different nodes. So its first neighbour is exactly proportional to degree, and each further one
/// proportional to degree among those left.
///
/// # Errors
/// If `n` is 0 or `degree` is out of its range.
///
/// # Complexity
/// `O(n degree^2)`: the neighbours of the new node are a list.
pub fn barabasi_albert(n: usize, degree: usize, seed: u64) -> Result<Graph, TopologyError> {
    check_nodes(n)?;
    if degree == 0 || degree >= n {
        return Err(TopologyError::parameter(
            "barabasi-albert",
            "degree",
            format!("1 to {} on {n} nodes", n - 1),
            degree,
        ));
    }
    let mut rng = stream(seed, *b"bar", 0);
    // Edge after edge, both ends of each.
    let mut ends: Vec<usize> = (1..=degree).flat_map(|leaf| [0, leaf]).collect();
    let mut met = Vec::with_capacity(degree);
    for node in degree + 1..n {
        met.clear();
        while met.len() < degree {
            let other = ends[below(ends.len(), &mut rng)];
            if !met.contains(&other) {
                met.push(other);
            }
        }
        ends.extend(met.iter().flat_map(|&other| [node, other]));
    }
    Graph::from_edges(n, ends.chunks_exact(2).map(|edge| (edge[0], edge[1])))
}
