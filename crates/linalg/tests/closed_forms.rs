//! Spectra and solutions known in closed form; the suite runs unchanged on either backend.

use std::f64::consts::PI;

use dido_linalg::{
    backend, inverse_positive_definite, least_squares, singular_values, solve_positive_definite, spectral_norm,
    symmetric_eigenvalues,
};
use ndarray::{Array1, Array2, Axis, Slice, array};
use proptest::prelude::*;

fn assert_close(x: &Array1<f64>, expected: &[f64], tolerance: f64) {
    assert_eq!(x.len(), expected.len());
    for (x, y) in x.iter().zip(expected) {
        assert!((x - y).abs() <= tolerance, "{x} instead of {y}");
    }
}

fn hilbert(rows: usize, columns: usize) -> Array2<f64> {
    Array2::from_shape_fn((rows, columns), |(i, j)| 1.0 / (i + j + 1) as f64)
}

#[test]
fn the_feature_decides_the_backend() {
    assert_eq!(backend(), if cfg!(feature = "lapack") { "lapack" } else { "faer" });
}

#[test]
fn ring_weights_have_the_eigenvalues_of_a_circulant() {
    for n in [3_usize, 4, 5, 16, 100] {
        let ring =
            Array2::from_shape_fn(
                (n, n),
                |(i, j)| {
                    if i == j || (i + 1) % n == j || (j + 1) % n == i { 1.0 / 3.0 } else { 0.0 }
                },
            );
        let mut expected: Vec<f64> =
            (0..n).map(|k| (1.0 + 2.0 * (2.0 * PI * k as f64 / n as f64).cos()) / 3.0).collect();
        expected.sort_by(f64::total_cmp);
        assert_close(&symmetric_eigenvalues(ring.view()).unwrap(), &expected, 1e-13);
        for v in &mut expected {
            *v = v.abs();
        }
        expected.sort_by(|x, y| y.total_cmp(x));
        assert_close(&singular_values(ring.view()).unwrap(), &expected, 1e-13);
    }
}

#[test]
fn second_differences_have_the_eigenvalues_of_a_string() {
    let n = 50;
    let a = Array2::from_shape_fn((n, n), |(i, j)| match i.abs_diff(j) {
        0 => 2.0,
        1 => -1.0,
        _ => 0.0,
    });
    let expected: Vec<f64> = (1..=n).map(|k| 2.0 - 2.0 * (PI * k as f64 / (n + 1) as f64).cos()).collect();
    assert_close(&symmetric_eigenvalues(a.view()).unwrap(), &expected, 1e-13);
}

/// `det H_6 = 1 / 186313420339200000`: the product sees every eigenvalue, the smallest (1.1e-7) above all.
#[test]
fn the_eigenvalues_of_the_hilbert_matrix_multiply_to_its_determinant() {
    let product: f64 = symmetric_eigenvalues(hilbert(6, 6).view()).unwrap().iter().product();
    assert!((product * 186_313_420_339_200_000.0 - 1.0).abs() < 1e-7, "{product}");
}

#[test]
fn a_rank_one_matrix_has_one_singular_value() {
    let a = Array2::from_shape_fn((5, 3), |(i, j)| (i + 1) as f64 * [2.0, 3.0, 6.0][j]);
    assert_close(&singular_values(a.view()).unwrap(), &[55.0_f64.sqrt() * 7.0, 0.0, 0.0], 1e-13);
    assert_close(&singular_values(a.t()).unwrap(), &[55.0_f64.sqrt() * 7.0, 0.0, 0.0], 1e-13);
}

#[test]
fn a_spectral_norm_scales_with_the_matrix() {
    for scale in [1e-150, 1.0, 1e150] {
        let norm = spectral_norm(array![[3.0 * scale, 0.0, 0.0], [0.0, -4.0 * scale, 0.0]].view()).unwrap();
        assert!((norm / scale - 4.0).abs() < 1e-14, "{norm}");
    }
    assert!(spectral_norm(Array2::<f64>::zeros((2, 3)).view()).unwrap().abs() < f64::MIN_POSITIVE);
}

#[test]
fn a_line_through_three_points_is_the_one_found_by_hand() {
    let a = array![[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]];
    assert_close(&least_squares(a.view(), array![6.0, 0.0, 0.0].view()).unwrap(), &[5.0, -3.0], 1e-14);
}

