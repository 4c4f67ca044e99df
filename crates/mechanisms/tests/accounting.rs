//! Accountants against values computed elsewhere: paper A's schedule, and tables of compositions computed with other
//! implementations in high precision.

use dido_mechanisms::accountants::{Accountant, Conversion, Pure, Zcdp, epsilon_of_rho};
use dido_mechanisms::calibrate::laplace_multiplier;
use dido_mechanisms::least_squares::{PublishedTheorem, l2_sensitivity, published_epsilon};
use dido_mechanisms::{Adjacency, Adversary, Budget, Entry, Event, Filter, Ledger, MechanismError, Norm, Sensitivity};

const OPTIMAL: Zcdp = Zcdp { conversion: Conversion::Optimal };
const SIMPLE: Zcdp = Zcdp { conversion: Conversion::Simple };

fn laplace(value: f64, norm: Norm, dim: usize, scale: f64) -> Event {
    let sensitivity = Sensitivity::new(value, norm, Adjacency::ReplaceNode).unwrap();
    Event::Laplace { sensitivity, dim, scale }
}

/// Two nodes of one class with these releases, one a round.
fn ledger(events: impl IntoIterator<Item = Event>) -> Ledger {
    let mut ledger = Ledger::new(Adjacency::ReplaceNode, Adversary::AllMessages, &[0, 0]);
    ledger.classes[0].entries =
        (0..).zip(events).map(|(round, event)| Entry { first: round, last: round, releases: 1, event }).collect();
    ledger
}

fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs(), "{found}, expected {expected}");
}

/// Paper A's schedule: T rounds leak through the T - 1 releases after the first.
struct Schedule {
    step: (f64, f64, f64),
    noise: (f64, f64, f64),
    rounds: u32,
}

impl Schedule {
    fn ledger(&self) -> Ledger {
        let gradient = l2_sensitivity(Adjacency::ReplaceNode, 1.0, 1.0, 1.0, 3).unwrap();
        let power = |(c, d, e): (f64, f64, f64), t: u32| c / (f64::from(t) + d).powf(e);
        ledger((0..self.rounds - 1).map(|t| Event::Laplace {
            sensitivity: gradient.scaled(power(self.step, t)),
            dim: 3,
            scale: power(self.noise, t + 1),
        }))
    }

    fn pure(&self) -> f64 {
        Pure.bound(&self.ledger(), 0.0).unwrap().epsilon
    }

    fn published(&self) -> f64 {
        published_epsilon(&PublishedTheorem {
            x_bound: 1.0,
            y_bound: 1.0,
            radius: 1.0,
            dim: 3,
            nodes: 4,
            rows: 10,
            step_over_noise: self.step.0 / self.noise.0,
            rounds: self.rounds as usize,
        })
    }
}

const GOLDEN: Schedule = Schedule { step: (0.1, 10.0, 0.8), noise: (2.0, 5.0, 0.6), rounds: 50 };

/// A3.
#[test]
fn the_golden_schedule_of_paper_a() {
    assert_close(l2_sensitivity(Adjacency::ReplaceNode, 1.0, 1.0, 1.0, 3).unwrap().value, 2.598_076_211_4, 1e-10);
    assert_close(GOLDEN.pure(), 5.039_252_665_5, 1e-10);
    assert_close(GOLDEN.published(), 244.508_915, 1e-8);
    let optimal = OPTIMAL.bound(&GOLDEN.ledger(), 1e-6).unwrap();
    assert_close(optimal.epsilon, 1.979_796, 3e-7);
    assert_close(SIMPLE.bound(&GOLDEN.ledger(), 1e-6).unwrap().epsilon, 2.273_133, 3e-7);
    assert_close(epsilon_of_rho(0.086_520_046_5, 1e-6).unwrap(), optimal.epsilon, 1e-9);
    assert_eq!((optimal.method.as_str(), optimal.node), ("zcdp", 0));
}

/// A5: one round costs nothing.
#[test]
fn the_first_round_is_free() {
    assert!(Schedule { rounds: 1, ..GOLDEN }.pure().abs() <= 0.0);
}

/// A4: the published constant is a bound where its silent condition holds, and none where it does not.
#[test]
fn the_published_constant_needs_noise_that_decays_no_faster_than_the_step() {
    for rounds in [2, 50, 1000] {
        let slow = Schedule { rounds, ..GOLDEN };
        assert!(slow.pure() <= slow.published());
    }
    let fast = Schedule { step: (0.1, 2.0, 0.1), noise: (2.0, 1.0, 2.0), rounds: 100 };
    assert!(fast.pure() > fast.published());
}

