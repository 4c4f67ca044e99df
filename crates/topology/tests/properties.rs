//! What every family and every weight rule owes: a connected simple graph, doubly stochastic weights on it, averages
//! that keep the mean.

#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small shares of small counts")]

use dido_topology::families::{self, ConnectedSample, MAX_ATTEMPTS};
use dido_topology::{Graph, MixingMatrix, TOLERANCE, TopologyError, weighted_rows, weights};
use proptest::prelude::*;

/// The deterministic families, each for any number up to 40.
const DETERMINISTIC: [fn(usize) -> Result<Graph, TopologyError>; 13] = [
    families::ring,
    families::path,
    families::star,
    families::complete,
    families::binary_tree,
    families::one_peer_exponential,
    |n| families::exponential(n, 3),
    |n| families::grid(&[n % 5 + 1, n / 5 + 1]),
    |n| families::torus(&[n % 4 + 1, 2, n / 8 + 1]),
    |n| families::hypercube(n.ilog2()),
    |n| families::barbell(n / 4 + 2, n % 4),
    |n| families::lollipop(n / 2 + 2, n % 5),
    |n| families::margulis(n % 6 + 1),
];

type RandomFamily = fn(usize, f64, u64) -> Result<ConnectedSample, TopologyError>;

/// The random families for `n` nodes or a few more, a probability of at least 0.3 and a seed: connected within the
/// attempts.
const RANDOM: [RandomFamily; 7] = [
    families::erdos_renyi,
    |n, p, seed| {
        let (fewest, most) = (n - 1, n * (n - 1) / 2);
        families::erdos_renyi_edges(n, fewest + ((most - fewest) as f64 * p) as usize, seed)
    },
    |n, p, seed| families::random_regular(n + 3, 2 + 2 * (p * (n / 2) as f64) as usize, seed),
    |n, p, seed| families::watts_strogatz(n + 4, 4, p, seed),
    |n, p, seed| Ok(families::barabasi_albert(n + 1, 1 + (p * n as f64) as usize, seed)?.into()),
    |n, p, seed| families::random_geometric(n, p, seed),
    |n, p, seed| families::stochastic_block_model(&[n, 3], p, 0.4, seed),
];

/// Every family at every size.
fn graph() -> impl Strategy<Value = Graph> {
    let deterministic = (1_usize..=40, prop::sample::select(&DETERMINISTIC)).prop_map(|(n, family)| family(n).unwrap());
    let random = (1_usize..=40, prop::sample::select(&RANDOM), 0.3..1.0, any::<u64>());
    let random = random.prop_map(|(n, family, p, seed)| {
        let sample = family(n, p, seed).unwrap();
        assert!((1..=MAX_ATTEMPTS).contains(&sample.attempts));
        sample.graph
    });
    prop_oneof![deterministic, random]
}

/// Every rule, and constant weights small enough to stay non-negative.
fn rule() -> impl Strategy<Value = fn(&Graph) -> MixingMatrix> {
    let constant: fn(&Graph) -> MixingMatrix =
        |graph| MixingMatrix::from_edge_weights(graph, |_, _| 1.0 / (graph.nodes() + 1) as f64).unwrap();
    prop_oneof![Just(weights::metropolis as fn(&Graph) -> MixingMatrix), Just(constant)]
}

/// Numbers in [-1, 1), of mixed sizes so that the order of a sum shows in its last bits.
fn rows(len: usize) -> Vec<f64> {
    (0..len).map(|k| ((k * 7919 + 13) % 1009) as f64 / 504.5 - 1.0).map(|v| v * v * v).collect()
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
    fn graphs_are_simple_and_symmetric(graph in graph()) {
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
    fn weights_are_doubly_stochastic_on_the_graph(graph in graph(), rule in rule()) {
        let w = rule(&graph);
        let dense = w.to_dense();
        prop_assert!(dense.iter().zip(dense.t()).all(|(x, y)| x.to_bits() == y.to_bits()));
        for i in 0..w.nodes() {
            prop_assert!((dense.row(i).sum() - 1.0).abs() <= TOLERANCE && (dense.column(i).sum() - 1.0).abs() <= TOLERANCE);
            let (columns, weights) = w.row(i);
            prop_assert!(columns.windows(2).all(|pair| pair[0] < pair[1]) && columns.contains(&i));
            prop_assert!(columns.iter().all(|&j| j == i || graph.neighbours(i).contains(&j)));
            prop_assert!(weights.iter().all(|&w| w > 0.0));
        }
        prop_assert!(w.is_nonnegative());
        let lambda = w.second_largest_singular_value().unwrap();
        prop_assert!(if w.nodes() == 1 { lambda < 1e-15 } else { lambda < 1.0 }, "{}", lambda);
        prop_assert_eq!(MixingMatrix::from_dense(&graph, dense.view()).unwrap(), w);
    }

    #[test]
    fn an_average_keeps_the_mean_and_contracts_by_the_second_singular_value(graph in graph(), rule in rule()) {
        let (w, n) = (rule(&graph), graph.nodes());
        let x = rows(n);
        let mut y = vec![0.0; n];
        w.mix(1, &x, &mut y);
        let mean = |x: &[f64]| x.iter().sum::<f64>() / n as f64;
        prop_assert!((mean(&x) - mean(&y)).abs() < 1e-14);
        let spread = |x: &[f64]| x.iter().map(|v| (v - mean(x)).powi(2)).sum::<f64>().sqrt();
        prop_assert!(spread(&y) <= w.second_largest_singular_value().unwrap() * spread(&x) + 1e-13);
    }

    /// Widths on both sides of a block of columns; the range is what a thread would take.
    #[test]
    fn mixing_has_the_bits_of_the_naive_loop(
        graph in graph(),
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
