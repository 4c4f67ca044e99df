//! The families by name, for a command line and for tables.

use std::f64::consts::PI;

use super::options::{Ask, Options};
use super::{
    ConnectedSample, barabasi_albert, barbell, binary_tree, complete, dot, edge_list, erdos_renyi, erdos_renyi_edges,
    exponential, graphml, grid, hypercube_of, lollipop, margulis_of, one_peer_exponential, path, random_geometric,
    random_regular, ring, star, stochastic_block_model, torus, watts_strogatz,
};
use crate::TopologyError;

/// A family by name.
#[derive(Clone, Copy, Debug)]
pub struct FamilyInfo {
    /// Its name on a command line.
    pub name: &'static str,
    /// The names of the [`Options`] that it takes; all others are refused.
    pub options: &'static [&'static str],
    /// Nodes and edges in one sentence, with what is assumed where an option is not given.
    pub definition: &'static str,
    /// Second largest singular value with Metropolis weights: a closed form, or how it grows with the nodes `n`.
    pub lambda: &'static str,
    /// Edges to be expected, or somewhat more; 0 where only a file knows.
    edges: fn(&Ask<'_>) -> Result<f64, TopologyError>,
    build: fn(&Ask<'_>) -> Result<ConnectedSample, TopologyError>,
}

/// Graphs of more edges are not built by name: with their weights they would take some two gigabytes.
pub const MOST_EDGES: usize = 16_000_000;

impl FamilyInfo {
    /// The graph of this family with the given options.
    ///
    /// # Errors
    /// If an option is missing, not one of this family, excludes another or leaves its range, if `nodes` contradicts
    /// the other options, if no connected graph is found, or, before anything is allocated, if more than [`MOST_EDGES`]
    /// edges are to be expected.
    pub fn build(&self, options: &Options) -> Result<ConnectedSample, TopologyError> {
        if let Some(option) = options.given().find(|option| !self.options.contains(option)) {
            let known = self.options.join(", ");
            return Err(TopologyError::UnknownOption { family: self.name, option, options: known });
        }
        let ask = Ask { family: self.name, options };
        let edges = (self.edges)(&ask)?;
        if edges > MOST_EDGES as f64 {
            return Err(TopologyError::GraphTooLarge { family: self.name, edges, limit: MOST_EDGES });
        }
        let sample = (self.build)(&ask)?;
        let nodes = sample.graph.nodes();
        if let Some(asked) = options.nodes.filter(|&asked| asked != nodes) {
            let implied = format!("{nodes}, which the other options imply");
            return Err(TopologyError::parameter(self.name, "nodes", implied, asked));
        }
        Ok(sample)
    }

    /// Whether the graph depends on a seed.
    pub fn is_random(&self) -> bool {
        self.options.contains(&"seed")
    }
}

/// The graph of the family with this name.
///
/// ```
/// use dido_topology::families::{self, Options};
///
/// let sample = families::build("torus", &Options { rows: Some(3), cols: Some(4), ..Options::default() })?;
/// assert_eq!(sample.graph, families::torus(&[3, 4])?);
///
/// let refused = families::build("ring", &Options { nodes: Some(9), p: Some(0.5), ..Options::default() });
/// assert_eq!(refused.unwrap_err().to_string(), "ring has no option 'p'; its options are nodes");
/// # Ok::<(), dido_topology::TopologyError>(())
/// ```
///
/// # Errors
/// If there is no such family (the error lists them), and those of [`FamilyInfo::build`].
pub fn build(name: &str, options: &Options) -> Result<ConnectedSample, TopologyError> {
    let family = ALL.iter().find(|family| family.name == name).ok_or_else(|| {
        let known = ALL.iter().map(|family| family.name).collect::<Vec<_>>().join(", ");
        TopologyError::UnknownFamily { name: name.to_owned(), known }
    })?;
    family.build(options)
}

fn nodes(ask: &Ask<'_>) -> Result<f64, TopologyError> {
    Ok(ask.nodes()? as f64)
}

fn degree(ask: &Ask<'_>) -> Result<f64, TopologyError> {
    Ok(ask.need(ask.options.degree, "degree")?.min(ask.nodes()?) as f64)
}

fn pairs(nodes: f64) -> f64 {
    nodes * (nodes - 1.0) / 2.0
}

/// Edges of a box in which each node has `ahead(side)` edges along each direction, on average.
fn in_box(sides: &[usize], ahead: impl Fn(f64) -> f64) -> f64 {
    let nodes: f64 = sides.iter().map(|&side| side as f64).product();
    nodes * sides.iter().map(|&side| ahead(side as f64)).sum::<f64>()
}

/// The clique of a barbell of so many nodes, if it is not given.
fn third(nodes: usize) -> usize {
    nodes / 3
}

/// The clique of a lollipop of so many nodes, if it is not given.
fn half(nodes: usize) -> usize {
    nodes.div_ceil(2)
}

/// All families, deterministic ones first, then random ones, then files.
pub const ALL: &[FamilyInfo] = &[
    FamilyInfo {
        name: "ring",
        options: &["nodes"],
        definition: "each node and the next, in a circle",
        lambda: "1/3 + 2/3 cos(2 pi / n), n >= 3",
        edges: |ask| nodes(ask),
        build: |ask| Ok(ring(ask.nodes()?)?.into()),
    },
    FamilyInfo {
        name: "path",
        options: &["nodes"],
        definition: "each node and the next",
        lambda: "1/3 + 2/3 cos(pi / n), n >= 3",
        edges: |ask| nodes(ask),
        build: |ask| Ok(path(ask.nodes()?)?.into()),
    },
    FamilyInfo {
        name: "star",
        options: &["nodes"],
        definition: "node 0 and every other",
        lambda: "1 - 1/n, n >= 3",
        edges: |ask| nodes(ask),
        build: |ask| Ok(star(ask.nodes()?)?.into()),
    },
    FamilyInfo {
        name: "complete",
        options: &["nodes"],
        definition: "all pairs",
        lambda: "0",
        edges: |ask| Ok(pairs(nodes(ask)?)),
        build: |ask| Ok(complete(ask.nodes()?)?.into()),
    },
    FamilyInfo {
        name: "binary-tree",
        options: &["nodes"],
        definition: "node i and its parent (i - 1) / 2",
        lambda: "1 - Theta(1/n)",
        edges: |ask| nodes(ask),
        build: |ask| Ok(binary_tree(ask.nodes()?)?.into()),
    },
    FamilyInfo {
        name: "grid",
        options: &["nodes", "rows", "cols", "dims"],
        definition: "points of a box that differ by 1 in one coordinate; from nodes alone, the rectangle \
                     nearest to a square",
        lambda: "1 - Theta(1/s^2) for the longest side s",
        edges: |ask| Ok(in_box(&ask.sides()?, |side| 1.0 - 1.0 / side)),
        build: |ask| Ok(grid(&ask.sides()?)?.into()),
    },
    FamilyInfo {
        name: "torus",
        options: &["nodes", "rows", "cols", "dims"],
        definition: "a grid with its lines closed to rings; from nodes alone, the rectangle nearest to a square",
        lambda: "1 - 2 (1 - cos(2 pi / s)) / (2 d + 1) for d sides of at least 3, the longest s",
        edges: |ask| Ok(in_box(&ask.sides()?, |side| ((side - 1.0) / 2.0).min(1.0))),
        build: |ask| Ok(torus(&ask.sides()?)?.into()),
    },
    FamilyInfo {
        name: "hypercube",
        options: &["nodes"],
        definition: "numbers below 2^d that differ in one binary digit; n = 2^d",
        lambda: "(d - 1) / (d + 1), d >= 1",
        edges: |ask| Ok(nodes(ask)? * nodes(ask)?.log2() / 2.0),
        build: |ask| Ok(hypercube_of(ask.nodes()?)?.into()),
    },
    FamilyInfo {
        name: "barbell",
        options: &["nodes", "clique", "path"],
        definition: "two cliques joined by a path; from nodes alone, thirds (cliques of n / 3, the path the rest)",
        lambda: "1 - Theta(1/n^2)",
        edges: |ask| {
            let (clique, path) = ask.clique_and_path(2, third)?;
            Ok(2.0 * pairs(clique as f64) + path as f64 + 1.0)
        },
        build: |ask| {
            let (clique, path) = ask.clique_and_path(2, third)?;
            Ok(barbell(clique, path)?.into())
        },
    },
    FamilyInfo {
        name: "lollipop",
        options: &["nodes", "clique", "path"],
        definition: "a clique and a path on it; from nodes alone, halves (the clique the larger one)",
        lambda: "1 - Theta(1/n^2)",
        edges: |ask| {
            let (clique, path) = ask.clique_and_path(1, half)?;
            Ok(pairs(clique as f64) + path as f64)
        },
        build: |ask| {
            let (clique, path) = ask.clique_and_path(1, half)?;
            Ok(lollipop(clique, path)?.into())
        },
    },
    FamilyInfo {
        name: "exponential",
        options: &["nodes", "base"],
        definition: "i and i +- base^k modulo n, for base^k < n; base 2 unless given",
        lambda: "1 - 2 / log2(n) for base 2 and n = 2^k, k >= 2",
        edges: |ask| Ok(nodes(ask)? * nodes(ask)?.log(ask.options.base.unwrap_or(2).max(2) as f64).ceil()),
        build: |ask| Ok(exponential(ask.nodes()?, ask.options.base.unwrap_or(2))?.into()),
    },
    FamilyInfo {
        name: "one-peer-exponential",
        options: &["nodes"],
        definition: "all edges of the one-peer exponential sequence: i and i +- 2^k modulo n",
        lambda: "of this union of the rounds: as exponential",
        edges: |ask| Ok(nodes(ask)? * nodes(ask)?.log2().ceil()),
        build: |ask| Ok(one_peer_exponential(ask.nodes()?)?.into()),
    },
    FamilyInfo {
        name: "margulis",
        options: &["nodes"],
        definition: "the Margulis-Gabber-Galil expander on Z_m x Z_m, n = m^2, without loops and parallel edges",
        lambda: "bounded away from 1 for all n",
        edges: |ask| Ok(4.0 * nodes(ask)?),
        build: |ask| Ok(margulis_of(ask.nodes()?)?.into()),
    },
    FamilyInfo {
        name: "erdos-renyi",
        options: &["nodes", "p", "edges", "seed"],
        definition: "every pair with probability p, or a uniform set of so many edges, given that the graph is \
                     connected",
        lambda: "random; about 2 sqrt((1 - p) / (n p)) when n p is far above ln n",
        edges: |ask| {
            let all = pairs(nodes(ask)?);
            Ok(match (ask.options.p, ask.options.edges) {
                (_, Some(edges)) => all.min(edges as f64),
                (p, None) => all * ask.need(p, "p or edges")?.clamp(0.0, 1.0),
            })
        },
        build: |ask| match (ask.options.p, ask.options.edges) {
            (Some(p), None) => erdos_renyi(ask.nodes()?, p, ask.seed()),
            (None, Some(edges)) => erdos_renyi_edges(ask.nodes()?, edges, ask.seed()),
            (None, None) => ask.need(None, "p or edges"),
            (Some(_), Some(_)) => Err(ask.exclusive("p or edges")),
        },
    },
    FamilyInfo {
        name: "random-regular",
        options: &["nodes", "degree", "seed"],
        definition: "a random graph with the same degree d at every node, given that it is connected",
        lambda: "random; tends to (1 + 2 sqrt(d - 1)) / (d + 1) for d >= 3",
        edges: |ask| Ok(nodes(ask)? * degree(ask)? / 2.0),
        build: |ask| random_regular(ask.nodes()?, ask.need(ask.options.degree, "degree")?, ask.seed()),
    },
    FamilyInfo {
        name: "watts-strogatz",
        options: &["nodes", "degree", "p", "seed"],
        definition: "a ring of so many nearest neighbours, each edge rewired with probability p, given that it \
                     is connected",
        lambda: "random; from 1 - Theta(degree^2 / n^2) for p = 0 to that of a random graph",
        edges: |ask| Ok(nodes(ask)? * degree(ask)? / 2.0),
        build: |ask| {
            let degree = ask.need(ask.options.degree, "degree")?;
            watts_strogatz(ask.nodes()?, degree, ask.need(ask.options.p, "p")?, ask.seed())
        },
    },
    FamilyInfo {
        name: "barabasi-albert",
        options: &["nodes", "degree", "seed"],
        definition: "each new node joins so many earlier ones, preferring those of high degree",
        lambda: "random; no closed form",
        edges: |ask| Ok(nodes(ask)? * degree(ask)?),
        build: |ask| Ok(barabasi_albert(ask.nodes()?, ask.need(ask.options.degree, "degree")?, ask.seed())?.into()),
    },
    FamilyInfo {
        name: "geometric",
        options: &["nodes", "radius", "seed"],
        definition: "uniform points of the unit square at most radius apart, given that the graph is connected",
        lambda: "random; 1 - Theta(radius^2)",
        edges: |ask| {
            let disc = ask.need(ask.options.radius, "radius")?.powi(2) * PI;
            Ok(pairs(nodes(ask)?) * disc.clamp(0.0, 1.0))
        },
        build: |ask| random_geometric(ask.nodes()?, ask.need(ask.options.radius, "radius")?, ask.seed()),
    },
    FamilyInfo {
        name: "block-model",
        options: &["nodes", "sizes", "blocks", "p-in", "p-out", "seed"],
        definition: "pairs within a block with probability p-in, others with p-out, given that the graph is connected",
        lambda: "random; about (p_in - p_out) / (p_in + p_out) for two equal dense blocks",
        edges: |ask| {
            let sizes = ask.block_sizes()?;
            let all = pairs(sizes.iter().map(|&size| size as f64).sum());
            let within: f64 = sizes.iter().map(|&size| pairs(size as f64)).sum();
            let [p_in, p_out] = [ask.options.p_in, ask.options.p_out].map(|p| p.unwrap_or(0.0).clamp(0.0, 1.0));
            Ok(p_in * within + p_out * (all - within))
        },
        build: |ask| {
            let p_in = ask.need(ask.options.p_in, "p-in")?;
            let p_out = ask.need(ask.options.p_out, "p-out")?;
            stochastic_block_model(&ask.block_sizes()?, p_in, p_out, ask.seed())
        },
    },
    FamilyInfo {
        name: "edge-list",
        options: &["nodes", "file"],
        definition: "from a text file, one edge 'i j' per line",
        lambda: "any",
        edges: |_| Ok(0.0),
        build: |ask| Ok(edge_list::read(ask.need(ask.options.file.as_ref(), "file")?)?.into()),
    },
    FamilyInfo {
        name: "graphml",
        options: &["nodes", "file"],
        definition: "from a GraphML file, nodes numbered as they stand",
        lambda: "any",
        edges: |_| Ok(0.0),
        build: |ask| Ok(graphml::read(ask.need(ask.options.file.as_ref(), "file")?)?.graph.into()),
    },
    FamilyInfo {
        name: "dot",
        options: &["nodes", "file"],
        definition: "from a DOT file, nodes numbered as they first appear",
        lambda: "any",
        edges: |_| Ok(0.0),
        build: |ask| Ok(dot::read(ask.need(ask.options.file.as_ref(), "file")?)?.graph.into()),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Of every family without a seed and a file, at every size that it has up to 40: no fewer than there are, and at
    /// most one for each node more, but where edges that meet are one edge.
    #[test]
    fn expected_edges_are_those_of_the_graph_or_a_little_more() {
        for family in ALL.iter().filter(|family| !family.is_random() && !family.options.contains(&"file")) {
            for nodes in 1..=40 {
                let options = Options { nodes: Some(nodes), ..Options::default() };
                let Ok(sample) = family.build(&options) else { continue };
                let edges = sample.graph.edges().count() as f64;
                let expected = (family.edges)(&Ask { family: family.name, options: &options }).unwrap();
                let more = match family.name {
                    "exponential" | "one-peer-exponential" => 6.0,
                    "margulis" => 4.0,
                    _ => 1.0,
                };
                assert!(
                    (edges - 1e-9..=edges + more * nodes as f64).contains(&expected),
                    "{} {nodes}: {expected}",
                    family.name
                );
            }
        }
    }
}
