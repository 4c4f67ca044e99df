//! Graphs, weights and spectra worked out by hand.

use dido_topology::families::{complete, path, ring, star};
use dido_topology::{Graph, MixingMatrix, TopologyError, weights};
use ndarray::array;
use petgraph::graph::UnGraph;

fn assert_row(w: &MixingMatrix, i: usize, columns: &[usize], expected: &[f64]) {
    let (stored, values) = w.row(i);
    assert_eq!(stored, columns);
    for (value, expected) in values.iter().zip(expected) {
        assert!((value - expected).abs() < 1e-15, "row {i}: {values:?} instead of {expected:?}");
    }
}

fn edges(graph: &Graph) -> Vec<(usize, usize)> {
    graph.edges().collect()
}

#[test]
fn families_have_their_edges() {
    assert_eq!(edges(&ring(4).unwrap()), [(0, 1), (0, 3), (1, 2), (2, 3)]);
    assert_eq!(edges(&path(4).unwrap()), [(0, 1), (1, 2), (2, 3)]);
    assert_eq!(edges(&star(4).unwrap()), [(0, 1), (0, 2), (0, 3)]);
    assert_eq!(edges(&complete(4).unwrap()), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
}

#[test]
fn one_node_is_a_graph_and_two_have_one_edge() {
    for family in [ring, path, star, complete] {
        let one = family(1).unwrap();
        assert_eq!((one.nodes(), one.degree(0), one.diameter()), (1, 0, 0));
        let w = weights::metropolis(&one);
        assert_row(&w, 0, &[0], &[1.0]);
        assert!(w.second_largest_singular_value().unwrap() < 1e-15);
        assert_eq!(edges(&family(2).unwrap()), [(0, 1)]);
        assert!(matches!(family(0), Err(TopologyError::NoNodes)));
    }
}

#[test]
fn diameters_are_the_known_ones() {
    for n in 3..12 {
        assert_eq!(ring(n).unwrap().diameter(), n / 2);
        assert_eq!(path(n).unwrap().diameter(), n - 1);
        assert_eq!(star(n).unwrap().diameter(), 2);
        assert_eq!(complete(n).unwrap().diameter(), 1);
    }
}

#[test]
fn the_order_and_direction_of_edges_do_not_matter() {
    let graph = Graph::from_edges(4, [(3, 0), (2, 1), (1, 0), (3, 2)]).unwrap();
    assert_eq!(graph, ring(4).unwrap());
    assert_eq!(graph.neighbours(0), [1, 3]);
    assert_ne!(graph, path(4).unwrap());
}

#[test]
fn petgraph_goes_in_and_out() {
    let square: UnGraph<&str, f32> = UnGraph::from_edges([(0, 1, 0.5), (1, 2, 0.5), (2, 3, 0.5), (0, 3, 0.5)]);
    let graph = Graph::from_petgraph(&square).unwrap();
    assert_eq!(graph, ring(4).unwrap());
    assert_eq!(Graph::from_petgraph(graph.as_petgraph()).unwrap(), graph);
}

#[test]
fn metropolis_weights_are_the_ones_found_by_hand() {
    let third = 1.0 / 3.0;
    assert_row(&weights::metropolis(&ring(5).unwrap()), 0, &[0, 1, 4], &[third; 3]);
    assert_row(&weights::metropolis(&complete(3).unwrap()), 1, &[0, 1, 2], &[third; 3]);
    let star = weights::metropolis(&star(5).unwrap());
    assert_row(&star, 0, &[0, 1, 2, 3, 4], &[0.2; 5]);
    assert_row(&star, 3, &[0, 3], &[0.2, 0.8]);
    assert_row(&weights::metropolis(&path(3).unwrap()), 0, &[0, 1], &[2.0 * third, third]);
}

/// `lambda = 1/3 + 2/3 cos(2 pi / n)` on a ring; a complete graph averages at once; a star has `1 - 1/n`.
#[test]
fn spectra_have_their_closed_forms() {
    let lambda = |g: Result<Graph, _>| weights::metropolis(&g.unwrap()).second_largest_singular_value().unwrap();
    for (n, expected) in [(4, 0.333_333), (6, 0.666_667), (16, 0.949_253)] {
        assert!((lambda(ring(n)) - expected).abs() < 5e-7, "ring of {n}");
    }
    assert!(lambda(complete(7)) < 1e-14);
    assert!((lambda(star(5)) - 0.8).abs() < 1e-14);
    let gap = weights::metropolis(&ring(4).unwrap()).spectral_gap().unwrap();
    assert!((gap - 2.0 / 3.0).abs() < 1e-14);
}

#[test]
fn a_dense_matrix_goes_in_and_out() {
    let w = weights::metropolis(&star(5).unwrap());
    assert_eq!(MixingMatrix::from_dense(&star(5).unwrap(), w.to_dense().view()).unwrap(), w);
    // The best constant weights of a star of 6 (2/7 on each edge) make the centre's own weight negative.
    let negative = MixingMatrix::from_edge_weights(&star(6).unwrap(), |_, _| 2.0 / 7.0).unwrap();
    assert!(!negative.is_nonnegative() && w.is_nonnegative());
    assert!((negative.second_largest_singular_value().unwrap() - 5.0 / 7.0).abs() < 1e-14);
    assert!(
        (MixingMatrix::from_dense(&path(1).unwrap(), array![[1.0]].view()).unwrap().row(0).1[0] - 1.0).abs() < 1e-15
    );
}

/// A naive sum of these hundred thousand weights misses 1 by more than the tolerance of the check.
#[test]
fn a_large_star_is_doubly_stochastic() {
    let w = weights::metropolis(&star(100_000).unwrap());
    assert!(w.is_nonnegative() && w.row(0).1.len() == 100_000);
}
