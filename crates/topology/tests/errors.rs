//! Everything that is not a connected simple graph, or not doubly stochastic, is refused, and the message says where.

use dido_topology::families::{complete, edge_list, erdos_renyi, path, ring};
use dido_topology::{Graph, MixingMatrix, TopologyError};
use ndarray::{Array2, array};
use petgraph::graph::UnGraph;

fn message<T>(result: Result<T, TopologyError>) -> String {
    result.err().map(|e| e.to_string()).unwrap_or_default()
}

#[test]
fn edges_outside_the_graph_loops_and_repetitions_are_refused() {
    assert_eq!(message(Graph::from_edges(3, [(0, 1), (1, 3)])), "edge 1-3 leaves the graph: its nodes are 0 to 2");
    assert!(matches!(Graph::from_edges(2, [(0, 1), (1, 1)]), Err(TopologyError::SelfLoop { node: 1 })));
    for again in [(0, 1), (1, 0)] {
        let refused = Graph::from_edges(3, [(0, 1), (1, 2), again]).unwrap_err();
        assert!(matches!(refused, TopologyError::DuplicateEdge { i: 0, j: 1 }), "{refused}");
    }
    assert!(matches!(Graph::from_edges(0, []), Err(TopologyError::NoNodes)));
    let too_many = u32::MAX as usize;
    assert!(matches!(Graph::from_edges(too_many, []), Err(TopologyError::TooManyNodes { nodes }) if nodes == too_many));
    let looped: UnGraph<(), ()> = UnGraph::from_edges([(0, 1), (0, 0)]);
    assert!(matches!(Graph::from_petgraph(&looped), Err(TopologyError::SelfLoop { node: 0 })));
}

#[test]
fn a_disconnected_graph_lists_its_components() {
    let refused = Graph::from_edges(5, [(3, 0), (1, 4)]);
    assert_eq!(message(refused), "the graph is not connected: 3 components: {0, 3}, {1, 4}, {2}");
}

#[test]
fn long_lists_of_components_are_shortened() {
    let refused = message(Graph::from_edges(40, (1..20).map(|i| (0, i))));
    assert_eq!(
        refused,
        "the graph is not connected: 21 components: {0, 1, 2, 3, 4, 5, 6, 7, and 12 more}, {20}, {21}, {22}, {23}, \
         {24}, {25}, {26}, and 13 more"
    );
}

#[test]
fn edge_probabilities_that_are_none_are_refused() {
    for p in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(erdos_renyi(3, p, 0), Err(TopologyError::EdgeProbability { .. })));
    }
    assert!(matches!(erdos_renyi(0, 0.5, 0), Err(TopologyError::NoNodes)));
    let refused = message(erdos_renyi(3, 0.0, 0));
    assert_eq!(refused, "none of 1000 random graphs on 3 nodes with edge probability 0 was connected; raise p");
    assert!(matches!(erdos_renyi(400, 0.002, 0), Err(TopologyError::NeverConnected { attempts: 1000, .. })));
    assert_eq!(erdos_renyi(1, 0.0, 0).unwrap().graph, path(1).unwrap());
    assert_eq!(erdos_renyi(5, 1.0, 0).unwrap().graph, complete(5).unwrap());
}

#[test]
fn edge_lists_are_read() {
    let text = "# a square\n\n0 1\n 2\t1 # with tabs\r\n3 2\n0 3\n";
    assert_eq!(edge_list::parse(text, "square").unwrap(), ring(4).unwrap());
    assert_eq!(edge_list::parse("0\n", "one").unwrap(), path(1).unwrap());
    assert_eq!(edge_list::parse("0\n1\n0 1", "two").unwrap(), path(2).unwrap());
}

#[test]
fn errors_in_edge_lists_name_file_and_line() {
    let refused = |text| message(edge_list::parse(text, "net.txt"));
    assert_eq!(refused("0 1\n1 x\n"), "net.txt, line 2: 'x' is not a node number (0, 1, 2, ...)");
    assert_eq!(refused("0 -1"), "net.txt, line 1: '-1' is not a node number (0, 1, 2, ...)");
    assert_eq!(refused("0 1 2"), "net.txt, line 1: 3 numbers; an edge is two");
    assert_eq!(refused("0 1\n\n1 1"), "net.txt, line 3: node 1 is joined to itself");
    assert_eq!(refused("0 1\n1 0"), "net.txt, line 2: edge 1 0 is already on line 1; edges have no direction");
    let gap = "net.txt, line 2: node 4000000000 is named, but node 2 nowhere; nodes are 0, 1, 2, ...";
    assert_eq!(refused("0 1\n1 4000000000"), gap);
    assert_eq!(refused("# nothing"), "net.txt: a graph needs at least one node");
    assert_eq!(refused("0 1\n2 3"), "net.txt: the graph is not connected: 2 components: {0, 1}, {2, 3}");
    let missing = message(edge_list::read("no/such/file.txt"));
    assert!(missing.starts_with("cannot read no/such/file.txt: "), "{missing}");
}

