//! `[graph]`: from names and options to a graph, its weights and their sequence.

use std::path::Path;
use std::sync::Arc;

use dido_topology::sequence::{EdgeFailures, OnePeerExponential, PairwiseGossip};
use dido_topology::{Graph, MixingMatrix, Sequence, families, weights};

use super::At;
use crate::config::Config;
use crate::config::graph::SequenceConfig;
use crate::error::ExperimentError;

pub(super) struct Topology {
    pub graph: Graph,
    pub weights: MixingMatrix,
    pub sequence: Option<Arc<dyn Sequence>>,
}

pub(super) fn topology(at: &At<'_>, config: &Config, folder: &Path) -> Result<Topology, ExperimentError> {
    let (graph, nodes) = (&config.graph, config.data.records.len());
    // A file says itself how many nodes it has; that they are the parties is checked below.
    let mut options = graph.options.with_nodes(graph.options.file.is_none().then_some(nodes));
    options.file = options.file.map(|file| folder.join(file));
    let built = at.check("graph", families::build(&graph.kind, &options))?.graph;
    let found = built.nodes();
    at.require("graph", found == nodes, format!("it has {found} nodes, data.records declares {nodes} parties"))?;
    let weights = at.check("graph.weights", weights::rule(&graph.weights).and_then(|rule| rule.build(&built)))?;
    let sequence = match &graph.sequence {
        None => None,
        Some(sequence) => Some(of_kind(at, sequence, &graph.kind, &built, &weights)?),
    };
    Ok(Topology { graph: built, weights, sequence })
}

fn of_kind(
    at: &At<'_>,
    sequence: &SequenceConfig,
    family: &str,
    graph: &Graph,
    weights: &MixingMatrix,
) -> Result<Arc<dyn Sequence>, ExperimentError> {
    Ok(match sequence {
        SequenceConfig::EdgeFailures(failures) => {
            let lossy = EdgeFailures::new(weights.clone(), failures.p, failures.seed);
            let lossy = at.check("graph.sequence.p", lossy)?;
            at.require("graph.sequence.p", failures.p < 1.0, "at 1 every edge always fails")?;
            Arc::new(lossy)
        }
        SequenceConfig::PairwiseGossip(gossip) => Arc::new(PairwiseGossip::new(graph.clone(), gossip.seed)),
        SequenceConfig::OnePeerExponential(_) => {
            at.require(
                "graph.sequence",
                family == "one-peer-exponential",
                format!("one-peer-exponential is a sequence on the family of that name, not on {family}"),
            )?;
            Arc::new(at.check("graph.sequence", OnePeerExponential::new(graph.nodes()))?)
        }
    })
}
