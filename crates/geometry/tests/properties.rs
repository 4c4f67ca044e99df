//! THEORY C9: a projection lands in the set, changes nothing twice, and is non-expansive.

use dido_geometry::{Box, GeometryError, L2Ball, Set};
use proptest::prelude::*;

const DIM: usize = 4;

fn point() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(prop_oneof![-2.0..2.0, -1e6..1e6], DIM)
}

fn set() -> impl Strategy<Value = Set> {
    let ball = (0.01..100.0).prop_map(|r| Set::from(L2Ball::new(r).unwrap()));
    let interval = (-10.0..10.0, 0.0..10.0).prop_map(|(l, w): (f64, f64)| (l, l + w));
    let cuboid = prop::collection::vec(interval, DIM).prop_map(|sides| {
        let (lower, upper) = sides.into_iter().unzip();
        Set::from(Box::new(lower, upper).unwrap())
    });
    prop_oneof![ball, cuboid, Just(Set::Whole)]
}

fn projected(set: &Set, x: &[f64]) -> Vec<f64> {
    let mut y = x.to_vec();
    set.project_row(&mut y);
    y
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn inside(set: &Set, x: &[f64]) -> bool {
    match set {
        Set::Whole => true,
        Set::L2Ball(ball) => distance(x, &[0.0; DIM]) <= ball.radius() * (1.0 + 1e-15 * DIM as f64),
        Set::Box(_) => projected(set, x) == x,
    }
}

proptest! {
    #[test]
    fn a_projection_lands_in_the_set_and_is_idempotent(set in set(), x in point()) {
        let p = projected(&set, &x);
        prop_assert!(inside(&set, &p));
        prop_assert!(distance(&projected(&set, &p), &p) <= 1e-14 * set.radius().min(1e6));
        prop_assert!(distance(&p, &[0.0; DIM]) <= set.radius() * (1.0 + 1e-14));
    }

    #[test]
    fn a_projection_is_non_expansive(set in set(), x in point(), y in point()) {
        let apart = distance(&projected(&set, &x), &projected(&set, &y));
        prop_assert!(apart <= distance(&x, &y) * (1.0 + 1e-12) + 1e-12);
    }

    /// The variational inequality <x - p, z - p> <= 0 for all z of the set characterises the nearest point.
    #[test]
    fn a_projection_is_the_nearest_point(set in set(), x in point(), z in point()) {
        let p = projected(&set, &x);
        let z = projected(&set, &z);
        let inner: f64 = x.iter().zip(&p).zip(&z).map(|((x, p), z)| (x - p) * (z - p)).sum();
        prop_assert!(inner <= 1e-9 * (1.0 + distance(&x, &p)) * (1.0 + distance(&z, &p)));
    }
}

#[test]
fn sets_that_are_none_are_refused() {
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(L2Ball::new(radius), Err(GeometryError::Radius(_))));
    }
    assert!(matches!(Box::new(vec![], vec![]), Err(GeometryError::Length { .. })));
    assert!(matches!(Box::new(vec![0.0], vec![0.0, 1.0]), Err(GeometryError::Length { .. })));
    for (l, u) in [(1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
        assert!(matches!(Box::new(vec![0.0, l], vec![0.0, u]), Err(GeometryError::Bounds { coordinate: 1, .. })));
    }
}
