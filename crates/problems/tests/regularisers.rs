//! The proximal operators of the regularisers against bisection and their optimality condition, and what is refused.

use dido_geometry::norm;
use dido_problems::{ProblemError, Regulariser};
use proptest::prelude::*;

/// The root of an increasing function, to the last digit.
fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        *(if f(middle) < 0.0 { &mut low } else { &mut high }) = middle;
    }
    f64::midpoint(low, high)
}

fn prox(h: &Regulariser, step: f64, x: &[f64]) -> Vec<f64> {
    let mut y = x.to_vec();
    h.prox(step, &mut y).unwrap();
    y
}

/// All kinds, for four coordinates.
fn all(lambda: f64, mu: f64) -> [Regulariser; 5] {
    [
        Regulariser::none(),
        Regulariser::l1(lambda).unwrap(),
        Regulariser::squared_l2(mu).unwrap(),
        Regulariser::elastic_net(lambda, mu).unwrap(),
        Regulariser::group_l1(lambda, vec![1, 2, 1]).unwrap(),
    ]
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    norm(&x.iter().zip(y).map(|(x, y)| x - y).collect::<Vec<_>>())
}

fn point() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(prop_oneof![-2.0..2.0, -100.0..100.0, Just(0.0)], 4)
}

proptest! {
    /// The minimiser of a convex function of one number is where its derivative changes sign.
    #[test]
    fn each_coordinate_agrees_with_bisection(x in point(), step in 0.01..5.0, lambda in 0.0..3.0, mu in 0.0..3.0) {
        let weights = [(0.0, 0.0), (lambda, 0.0), (0.0, mu), (lambda, mu)];
        for (h, (lambda, mu)) in all(lambda, mu).into_iter().zip(weights) {
            for (&x, y) in x.iter().zip(prox(&h, step, &x)) {
                let slope = |y: f64| y - x + step * (lambda * y.signum() + mu * y);
                prop_assert!((y - bisect(-200.0, 200.0, slope)).abs() < 1e-12, "{h:?}: {y}");
            }
        }
    }

    /// Zero is in `y - x + step dh(y)`: for a group away from zero the gradient of its norm is its direction, and at
    /// zero the subgradients fill the unit ball.
    #[test]
    fn groups_are_optimal(x in point(), step in 0.01..5.0, lambda in 0.0..3.0) {
        let y = prox(&Regulariser::group_l1(lambda, vec![1, 3]).unwrap(), step, &x);
        for group in [0..1, 1..4] {
            let (x, y) = (&x[group.clone()], &y[group]);
            let length = norm(y);
            if length > 0.0 {
                let slope: Vec<f64> = x.iter().zip(y).map(|(x, y)| y - x + step * lambda * y / length).collect();
                prop_assert!(norm(&slope) < 1e-11, "{slope:?}");
            } else {
                prop_assert!(norm(x) <= step * lambda * (1.0 + 1e-15));
            }
        }
    }

    #[test]
    fn a_prox_is_non_expansive_and_by_strong_convexity_a_contraction(
        x in point(), y in point(), step in 0.01..5.0, lambda in 0.0..3.0, mu in 0.0..3.0,
    ) {
        for h in all(lambda, mu) {
            let apart = distance(&prox(&h, step, &x), &prox(&h, step, &y));
            prop_assert!(apart <= distance(&x, &y) / (1.0 + step * h.strong_convexity()) * (1.0 + 1e-12) + 1e-12);
        }
    }

    #[test]
    fn groups_of_one_are_coordinates(x in point(), step in 0.0..5.0, lambda in 0.0..3.0) {
        let (l1, groups) = (Regulariser::l1(lambda).unwrap(), Regulariser::group_l1(lambda, vec![1; 4]).unwrap());
        prop_assert!((l1.value(&x) - groups.value(&x)).abs() <= 1e-13 * l1.value(&x));
        prop_assert!(distance(&prox(&l1, step, &x), &prox(&groups, step, &x)) < 1e-12);
    }
}

