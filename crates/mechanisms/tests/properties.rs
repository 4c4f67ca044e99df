//! What must hold for all budgets and all lists of releases.

use dido_mechanisms::accountants::{Accountant, Conversion, Pure, Zcdp};
use dido_mechanisms::calibrate::laplace_multiplier;
use dido_mechanisms::{Adjacency, Adversary, Budget, Entry, Event, Filter, Ledger, MechanismError, Norm, Sensitivity};
use proptest::prelude::*;

const DELTA: f64 = 1e-6;

fn accountants() -> [Box<dyn Accountant>; 3] {
    let zcdp = |conversion| Box::new(Zcdp { conversion });
    [Box::new(Pure), zcdp(Conversion::Optimal), zcdp(Conversion::Simple)]
}

fn laplace(sensitivity: f64, dim: usize, scale: f64) -> Event {
    let sensitivity = Sensitivity::new(sensitivity, Norm::L2, Adjacency::ReplaceRecord).unwrap();
    Event::Laplace { sensitivity, dim, scale }
}

fn ledger(events: &[Event]) -> Ledger {
    let mut ledger = Ledger::new(Adjacency::ReplaceRecord, Adversary::AllMessages, &[0]);
    let entry = |(round, &event)| Entry { first: round, last: round, releases: 1, event };
    ledger.classes[0].entries = (0..).zip(events).map(entry).collect();
    ledger
}

/// By how much two epsilons that should be ordered may be out of order: the rounding of the conversion from rho.
fn rounding(epsilon: f64) -> f64 {
    1e-13 * (1.0 + epsilon)
}

fn positive() -> impl Strategy<Value = f64> {
    (-6.0..6.0).prop_map(|exponent: f64| 10_f64.powf(exponent))
}

fn budget() -> impl Strategy<Value = Budget> {
    let delta = prop_oneof![Just(0.0), (-12.0..-0.1).prop_map(|e: f64| 10_f64.powf(e))];
    ((-3.0..3.0).prop_map(|e: f64| 10_f64.powf(e)), delta)
        .prop_map(|(epsilon, delta)| Budget::new(epsilon, delta).unwrap())
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = (positive(), 1_usize..100, positive()).prop_map(|(s, dim, scale)| laplace(s, dim, scale));
    prop::collection::vec(event, 1..20)
}

proptest! {
    /// Less noise, or more to hide, is never reported as less spent.
    #[test]
    fn epsilon_falls_with_the_scale_and_rises_with_the_sensitivity(
        before in events(), s in positive(), dim in 1_usize..100, scale in positive(), more in 1.0..10.0,
    ) {
        for accountant in accountants() {
            let epsilon = |event| accountant.bound(&ledger(&[&before[..], &[event]].concat()), DELTA).unwrap().epsilon;
            let here = epsilon(laplace(s, dim, scale));
            prop_assert!(epsilon(laplace(s, dim, scale * more)) <= here + rounding(here));
            prop_assert!(epsilon(laplace(s * more, dim, scale)) >= here - rounding(here));
            prop_assert!(epsilon(laplace(s, dim + 1, scale)) >= here - rounding(here));
        }
    }

    /// Each release costs something, a smaller delta costs more, and asking changes nothing.
    #[test]
    fn epsilon_rises_with_releases_and_falls_with_delta(events in events()) {
        for accountant in accountants() {
            let mut last = 0.0;
            for count in 1..=events.len() {
                let ledger = ledger(&events[..count]);
                let bound = accountant.bound(&ledger, DELTA).unwrap();
                prop_assert!(bound.epsilon >= last - rounding(last));
                prop_assert!(accountant.bound(&ledger, DELTA / 10.0).unwrap().epsilon >= bound.epsilon - rounding(bound.epsilon));
                prop_assert_eq!(accountant.bound(&ledger, DELTA).unwrap(), bound.clone());
                last = bound.epsilon;
            }
        }
    }

    /// A filter lets through what the accountant finds within the budget, and nothing else; a refusal costs nothing.
    #[test]
    fn a_filter_agrees_with_the_accountant(budget in budget(), events in events()) {
        let spent = |events: &[Event]| {
            let ledger = ledger(events);
            if budget.delta() > 0.0 {
                Zcdp::default().bound(&ledger, budget.delta()).unwrap().epsilon
            } else {
                Pure.bound(&ledger, 0.0).unwrap().epsilon
            }
        };
        let mut filter = Filter::new(budget);
        let mut passed = vec![];
        for event in events {
            let before = filter.clone();
            match filter.charge(&event) {
                Ok(()) => {
                    passed.push(event);
                    prop_assert!(filter.spent() >= before.spent());
                }
                Err(error) => {
                    let overspent = matches!(error, MechanismError::Overspent { .. });
                    prop_assert!(overspent);
                    prop_assert_eq!(&filter, &before);
                    let with = [&passed[..], &[event]].concat();
                    prop_assert!(spent(&with) > budget.epsilon() * (1.0 - 1e-9));
                }
            }
            prop_assert!(filter.remaining() >= 0.0);
            prop_assert!(spent(&passed) <= budget.epsilon() * (1.0 + 1e-9));
        }
    }

    /// Calibrated releases pass, with real sensitivities and scales in place of their quotients, and spend nearly all.
    #[test]
    fn calibrated_noise_keeps_the_budget_and_wastes_little(
        budget in budget(), dim in 1_usize..1000, releases in prop::collection::vec((positive(), positive()), 1..200),
    ) {
        let ratios: Vec<f64> = releases.iter().map(|(sensitivity, scale)| sensitivity / scale).collect();
        let multiplier = laplace_multiplier(&ratios, dim, budget).unwrap();
        let mut filter = Filter::new(budget);
        for (sensitivity, scale) in releases {
            prop_assert_eq!(filter.charge(&laplace(sensitivity, dim, multiplier * scale)), Ok(()));
        }
        prop_assert!(filter.spent() <= filter.cap());
        prop_assert!(filter.spent() >= 0.999 * filter.cap());
    }
}

