//! Each projection against a slow way to the same point, and at the edges of what a double holds.

mod refusals;

use dido_geometry::{Affine, Box, HalfSpace, Intersection, L1Ball, L2Ball, Rows, Set, Shape, Simplex};

/// Numbers between -1 and 1 without a pattern, the same in every run (splitmix64).
fn numbers(seed: u64, count: usize) -> Vec<f64> {
    let mut state = seed << 32;
    let next = |_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(next).collect()
}

fn projected(set: &Set, x: &[f64]) -> Vec<f64> {
    let mut y = x.to_vec();
    set.project_row(&mut y);
    y
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn assert_close(x: &[f64], y: &[f64], tolerance: f64, what: &str) {
    for (a, b) in x.iter().zip(y) {
        assert!((a - b).abs() <= tolerance, "{what}: {x:?} is not {y:?}");
    }
}

/// The root of a decreasing function, to the last digit.
fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        *(if f(middle) > 0.0 { &mut low } else { &mut high }) = middle;
    }
    f64::midpoint(low, high)
}

/// `max(x_k - theta, 0)` with the theta found by bisection.
fn on_simplex(x: &[f64], radius: f64) -> Vec<f64> {
    let at = |theta: f64| x.iter().map(|x| (x - theta).max(0.0)).collect::<Vec<_>>();
    let theta = bisect(-1e3, 1e3, |theta| at(theta).iter().sum::<f64>() - radius);
    at(theta)
}

/// The points of spread 10 of each of four dimensions; some entries of every second point are equal.
fn points() -> impl Iterator<Item = Vec<f64>> {
    (0..400).map(|k| {
        let x = numbers(k as u64, [1, 3, 8, 21][k % 4]);
        x.iter().map(|x| if k % 8 < 4 { 5.0 * x } else { (5.0 * x).round() }).collect()
    })
}

#[test]
fn a_simplex_and_an_l1_ball_agree_with_bisection() {
    for (k, x) in points().enumerate() {
        let radius = [0.3, 2.0, 50.0][k % 3];
        let p = projected(&Simplex::new(radius).unwrap().into(), &x);
        assert_close(&p, &on_simplex(&x, radius), 1e-12, "simplex");

        let sizes: Vec<f64> = x.iter().map(|x| x.abs()).collect();
        let mut expected = if sizes.iter().sum::<f64>() <= radius { sizes } else { on_simplex(&sizes, radius) };
        expected.iter_mut().zip(&x).for_each(|(e, x)| *e = e.copysign(*x));
        assert_close(&projected(&L1Ball::new(radius).unwrap().into(), &x), &expected, 1e-12, "l1 ball");
    }
}

#[test]
fn a_half_space_moves_along_its_normal_just_as_far_as_needed() {
    let half = Set::from(HalfSpace::new(vec![3.0, 4.0], 5.0).unwrap());
    assert_close(&projected(&half, &[6.0, 8.0]), &[0.6, 0.8], 1e-15, "far outside");
    assert_eq!(projected(&half, &[0.6, 0.7]), [0.6, 0.7]);
}

/// Conditions of Karush, Kuhn and Tucker: the equations hold and what was taken away is orthogonal to their solutions.
#[test]
fn an_affine_projection_solves_the_equations_and_moves_along_the_rows_only() {
    for k in 0..100 {
        let (dim, equations) = (6, 1 + k % 4);
        let rows: Vec<Vec<f64>> = (0..equations).map(|i| numbers((50 * k + i) as u64, dim)).collect();
        let offsets = numbers(1000 + k as u64, equations);
        let set = Set::from(Affine::new(rows.clone(), offsets.clone()).unwrap());
        let (x, other) = (numbers(2000 + k as u64, dim), numbers(3000 + k as u64, dim));
        let (p, q) = (projected(&set, &x), projected(&set, &other));
        for (row, offset) in rows.iter().zip(&offsets) {
            assert!((dot(row, &p) - offset).abs() < 1e-12);
        }
        let moved: Vec<f64> = x.iter().zip(&p).map(|(x, p)| x - p).collect();
        let along: Vec<f64> = q.iter().zip(&p).map(|(q, p)| q - p).collect();
        assert!(dot(&moved, &along).abs() < 1e-12 && dot(&moved, &moved) > 1e-6);
    }
}

/// In a box and on a simplex, or in a box and a ball, the nearest point has one multiplier, found by bisection. Far
/// from the sets Dykstra's iteration alone would stall.
#[test]
fn intersections_agree_with_bisection_on_their_multiplier() {
    for (k, far) in (0..100).flat_map(|k| [(k, 4.0), (k, 4e4)]) {
        let dim = 2 + k % 7;
        let x: Vec<f64> = numbers(k as u64, dim).iter().map(|x| far * x).collect();
        let (lower, upper) = (vec![-0.25; dim], vec![0.75; dim]);
        let cuboid = Set::from(Box::new(lower, upper).unwrap());
        let clamped = |at: &dyn Fn(f64) -> f64, low: f64| x.iter().map(|x| at(*x).clamp(low, 0.75)).collect::<Vec<_>>();
        let tolerance = 3e-12 * far;

        let capped = Intersection::new(dim, vec![cuboid.clone(), Simplex::new(1.0).unwrap().into()]).unwrap();
        let at = |theta: f64| clamped(&|x| x - theta, 0.0);
        let theta = bisect(-2.0 * far, 2.0 * far, |theta| at(theta).iter().sum::<f64>() - 1.0);
        assert_close(&projected(&capped.into(), &x), &at(theta), tolerance, "box and simplex");

        let ball = L2Ball::new(0.5).unwrap();
        let both = Intersection::new(dim, vec![cuboid, ball.into()]).unwrap();
        let at = |nu: f64| clamped(&|x| x / (1.0 + nu), -0.25);
        let inside = dot(&at(0.0), &at(0.0)) <= 0.25;
        let nu = if inside { 0.0 } else { bisect(0.0, 1e3 * far, |nu| dot(&at(nu), &at(nu)) - 0.25) };
        assert_close(&projected(&both.into(), &x), &at(nu), tolerance, "box and ball");
    }
}