/// A6: m = 1, k = 1, T = 4; the log-density ratio at a point attains the sum of the losses. The releases are
/// `f(t+1) = p(t) - alpha(t) G(p(t)) + noise`, and `f = 50` projects to the bound B.
#[test]
fn the_sum_is_attained_by_an_output() {
    let (x_bound, y_bound, radius) = (1.3, 0.7, 0.9);
    let (step, noise) = ([0.1, 0.08, 0.07], [0.5, 0.45, 0.4]);
    let pair = dido_mechanisms::least_squares::worst_case_pair(x_bound, y_bound, radius, 1).unwrap();
    let loss: f64 = (0..3)
        .map(|t| {
            let mean = |(x, y): &(Vec<f64>, f64)| radius - step[t] * x[0] * (x[0] * radius - y);
            ((50.0 - mean(&pair.record)).abs() - (50.0 - mean(&pair.other)).abs()) / noise[t]
        })
        .sum();
    let gradient = l2_sensitivity(Adjacency::ReplaceNode, x_bound, y_bound, radius, 1).unwrap();
    let events = (0..3).map(|t| Event::Laplace { sensitivity: gradient.scaled(step[t]), dim: 1, scale: noise[t] });
    let bound = Pure.bound(&ledger(events), 0.0).unwrap().epsilon;
    assert_close(bound, 1.419_041_975_3, 1e-10);
    assert_close(loss.abs(), bound, 1e-12);
}

/// Compositions of Laplace releases: pure sum and zCDP of the sum of squared epsilons, optimal conversion.
#[test]
fn laplace_compositions_agree_with_the_table() {
    let table: Vec<serde_json::Value> = serde_json::from_str(include_str!("laplace_compositions.json")).unwrap();
    for row in &table {
        let number = |name: &str| row[name].as_f64().unwrap();
        let (first, ratio, count) = (number("first"), number("ratio"), row["releases"].as_u64().unwrap());
        let events = (0..count).map(|t| laplace(first * ratio.powf(t as f64), Norm::L1, 1, 1.0));
        let ledger = ledger(events);
        assert_close(Pure.bound(&ledger, 0.0).unwrap().epsilon, number("pure"), 1e-12);
        assert_close(OPTIMAL.bound(&ledger, number("delta")).unwrap().epsilon, number("zcdp"), 1e-9);
    }
    assert!(table.len() >= 8);
}

/// From rho to epsilon: computed in high precision for compositions of Gaussian releases (delta 1e-5 and 1e-6).
#[test]
fn both_conversions_agree_with_the_table() {
    let table: Vec<[f64; 4]> = serde_json::from_str(include_str!("zcdp_conversions.json")).unwrap();
    for [rho, delta, optimal, simple] in &table {
        assert_close(epsilon_of_rho(*rho, *delta).unwrap(), *optimal, 1e-9);
        let event = laplace((2.0 * rho).sqrt(), Norm::L2, 5, 1.0);
        assert_close(SIMPLE.bound(&ledger([event]), *delta).unwrap().epsilon, *simple, 1e-12);
    }
    assert!(table.len() >= 8);
}

/// 100 coordinates, each within 1: the L1 sensitivity is 100 and the L2 sensitivity 10, which gives the same epsilon.
#[test]
fn the_l1_norm_is_what_pure_epsilon_pays() {
    for event in [laplace(100.0, Norm::L1, 100, 100.0), laplace(10.0, Norm::L2, 100, 100.0)] {
        assert_close(Pure.bound(&ledger([event]), 0.0).unwrap().epsilon, 1.0, 1e-15);
    }
    // zCDP pays the L2 norm, and gets no smaller one from an L1 bound.
    let rho = |event| epsilon_of_rho(event, 1e-6).unwrap();
    let spent = |event| OPTIMAL.bound(&ledger([event]), 1e-6).unwrap().epsilon;
    assert_close(spent(laplace(10.0, Norm::L2, 100, 100.0)), rho(0.005), 1e-14);
    assert_close(spent(laplace(100.0, Norm::L1, 100, 100.0)), rho(0.5), 1e-14);
}

#[test]
fn a_run_of_equal_releases_counts_each_of_them() {
    let mut run = ledger([laplace(0.1, Norm::L1, 1, 1.0)]);
    run.classes[0].entries[0].releases = 1000;
    assert_close(Pure.bound(&run, 0.0).unwrap().epsilon, 100.0, 1e-13);
}

#[test]
fn the_worst_class_gives_the_bound_and_names_its_node() {
    let mut ledger = Ledger::new(Adjacency::ReplaceNode, Adversary::Neighbour(1), &[0, 1, 1, 3]);
    let entry = |event| Entry { first: 0, last: 0, releases: 1, event };
    ledger.classes[0].entries.push(entry(laplace(1.0, Norm::L1, 1, 1.0)));
    ledger.classes[1].entries.push(entry(laplace(3.0, Norm::L1, 1, 1.0)));
    let bound = Pure.bound(&ledger, 0.5).unwrap();
    assert_eq!((bound.node, bound.adversary, bound.adjacency), (1, Adversary::Neighbour(1), Adjacency::ReplaceNode));
    assert_close(bound.epsilon, 3.0, 0.0);
    assert!(bound.delta.abs() <= 0.0);
}

