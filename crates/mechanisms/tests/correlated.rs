//! Correlated noise against explicit normal densities of everything that is seen.
#![cfg(feature = "linalg")]

use dido_mechanisms::accountants::{Accountant, Conversion, Gdp, Zcdp};
use dido_mechanisms::correlated::{Exposure, PairwiseNoise};
use dido_mechanisms::{Adjacency, Adversary, Event, Key, MechanismError, Norm, Purpose, Sensitivity, Stream};
use ndarray::{Array1, Array2};

fn ring(n: usize, sigma: f64, pair_sigma: f64) -> PairwiseNoise {
    PairwiseNoise::new(n, (0..n).map(|i| (i, (i + 1) % n)), sigma, pair_sigma).unwrap()
}

/// A triangle with a tail, so that no two nodes are alike but 0 and 1.
const KITE: [(usize, usize); 5] = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)];

fn kite() -> PairwiseNoise {
    PairwiseNoise::new(5, KITE, 1.5, 2.5).unwrap()
}

fn replaced(clip: f64) -> Sensitivity {
    Sensitivity::new(2.0 * clip, Norm::L2, Adjacency::ReplaceRecord).unwrap()
}

fn stream(round: u32) -> Stream {
    Stream::new(round, Purpose::Noise, 0).unwrap()
}

/// The noise of `node` in `round`, as that node draws it.
fn noise(noise: &PairwiseNoise, node: usize, round: u32, dim: usize) -> Vec<f64> {
    let id = |i: usize| u32::try_from(i).unwrap();
    let pairs: Vec<Key> =
        noise.neighbours(node).unwrap().iter().map(|&j| Key::derive_pair(3, id(node), id(j), 0)).collect();
    let mut row = vec![0.0; dim];
    noise.add_simulated(node, &Key::derive(3, id(node), 0), &pairs, stream(round), &mut row).unwrap();
    row
}

/// Ten nodes, sigma 2, pair sigma 3, vectors clipped to length 1; computed elsewhere from the inverse of the covariance.
#[test]
fn golden_values_of_a_ring_of_ten() {
    let exposure = ring(10, 2.0, 3.0).exposure(&[]).unwrap();
    assert!((exposure.renyi_slope(replaced(1.0)) - 0.158_567).abs() < 5e-7);
    let simple = Zcdp { conversion: Conversion::Simple };
    for (steps, expected) in [(1, [2.8608, 2.4717, 2.2769]), (1000, [244.0207, 241.5807, 233.6217])] {
        let ledger = exposure.ledger(replaced(1.0), steps);
        assert_eq!((ledger.classes.len(), ledger.releases_per_node()), (1, u64::from(steps)));
        let found = [&simple as &dyn Accountant, &Zcdp::default(), &Gdp].map(|a| a.bound(&ledger, 1e-5).unwrap());
        for (bound, expected) in found.iter().zip(expected) {
            assert!((bound.epsilon - expected).abs() < 5.1e-5, "{bound:?} instead of {expected}");
            assert_eq!(bound.adversary, Adversary::AllMessages);
        }
    }
}

/// On a ring `[S^-1]_ii` is the mean of `1 / (sigma^2 + pair_sigma^2 (2 - 2 cos(2 pi k / n)))`.
#[test]
fn a_ring_has_the_spectrum_of_a_circulant() {
    for (n, sigma, pair) in [(3, 1.0, 1.0), (50, 0.5, 4.0), (7, 2.0, 1e-3), (12, 1.0, 300.0)] {
        let angle = |k: usize| std::f64::consts::TAU * k as f64 / n as f64;
        let term = |k: usize| 1.0 / (sigma * sigma + pair * pair * (2.0 - 2.0 * angle(k).cos()));
        let expected = ((0..n).map(term).sum::<f64>() / n as f64).sqrt().recip();
        for (_, found) in ring(n, sigma, pair).exposure(&[]).unwrap().sigmas {
            assert!(found <= expected && found > expected * (1.0 - 1e-8), "{found} instead of {expected}");
        }
    }
}

/// A pair: `S^-1` by hand. Two nodes of ratio r: `[S^-1]_ii = (1 + r) / (1 + 2 r) / sigma^2`.
#[test]
fn two_nodes_by_hand() {
    let pair = PairwiseNoise::new(2, [(0, 1), (1, 0)], 2.0, 6.0).unwrap();
    assert_eq!(pair.covariance(), ndarray::array![[40.0, -36.0], [-36.0, 40.0]]);
    let exposure = pair.exposure(&[]).unwrap();
    let expected = 2.0 * (19.0_f64 / 10.0).sqrt();
    assert!(exposure.sigmas.iter().all(|&(_, sigma)| (sigma / expected - 1.0).abs() < 1e-13));
    let Event::Gaussian { sensitivity, sigma } = exposure.event(replaced(1.0)) else { unreachable!("Gaussian") };
    assert!((sigma / expected - 1.0).abs() < 1e-13 && sensitivity == replaced(1.0));
}

