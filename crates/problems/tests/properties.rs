//! The gradient of least squares equals a naive sum over the records, in every layout, lane and range of nodes; clipping
//! keeps its bounds; partitions lose no record.

use dido_problems::{LeastSquares, Objective, RecordBounds, Shard, Weighting, partition};
use ndarray::{Array1, Array2};
use proptest::prelude::*;

/// A problem from its sizes: entries in [-1/2, 1/2), pseudo-random in the seed; node `i` has `1 + (seed + i) % 5` records.
fn problem(nodes: usize, dim: usize, lanes: usize, weighting: Weighting, seed: u64) -> (Vec<Shard>, LeastSquares) {
    let mut numbers = numbers(seed);
    let bounds = RecordBounds::new(0.5 * dim as f64, 1.0).unwrap();
    let shards: Vec<Shard> = (0..nodes)
        .map(|i| {
            let records = 1 + (usize::try_from(seed % 5).unwrap() + i) % 5;
            let x = Array2::from_shape_simple_fn((records, dim), || numbers.next().unwrap());
            let y = Array1::from_shape_simple_fn(records, || numbers.next().unwrap());
            Shard::checked(x, y, bounds).unwrap()
        })
        .collect();
    let loss = LeastSquares::new(&shards, weighting, lanes).unwrap();
    (shards, loss)
}

/// A linear congruence, good enough to fill matrices.
fn numbers(seed: u64) -> impl Iterator<Item = f64> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(state >> 32).unwrap()) / 4_294_967_296.0 - 0.5
    })
}

/// `s_i` and the sizes it is made of, by the definition.
fn scale(weighting: Weighting, shards: &[Shard], node: usize) -> f64 {
    let total: usize = shards.iter().map(Shard::records).sum();
    match weighting {
        Weighting::Pooled => shards.len() as f64 / total as f64,
        Weighting::NodeMean => 1.0 / shards[node].records() as f64,
        Weighting::Sum => 1.0,
    }
}

/// The oracle: `s sum_r (x_r'b - y_r) x_r`, and the sum of the sizes of all terms, to which rounding is relative.
fn naive(shard: &Shard, scale: f64, b: &[f64]) -> (Vec<f64>, f64) {
    let (mut gradient, mut size) = (vec![0.0; b.len()], 0.0);
    for (row, y) in shard.x().rows().into_iter().zip(shard.y()) {
        let residual: f64 = row.iter().zip(b).map(|(x, b)| x * b).sum::<f64>() - y;
        let terms: f64 = row.iter().zip(b).map(|(x, b)| (x * b).abs()).sum::<f64>() + y.abs();
        for (g, x) in gradient.iter_mut().zip(row) {
            *g += scale * residual * x;
        }
        size += scale * terms * 0.5;
    }
    (gradient, size)
}

fn weighting() -> impl Strategy<Value = Weighting> {
    prop_oneof![Just(Weighting::Pooled), Just(Weighting::NodeMean), Just(Weighting::Sum)]
}

