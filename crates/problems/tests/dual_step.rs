//! The step of dual averaging against bisection on its multipliers, its optimality condition, and what is
//! refused.

use dido_geometry::{Affine, Box, HalfSpace, Intersection, L1Ball, L2Ball, Rows, Set, Shape, Simplex, norm};
use dido_problems::{Distance, DualStep, ProblemError, Regulariser};
use proptest::prelude::*;

const DIM: usize = 4;
const RADIUS: f64 = 1.5;

fn cuboid() -> Set {
    Box::new(vec![-1.0, 0.0, 0.25, -2.0], vec![0.5, 1.0, 2.0, -0.5]).unwrap().into()
}

fn sets() -> [Set; 8] {
    let half = HalfSpace::new(vec![1.0, -2.0, 0.5, 1.0], 0.5).unwrap();
    let affine = Affine::new(vec![vec![1.0, 1.0, 1.0, 1.0], vec![0.0, 1.0, -1.0, 2.0]], vec![1.0, 0.5]).unwrap();
    let ball = L2Ball::new(RADIUS).unwrap();
    [
        Set::Whole,
        ball.into(),
        cuboid(),
        L1Ball::new(RADIUS).unwrap().into(),
        Simplex::new(RADIUS).unwrap().into(),
        half.clone().into(),
        affine.into(),
        Intersection::new(DIM, vec![half.into(), ball.into()]).unwrap().into(),
    ]
}

fn regularisers(lambda: f64, mu: f64) -> [Regulariser; 5] {
    [
        Regulariser::none(),
        Regulariser::l1(lambda).unwrap(),
        Regulariser::squared_l2(mu).unwrap(),
        Regulariser::elastic_net(lambda, mu).unwrap(),
        Regulariser::group_l1(lambda, vec![1, 3]).unwrap(),
    ]
}

/// All steps that exist.
fn steps(lambda: f64, mu: f64) -> Vec<DualStep> {
    let mut steps = Vec::new();
    for distance in [Distance::Euclidean, Distance::Entropy] {
        for set in sets() {
            steps.extend(
                regularisers(lambda, mu).into_iter().filter_map(|h| DualStep::new(h, set.clone(), distance).ok()),
            );
        }
    }
    steps
}

fn apply(step: &DualStep, a: f64, gamma: f64, z: &[f64]) -> Vec<f64> {
    let mut rows = Rows::from_vec(Shape { nodes: 1, lanes: 1, dim: z.len() }, z.to_vec());
    step.apply(a, gamma, &mut rows).unwrap();
    rows.as_slice().to_vec()
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    norm(&x.iter().zip(y).map(|(x, y)| x - y).collect::<Vec<_>>())
}

fn projected(set: &Set, x: &[f64]) -> Vec<f64> {
    let mut y = x.to_vec();
    set.project_row(&mut y);
    y
}

/// The root of an increasing function between the bounds, to the last digit; a bound if it has none.
fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        *(if f(middle) < 0.0 { &mut low } else { &mut high }) = middle;
    }
    f64::midpoint(low, high)
}

/// The minimiser of `z x + t |x| + (s / 2) x^2` between the bounds, where the slope changes sign.
fn coordinate(z: f64, t: f64, s: f64, (low, high): (f64, f64)) -> f64 {
    bisect(low, high, |x| z + t * x.signum() + s * x)
}

/// The minimiser of `<z, x> + t |x|_1 + (s / 2) |x|^2`.
fn separable(z: &[f64], t: f64, s: f64) -> Vec<f64> {
    z.iter().map(|&z| coordinate(z, t, s, (-1e4, 1e4))).collect()
}

/// The same where `measure` is at most the radius, by the multiplier `nu >= 0` found by bisection.
fn constrained(measure: impl Fn(&[f64]) -> f64, at: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
    if measure(&at(0.0)) <= RADIUS { at(0.0) } else { at(bisect(0.0, 1e5, |nu| RADIUS - measure(&at(nu)))) }
}

