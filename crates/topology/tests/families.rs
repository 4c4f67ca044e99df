//! The deterministic families: their edges by definition, counts and spectra by formula, and what they refuse.

use dido_topology::families::{
    self, barbell, binary_tree, complete, exponential, grid, hypercube, hypercube_of, lollipop, margulis, margulis_of,
    one_peer_exponential, path, ring, torus,
};
use dido_topology::{Graph, TOLERANCE, TopologyError, weights};

/// The graph on `n` nodes with all pairs that a definition joins, asked in both directions.
fn by_definition(n: usize, joined: impl Fn(usize, usize) -> bool) -> Graph {
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    Graph::from_edges(n, pairs.filter(|&(i, j)| joined(i, j) || joined(j, i))).unwrap()
}

fn edges(graph: &Graph) -> Vec<(usize, usize)> {
    graph.edges().collect()
}

fn degrees(graph: &Graph) -> Vec<usize> {
    (0..graph.nodes()).map(|i| graph.degree(i)).collect()
}

fn lambda(graph: &Graph) -> f64 {
    weights::metropolis(graph).second_largest_singular_value().unwrap()
}

fn message<T>(result: Result<T, TopologyError>) -> String {
    result.err().map(|e| e.to_string()).unwrap_or_default()
}

/// Boxes of up to four dimensions, sides of 1 and 2 among them.
fn boxes() -> impl Iterator<Item = Vec<usize>> {
    let flat = (1..=6).flat_map(|a| (1..=6).map(move |b| vec![a, b]));
    let deep =
        [vec![7], vec![1], vec![2], vec![2, 3, 4], vec![1, 5, 1], vec![3, 3, 3], vec![2, 2, 2, 2], vec![4, 1, 2, 3]];
    flat.chain(deep)
}

/// Row-major coordinates of a node, from its number by repeated division.
fn coordinates(mut node: usize, sides: &[usize]) -> Vec<usize> {
    let mut places: Vec<usize> = sides
        .iter()
        .rev()
        .map(|side| {
            let place = node % side;
            node /= side;
            place
        })
        .collect();
    places.reverse();
    places
}

#[test]
fn small_graphs_have_the_edges_of_the_drawing() {
    assert_eq!(edges(&binary_tree(6).unwrap()), [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5)]);
    assert_eq!(edges(&grid(&[2, 3]).unwrap()), [(0, 1), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (4, 5)]);
    assert_eq!(
        edges(&torus(&[2, 3]).unwrap()),
        [(0, 1), (0, 2), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (3, 5), (4, 5)]
    );
    assert_eq!(edges(&hypercube(2).unwrap()), [(0, 1), (0, 2), (1, 3), (2, 3)]);
    let dumbbell = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5), (4, 6), (5, 6)];
    assert_eq!(edges(&barbell(3, 1).unwrap()), dumbbell);
    assert_eq!(edges(&lollipop(3, 2).unwrap()), [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)]);
    // Seven on a circle: distances 1, 2 and 4, which is 3 the other way round, are all there are.
    assert_eq!(exponential(7, 2).unwrap(), complete(7).unwrap());
    assert_eq!(edges(&exponential(6, 3).unwrap()).len(), 6 + 3);
    // On Z_2 x Z_2: (x, y) - (x + 1, y) and (x, y + 1).
    assert_eq!(margulis(2).unwrap(), square());
}

/// The ring of four, numbered row by row.
fn square() -> Graph {
    Graph::from_edges(4, [(0, 1), (1, 3), (3, 2), (2, 0)]).unwrap()
}

