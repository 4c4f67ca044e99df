//! The laws of the random families, their refusals, and the graphs that a seed gives for ever.
//!
//! All seeds are fixed, so no test can flake; each says how unlikely its bound would be for other seeds.

use std::collections::HashMap;

use dido_topology::families::{
    ConnectedSample, MAX_ATTEMPTS, barabasi_albert, complete, erdos_renyi_edges, random_geometric, random_regular,
    ring, stochastic_block_model, stochastic_block_model_with, watts_strogatz,
};
use dido_topology::{Graph, TopologyError};
use ndarray::{Array2, array};

fn edges(graph: &Graph) -> Vec<(usize, usize)> {
    graph.edges().collect()
}

/// Chi-square of equal probabilities for the graphs drawn; the number of different graphs is checked too.
fn assert_uniform(graphs: impl Iterator<Item = Graph>, different: usize, bound: f64) {
    let mut count: HashMap<Vec<(usize, usize)>, f64> = HashMap::new();
    graphs.for_each(|graph| *count.entry(edges(&graph)).or_default() += 1.0);
    assert_eq!(count.len(), different);
    let expected = count.values().sum::<f64>() / different as f64;
    let chi_square: f64 = count.values().map(|k| (k - expected).powi(2) / expected).sum();
    assert!(chi_square < bound, "{chi_square} for {different} graphs");
}

/// The attempts are geometric with mean `1 / p`: five standard deviations.
fn assert_attempts(samples: impl Iterator<Item = ConnectedSample>, p: f64) {
    let attempts: Vec<f64> = samples.map(|sample| sample.attempts.into()).collect();
    let (draws, mean) = (attempts.len() as f64, attempts.iter().sum::<f64>() / attempts.len() as f64);
    assert!((mean - 1.0 / p).abs() < 5.0 * (1.0 - p).sqrt() / p / draws.sqrt(), "{mean} attempts, not {}", 1.0 / p);
}

/// 16 of the 20 sets of three edges on four nodes are trees, the others have a triangle and a single node. Chi-square
/// with 15 degrees of freedom is above 60 with probability 2e-7.
#[test]
fn a_given_number_of_edges_is_uniform_on_the_connected_graphs() {
    let samples = || (0..16_000).map(|seed| erdos_renyi_edges(4, 3, seed).unwrap());
    assert_uniform(samples().map(|sample| sample.graph), 16, 60.0);
    assert_attempts(samples(), 0.8);
}

/// 500 seeds, 200 of 435 pairs: disconnected with probability below 1e-6, so each pair is there with probability
/// 200/435. Six standard deviations for each of 435 pairs.
#[test]
fn a_given_number_of_edges_meets_every_pair() {
    let mut count: HashMap<(usize, usize), f64> = HashMap::new();
    for seed in 0..500 {
        let graph = erdos_renyi_edges(30, 200, seed).unwrap().graph;
        assert_eq!(graph.edges().count(), 200);
        graph.edges().for_each(|edge| *count.entry(edge).or_default() += 1.0);
    }
    assert_eq!(count.len(), 435);
    let p = 200.0_f64 / 435.0;
    assert!(count.values().all(|k| (k - 500.0 * p).abs() < 6.0 * (500.0 * p * (1.0 - p)).sqrt()));
}

/// The 12 circles through five nodes (11 degrees of freedom, above 55 with probability 8e-8), and the 15 graphs of
/// degree 4 on six nodes, complements of perfect matchings (14 degrees of freedom, above 60 with probability 1e-7).
#[test]
fn regular_graphs_are_uniform_where_the_law_says_so() {
    assert_uniform((0..12_000).map(|seed| random_regular(5, 2, seed).unwrap().graph), 12, 55.0);
    assert_uniform((0..15_000).map(|seed| random_regular(6, 4, seed).unwrap().graph), 15, 60.0);
}

#[test]
fn regular_graphs_are_regular() {
    for n in 1..=24 {
        for degree in (0..n).filter(|degree| n * degree % 2 == 0 && (*degree > 1 || degree + 1 == n)) {
            let graph = random_regular(n, degree, 7).unwrap().graph;
            assert!((0..n).all(|i| graph.degree(i) == degree), "degree {degree} on {n} nodes");
        }
    }
    let graph = random_regular(20_000, 8, 1).unwrap().graph;
    assert!((0..graph.nodes()).all(|i| graph.degree(i) == 8));
    // A degree between sparse and dense, where the pairs that are left have to be listed at times.
    let graph = random_regular(301, 150, 1).unwrap().graph;
    assert!((0..graph.nodes()).all(|i| graph.degree(i) == 150));
}

