//! The declared sensitivity of the gradients of every loss but the squared one (whose is in `transcript.rs`): no pair of
//! data within the bounds passes it, and the worst pair attains it.

use chacha20::ChaCha8Rng;
use dido_mechanisms::Adjacency;
use dido_optimizers::Declaration;
use dido_problems::{Loss, RecordBounds, Shard, Weighting};
use ndarray::{Array1, Array2};
use rand::{RngExt, SeedableRng};

const DIM: usize = 3;
const RECORDS: usize = 4;
const LOSSES: [Loss; 4] = [Loss::Huber { width: 0.5 }, Loss::Logistic, Loss::Hinge, Loss::SmoothedHinge { width: 0.4 }];

fn declaration(loss: Loss) -> Declaration {
    let bounds = RecordBounds::new(1.5, 1.0).unwrap();
    Declaration::new(loss, DIM, bounds, Weighting::Sum, vec![RECORDS]).unwrap()
}

/// The gradient of a node that holds these rows and targets, at a point: of all records, or of the first one only.
fn gradient(declaration: &Declaration, x: Array2<f64>, y: Array1<f64>, point: &[f64], one: bool) -> Vec<f64> {
    let shard = Shard::clipped(x, y, declaration.bounds()).unwrap();
    let objective = declaration.objective(Adjacency::ReplaceRecord, &[shard], 1).unwrap();
    let mut out = vec![0.0; DIM];
    if one {
        objective.record_gradient(0, 0, point, &mut out);
    } else {
        objective.gradient(0..1, point, &mut out);
    }
    out
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// 2000 random pairs for each loss: a record or a whole node is replaced by anything within the bounds, at points in the ball.
/// The inequality holds for every pair, so the seed does not matter.
#[test]
fn no_pair_passes_the_declared_sensitivity() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let radius = 0.8;
    for loss in LOSSES {
        let declaration = declaration(loss);
        let record = declaration.l2_by_class(Adjacency::ReplaceRecord, radius)[0];
        let node = declaration.l2_by_class(Adjacency::ReplaceNode, radius)[0];
        let drawn = declaration.l2_of_one_record_by_class(Adjacency::ReplaceRecord, radius)[0];
        for _ in 0..2000 {
            // Rows up to twice as long as the bound, so that many are clipped to it.
            let mut rows = || Array2::from_shape_simple_fn((RECORDS, DIM), || rng.random_range(-2.0..2.0));
            let (x, other_x) = (rows(), rows());
            let mut targets =
                || Array1::from_shape_simple_fn(RECORDS, || if rng.random_bool(0.5) { 1.0 } else { -1.0 });
            let (y, other_y) = (targets(), targets());
            let point: Vec<f64> =
                (0..DIM).map(|_| rng.random_range(-1.0..1.0) * radius / (DIM as f64).sqrt()).collect();
            let at = |x: &Array2<f64>, y: &Array1<f64>, one| gradient(&declaration, x.clone(), y.clone(), &point, one);
            let (mut mixed_x, mut mixed_y) = (x.clone(), y.clone());
            mixed_x.row_mut(0).assign(&other_x.row(0));
            mixed_y[0] = other_y[0];
            for (found, most) in [
                (distance(&at(&x, &y, false), &at(&mixed_x, &mixed_y, false)), record),
                (distance(&at(&x, &y, false), &at(&other_x, &other_y, false)), node),
                (distance(&at(&x, &y, true), &at(&mixed_x, &mixed_y, true)), drawn),
            ] {
                assert!(found <= most * (1.0 + 1e-12), "{loss:?}: {found} of {most}");
            }
        }
    }
}

/// The longest row with either target, at the origin: nothing is between its gradients and the bound for points there.
#[test]
fn the_worst_pair_attains_it() {
    for loss in LOSSES {
        let declaration = declaration(loss);
        let side = 1.5 / (DIM as f64).sqrt();
        let at = |rows: usize, target: f64, one| {
            let mut y = Array1::ones(RECORDS);
            y.iter_mut().take(rows).for_each(|y| *y = target);
            gradient(&declaration, Array2::from_elem((RECORDS, DIM), side * (1.0 - 1e-15)), y, &[0.0; DIM], one)
        };
        for (rows, one, most) in [
            (1, false, declaration.l2_by_class(Adjacency::ReplaceRecord, 0.0)[0]),
            (RECORDS, false, declaration.l2_by_class(Adjacency::ReplaceNode, 0.0)[0]),
            (1, true, declaration.l2_of_one_record_by_class(Adjacency::ReplaceRecord, 0.0)[0]),
        ] {
            let found = distance(&at(rows, 1.0, one), &at(rows, -1.0, one));
            assert!((found / most - 1.0).abs() < 1e-12, "{loss:?}, {rows} records: {found} of {most}");
        }
        // One record more or less moves the sum by half as much as another one in its place.
        let added = declaration.l2_by_class(Adjacency::AddRemoveRecord, 0.0)[0];
        assert!((2.0 * added / declaration.l2_by_class(Adjacency::ReplaceRecord, 0.0)[0] - 1.0).abs() < 1e-15);
    }
}
