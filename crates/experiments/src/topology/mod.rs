//! `dido topology`: a graph, its mixing weights, and how fast they average.
//!
//! * [`Topology`]: a family and a rule by their names, built;
//! * [`Description`]: what is said of it, as text or JSON;
//! * [`compare`]: all families side by side;
//! * [`spectrum()`]: how fast weights average;
//! * [`picture`]: the graph as SVG.

pub mod compare;
pub mod picture;
mod spectrum;

use std::path::Path;

use dido_topology::consensus::Method;
use dido_topology::families::{self, Options};
use dido_topology::{Graph, MixingMatrix, TopologyError, weights};
use serde::Serialize;

use crate::error::ExperimentError;
use crate::report::significant;
use crate::spelling::suggestion;

pub use spectrum::{Spectrum, spectrum};

/// Disagreements are shrunk by this factor in the rounds that are counted.
pub const SHRINK: f64 = 1e-6;

/// More nodes than this have no dense matrix in print.
pub const MOST_PRINTED: usize = 1000;

/// A graph and its weights, by the names of the family and of the rule.
#[derive(Clone, Debug)]
pub struct Topology {
    /// The family, or `matrix` for the graph of a matrix.
    pub family: String,
    /// Its options.
    pub options: Options,
    /// The graph.
    pub graph: Graph,
    /// Graphs drawn until one was connected; 1 if nothing is random.
    pub attempts: u32,
    /// The weight rule, or `matrix` for weights from a file.
    pub rule: String,
    /// The weights.
    pub weights: MixingMatrix,
}

/// Options as a file has them, in one line; empty if none is given.
pub(crate) fn options_in_words(options: &Options) -> String {
    toml::to_string(options).unwrap_or_default().trim().replace('\n', ", ")
}

/// What is said of a graph and its weights: the keys of `dido topology --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Description {
    /// The family.
    pub family: String,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of edges; a round sends two messages over each.
    pub edges: usize,
    /// Always: what is not connected is refused.
    pub connected: bool,
    /// Neighbours of a node.
    pub degrees: Degrees,
    /// Graphs drawn until one was connected; 1 if nothing is random.
    pub attempts: u32,
    /// The weight rule.
    pub weights: String,
    /// Whether no weight is negative.
    pub nonnegative: bool,
    /// Second largest singular value of the weights; nothing if the search for it did not converge.
    pub lambda: Option<f64>,
    /// `1 - lambda`.
    pub gap: Option<f64>,
    /// How far `lambda` and `gap` may be off.
    pub error: Option<f64>,
    /// Rounds that shrink any disagreement by [`SHRINK`].
    pub rounds: Option<Rounds>,
    /// On request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge_list: Option<Vec<(usize, usize)>>,
    /// On request: the rows of the weights, zeros included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matrix: Option<Vec<Vec<f64>>>,
    /// On request: the graph in the DOT language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dot: Option<String>,
}

/// Smallest, largest and mean degree.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Degrees {
    /// The smallest.
    pub min: usize,
    /// The largest.
    pub max: usize,
    /// The mean.
    pub mean: f64,
}

/// Rounds of averaging.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Rounds {
    /// One product with the weights after the other.
    pub plain: u64,
    /// With Chebyshev's acceleration.
    pub chebyshev: u64,
}

impl Topology {
    /// The graph of a family with weights by a rule.
    ///
    /// # Errors
    /// If there is no such family or rule, the options do not fit, or the rule does not serve the graph.
    pub fn new(family: &str, options: Options, rule: &str) -> Result<Self, ExperimentError> {
        let found = weights::rule(rule).map_err(meant)?;
        let sample = families::build(family, &options).map_err(meant)?;
        let weights = found.build(&sample.graph)?;
        let (family, rule) = (family.to_owned(), rule.to_owned());
        Ok(Self { family, options, graph: sample.graph, attempts: sample.attempts, rule, weights })
    }

    /// Weights from a file, on the graph of a family; without one, on the graph of who has a weight for whom.
    ///
    /// # Errors
    /// If there is no such family, its options do not fit (none do without one), or the matrix is no mixing matrix on
    /// the graph. The error names the line of the file.
    pub fn with_matrix(family: Option<&str>, options: Options, file: &Path) -> Result<Self, ExperimentError> {
        let sample = match family {
            Some(family) => Some(families::build(family, &options).map_err(meant)?),
            None => match options.given().next() {
                Some(option) => return Err(ExperimentError::Usage(format!("--{option} is an option of a family"))),
                None => None,
            },
        };
        let attempts = sample.as_ref().map_or(1, |sample| sample.attempts);
        let (graph, weights) = weights::read(file, sample.map(|sample| sample.graph))?;
        let (family, rule) = (family.unwrap_or("matrix").to_owned(), "matrix".to_owned());
        Ok(Self { family, options, graph, attempts, rule, weights })
    }