/// In random cubic graphs the number of triangles tends to a Poisson variable of mean `(d - 1)^3 / 6 = 4/3` (Bollobás
/// 1980): 2000 graphs of 200 nodes, mean within five standard errors (0.129) plus 0.02 for the finite size.
#[test]
fn cubic_graphs_have_the_triangles_of_the_limit_law() {
    let triangles = |graph: &Graph| {
        let common = |i, j| graph.neighbours(i).iter().filter(|k| graph.neighbours(j).contains(k)).count();
        graph.edges().map(|(i, j)| common(i, j)).sum::<usize>() as f64 / 3.0
    };
    let mean = (0..2000).map(|seed| triangles(&random_regular(200, 3, seed).unwrap().graph)).sum::<f64>() / 2000.0;
    assert!((mean - 4.0 / 3.0).abs() < 5.0 * (4.0_f64 / 3.0 / 2000.0).sqrt() + 0.02, "{mean}");
}

#[test]
fn small_worlds_begin_as_the_ring_lattice() {
    for (n, degree) in [(3, 2), (9, 2), (9, 4), (9, 8), (10, 6)] {
        let lattice = watts_strogatz(n, degree, 0.0, 1).unwrap();
        let near = |i: usize, j: usize| (j - i).min(n - (j - i)) <= degree / 2;
        let expected: Vec<_> =
            (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).filter(|&(i, j)| near(i, j)).collect();
        assert_eq!((edges(&lattice.graph), lattice.attempts), (expected, 1));
    }
    // All nodes are joined to all others and keep their edges.
    assert_eq!(watts_strogatz(9, 8, 1.0, 1).unwrap().graph, complete(9).unwrap());
    assert_eq!(watts_strogatz(12, 2, 0.0, 1).unwrap().graph, ring(12).unwrap());
}

/// 50 seeds x 2000 edges, each kept with probability 0.9; a new far end lies in the lattice again for about 0.1 edges a
/// graph, far inside the five standard deviations (474).
#[test]
fn small_worlds_rewire_the_share_of_beta() {
    let kept = |seed| {
        let graph = watts_strogatz(1000, 4, 0.1, seed).unwrap().graph;
        assert_eq!(graph.edges().count(), 2000);
        assert!((0..1000).all(|i| graph.degree(i) >= 2));
        graph.edges().filter(|(i, j)| (j - i).min(1000 - (j - i)) <= 2).count() as f64
    };
    let total: f64 = (0..50).map(kept).sum();
    assert!((total - 90_000.0).abs() < 5.0 * 9000.0_f64.sqrt(), "{total}");
}

/// With beta = 1 a node keeps its own two edges and gets one from each of 2(n - 2) or so others with probability about
/// 1/n: the degrees have variance 2. 20 seeds x 2000 nodes: the standard error is 0.8 %, the bound 5 %.
#[test]
fn small_worlds_choose_new_ends_uniformly() {
    let squares = |seed| {
        let graph = watts_strogatz(2000, 4, 1.0, seed).unwrap().graph;
        (0..2000).map(|i| (graph.degree(i) as f64 - 4.0).powi(2)).sum::<f64>()
    };
    let variance = (0..20).map(squares).sum::<f64>() / 40_000.0;
    assert!((variance - 2.0).abs() < 0.1, "{variance}");
}

