//! The sensitivity of least squares: attained, and equal to values computed elsewhere. That nothing exceeds it is theorem A1
//! of the crate `dido-theorems`.

use dido_mechanisms::least_squares::{PublishedTheorem, l2_sensitivity, published_epsilon, replaced, worst_case_pair};
use dido_mechanisms::{Adjacency, MechanismError};

fn norm1(x: &[f64]) -> f64 {
    x.iter().map(|x| x.abs()).sum()
}

fn norm2(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn difference(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x - y).collect()
}

/// `X^T (X b - y)` for rows `x`.
fn gradient(rows: &[Vec<f64>], y: &[f64], b: &[f64]) -> Vec<f64> {
    let mut g = vec![0.0; b.len()];
    for (x, y) in rows.iter().zip(y) {
        let residual = x.iter().zip(b).map(|(x, b)| x * b).sum::<f64>() - y;
        for (g, x) in g.iter_mut().zip(x) {
            *g += residual * x;
        }
    }
    g
}

/// A2: the explicit pair reaches the bound in both norms, and is allowed.
#[test]
fn the_worst_pair_attains_the_bound() {
    for dim in 1..=8 {
        for (x_bound, y_bound, radius) in [
            (1.3, 0.7, 0.9),
            (1.0, 1.0, 1.0),
            (0.1, 20.0, 1.0),
            (5.0, 0.0, 2.0),
            (2.0, 3.0, 0.0),
            (1.0, 0.0, 0.0),
            (0.0, 1.0, 0.0),
            (1.0, 1e-9, 1e-9),
        ] {
            let bound = l2_sensitivity(Adjacency::ReplaceRecord, x_bound, y_bound, radius, dim).unwrap();
            let pair = worst_case_pair(x_bound, y_bound, radius, dim).unwrap();
            let gradients =
                [&pair.record, &pair.other].map(|(x, y)| gradient(std::slice::from_ref(x), &[*y], &pair.point));
            let d = difference(&gradients[0], &gradients[1]);
            let (size, sum) = (bound.l2(), bound.l1(dim));
            assert!((norm2(&d) - size).abs() <= 1e-12 * size, "dim {dim}: {} of {size}", norm2(&d));
            assert!((norm1(&d) - sum).abs() <= 1e-12 * sum, "dim {dim}: {} of {sum}", norm1(&d));
            for (x, y) in [&pair.record, &pair.other] {
                assert!(norm2(x) <= x_bound && y.abs() <= y_bound && norm2(&pair.point) <= radius);
            }
        }
    }
}

#[test]
fn golden_values() {
    let (p, q) = (1.3 * 1.3 * 0.9, 1.3 * 0.7);
    assert!((replaced(p, q, 2).unwrap() - 2.9201).abs() < 5e-5);
    assert!((replaced(p, q, 1).unwrap() - 2.5671).abs() < 5e-5);
    assert!((replaced(1.0, 1.0, 3).unwrap() - 1.5 * 3_f64.sqrt()).abs() < 1e-14);
    for dim in 1..4 {
        assert!((replaced(0.0, 0.7, dim).unwrap() - 1.4).abs() < 1e-15);
        assert!(replaced(0.0, 0.0, dim).unwrap().abs() <= 0.0);
    }
}

#[test]
fn the_bound_is_in_its_sandwich_at_all_sizes() {
    for p in [1e-200, 1e-8, 0.3, 1.0, 1e8, 1e150, f64::MAX / 2.5] {
        for q in [1e-200, 1e-8, 0.3, 1.0, 1e8, 1e150] {
            let width = replaced(p, q, 2).unwrap();
            let slack = 1.0 + 1e-14;
            assert!(width * slack >= (p + 2_f64.sqrt() * q).max(2.0 * q) && width <= (p + 2.0 * q) * slack);
            assert!(replaced(p, q, 1).unwrap() <= width * slack);
        }
    }
}

#[test]
fn what_bounds_nothing_is_refused() {
    for bad in [f64::NAN, -1.0, f64::INFINITY] {
        assert!(matches!(replaced(bad, 1.0, 2), Err(MechanismError::Bound { name: "P", .. })));
        assert!(matches!(replaced(1.0, bad, 2), Err(MechanismError::Bound { name: "Q", .. })));
        for adjacency in [Adjacency::ReplaceNode, Adjacency::ReplaceRecord, Adjacency::AddRemoveRecord] {
            assert!(matches!(
                l2_sensitivity(adjacency, bad, 1.0, 1.0, 2),
                Err(MechanismError::Bound { name: "x", .. })
            ));
            assert!(matches!(
                l2_sensitivity(adjacency, 1.0, bad, 1.0, 2),
                Err(MechanismError::Bound { name: "y", .. })
            ));
            assert!(l2_sensitivity(adjacency, 1.0, 1.0, bad, 2).is_err());
            assert_eq!(l2_sensitivity(adjacency, 1.0, 1.0, 1.0, 0), Err(MechanismError::NoCoordinates));
        }
        assert!(worst_case_pair(bad, 1.0, 1.0, 2).is_err());
    }
    assert!(matches!(replaced(f64::MAX, f64::MAX, 2), Err(MechanismError::Bound { .. })));
    assert_eq!(worst_case_pair(1.0, 1.0, 1.0, 0), Err(MechanismError::NoCoordinates));
}

#[test]
fn the_published_constant_is_as_published() {
    let theorem = PublishedTheorem {
        x_bound: 1.0,
        y_bound: 1.0,
        radius: 1.0,
        dim: 3,
        nodes: 4,
        rows: 10,
        step_over_noise: 0.1 / 2.0,
        rounds: 50,
    };
    assert!((published_epsilon(&theorem) - 244.508_915).abs() < 5e-7);
}
