//! `[graph]`: from names and options to a graph, its weights and their sequence.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use dido_topology::families::Options;
use dido_topology::{Graph, MixingMatrix, Sequence, families, weights};

use super::{At, sequence};
use crate::config::{Baseline, Config, GraphConfig};
use crate::error::ExperimentError;
use crate::records::PlannedGraph;
use crate::topology::{self, options_in_words, spectrum};

pub(super) struct Topology {
    /// The graph with its weights, as pictures show it.
    pub shape: topology::Topology,
    pub weights: MixingMatrix,
    pub sequence: Option<Arc<dyn Sequence>>,
    pub described: PlannedGraph,
    /// The contents of the files that `[graph]` names, which are public, written in one way.
    pub files: String,
}

pub(super) fn topology(at: &At<'_>, config: &Config, folder: &Path) -> Result<Topology, ExperimentError> {
    let (graph, parties) = (&config.graph, config.data.records.len());
    let options = options(at, graph, parties, folder)?;
    let built = match &graph.kind {
        Some(kind) => Some(at.check("graph", families::build(kind, &options))?),
        None => None,
    };
    let fits = |graph: &Graph| {
        let nodes = graph.nodes();
        at.require("graph", nodes == parties, format!("it has {nodes} nodes, data.records declares {parties} parties"))
    };
    built.as_ref().map_or(Ok(()), |sample| fits(&sample.graph))?;
    let attempts = built.as_ref().map_or(1, |sample| sample.attempts);
    let (built, weights) = weigh(at, graph, built.map(|sample| sample.graph), folder)?;
    fits(&built)?;
    let mut files = files(graph, &built, &weights);
    let varying = sequence::sequence(at, config, folder, &built, &weights)?;
    let described = PlannedGraph {
        family: graph.kind.clone().unwrap_or_else(|| "matrix".to_owned()),
        options: options_in_words(&graph.options),
        edges: built.edges().count(),
        ..match &varying {
            None => averages(at, graph, &options, &weights)?,
            Some(varying) => varying.averages(&graph.weights),
        }
    };
    let sequence = varying.map(|varying| {
        files += &varying.recording;
        varying.sequence
    });
    let shape = topology::Topology {
        family: described.family.clone(),
        options,
        graph: built,
        attempts,
        rule: graph.weights.clone(),
        weights: weights.clone(),
    };
    Ok(Topology { shape, weights, sequence, described, files })
}

/// The place of the graph in a baseline.
pub(super) fn without(baseline: Baseline) -> PlannedGraph {
    let family = match baseline {
        Baseline::Centralised => "none: one party holds all records",
        Baseline::Alone => "none: the parties never talk",
    };
    PlannedGraph {
        family: family.to_owned(),
        weights: "none".to_owned(),
        lambda_in_words: "there is nothing to average".to_owned(),
        ..PlannedGraph::default()
    }
}

/// How fast fixed weights average.
fn averages(
    at: &At<'_>,
    graph: &GraphConfig,
    options: &Options,
    weights: &MixingMatrix,
) -> Result<PlannedGraph, ExperimentError> {
    let family = graph.kind.as_deref().unwrap_or_default();
    let found = at.check("graph.weights", spectrum(family, options, weights))?;
    let in_words = match found {
        Some(_) => "the second largest singular value of the weights",
        None => "the search for the spectrum of the weights did not converge",
    };
    Ok(PlannedGraph {
        weights: graph.weights.clone(),
        lambda: found.map(|spectrum| spectrum.lambda),
        gap: found.map(|spectrum| spectrum.gap),
        lambda_in_words: in_words.to_owned(),
        ..PlannedGraph::default()
    })
}

/// The options of the family, with the number of its nodes and the place of its file.
fn options(at: &At<'_>, graph: &GraphConfig, parties: usize, folder: &Path) -> Result<Options, ExperimentError> {
    let mut options = graph.options.clone();
    at.require("graph.nodes", options.nodes.is_none(), "the nodes are the parties, and data.records says how many")?;
    if graph.kind.is_none() {
        at.require("graph", graph.has_matrix(), "missing field `kind`: only a matrix can do without a family")?;
        if let Some(option) = options.given().next() {
            return Err(at.key("graph", format!("the option '{option}' belongs to a family, and there is no `kind`")));
        }
    }
    // A file says itself how many nodes it has; that they are the parties is checked later.
    options.nodes = options.file.is_none().then_some(parties);
    options.file = options.file.map(|file| folder.join(file));
    Ok(options)
}

/// The graph and its weights, by the rule or from the file; a file without a family has the graph too.
fn weigh(
    at: &At<'_>,
    graph: &GraphConfig,
    built: Option<Graph>,
    folder: &Path,
) -> Result<(Graph, MixingMatrix), ExperimentError> {
    match (&graph.matrix, built) {
        (Some(file), built) if graph.has_matrix() => at.check("graph.matrix", weights::read(folder.join(file), built)),
        (Some(_), _) => {
            Err(at.key("graph.matrix", format!("a file is read for weights = \"matrix\", not for {}", graph.weights)))
        }
        (None, Some(built)) if !graph.has_matrix() => {
            let weights = weights::rule(&graph.weights).and_then(|rule| rule.build(&built));
            Ok((built, at.check("graph.weights", weights)?))
        }
        (None, _) => Err(at.key("graph.matrix", "weights = \"matrix\" needs the file of the matrix")),
    }
}

/// The edges of a graph file, and the entries of a matrix file.
fn files(graph: &GraphConfig, built: &Graph, weights: &MixingMatrix) -> String {
    let mut text = String::new();
    // Writing into a string does not fail.
    if graph.options.file.is_some() {
        built.edges().for_each(|(i, j)| {
            let _ = write!(text, "{i}-{j} ");
        });
    }
    if graph.matrix.is_some() {
        for i in 0..weights.nodes() {
            let (columns, values) = weights.row(i);
            columns.iter().zip(values).for_each(|(j, w)| {
                let _ = write!(text, "{i} {j} {w} ");
            });
        }
    }
    text
}
