//! What every mixing matrix owes.
#![allow(dead_code, reason = "each test file uses its own part")]

use dido_topology::{Graph, MixingMatrix, TOLERANCE};

/// What a mixing matrix is, whatever rule made it.
pub fn check_mixing(w: &MixingMatrix, graph: &Graph, nonnegative: bool) {
    let dense = w.to_dense();
    assert!(dense.iter().zip(dense.t()).all(|(x, y)| x.to_bits() == y.to_bits()));
    for i in 0..w.nodes() {
        assert!((dense.row(i).sum() - 1.0).abs() <= TOLERANCE && (dense.column(i).sum() - 1.0).abs() <= TOLERANCE);
        let (columns, weights) = w.row(i);
        assert!(columns.windows(2).all(|pair| pair[0] < pair[1]) && columns.contains(&i));
        assert!(columns.iter().all(|&j| j == i || graph.neighbours(i).contains(&j)));
        assert!(!nonnegative || weights.iter().all(|&w| w >= 0.0));
    }
    assert!(!nonnegative || w.is_nonnegative());
    let lambda = w.second_largest_singular_value().unwrap();
    assert!(if w.nodes() == 1 { lambda < 1e-15 } else { lambda < 1.0 }, "{lambda}");
    let all = w.eigenvalues().unwrap();
    assert!(all.iter().zip(all.iter().skip(1)).all(|(a, b)| a >= b) && (all[0] - 1.0).abs() < 1e-15);
    assert!((w.smallest_eigenvalue().unwrap() - all[all.len() - 1]).abs() < 1e-12);
    let x = rows(w.nodes());
    let mut y = vec![0.0; x.len()];
    w.mix(1, &x, &mut y);
    assert!((mean(&x) - mean(&y)).abs() < 1e-13);
    assert!(spread(&y) <= lambda * spread(&x) + 1e-12);
    assert_eq!(&MixingMatrix::from_dense(graph, dense.view()).unwrap(), w);
}

/// The mean of some numbers.
pub fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len() as f64
}

fn spread(x: &[f64]) -> f64 {
    x.iter().map(|v| (v - mean(x)).powi(2)).sum::<f64>().sqrt()
}

/// Numbers in [-1, 1), of mixed sizes so that the order of a sum shows in its last bits.
pub fn rows(len: usize) -> Vec<f64> {
    (0..len).map(|k| ((k * 7919 + 13) % 1009) as f64 / 504.5 - 1.0).map(|v| v * v * v).collect()
}