/// The limits: with much shared noise the whole graph hides a node, as a trusted server would; with little, nobody.
#[test]
fn between_local_and_central_noise() {
    let n = 20;
    let central = ring(n, 1.0, 1e4).exposure(&[]).unwrap().worst().1;
    assert!((central / (n as f64).sqrt() - 1.0).abs() < 1e-3, "{central}");
    let local = ring(n, 1.0, 1e-9).exposure(&[]).unwrap().worst().1;
    assert!((local - 1.0).abs() < 1e-12);
    // Beyond what can be computed, the own noise counts; nothing overflows.
    for pair in [1e9, 1e160, 1e300] {
        let lost = ring(n, 1.0, pair).exposure(&[]).unwrap().worst().1;
        assert!((1.0 - 1e-12..=(n as f64).sqrt()).contains(&lost), "{pair}: {lost}");
    }
}

/// Log-density of `N(mean, covariance)` at `x`, but for the constant that all means share.
fn log_density(x: &Array1<f64>, mean: &Array1<f64>, covariance: &Array2<f64>) -> f64 {
    let away = x - mean;
    -0.5 * away.dot(&dido_linalg::solve_positive_definite(covariance.view(), away.view()).unwrap())
}

/// What colluders see of the kite, as a linear map of all independent noises (five own ones, then one for each edge):
/// every message, and the noise of each edge at which one of them is.
fn map(colluders: &[usize]) -> (Array2<f64>, usize) {
    let known: Vec<usize> =
        (0..5).filter(|&e| colluders.contains(&KITE[e].0) || colluders.contains(&KITE[e].1)).collect();
    let mut map = Array2::zeros((5 + known.len(), 10));
    for node in 0..5 {
        map[[node, node]] = 1.5;
        for (e, &(i, j)) in KITE.iter().enumerate() {
            let sign = if node == i.min(j) { 1.0 } else { -1.0 };
            if node == i || node == j {
                map[[node, 5 + e]] = 2.5 * sign;
            }
        }
    }
    known.iter().enumerate().for_each(|(k, &e)| map[[5 + k, 5 + e]] = 2.5);
    (map, known.len())
}

/// The joint density of everything seen, without and with keys: for data that differ by 2 at one node, the log-likelihood
/// ratio has the mean `mu^2 / 2` under one of them and `-mu^2 / 2` under the other.
#[test]
fn the_likelihood_ratio_of_the_joint_view_is_that_of_the_event() {
    for colluders in [&[][..], &[2], &[3], &[0, 1], &[0, 3]] {
        let exposure = kite().exposure(colluders).unwrap();
        assert_eq!(exposure.sigmas.len(), 5 - colluders.len());
        let (map, known) = map(colluders);
        let covariance = map.dot(&map.t());
        for &(node, sigma) in &exposure.sigmas {
            let here = Array1::zeros(5 + known);
            let mut there = here.clone();
            there[node] = 2.0;
            let ratio = |x: &Array1<f64>| log_density(x, &there, &covariance) - log_density(x, &here, &covariance);
            let half = 0.5 * (2.0 / sigma).powi(2);
            for (found, expected) in [(ratio(&there), half), (ratio(&here), -half)] {
                assert!((found / expected - 1.0).abs() < 1e-12, "{colluders:?}, {node}: {found} for {expected}");
            }
        }
    }
    let (all, _) = map(&[]);
    assert!((all.dot(&all.t()) - kite().covariance()).iter().all(|x| x.abs() < 1e-14));
}

/// Behind colluders on all sides a node has its own noise; who is cut off from others is hidden by the rest only.
#[test]
fn a_node_among_colluders_has_its_own_noise_only() {
    let exposure = ring(10, 2.0, 3.0).exposure(&[9, 1, 1]).unwrap();
    assert_eq!(exposure.adversary, Adversary::Colluders(2));
    let (worst, sigma) = exposure.worst();
    assert!(worst == 0 && (sigma - 2.0).abs() < 1e-12);
    let ledger = exposure.ledger(replaced(1.0), 3);
    let mut nodes: Vec<usize> = ledger.classes.iter().flat_map(|class| class.nodes.clone()).collect();
    nodes.sort_unstable();
    assert_eq!(nodes, [0, 2, 3, 4, 5, 6, 7, 8]);
    // The mirror images 2 and 8, 3 and 7, 4 and 6 share a class.
    assert_eq!(ledger.classes.len(), 5);
    assert_eq!(Gdp.bound(&ledger, 1e-5).unwrap().node, 0);
    assert_eq!(kite().exposure(&[0, 1, 2, 3, 4]), Err(MechanismError::NoNodes));
}

