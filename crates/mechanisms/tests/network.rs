//! Network differential privacy against dense pseudo-inverses, views worked out by hand, and the best statistic.
#![cfg(feature = "linalg")]

use dido_mechanisms::network::{Gossip, Loss, TOLERANCE, View};
use dido_mechanisms::{Adjacency, Adversary, Key, MechanismError, Norm, Purpose, Sensitivity, Stream};
use ndarray::{Array1, Array2, Axis};
use rand::RngExt;

fn ring(n: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, n), |(i, j)| if i == j || (i + 1) % n == j || (j + 1) % n == i { 1.0 / 3.0 } else { 0.0 })
}

/// Metropolis weights: `1/(dimension + 1)` on each edge and on the diagonal.
fn hypercube(dimension: u32) -> Array2<f64> {
    let n = 1 << dimension;
    let weight = 1.0 / f64::from(dimension + 1);
    Array2::from_shape_fn((n, n), |(i, j): (usize, usize)| if (i ^ j).count_ones() <= 1 { weight } else { 0.0 })
}

/// A sparse matrix without symmetry: each row has a diagonal and a few random entries of either sign.
fn random(n: usize, seed: u64) -> Array2<f64> {
    let mut rng = Key::derive(seed, 0, 0).rng(Stream::new(0, Purpose::PublicCoin, 0).unwrap());
    let mut w = Array2::zeros((n, n));
    for i in 0..n {
        w[[i, i]] = 0.4;
        for _ in 0..2 {
            w[[i, rng.random_range(0..n)]] += rng.random_range(-0.3..0.5);
        }
    }
    w
}

/// Everything the viewers see, row by row, as the definition says: their own messages and those of their senders.
fn seen(w: &Array2<f64>, viewers: &[usize], rounds: usize) -> Array2<f64> {
    let n = w.nrows();
    let mut rows = Array2::zeros((0, n));
    let mut power = Array2::eye(n);
    for _ in 0..rounds {
        for &viewer in viewers {
            rows.append(Axis(0), power.select(Axis(0), &[viewer]).view()).unwrap();
            let senders: Vec<usize> = (0..n).filter(|&j| w[[viewer, j]] != 0.0).collect();
            rows.append(Axis(0), power.select(Axis(0), &senders).view()).unwrap();
        }
        power = w.dot(&power);
    }
    rows
}

/// `[O^+ O]_uu`: entry `u` of the shortest `x` with `O x = O e_u`.
fn dense(o: &Array2<f64>) -> Vec<f64> {
    (0..o.ncols()).map(|u| dido_linalg::least_squares(o.view(), o.column(u)).unwrap()[u]).collect()
}

fn view(w: &Array2<f64>, viewers: &[usize], rounds: usize) -> View {
    Gossip::from_dense(w.view()).unwrap().view(viewers, rounds).unwrap()
}

fn unit() -> Sensitivity {
    Sensitivity::new(1.0, Norm::L2, Adjacency::ReplaceNode).unwrap()
}

fn losses(view: &View) -> Vec<Loss> {
    view.losses(unit(), 1.0).unwrap()
}

/// Few rounds, so that powers of `W` are still far from each other and the dense factorisation keeps its digits.
#[test]
fn the_projector_is_that_of_the_dense_pseudo_inverse() {
    for (w, rounds) in [(ring(9), 3), (ring(10), 2), (hypercube(4), 3), (random(14, 1), 3), (random(20, 2), 3)] {
        for viewers in [&[0][..], &[3], &[1, 4], &[2, 5, 8]] {
            let found = view(&w, viewers, rounds);
            let expected = dense(&seen(&w, viewers, rounds));
            for (u, (x, y)) in found.isolated.iter().zip(&expected).enumerate() {
                assert!((x - y).abs() < 1e-8, "node {u}, viewers {viewers:?}: {x} instead of {y}");
            }
            let trace: f64 = expected.iter().sum();
            assert!((found.dimension as f64 - trace).abs() < 1e-7, "the trace of a projector is its rank");
            assert!(found.kept > 1e-4 && found.dropped < TOLERANCE / 100.0, "{} {}", found.kept, found.dropped);
        }
    }
}

