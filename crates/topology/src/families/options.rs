//! What a command line knows of a family.

use std::path::PathBuf;

use crate::TopologyError;

/// The parameters of all families under the names of the literature; each family takes some of them, see
/// [`FamilyInfo`](super::FamilyInfo).
///
/// A family whose size follows from other options checks `nodes` against them if it is given. The feature `serde` makes
/// the options keys of a file, the feature `clap` arguments of a command line, whose help says what is said here.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Options {
    /// Number of nodes.
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub nodes: Option<usize>,
    /// Probability of an edge (erdos-renyi), or of rewiring one (watts-strogatz).
    #[cfg_attr(feature = "clap", arg(long))]
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub p: Option<f64>,
    /// Number of edges (erdos-renyi, instead of p).
    #[cfg_attr(feature = "clap", arg(long, value_name = "M"))]
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub edges: Option<usize>,
    /// Degree of every node (random-regular), in the ring (watts-strogatz), on arrival (barabasi-albert).
    #[cfg_attr(feature = "clap", arg(long, value_name = "D"))]
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub degree: Option<usize>,
    /// Rows of a grid or torus.
    #[cfg_attr(feature = "clap", arg(long))]
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub rows: Option<usize>,
    /// Columns of a grid or torus.
    #[cfg_attr(feature = "clap", arg(long))]
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub cols: Option<usize>,
    /// Sides of a grid or torus of any dimension, for example 3,4,5.
    #[cfg_attr(feature = "clap", arg(long, value_delimiter = ','))]
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub dims: Option<Vec<usize>>,
    /// Nodes of the clique (lollipop) or of each of the two (barbell).
    #[cfg_attr(feature = "clap", arg(long, value_name = "K"))]
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub clique: Option<usize>,
    /// Nodes of the path outside the cliques (barbell, lollipop).
    #[cfg_attr(feature = "clap", arg(long, value_name = "L"))]
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub path: Option<usize>,
    /// Reach of a node in sides of the square (geometric).
    #[cfg_attr(feature = "clap", arg(long, value_name = "R"))]
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub radius: Option<f64>,
    /// Base of the distances (exponential); by default 2.
    #[cfg_attr(feature = "clap", arg(long, value_name = "B"))]
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub base: Option<usize>,
    /// Nodes of each block (block-model), for example 20,30.
    #[cfg_attr(feature = "clap", arg(long, value_delimiter = ','))]
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub sizes: Option<Vec<usize>>,
    /// Number of blocks, as equal as can be (block-model, instead of sizes).
    #[cfg_attr(feature = "clap", arg(long, value_name = "K"))]
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub blocks: Option<usize>,
    /// Probability of an edge within a block (block-model).
    #[cfg_attr(feature = "clap", arg(long, value_name = "P"))]
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub p_in: Option<f64>,
    /// Probability of an edge between blocks (block-model).
    #[cfg_attr(feature = "clap", arg(long, value_name = "P"))]
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub p_out: Option<f64>,
    /// The public seed of a random family; by default 0.
    #[cfg_attr(feature = "clap", arg(long))]
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub seed: Option<u64>,
    /// The file of a graph that is read (edge-list, graphml, dot).
    #[cfg_attr(feature = "clap", arg(long))]
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub file: Option<PathBuf>,
}

impl Options {
    /// The names of the options that are given, as a command line writes them (without dashes in front).
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        // Taken apart field by field, so that a new one cannot be forgotten here.
        let Self {
            nodes,
            p,
            edges,
            degree,
            rows,
            cols,
            dims,
            clique,
            path,
            radius,
            base,
            sizes,
            blocks,
            p_in,
            p_out,
            seed,
            file,
        } = self;
        [
            ("nodes", nodes.is_some()),
            ("p", p.is_some()),
            ("edges", edges.is_some()),
            ("degree", degree.is_some()),
            ("rows", rows.is_some()),
            ("cols", cols.is_some()),
            ("dims", dims.is_some()),
            ("clique", clique.is_some()),
            ("path", path.is_some()),
            ("radius", radius.is_some()),
            ("base", base.is_some()),
            ("sizes", sizes.is_some()),
            ("blocks", blocks.is_some()),
            ("p-in", p_in.is_some()),
            ("p-out", p_out.is_some()),
            ("seed", seed.is_some()),
            ("file", file.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, given)| given.then_some(name))
    }
}

