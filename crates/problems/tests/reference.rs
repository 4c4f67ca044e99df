//! Optima of real tables, against numbers computed independently of this project (sources: `data/NOTICE.md`).

use std::path::PathBuf;

use dido_problems::table::{Feature, Numeric, Schema, Source, load};
use dido_problems::{LeastSquares, Objective, Shard, Weighting, partition, reference};
use ndarray::{Array1, Array2, Axis, aview1};
use serde_json::Value;

fn data(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "data", name].iter().collect()
}

/// A column as it is in the file.
fn raw(column: &str) -> Numeric {
    Numeric { column: column.to_owned(), min: -1e9, max: 1e9, center: 0.0, scale: 1.0 }
}

fn standardise(column: &mut [f64]) {
    let n = column.len() as f64;
    let mean = column.iter().sum::<f64>() / n;
    let deviation = (column.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    for v in column {
        *v = (*v - mean) / deviation;
    }
}

struct Case {
    x: Array2<f64>,
    y: Array1<f64>,
    beta: Vec<f64>,
    objective: f64,
}

fn case(name: &str, target: &str) -> Case {
    let facts: Value = serde_json::from_slice(&std::fs::read(data(&format!("{name}.json"))).unwrap()).unwrap();
    let features = facts["features"].as_array().unwrap().iter().map(|f| Feature::from(raw(f.as_str().unwrap())));
    let schema = Schema::new(raw(target), features.collect()).unwrap();
    let table = load(&Source::file(data(&format!("{name}.csv.gz"))), &schema, &[]).unwrap();
    assert_eq!(table.y.len() as u64, facts["rows"].as_u64().unwrap());
    assert!(table.clipped.iter().all(|(_, clipped)| *clipped == 0));
    let (mut x, mut y) = (table.x, table.y);
    for mut column in x.columns_mut() {
        let mut values = column.to_vec();
        standardise(&mut values);
        column.assign(&aview1(&values));
    }
    standardise(y.as_slice_mut().unwrap());
    let beta = facts["beta"].as_array().unwrap().iter().map(|b| b.as_f64().unwrap()).collect();
    Case { x, y, beta, objective: facts["objective"].as_f64().unwrap() }
}

const CASES: [(&str, &str); 3] =
    [("concrete", "compressive_strength"), ("winequality_red", "quality"), ("longley", "TOTEMP")];

#[test]
fn the_optima_of_real_tables_are_found() {
    for (name, target) in CASES {
        let Case { x, y, beta, objective } = case(name, target);
        let optimum = reference::least_squares(x.view(), y.view()).unwrap();
        for (found, expected) in optimum.beta.iter().zip(&beta) {
            assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{name}: {found} instead of {expected}");
        }
        assert!((optimum.objective - objective).abs() <= 1e-9 * objective, "{name}: {}", optimum.objective);
        assert!(optimum.gradient_norm <= 1e-13, "{name}: {}", optimum.gradient_norm);
        // Standardised: the total sum of squares is n.
        let r2 = reference::r2(x.view(), y.view(), optimum.beta.view()).unwrap();
        assert!((r2 - (1.0 - 2.0 * objective / y.len() as f64)).abs() <= 1e-12, "{name}: {r2}");
    }
}

/// Pooled: the gradients of all parties at the optimum of all records sum to 0, however unequal the shards are, and
/// the values to n/N times the objective.
#[test]
fn the_pooled_objective_of_unequal_parties_has_the_same_optimum() {
    for (name, target) in CASES {
        let Case { x, y, beta, objective } = case(name, target);
        let records = y.len();
        let mut parties = partition::contiguous(records, 5).unwrap();
        let moved = parties[1].split_off(1);
        parties[0].extend(moved);
        let bounds = dido_problems::RecordBounds::new(100.0, 100.0).unwrap();
        let shards: Vec<Shard> = parties
            .iter()
            .map(|own| Shard::checked(x.select(Axis(0), own), y.select(Axis(0), own), bounds).unwrap())
            .collect();
        let loss = LeastSquares::new(&shards, Weighting::Pooled, 1).unwrap();
        let dim = loss.dim();
        let mut gradients = vec![f64::NAN; 5 * dim];
        loss.gradient(0..5, &beta.repeat(5), &mut gradients);
        for k in 0..dim {
            let sum: f64 = gradients.iter().skip(k).step_by(dim).sum();
            assert!(sum.abs() <= 1e-12, "{name}: {sum}");
        }
        let value: f64 = (0..5).map(|node| loss.value(node, &beta)).sum();
        let expected = 5.0 / records as f64 * objective;
        assert!((value - expected).abs() <= 1e-12 * expected, "{name}: {value} instead of {expected}");
    }
}