/// Viewer 0 of a ring peels off one node on either side in each round.
#[test]
fn a_ring_is_uncovered_node_by_node() {
    let found = view(&ring(12), &[0], 3);
    assert_eq!((found.dimension, found.adversary()), (7, Adversary::Neighbour(0)));
    for loss in losses(&found) {
        let distance = loss.node.min(12 - loss.node);
        let reached = distance <= 3;
        assert_eq!(loss.distance, reached.then_some(distance));
        assert!((loss.estimate - f64::from(u8::from(reached))).abs() < 1e-12, "{loss:?}");
        assert!((loss.upper - f64::from(u8::from(reached))).abs() <= 0.0);
    }
}

/// After the first round, node 0 of a complete graph knows everybody; before it, nobody.
#[test]
fn a_complete_graph_hides_nothing() {
    let w = Array2::from_elem((6, 6), 1.0 / 6.0);
    assert!(losses(&view(&w, &[0], 1)).iter().all(|loss| (loss.estimate - 1.0).abs() < 1e-15));
    assert!(losses(&view(&w, &[0], 0)).iter().all(|loss| loss.distance.is_none() && loss.upper <= 0.0));
}

/// The centre of a star sends the others' mean only: leaf 1 isolates a third of each of the other three leaves, in any
/// number of rounds from the second on, and the centre.
#[test]
fn the_centre_of_a_star_hides_the_leaves_behind_each_other() {
    let mut w = Array2::zeros((5, 5));
    for leaf in 1..5 {
        (w[[0, leaf]], w[[leaf, 0]], w[[leaf, leaf]]) = (0.2, 0.2, 0.8);
    }
    w[[0, 0]] = 0.2;
    for rounds in [2, 3, 10, 100] {
        let found = view(&w, &[1], rounds);
        let parts: Vec<f64> = losses(&found).iter().map(|loss| loss.estimate).collect();
        let expected = [1.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0];
        assert!(parts.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12), "{parts:?}");
        assert_eq!(found.dimension, 3);
    }
}

/// More rounds and more viewers see no less; no part is above 1, and what is out of reach is exactly nothing.
#[test]
fn a_view_that_sees_more_isolates_more() {
    for w in [ring(16), hypercube(5), random(30, 3)] {
        let mut last = vec![0.0; w.nrows()];
        for rounds in 0..12 {
            let one = view(&w, &[2], rounds);
            let two = view(&w, &[2, 7], rounds);
            for (u, last) in last.iter().enumerate() {
                assert!(one.isolated[u] >= last - 1e-9 && two.isolated[u] >= one.isolated[u] - 1e-9);
                assert!(two.isolated[u] <= 1.0);
                assert!(one.distances[u].is_some() || one.isolated[u] <= 0.0);
            }
            last = one.isolated;
        }
    }
}

/// What a viewer learns from one linear statistic `c` of its view is `(c O e_u)^2 / ||c O||^2`, and the view is as good as
/// the best one: random ones are not above the projector, and the shortest `x` with `O x = O e_u` attains it.
#[test]
fn no_linear_statistic_of_a_view_tells_more_and_one_tells_as_much() {
    let w = random(12, 4);
    let (o, found) = (seen(&w, &[3], 3), view(&w, &[3], 3));
    let mut rng = Key::derive(5, 0, 0).rng(Stream::new(0, Purpose::PublicCoin, 0).unwrap());
    let power = |row: &Array1<f64>, u: usize| row[u] * row[u] / row.dot(row);
    for u in (0..12).filter(|&u| found.distances[u].is_some()) {
        for _ in 0..200 {
            let c = Array1::from_shape_simple_fn(o.nrows(), || rng.random_range(-1.0..1.0));
            assert!(power(&c.dot(&o), u) <= found.isolated[u] + 1e-9);
        }
        let best = dido_linalg::least_squares(o.view(), o.column(u)).unwrap();
        assert!((power(&best, u) - found.isolated[u]).abs() < 1e-8);
    }
}