fn gradient() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(prop_oneof![-2.0..2.0, -30.0..30.0], DIM)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn an_elastic_net_agrees_with_bisection(
        z in gradient(), lambda in 0.0..2.0, mu in 0.0..2.0, a in 0.0..5.0, gamma in 0.1..5.0,
    ) {
        let (t, s) = (a * lambda, a * mu + gamma);
        let net = |set: Set| {
            let step = DualStep::new(Regulariser::elastic_net(lambda, mu).unwrap(), set, Distance::Euclidean).unwrap();
            apply(&step, a, gamma, &z)
        };
        prop_assert!(distance(&net(Set::Whole), &separable(&z, t, s)) < 1e-10);

        let bounds = [(-1.0, 0.5), (0.0, 1.0), (0.25, 2.0), (-2.0, -0.5)];
        let expected: Vec<f64> = z.iter().zip(bounds).map(|(&z, bounds)| coordinate(z, t, s, bounds)).collect();
        prop_assert!(distance(&net(cuboid()), &expected) < 1e-10);

        let expected = constrained(norm, |nu| separable(&z, t, s + nu));
        prop_assert!(distance(&net(L2Ball::new(RADIUS).unwrap().into()), &expected) < 1e-10);

        let sizes = |x: &[f64]| x.iter().map(|x| x.abs()).sum();
        let expected = constrained(sizes, |nu| separable(&z, t + nu, s));
        prop_assert!(distance(&net(L1Ball::new(RADIUS).unwrap().into()), &expected) < 1e-10);

        // On the simplex: the multiplier of the sum moves every slope, and no coordinate is negative.
        let at = |nu: f64| z.iter().map(|z| coordinate(z + nu, t, s, (0.0, 1e4))).collect::<Vec<_>>();
        let nu = bisect(-1e3, 1e3, |nu| RADIUS - at(nu).iter().sum::<f64>());
        prop_assert!(distance(&net(Simplex::new(RADIUS).unwrap().into()), &at(nu)) < 1e-10);
    }

    /// With the squared norm, many small projected gradient steps go to the same point over every set.
    #[test]
    fn a_squared_norm_agrees_with_projected_gradient_descent(
        z in gradient(), mu in 0.0..2.0, a in 0.0..5.0, gamma in 0.1..5.0,
    ) {
        let s = a * mu + gamma;
        for set in sets() {
            let step = DualStep::new(Regulariser::squared_l2(mu).unwrap(), set.clone(), Distance::Euclidean).unwrap();
            let mut x = vec![0.0; DIM];
            for _ in 0..100 {
                x = projected(&set, &x.iter().zip(&z).map(|(x, z)| x - 0.3 / s * (z + s * x)).collect::<Vec<_>>());
            }
            prop_assert!(distance(&apply(&step, a, gamma, &z), &x) < 1e-9 * (1.0 + norm(&z) / s), "{set:?}");
        }
    }

    /// `x` is optimal if and only if `<z + (A mu + gamma) x, y - x> + A (h_1(y) - h_1(x)) >= 0` for every `y` of the
    /// set, where `h_1` is what is not smooth of `h`; for the entropy its gradient stands in for `gamma x`. That is
    /// With the normal cone of the set.
    #[test]
    fn every_step_is_optimal_and_inside(
        z in gradient(), ys in prop::collection::vec(gradient(), 8),
        lambda in 0.0..2.0, mu in 0.0..2.0, a in 0.0..5.0, gamma in 0.1..5.0,
    ) {
        for step in steps(lambda, mu) {
            let x = apply(&step, a, gamma, &z);
            let h = step.regulariser();
            prop_assert!(distance(&projected(step.set(), &x), &x) <= 1e-12 * (1.0 + norm(&x)));
            prop_assert!(norm(&x) <= step.radius() * (1.0 + 1e-15));
            let mu = h.strong_convexity();
            let rough = |x: &[f64]| h.value(x) - mu / 2.0 * norm(x).powi(2);
            let pull = |x: f64| match step.distance() {
                Distance::Euclidean => x,
                Distance::Entropy => RADIUS * (1.0 + (DIM as f64 * x / RADIUS).ln()),
            };
            // Whatever lies near the answer, and whatever lies far from it.
            let near = ys.iter().map(|y| y.iter().zip(&x).map(|(y, x)| x + 1e-3 * y).collect());
            for y in ys.iter().cloned().chain(near) {
                let y = projected(step.set(), &y);
                let smooth: f64 = (0..DIM).map(|k| (z[k] + a * mu * x[k] + gamma * pull(x[k])) * (y[k] - x[k])).sum();
                let slope = smooth + a * (rough(&y) - rough(&x));
                prop_assert!(slope >= -1e-10 * (1.0 + norm(&z)) * (1.0 + norm(&x) + norm(&y)), "{step:?}: {slope}");
            }
        }
    }

    /// As a function of `z` the step is Lipschitz with constant `1 / (A mu + gamma)`.
    #[test]
    fn a_step_moves_no_further_than_its_curvature_allows(
        z in gradient(), y in gradient(), lambda in 0.0..2.0, mu in 0.0..2.0, a in 0.0..5.0, gamma in 0.1..5.0,
    ) {
        for step in steps(lambda, mu) {
            let s = a * step.regulariser().strong_convexity() + gamma;
            let apart = distance(&apply(&step, a, gamma, &z), &apply(&step, a, gamma, &y));
            prop_assert!(apart <= distance(&z, &y) / s + 1e-9 * (norm(&z) + norm(&y)) / s, "{step:?}");
        }
    }

    /// Scaling by a power of two changes no digit, and none of the minimiser.
    #[test]
    fn scaling_the_objective_changes_nothing(z in gradient(), a in 0.0..5.0, gamma in 0.1..5.0, exponent in -20..20) {
        let c = f64::from(exponent).exp2();
        let scaled: Vec<f64> = z.iter().map(|z| c * z).collect();
        for step in steps(0.5, 0.25) {
            prop_assert_eq!(apply(&step, c * a, c * gamma, &scaled), apply(&step, a, gamma, &z));
        }
    }
}