/// Worked by hand: `|3| + |-4| + |0| + |-12| = 19`, squares `169`, groups `3`, `4` and `12`; a threshold of 2.
#[test]
fn values_and_proxes_are_those_computed_by_hand() {
    let x = [3.0, -4.0, 0.0, -12.0];
    let values = all(2.0, 0.5).map(|h| h.value(&x));
    assert_eq!(values[..], [0.0, 38.0, 42.25, 80.25, 38.0]);
    let proxes = all(2.0, 0.5).map(|h| prox(&h, 2.0, &x));
    let expected = [[3.0, -4.0, 0.0, -12.0], [0.0, 0.0, 0.0, -8.0], [1.5, -2.0, 0.0, -6.0], [0.0, 0.0, 0.0, -4.0]];
    assert_eq!(proxes[..4], expected);
    assert_eq!(proxes[4], [0.0, 0.0, 0.0, -8.0]);
    let curvatures = all(2.0, 0.5).map(|h| h.strong_convexity());
    assert_eq!(curvatures[..], [0.0, 0.0, 0.5, 0.5, 0.0]);
}

#[test]
fn huge_numbers_stay_finite_and_what_is_not_a_number_stays_so() {
    for h in all(1.0, 0.5) {
        let y = prox(&h, 2.0, &[1e300, -1e300, 1e300, 5e-324]);
        assert!(y.iter().all(|y| y.is_finite()) && y[1] < -1e299, "{h:?}: {y:?}");
        assert!(prox(&h, 2.0, &[0.0, f64::NAN, 1.0, 1.0])[1].is_nan(), "{h:?}");
    }
}

#[test]
fn what_is_no_regulariser_and_no_step_is_refused() {
    for weight in [-1.0, f64::NAN, f64::INFINITY] {
        for (regulariser, expected) in [
            (Regulariser::l1(weight), "lambda"),
            (Regulariser::squared_l2(weight), "mu"),
            (Regulariser::elastic_net(weight, 1.0), "lambda"),
            (Regulariser::elastic_net(1.0, weight), "mu"),
            (Regulariser::group_l1(weight, vec![1]), "lambda"),
        ] {
            assert!(matches!(regulariser, Err(ProblemError::RegulariserWeight { name, .. }) if name == expected));
        }
        let mut x = [1.0, -2.0];
        let refused = Regulariser::none().prox(weight, &mut x);
        assert!(matches!(refused, Err(ProblemError::ProximalStep(_))) && x[..] == [1.0, -2.0]);
    }
    assert!(Regulariser::l1(1e300).unwrap().prox(1e300, &mut [1.0]).is_err());
    for groups in [vec![], vec![1, 0]] {
        assert!(matches!(Regulariser::group_l1(1.0, groups), Err(ProblemError::Groups { .. })));
    }
}

#[test]
fn regularisers_go_through_a_file_and_back_and_are_checked_on_the_way() {
    for h in all(0.25, 0.5) {
        let text = serde_json::to_string(&h).unwrap();
        assert_eq!(serde_json::from_str::<Regulariser>(&text).unwrap(), h, "{text}");
    }
    let group = r#"{"kind": "group-l1", "lambda": 0.5, "groups": [2, 1]}"#;
    assert_eq!(serde_json::from_str::<Regulariser>(group).unwrap(), Regulariser::group_l1(0.5, vec![2, 1]).unwrap());
    for (text, reason) in [
        (
            r#"{"kind": "l1", "lambda": -0.5}"#,
            "the weight lambda of the regulariser must be finite and not negative, got -0.5",
        ),
        (r#"{"kind": "l1", "mu": 0.5}"#, "unknown field `mu`"),
        (r#"{"kind": "l0"}"#, "unknown variant `l0`"),
        (r#"{"kind": "group-l1", "lambda": 0.5, "groups": []}"#, "groups of []"),
    ] {
        let error = serde_json::from_str::<Regulariser>(text).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
}