/// Node 3 of a tree joins the centre of the path of three with probability 2/4: the star. 4000 seeds, five standard
/// deviations. In the limit the degrees follow `2 m (m + 1) / (k (k + 1) (k + 2))` (Bollobás and others, 2001): 1/2,
/// 1/5 and 1/10 for m = 2; counts of n nodes deviate by about sqrt(n), the bound is 2.5 sqrt(n).
#[test]
fn attachment_is_proportional_to_degree() {
    let star = |seed| {
        let graph = barabasi_albert(4, 1, seed).unwrap();
        (0..4).any(|i| graph.degree(i) == 3)
    };
    let stars = (0..4000).filter(|&seed| star(seed)).count() as f64;
    assert!((stars - 2000.0).abs() < 5.0 * 1000.0_f64.sqrt(), "{stars}");

    let n = 20_000;
    let graph = barabasi_albert(n, 2, 3).unwrap();
    assert_eq!(graph.edges().count(), 2 * (n - 2));
    for (degree, share) in [(2, 0.5), (3, 0.2), (4, 0.1)] {
        let count = (0..n).filter(|&i| graph.degree(i) == degree).count() as f64;
        assert!((count - share * n as f64).abs() < 2.5 * (n as f64).sqrt(), "{count} of degree {degree}");
    }
    // Preference: uniform attachment has a maximal degree of order ln n, here it is of order sqrt(n).
    assert!((0..n).map(|i| graph.degree(i)).max() > Some(100));
}

/// Two points of the unit square are within `r <= 1` with probability `pi r^2 - 8 r^3 / 3 + r^4 / 2`, which is what
/// connects a graph of two nodes. 4000 seeds.
#[test]
fn geometric_graphs_join_points_within_the_radius() {
    for r in [0.15_f64, 0.3, 0.8] {
        let p = std::f64::consts::PI * r * r - 8.0 * r.powi(3) / 3.0 + r.powi(4) / 2.0;
        assert_attempts((0..4000).map(|seed| random_geometric(2, r, seed).unwrap()), p);
    }
    assert_eq!(random_geometric(30, 1.5, 0).unwrap().graph, complete(30).unwrap());
}

/// 100 seeds; blocks of 30, 20 and 10 nodes so dense that every draw is connected. Five standard deviations for each
/// pair of blocks.
#[test]
fn blocks_have_their_densities() {
    let (sizes, p) = ([30, 20, 10], array![[0.9, 0.3, 0.5], [0.3, 0.7, 0.2], [0.5, 0.2, 0.8]]);
    let block = |i: usize| usize::from(i >= 30) + usize::from(i >= 50);
    let mut count = [[0.0; 3]; 3];
    for seed in 0..100 {
        let sample = stochastic_block_model_with(&sizes, p.view(), seed).unwrap();
        assert_eq!(sample.attempts, 1);
        sample.graph.edges().for_each(|(i, j)| count[block(i)][block(j)] += 1.0);
    }
    for a in 0..3 {
        for b in a..3 {
            let pairs = if a == b { sizes[a] * (sizes[a] - 1) / 2 } else { sizes[a] * sizes[b] };
            let (coins, p) = (100.0 * pairs as f64, p[[a, b]]);
            assert!((count[a][b] - coins * p).abs() < 5.0 * (coins * p * (1.0 - p)).sqrt(), "blocks {a} and {b}");
        }
    }
    assert_attempts((0..4000).map(|seed| stochastic_block_model(&[1, 1], 0.9, 0.2, seed).unwrap()), 0.2);
}

/// Value stability: these edges may never change, published experiments rest on them.
#[test]
fn a_seed_gives_the_same_graph_for_ever() {
    // Each edge as two digits.
    for (graph, expected) in [
        (erdos_renyi_edges(7, 9, 2026).unwrap().graph, "04 05 13 14 26 34 35 45 56"),
        (random_regular(7, 2, 2026).unwrap().graph, "03 06 15 16 24 25 34"),
        (random_regular(8, 3, 2026).unwrap().graph, "01 04 05 12 16 24 25 35 36 37 47 67"),
        (random_regular(7, 4, 2026).unwrap().graph, "03 04 05 06 12 14 15 16 24 25 26 34 35 36"),
        (watts_strogatz(7, 2, 0.5, 2026).unwrap().graph, "01 12 16 23 34 35 45"),
        (barabasi_albert(7, 2, 2026).unwrap(), "01 02 03 05 13 14 15 16 24 36"),
        (random_geometric(7, 0.5, 2026).unwrap().graph, "01 03 05 12 13 14 15 16 24 56"),
        (stochastic_block_model(&[4, 3], 0.8, 0.2, 2026).unwrap().graph, "01 02 13 23 34 36 45 46 56"),
    ] {
        let written: Vec<String> = graph.edges().map(|(i, j)| format!("{i}{j}")).collect();
        assert_eq!(written.join(" "), expected);
    }
}

