//! What the random families share: the stream of a seed, and drawing again until a graph is connected.

use chacha20::ChaCha8Rng;
use petgraph::unionfind::UnionFind;

use crate::randomness::Streams;
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

/// Stream `attempt` of the [`Streams`] of the seed for `dido/topology/<code>/000001`, the code being the three letters of
/// the family.
pub(super) fn stream(seed: u64, code: [u8; 3], attempt: u32) -> ChaCha8Rng {
    let mut label = *b"dido/topology/---/000001";
    label[14..17].copy_from_slice(&code);
    Streams::new(seed, &label).stream(attempt)
}