#[test]
fn without_noise_there_is_no_guarantee_and_json_says_so() {
    for event in [Event::NonPrivate, laplace(1.0, Norm::L1, 1, 0.0)] {
        for accountant in [&Pure as &dyn Accountant, &OPTIMAL, &SIMPLE] {
            let bound = accountant.bound(&ledger([laplace(1.0, Norm::L1, 1, 1.0), event]), 1e-6).unwrap();
            assert!(bound.epsilon.is_infinite());
            let json = serde_json::to_string(&bound).unwrap();
            assert!(json.contains(r#""epsilon":"inf""#), "{json}");
            assert_eq!(serde_json::from_str::<dido_mechanisms::accountants::Bound>(&json).unwrap(), bound);
        }
    }
    let finite = Pure.bound(&ledger([laplace(0.1, Norm::L1, 1, 1.0)]), 0.0).unwrap();
    let json = serde_json::to_string(&finite).unwrap();
    assert!(json.contains(r#""epsilon":0.1"#), "{json}");
    assert_eq!(serde_json::from_str::<dido_mechanisms::accountants::Bound>(&json).unwrap(), finite);
    let odd = json.replace("0.1", r#""lots""#);
    assert!(serde_json::from_str::<dido_mechanisms::accountants::Bound>(&odd).is_err());
}

#[test]
fn what_makes_no_sense_is_refused() {
    let errors = |event: Event| {
        let ledger = ledger([event]);
        [Pure.bound(&ledger, 1e-6).unwrap_err(), OPTIMAL.bound(&ledger, 1e-6).unwrap_err()]
    };
    for scale in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(errors(laplace(1.0, Norm::L1, 1, scale)).iter().all(|e| matches!(e, MechanismError::Scale(_))));
    }
    assert!(errors(laplace(1.0, Norm::L2, 0, 1.0)).iter().all(|e| *e == MechanismError::NoCoordinates));
    for value in [-1.0, f64::NAN, f64::INFINITY] {
        let sensitivity = Sensitivity { value, norm: Norm::L2, adjacency: Adjacency::ReplaceNode };
        let event = Event::Laplace { sensitivity, dim: 1, scale: 1.0 };
        assert!(errors(event).iter().all(|e| matches!(e, MechanismError::Sensitivity(_))));
    }
    let sensitivity = Sensitivity { value: 1.0, norm: Norm::L2, adjacency: Adjacency::AddRemoveRecord };
    let other = Event::Laplace { sensitivity, dim: 1, scale: 1.0 };
    assert!(errors(other).iter().all(|e| matches!(e, MechanismError::Adjacency { .. })));
    let nobody = Ledger::new(Adjacency::ReplaceNode, Adversary::AllMessages, &[]);
    assert_eq!(Pure.bound(&nobody, 0.0), Err(MechanismError::NoNodes));
    for delta in [0.0, 1.0, f64::NAN] {
        assert!(matches!(OPTIMAL.bound(&GOLDEN.ledger(), delta), Err(MechanismError::Delta(_))));
        assert!(matches!(SIMPLE.bound(&GOLDEN.ledger(), delta), Err(MechanismError::Delta(_))));
    }
}

/// Budgets and ratios at the ends of the number range: the search for a multiplier ends, and what it finds passes.
#[test]
fn calibration_ends_at_the_extremes() {
    let mut passed = 0;
    for epsilon in [1e-300, 1e-9, 1.0, 1e9, 1e150, 1e308] {
        for delta in [0.0, 1e-300, 1e-5, 0.999] {
            for ratio in [1e-300, 1e-150, 1.0, 1e150] {
                let budget = Budget::new(epsilon, delta).unwrap();
                // Some combinations need a scale beyond the numbers: they are refused.
                let Ok(multiplier) = laplace_multiplier(&[ratio; 3], 2, budget) else { continue };
                let sensitivity = Sensitivity::new(ratio, Norm::L2, Adjacency::ReplaceRecord).unwrap();
                let mut filter = Filter::new(budget);
                for _ in 0..3 {
                    let event = Event::Laplace { sensitivity, dim: 2, scale: multiplier };
                    filter
                        .charge(&event)
                        .unwrap_or_else(|e| panic!("epsilon {epsilon} delta {delta} ratio {ratio}: {e}"));
                }
                passed += 1;
            }
        }
    }
    assert!(passed > 60, "{passed} of 96");
}

/// Small budgets, where the conversion subtracts numbers of like size: what the accountant reports never exceeds them.
#[test]
fn calibrated_noise_keeps_the_smallest_budgets() {
    for exponent in -9..=3 {
        for digits in [1.0, 2.3, 7.7] {
            let epsilon = digits * 10_f64.powi(exponent);
            let budget = Budget::new(epsilon, 1e-5).unwrap();
            let ratios = [0.3; 427];
            let scale = laplace_multiplier(&ratios, 9, budget).unwrap();
            let spent = OPTIMAL.bound(&ledger(ratios.map(|r| laplace(r, Norm::L2, 9, scale))), 1e-5).unwrap().epsilon;
            assert!(spent <= epsilon, "{spent} > {epsilon}");
            assert!(spent >= 0.999 * epsilon || epsilon < 1e-7, "{spent} wastes {epsilon}");
        }
    }
}