/// Each pair is asked for the definition, without the order in which the families make their edges.
#[test]
fn every_size_has_the_edges_of_the_definition() {
    for n in 1..=40 {
        assert_eq!(binary_tree(n).unwrap(), by_definition(n, |i, j| j == 2 * i + 1 || j == 2 * i + 2));
        for base in 2..=n + 2 {
            let power = |d: usize| (0..6).map(|k| base.pow(k)).any(|power| power == d);
            let expected = by_definition(n, |i, j| power((n + j - i) % n));
            assert_eq!(exponential(n, base).unwrap(), expected, "base {base}, {n} nodes");
        }
        assert_eq!(one_peer_exponential(n).unwrap(), exponential(n, 2).unwrap());
    }
    for dimension in 0..7 {
        let expected = by_definition(1 << dimension, |i, j| (i ^ j).is_power_of_two());
        assert_eq!(hypercube(dimension).unwrap(), expected);
        assert_eq!(hypercube_of(1 << dimension).unwrap(), expected);
        assert_eq!(torus(&vec![2; dimension.max(1) as usize]).unwrap(), hypercube(dimension.max(1)).unwrap());
    }
    for sides in boxes() {
        let nodes = sides.iter().product();
        let apart = |i: usize, j: usize, distance: fn(usize, usize) -> usize| -> usize {
            let (a, b) = (coordinates(i, &sides), coordinates(j, &sides));
            (0..sides.len()).map(|k| distance(a[k].abs_diff(b[k]), sides[k])).sum()
        };
        let on_grid = by_definition(nodes, |i, j| apart(i, j, |d, _| d) == 1);
        assert_eq!(grid(&sides).unwrap(), on_grid, "{sides:?}");
        let on_torus = by_definition(nodes, |i, j| apart(i, j, |d, side| d.min(side - d)) == 1);
        assert_eq!(torus(&sides).unwrap(), on_torus, "{sides:?}");
        assert_eq!(on_grid.diameter(), sides.iter().map(|side| side - 1).sum::<usize>());
        assert_eq!(on_torus.diameter(), sides.iter().map(|side| side / 2).sum::<usize>());
    }
    for side in 1..=7 {
        let step = |i: usize, j: usize| {
            let (x, y, u, v) = (i / side, i % side, j / side, j % side);
            let from = |p, q| u == p % side && v == q % side;
            from(x + 2 * y, y) || from(x + 2 * y + 1, y) || from(x, y + 2 * x) || from(x, y + 2 * x + 1)
        };
        assert_eq!(margulis(side).unwrap(), by_definition(side * side, step));
        assert_eq!(margulis_of(side * side).unwrap(), margulis(side).unwrap());
    }
    for (clique, between) in (2..8).flat_map(|clique| (0..8).map(move |between| (clique, between))) {
        let right = clique + between;
        let inside = |first, i, j| (first..first + clique).contains(&i) && (first..first + clique).contains(&j);
        let bridge = |i: usize, j: usize| j == i + 1 && (clique - 1..right).contains(&i);
        let joined = |i, j| inside(0, i, j) || inside(right, i, j) || bridge(i, j);
        assert_eq!(barbell(clique, between).unwrap(), by_definition(right + clique, joined));
        let joined = |i, j| inside(0, i, j) || bridge(i, j);
        assert_eq!(lollipop(clique, between).unwrap(), by_definition(right, |i, j| joined(i, j) && j < right));
    }
}

#[test]
fn counts_and_degrees_follow_their_formulas() {
    for d in 1..8_usize {
        let cube = hypercube(u32::try_from(d).unwrap()).unwrap();
        assert_eq!((cube.edges().count(), cube.diameter()), (d << (d - 1), d));
        assert!(degrees(&cube).iter().all(|&degree| degree == d));
    }
    for (clique, between) in [(2, 0), (3, 0), (5, 4)] {
        assert_eq!(barbell(clique, between).unwrap().edges().count(), clique * (clique - 1) + between + 1);
        assert_eq!(lollipop(clique, between).unwrap().edges().count(), clique * (clique - 1) / 2 + between);
    }
    assert_eq!((barbell(5, 4).unwrap().diameter(), lollipop(5, 4).unwrap().diameter()), (7, 5));
    assert_eq!(lollipop(5, 0).unwrap(), complete(5).unwrap());
    assert_eq!(torus(&[9]).unwrap(), ring(9).unwrap());
    assert_eq!(grid(&[1, 9, 1]).unwrap(), path(9).unwrap());
    for n in 1..200 {
        let graph = exponential(n, 2).unwrap();
        let first = graph.degree(0);
        assert!(
            degrees(&graph).iter().all(|&degree| degree == first)
                && first <= 2 * n.next_power_of_two().ilog2() as usize
        );
    }
    assert!(degrees(&margulis(12).unwrap()).iter().all(|degree| (2..=8).contains(degree)));
    assert_eq!(binary_tree(31).unwrap().diameter(), 8);
}

