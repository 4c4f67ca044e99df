//! Sensitivities of gradients: never exceeded, attained by a pair, and equal to what the conventions that are easily
//! confused ask for.

use chacha20::ChaCha8Rng;
use dido_mechanisms::gradients::{clamped, clipped, clipped_mean, lipschitz, projected_step};
use dido_mechanisms::{Adjacency, MechanismError, Norm, Sensitivity};
use rand::{RngExt, SeedableRng};

const OF_RECORDS: [Adjacency; 2] = [Adjacency::ReplaceRecord, Adjacency::AddRemoveRecord];

fn length(x: &[f64], norm: Norm) -> f64 {
    match norm {
        Norm::L1 => x.iter().map(|x| x.abs()).sum(),
        Norm::L2 => x.iter().map(|x| x * x).sum::<f64>().sqrt(),
    }
}

fn scaled(x: &[f64], factor: f64) -> Vec<f64> {
    x.iter().map(|x| factor * x).collect()
}

fn clip(x: &[f64], norm: Norm, to: f64) -> Vec<f64> {
    scaled(x, (to / length(x, norm)).min(1.0))
}

fn sum(records: &[Vec<f64>]) -> Vec<f64> {
    (0..records[0].len()).map(|k| records.iter().map(|record| record[k]).sum()).collect()
}

/// The records of the adjacent data set: the last one replaced by `other`, or removed.
fn neighbour(records: &[Vec<f64>], other: &[f64], adjacency: Adjacency) -> Vec<Vec<f64>> {
    let mut records = records.to_vec();
    records.pop();
    if adjacency != Adjacency::AddRemoveRecord {
        records.push(other.to_vec());
    }
    records
}

fn distance(x: &[Vec<f64>], y: &[Vec<f64>], norm: Norm) -> f64 {
    let (x, y) = (sum(x), sum(y));
    length(&x.iter().zip(&y).map(|(x, y)| x - y).collect::<Vec<_>>(), norm)
}

/// 3000 random data sets. The statements hold for every seed; only rounding (1e-12) is allowed for.
#[test]
fn random_neighbours_never_exceed_the_bounds() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..3000 {
        let (dim, count) = (rng.random_range(1..6), rng.random_range(2..5));
        let bound = 10_f64.powf(rng.random_range(-1.0..1.0));
        let records: Vec<Vec<f64>> =
            (0..=count).map(|_| (0..dim).map(|_| rng.random_range(-5.0..5.0)).collect()).collect();
        let (low, high) = (-bound, rng.random_range(-bound..4.0));
        for adjacency in OF_RECORDS {
            for norm in [Norm::L1, Norm::L2] {
                let moved = |each: &dyn Fn(&[f64]) -> Vec<f64>| {
                    let all: Vec<Vec<f64>> = records.iter().map(|record| each(record)).collect();
                    distance(&all[..count], &neighbour(&all[..count], &all[count], adjacency), norm)
                };
                let by_length = moved(&|x| clip(x, norm, bound));
                assert!(by_length <= clipped(adjacency, norm, bound).unwrap().value * (1.0 + 1e-12));
                let by_coordinate = moved(&|x| x.iter().map(|x| x.clamp(low, high)).collect());
                assert!(by_coordinate <= clamped(adjacency, norm, (low, high), dim).unwrap().value * (1.0 + 1e-12));
            }
        }
    }
}

/// Contributions of full length in opposite directions; for the L1 length of an L2 bound along the diagonal.
#[test]
fn opposite_contributions_attain_the_bounds() {
    let (dim, bound) = (4, 1.7);
    let axis = vec![bound, 0.0, 0.0, 0.0];
    let diagonal = vec![bound / 2.0; dim];
    for adjacency in OF_RECORDS {
        let moved = |one: &[f64], other: &[f64], norm| {
            let records = vec![vec![0.3; dim], one.to_vec()];
            distance(&records, &neighbour(&records, other, adjacency), norm)
        };
        for norm in [Norm::L1, Norm::L2] {
            let attained = moved(&axis, &scaled(&axis, -1.0), norm);
            let sensitivity = clipped(adjacency, norm, bound).unwrap();
            assert!((attained / sensitivity.value - 1.0).abs() < 1e-12);
            assert_eq!((sensitivity.norm, sensitivity.adjacency), (norm, adjacency));
            let mean = clipped_mean(adjacency, norm, bound, 50.0).unwrap();
            assert!((attained / 50.0 / mean.value - 1.0).abs() < 1e-12);

            for (low, high) in [(-1.0_f64, 3.0_f64), (-3.0, 1.0), (2.0, 5.0), (0.0, 10.0)] {
                let corners = [vec![low; dim], vec![high; dim]];
                let (far, near) = if low.abs() > high.abs() { (0, 1) } else { (1, 0) };
                let attained = moved(&corners[far], &corners[near], norm);
                let sensitivity = clamped(adjacency, norm, (low, high), dim).unwrap();
                assert!((attained / sensitivity.value - 1.0).abs() < 1e-12, "{adjacency} {norm:?} {low} {high}");
            }
        }
        // L2 bounds in L1: the diagonal is the worst direction, and pays all of sqrt(dim).
        let in_l1 = moved(&diagonal, &scaled(&diagonal, -1.0), Norm::L1);
        assert!((in_l1 / clipped(adjacency, Norm::L2, bound).unwrap().l1(dim) - 1.0).abs() < 1e-12);
        // The absolute loss L |u.x - t| of a unit vector u, at a point on either side of t.
        let gradients = |sign: f64| scaled(&diagonal, sign);
        let attained = moved(&gradients(1.0), &gradients(-1.0), Norm::L2);
        assert!((attained / lipschitz(adjacency, bound).unwrap().value - 1.0).abs() < 1e-12);
        if adjacency == Adjacency::ReplaceRecord {
            // The record may be all that a node has.
            assert!((attained / lipschitz(Adjacency::ReplaceNode, bound).unwrap().value - 1.0).abs() < 1e-12);
        }
    }
}

