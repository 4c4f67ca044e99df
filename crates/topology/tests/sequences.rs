//! What every sequence owes in every round, and what each of them says by hand.

use std::sync::Arc;

use dido_topology::sequence::{
    Constant, EdgeFailures, NodeActivation, NodeOutages, OnePeerExponential, Outage, PairwiseGossip, Periodic,
    Recorded, SequenceError, product, product_norm, union,
};
use dido_topology::{Graph, RoundMatrix, Sequence, TOLERANCE, TopologyError, families, weights};
use ndarray::Array2;
use proptest::prelude::*;

fn graph() -> impl Strategy<Value = Graph> {
    (1_usize..=20, 0_usize..5, any::<u64>()).prop_map(|(n, family, seed)| match family {
        0 => families::ring(n).unwrap(),
        1 => families::path(n).unwrap(),
        2 => families::star(n).unwrap(),
        3 => families::complete(n).unwrap(),
        _ => families::erdos_renyi(n, 0.5, seed).unwrap().graph,
    })
}

/// Every kind of sequence, also in layers.
fn sequence() -> impl Strategy<Value = Arc<dyn Sequence>> {
    let of = |graph: Graph, seed: u64, p: f64, kind: usize| -> Arc<dyn Sequence> {
        let n = graph.nodes();
        let constant = || Constant(weights::metropolis(&graph));
        let active = 1 + usize::try_from(seed % n as u64).unwrap();
        let outages = || (0..n / 2).map(|node| Outage { node, rounds: 2..5 });
        match kind {
            0 => Arc::new(constant()),
            1 => Arc::new(NodeActivation::fixed_size(graph, active, seed).unwrap()),
            2 => Arc::new(NodeActivation::bernoulli(graph, 1.0 - p, seed).unwrap()),
            3 => Arc::new(EdgeFailures::over(constant(), p, seed).unwrap()),
            4 => Arc::new(PairwiseGossip::new(graph, seed)),
            5 => Arc::new(OnePeerExponential::new(n).unwrap()),
            6 => Arc::new(NodeOutages::new(constant(), outages()).unwrap()),
            7 => Arc::new(Recorded::record(&NodeActivation::fixed_size(graph, active, seed).unwrap(), 3..12).unwrap()),
            8 => {
                let one_peer = OnePeerExponential::new(n).unwrap();
                let rounds = Recorded::record(&one_peer, 0..one_peer.period()).unwrap();
                Arc::new(Periodic::new(rounds, one_peer.period(), 0.5).unwrap())
            }
            _ => {
                let awake: Box<dyn Sequence> = Box::new(NodeActivation::bernoulli(graph, 1.0 - p, seed).unwrap());
                let lossy = EdgeFailures::over(awake, 0.3, seed).unwrap();
                Arc::new(NodeOutages::new(lossy, outages()).unwrap())
            }
        }
    };
    (graph(), any::<u64>(), 0.0..0.95, 0_usize..10).prop_map(move |(graph, seed, p, kind)| of(graph, seed, p, kind))
}

fn assert_valid(round: &RoundMatrix) {
    let dense = round.to_dense();
    assert!(dense.iter().zip(dense.t()).all(|(x, y)| x.to_bits() == y.to_bits()), "symmetric");
    let awake = round.awake();
    assert!(awake.windows(2).all(|pair| pair[0] < pair[1]) && awake.iter().all(|&i| i < round.nodes()));
    let mut stored = 0;
    for i in 0..round.nodes() {
        assert!((dense.row(i).sum() - 1.0).abs() <= TOLERANCE && (dense.column(i).sum() - 1.0).abs() <= TOLERANCE);
        let (columns, weights) = round.row(i);
        stored += columns.len();
        assert!(columns.windows(2).all(|pair| pair[0] < pair[1]) && columns.contains(&i), "{columns:?}");
        assert!(weights.iter().all(|&w| w > 0.0), "{weights:?}");
        assert!(columns.iter().all(|j| *j == i || awake.contains(j)), "sleeping nodes have no peers");
        assert!(awake.contains(&i) || (columns, weights) == (&[i][..], &[1.0][..]), "sleeping rows are e_i");
    }
    assert_eq!((stored, round.edges().count()), (round.nonzeros(), (round.nonzeros() - round.nodes()) / 2));
}

