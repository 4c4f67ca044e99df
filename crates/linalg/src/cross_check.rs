//! Both backends on the same random matrices. Fixed seed, bounds far above rounding: nothing here can flake.

use ndarray::{Array1, Array2, Axis};

use crate::least_squares::minimum_norm;
use crate::{faer_backend as ours, lapack_backend as theirs};

/// Numbers in [-1, 1) from a linear congruential generator.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn matrix(rows: usize, columns: usize) -> Array2<f64> {
    Array2::from_shape_vec((rows, columns), numbers(rows * columns, (rows * 1000 + columns) as u64)).unwrap()
}

fn assert_close(x: &Array1<f64>, y: &Array1<f64>, tolerance: f64) {
    assert_eq!(x.len(), y.len());
    let scale = x.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
    for (x, y) in x.iter().zip(y) {
        assert!((x - y).abs() <= tolerance * scale, "{x} and {y}");
    }
}

#[test]
fn singular_values_and_least_squares_agree() {
    for (rows, columns) in [(1, 1), (1, 5), (5, 1), (3, 7), (7, 3), (20, 20), (60, 10), (10, 60), (120, 100)] {
        let a = matrix(rows, columns);
        let b = Array1::from_vec(numbers(rows, 7));
        let values = ours::singular_values(a.view()).unwrap();
        assert_close(&values, &theirs::singular_values(a.view()).unwrap(), 1e-12);
        let condition = values[0] / values[values.len() - 1];
        let x = minimum_norm(&ours::thin_svd(a.view()).unwrap(), b.view());
        let y = minimum_norm(&theirs::thin_svd(a.view()).unwrap(), b.view());
        assert_close(&x, &y, 1e-13 * condition * condition);
    }
}

#[test]
fn a_rank_deficient_problem_has_the_same_minimum_norm_solution() {
    let a = ndarray::concatenate(Axis(1), &[matrix(30, 6).view(), matrix(30, 6).view()]).unwrap();
    let b = Array1::from_vec(numbers(30, 11));
    let x = minimum_norm(&ours::thin_svd(a.view()).unwrap(), b.view());
    assert_close(&x, &minimum_norm(&theirs::thin_svd(a.view()).unwrap(), b.view()), 1e-11);
}

#[test]
fn eigenvalues_and_cholesky_agree() {
    for n in [1, 2, 5, 40, 130] {
        let a = matrix(n, n);
        let symmetric = &a + &a.t();
        let x = ours::symmetric_eigenvalues(symmetric.view()).unwrap();
        assert_close(&x, &theirs::symmetric_eigenvalues(symmetric.view()).unwrap(), 1e-12);
        let definite = a.dot(&a.t()) + Array2::<f64>::eye(n);
        let b = Array1::from_vec(numbers(n, 3));
        let x = ours::cholesky_solve(definite.view(), b.view()).unwrap();
        assert_close(&x, &theirs::cholesky_solve(definite.view(), b.view()).unwrap(), 1e-11);
        let inverse = ours::cholesky_inverse(definite.view()).unwrap();
        let other = theirs::cholesky_inverse(definite.view()).unwrap();
        assert_close(&inverse.flatten().into_owned(), &other.flatten().into_owned(), 1e-11);
    }
}