/// The whole table: which steps exist.
#[test]
fn steps_without_a_closed_form_are_refused() {
    let exists = |distance| {
        regularisers(1.0, 1.0).map(|h| {
            let kinds = sets().map(|set| match DualStep::new(h.clone(), set, distance) {
                Ok(_) => 'x',
                Err(ProblemError::NoClosedForm { .. }) => '.',
                Err(other) => panic!("{other}"),
            });
            kinds.iter().collect::<String>()
        })
    };
    // Whole, ball, box, l1 ball, simplex, half-space, affine, intersection.
    assert_eq!(exists(Distance::Euclidean), ["xxxxxxxx", "xxxxx...", "xxxxxxxx", "xxxxx...", "xx......"]);
    assert_eq!(exists(Distance::Entropy), ["....x...", "....x...", "........", "........", "........"]);
    let message =
        DualStep::new(Regulariser::l1(1.0).unwrap(), sets()[5].clone(), Distance::Euclidean).unwrap_err().to_string();
    assert_eq!(
        message,
        "the dual step has no closed form for the regulariser l1 over a half-space with the Euclidean distance"
    );
}

#[test]
fn weights_that_leave_nothing_to_minimise_are_refused_and_change_nothing() {
    let plain = DualStep::new(Regulariser::none(), Set::Whole, Distance::Euclidean).unwrap();
    let curved = DualStep::new(Regulariser::squared_l2(1.0).unwrap(), Set::Whole, Distance::Euclidean).unwrap();
    let entropy = DualStep::new(Regulariser::none(), sets()[4].clone(), Distance::Entropy).unwrap();
    let mut z = Rows::from_vec(Shape { nodes: 1, lanes: 1, dim: 2 }, vec![1.0, 2.0]);
    for (step, a, gamma) in [
        (&plain, 1.0, 0.0),
        (&plain, -1.0, 1.0),
        (&plain, 1.0, f64::NAN),
        (&plain, f64::INFINITY, 1.0),
        (&curved, 0.0, 0.0),
        (&curved, 2.0, -1.0),
        (&curved, 1e308, 1e308),
        (&entropy, 1.0, 0.0),
    ] {
        assert!(matches!(step.apply(a, gamma, &mut z), Err(ProblemError::DualWeights { .. })), "{step:?}");
        assert_eq!(z.as_slice(), [1.0, 2.0]);
    }
    curved.apply(1.0, 0.0, &mut z).unwrap();
    assert_eq!(z.as_slice(), [-1.0, -2.0]);
}

/// Odds of `e^(-z / (gamma r))`, and the centre for equal entries of any size.
#[test]
fn the_entropy_step_is_a_softmax_for_numbers_of_any_size() {
    let step = DualStep::new(Regulariser::none(), Simplex::new(2.0).unwrap().into(), Distance::Entropy).unwrap();
    let x = apply(&step, 0.0, 0.5, &[0.0, 3.0_f64.ln(), -(6.0_f64.ln())]);
    for (x, expected) in x.iter().zip([3.0, 1.0, 18.0]) {
        assert!((x - 2.0 * expected / 22.0).abs() < 1e-15, "{x}");
    }
    assert_eq!(apply(&step, 0.0, 0.5, &[1e300; 4]), [0.5; 4]);
    assert_eq!(apply(&step, 0.0, 1e-300, &[1e300, -1e300, 0.0, 1e308]), [0.0, 2.0, 0.0, 0.0]);
    assert_eq!(apply(&step, 0.0, 5e-324, &[0.0, 0.0]), [1.0, 1.0]);
}

#[test]
fn huge_numbers_stay_finite_and_what_is_not_a_number_stays_so() {
    for step in steps(1.0, 0.5) {
        let x = apply(&step, 1.0, 1.0, &[1e300, -1e300, 1e300, 0.0]);
        assert!(x.iter().all(|x| x.is_finite()), "{step:?}: {x:?}");
        assert!(norm(&x) <= step.radius() * (1.0 + 1e-15), "{step:?}: {x:?}");
        assert!(apply(&step, 1.0, 1.0, &[0.0, f64::NAN, 1.0, 1.0])[1].is_nan(), "{step:?}");
    }
}

#[test]
fn a_bundle_is_its_rows() {
    let shape = Shape { nodes: 3, lanes: 2, dim: DIM };
    let z: Vec<f64> = (0..24).map(|k| f64::from(k * 7 % 11 - 5) / 3.0).collect();
    for step in steps(0.5, 0.25) {
        let mut rows = Rows::from_vec(shape, z.clone());
        step.apply(0.5, 1.25, &mut rows).unwrap();
        let alone: Vec<f64> = z.chunks(DIM).flat_map(|z| apply(&step, 0.5, 1.25, z)).collect();
        assert_eq!(rows.as_slice(), alone, "{step:?}");
    }
}

#[test]
fn groups_and_sets_prescribe_a_dimension() {
    let groups = Regulariser::group_l1(1.0, vec![2, 3]).unwrap();
    let dim = |h, set| DualStep::new(h, set, Distance::Euclidean).unwrap().dim();
    assert_eq!(dim(groups, Set::Whole), Some(5));
    assert_eq!(dim(Regulariser::none(), cuboid()), Some(DIM));
    assert_eq!(dim(Regulariser::none(), Set::Whole), None);
}