#[test]
fn a_problem_without_a_unique_solution_gets_the_shortest_one() {
    let deficient = array![[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]];
    assert_close(&least_squares(deficient.view(), array![1.0, 2.0, 3.0].view()).unwrap(), &[1.0, 1.0], 1e-14);
    let wide = array![[1.0, 2.0, 2.0]];
    assert_close(&least_squares(wide.view(), array![9.0].view()).unwrap(), &[1.0, 2.0, 2.0], 1e-14);
    let zero = Array2::<f64>::zeros((2, 3));
    assert_close(&least_squares(zero.view(), array![1.0, 2.0].view()).unwrap(), &[0.0; 3], 0.0);
}

/// The condition number is 2e9: the normal equations, with its square, would not keep a digit.
#[test]
fn an_ill_conditioned_problem_keeps_its_digits() {
    let a = hilbert(12, 8);
    let b = a.sum_axis(Axis(1));
    assert_close(&least_squares(a.view(), b.view()).unwrap(), &[1.0; 8], 1e-5);
}

#[test]
fn positive_definite_systems_are_solved() {
    let a = array![[4.0, 2.0], [2.0, 3.0]];
    assert_close(&solve_positive_definite(a.view(), array![2.0, 5.0].view()).unwrap(), &[-0.5, 2.0], 1e-15);
    let a = hilbert(5, 5);
    let b = a.sum_axis(Axis(1));
    assert_close(&solve_positive_definite(a.view(), b.view()).unwrap(), &[1.0; 5], 1e-9);
}

/// `(I + J)^-1 = I - J / (n + 1)` for the matrix `J` of ones: every entry, in both triangles.
#[test]
fn positive_definite_matrices_are_inverted() {
    assert!((inverse_positive_definite(array![[4.0]].view()).unwrap()[[0, 0]] - 0.25).abs() < 1e-16);
    for n in [2, 7, 60] {
        let a = Array2::eye(n) + 1.0;
        let expected = Array2::eye(n) - 1.0 / (n + 1) as f64;
        let inverse = inverse_positive_definite(a.view()).unwrap();
        assert_close(&inverse.flatten().into_owned(), expected.as_slice().unwrap(), 1e-14);
    }
}

#[test]
fn a_strided_view_gives_the_same_as_its_copy() {
    let wide = Array2::from_shape_fn((8, 12), |(i, j)| ((3 * i + 5 * j * j) % 11) as f64);
    let mut every_other = wide.slice_axis(Axis(0), Slice::new(0, None, 2));
    every_other.slice_axis_inplace(Axis(1), Slice::new(0, None, 3));
    let copy = every_other.to_owned();
    let b = array![1.0, -2.0, 0.5, 4.0];
    for (view, copy) in [(every_other, copy.view()), (every_other.reversed_axes(), copy.t())] {
        let values = singular_values(copy).unwrap();
        assert_close(&singular_values(view).unwrap(), values.as_slice().unwrap(), 1e-12);
        let x = least_squares(copy, b.view()).unwrap();
        assert_close(&least_squares(view, b.view()).unwrap(), x.as_slice().unwrap(), 1e-12);
    }
}

proptest! {
    /// The residual of a least-squares solution is orthogonal to the columns, and the solution lies in the row space.
    #[test]
    fn the_normal_equations_hold(rows in 1_usize..12, columns in 1_usize..12, entries in prop::collection::vec(-1.0..1.0, 144)) {
        let a = Array2::from_shape_fn((rows, columns), |(i, j)| entries[i * 12 + j]);
        let b = Array1::from_iter(entries.iter().rev().copied().take(rows));
        let x = least_squares(a.view(), b.view()).unwrap();
        let residual = &b - &a.dot(&x);
        let slack = 1e-13 * (1.0 + x.dot(&x).sqrt());
        prop_assert!(a.t().dot(&residual).iter().all(|v| v.abs() < slack));
        if rows < columns {
            let y = least_squares(a.t(), x.view()).unwrap();
            prop_assert!((&x - &a.t().dot(&y)).iter().all(|v| v.abs() < slack));
        }
    }
}