proptest! {
    #[test]
    fn the_gradient_is_that_of_the_records(
        nodes in 1_usize..6, dim in 1_usize..=70, lanes in 1_usize..=9, weighting in weighting(), seed: u64,
        cut in (0_usize..6, 0_usize..6),
    ) {
        let (shards, loss) = problem(nodes, dim, lanes, weighting, seed);
        let range = cut.0.min(cut.1).min(nodes)..cut.0.max(cut.1).min(nodes);
        let x: Vec<f64> = numbers(!seed).take(range.len() * lanes * dim).collect();
        let mut out = vec![f64::NAN; x.len()];
        loss.gradient(range.clone(), &x, &mut out);
        for (node, (x, out)) in range.zip(x.chunks(lanes * dim).zip(out.chunks(lanes * dim))) {
            for (x, out) in x.chunks(dim).zip(out.chunks(dim)) {
                let (expected, size) = naive(&shards[node], scale(weighting, &shards, node), x);
                for (out, expected) in out.iter().zip(&expected) {
                    prop_assert!((out - expected).abs() <= 1e-12 * size, "{out} instead of {expected}");
                }
            }
        }
    }

    /// Bit for bit: the place of a lane, the number of lanes (from two on) and the range of nodes change nothing.
    #[test]
    fn a_row_does_not_depend_on_its_company(nodes in 1_usize..5, dim in 1_usize..=70, lanes in 2_usize..=9, seed: u64) {
        let (_, loss) = problem(nodes, dim, lanes, Weighting::Pooled, seed);
        let (_, pair) = problem(nodes, dim, 2, Weighting::Pooled, seed);
        let x: Vec<f64> = numbers(!seed).take(nodes * lanes * dim).collect();
        let mut all = vec![f64::NAN; x.len()];
        loss.gradient(0..nodes, &x, &mut all);
        for node in 0..nodes {
            let bundle = node * lanes * dim..(node + 1) * lanes * dim;
            let mut alone = vec![f64::NAN; lanes * dim];
            loss.gradient(node..node + 1, &x[bundle.clone()], &mut alone);
            prop_assert_eq!(&alone, &all[bundle]);
            for lane in 0..lanes {
                let row = (node * lanes + lane) * dim..(node * lanes + lane + 1) * dim;
                let twice = [&x[row.clone()], &x[row.clone()]].concat();
                let mut out = vec![f64::NAN; 2 * dim];
                pair.gradient(node..node + 1, &twice, &mut out);
                prop_assert_eq!(&out[..dim], &all[row.clone()]);
                prop_assert_eq!(&out[dim..], &all[row]);
            }
        }
    }

    /// f(b + h e) - f(b - h e) = 2 h <grad f(b), e> exactly for a quadratic, to rounding with h = 1.
    #[test]
    fn the_value_is_the_integral_of_the_gradient(dim in 1_usize..20, weighting in weighting(), seed: u64) {
        let (_, loss) = problem(2, dim, 1, weighting, seed);
        let b: Vec<f64> = numbers(!seed).take(dim).collect();
        let mut gradient = vec![f64::NAN; dim];
        loss.gradient(1..2, &b, &mut gradient);
        for k in 0..dim {
            let at = |h: f64| {
                let mut moved = b.clone();
                moved[k] += h;
                loss.value(1, &moved)
            };
            let (up, down) = (at(1.0), at(-1.0));
            prop_assert!((up - down - 2.0 * gradient[k]).abs() <= 1e-13 * (up + down + dim as f64));
        }
    }

    /// The matrix handed out is the Hessian: symmetric, and `G b = grad f(b) - grad f(0)`.
    #[test]
    fn the_gram_matrix_is_the_hessian(dim in 1_usize..=40, lanes in 1_usize..3, weighting in weighting(), seed: u64) {
        let (shards, loss) = problem(3, dim, lanes, weighting, seed);
        for node in 0..3 {
            let gram = loss.gram(node);
            let scale = scale(weighting, &shards, node);
            prop_assert!((loss.scale(node) - scale).abs() <= 1e-15 * scale);
            let expected = shards[node].x().t().dot(&shards[node].x()) * scale;
            prop_assert!((&gram - &expected).iter().all(|e| e.abs() <= 1e-13 * scale));
            prop_assert_eq!(&gram, &gram.t());
        }
    }

    #[test]
    fn clipped_records_meet_their_bounds_and_are_clipped_once(
        rows in prop::collection::vec((prop::collection::vec(-1e3..1e3, 7), -10.0..10.0), 1..20),
        row_norm in 1e-3..1e3, target in 0.1..10.0,
    ) {
        let bounds = RecordBounds::new(row_norm, target).unwrap();
        let x = Array2::from_shape_fn((rows.len(), 7), |(i, j)| rows[i].0[j]);
        let y: Array1<f64> = rows.iter().map(|(_, y)| *y).collect();
        let shard = Shard::clipped(x.clone(), y.clone(), bounds).unwrap();
        let mut changed = 0;
        for (i, (row, y)) in shard.x().rows().into_iter().zip(shard.y()).enumerate() {
            // Rounding of this norm itself: (7/2 + 3) 2^-53.
            prop_assert!(row.dot(&row).sqrt() <= row_norm * (1.0 + 1e-15));
            prop_assert!(y.abs() <= target);
            let longer = x.row(i).dot(&x.row(i)).sqrt() > row_norm;
            if longer {
                prop_assert!((row.dot(&row).sqrt() / row_norm - 1.0).abs() < 1e-14);
                let cosine = row.dot(&x.row(i)) / (row.dot(&row) * x.row(i).dot(&x.row(i))).sqrt();
                prop_assert!((cosine - 1.0).abs() < 1e-14);
            } else {
                prop_assert_eq!(row, x.row(i));
            }
            changed += usize::from(longer || rows[i].1.abs() > target);
        }
        prop_assert_eq!(shard.clipped_records(), changed);
        let again = Shard::clipped(shard.x().to_owned(), shard.y().to_owned(), bounds).unwrap();
        prop_assert_eq!(again.clipped_records(), 0);
        prop_assert!(Shard::checked(shard.x().to_owned(), shard.y().to_owned(), bounds).is_ok());
    }

    #[test]
    fn a_partition_holds_every_record_once(records in 1_usize..200, parties in 1_usize..20, seed: u64) {
        prop_assume!(parties <= records);
        let keys: Vec<f64> = numbers(seed).take(records).map(|v| (8.0 * v).round()).collect();
        let sorted = partition::sorted(&keys, parties).unwrap();
        let order: Vec<usize> = sorted.concat();
        prop_assert!(order.windows(2).all(|w| (keys[w[0]], w[0]) < (keys[w[1]], w[1])));
        for split in [partition::contiguous(records, parties), partition::shuffled(records, parties, seed), Ok(sorted)] {
            let split = split.unwrap();
            let sizes: Vec<usize> = split.iter().map(Vec::len).collect();
            prop_assert_eq!(split.len(), parties);
            prop_assert!(sizes.windows(2).all(|w| w[0] == w[1] || w[0] == w[1] + 1) && sizes[0] - sizes[parties - 1] <= 1);
            let mut all = split.concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..records).collect::<Vec<_>>());
        }
    }

    #[test]
    fn held_out_records_are_not_trained_on(records in 1_usize..200, fraction in 0.0..0.9_f64, seed: u64) {
        prop_assume!((fraction * records as f64).round() < records as f64);
        let (train, held_out) = partition::hold_out(records, fraction, seed).unwrap();
        prop_assert!((held_out.len() as f64 - fraction * records as f64).abs() <= 0.5);
        let mut all = [train, held_out].concat();
        all.sort_unstable();
        prop_assert_eq!(all, (0..records).collect::<Vec<_>>());
    }
}

