//! Accountants of discrete noise, against sums over the integers and against values computed elsewhere: see `fixtures`.

use dido_mechanisms::accountants::{Accountant, Best, Gdp, Pld, Pure, Rdp, Zcdp, rho_of_sum, tau_of_sum};
use dido_mechanisms::{Adjacency, Adversary, Base, Discrete, Event, Grid, Ledger, Norm, Sampling, Sensitivity};
use serde_json::Value;

const RELATION: Adjacency = Adjacency::AddRemoveRecord;

fn rows(name: &str) -> Vec<Vec<f64>> {
    let table: Value = serde_json::from_str(include_str!("fixtures/discrete_events.json")).unwrap();
    serde_json::from_value(table[name].clone()).unwrap()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole numbers of the tables")]
fn whole(x: f64) -> u64 {
    x as u64
}

fn noise(scale: u64, sensitivity: u64, norm: Norm, dim: usize) -> Discrete {
    Discrete { grid: Grid::new(0).unwrap(), scale, sensitivity, norm, dim, adjacency: RELATION }
}

fn laplace(scale: f64, sensitivity: f64) -> Event {
    Event::DiscreteLaplace(noise(whole(scale), whole(sensitivity), Norm::L1, 3))
}

fn gaussian(scale: f64, sensitivity: f64) -> Event {
    Event::DiscreteGaussian(noise(whole(scale), whole(sensitivity), Norm::L2, 1))
}

fn ledger(event: Event, releases: f64) -> Ledger {
    Ledger::of(RELATION, Adversary::AllMessages, [(event, whole(releases))])
}

/// Upper and lower bounds.
fn interval(accountant: &impl Accountant, ledger: &Ledger, delta: f64) -> (f64, f64) {
    let bound = accountant.bound(ledger, delta).unwrap();
    (bound.epsilon, bound.lower.unwrap())
}

#[test]
fn the_delta_of_discrete_laplace_noise_is_exact() {
    let table = rows("laplace_delta");
    for row in &table {
        let &[scale, sensitivity, epsilon, delta] = row.as_slice() else { panic!("four columns") };
        let (upper, lower) = interval(&Pld, &ledger(laplace(scale, sensitivity), 1.0), delta);
        assert!(upper >= epsilon * (1.0 - 1e-12) && upper <= epsilon + 2e-4, "{row:?}: {upper}");
        assert!(lower <= epsilon + 1e-12 && lower >= epsilon - 2e-4, "{row:?}: {lower}");
        let pure = Pure.bound(&ledger(laplace(scale, sensitivity), 1.0), 0.0).unwrap().epsilon;
        assert!((pure - sensitivity / scale).abs() < 1e-15 && pure >= sensitivity / scale);
    }
    assert_eq!(table.len(), 24);
}

#[test]
fn compositions_of_discrete_laplace_noise_agree_with_the_table() {
    let table = rows("laplace_composition");
    for row in &table {
        let &[scale, sensitivity, releases, delta, expected] = row.as_slice() else { panic!("five columns") };
        let (upper, lower) = interval(&Pld, &ledger(laplace(scale, sensitivity), releases), delta);
        assert!(upper <= expected * (1.0 + 1e-5) + 1e-6 && upper >= expected * (1.0 - 2e-3), "{row:?}: {upper}");
        assert!(lower <= expected && lower >= upper * (1.0 - 1e-4), "{row:?}: {lower} {upper}");
    }
    assert_eq!(table.len(), 24);
}

/// The divergence of one order, from the epsilon of many releases at a delta where the terms of the order are small.
fn divergence(event: Event, order: f64) -> f64 {
    let (releases, delta) = (1e9, 0.5_f64.powf(order));
    let shift = (1.0 - 1.0 / order).ln() - (delta.ln() + order.ln()) / (order - 1.0);
    let rdp = Rdp::with_orders(vec![order]).unwrap();
    (rdp.bound(&ledger(event, releases), delta).unwrap().epsilon - shift) / releases
}

#[test]
fn divergences_of_discrete_laplace_noise_agree_with_high_precision() {
    let table = rows("laplace_renyi");
    for row in &table {
        let &[scale, order, expected] = row.as_slice() else { panic!("three columns") };
        let found = divergence(laplace(scale, 1.0), order);
        assert!((found / expected - 1.0).abs() < 1e-9, "{row:?}: {found}");
    }
    assert_eq!(table.len(), 8);
}

/// Two coordinates that move by 3 and 2 steps, by brute force: within the bounds for an L1 length of 5 and an L2
/// length of 4.
#[test]
fn a_vector_is_no_worse_than_one_coordinate_that_moves_by_all_of_it() {
    let scale = 4.0_f64;
    let weight = |x: i32| (-f64::from(x.abs()) / scale).exp();
    let total: f64 = (-300..=300).map(weight).sum();
    let one = |d: i32, order: f64| {
        let term = |x: i32| (weight(x) / weight(x - d)).powf(order - 1.0) * weight(x) / total;
        (-300..=300).map(term).sum::<f64>().ln() / (order - 1.0)
    };
    for order in [1.1, 2.0, 7.5, 40.0] {
        let both = one(3, order) + one(2, order);
        for (sensitivity, norm) in [(5, Norm::L1), (4, Norm::L2)] {
            let bound = divergence(Event::DiscreteLaplace(noise(4, sensitivity, norm, 2)), order);
            assert!(bound >= both * (1.0 - 1e-9) && bound < 2.5 * both, "{order} {norm:?}: {bound} {both}");
        }
    }
}

#[test]
fn the_epsilon_of_discrete_gaussian_noise_is_exact() {
    let table = rows("gaussian_epsilon");
    for row in &table {
        let &[sigma, sensitivity, delta, exact] = row.as_slice() else { panic!("four columns") };
        let ledger = ledger(gaussian(sigma, sensitivity), 1.0);
        let (upper, lower) = interval(&Pld, &ledger, delta);
        assert!(upper >= exact * (1.0 - 1e-12) && upper <= exact * (1.0 + 2e-4), "{row:?}: {upper}");
        assert!(lower <= exact * (1.0 + 1e-12) && lower >= exact * (1.0 - 5e-4), "{row:?}: {lower}");
        let zcdp = Zcdp::default().bound(&ledger, delta).unwrap().epsilon;
        assert!(zcdp > exact, "{row:?}: {zcdp}");
        assert!(Best.bound(&ledger, delta).unwrap().epsilon <= upper);
    }
    assert_eq!(table.len(), 16);
}

#[test]
fn compositions_of_discrete_gaussian_noise_agree_with_the_table() {
    let table = rows("gaussian_composition");
    for row in &table {
        let &[sigma, releases, delta, expected] = row.as_slice() else { panic!("four columns") };
        let (upper, lower) = interval(&Pld, &ledger(gaussian(sigma, 1.0), releases), delta);
        assert!((upper / expected - 1.0).abs() < 1e-3, "{row:?}: {upper}");
        assert!(lower <= expected && lower >= upper * (1.0 - 1e-3), "{row:?}: {lower} {upper}");
    }
    assert_eq!(table.len(), 8);
}

/// Wide noise, and vectors that are short in L2: continuous noise of a variance that is smaller by 9, and not by less
/// than the same vector costs if one coordinate moves alone.
#[test]
fn wide_noise_and_vectors_are_bounded_by_continuous_noise() {
    let delta = 1e-6;
    for (scale, sensitivity, dim) in [(1 << 20, 1 << 19, 1000), (1025, 2000, 3), (100, 40, 50), (12, 7, 9)] {
        let event = Event::DiscreteGaussian(noise(scale, sensitivity, Norm::L2, dim));
        let ledger = ledger(event, 4.0);
        let continuous = |variance: f64| {
            let mu = sensitivity as f64 * (4.0 / (variance + (scale as f64).powi(2))).sqrt();
            dido_mechanisms::accountants::epsilon_of_mu(mu, delta).unwrap()
        };
        let (upper, lower) = interval(&Pld, &ledger, delta);
        assert!(upper >= continuous(-9.0) && upper <= continuous(-9.0) * (1.0 + 2e-4), "{scale}: {upper}");
        assert!(lower >= continuous(9.0) * (1.0 - 1e-3) && lower <= upper, "{scale}: {lower}");
        let gdp = Gdp.bound(&ledger, delta);
        assert_eq!(gdp.is_ok(), scale > 1024);
        if let Ok(gdp) = gdp {
            assert!(gdp.epsilon >= continuous(-9.0) && gdp.epsilon <= continuous(-9.0) * (1.0 + 1e-9));
            assert!(gdp.lower.unwrap() <= continuous(9.0));
        }
    }
}

/// By brute force over the plane, for moves in all directions: the curve that is used for vectors is above.
#[test]
fn the_curve_of_vectors_is_above_all_of_theirs() {
    let scale = 5.0_f64;
    let weight = |x: i32| (-0.5 * (f64::from(x) / scale).powi(2)).exp();
    let total: f64 = (-60..=60).map(weight).sum();
    for move_by in [[5, 0], [4, 3], [3, 4], [3, 3], [2, 4]] {
        let event = Event::DiscreteGaussian(noise(5, 5, Norm::L2, 2));
        for epsilon in [0.0_f64, 0.3, 1.0, 3.0] {
            let mut delta = 0.0;
            for x in -60..=60 {
                for y in -60..=60 {
                    let p = weight(x) * weight(y);
                    let q = weight(x - move_by[0]) * weight(y - move_by[1]);
                    delta += (p - epsilon.exp() * q).max(0.0) / (total * total);
                }
            }
            let bound = Pld.bound_at_epsilon(&ledger(event, 1.0), epsilon).unwrap().delta;
            assert!(
                bound >= delta && (bound < 10.0 * delta || epsilon > 1.0),
                "{move_by:?} {epsilon}: {bound} {delta}"
            );
        }
    }
}

/// On a Poisson sample, one release: the mixture summed over the integers, both directions.
#[test]
fn sampled_discrete_noise_is_its_mixture() {
    let rate = 0.2;
    for (base, weight) in [
        (Base::DiscreteLaplace(noise(3, 4, Norm::L1, 1)), (|x: f64| (-x.abs() / 3.0).exp()) as fn(f64) -> f64),
        (Base::DiscreteGaussian(noise(3, 4, Norm::L1, 1)), |x: f64| (-0.5 * (x / 3.0).powi(2)).exp()),
    ] {
        let event = Event::Sampled { sampling: Sampling::Poisson { rate }, base };
        let laws: Vec<(f64, f64)> = (-200..=200)
            .map(|x| (weight(f64::from(x)), weight(f64::from(x) - 4.0)))
            .map(|(p, q)| (rate * p + (1.0 - rate) * q, q))
            .collect();
        let total: f64 = laws.iter().map(|law| law.1).sum();
        let curve = |epsilon: f64| {
            let remove: f64 = laws.iter().map(|(p, q)| (p - epsilon.exp() * q).max(0.0)).sum();
            let add: f64 = laws.iter().map(|(p, q)| (q - epsilon.exp() * p).max(0.0)).sum();
            remove.max(add) / total
        };
        for epsilon in [0.05, 0.2, 0.4] {
            let exact = curve(epsilon);
            let (upper, lower) = interval(&Pld, &ledger(event, 1.0), exact);
            assert!(upper >= epsilon * (1.0 - 1e-9) && upper <= epsilon * 1.001, "{base:?} {epsilon}: {upper}");
            assert!(lower <= epsilon * (1.0 + 1e-9) && lower >= epsilon * 0.98, "{base:?} {epsilon}: {lower}");
            let rdp = Rdp::default().bound(&ledger(event, 1.0), exact).unwrap().epsilon;
            assert!(rdp >= epsilon, "{base:?} {epsilon}: {rdp}");
        }
    }
}

#[test]
fn sensitivities_are_whole_steps_on_the_safe_side() {
    let grid = Grid::new(-2).unwrap();
    let steps = |value: f64, norm: Norm, dim: usize| {
        let sensitivity = Sensitivity::new(value, norm, RELATION).unwrap();
        Discrete::new(grid, 8, sensitivity, dim).map(|noise| noise.sensitivity)
    };
    assert_eq!(steps(1.3, Norm::L1, 7), Ok(5));
    assert_eq!(steps(1.3, Norm::L2, 1), Ok(5));
    assert_eq!(steps(1.3, Norm::L2, 7), Ok(6));
    assert_eq!(steps(1.25, Norm::L2, 7), Ok(5));
    assert!(steps(1.0, Norm::L1, 0).is_err() && steps(1e300, Norm::L1, 1).is_err());
    // In 7 coordinates an L2 length of 6 steps is at most 15.87 in L1, and of 2 steps at most 4, its square.
    let pure = |sensitivity| {
        let event = Event::DiscreteLaplace(noise(1, sensitivity, Norm::L2, 7));
        Pure.bound(&ledger(event, 1.0), 0.0).unwrap().epsilon
    };
    assert!((pure(6) - 15.0).abs() < 1e-12 && (pure(2) - 4.0).abs() < 1e-12);
}

#[test]
fn the_events_survive_a_file() {
    for event in [laplace(3.0, 2.0), gaussian(5.0, 1.0)] {
        let json = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::from_str::<Event>(&json).unwrap(), event, "{json}");
        let odd = json.replace(r#""grid":0"#, r#""grid":5000"#);
        assert!(odd != json && serde_json::from_str::<Event>(&odd).is_err());
    }
}

#[test]
fn the_tau_of_sums_agrees_with_the_table() {
    let table = rows("sums");
    for row in &table {
        let &[sigma, count, tau] = row.as_slice() else { panic!("three columns") };
        let found = tau_of_sum(sigma, whole(count)).unwrap();
        assert!((found / tau - 1.0).abs() < 1e-12, "{row:?}: {found}");
    }
    assert_eq!(table.len(), 4);
    assert!(tau_of_sum(1.0, 1).unwrap().abs() <= 0.0);
    assert!(tau_of_sum(0.4, 2).is_err() && tau_of_sum(f64::NAN, 2).is_err() && tau_of_sum(1.0, 0).is_err());
    let long = tau_of_sum(1.0, 1 << 40).unwrap();
    assert!((long / (10.0 * (2_f64.powi(40)) * (-2.0 * std::f64::consts::PI.powi(2)).exp()) - 1.0).abs() < 1e-4);
}

/// Sums of three draws, convolved over the integers: below the bound for every order, and for narrow noise above what
/// the ideal law would give.
#[test]
fn sums_are_within_their_bound() {
    for (sigma, above_ideal) in [(0.5_f64, true), (0.7, true), (1.5, false)] {
        let law: Vec<f64> = (-40..=40).map(|x| (-0.5 * (f64::from(x) / sigma).powi(2)).exp()).collect();
        let convolve = |a: &[f64], b: &[f64]| {
            let mut sum = vec![0.0; a.len() + b.len() - 1];
            for (i, x) in a.iter().enumerate() {
                for (j, y) in b.iter().enumerate() {
                    sum[i + j] += x * y;
                }
            }
            sum
        };
        let sum = convolve(&convolve(&law, &law), &law);
        let total: f64 = sum.iter().sum();
        let rho = rho_of_sum(1.0, 1, sigma, 3).unwrap();
        let ideal = 1.0 / (6.0 * sigma * sigma);
        let mut worst: f64 = 0.0;
        for order in [1.01, 1.5, 2.5, 4.0, 10.0_f64] {
            let terms = sum.windows(2).filter(|pair| pair[0] > 1e-200 && pair[1] > 1e-200);
            let moment: f64 = terms.map(|pair| pair[0] * (pair[0] / pair[1]).powf(order - 1.0)).sum();
            let divergence = (moment / total).ln() / (order - 1.0);
            assert!(divergence <= order * rho, "{sigma} {order}: {divergence} {rho}");
            worst = worst.max(divergence / (order * ideal));
        }
        assert_eq!(worst > 1.0 + 1e-6, above_ideal, "{sigma}: {worst}");
    }
}