/// From L2 to L1 by `sqrt(dim)`, never back: an L1 bound is an L2 bound as it stands, since all of it may be one coordinate.
#[test]
fn no_factor_leads_back_from_l1() {
    let adjacency = Adjacency::ReplaceRecord;
    for dim in [1, 4, 100] {
        let euclidean = Sensitivity::new(3.0, Norm::L2, adjacency).unwrap();
        let there = Sensitivity::new(euclidean.l1(dim), Norm::L1, adjacency).unwrap();
        assert!((there.value - 3.0 * (dim as f64).sqrt()).abs() < 1e-12);
        assert!(there.l2() >= there.value && there.l1(dim) >= there.value);
        let axis = clipped(adjacency, Norm::L1, 1.5).unwrap();
        assert!((length(&[3.0, 0.0], Norm::L2) - axis.l2()).abs() < 1e-15);
    }
}

/// A mean over a private number of records is moved by more than `C / n` when one is added: of `n` records at `-C`, by one at
/// `C`. With a declared divisor it is not.
#[test]
fn the_divisor_is_a_public_constant() {
    let (clip, count) = (1.0, 100.0);
    let declared = clipped_mean(Adjacency::AddRemoveRecord, Norm::L2, clip, count).unwrap();
    let with = (clip - count * clip) / (count + 1.0);
    assert!((with - -clip).abs() > 1.9 * declared.value);
    let with = (clip - count * clip) / count;
    assert!(((with - -clip) - declared.value).abs() < 1e-15);
}

/// Costs `½ x' A x` on the square `[-1, 1]^2` with `A = [[1, ±0.9], [±0.9, 1]]` and a step of 0.05: gradients there are at most
/// `1.9 sqrt(2)` long, but at a point far outside the published lemma fails by a factor of up to 5.
#[test]
fn projected_steps_are_bounded_if_the_gradient_is_taken_inside() {
    let gradient = |z: [f64; 2], c: f64| [z[0] + c * z[1], c * z[0] + z[1]];
    let inside = |z: [f64; 2]| z.map(|x| x.clamp(-1.0, 1.0));
    let next = |z: [f64; 2], at: [f64; 2], c| {
        let g = gradient(at, c);
        inside([z[0] - 0.05 * g[0], z[1] - 0.05 * g[1]])
    };
    let apart = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).abs() + (a[1] - b[1]).abs();
    let lemma = projected_step(1.9 * 2_f64.sqrt(), 0.05, 2).unwrap();
    assert_eq!((lemma.norm, lemma.adjacency), (Norm::L1, Adjacency::ReplaceNode));
    assert!((lemma.value - 0.38).abs() < 1e-12);
    for (z, published) in [([10.0, 0.0], 0.9), ([30.0, 0.0], 2.0)] {
        assert!((apart(next(z, z, 0.9), next(z, z, -0.9)) - published).abs() < 1e-12);
    }
    let mut largest = 0.0_f64;
    for i in -40..=40 {
        for j in -40..=40 {
            let z = [f64::from(i), f64::from(j)].map(|x| 0.5 * x);
            let p = inside(z);
            largest = largest.max(apart(next(p, p, 0.9), next(p, p, -0.9)));
        }
    }
    assert!(largest <= lemma.value && largest > 0.17, "{largest}");
    // Linear costs with opposite gradients along the diagonal attain it, away from the border.
    let half = 1.9 * 0.05;
    assert!((apart([half, half], [-half, -half]) - lemma.value).abs() < 1e-12);
}

#[test]
fn what_bounds_nothing_is_refused() {
    for adjacency in OF_RECORDS {
        for norm in [Norm::L1, Norm::L2] {
            for bad in [f64::NAN, -1.0, f64::INFINITY] {
                assert!(matches!(clipped(adjacency, norm, bad), Err(MechanismError::Bound { name: "clip", .. })));
                assert!(clipped_mean(adjacency, norm, bad, 2.0).is_err());
                let mean = clipped_mean(adjacency, norm, 1.0, bad);
                assert!(matches!(mean, Err(MechanismError::Bound { name: "divisor", .. })));
                assert!(
                    clamped(adjacency, norm, (0.0, bad), 2).is_err()
                        && clamped(adjacency, norm, (bad, -2.0), 2).is_err()
                );
                assert!(lipschitz(adjacency, bad).is_err());
                assert!(projected_step(bad, 1.0, 2).is_err() && projected_step(1.0, bad, 2).is_err());
            }
            assert!(clipped_mean(adjacency, norm, 1.0, 0.0).is_err());
            assert_eq!(clamped(adjacency, norm, (0.0, 1.0), 0), Err(MechanismError::NoCoordinates));
        }
    }
    let node = Adjacency::ReplaceNode;
    let refused = Err(MechanismError::Adjacency { expected: Adjacency::ReplaceRecord, found: node });
    assert_eq!(clipped(node, Norm::L1, 1.0), refused);
    assert_eq!(clipped_mean(node, Norm::L2, 1.0, 10.0), refused);
    assert_eq!(clamped(node, Norm::L2, (0.0, 1.0), 3), refused);
    assert_eq!(projected_step(1.0, 1.0, 0), Err(MechanismError::NoCoordinates));
    assert!(clipped(Adjacency::ReplaceRecord, Norm::L2, f64::MAX).is_err());
}
