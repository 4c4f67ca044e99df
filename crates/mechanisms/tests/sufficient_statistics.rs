//! The sensitivity of sufficient statistics: never exceeded, attained, and smaller than that of the blocks one by one.

use chacha20::ChaCha8Rng;
use dido_mechanisms::sufficient_statistics::{
    Record, best_balance, l2_sensitivity, len, packed, unpack, worst_case_pair,
};
use dido_mechanisms::{Adjacency, MechanismError};
use rand::{RngExt, SeedableRng};

/// The statistics of one record, written out here: the full matrix, both triangles, and the vector.
fn statistics((x, y): &Record, balance: f64) -> Vec<f64> {
    let matrix = x.iter().flat_map(|a| x.iter().map(move |b| a * b));
    matrix.chain(x.iter().map(|a| balance * a * y)).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

const BALANCES: [f64; 7] = [0.0, 0.1, 0.4, 0.7, 1.3, 2.0, 9.0];

/// Packing keeps lengths: the packed distance is that of the full matrix and vector. And it can be undone.
#[test]
fn packing_is_an_isometry() {
    let (dim, balance) = (4, 0.7);
    let record = (vec![0.3, -0.8, 0.1, 0.5], 0.6);
    let x = &record.0;
    let packed: Vec<f64> = packed(dim, balance, |j, k| x[j] * x[k], |k| x[k] * record.1).collect();
    assert_eq!(packed.len(), len(dim));
    let full = statistics(&record, balance);
    assert!((distance(&packed, &vec![0.0; packed.len()]) - distance(&full, &vec![0.0; full.len()])).abs() < 1e-15);
    let (mut seen, mut vector) = (0, vec![0.0; dim]);
    unpack(
        dim,
        balance,
        &packed,
        |j, k, value| {
            assert!(j <= k && (value - x[j] * x[k]).abs() < 1e-15);
            seen += 1;
        },
        |k, value| vector[k] = value,
    );
    assert_eq!(seen, dim * (dim + 1) / 2);
    assert!(vector.iter().zip(x).all(|(v, x)| (v - x * 0.6).abs() < 1e-15));
}

/// 1e4 random pairs for each balance and dimension, many of them at the bounds. The inequality holds for every pair, so the
/// seed does not matter; only rounding is allowed for. The largest quotient shows that the pairs come close.
#[test]
fn no_pair_exceeds_the_sensitivity() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let (x_bound, y_bound) = (1.3, 0.9);
    for balance in BALANCES {
        for dim in [1, 2, 3] {
            let mut record = || -> Record {
                let mut x: Vec<f64> = (0..dim).map(|_| rng.random_range(-1.0..1.0)).collect();
                let length = if rng.random() { x_bound } else { x_bound * rng.random_range(0.0..=1.0) };
                let scale = length / x.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-300);
                for x in &mut x {
                    *x *= scale;
                }
                let y = if rng.random() { y_bound } else { y_bound * rng.random_range(0.0..=1.0) };
                (x, if rng.random() { y } else { -y })
            };
            let of = |adjacency| l2_sensitivity(adjacency, x_bound, y_bound, balance, dim).unwrap().value;
            let (replaced, added) = (of(Adjacency::ReplaceRecord), of(Adjacency::AddRemoveRecord));
            let mut closest = 0.0_f64;
            for _ in 0..10_000 {
                let (one, other) = (statistics(&record(), balance), statistics(&record(), balance));
                let found = distance(&one, &other);
                assert!(found <= replaced * (1.0 + 1e-12), "{dim}, {balance}: {found} of {replaced}");
                assert!(distance(&one, &vec![0.0; one.len()]) <= added * (1.0 + 1e-12));
                closest = closest.max(found / replaced);
            }
            assert!(closest > 0.95, "{dim}, {balance}: {closest}");
        }
    }
}

/// The pair is within the bounds and attains what is said of it.
#[test]
fn the_worst_pair_attains_it() {
    let (x_bound, y_bound) = (1.3, 0.9);
    for balance in BALANCES {
        for dim in [1, 2, 5] {
            let (one, other) = worst_case_pair(x_bound, y_bound, balance, dim).unwrap();
            for (x, y) in [&one, &other] {
                assert!(distance(x, &vec![0.0; dim]) <= x_bound && y.abs() <= y_bound);
            }
            let found = distance(&statistics(&one, balance), &statistics(&other, balance));
            let said = l2_sensitivity(Adjacency::ReplaceRecord, x_bound, y_bound, balance, dim).unwrap().value;
            assert!((found / said - 1.0).abs() < 1e-12, "{dim}, {balance}: {found} of {said}");
            let alone = l2_sensitivity(Adjacency::AddRemoveRecord, x_bound, y_bound, balance, dim).unwrap().value;
            let longest = statistics(&one, balance);
            assert!((distance(&longest, &vec![0.0; longest.len()]) / alone - 1.0).abs() < 1e-12);
        }
    }
}

/// Values by hand, and the comparison with noise for each block: `R = 1`, `k Y = 1`.
#[test]
fn one_noise_for_both_blocks_is_cheaper() {
    let both = l2_sensitivity(Adjacency::ReplaceRecord, 1.0, 1.0, 1.0, 3).unwrap().value;
    assert!((both - 1.5 * 2_f64.sqrt()).abs() < 1e-15);
    let blocks = (2.0_f64 + 4.0).sqrt();
    assert!(both < 0.87 * blocks);
    assert!((l2_sensitivity(Adjacency::ReplaceRecord, 1.0, 1.0, 3.0, 3).unwrap().value - 6.0).abs() < 1e-15);
}

/// The closed form of the balance is the least point of what it minimises, found by a fine search.
#[test]
fn the_balance_is_the_best() {
    for (x, y, radius) in [(1.0, 1.0, 1.0), (1.3, 0.4, 2.0), (2.0, 3.0, 0.1), (1.0, 1.0, 0.0)] {
        let cost = |k: f64| {
            let sensitivity = l2_sensitivity(Adjacency::ReplaceRecord, x, y, k, 3).unwrap().value;
            sensitivity.powi(2) * (1.0 / (k * k) + radius * radius / 2.0)
        };
        let best = best_balance(x, y, radius).unwrap();
        let least = (1..4000).map(|i| cost(f64::from(i) * 0.002 * x / y)).fold(f64::INFINITY, f64::min);
        assert!(cost(best) <= least * (1.0 + 1e-12), "{best}: {} and {least}", cost(best));
    }
    let unknown = best_balance(1.5, 0.5, f64::INFINITY).unwrap();
    assert!((unknown - 3.0).abs() < 1e-15, "solutions of length Y / R have the balance R / Y");
}

#[test]
fn what_is_no_bound_is_refused() {
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(l2_sensitivity(Adjacency::ReplaceRecord, bad, 1.0, 1.0, 2).is_err());
        assert!(l2_sensitivity(Adjacency::ReplaceRecord, 1.0, bad, 1.0, 2).is_err());
        assert!(l2_sensitivity(Adjacency::ReplaceRecord, 1.0, 1.0, bad, 2).is_err());
        assert!(best_balance(bad, 1.0, 1.0).is_err() && best_balance(1.0, bad, 1.0).is_err());
    }
    assert!(best_balance(1.0, 1.0, f64::NAN).is_err() && best_balance(0.0, 1.0, 1.0).is_err());
    let none = l2_sensitivity(Adjacency::ReplaceRecord, 1.0, 1.0, 1.0, 0);
    assert_eq!(none, Err(MechanismError::NoCoordinates));
}