/// The closed forms of the catalogue, of Metropolis weights.
#[test]
fn spectra_have_the_closed_forms_of_the_catalogue() {
    let close = |graph: &Graph, expected: f64| {
        assert!((lambda(graph) - expected).abs() < 1e-12, "{} instead of {expected}", lambda(graph));
    };
    let cos = |turn: f64| (std::f64::consts::TAU * turn).cos();
    for n in 3..12 {
        close(&ring(n).unwrap(), 1.0 / 3.0 + 2.0 / 3.0 * cos(1.0 / n as f64));
        close(&path(n).unwrap(), 1.0 / 3.0 + 2.0 / 3.0 * cos(0.5 / n as f64));
        close(&families::star(n).unwrap(), 1.0 - 1.0 / n as f64);
        close(&complete(n).unwrap(), 0.0);
    }
    for sides in boxes().filter(|sides| sides.iter().all(|&side| side >= 3)) {
        let longest = *sides.iter().max().unwrap() as f64;
        close(&torus(&sides).unwrap(), 1.0 - 2.0 * (1.0 - cos(1.0 / longest)) / (2 * sides.len() + 1) as f64);
    }
    for d in 1..8 {
        close(&hypercube(d).unwrap(), f64::from(d - 1) / f64::from(d + 1));
    }
    for k in 2..8 {
        close(&exponential(1 << k, 2).unwrap(), 1.0 - 2.0 / f64::from(k));
    }
    // The gap of Theta(1/n^2) goes down four times as n doubles; that of Theta(1/n) twice.
    let gap = |name: &str, n| {
        1.0 - lambda(&families::build(name, &families::Options { nodes: Some(n), ..Default::default() }).unwrap().graph)
    };
    for (name, factor) in [("barbell", 4.0), ("lollipop", 4.0), ("binary-tree", 2.0), ("grid", 4.0)] {
        let (small, large) = if name == "grid" { (144, 576) } else { (127, 255) };
        let ratio: f64 = gap(name, small) / gap(name, large);
        assert!((ratio / factor - 1.0).abs() < 0.15, "{name}: {ratio}");
    }
    // An expander: 25 to 900 nodes, while a torus of 900 has 0.991.
    for side in [5, 10, 20, 30] {
        assert!(lambda(&margulis(side).unwrap()) < 0.9, "{}", lambda(&margulis(side).unwrap()));
    }
}

/// A torus weight of 1/5 for every node gives the 2 x 2 torus rows of 0.6, where two sides close by one edge.
#[test]
fn a_torus_of_any_sides_is_doubly_stochastic() {
    for sides in boxes() {
        let w = weights::metropolis(&torus(&sides).unwrap()).to_dense();
        for i in 0..w.nrows() {
            assert!((w.row(i).sum() - 1.0).abs() <= TOLERANCE && (w.column(i).sum() - 1.0).abs() <= TOLERANCE);
        }
        assert_eq!(w, w.t());
    }
    assert_eq!(torus(&[2, 2]).unwrap(), square());
    assert!((lambda(&square()) - 1.0 / 3.0).abs() < 1e-14);
}

/// An expander that is not defined for 5 or 8 nodes, and then writes rows that sum to 2.67, is refused for them.
#[test]
fn an_expander_exists_for_squares_only() {
    for n in 1..=40 {
        let square = [1, 4, 9, 16, 25, 36].contains(&n);
        match margulis_of(n) {
            Ok(graph) => assert!(square && graph.nodes() == n && weights::metropolis(&graph).is_nonnegative()),
            Err(refused) => {
                assert!(!square);
                assert_eq!(refused.to_string(), format!("margulis: nodes must be a square number, got {n}"));
            }
        }
    }
}

#[test]
fn parameters_outside_the_definition_are_refused_by_name() {
    assert_eq!(message(grid(&[])), "grid: dims must be one or more sides of at least 1, got []");
    assert_eq!(message(torus(&[3, 0])), "torus: dims must be one or more sides of at least 1, got [3, 0]");
    assert_eq!(message(barbell(1, 3)), "barbell: clique must be at least 2, got 1");
    assert_eq!(message(lollipop(0, 3)), "lollipop: clique must be at least 2, got 0");
    assert_eq!(message(exponential(5, 1)), "exponential: base must be at least 2, got 1");
    assert_eq!(message(hypercube_of(12)), "hypercube: nodes must be a power of two, got 12");
    assert_eq!(message(hypercube_of(0)), "hypercube: nodes must be a power of two, got 0");
    for none in [binary_tree(0), exponential(0, 2), margulis(0)] {
        assert!(matches!(none, Err(TopologyError::NoNodes)));
    }
    // Before anything is allocated.
    for huge in [
        binary_tree(usize::MAX),
        grid(&[usize::MAX, 2]),
        torus(&[1 << 20, 1 << 20]),
        hypercube(32),
        hypercube(u32::MAX),
        exponential(usize::MAX, 2),
        margulis(usize::MAX),
        margulis_of(1 << 40),
        barbell(1 << 40, 5),
        lollipop(3, usize::MAX),
    ] {
        assert!(matches!(huge, Err(TopologyError::TooManyNodes { .. })), "{huge:?}");
    }
}