/// Two half-planes whose borders meet at a small angle: the iteration is slow, and the corner is the answer.
#[test]
fn a_sharp_corner_is_found() {
    let half = |slope: f64| Set::from(HalfSpace::new(vec![slope, 1.0], 0.0).unwrap());
    let wedge = Intersection::new(2, vec![half(0.1), half(-0.1)]).unwrap();
    assert_close(&projected(&wedge.into(), &[0.0, 1.0]), &[0.0, 0.0], 1e-9, "corner");
}

/// A ball and a half-space that touch in one point: no iteration gets there in finite time, and the result is inside
/// all the same.
#[test]
fn the_result_is_inside_even_where_the_iteration_does_not_converge() {
    let (ball, half) = (L2Ball::new(1.0).unwrap(), HalfSpace::new(vec![-1.0, 0.0], -1.0 + 1e-13).unwrap());
    // The cut off piece is 1e-13 high and some 4e-7 wide, far from the first common point that is found.
    let touching = Set::from(Intersection::new(2, vec![ball.into(), half.into()]).unwrap());
    for far in [[1.0, 1.0], [-3.0, 2.0], [0.0, 1e6]] {
        let p = projected(&touching, &far);
        assert!(dot(&p, &p).sqrt() <= 1.0 + 1e-15 && p[0] >= 1.0 - 3e-12, "{p:?}");
    }
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let (nodes, dim) = (60, 5);
    let shape = Shape { nodes, lanes: 7, dim };
    let sets = vec![L2Ball::new(0.4).unwrap().into(), HalfSpace::new(vec![1.0; dim], 0.1).unwrap().into()];
    let set = Set::from(Intersection::new(dim, sets).unwrap());
    let bundle = |threads| {
        let mut x = Rows::from_vec(shape, numbers(9, shape.len()));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| set.project(&mut x));
        x
    };
    let one = bundle(1);
    for threads in [2, 3, 4] {
        assert_eq!(bundle(threads).as_slice(), one.as_slice());
    }
    assert_eq!(one.row(3, 2), projected(&set, &numbers(9, shape.len())[(3 * 7 + 2) * dim..][..dim]));
}

fn one_of_each(dim: usize) -> Vec<Set> {
    let cuboid = Box::new(vec![-0.5; dim], vec![1.0; dim]).unwrap();
    let half = HalfSpace::new(vec![1.0; dim], 1.0).unwrap();
    let affine = Affine::new(vec![vec![1.0; dim]], vec![0.5]).unwrap();
    let ball = L2Ball::new(2.0).unwrap();
    let sets = vec![cuboid.clone().into(), half.clone().into(), ball.into()];
    vec![
        Set::Whole,
        ball.into(),
        cuboid.into(),
        Simplex::new(1.0).unwrap().into(),
        L1Ball::new(1.0).unwrap().into(),
        half.into(),
        affine.into(),
        Intersection::new(dim, sets).unwrap().into(),
    ]
}

#[test]
fn huge_tiny_and_equal_numbers_stay_finite_and_inside() {
    for set in one_of_each(3) {
        for x in [[1e300, -1e300, 1e300], [1e300; 3], [1e-300, -1e-310, 0.0], [-1e300, 1.0, 1.0], [0.0; 3], [7.0; 3]] {
            let p = projected(&set, &x);
            assert!(p.iter().all(|x| x.is_finite()), "{set:?}: {p:?}");
            assert!(dido_geometry::norm(&p) <= set.radius() * (1.0 + 1e-15), "{set:?}: {p:?}");
        }
    }
    let simplex = Set::from(Simplex::new(1.0).unwrap());
    assert_close(&projected(&simplex, &[1e300; 4]), &[0.25; 4], 1e-16, "ties");
    assert_close(&projected(&L1Ball::new(1.0).unwrap().into(), &[1e300, -1e300]), &[0.5, -0.5], 1e-16, "ties");
    assert_close(&projected(&L2Ball::new(5.0).unwrap().into(), &[3e300, -4e300]), &[3.0, -4.0], 1e-14, "ball");
}

#[test]
fn what_is_not_a_number_stays_so() {
    for set in one_of_each(2) {
        let p = projected(&set, &[f64::NAN, 0.5]);
        assert!(p[0].is_nan(), "{set:?}: {p:?}");
    }
}

#[test]
fn radii_are_attained() {
    let sets = [L2Ball::new(2.0).unwrap().into(), Simplex::new(2.0).unwrap().into(), L1Ball::new(2.0).unwrap().into()];
    for set in sets {
        let corner = projected(&set, &[9.0, 0.0, 0.0]);
        assert!((dido_geometry::norm(&corner) - set.radius()).abs() < 1e-15);
    }
    let radii: Vec<f64> = one_of_each(3)[5..].iter().map(Set::radius).collect();
    // The corner (1, 1, 1) of the box is nearer than the ball.
    assert_eq!(radii, [f64::INFINITY, f64::INFINITY, 3.0_f64.sqrt()]);
}
