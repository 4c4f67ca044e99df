//! What every family and every weight rule owes: a connected simple graph, doubly stochastic weights on it, averages
//! that keep the mean.

mod common;

use common::{check_mixing, mean, rows};
use dido_topology::consensus::{Averaging, Method};
use dido_topology::families;
use dido_topology::strategies::graphs;
use dido_topology::{Graph, MixingMatrix, TopologyError, weighted_rows, weights};
use proptest::prelude::*;

type Rule = fn(&Graph) -> Result<MixingMatrix, TopologyError>;

/// Every rule that serves every graph of any size, and whether it promises that no weight is negative.
const RULES: [(&str, Rule, bool); 7] = [
    ("metropolis", |graph| Ok(weights::metropolis(graph)), true),
    ("lazy Metropolis", |graph| Ok(weights::lazy_metropolis(graph)), true),
    ("Olshevsky", |graph| Ok(weights::olshevsky(graph)), true),
    ("max degree", |graph| Ok(weights::max_degree(graph)), true),
    ("best constant", weights::best_constant, false),
    ("Sinkhorn", |graph| weights::sinkhorn(graph, |i, j| 1.0 + ((i * 31 + j * 17) % 7) as f64), true),
    ("a constant", |graph| MixingMatrix::from_edge_weights(graph, |_, _| 1.0 / (graph.nodes() + 1) as f64), true),
];

fn rule() -> impl Strategy<Value = (Rule, bool)> {
    (0..RULES.len()).prop_map(|k| (RULES[k].1, RULES[k].2))
}

fn naive(w: &MixingMatrix, width: usize, x: &[f64]) -> Vec<f64> {
    let mut out = Vec::new();
    for i in 0..w.nodes() {
        let (columns, weights) = w.row(i);
        for c in 0..width {
            let mut products = columns.iter().zip(weights).map(|(j, w)| w * x[j * width + c]);
            let first = products.next().unwrap();
            out.push(products.fold(first, |sum, p| sum + p));
        }
    }
    out
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|v| v.to_bits()).collect()
}

