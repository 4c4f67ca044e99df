//! Graphs in files: `GraphML`, DOT and edge lists, read and written; what is refused names the line.

use std::fs;

use dido_topology::families::{self, NamedGraph, Options, build, dot, edge_list, graphml, grid, lollipop, path, ring};
use dido_topology::{Graph, TopologyError};

fn message<T>(result: Result<T, TopologyError>) -> String {
    result.err().map(|e| e.to_string()).unwrap_or_default()
}

fn named(graph: Graph, names: &[&str]) -> NamedGraph {
    NamedGraph { graph, names: names.iter().map(ToString::to_string).collect() }
}

/// As networkx writes it, with data and a namespace.
const GRAPHML: &str = r#"<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
  <key id="d0" for="edge" attr.name="weight" attr.type="double" />
  <graph edgedefault="undirected">
    <node id="oslo" />
    <node id="rome" />
    <node id="new york" />
    <node id="&lt;paris&gt;"><data key="d1">1.5</data></node>
    <edge source="oslo" target="rome">
      <data key="d0">1.5</data>
    </edge>
    <edge source="oslo" target="new york" directed="false" />
    <edge source="rome" target="new york" />
    <edge source="&lt;paris&gt;" target="new york" />
  </graph>
</graphml>
"#;

#[test]
fn graphml_is_read() {
    let expected = named(lollipop(3, 1).unwrap(), &["oslo", "rome", "new york", "<paris>"]);
    assert_eq!(graphml::parse(GRAPHML, "net.graphml").unwrap(), expected);
    // Edges may stand before their nodes; numbers are names like any other.
    let text = r#"<graphml><graph edgedefault="undirected"><edge source="2" target="1"/><node id="1"/><node id="2"/></graph></graphml>"#;
    assert_eq!(graphml::parse(text, "pair").unwrap(), named(path(2).unwrap(), &["1", "2"]));
}

#[test]
fn graphml_outside_the_subset_is_refused_with_its_line() {
    let refused = |from: &str, to: &str| {
        assert!(GRAPHML.contains(from), "{from}");
        message(graphml::parse(&GRAPHML.replacen(from, to, 1), "net"))
    };
    let directed = "net, line 4: the graph is directed; only undirected ones are read";
    assert_eq!(refused("edgedefault=\"undirected\"", "edgedefault=\"directed\""), directed);
    assert_eq!(refused(" edgedefault=\"undirected\"", ""), "net, line 4: the graph has no edgedefault=\"undirected\"");
    let directed = "net, line 12: the edge is directed; only undirected ones are read";
    assert_eq!(refused("directed=\"false\"", "directed=\"true\""), directed);
    assert_eq!(refused("directed=\"false\"", "sourceport=\"a\""), "net, line 12: sourceport: nodes have no ports here");
    assert_eq!(refused("target=\"rome\"", "target=\"Rome\""), "net, line 9: target Rome is no node");
    assert_eq!(refused("source=\"oslo\" ", ""), "net, line 9: <edge> without source");
    assert_eq!(refused("id=\"rome\"", ""), "net, line 6: <node> without id");
    assert_eq!(refused("id=\"rome\"", "id=\"oslo\""), "net, line 6: node oslo is there already");
    assert_eq!(refused("target=\"rome\"", "target=\"oslo\""), "net, line 9: node oslo is joined to itself");
    let again = refused("source=\"&lt;paris&gt;\" target=\"new york\"", "source=\"rome\" target=\"oslo\"");
    assert_eq!(again, "net, line 14: edge rome -- oslo is already on line 9");
    assert_eq!(refused("<node id=\"rome\" />", "<hyperedge/>"), "net, line 6: <hyperedge> in <graph> is not read");
    let nested = refused("<data key=\"d1\">1.5</data>", "<graph edgedefault=\"undirected\"/>");
    assert_eq!(nested, "net, line 8: <graph> in <node> is not read");
    let two = refused("</graphml>", "<graph edgedefault=\"undirected\"/></graphml>");
    assert_eq!(two, "net, line 16: 2 graphs in the file; it must hold one");
    assert!(refused("</graph>", "").starts_with("net, line 16: not XML: "));
    let declared = message(graphml::parse("<!DOCTYPE graphml [<!ENTITY a \"b\">]>\n<graphml/>", "net"));
    assert!(declared.starts_with("net, line 1: not XML: "), "{declared}");
    assert_eq!(message(graphml::parse("<svg/>", "net")), "net, line 1: the root is <svg>, not <graphml>");
    assert_eq!(message(graphml::parse("<graphml/>", "net")), "net, line 1: 0 graphs in the file; it must hold one");
    let islands = refused("<edge source=\"&lt;paris&gt;\" target=\"new york\" />", "");
    assert_eq!(islands, "net: the graph is not connected: 2 components: {0, 1, 2}, {3}");
}

#[test]
fn dot_is_read() {
    let text = "\u{feff}/* sites\n */ Graph \"my net\" {\n  rankdir=LR; node [shape=circle, color=red] // circles\n\
                \n# a line as of the C preprocessor\n  oslo -- rome -- \"new\\\" york\" [weight=1.5; label=x][k=v]\n\
                rome -- -1.5\n -1.5--oslo;\"node\"\n 4--oslo 4 -- node1 -- \"node\" é_2 -- 4 }\n";
    let parsed = dot::parse(text, "net.dot").unwrap();
    assert_eq!(parsed.names, ["oslo", "rome", "new\" york", "-1.5", "node", "4", "node1", "é_2"]);
    let edges: Vec<_> = parsed.graph.edges().collect();
    assert_eq!(edges, [(0, 1), (0, 3), (0, 5), (1, 2), (1, 3), (4, 6), (5, 6), (5, 7)]);
    assert_eq!(dot::parse("graph{a}", "one").unwrap(), named(path(1).unwrap(), &["a"]));
    // In a strict graph an edge is one edge however often it is written.
    assert_eq!(dot::parse("strict graph {a--b b--a\na--b}", "two").unwrap(), named(path(2).unwrap(), &["a", "b"]));
}