proptest! {
    /// Symmetric, doubly stochastic, sleeping rows `e_i`; the same for every asker, in any order, into any buffer.
    #[test]
    fn every_round_is_valid_and_a_function_of_its_number(sequence in sequence()) {
        let mut buffer = RoundMatrix::identity(3);
        let forward: Vec<_> = (0..9).map(|t| sequence.round(t).unwrap()).collect();
        for (t, round) in forward.iter().enumerate().rev() {
            assert_valid(round);
            prop_assert_eq!(round.nodes(), sequence.nodes());
            for _ in 0..2 {
                sequence.fill(u32::try_from(t).unwrap(), &mut buffer).unwrap();
                prop_assert_eq!(&buffer, round);
            }
        }
    }

    /// The mean is kept and the range of values does not grow.
    #[test]
    fn averages_keep_the_mean(sequence in sequence(), width in 1_usize..4) {
        let n = sequence.nodes();
        let start: Vec<f64> = (0..n * width).map(|k| ((k * 7919 + 13) % 1009) as f64 / 504.5 - 1.0).collect();
        let (mut x, mut y) = (start.clone(), vec![f64::NAN; n * width]);
        let mean = |x: &[f64], c: usize| x.iter().skip(c).step_by(width).sum::<f64>() / n as f64;
        for t in 0..9 {
            sequence.round(t).unwrap().mix(width, &x, &mut y);
            std::mem::swap(&mut x, &mut y);
        }
        for c in 0..width {
            prop_assert!((mean(&x, c) - mean(&start, c)).abs() < 1e-13);
        }
        prop_assert!(x.iter().all(|v| v.abs() <= 1.0 + 1e-12));
    }

    /// The bits of the fixed kernel, for any split into ranges.
    #[test]
    fn mixing_has_the_bits_of_the_fixed_matrix(graph in graph(), width in 0_usize..9, cut: prop::sample::Index) {
        let w = weights::metropolis(&graph);
        let (n, round) = (graph.nodes(), Constant(w.clone()).round(7).unwrap());
        let x: Vec<f64> = (0..n * width).map(|k| (((k * 7919 + 13) % 1009) as f64).sqrt()).collect();
        let (mut expected, mut out) = (vec![0.0; x.len()], vec![f64::NAN; x.len()]);
        w.mix(width, &x, &mut expected);
        let cut = cut.index(n);
        let (before, after) = out.split_at_mut(cut * width);
        round.mix_range(0..cut, width, &x, before);
        round.mix_range(cut..n, width, &x, after);
        let bits = |x: &[f64]| x.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(&out), bits(&expected));
        prop_assert_eq!(round.to_dense(), w.to_dense());
    }

    #[test]
    fn recordings_come_back_from_text(sequence in sequence(), rounds in 1_u32..9) {
        let recorded = Recorded::record(&sequence, 0..rounds).unwrap();
        let again = Recorded::parse(&recorded.to_string(), "text").unwrap();
        prop_assert_eq!(&again, &recorded);
        for t in 0..rounds {
            prop_assert_eq!(again.round(t).unwrap(), sequence.round(t).unwrap());
        }
    }
}

/// Lost messages whose weight was not given back took a consensus of 1 to 1e-4 in twenty rounds elsewhere. Weights of
/// 1/4 add up without rounding, so here it stays 1 to the last bit.
#[test]
fn a_consensus_survives_lossy_links() {
    let k4 = weights::metropolis(&families::complete(4).unwrap());
    let lossy = EdgeFailures::new(k4, 0.5, 8).unwrap();
    let (mut x, mut y) = (vec![1.0; 4], vec![0.0; 4]);
    let mut mixed = vec![3.0, -1.0, 0.5, 10.0];
    let mut lost = 0;
    for t in 0..200 {
        let round = lossy.round(t).unwrap();
        lost += 6 - round.edges().count();
        round.mix(1, &x, &mut y);
        assert_eq!(y, [1.0; 4]);
        std::mem::swap(&mut x, &mut y);
        round.mix(1, &mixed, &mut y);
        mixed.copy_from_slice(&y);
    }
    assert!(mixed.iter().all(|v| (v - 3.125).abs() < 1e-12), "{mixed:?}");
    // 1200 fair coins: five standard deviations are 87, the seed is fixed.
    assert!(lost.abs_diff(600) < 87, "{lost} links lost");
}