/// Each further colluder knows more, so nobody is hidden better for it.
#[test]
fn colluders_never_help() {
    let hidden = |colluders: &[usize]| kite().exposure(colluders).unwrap();
    let sigma = |exposure: &Exposure, node| exposure.sigmas.iter().find(|s| s.0 == node).unwrap().1;
    let (none, one, two) = (hidden(&[]), hidden(&[2]), hidden(&[2, 4]));
    for node in [0, 1, 3] {
        assert!(sigma(&one, node) < sigma(&none, node) && sigma(&two, node) <= sigma(&one, node));
    }
}

/// Neighbours draw the same bits with opposite signs: with equal own keys, the two ends of one edge cancel exactly.
#[test]
fn both_ends_of_an_edge_draw_the_same_bits() {
    let pair = PairwiseNoise::new(2, [(0, 1)], 1e-300, 3.0).unwrap();
    let (low, high) = (noise(&pair, 0, 4, 100), noise(&pair, 1, 4, 100));
    assert!(low.iter().all(|x| x.abs() > 1e-10));
    for (x, y) in low.iter().zip(&high) {
        assert_eq!(x.to_bits(), (-y).to_bits());
    }
    let mut alone = vec![0.0; 100];
    let gaussian = dido_mechanisms::Gaussian::new(3.0).unwrap();
    gaussian.add_simulated_range(&[Key::derive_pair(3, 1, 0, 0)], stream(4), &mut alone, 100).unwrap();
    assert_eq!(low, alone);
}

/// The sum over all nodes has the own noises only, up to rounding.
#[test]
fn the_shared_noise_is_gone_from_the_mean() {
    let (kite, dim) = (kite(), 30);
    let mut sum = vec![0.0; dim];
    for node in 0..5 {
        sum.iter_mut().zip(noise(&kite, node, 9, dim)).for_each(|(s, x)| *s += x);
        let mut own = vec![0.0; dim];
        let key = Key::derive(3, u32::try_from(node).unwrap(), 0);
        dido_mechanisms::Gaussian::new(1.5).unwrap().add_simulated_range(&[key], stream(9), &mut own, dim).unwrap();
        sum.iter_mut().zip(own).for_each(|(s, x)| *s -= x);
    }
    assert!(sum.iter().all(|s| s.abs() < 1e-13), "{sum:?}");
}

/// The noise that is drawn, 40000 rounds of it, has the covariance that is accounted for. A mean of n products of
/// two normal numbers has a standard error of at most `sqrt(2 S_ii S_jj / n)`; 5 of them, at a fixed seed.
#[test]
fn the_noise_has_its_covariance() {
    let (kite, rounds, dim) = (kite(), 100, 400);
    let expected = kite.covariance();
    let mut found = Array2::<f64>::zeros((5, 5));
    for round in 0..rounds {
        let rows: Vec<Array1<f64>> = (0..5).map(|node| noise(&kite, node, round, dim).into()).collect();
        for i in 0..5 {
            (0..5).for_each(|j| found[[i, j]] += rows[i].dot(&rows[j]));
        }
    }
    let n = f64::from(rounds) * dim as f64;
    for ((i, j), found) in found.indexed_iter() {
        let error = (2.0 * expected[[i, i]] * expected[[j, j]] / n).sqrt();
        assert!((found / n - expected[[i, j]]).abs() < 5.0 * error, "({i}, {j}): {}", found / n);
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let new = |edges: &[(usize, usize)], sigma, pair| PairwiseNoise::new(3, edges.iter().copied(), sigma, pair);
    assert_eq!(new(&[(0, 3)], 1.0, 1.0), Err(MechanismError::NoSuchNode { node: 3, nodes: 3 }));
    assert_eq!(new(&[(1, 1)], 1.0, 1.0), Err(MechanismError::Loop(1)));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(new(&[(0, 1)], bad, 1.0), Err(MechanismError::Scale(_))));
        assert!(matches!(new(&[(0, 1)], 1.0, bad), Err(MechanismError::Scale(_))));
    }
    let pair = new(&[(0, 1)], 1.0, 1.0).unwrap();
    assert_eq!(pair.exposure(&[3]), Err(MechanismError::NoSuchNode { node: 3, nodes: 3 }));
    assert_eq!(pair.neighbours(3), Err(MechanismError::NoSuchNode { node: 3, nodes: 3 }));
    let refused = pair.add_simulated(0, &Key::derive(0, 0, 0), &[], stream(0), &mut [0.0]);
    assert_eq!(refused, Err(MechanismError::PairKeys { node: 0, neighbours: 1, keys: 0 }));
    assert_eq!(PairwiseNoise::new(0, [], 1.0, 1.0).unwrap().exposure(&[]), Err(MechanismError::NoNodes));
}