/// The records a seed chooses are part of the interface. The literals come from a separate implementation of the algorithm
/// documented at `partition`, block function included.
#[test]
fn the_shuffle_is_stable_across_versions() {
    assert_eq!(partition::shuffled(10, 1, 1).unwrap().concat(), [1, 4, 9, 8, 0, 5, 7, 6, 2, 3]);
    assert_eq!(partition::hold_out(20, 0.25, 1).unwrap().1, [3, 4, 6, 8, 18]);
    assert_ne!(partition::shuffled(10, 1, 1).unwrap(), partition::shuffled(10, 1, 2).unwrap());
}

#[test]
fn bad_shards_and_losses_are_refused_with_the_place() {
    let bounds = RecordBounds::new(1.0, 1.0).unwrap();
    let message = |x: Array2<f64>, y: Array1<f64>| Shard::checked(x, y, bounds).unwrap_err().to_string();
    let (x, y) = (Array2::from_elem((3, 2), 0.5), Array1::from_elem(3, 0.5));
    let with = |k: (usize, usize), v: f64| {
        let mut x = x.clone();
        x[k] = v;
        x
    };
    assert_eq!(message(with((1, 0), f64::NAN), y.clone()), "record 1, feature 0: NaN is not a finite number");
    assert_eq!(message(with((2, 1), f64::INFINITY), y.clone()), "record 2, feature 1: inf is not a finite number");
    assert!(message(with((2, 1), 1.0), y.clone()).starts_with("record 2: the row has norm 1.118"));
    assert_eq!(message(x.clone(), Array1::from_elem(2, 0.5)), "3 rows of features and 2 targets; they must be as many");
    let far = Array1::from_vec(vec![0.0, -1.5, 0.0]);
    assert_eq!(message(x.clone(), far), "record 1: the target -1.5 is larger in size than the declared 1");
    let nan = Array1::from_vec(vec![0.0, 0.0, f64::NAN]);
    assert_eq!(message(x.clone(), nan), "record 2: the target NaN is not a finite number");
    assert!(message(Array2::zeros((0, 2)), Array1::zeros(0)).starts_with("0 records of 2 features"));
    assert!(message(Array2::zeros((2, 0)), Array1::zeros(2)).starts_with("2 records of 0 features"));
    assert!(Shard::clipped(with((0, 0), f64::NEG_INFINITY), y.clone(), bounds).is_err());
    for (row_norm, target) in [(0.0, 1.0), (1.0, -1.0), (f64::NAN, 1.0), (1.0, f64::INFINITY)] {
        assert!(RecordBounds::new(row_norm, target).is_err());
    }

    let good = Shard::checked(x, y, bounds).unwrap();
    let other = Shard::checked(Array2::zeros((1, 3)), Array1::zeros(1), bounds).unwrap();
    let refused = |shards: &[Shard], lanes| LeastSquares::new(shards, Weighting::Sum, lanes).unwrap_err().to_string();
    assert!(refused(&[], 1).starts_with("0 nodes"));
    assert!(refused(std::slice::from_ref(&good), 0).contains("0 lanes"));
    assert_eq!(refused(&[good, other], 1), "node 1 has 3 features, node 0 has 2");
}