#[test]
fn failures_of_probability_0_and_1_are_the_matrix_and_the_identity() {
    let w = weights::metropolis(&families::ring(7).unwrap());
    for t in 0..20 {
        let never = EdgeFailures::new(w.clone(), 0.0, 3).unwrap().round(t).unwrap();
        assert_eq!(never, Constant(w.clone()).round(0).unwrap());
        assert_eq!(EdgeFailures::new(w.clone(), 1.0, 3).unwrap().round(t).unwrap(), RoundMatrix::identity(7));
    }
}

/// Each node and each pair is awake as often as the law says: 4000 rounds, fixed seeds, five standard deviations.
#[test]
fn activation_has_its_law() {
    let (n, active, rounds) = (9, 3, 4000_u32);
    let graph = families::ring(n).unwrap();
    let laws: [(Box<dyn Sequence>, f64, f64); 2] = [
        (Box::new(NodeActivation::fixed_size(graph.clone(), active, 5).unwrap()), 3.0 / 9.0, 3.0 / 9.0 * 2.0 / 8.0),
        (Box::new(NodeActivation::bernoulli(graph, 0.4, 5).unwrap()), 0.4, 0.16),
    ];
    for (kind, (sequence, one, two)) in laws.into_iter().enumerate() {
        let mut count = Array2::<f64>::zeros((n, n));
        for t in 0..rounds {
            let round = sequence.round(t).unwrap();
            assert!(kind == 1 || round.awake().len() == active);
            for &i in round.awake() {
                round.awake().iter().for_each(|&j| count[[i, j]] += 1.0);
            }
        }
        for ((i, j), &seen) in count.indexed_iter() {
            let p = if i == j { one } else { two };
            let sigma = (f64::from(rounds) * p * (1.0 - p)).sqrt();
            assert!((seen - f64::from(rounds) * p).abs() < 5.0 * sigma, "{sequence:?}: {i}, {j} awake {seen} times");
        }
    }
}

/// Degrees count awake neighbours only: on a star whose centre and leaf 2 are awake both have degree 1.
#[test]
fn the_awake_have_metropolis_weights_on_their_subgraph() {
    let star = families::star(5).unwrap();
    let sequence = NodeActivation::fixed_size(star.clone(), 2, 0).unwrap();
    let mut seen = (0, 0);
    for round in (0..50).map(|t| sequence.round(t).unwrap()) {
        if round.awake()[0] == 0 {
            let leaf = round.awake()[1];
            assert_eq!(round.row(leaf), (&[0, leaf][..], &[0.5, 0.5][..]));
            seen.0 += 1;
        } else {
            assert_eq!(round.nonzeros(), 5);
            seen.1 += 1;
        }
    }
    assert!(seen.0 > 0 && seen.1 > 0);
    let all = NodeActivation::fixed_size(star.clone(), 5, 1).unwrap().round(9).unwrap();
    assert_eq!(all, Constant(weights::metropolis(&star)).round(0).unwrap());
}

/// Value stability: these draws may never change, published experiments rest on them.
#[test]
fn a_seed_gives_the_same_rounds_for_ever() {
    let ring = families::ring(10).unwrap();
    let fixed = NodeActivation::fixed_size(ring.clone(), 3, 2026).unwrap();
    let bernoulli = NodeActivation::bernoulli(ring.clone(), 0.3, 2026).unwrap();
    let gossip = PairwiseGossip::new(ring.clone(), 2026);
    let lossy = EdgeFailures::new(weights::metropolis(&ring), 0.5, 2026).unwrap();
    let awake = |s: &dyn Sequence| [0, 1_000_000].map(|t| s.round(t).unwrap().awake().to_vec());
    let links: Vec<_> = lossy.round(1).unwrap().edges().map(|(i, j, _)| (i, j)).collect();
    assert_eq!(awake(&fixed), [[1, 2, 8], [3, 5, 9]]);
    assert_eq!(awake(&bernoulli), [vec![1, 2, 4, 5, 7, 8], vec![4]]);
    assert_eq!(awake(&gossip), [[8, 9], [7, 8]]);
    assert_eq!(links, [(0, 1), (0, 9), (1, 2), (2, 3), (4, 5), (6, 7)]);
}