    /// All that does not have to be asked for.
    ///
    /// # Errors
    /// If a factorisation fails. A spectrum that does not converge is left out.
    pub fn describe(&self) -> Result<Description, TopologyError> {
        let (graph, nodes, edges) = (&self.graph, self.graph.nodes(), self.graph.edges().count());
        let degrees = || (0..nodes).map(|i| graph.degree(i));
        let spectrum = spectrum(&self.family, &self.options, &self.weights)?;
        let lambda = spectrum.map(|s| s.lambda);
        let rounds = |method: Method| lambda.map(|lambda| method.rounds_at(lambda, SHRINK)).transpose();
        let (plain, chebyshev) = (rounds(Method::Plain)?, rounds(Method::Chebyshev)?);
        Ok(Description {
            family: self.family.clone(),
            nodes,
            edges,
            connected: true,
            degrees: Degrees {
                min: degrees().min().unwrap_or(0),
                max: degrees().max().unwrap_or(0),
                mean: 2.0 * edges as f64 / nodes as f64,
            },
            attempts: self.attempts,
            weights: self.rule.clone(),
            nonnegative: self.weights.is_nonnegative(),
            lambda,
            gap: spectrum.map(|s| s.gap),
            error: spectrum.map(|s| s.error),
            rounds: plain.zip(chebyshev).map(|(plain, chebyshev)| Rounds { plain, chebyshev }),
            edge_list: None,
            matrix: None,
            dot: None,
        })
    }

    /// The edges `(i, j)`, `i < j`, ascending.
    pub fn edge_list(&self) -> Vec<(usize, usize)> {
        self.graph.edges().collect()
    }

    /// The rows of the weights, zeros included.
    ///
    /// # Errors
    /// If there are more than [`MOST_PRINTED`] nodes.
    pub fn matrix(&self) -> Result<Vec<Vec<f64>>, ExperimentError> {
        let nodes = self.graph.nodes();
        if nodes > MOST_PRINTED {
            return Err(ExperimentError::Usage(format!(
                "--matrix: the graph has {nodes} nodes; matrices are printed for up to {MOST_PRINTED}"
            )));
        }
        Ok(self.weights.to_dense().rows().into_iter().map(|row| row.to_vec()).collect())
    }
}

/// The same error, with the nearest name where one is unknown.
fn meant(error: TopologyError) -> ExperimentError {
    let near = match &error {
        TopologyError::UnknownFamily { name, .. } => suggestion(name, families::ALL.iter().map(|family| family.name)),
        TopologyError::UnknownRule { name, .. } => suggestion(name, weights::ALL.iter().map(|rule| rule.name)),
        _ => String::new(),
    };
    if near.is_empty() { error.into() } else { ExperimentError::Usage(format!("{error}{near}")) }
}

impl Description {
    /// One line for each item.
    pub fn text(&self) -> String {
        let Degrees { min, max, mean } = self.degrees;
        let degrees = if min == max { min.to_string() } else { format!("{min} to {max}, mean {}", significant(mean)) };
        let signs = if self.nonnegative { "none negative" } else { "some negative" };
        let connected = match self.attempts {
            1 => "yes".to_owned(),
            attempts => format!("yes, graph {attempts} of those drawn"),
        };
        let unknown = || "not found: the search for the spectrum did not converge".to_owned();
        let with = |value: Option<f64>, show: &dyn Fn(f64) -> String| value.map_or_else(unknown, show);
        let error = self.error.unwrap_or(0.0);
        let rounds = self.rounds.map_or_else(unknown, |Rounds { plain, chebyshev }| {
            format!("{plain} shrink any disagreement by {SHRINK:e}, {chebyshev} with Chebyshev's acceleration")
        });
        [
            ("family", self.family.clone()),
            ("nodes", self.nodes.to_string()),
            ("edges", self.edges.to_string()),
            ("degrees", degrees),
            ("connected", connected),
            ("weights", format!("{}, {signs}", self.weights)),
            ("lambda", with(self.lambda, &|lambda| format!("{lambda:.10}, off by at most {error:.0e}"))),
            ("gap", with(self.gap, &significant)),
            ("rounds", rounds),
        ]
        .map(|(name, value)| format!("{name:<12}{value}"))
        .join("\n")
    }
}