proptest! {
    #[test]
    fn graphs_are_simple_and_symmetric(graph in graphs(1..=40)) {
        for i in 0..graph.nodes() {
            let neighbours = graph.neighbours(i);
            prop_assert_eq!(neighbours.len(), graph.degree(i));
            prop_assert!(neighbours.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(neighbours.iter().all(|&j| j != i && graph.neighbours(j).contains(&i)));
        }
        let edges: Vec<_> = graph.edges().collect();
        prop_assert!(edges.windows(2).all(|pair| pair[0] < pair[1]) && edges.iter().all(|(i, j)| i < j));
        prop_assert_eq!(2 * edges.len(), (0..graph.nodes()).map(|i| graph.degree(i)).sum::<usize>());
        let mut lines: Vec<String> = (0..graph.nodes()).map(|i| i.to_string()).collect();
        lines.extend(edges.iter().map(|(i, j)| format!("{j} {i}")));
        prop_assert_eq!(&families::edge_list::parse(&lines.join("\n"), "text").unwrap(), &graph);
        prop_assert_eq!(&families::edge_list::parse(&graph.to_edge_list(), "text").unwrap(), &graph);
        prop_assert_eq!(&families::dot::parse(&graph.to_dot(), "text").unwrap().graph, &graph);
        prop_assert_eq!(Graph::from_edges(graph.nodes(), edges).unwrap(), graph);
    }

    #[test]
    fn matrices_of_every_rule_average(graph in graphs(1..=40), (rule, nonnegative) in rule()) {
        check_mixing(&rule(&graph).unwrap(), &graph, nonnegative);
    }

    #[test]
    fn uniform_weights_are_for_regular_graphs(graph in graphs(1..=40)) {
        let regular = (1..graph.nodes()).all(|i| graph.degree(i) == graph.degree(0));
        match weights::uniform(&graph) {
            Ok(w) => {
                prop_assert!(regular);
                check_mixing(&w, &graph, true);
            }
            Err(TopologyError::NotRegular { i, degree_i, j, degree_j }) => {
                prop_assert!((degree_i, degree_j) == (graph.degree(i), graph.degree(j)) && degree_i != degree_j);
            }
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        }
    }

    /// The best constant is the best of the constants, and lazy Metropolis half as bold as Metropolis.
    #[test]
    fn rules_relate_as_they_should(graph in graphs(1..=40), weight in 0.0..1.0) {
        let lambda = |w: &MixingMatrix| w.second_largest_singular_value().unwrap();
        let best = lambda(&weights::best_constant(&graph).unwrap());
        prop_assert!(best <= lambda(&weights::max_degree(&graph)) + 1e-13);
        if let Ok(constant) = MixingMatrix::from_edge_weights(&graph, |_, _| weight) {
            prop_assert!(best <= lambda(&constant) + 1e-13);
        }
        let (bold, lazy) = (weights::metropolis(&graph).eigenvalues().unwrap(), weights::lazy_metropolis(&graph));
        for (bold, lazy) in bold.iter().zip(lazy.eigenvalues().unwrap()) {
            prop_assert!(((1.0 + bold) / 2.0 - lazy).abs() < 1e-13);
        }
    }

    /// Any constant weight and any diagonal: accepted exactly if the spectrum says so (away from rounding).
    #[test]
    fn a_matrix_exists_if_and_only_if_it_averages(graph in graphs(1..=40), weight in -0.2_f64..1.2) {
        let mu = graph.laplacian_extremes().unwrap();
        let lambda = if graph.nodes() == 1 { 0.0 } else {
            (1.0 - weight * mu.smallest).abs().max((1.0 - weight * mu.largest).abs())
        };
        prop_assume!((lambda - 1.0).abs() > 1e-9);
        match MixingMatrix::from_edge_weights(&graph, |_, _| weight) {
            Ok(_) => prop_assert!(lambda < 1.0),
            Err(TopologyError::NoContraction { lambda: found }) => prop_assert!((found - lambda).abs() < 1e-9),
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        }
    }

    /// Chebyshev's averages keep the mean and obey their bound at every step.
    #[test]
    fn accelerated_averages_keep_the_mean_and_their_bound(graph in graphs(1..=40), (rule, _) in rule(), steps in 1_u32..60) {
        let (w, x) = (rule(&graph).unwrap(), rows(graph.nodes()));
        let lambda = w.second_largest_singular_value().unwrap();
        for method in [Method::Plain, Method::Chebyshev] {
            let mut averaging = Averaging::new(&w, method, 1, x.clone()).unwrap();
            let start = averaging.disagreement();
            for _ in 0..steps {
                averaging.step();
                prop_assert!((mean(averaging.values()) - mean(&x)).abs() < 1e-12);
            }
            prop_assert!(averaging.disagreement() <= start * method.factor(lambda, steps) + 1e-12);
        }
    }

    /// Widths on both sides of a block of columns; the range is what a thread would take.
    #[test]
    fn mixing_has_the_bits_of_the_naive_loop(
        graph in graphs(1..=40),
        width in prop_oneof![0_usize..20, 395_usize..405, 800_usize..810],
        cut: prop::sample::Index,
    ) {
        let w = weights::metropolis(&graph);
        let x = rows(w.nodes() * width);
        let expected = bits(&naive(&w, width, &x));
        let mut out = vec![f64::NAN; x.len()];
        w.mix(width, &x, &mut out);
        prop_assert_eq!(&bits(&out), &expected);

        out.fill(f64::NAN);
        let cut = cut.index(w.nodes());
        let (before, after) = out.split_at_mut(cut * width);
        w.mix_range(0..cut, width, &x, before);
        w.mix_range(cut..w.nodes(), width, &x, after);
        prop_assert_eq!(&bits(&out), &expected);

        // A party that holds only the rows of its neighbourhood.
        let (columns, weights) = w.row(cut);
        let gathered: Vec<f64> = columns.iter().flat_map(|j| &x[j * width..(j + 1) * width]).copied().collect();
        let mut row = vec![f64::NAN; width];
        weighted_rows(&(0..columns.len()).collect::<Vec<_>>(), weights, &gathered, &mut row);
        prop_assert_eq!(&bits(&row), &expected[cut * width..(cut + 1) * width]);
    }
}

/// 300 seeds x 780 pairs at p = 0.5: G(40, 0.5) is disconnected with probability 1e-10, so conditioning does not show,
/// and the edges are 234 000 fair coins. Five standard deviations, fixed seeds: it cannot flake, and a doubled or
/// halved density misses by hundreds of them.
#[test]
fn the_density_of_random_graphs_is_p() {
    let (n, p, seeds) = (40, 0.5, 300_u32);
    let samples = (0..seeds).map(|seed| families::erdos_renyi(n, p, seed.into()).unwrap());
    let edges: usize = samples.map(|s| s.graph.edges().count()).sum();
    let coins = f64::from(seeds) * 780.0;
    assert!((edges as f64 - coins * p).abs() < 5.0 * (coins * p * (1.0 - p)).sqrt(), "{edges} edges of {coins}");
}

/// P(G(3, p) is connected) = 3 p^2 (1 - p) + p^3 = 0.104 at p = 0.2, so the attempts are geometric with mean 9.615;
/// 4000 fixed seeds, five standard deviations. Given connectivity, all three edges are there with probability
/// p^3 / 0.104 = 1/13.
#[test]
fn conditioning_on_connectivity_is_by_drawing_again() {
    let (connected, seeds) = (0.104_f64, 4000_u32);
    let samples: Vec<_> = (0..seeds).map(|seed| families::erdos_renyi(3, 0.2, seed.into()).unwrap()).collect();
    let attempts: f64 = samples.iter().map(|s| f64::from(s.attempts)).sum::<f64>() / f64::from(seeds);
    let sigma = (1.0 - connected).sqrt() / connected / f64::from(seeds).sqrt();
    assert!((attempts - 1.0 / connected).abs() < 5.0 * sigma, "{attempts} attempts on average");
    let triangles = samples.iter().filter(|s| s.graph.edges().count() == 3).count() as f64 / f64::from(seeds);
    assert!((triangles - 1.0 / 13.0).abs() < 5.0 * (1.0 / 13.0 * 12.0 / 13.0 / f64::from(seeds)).sqrt(), "{triangles}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Fewer and sparser graphs: each takes some sixty linear systems of the order of its edges.
    #[test]
    fn the_fastest_weights_average_and_beat_the_others(graph in graphs(1..=40).prop_filter("edges", |g| g.edges().count() <= 150)) {
        let (linear, chain) = (weights::fdla(&graph).unwrap(), weights::fmmc(&graph).unwrap());
        check_mixing(&linear.weights, &graph, false);
        check_mixing(&chain.weights, &graph, true);
        prop_assert!(linear.gap() <= 1e-6 && chain.gap() <= 1e-6);
        prop_assert!(linear.lambda <= chain.lambda + 1e-6);
        for (name, rule, nonnegative) in RULES {
            let lambda = rule(&graph).unwrap().second_largest_singular_value().unwrap();
            prop_assert!(linear.lower_bound <= lambda + 1e-12, "{}", name);
            prop_assert!(!nonnegative || chain.lower_bound <= lambda + 1e-12, "{}", name);
        }
    }
}
