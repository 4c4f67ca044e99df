//! Spectra of graphs too large for a dense factorisation, against closed forms.

use std::collections::BTreeSet;

use dido_topology::spectra::ClosedForm;
use dido_topology::{Graph, weights};

/// The torus with these sides, edge by edge.
fn torus(sides: &[usize]) -> Graph {
    let nodes: usize = sides.iter().product();
    let mut edges = BTreeSet::new();
    let mut stride = 1;
    for &side in sides {
        for i in 0..nodes {
            let place = i / stride % side;
            let j = i - place * stride + (place + 1) % side * stride;
            if i != j {
                edges.insert((i.min(j), i.max(j)));
            }
        }
        stride *= side;
    }
    Graph::from_edges(nodes, edges).unwrap()
}

/// A hundred thousand nodes: both extremes within the error that is stated, of the matrix and of the Laplacian.
#[test]
fn a_hundred_thousand_nodes_have_their_closed_forms() {
    for sides in [&[50, 50, 40][..], &[2; 14]] {
        let (graph, form) = (torus(sides), ClosedForm::torus(sides).unwrap());
        let (w, all) = (weights::metropolis(&graph), form.metropolis());
        let found = w.extreme_eigenvalues().unwrap();
        assert!(found.error <= 1e-10, "{found:?}");
        assert!((found.largest - all[1]).abs() <= found.error, "{found:?} {}", all[1]);
        assert!((found.smallest - all[all.len() - 1]).abs() <= found.error, "{found:?} {}", all[all.len() - 1]);
        assert!((found.gap() - (1.0 - form.lambda())).abs() <= found.error);
        let mu = graph.laplacian_extremes().unwrap();
        assert!((mu.smallest - form.algebraic_connectivity()).abs() <= mu.error && mu.error < 1e-8, "{mu:?}");
    }
}

/// Neighbours on the cube of 14 dimensions: over all edges the resistances sum to nodes - 1 (Foster), and all edges are
/// alike.
#[test]
fn resistance_on_a_large_cube_follows_from_symmetry() {
    let graph = torus(&[2; 14]);
    let expected = f64::from((1 << 14) - 1) / f64::from(14 << 13);
    assert!((graph.effective_resistance(0, 1).unwrap() - expected).abs() < 1e-12);
}

/// The best constant needs the Laplacian's spectrum and then has its own checked, both by Lanczos iterations.
#[test]
fn a_large_torus_has_its_best_constant() {
    let graph = torus(&[40, 25]);
    let form = ClosedForm::torus(&[40, 25]).unwrap();
    let (small, large) = (form.laplacian()[1], form.laplacian()[999]);
    let w = weights::best_constant(&graph).unwrap();
    let lambda = w.second_largest_singular_value().unwrap();
    assert!((lambda - (large - small) / (large + small)).abs() < 1e-9, "{lambda}");
}