#[test]
fn calibration_gives_known_scales() {
    // L2 sensitivity 2 in 50 dimensions, one release, epsilon 1: 2 sqrt(50).
    let pure = Budget::new(1.0, 0.0).unwrap();
    assert!((laplace_multiplier(&[2.0], 50, pure).unwrap() - 14.142_135_623_7).abs() < 1e-9);
    assert!((laplace_multiplier(&[2.0], 1, pure).unwrap() - 2.0).abs() < 1e-12);
    assert!(laplace_multiplier(&[], 5, pure).unwrap().abs() <= 0.0);
    assert!(laplace_multiplier(&[0.0, 0.0], 5, pure).unwrap().abs() <= 0.0);
    // rho = 0.0865200465 is epsilon 1.979796 at delta 1e-6: an L2 sensitivity of 1 needs 1/sqrt(2 rho).
    let approximate = Budget::new(1.979_796, 1e-6).unwrap();
    assert!((laplace_multiplier(&[1.0], 50, approximate).unwrap() - (0.173_040_093_f64).sqrt().recip()).abs() < 1e-5);
}

#[test]
fn extreme_calibrations_end() {
    for ratio in [1e-320, 1e-200, 1e200] {
        for delta in [0.0, 1e-6] {
            let budget = Budget::new(1.0, delta).unwrap();
            let multiplier = laplace_multiplier(&[ratio; 3], 4, budget).unwrap();
            assert!(multiplier > 0.0 && multiplier.is_finite());
        }
    }
    let tight = Budget::new(1e-300, 0.0).unwrap();
    assert!(matches!(laplace_multiplier(&[1e300], 1, tight), Err(MechanismError::Scale(_))));
}

/// As many releases as a long run makes: rounding must not make the last one fail.
#[test]
fn a_million_calibrated_releases_pass() {
    let releases: Vec<(f64, f64)> =
        (0..1_000_000).map(|t| (1.3 / f64::from(t + 7), 0.7 / f64::from(t + 3).sqrt())).collect();
    let ratios: Vec<f64> = releases.iter().map(|(sensitivity, scale)| sensitivity / scale).collect();
    for delta in [0.0, 1e-6] {
        let budget = Budget::new(0.5, delta).unwrap();
        let multiplier = laplace_multiplier(&ratios, 33, budget).unwrap();
        let mut filter = Filter::new(budget);
        for (sensitivity, scale) in &releases {
            filter.charge(&laplace(*sensitivity, 33, multiplier * scale)).unwrap();
        }
        assert!(filter.spent() >= 0.999_999 * filter.cap());
    }
}

#[test]
fn nan_and_its_like_are_refused() {
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(matches!(Budget::new(bad, 0.0), Err(MechanismError::Epsilon(_))));
        assert!(matches!(Budget::new(1.0, bad), Err(MechanismError::Delta(_))));
        let budget = Budget::new(1.0, 1e-6).unwrap();
        assert!(matches!(laplace_multiplier(&[1.0, bad], 2, budget), Err(MechanismError::Ratio { release: 1, .. })));
    }
    assert!(matches!(Budget::new(0.0, 0.0), Err(MechanismError::Epsilon(_))));
    assert!(matches!(Budget::new(1.0, 1.0), Err(MechanismError::Delta(_))));
    assert_eq!(laplace_multiplier(&[1.0], 0, Budget::new(1.0, 0.0).unwrap()), Err(MechanismError::NoCoordinates));
}

#[test]
fn a_filter_refuses_what_has_no_noise_or_another_relation() {
    for delta in [0.0, 1e-6] {
        let mut filter = Filter::new(Budget::new(1.0, delta).unwrap());
        assert!(matches!(filter.charge(&Event::NonPrivate), Err(MechanismError::Overspent { .. })));
        assert!(matches!(filter.charge(&laplace(1.0, 1, 0.0)), Err(MechanismError::Overspent { .. })));
        filter.charge(&laplace(0.0, 1, 1.0)).unwrap();
        let sensitivity = Sensitivity::new(0.1, Norm::L2, Adjacency::ReplaceNode).unwrap();
        let other = Event::Laplace { sensitivity, dim: 1, scale: 100.0 };
        assert!(matches!(filter.charge(&other), Err(MechanismError::Adjacency { .. })));
        assert!(filter.spent().abs() <= 0.0);
    }
}

#[test]
fn a_refusal_says_what_was_asked_and_what_is_left() {
    let mut filter = Filter::new(Budget::new(1.0, 0.0).unwrap());
    filter.charge(&laplace(0.75, 1, 1.0)).unwrap();
    let error = filter.charge(&laplace(0.5, 1, 1.0)).unwrap_err();
    assert_eq!(error.to_string(), "the release asks for epsilon 0.5, but 0.75 of 1 is spent");
}

#[test]
fn a_budget_from_a_file_is_checked() {
    let read = |text: &str| serde_json::from_str::<Budget>(text).map_err(|error| error.to_string());
    assert_eq!(read(r#"{"epsilon": 1.5, "delta": 1e-6}"#), Ok(Budget::new(1.5, 1e-6).unwrap()));
    assert!(read(r#"{"epsilon": -1.0, "delta": 0.0}"#).unwrap_err().contains("epsilon must be positive"));
    assert!(read(r#"{"epsilon": 1.0, "delta": 0.0, "detla": 0.1}"#).unwrap_err().contains("detla"));
}