#[test]
fn dot_outside_the_subset_is_refused_with_its_line() {
    let refused = |text: &str| message(dot::parse(text, "net"));
    assert_eq!(
        refused("strict digraph { a -> b }"),
        "net, line 1: the graph is directed; only undirected ones are read"
    );
    assert_eq!(
        refused("graph {\n a -> b }"),
        "net, line 2: '->' is a directed edge; only undirected ones, '--', are read"
    );
    assert_eq!(
        refused("graph { a -- b -> c }"),
        "net, line 1: '->' is a directed edge; only undirected ones, '--', are read"
    );
    for subgraph in ["subgraph x { a }", "{ a b } -- c", "a -- { b c }", "a -- subgraph { b }"] {
        assert_eq!(refused(&format!("graph {{\n\n{subgraph} }}")), "net, line 3: subgraphs are not read");
    }
    assert_eq!(refused("graph { a:n -- b }"), "net, line 1: node a has a port; ports are not read");
    assert_eq!(refused("graph { a -- b:n }"), "net, line 1: node b has a port; ports are not read");
    assert_eq!(refused("graph { a [label = <b>] }"), "net, line 1: HTML labels are not read");
    assert_eq!(refused("graph { a -- b\n b -- a }"), "net, line 2: edge b -- a is already on line 1");
    assert_eq!(refused("strict graph { a --\n a }"), "net, line 2: node a is joined to itself");
    assert_eq!(refused(""), "net, line 1: a DOT file begins with 'graph'");
    assert_eq!(refused("a -- b"), "net, line 1: a DOT file begins with 'graph'");
    assert_eq!(refused("graph"), "net, line 1: the file ends before a name or '{'");
    assert_eq!(refused("graph g h"), "net, line 1: 'h' instead of '{'");
    assert_eq!(
        refused("graph g {\n a -- b\n"),
        "net, line 2: the file ends before a node, an edge, an attribute or '}'"
    );
    assert_eq!(refused("graph { a -- }"), "net, line 1: '}' instead of a node after '--'");
    assert_eq!(refused("graph { a = ; }"), "net, line 1: ';' instead of a value");
    assert_eq!(refused("graph { a [b] }"), "net, line 1: ']' instead of '='");
    assert_eq!(refused("graph { a [b="), "net, line 1: the file ends before a value");
    assert_eq!(refused("graph { a }\ngraph { b }"), "net, line 2: there is something after the graph's closing '}'");
    assert_eq!(refused("graph {\n \"a }\n"), "net, line 2: a quote that is opened here is never closed");
    assert_eq!(refused("graph { /* a }"), "net, line 1: '/' does not begin a comment that ends");
    assert_eq!(refused("graph { 1.2.3 }"), "net, line 1: '1.2.3' is no number");
    assert_eq!(refused("graph { a - b }"), "net, line 1: '-' is no number");
    assert_eq!(refused("graph { 4a }"), "net, line 1: '4' runs into a name; put it in quotes");
    assert_eq!(refused("graph { a & b }"), "net, line 1: '&' is not part of the DOT language");
    assert_eq!(refused("graph { }"), "net: a graph needs at least one node");
    assert_eq!(refused("graph { a -- b c }"), "net: the graph is not connected: 2 components: {0, 1}, {2}");
}

#[test]
fn what_is_written_is_read_again() {
    let graphs = [path(1), path(2), ring(12), grid(&[3, 4]), families::binary_tree(9), lollipop(4, 3)];
    for graph in graphs.map(Result::unwrap) {
        let read = dot::parse(&graph.to_dot(), "dot").unwrap();
        assert_eq!(read.graph, graph);
        assert!(read.names.iter().enumerate().all(|(i, name)| *name == i.to_string()));
        assert_eq!(edge_list::parse(&graph.to_edge_list(), "list").unwrap(), graph);
    }
}

#[test]
fn files_are_read_by_their_family() {
    let graph = grid(&[2, 3]).unwrap();
    let folder = std::env::temp_dir().join(format!("dido-topology-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in [("dot", graph.to_dot()), ("edge-list", graph.to_edge_list())] {
        let file = folder.join(name);
        fs::write(&file, text).unwrap();
        let options = Options { file: Some(file.clone()), ..Options::default() };
        assert_eq!(build(name, &options).unwrap().graph, graph);
        let more = Options { nodes: Some(7), ..options };
        let refused = message(build(name, &more));
        assert_eq!(refused, format!("{name}: nodes must be 6, which the other options imply, got 7"));
    }
    let file = folder.join("net.graphml");
    fs::write(&file, GRAPHML).unwrap();
    let options = Options { file: Some(file.clone()), ..Options::default() };
    assert_eq!(build("graphml", &options).unwrap().graph, lollipop(3, 1).unwrap());
    // As DOT it is wrong, and the message says in which file.
    assert_eq!(message(dot::read(&file)), format!("{}, line 1: HTML labels are not read", file.display()));
    fs::remove_dir_all(&folder).unwrap();
}
