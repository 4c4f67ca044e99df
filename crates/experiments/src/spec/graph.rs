//! `[graph]`: from a kind to a graph.

use std::path::Path;

use dido_topology::{Graph, families};

use super::At;
use crate::config::{Config, GraphConfig};
use crate::error::ExperimentError;

pub(super) fn graph(at: &At<'_>, config: &Config, folder: &Path) -> Result<Graph, ExperimentError> {
    let nodes = config.data.records.len();
    let graph = match &config.graph {
        GraphConfig::Ring(_) => families::ring(nodes),
        GraphConfig::Path(_) => families::path(nodes),
        GraphConfig::Star(_) => families::star(nodes),
        GraphConfig::Complete(_) => families::complete(nodes),
        GraphConfig::ErdosRenyi(er) => families::erdos_renyi(nodes, er.p, er.seed).map(|sample| sample.graph),
        GraphConfig::EdgeList(list) => families::edge_list::read(folder.join(&list.file)),
    };
    let graph = at.check("graph", graph)?;
    let found = graph.nodes();
    at.require("graph", found == nodes, format!("it has {found} nodes, data.records declares {nodes} parties"))?;
    Ok(graph)
}