#[test]
fn parameters_outside_the_definition_are_refused_by_name() {
    fn message<T>(result: Result<T, TopologyError>) -> String {
        result.err().map(|e| e.to_string()).unwrap_or_default()
    }
    assert_eq!(message(erdos_renyi_edges(5, 3, 0)), "erdos-renyi: edges must be 4 to 10 on 5 nodes, got 3");
    assert_eq!(message(erdos_renyi_edges(5, 11, 0)), "erdos-renyi: edges must be 4 to 10 on 5 nodes, got 11");
    let degree = |n, degree| message(random_regular(n, degree, 0));
    assert_eq!(degree(5, 5), "random-regular: degree must be below the number of nodes, 5, got 5");
    assert_eq!(degree(5, 3), "random-regular: degree must be even, because the number of nodes, 5, is odd, got 3");
    let apart = "random-regular: degree must be at least 2, for 4 nodes cannot be connected otherwise, got 1";
    assert_eq!(degree(4, 1), apart);
    let degree = |degree| message(watts_strogatz(6, degree, 0.5, 0));
    assert!([0, 3, 6, 7].into_iter().all(|d| degree(d).ends_with(&format!("below 6, the nodes, got {d}"))));
    assert_eq!(message(watts_strogatz(6, 2, 1.5, 0)), "watts-strogatz: p must be in [0, 1], got 1.5");
    assert_eq!(message(barabasi_albert(5, 0, 0)), "barabasi-albert: degree must be 1 to 4 on 5 nodes, got 0");
    assert_eq!(message(barabasi_albert(5, 5, 0)), "barabasi-albert: degree must be 1 to 4 on 5 nodes, got 5");
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(message(random_geometric(5, radius, 0)).starts_with("geometric: radius must be positive and finite"));
    }
    let blocks = |sizes: &[usize], p: Array2<f64>| message(stochastic_block_model_with(sizes, p.view(), 0));
    assert!(blocks(&[], array![[0.5]]).ends_with("one or more blocks of at least 1 node, got []"));
    assert!(blocks(&[2, 0], array![[0.5, 0.5], [0.5, 0.5]]).ends_with("got [2, 0]"));
    assert!(blocks(&[2, 2], array![[0.5]]).ends_with("2 x 2, one row per block, got 1 x 1"));
    let crooked = array![[0.5, 0.2], [0.3, 0.5]];
    assert!(blocks(&[2, 2], crooked).ends_with("in [0, 1] and symmetric, got 0.2 for blocks 0 and 1"));
    assert!(blocks(&[2, 2], array![[0.5, f64::NAN], [f64::NAN, 0.5]]).ends_with("got NaN for blocks 0 and 1"));
    assert_eq!(message(stochastic_block_model(&[2, 2], 1.1, 0.5, 0)), "block-model: p-in must be in [0, 1], got 1.1");
    assert_eq!(
        message(stochastic_block_model(&[2, 2], 0.5, -0.1, 0)),
        "block-model: p-out must be in [0, 1], got -0.1"
    );
}

#[test]
fn a_search_that_is_hopeless_ends_with_an_error() {
    let hopeless =
        [erdos_renyi_edges(200, 199, 0), random_geometric(50, 0.01, 0), stochastic_block_model(&[3, 3], 1.0, 0.0, 0)];
    for refused in hopeless {
        assert!(matches!(refused, Err(TopologyError::NeverConnected { attempts: MAX_ATTEMPTS, .. })), "{refused:?}");
    }
    let refused = random_geometric(50, 0.01, 0).unwrap_err().to_string();
    assert_eq!(refused, "none of 1000 random graphs on 50 nodes with radius 0.01 was connected; raise radius");
}

#[test]
fn seeds_and_attempts_give_different_graphs() {
    assert_ne!(random_regular(50, 3, 0).unwrap(), random_regular(50, 3, 1).unwrap());
    assert_ne!(barabasi_albert(50, 3, 0).unwrap(), barabasi_albert(50, 3, 1 << 40).unwrap());
    assert_eq!(random_regular(50, 3, 9).unwrap(), random_regular(50, 3, 9).unwrap());
}