/// A node of a hypercube sees all others of one distance alike, and all nodes see alike: the code does not use it.
#[test]
fn a_hypercube_has_the_symmetry_that_was_not_used() {
    let found = view(&hypercube(6), &[0], 4);
    for distance in 1..=6 {
        let parts: Vec<f64> = (1..64_usize).filter(|u| u.count_ones() == distance).map(|u| found.isolated[u]).collect();
        assert!(parts.iter().all(|part| (part - parts[0]).abs() < 1e-10), "{parts:?}");
    }
    let elsewhere = view(&hypercube(6), &[0b10_0101], 4);
    assert!((0..64).all(|u| (found.isolated[u] - elsewhere.isolated[u ^ 0b10_0101]).abs() < 1e-10));
}

#[test]
fn all_views_are_the_views_of_all() {
    let gossip = Gossip::from_dense(random(20, 6).view()).unwrap();
    let all = gossip.all_views(4).unwrap();
    assert_eq!(all.len(), 20);
    for (viewer, view) in all.iter().enumerate() {
        assert_eq!(view, &gossip.view(&[viewer, viewer], 4).unwrap());
    }
}

#[test]
fn sparse_rows_are_the_dense_ones_and_a_zero_weight_is_a_message_all_the_same() {
    let rows: [(&[usize], &[f64]); 3] = [(&[0, 1], &[0.5, 0.5]), (&[0, 1, 2], &[0.5, 0.5, 0.0]), (&[2], &[1.0])];
    let sparse = Gossip::from_rows(rows).unwrap();
    assert_eq!(sparse.view(&[1], 1).unwrap().distances, [Some(1), Some(0), Some(1)]);
    let w = ndarray::array![[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]];
    assert_eq!(view(&w, &[1], 5).distances, [Some(1), Some(0), None]);
    assert_eq!(
        view(&w, &[0], 5),
        Gossip::from_rows(rows.map(|(c, w)| (&c[..c.len().min(2)], &w[..w.len().min(2)])))
            .unwrap()
            .view(&[0], 5)
            .unwrap()
    );
}

#[test]
fn the_loss_scales_with_sensitivity_and_noise() {
    let found = view(&ring(8), &[0], 2);
    let sensitivity = Sensitivity::new(3.0, Norm::L2, Adjacency::ReplaceRecord).unwrap();
    for (loss, unit) in found.losses(sensitivity, 2.0).unwrap().iter().zip(losses(&found)) {
        assert!((loss.estimate - 2.25 * unit.estimate).abs() < 1e-12 && (loss.upper - 2.25 * unit.upper).abs() < 1e-12);
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let gossip = Gossip::from_dense(ring(5).view()).unwrap();
    assert_eq!(gossip.view(&[5], 1), Err(MechanismError::NoSuchNode { node: 5, nodes: 5 }));
    assert_eq!(gossip.view(&[], 1), Err(MechanismError::NoNodes));
    assert_eq!(gossip.sum_of_marginals(7, 1), Err(MechanismError::NoSuchNode { node: 7, nodes: 5 }));
    let found = gossip.view(&[0], 1).unwrap();
    for sigma in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-200] {
        assert!(matches!(found.losses(unit(), sigma), Err(MechanismError::Scale(_))));
    }
    assert_eq!(Gossip::from_dense(Array2::zeros((2, 3)).view()), Err(MechanismError::Shape { rows: 2, columns: 3 }));
    let huge = ndarray::array![[1e200]];
    assert!(matches!(Gossip::from_dense(huge.view()), Err(MechanismError::Weight { row: 0, column: 0, .. })));
    let nan = ndarray::array![[1.0, 0.0], [f64::NAN, 1.0]];
    assert!(matches!(Gossip::from_dense(nan.view()), Err(MechanismError::Weight { row: 1, column: 0, .. })));
    let rows: [(&[usize], &[f64]); 1] = [(&[0, 1], &[1.0, 0.5])];
    assert_eq!(Gossip::from_rows(rows), Err(MechanismError::NoSuchNode { node: 1, nodes: 1 }));
    let rows: [(&[usize], &[f64]); 1] = [(&[0], &[1.0, 0.5])];
    assert_eq!(Gossip::from_rows(rows), Err(MechanismError::Row { row: 0, columns: 1, values: 2 }));
    // A matrix without rows has no viewers.
    assert_eq!(Gossip::from_dense(Array2::zeros((0, 0)).view()).unwrap().all_views(3), Ok(vec![]));
}