/// The options of one family, with errors that name it.
pub(super) struct Ask<'a> {
    pub family: &'static str,
    pub options: &'a Options,
}

impl Ask<'_> {
    /// An option without which there is no graph.
    pub fn need<T>(&self, option: Option<T>, name: &'static str) -> Result<T, TopologyError> {
        option.ok_or(TopologyError::MissingOption { family: self.family, option: name })
    }

    pub fn nodes(&self) -> Result<usize, TopologyError> {
        self.need(self.options.nodes, "nodes")
    }

    pub fn seed(&self) -> u64 {
        self.options.seed.unwrap_or(0)
    }

    /// The sides of a grid: as given, or those of the rectangle nearest to a square.
    pub fn sides(&self) -> Result<Vec<usize>, TopologyError> {
        let Options { nodes, rows, cols, dims, .. } = self.options;
        if let Some(dims) = dims {
            if rows.is_some() || cols.is_some() {
                return Err(self.exclusive("dims or rows and cols"));
            }
            return Ok(dims.clone());
        }
        if let (Some(rows), Some(cols)) = (rows, cols) {
            return Ok(vec![*rows, *cols]);
        }
        let nodes = self.need(*nodes, "nodes, or rows and cols, or dims")?;
        let other = |side: usize, name| match nodes.checked_rem(side) {
            Some(0) => Ok(nodes / side),
            _ => Err(TopologyError::parameter(self.family, name, format!("a divisor of the {nodes} nodes"), side)),
        };
        match (rows, cols) {
            (Some(rows), _) => Ok(vec![*rows, other(*rows, "rows")?]),
            (_, Some(cols)) => Ok(vec![other(*cols, "cols")?, *cols]),
            _ => {
                let rows = (1..=nodes.isqrt()).rev().find(|rows| nodes.is_multiple_of(*rows)).unwrap_or(nodes);
                Ok(vec![rows, nodes.checked_div(rows).unwrap_or(0)])
            }
        }
    }

    /// The sizes of `cliques` equal cliques and of the path; `usual` is the clique in a graph of so many nodes.
    pub fn clique_and_path(
        &self,
        cliques: usize,
        usual: impl Fn(usize) -> usize,
    ) -> Result<(usize, usize), TopologyError> {
        let clique = match (self.options.clique, self.options.path) {
            (Some(clique), Some(path)) => return Ok((clique, path)),
            (Some(clique), None) => clique,
            (None, Some(_)) => self.need(None, "clique")?,
            (None, None) => usual(self.nodes()?).max(2),
        };
        let nodes = self.need(self.options.nodes, "nodes or path")?;
        let path = clique.checked_mul(cliques).and_then(|inside| nodes.checked_sub(inside));
        let least = || format!("at least {cliques} x {clique}, the cliques");
        Ok((clique, path.ok_or_else(|| TopologyError::parameter(self.family, "nodes", least(), nodes))?))
    }

    /// The sizes of the blocks: as given, or as equal as can be.
    pub fn block_sizes(&self) -> Result<Vec<usize>, TopologyError> {
        match (&self.options.sizes, self.options.blocks) {
            (Some(_), Some(_)) => Err(self.exclusive("sizes or blocks")),
            (Some(sizes), None) => Ok(sizes.clone()),
            (None, None) => self.need(None, "sizes, or nodes and blocks"),
            (None, Some(blocks)) => {
                let nodes = self.nodes()?;
                if blocks == 0 || blocks > nodes {
                    let range = format!("1 to {nodes}, the nodes");
                    return Err(TopologyError::parameter(self.family, "blocks", range, blocks));
                }
                Ok((0..blocks).map(|b| nodes / blocks + usize::from(b < nodes % blocks)).collect())
            }
        }
    }

    /// Two options of which only one may be given.
    pub fn exclusive(&self, options: &'static str) -> TopologyError {
        TopologyError::ExclusiveOptions { family: self.family, options }
    }
}