#[test]
fn nodes_are_down_when_they_are_said_to_be() {
    let ring = Constant(weights::metropolis(&families::ring(5).unwrap()));
    let outages =
        [Outage { node: 3, rounds: 1..3 }, Outage { node: 0, rounds: 2..4 }, Outage { node: 3, rounds: 6..7 }];
    let sequence = NodeOutages::new(ring.clone(), outages).unwrap();
    let awake: Vec<Vec<usize>> = (0..8).map(|t| sequence.round(t).unwrap().awake().to_vec()).collect();
    let (all, no_3) = (vec![0, 1, 2, 3, 4], vec![0, 1, 2, 4]);
    let expected = [all.clone(), no_3.clone(), vec![1, 2, 4], vec![1, 2, 3, 4], all.clone(), all.clone(), no_3, all];
    assert_eq!(awake, expected);
    // Node 4 gives the weight 1/3 of node 3 back to itself and keeps node 0.
    let round = sequence.round(1).unwrap();
    let (columns, kept) = round.row(4);
    assert_eq!(columns, [0, 4]);
    assert!((kept[0] - 1.0 / 3.0).abs() < 1e-15 && (kept[1] - 2.0 / 3.0).abs() < 1e-15);
    assert_eq!(sequence.round(0).unwrap(), ring.round(0).unwrap());
}

#[test]
fn gossip_draws_every_edge_alike() {
    let (graph, rounds) = (families::star(6).unwrap(), 5000);
    let gossip = PairwiseGossip::new(graph, 11);
    let mut count = [0_u32; 6];
    for t in 0..rounds {
        let round = gossip.round(t).unwrap();
        let leaf = round.awake()[1];
        assert_eq!((round.awake().len(), round.row(leaf)), (2, (&[0, leaf][..], &[0.5, 0.5][..])));
        count[leaf] += 1;
    }
    // Five standard deviations of 5000 draws of probability 1/5; a fixed seed.
    assert!(count[1..].iter().all(|c| c.abs_diff(1000) < 141), "{count:?}");
    assert_eq!(PairwiseGossip::new(families::path(1).unwrap(), 0).round(3).unwrap().nonzeros(), 1);
}

/// Powers of two: `J` after `log2 n` rounds, from any round on, without rounding. Other sizes: connected, and closer.
#[test]
fn one_peer_rounds_average_exactly_over_a_power_of_two() {
    for n in 1..=70_usize {
        let sequence = OnePeerExponential::new(n).unwrap();
        let period = sequence.period();
        assert_eq!(period, (1..32).find(|&k| 1_usize << k >= n).unwrap());
        for start in [0, 1, 5] {
            let rounds = start..start + period;
            assert_eq!(union(&sequence, rounds.clone()).unwrap().nodes(), n);
            let average = Array2::from_elem((n, n), 1.0 / n as f64);
            let whole = product(&sequence, rounds.clone()).unwrap();
            assert_eq!(whole == average, n.is_power_of_two(), "{n} nodes from round {start}");
            assert!(product_norm(&sequence, rounds).unwrap() < 0.5_f64.sqrt(), "{n} nodes");
        }
        for t in 0..period {
            let round = sequence.round(t).unwrap();
            let square = round.to_dense().dot(&round.to_dense());
            assert_eq!(square, round.to_dense(), "a projection");
        }
    }
    // Five nodes: node 4 meets node 0 only, in every third round.
    let round = OnePeerExponential::new(5).unwrap().round(5).unwrap();
    assert_eq!(round.edges().collect::<Vec<_>>(), [(0, 4, 0.5)]);
    assert_eq!(round.awake().len(), 5);
}

/// The three edges of a path of four, one per round: any three rounds in a row connect, no two do.
fn path_in_turns() -> Recorded {
    Recorded::from_edges(4, 3, (0..3_u32).map(|t| (t, t as usize, t as usize + 1, 0.25))).unwrap()
}