#[test]
fn an_edge_list_is_read_from_a_file() {
    let file = std::env::temp_dir().join(format!("dido-topology-{}.edges", std::process::id()));
    std::fs::write(&file, "0 1\n1 2\n2 2\n").unwrap();
    let refused = message(edge_list::read(&file));
    std::fs::write(&file, "0 1\n1 2\n").unwrap();
    let graph = edge_list::read(&file);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(graph.unwrap(), path(3).unwrap());
    assert_eq!(refused, format!("{}, line 3: node 2 is joined to itself", file.display()));
}

/// Rows of 3.6, as the weights of decent-bench accepted them, and every other way not to be doubly stochastic.
#[test]
fn matrices_that_are_not_doubly_stochastic_are_refused() {
    let k3 = complete(3).unwrap();
    let refused = MixingMatrix::from_dense(&k3, Array2::from_elem((3, 3), 1.2).view()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "row 0 of the mixing matrix sums to 3.5999999999999996, not to 1 within 0.000000000001"
    );

    let off_by = |error: f64| array![[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5 + error]];
    let refused = MixingMatrix::from_dense(&k3, off_by(2e-12).view()).unwrap_err();
    assert!(matches!(refused, TopologyError::RowSum { row: 2, .. }), "{refused}");
    assert!(MixingMatrix::from_dense(&k3, off_by(5e-13).view()).is_ok());

    for bad in [f64::NAN, f64::INFINITY] {
        let refused = MixingMatrix::from_dense(&k3, off_by(bad).view()).unwrap_err();
        assert!(matches!(refused, TopologyError::NonFiniteWeight { row: 2, column: 2, .. }), "{refused}");
    }
    let cyclic = array![[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]];
    let refused = MixingMatrix::from_dense(&k3, cyclic.view()).unwrap_err();
    assert!(matches!(refused, TopologyError::AsymmetricWeights { row: 0, column: 1, .. }), "{refused}");

    let refused = MixingMatrix::from_dense(&k3, Array2::eye(2).view()).unwrap_err();
    assert!(matches!(refused, TopologyError::WeightShape { rows: 2, columns: 2, nodes: 3 }), "{refused}");

    let average = Array2::from_elem((3, 3), 1.0 / 3.0);
    let refused = MixingMatrix::from_dense(&path(3).unwrap(), average.view()).unwrap_err();
    assert!(matches!(refused, TopologyError::OutsideGraph { row: 0, column: 2, .. }), "{refused}");
}

/// Mirrored weights may each be within the tolerance while a column adds up their errors.
#[test]
fn a_column_whose_errors_add_up_is_refused() {
    let (n, error) = (9, 9e-13);
    let mut w = Array2::from_elem((n, n), 1.0 / n as f64);
    for i in 1..n {
        w[[i, 0]] += error;
    }
    let refused = MixingMatrix::from_dense(&complete(n).unwrap(), w.view()).unwrap_err();
    assert!(matches!(refused, TopologyError::ColumnSum { column: 0, .. }), "{refused}");
}

#[test]
fn edge_weights_that_are_not_finite_or_too_large_are_refused() {
    for (weight, row) in [(f64::NAN, 0), (f64::INFINITY, 0), (f64::MAX, 1)] {
        let refused = MixingMatrix::from_edge_weights(&path(3).unwrap(), |_, _| weight).unwrap_err();
        let named = match refused {
            TopologyError::NonFiniteWeight { row, .. } | TopologyError::RowSum { row, .. } => row,
            other => panic!("{other}"),
        };
        assert!(named <= row);
    }
}

/// DISROPT took a self-loop into the degrees: three nodes, all ones, gave rows of 0.75.
#[test]
fn the_faults_of_others_self_loops_direction_and_islands() {
    let all_ones = (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
    assert!(matches!(Graph::from_edges(3, all_ones), Err(TopologyError::SelfLoop { .. })));
    // A directed triangle with one edge both ways.
    let directed = [(0, 1), (1, 2), (2, 0), (1, 0)];
    assert!(matches!(Graph::from_edges(3, directed), Err(TopologyError::DuplicateEdge { i: 0, j: 1 })));
    let islands = Graph::from_edges(4, [(0, 1), (2, 3)]).unwrap_err();
    assert!(matches!(islands, TopologyError::Disconnected(components) if components.0 == [[0, 1], [2, 3]]));
}

/// The identity averages nothing, nor does a swap of the two sides of an even ring.
#[test]
fn matrices_that_never_average_are_refused() {
    let expected = "the mixing matrix does not average: its second largest singular value is 1, it must be below 1";
    assert_eq!(message(MixingMatrix::from_dense(&ring(4).unwrap(), Array2::eye(4).view())), expected);
    assert_eq!(message(MixingMatrix::from_edge_weights(&ring(4).unwrap(), |_, _| 0.5)), expected);
    assert!(MixingMatrix::from_dense(&path(1).unwrap(), Array2::eye(1).view()).is_ok());
}

#[test]
fn a_dense_spectrum_too_large_for_memory_is_refused() {
    let refused = message(path(10_001).unwrap().kirchhoff_index());
    assert_eq!(refused, "10001 nodes are too many for a dense matrix: at most 10000 are supported here");
    let w = dido_topology::weights::metropolis(&path(10_001).unwrap());
    assert!(matches!(w.eigenvalues(), Err(TopologyError::TooManyForDense { nodes: 10_001, limit: 10_000 })));
}
