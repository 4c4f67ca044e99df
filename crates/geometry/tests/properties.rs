//! Every set: a projection lands in the set, changes nothing twice, is the nearest point and is
//! non-expansive. Proptest draws 256 cases of each; the tolerances are thousands of times the rounding of sums of four
//! terms.

use dido_geometry::{Affine, Box, HalfSpace, Intersection, L1Ball, L2Ball, Set, Simplex};
use proptest::prelude::*;

const DIM: usize = 4;

/// What the points of a set satisfy, apart from the code under test.
#[derive(Clone, Debug)]
enum Fact {
    Norm(f64),
    Between(Vec<f64>, Vec<f64>),
    Probabilities(f64),
    Sizes(f64),
    Below(Vec<f64>, f64),
    Solves(Vec<Vec<f64>>, Vec<f64>),
}

impl Fact {
    fn set(self) -> Set {
        match self {
            Self::Norm(radius) => L2Ball::new(radius).unwrap().into(),
            Self::Between(lower, upper) => Box::new(lower, upper).unwrap().into(),
            Self::Probabilities(radius) => Simplex::new(radius).unwrap().into(),
            Self::Sizes(radius) => L1Ball::new(radius).unwrap().into(),
            Self::Below(normal, offset) => HalfSpace::new(normal, offset).unwrap().into(),
            Self::Solves(rows, offsets) => Affine::new(rows, offsets).unwrap().into(),
        }
    }

    /// By how much a point violates it.
    fn violation(&self, x: &[f64]) -> f64 {
        let largest = |values: Vec<f64>| values.into_iter().fold(0.0, f64::max);
        match self {
            Self::Norm(radius) => norm(x) - radius,
            Self::Between(lower, upper) => {
                largest(x.iter().zip(lower).zip(upper).map(|((x, l), u)| (l - x).max(x - u)).collect())
            }
            Self::Probabilities(radius) => {
                let negative = largest(x.iter().map(|x| -x).collect());
                negative.max((x.iter().sum::<f64>() - radius).abs())
            }
            Self::Sizes(radius) => x.iter().map(|x| x.abs()).sum::<f64>() - radius,
            Self::Below(normal, offset) => (dot(normal, x) - offset) / norm(normal),
            Self::Solves(rows, offsets) => {
                largest(rows.iter().zip(offsets).map(|(a, b)| (dot(a, x) - b).abs() / norm(a)).collect())
            }
        }
    }
}

/// A set and what its points satisfy.
#[derive(Clone, Debug)]
struct Case {
    set: Set,
    facts: Vec<Fact>,
}

fn point() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(prop_oneof![-2.0..2.0, -1e6..1e6], DIM)
}

fn near() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-20.0..20.0, DIM)
}

fn direction() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1.0..1.0, DIM).prop_filter("no direction", |v| norm(v) > 0.1)
}

/// Up to three equations. A dominant diagonal keeps them independent.
fn equations() -> impl Strategy<Value = Vec<Vec<f64>>> {
    prop::collection::vec(direction(), 1..4).prop_map(|mut rows| {
        rows.iter_mut().enumerate().for_each(|(k, row)| row[k] += 5.0);
        rows
    })
}

/// A fact that holds for `inside`, a point of the simplex, with room of `slack` where the set has an interior.
fn fact(inside: Vec<f64>, slack: f64) -> impl Strategy<Value = Fact> {
    let radius: f64 = inside.iter().sum();
    let (length, sizes) = (norm(&inside), inside.iter().map(|x| x.abs()).sum::<f64>());
    let (lower, upper) = (inside.iter().map(|x| x - slack).collect(), inside.iter().map(|x| x + slack).collect());
    let (a, b) = (inside.clone(), inside);
    prop_oneof![
        Just(Fact::Norm(length + slack)),
        Just(Fact::Between(lower, upper)),
        Just(Fact::Probabilities(radius)),
        Just(Fact::Sizes(sizes + slack)),
        direction().prop_map(move |normal| Fact::Below(normal.clone(), dot(&normal, &a) + slack)),
        equations().prop_map(move |rows| {
            let offsets = rows.iter().map(|row| dot(row, &b)).collect();
            Fact::Solves(rows, offsets)
        }),
    ]
}

