//! Minima of regularised losses on real data, against numbers computed independently of this project
//! (`data/NOTICE.md`), and certificates on small problems.

use std::io::Read;
use std::path::PathBuf;

use dido_problems::{Features, Loss, Regulariser, reference};
use flate2::read::GzDecoder;
use ndarray::{Array2, Axis, concatenate};
use serde_json::Value;
use sprs::TriMat;

/// The text of a file of this crate.
fn text(name: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), name].iter().collect();
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}

/// Features and last column of a table of numbers, the columns standardised.
fn table(name: &str) -> (Array2<f64>, Vec<f64>) {
    let text = text(&format!("tests/data/{name}.csv.gz"));
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
    let all = Array2::from_shape_fn((rows.len(), rows[0].len()), |(i, j)| rows[i][j]);
    let last = all.ncols() - 1;
    let (mut x, y) = (all.select(Axis(1), &(0..last).collect::<Vec<_>>()), all.column(last).to_vec());
    x.columns_mut().into_iter().for_each(|mut column| {
        let (mean, deviation) = (column.mean().unwrap(), column.std(0.0));
        column.mapv_inplace(|v| (v - mean) / deviation);
    });
    (x, y)
}

fn regression(name: &str) -> (Features, Vec<f64>) {
    let (x, y) = table(name);
    let y = ndarray::Array1::from(y);
    let (mean, deviation) = (y.mean().unwrap(), y.std(0.0));
    (x.into(), y.iter().map(|y| (y - mean) / deviation).collect())
}

/// Rows of length at most 1 with a constant.
fn classes(name: &str) -> (Features, Vec<f64>) {
    let (mut x, y) = table(name);
    let root = (x.ncols() as f64).sqrt();
    for mut row in x.rows_mut() {
        let norm = row.dot(&row).sqrt().max(root);
        row /= norm;
    }
    let ones = Array2::ones((x.nrows(), 1));
    let x = concatenate(Axis(1), &[x.view(), ones.view()]).unwrap() / 2.0_f64.sqrt();
    (x.as_standard_layout().into_owned().into(), y)
}

fn a9a() -> (Features, Vec<f64>) {
    let text = text("data/a9a.gz");
    let mut x = TriMat::new((text.lines().count(), 123));
    let y = text.lines().enumerate().map(|(record, line)| {
        let mut cells = line.split_whitespace();
        let y = cells.next().unwrap().parse().unwrap();
        for cell in cells {
            let (index, value) = cell.split_once(':').unwrap();
            let index: usize = index.parse().unwrap();
            x.add_triplet(record, index - 1, value.parse::<f64>().unwrap() / 14.0_f64.sqrt());
        }
        y
    });
    let y = y.collect();
    (x.to_csr::<usize>().into(), y)
}

fn number(fact: &Value, key: &str) -> f64 {
    fact[key].as_f64().unwrap()
}

/// The losses and their weights follow from the words of the file.
fn check(data: &str, load: impl Fn() -> (Features, Vec<f64>)) {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "data", "regularised.json"].iter().collect();
    let facts: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let (x, y) = load();
    let mut checked = 0;
    for fact in facts.iter().filter(|fact| fact["data"] == data) {
        let problem = fact["problem"].as_str().unwrap();
        let loss = [("log(", Loss::Logistic), ("max(", Loss::Hinge), ("||Xb-y||", Loss::Squared)]
            .into_iter()
            .find_map(|(word, loss)| problem.contains(word).then_some(loss))
            .unwrap();
        let regulariser = if problem.ends_with("||b||_1") {
            Regulariser::l1(number(fact, "lambda"))
        } else {
            Regulariser::squared_l2(number(fact, "mu"))
        };
        let minimum = reference::regularised(loss, &x, &y, &regulariser.unwrap()).unwrap();
        let expected = number(fact, "objective");
        assert!((minimum.objective - expected).abs() < 1e-9, "{data}, {problem}: {} {expected}", minimum.objective);
        let gap = minimum.gap.unwrap();
        assert!((-1e-12..1e-9).contains(&gap), "{data}, {problem}: gap {gap}");
        if let Some(beta) = fact["beta"].as_array() {
            for (found, expected) in minimum.beta.iter().zip(beta) {
                assert!((found - expected.as_f64().unwrap()).abs() < 1e-9, "{data}, {problem}: {found} {expected}");
            }
        }
        checked += 1;
    }
    assert!(checked > 0);
}

#[test]
fn lasso_on_tables() {
    check("winequality_red", || regression("winequality_red"));
    check("longley", || regression("longley"));
}

#[test]
fn two_classes_on_small_tables() {
    check("breast_cancer_wdbc", || classes("breast_cancer_wdbc"));
    check("spambase", || classes("spambase"));
}

#[test]
fn two_classes_on_sparse_rows() {
    check("a9a", a9a);
}

/// Every loss with every regulariser: the gap is closed, and no point around the minimiser is better. Random problems by
/// formula, so nothing can flake.
#[test]
fn every_loss_and_regulariser_has_a_certificate() {
    let x = Array2::from_shape_fn((40, 6), |(i, j)| ((i * 37 + j * 11 + i * j) % 29) as f64 / 29.0 - 0.5);
    let y: Vec<f64> = (0..40).map(|i| if (i * i) % 7 < 3 { 1.0 } else { -1.0 }).collect();
    let losses =
        [Loss::Squared, Loss::Huber { width: 0.4 }, Loss::Logistic, Loss::Hinge, Loss::SmoothedHinge { width: 0.5 }];
    let regularisers = [
        Regulariser::l1(0.02).unwrap(),
        Regulariser::squared_l2(0.1).unwrap(),
        Regulariser::elastic_net(0.02, 0.1).unwrap(),
        Regulariser::group_l1(0.02, vec![2, 1, 3]).unwrap(),
        Regulariser::l1(10.0).unwrap(),
    ];
    let x = Features::from(x);
    for loss in losses {
        for regulariser in &regularisers {
            let minimum = reference::regularised(loss, &x, &y, regulariser).unwrap();
            let gap = minimum.gap.unwrap();
            assert!((-1e-12..1e-9).contains(&gap), "{loss:?}, {regulariser:?}: {gap}");
            let dense = x.dense();
            let objective = |b: &ndarray::Array1<f64>| {
                let p = dense.dot(b);
                p.iter().zip(&y).map(|(&p, &y)| loss.value(p, y)).sum::<f64>() / 40.0
                    + regulariser.value(b.as_slice().unwrap())
            };
            assert!((objective(&minimum.beta) - minimum.objective).abs() < 1e-12);
            for k in 0..6 {
                for h in [-0.1, -1e-3, 1e-3, 0.1] {
                    let mut moved = minimum.beta.clone();
                    moved[k] += h;
                    assert!(objective(&moved) >= minimum.objective - 1e-9, "{loss:?}, {regulariser:?}");
                }
            }
        }
    }
}

#[test]
fn what_has_no_minimum_is_refused() {
    let x = Features::from(ndarray::array![[1.0], [-1.0]]);
    let separable = reference::regularised(Loss::Logistic, &x, &[1.0, -1.0], &Regulariser::none());
    assert!(separable.is_err());
    let groups = Regulariser::group_l1(1.0, vec![2]).unwrap();
    assert!(reference::regularised(Loss::Squared, &x, &[1.0, -1.0], &groups).is_err());
    assert!(reference::regularised(Loss::Squared, &x, &[1.0], &Regulariser::none()).is_err());
    assert!(reference::regularised(Loss::Squared, &x, &[1.0, f64::NAN], &Regulariser::none()).is_err());
}
