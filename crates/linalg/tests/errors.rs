//! What is refused, the same on either backend.

use dido_linalg::{
    LinalgError, inverse_positive_definite, least_squares, singular_values, solve_positive_definite,
    symmetric_eigenvalues,
};
use ndarray::{Array1, Array2, array};

#[test]
fn empty_matrices_are_refused() {
    for (rows, columns) in [(0, 0), (0, 3), (3, 0)] {
        let a = Array2::<f64>::zeros((rows, columns));
        let refused = LinalgError::Empty { rows, columns };
        assert_eq!(singular_values(a.view()), Err(refused.clone()));
        assert_eq!(least_squares(a.view(), Array1::zeros(rows).view()), Err(refused));
    }
    assert!(matches!(symmetric_eigenvalues(Array2::zeros((0, 0)).view()), Err(LinalgError::Empty { .. })));
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let a = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let not_square = LinalgError::NotSquare { rows: 2, columns: 3 };
    assert_eq!(symmetric_eigenvalues(a.view()), Err(not_square.clone()));
    assert_eq!(solve_positive_definite(a.view(), array![1.0, 2.0].view()), Err(not_square));
    let b = array![1.0, 2.0, 3.0];
    assert_eq!(least_squares(a.view(), b.view()), Err(LinalgError::RightHandSide { rows: 2, entries: 3 }));
}

#[test]
fn numbers_that_are_not_finite_are_refused_with_their_place() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let a = array![[1.0, 0.0], [bad, 1.0]];
        let b = array![0.0, 1.0];
        let in_matrix = |e| matches!(e, LinalgError::NonFinite { row: 1, column: 0, .. });
        assert!(in_matrix(singular_values(a.view()).unwrap_err()));
        assert!(in_matrix(symmetric_eigenvalues(a.view()).unwrap_err()));
        assert!(in_matrix(least_squares(a.view(), b.view()).unwrap_err()));
        assert!(in_matrix(solve_positive_definite(a.view(), b.view()).unwrap_err()));
        let b = array![0.0, bad];
        let in_side = |e| matches!(e, LinalgError::NonFiniteRightHandSide { row: 1, .. });
        assert!(in_side(least_squares(Array2::eye(2).view(), b.view()).unwrap_err()));
        assert!(in_side(solve_positive_definite(Array2::eye(2).view(), b.view()).unwrap_err()));
    }
}

#[test]
fn a_matrix_that_is_not_symmetric_is_refused_and_rounding_is_not() {
    let refused = LinalgError::NotSymmetric { row: 1, column: 0, value: 3.0, mirrored: 2.0 };
    assert_eq!(symmetric_eigenvalues(array![[1.0, 2.0], [3.0, 1.0]].view()), Err(refused.clone()));
    assert_eq!(solve_positive_definite(array![[9.0, 2.0], [3.0, 9.0]].view(), array![1.0, 1.0].view()), Err(refused));
    assert!(symmetric_eigenvalues(array![[1.0, 0.1 + 0.2], [0.3, 1.0]].view()).is_ok());
}

#[test]
fn a_matrix_that_is_not_positive_definite_is_refused() {
    for a in [array![[1.0, 2.0], [2.0, 1.0]], array![[0.0, 0.0], [0.0, 1.0]], array![[-1.0, 0.0], [0.0, 1.0]]] {
        let answer = solve_positive_definite(a.view(), array![1.0, 1.0].view());
        assert_eq!(answer, Err(LinalgError::NotPositiveDefinite));
        assert_eq!(inverse_positive_definite(a.view()), Err(LinalgError::NotPositiveDefinite));
    }
}

#[test]
fn an_answer_beyond_the_range_of_numbers_is_an_error() {
    let a = Array2::from_elem((2, 2), f64::MAX);
    let refused = singular_values(a.view()).unwrap_err();
    assert!(matches!(refused, LinalgError::OutOfRange { .. } | LinalgError::NotConverged { .. }), "{refused}");
    let a = array![[1e-300]];
    let refused = least_squares(a.view(), array![1e300].view()).unwrap_err();
    assert!(matches!(refused, LinalgError::OutOfRange { .. }), "{refused}");
}
