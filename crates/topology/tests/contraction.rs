//! Expected contraction: closed forms, exhaustive enumeration and sampling agree.

use dido_topology::sequence::{Constant, EdgeFailures, NodeActivation, PairwiseGossip, estimate_contraction};
use dido_topology::{Graph, RoundMatrix, Sequence, families, weights};
use ndarray::Array2;

/// `||M - J||_2` of the mean of `W'W` over weighted rounds.
fn contraction(nodes: usize, rounds: impl IntoIterator<Item = (f64, RoundMatrix)>) -> f64 {
    let mut mean = Array2::zeros((nodes, nodes));
    for (probability, round) in rounds {
        let w = round.to_dense();
        mean = mean + w.t().dot(&w) * probability;
    }
    mean -= 1.0 / nodes as f64;
    dido_linalg::spectral_norm(mean.view()).unwrap()
}

/// Every set of edges that may survive, with its probability.
fn all_failures(graph: &Graph, p: f64) -> f64 {
    let w = Constant(weights::metropolis(graph)).round(0).unwrap();
    let edges = u32::try_from(graph.edges().count()).unwrap();
    let rounds = (0..1_u32 << edges).map(|kept| {
        let (mut round, mut k) = (w.clone(), 0);
        round.retain_edges(|_, _| {
            k += 1;
            kept >> (k - 1) & 1 == 1
        });
        let up = kept.count_ones();
        (power(p, edges - up) * power(1.0 - p, up), round)
    });
    contraction(graph.nodes(), rounds)
}

/// Every set of awake nodes, with its probability.
fn all_activations(graph: &Graph, probability: impl Fn(u32) -> f64) -> f64 {
    let n = graph.nodes();
    let rounds = (0..1_usize << n).map(|set| {
        let awake = |i: usize| set >> i & 1 == 1;
        let mut round = RoundMatrix::identity(n);
        let edges = graph.edges().filter(|&(i, j)| awake(i) && awake(j));
        round.set_metropolis(n, (0..n).filter(|&i| awake(i)), edges).unwrap();
        (probability(set.count_ones()), round)
    });
    contraction(n, rounds)
}

fn choose(n: u32, k: u32) -> f64 {
    (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product()
}

/// `0^0 = 1`.
fn power(base: f64, exponent: u32) -> f64 {
    (0..exponent).map(|_| base).product()
}

#[test]
fn failing_links_contract_as_the_sum_over_all_failures_says() {
    for p in [0.0, 0.2, 0.5, 0.9, 1.0] {
        for graph in [families::ring(6), families::path(5), families::star(6), families::complete(4)] {
            let graph = graph.unwrap();
            let exact = EdgeFailures::new(weights::metropolis(&graph), p, 0).unwrap().expected_contraction().unwrap();
            assert!((exact - all_failures(&graph, p)).abs() < 1e-13, "p = {p}: {exact}");
        }
        for n in 2..9 {
            let complete = weights::metropolis(&families::complete(n).unwrap());
            let exact = EdgeFailures::new(complete, p, 0).unwrap().expected_contraction().unwrap();
            assert!((exact - (p * p + 2.0 * p * (1.0 - p) / n as f64)).abs() < 1e-13);
        }
    }
}

#[test]
fn gossip_contracts_by_the_algebraic_connectivity() {
    for n in 2..9 {
        let of = |graph| PairwiseGossip::new(graph, 0).expected_contraction().unwrap();
        let complete = of(families::complete(n).unwrap());
        assert!((complete - (1.0 - 1.0 / (n as f64 - 1.0))).abs() < 1e-13);
        let star = families::star(n).unwrap();
        let rounds =
            star.edges().map(|(i, j)| (1.0 / (n as f64 - 1.0), RoundMatrix::from_edges(n, [(i, j, 0.5)]).unwrap()));
        assert!((of(star.clone()) - contraction(n, rounds)).abs() < 1e-13);
    }
    // lambda_2 of a ring is 2 - 2 cos(2 pi / n).
    let ring = PairwiseGossip::new(families::ring(12).unwrap(), 0).expected_contraction().unwrap();
    assert!((ring - (1.0 - (2.0 - 3_f64.sqrt()) / 24.0)).abs() < 1e-13);
    assert!(PairwiseGossip::new(families::path(1).unwrap(), 0).expected_contraction().unwrap() < 1e-15);
}

#[test]
fn activation_of_a_complete_graph_contracts_as_the_sum_over_all_sets_says() {
    for n in 1..9_u32 {
        let complete = families::complete(n as usize).unwrap();
        for active in 1..=n {
            let sequence = NodeActivation::fixed_size(complete.clone(), active as usize, 0).unwrap();
            let all = all_activations(&complete, |k| if k == active { 1.0 / choose(n, k) } else { 0.0 });
            assert!((sequence.expected_contraction().unwrap() - all).abs() < 1e-13, "{active} of {n}");
        }
        for iota in [0.1, 0.5, 1.0_f64] {
            let sequence = NodeActivation::bernoulli(complete.clone(), iota, 0).unwrap();
            let all = all_activations(&complete, |k| power(iota, k) * power(1.0 - iota, n - k));
            assert!((sequence.expected_contraction().unwrap() - all).abs() < 1e-13, "iota = {iota}, n = {n}");
        }
    }
    let ring = NodeActivation::bernoulli(families::ring(5).unwrap(), 0.5, 0).unwrap();
    assert_eq!(ring.expected_contraction(), None);
}

/// 4000 rounds of each; `lower` is within five standard errors of at most the truth, `upper` of at least it, and the
/// two are close. Fixed seeds: it cannot flake.
#[test]
fn estimates_enclose_the_truth() {
    let ring = families::ring(8).unwrap();
    let complete = families::complete(8).unwrap();
    let path = families::path(5).unwrap();
    let w = weights::metropolis;
    let lossy = EdgeFailures::new(w(&ring), 0.4, 1).unwrap();
    let awake = NodeActivation::fixed_size(complete.clone(), 3, 2).unwrap();
    let gossip = PairwiseGossip::new(ring.clone(), 3);
    let bernoulli = NodeActivation::bernoulli(path.clone(), 0.5, 4).unwrap();
    let constant = Constant(w(&ring));
    let cases: [(&dyn Sequence, f64); 5] = [
        (&lossy, lossy.expected_contraction().unwrap()),
        (&awake, awake.expected_contraction().unwrap()),
        (&gossip, gossip.expected_contraction().unwrap()),
        (&bernoulli, all_activations(&path, |_| 0.5_f64.powi(5))),
        (&constant, constant.expected_contraction().unwrap()),
    ];
    for (sequence, exact) in cases {
        let estimate = estimate_contraction(sequence, 100..4100).unwrap();
        let slack = 5.0 * estimate.standard_error + 1e-12;
        assert!(estimate.lower <= exact + slack && estimate.upper >= exact - slack, "{exact}, {estimate:?}");
        assert!(
            exact - estimate.lower < slack + 0.01 && estimate.upper - exact < slack + 0.02,
            "{exact}, {estimate:?}"
        );
        assert!(estimate.standard_error < 0.01);
    }
    let alone = Constant(w(&families::path(1).unwrap()));
    assert!(estimate_contraction(&alone, 0..4).unwrap().upper.abs() < 1e-15);
}