#[test]
fn periodic_sequences_are_connected_over_every_window_or_say_which_is_not() {
    let periodic = Periodic::new(path_in_turns(), 3, 0.25).unwrap();
    assert_eq!(periodic.round(7).unwrap(), path_in_turns().round(1).unwrap());
    assert_eq!((periodic.period(), periodic.window()), (3, 3));
    assert!(Periodic::new(path_in_turns(), 100, 0.25).is_ok());
    for start in 0..7 {
        assert!(product_norm(&periodic, start..start + 3).unwrap() < 1.0);
        assert!((product_norm(&periodic, start..start + 2).unwrap() - 1.0).abs() < 1e-14);
    }
    let refused = Periodic::new(path_in_turns(), 2, 0.25).unwrap_err();
    let expected = "the union of rounds 0 to 1 is not connected: 2 components: {0, 1, 2}, {3}";
    assert_eq!(refused.to_string(), expected);
    let refused = Periodic::new(path_in_turns(), 3, 0.3).unwrap_err();
    assert_eq!(refused.to_string(), "round 0, row 0, column 1 has weight 0.25, less than eta = 0.3");
    // Own weights count too.
    let greedy = Recorded::from_edges(2, 1, [(0, 0, 1, 0.9)]).unwrap();
    let refused = Periodic::new(greedy, 1, 0.5).unwrap_err();
    assert!(
        matches!(refused, TopologyError::Sequence(SequenceError::SmallWeight { row: 0, column: 0, .. })),
        "{refused}"
    );
    // Only the window across the end is not connected.
    let edges = [(0, 0, 1, 0.5), (1, 1, 2, 0.5), (2, 0, 1, 0.5)];
    let refused = Periodic::new(Recorded::from_edges(3, 3, edges).unwrap(), 2, 0.5).unwrap_err();
    assert!(
        matches!(refused, TopologyError::Sequence(SequenceError::NotJointlyConnected { first: 2, last: 3, .. })),
        "{refused}"
    );
    for eta in [0.0, 1.0, f64::NAN] {
        let refused = Periodic::new(path_in_turns(), 3, eta).unwrap_err();
        assert!(matches!(refused, TopologyError::Sequence(SequenceError::Parameter { .. })), "{refused}");
    }
    assert!(matches!(
        Periodic::new(path_in_turns(), 0, 0.2),
        Err(TopologyError::Sequence(SequenceError::Window { window: 0, rounds: 3 }))
    ));
}

/// Assumption 2 with `B = 1`: every entry of a product of `k` rounds is within `(1 - eta / (4 n^2))^k` of `1/n`.
#[test]
fn products_converge_at_the_rate_of_assumption_2() {
    let (n, third) = (6, 1.0 / 3.0);
    let rounds = (0..4_u32).flat_map(|t| {
        let turn = move |k: usize| (k * (1 + 4 * (t as usize % 2))) % n;
        (0..n).map(move |k| (t, turn(k), turn(k + 1), third - 0.05 * f64::from(t)))
    });
    let periodic = Periodic::new(Recorded::from_edges(n, 4, rounds).unwrap(), 1, 0.15).unwrap();
    for k in 1..40 {
        let worst = product(&periodic, 0..k).unwrap().iter().fold(0.0, |w: f64, v| w.max((v - 1.0 / n as f64).abs()));
        assert!(worst <= (1.0 - 0.15 / (4.0 * (n * n) as f64)).powf(f64::from(k)), "{k} rounds: {worst}");
    }
}

/// By hand: a path of three in round 0, one edge in round 1.
#[test]
fn rounds_of_edges_have_metropolis_weights() {
    let recorded = Recorded::metropolis(4, &[vec![(0, 1), (2, 1)], vec![(3, 2)], vec![]]).unwrap();
    assert_eq!(recorded.rounds(), 3);
    let third = 1.0 / 3.0;
    assert_eq!(recorded.round(0).unwrap().edges().collect::<Vec<_>>(), [(0, 1, third), (1, 2, third)]);
    assert_eq!(recorded.round(1).unwrap().edges().collect::<Vec<_>>(), [(2, 3, 0.5)]);
    assert_eq!(recorded.round(2).unwrap(), RoundMatrix::identity(4));
    let refused = Recorded::metropolis(4, &[vec![], vec![(1, 1)]]).unwrap_err().to_string();
    assert!(refused.starts_with("round 1: node 1 is joined to itself"), "{refused}");
    assert!(Recorded::metropolis(4, &[]).is_err());
}
