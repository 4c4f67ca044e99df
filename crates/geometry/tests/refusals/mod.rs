//! What is no set is refused by the constructors, and by deserialisation through them.

use dido_geometry::{Affine, Box, GeometryError, HalfSpace, Intersection, L1Ball, L2Ball, Set, Simplex};

use super::one_of_each;

#[test]
fn sets_that_are_none_are_refused() {
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(L2Ball::new(radius), Err(GeometryError::Radius(_))));
        assert!(matches!(Simplex::new(radius), Err(GeometryError::Radius(_))));
        assert!(matches!(L1Ball::new(radius), Err(GeometryError::Radius(_))));
    }
    assert!(matches!(Box::new(vec![], vec![]), Err(GeometryError::Length { .. })));
    assert!(matches!(Box::new(vec![0.0], vec![0.0, 1.0]), Err(GeometryError::Length { .. })));
    for (l, u) in [(1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
        assert!(matches!(Box::new(vec![0.0, l], vec![0.0, u]), Err(GeometryError::Bounds { coordinate: 1, .. })));
    }
    for normal in [vec![], vec![0.0; 2], vec![1.0, f64::NAN], vec![f64::INFINITY, 0.0]] {
        assert!(matches!(HalfSpace::new(normal, 0.0), Err(GeometryError::Normal { row: 0, .. })));
    }
    for offset in [f64::NAN, f64::INFINITY, 1e300] {
        assert!(matches!(HalfSpace::new(vec![1e-100], offset), Err(GeometryError::Offset { .. })));
    }
}

#[test]
fn equations_that_are_none_are_refused() {
    let affine =
        |rows: &[&[f64]], offsets: &[f64]| Affine::new(rows.iter().map(|r| r.to_vec()).collect(), offsets.to_vec());
    assert_eq!(affine(&[], &[]), Err(GeometryError::Equations { rows: 0, offsets: 0 }));
    assert_eq!(affine(&[&[1.0]], &[0.0, 0.0]), Err(GeometryError::Equations { rows: 1, offsets: 2 }));
    let ragged = affine(&[&[1.0, 2.0], &[1.0]], &[0.0, 0.0]);
    assert_eq!(ragged, Err(GeometryError::Coefficients { row: 1, dim: 1, expected: 2 }));
    assert!(matches!(affine(&[&[1.0, 1.0], &[0.0, 0.0]], &[0.0; 2]), Err(GeometryError::Normal { row: 1, .. })));
    assert!(matches!(affine(&[&[1.0, 1.0]], &[f64::NAN]), Err(GeometryError::Offset { row: 0, .. })));
    // Not exactly dependent in doubles: 0.1 + 0.2 is not 0.3.
    let dependent = affine(&[&[0.1, 0.7, 1.0], &[0.2, 0.1, 0.3], &[0.3, 0.8, 1.3]], &[0.0; 3]);
    assert_eq!(dependent, Err(GeometryError::Dependent { row: 2 }));
    assert_eq!(affine(&[&[1.0], &[2.0]], &[1.0, 2.0]), Err(GeometryError::Dependent { row: 1 }));
    assert!(affine(&[&[1e200, 0.0], &[1e200, 1e195]], &[1e200, 1e200]).is_ok());
}

#[test]
fn intersections_without_a_common_point_are_refused() {
    let ball = Set::from(L2Ball::new(1.0).unwrap());
    let half = |offset| Set::from(HalfSpace::new(vec![-3.0, -4.0], offset).unwrap());
    assert_eq!(Intersection::new(2, vec![]), Err(GeometryError::Members { sets: 0, dim: 2 }));
    assert_eq!(Intersection::new(0, vec![ball.clone()]), Err(GeometryError::Members { sets: 1, dim: 0 }));
    let wrong = Intersection::new(3, vec![ball.clone(), half(0.0)]);
    assert_eq!(wrong, Err(GeometryError::Dimension { member: 1, dim: 2, expected: 3 }));
    // The half-plane is 1 away from the origin for an offset of -5, where it touches the ball.
    assert!(Intersection::new(2, vec![ball.clone(), half(-4.99)]).is_ok());
    let Err(GeometryError::NoCommonPoint { sets: 2, distance }) = Intersection::new(2, vec![ball.clone(), half(-6.0)])
    else {
        panic!("the half-plane is 1.2 away from the origin");
    };
    assert!((distance - 0.2).abs() < 1e-9, "{distance}");
    // Every point of the simplex has at least the norm 1 / sqrt(dim).
    let with_simplex =
        |dim| Intersection::new(dim, vec![L2Ball::new(0.5).unwrap().into(), Simplex::new(1.0).unwrap().into()]);
    assert!(with_simplex(3).is_err() && with_simplex(5).is_ok());
}

#[test]
fn intersections_are_taken_apart() {
    let (ball, half) = (Set::from(L2Ball::new(1.0).unwrap()), Set::from(HalfSpace::new(vec![1.0, 0.0], 0.0).unwrap()));
    let inner = Intersection::new(2, vec![ball.clone(), half.clone()]).unwrap();
    let nested = Intersection::new(2, vec![inner.into(), Set::Whole]).unwrap();
    assert_eq!(nested, Intersection::new(2, vec![ball, half, Set::Whole]).unwrap());
}

#[test]
fn sets_go_through_a_file_and_back_and_are_checked_on_the_way() {
    for set in one_of_each(3) {
        let text = serde_json::to_string(&set).unwrap();
        assert_eq!(serde_json::from_str::<Set>(&text).unwrap(), set, "{text}");
    }
    for (text, reason) in [
        (r#"{"L2Ball": {"radius": -1.0}}"#, "the radius must be finite and positive, got -1"),
        (r#"{"Simplex": {"radius": 0.0}}"#, "the radius must be"),
        (r#"{"L1Ball": {"radius": 1.0, "sum": 2.0}}"#, "unknown field `sum`"),
        (r#"{"Box": {"lower": [1.0], "upper": [0.0]}}"#, "coordinate 0 of the box"),
        (r#"{"HalfSpace": {"normal": [0.0], "offset": 1.0}}"#, "row 0 has norm 0"),
        (r#"{"Affine": {"rows": [[1.0], [1.0]], "offsets": [1.0, 1.0]}}"#, "equation 1 depends"),
        (r#"{"Intersection": {"dim": 1, "sets": []}}"#, "an intersection of 0 sets"),
    ] {
        let error = serde_json::from_str::<Set>(text).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
}