fn facts(number: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Fact>> {
    let inside = prop::collection::vec(0.05..3.0, DIM);
    (inside, 0.01..2.0).prop_flat_map(move |(x, slack)| prop::collection::vec(fact(x, slack), number.clone()))
}

/// Sets with a closed form.
fn exact() -> impl Strategy<Value = Case> {
    let one = facts(1..2).prop_map(|facts| Case { set: facts[0].clone().set(), facts });
    prop_oneof![9 => one, 1 => Just(Case { set: Set::Whole, facts: vec![] })]
}

fn any_set() -> impl Strategy<Value = Case> {
    let several = facts(2..4).prop_map(|mut facts| {
        // All equations belong into one set.
        let mut solved = false;
        facts.retain(|fact| !matches!(fact, Fact::Solves(..)) || !std::mem::replace(&mut solved, true));
        let sets = facts.iter().map(|fact| fact.clone().set()).collect();
        Case { set: Intersection::new(DIM, sets).unwrap().into(), facts }
    });
    prop_oneof![2 => exact(), 1 => several]
}

fn projected(set: &Set, x: &[f64]) -> Vec<f64> {
    let mut y = x.to_vec();
    set.project_row(&mut y);
    y
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    norm(&x.iter().zip(y).map(|(x, y)| x - y).collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn a_projection_lands_in_the_set_and_is_idempotent(case in any_set(), x in point()) {
        let Case { set, facts } = case;
        let p = projected(&set, &x);
        let scale = 1.0 + norm(&p).min(set.radius());
        for fact in &facts {
            prop_assert!(fact.violation(&p) <= 1e-11 * scale, "{fact:?}: {}", fact.violation(&p));
        }
        prop_assert!(distance(&projected(&set, &p), &p) <= 1e-10 * scale);
        prop_assert!(norm(&p) <= set.radius() * (1.0 + 1e-14));
    }

    #[test]
    fn an_exact_projection_is_non_expansive(case in exact(), x in point(), y in point()) {
        prop_assert!(case.set.is_exact());
        let apart = distance(&projected(&case.set, &x), &projected(&case.set, &y));
        let rounding = 1e-14 * (norm(&x) + norm(&y));
        prop_assert!(apart <= distance(&x, &y) * (1.0 + 1e-12) + rounding);
    }

    /// Of an intersection, to what its iteration leaves undone.
    #[test]
    fn any_projection_is_nearly_non_expansive(case in any_set(), x in near(), y in near()) {
        let apart = distance(&projected(&case.set, &x), &projected(&case.set, &y));
        prop_assert!(apart <= distance(&x, &y) + 1e-8 * (norm(&x) + norm(&y)));
    }

    /// The variational inequality <x - p, z - p> <= 0 for all z of the set characterises the nearest point.
    #[test]
    fn a_projection_is_the_nearest_point(case in any_set(), x in near(), z in point()) {
        let p = projected(&case.set, &x);
        let z = projected(&case.set, &z);
        let inner: f64 = x.iter().zip(&p).zip(&z).map(|((x, p), z)| (x - p) * (z - p)).sum();
        prop_assert!(inner <= 1e-9 * (1.0 + distance(&x, &p)) * (1.0 + distance(&z, &p) + norm(&x)));
    }

    /// What is symmetric in its coordinates stays so; and the simplex takes off whatever all coordinates have in
    /// common.
    #[test]
    fn projections_have_the_symmetries_of_their_sets(x in point(), radius in 0.1..10.0, shift in -100.0..100.0) {
        let simplex = Set::from(Simplex::new(radius).unwrap());
        let reversed: Vec<f64> = x.iter().rev().copied().collect();
        let tolerance = 1e-13 * (1.0 + norm(&x));
        for set in [simplex.clone(), L2Ball::new(radius).unwrap().into(), L1Ball::new(radius).unwrap().into()] {
            let mut p = projected(&set, &reversed);
            p.reverse();
            prop_assert!(distance(&p, &projected(&set, &x)) <= tolerance);
        }
        let shifted: Vec<f64> = x.iter().map(|x| x + shift).collect();
        prop_assert!(distance(&projected(&simplex, &shifted), &projected(&simplex, &x)) <= 1e-13 * (100.0 + norm(&x)));
    }

    /// Scaling by a power of two changes no digit, so balls, simplices and their projections scale with it exactly.
    #[test]
    fn projections_scale_with_their_sets(x in point(), radius in 0.1..10.0, exponent in -20..20) {
        let s = f64::from(exponent).exp2();
        let scaled: Vec<f64> = x.iter().map(|x| s * x).collect();
        let sets: [fn(f64) -> Set; 3] = [
            |r| L2Ball::new(r).unwrap().into(),
            |r| Simplex::new(r).unwrap().into(),
            |r| L1Ball::new(r).unwrap().into(),
        ];
        for set in sets {
            let expected: Vec<f64> = projected(&set(radius), &x).iter().map(|x| s * x).collect();
            prop_assert_eq!(projected(&set(s * radius), &scaled), expected);
        }
    }
}
