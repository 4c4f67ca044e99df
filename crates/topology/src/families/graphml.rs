//! Graphs from `GraphML`.
//!
//! ```xml
//! <graphml xmlns="http://graphml.graphdrawing.org/xmlns">
//!   <graph edgedefault="undirected">
//!     <node id="oslo"/>
//!     <node id="rome"/>
//!     <edge source="oslo" target="rome"/>
//!   </graph>
//! </graphml>
//! ```
//!
//! The subset read here: one graph, undirected, with nodes and edges. Nodes are numbered in the order in which they
//! stand in the file; edges may stand before or after them. Descriptions and data (`desc`, `key`, `data`) are passed
//! over: weights belong to a rule of [`weights`](crate::weights). Directed graphs and edges, hyperedges, ports, nested
//! and several graphs, and document type declarations are refused.

use std::path::Path;

use roxmltree::{Document, Node};

use super::edge_list::read_text;
use super::named::{Collector, NamedGraph};
use crate::TopologyError;

/// Reads a graph from a file; see [`parse`].
///
/// # Errors
/// If the file cannot be read or [`parse`] refuses it. Each error names the file.
pub fn read(path: impl AsRef<Path>) -> Result<NamedGraph, TopologyError> {
    let path = path.as_ref();
    parse(&read_text(path)?, &path.display().to_string())
}

/// The graph written in `text`; `name` says in errors where the text came from.
///
/// # Errors
/// Naming the line: if the text is not XML, not within the subset above, names a node twice, gives an edge of a node
/// that is none, joins a node to itself or repeats an edge. Without a line: if there is no node or the graph is not
/// connected.
///
/// # Complexity
/// Linear in the text.
pub fn parse(text: &str, name: &str) -> Result<NamedGraph, TopologyError> {
    let mut graph = Collector::new(name, false);
    let document = Document::parse(text).map_err(|e| graph.wrong(e.pos().row as usize, format!("not XML: {e}")))?;
    let root = document.root_element();
    if root.tag_name().name() != "graphml" {
        return Err(wrong(&graph, root, format!("the root is <{}>, not <graphml>", root.tag_name().name())));
    }
    let graphs = children(&graph, root, &["graph"], &["key"])?;
    let &[element] = graphs.as_slice() else {
        let at = graphs.get(1).copied().unwrap_or(root);
        return Err(wrong(&graph, at, format!("{} graphs in the file; it must hold one", graphs.len())));
    };
    match element.attribute("edgedefault") {
        Some("undirected") => {}
        Some("directed") => return Err(wrong(&graph, element, "the graph is directed; only undirected ones are read")),
        _ => return Err(wrong(&graph, element, "the graph has no edgedefault=\"undirected\"")),
    }
    let elements = children(&graph, element, &["node", "edge"], &[])?;
    let (nodes, edges): (Vec<_>, Vec<_>) = elements.into_iter().partition(|e| e.tag_name().name() == "node");
    for node in nodes {
        children(&graph, node, &[], &[])?;
        let id = required(&graph, node, "id")?;
        if graph.number(id).is_some() {
            return Err(wrong(&graph, node, format!("node {id} is there already")));
        }
        graph.node(id);
    }
    let mut lines = Lines { text, offset: 0, line: 1 };
    for edge in edges {
        add(&mut graph, edge, lines.at(edge.range().start))?;
    }
    graph.finish()
}

fn add(graph: &mut Collector<'_>, edge: Node<'_, '_>, line: usize) -> Result<(), TopologyError> {
    children(graph, edge, &[], &[])?;
    if edge.attribute("directed").is_some_and(|directed| directed != "false") {
        return Err(wrong(graph, edge, "the edge is directed; only undirected ones are read"));
    }
    if let Some(port) = ["sourceport", "targetport"].into_iter().find(|port| edge.has_attribute(*port)) {
        return Err(wrong(graph, edge, format!("{port}: nodes have no ports here")));
    }
    let mut ends = [0; 2];
    for (end, attribute) in ends.iter_mut().zip(["source", "target"]) {
        let id = required(graph, edge, attribute)?;
        *end = graph.number(id).ok_or_else(|| wrong(graph, edge, format!("{attribute} {id} is no node")))?;
    }
    let [i, j] = ends;
    graph.edge(i, j, line)
}

/// The line of one place of a text after the other; the XML reader would count each from the beginning.
struct Lines<'a> {
    text: &'a str,
    offset: usize,
    line: usize,
}

impl Lines<'_> {
    /// The line of a place that is not before the last one asked for.
    fn at(&mut self, offset: usize) -> usize {
        self.line += self.text[self.offset..offset].matches('\n').count();
        self.offset = offset;
        self.line
    }
}

/// The child elements with one of the names `kept`; those named `passed`, descriptions and data are passed over.
fn children<'a, 'input>(
    graph: &Collector<'_>,
    parent: Node<'a, 'input>,
    kept: &[&str],
    passed: &[&str],
) -> Result<Vec<Node<'a, 'input>>, TopologyError> {
    let mut elements = Vec::new();
    for child in parent.children().filter(Node::is_element) {
        let name = child.tag_name().name();
        if kept.contains(&name) {
            elements.push(child);
        } else if !passed.contains(&name) && !["desc", "data"].contains(&name) {
            return Err(wrong(graph, child, format!("<{name}> in <{}> is not read", parent.tag_name().name())));
        }
    }
    Ok(elements)
}

fn required<'a>(graph: &Collector<'_>, node: Node<'a, '_>, attribute: &str) -> Result<&'a str, TopologyError> {
    node.attribute(attribute)
        .ok_or_else(|| wrong(graph, node, format!("<{}> without {attribute}", node.tag_name().name())))
}

fn wrong(graph: &Collector<'_>, node: Node<'_, '_>, problem: impl Into<String>) -> TopologyError {
    graph.wrong(node.document().text_pos_at(node.range().start).row as usize, problem)
}
