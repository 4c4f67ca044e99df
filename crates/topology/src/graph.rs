//! Who talks to whom.

use petgraph::graph::{NodeIndex, UnGraph};
use petgraph::unionfind::UnionFind;

use crate::{Components, TopologyError};

/// A connected, simple, undirected graph on the nodes `0..n`, `n >= 1`.
///
/// Every constructor checks these properties, so whoever holds a `Graph` may rely on them. Two graphs are equal when
/// they have the same nodes and edges, whatever the order in which the edges were given.
#[derive(Clone, Debug)]
pub struct Graph {
    petgraph: UnGraph<(), ()>,
    /// Row `i` of the neighbour lists is `neighbours[offsets[i]..offsets[i + 1]]`.
    offsets: Vec<usize>,
    neighbours: Vec<usize>,
}

impl Graph {
    /// A graph on the nodes `0..nodes` with the given edges, each given once, in either direction.
    ///
    /// # Errors
    /// If there is no node, an end is out of range, an edge joins a node to itself or is given twice, or the graph is
    /// not connected (the error lists the components).
    ///
    /// # Complexity
    /// `O(nodes + edges log edges)`.
    pub fn from_edges(nodes: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Result<Self, TopologyError> {
        if nodes == 0 {
            return Err(TopologyError::NoNodes);
        }
        if nodes >= u32::MAX as usize {
            return Err(TopologyError::TooManyNodes { nodes });
        }
        let mut ordered = Vec::new();
        for (i, j) in edges {
            if i >= nodes || j >= nodes {
                return Err(TopologyError::EndOutOfRange { i, j, nodes });
            }
            if i == j {
                return Err(TopologyError::SelfLoop { node: i });
            }
            ordered.push((i.min(j), i.max(j)));
        }
        ordered.sort_unstable();
        if let Some(pair) = ordered.windows(2).find(|pair| pair[0] == pair[1]) {
            let (i, j) = pair[0];
            return Err(TopologyError::DuplicateEdge { i, j });
        }
        check_connected(nodes, &ordered)?;
        Ok(Self::from_ordered(nodes, &ordered))
    }

    /// The same graph from petgraph; node `k` is `NodeIndex(k)`.
    ///
    /// # Errors
    /// As for [`from_edges`](Self::from_edges).
    pub fn from_petgraph<N, E>(graph: &UnGraph<N, E>) -> Result<Self, TopologyError> {
        let edges = graph.edge_indices().filter_map(|e| graph.edge_endpoints(e));
        Self::from_edges(graph.node_count(), edges.map(|(i, j)| (i.index(), j.index())))
    }

    /// Edges are valid, distinct, `i < j` and ascending.
    fn from_ordered(nodes: usize, edges: &[(usize, usize)]) -> Self {
        let mut offsets = vec![0; nodes + 1];
        for &(i, j) in edges {
            offsets[i + 1] += 1;
            offsets[j + 1] += 1;
        }
        for i in 0..nodes {
            offsets[i + 1] += offsets[i];
        }
        // Ascending edges fill every list in order: first the smaller neighbours of a node, then the larger ones.
        let mut next = offsets.clone();
        let mut neighbours = vec![0; 2 * edges.len()];
        let mut place = |at: usize, neighbour| {
            neighbours[next[at]] = neighbour;
            next[at] += 1;
        };
        for &(i, j) in edges {
            place(j, i);
        }
        for &(i, j) in edges {
            place(i, j);
        }
        let mut petgraph = UnGraph::with_capacity(nodes, edges.len());
        for _ in 0..nodes {
            petgraph.add_node(());
        }
        for &(i, j) in edges {
            petgraph.add_edge(NodeIndex::new(i), NodeIndex::new(j), ());
        }
        Self { petgraph, offsets, neighbours }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The edges `(i, j)`, `i < j`, ascending.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.nodes()).flat_map(|i| self.neighbours(i).iter().filter(move |&&j| i < j).map(move |&j| (i, j)))
    }

    /// The neighbours of node `i`, ascending, without `i` itself.
    ///
    /// # Panics
    /// If the graph has no node `i`.
    pub fn neighbours(&self, i: usize) -> &[usize] {
        &self.neighbours[self.offsets[i]..self.offsets[i + 1]]
    }

    /// How many neighbours node `i` has.
    ///
    /// # Panics
    /// If the graph has no node `i`.
    pub fn degree(&self, i: usize) -> usize {
        self.offsets[i + 1] - self.offsets[i]
    }

    /// The longest shortest path, in edges: so many rounds pass until every node can have heard of every other.
    ///
    /// # Complexity
    /// `O(nodes * (nodes + edges))`: one breadth-first search per node.
    pub fn diameter(&self) -> usize {
        let mut distance = Vec::new();
        let mut queue = Vec::with_capacity(self.nodes());
        (0..self.nodes()).map(|start| self.eccentricity(start, &mut distance, &mut queue)).max().unwrap_or(0)
    }

    fn eccentricity(&self, start: usize, distance: &mut Vec<usize>, queue: &mut Vec<usize>) -> usize {
        distance.clear();
        distance.resize(self.nodes(), usize::MAX);
        distance[start] = 0;
        queue.clear();
        queue.push(start);
        let mut head = 0;
        while let Some(&i) = queue.get(head) {
            head += 1;
            for &j in self.neighbours(i) {
                if distance[j] == usize::MAX {
                    distance[j] = distance[i] + 1;
                    queue.push(j);
                }
            }
        }
        queue.last().map_or(0, |&farthest| distance[farthest])
    }

    /// The petgraph inside, for its algorithms and writers.
    pub fn as_petgraph(&self) -> &UnGraph<(), ()> {
        &self.petgraph
    }
}

impl PartialEq for Graph {
    fn eq(&self, other: &Self) -> bool {
        self.offsets == other.offsets && self.neighbours == other.neighbours
    }
}

impl Eq for Graph {}

fn check_connected(nodes: usize, edges: &[(usize, usize)]) -> Result<(), TopologyError> {
    let mut sets = UnionFind::new(nodes);
    let joined = edges.iter().filter(|&&(i, j)| sets.union(i, j)).count();
    if joined + 1 == nodes {
        return Ok(());
    }
    let label = sets.into_labeling();
    let mut position = vec![usize::MAX; nodes];
    let mut components: Vec<Vec<usize>> = Vec::new();
    for node in 0..nodes {
        let place = &mut position[label[node]];
        if *place == usize::MAX {
            *place = components.len();
            components.push(Vec::new());
        }
        components[*place].push(node);
    }
    Err(TopologyError::Disconnected(Components(components)))
}
