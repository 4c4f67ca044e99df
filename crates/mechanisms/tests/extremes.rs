//! Every accountant on every event, at the ends of the number range and in between: no panic, no NaN, nothing
//! negative, bounded time; and more noise, fewer looks or a larger delta never cost more.

use std::time::Instant;

use dido_mechanisms::accountants::{Accountant, Best, Pld, Rdp, Zcdp};
use dido_mechanisms::{
    Adjacency, Adversary, Base, Budget, Discrete, Event, Filter, Grid, Ledger, Norm, Odometer, Sampling, Sensitivity,
};
use proptest::prelude::*;

/// Mechanisms whose noise is as wide as `noise` says, for a sensitivity of 1 (of 5 steps, if discrete).
fn bases(noise: f64, adjacency: Adjacency) -> Vec<Base> {
    let sensitivity = Sensitivity::new(1.0, Norm::L2, adjacency).unwrap();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and cut off")]
    let scale = ((5.0 * noise).ceil() as u64).min(Grid::WIDEST);
    let discrete = |norm, dim| Discrete { grid: Grid::new(-3).unwrap(), scale, sensitivity: 5, norm, dim, adjacency };
    vec![
        Base::Laplace { sensitivity, dim: 3, scale: noise },
        Base::Gaussian { sensitivity, sigma: noise },
        Base::DiscreteLaplace(discrete(Norm::L1, 3)),
        Base::DiscreteGaussian(discrete(Norm::L2, 3)),
        Base::DiscreteGaussian(discrete(Norm::L1, 1)),
        Base::Pure { epsilon: 1.0 / noise, adjacency },
        Base::Approximate { epsilon: 1.0 / noise, delta: 1e-12, adjacency },
    ]
}

fn events(noise: f64, rate: f64) -> Vec<Event> {
    let add = bases(noise, Adjacency::AddRemoveRecord);
    let replace = bases(noise, Adjacency::ReplaceRecord);
    let zcdp = Event::Zcdp { rho: 0.5 / (noise * noise), adjacency: Adjacency::AddRemoveRecord };
    let population = 1_000_000;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate")]
    let batch = (rate * 1e6) as u64;
    let poisson = add.iter().map(|&base| Event::Sampled { sampling: Sampling::Poisson { rate }, base });
    let sampling = Sampling::WithoutReplacement { batch, population };
    let subset = replace.iter().map(|&base| Event::Sampled { sampling, base });
    let whole = add.iter().map(|&base| base.into());
    whole.chain(poisson).chain(subset).chain([zcdp, Event::NonPrivate]).collect()
}

fn ledger(event: Event, releases: u64) -> Ledger {
    let adjacency = event.adjacency().unwrap_or(Adjacency::AddRemoveRecord);
    Ledger::of(adjacency, Adversary::AllMessages, [(event, releases)])
}

#[test]
fn every_accountant_gives_a_number_or_says_why_not() {
    let (mut finite, mut slowest) = (0, (0.0, String::new()));
    for noise in [1e-4, 0.7, 1e9] {
        for rate in [0.0, 1e-6, 0.3] {
            for event in events(noise, rate) {
                for (releases, delta) in [(0, 1e-5), (1, 1e-18), (1_000_000, 1e-5), (1000, 0.9)] {
                    let start = Instant::now();
                    let all = Best::all(&ledger(event, releases), delta);
                    let seconds = start.elapsed().as_secs_f64();
                    if seconds > slowest.0 {
                        slowest = (seconds, format!("{event:?} {releases} {delta}"));
                    }
                    for (name, bound) in all {
                        let Ok(bound) = bound else { continue };
                        let what = format!("{name} {event:?} {releases} {delta}: {bound:?}");
                        assert!(bound.epsilon >= 0.0, "{what}");
                        assert!(bound.lower.is_none_or(|lower| (0.0..=bound.epsilon).contains(&lower)), "{what}");
                        assert!(releases > 0 || bound.epsilon <= 0.0, "{what}");
                        if event == Event::NonPrivate && releases > 0 {
                            assert!(bound.epsilon.is_infinite(), "{what}");
                        }
                        finite += u32::from(bound.epsilon.is_finite());
                    }
                }
            }
        }
    }
    assert!(finite > 1500, "{finite}");
    // Thirty times what it takes on a busy machine, without optimisation.
    assert!(slowest.0 < 30.0, "{slowest:?}");
}

/// What is counted one by one is a number too, and refuses what has none.
#[test]
fn filters_and_odometers_take_every_event() {
    for noise in [1e-4, 0.7, 30.0, 1e9] {
        for rate in [0.0, 1e-6, 0.3, 1.0] {
            for event in events(noise, rate) {
                let budget = Budget::new(1.0, 1e-5).unwrap();
                let mut odometer = Odometer::with_failures(budget, 1e-6).unwrap();
                odometer.record(&event).unwrap();
                assert!(odometer.epsilon() >= 0.0, "{event:?}");
                let known = Pld.bound(&ledger(event, 1), 1e-5).ok().and_then(|bound| bound.lower);
                assert!(odometer.epsilon() >= known.unwrap_or(0.0), "{event:?}: {} {known:?}", odometer.epsilon());
                for mut filter in [
                    Filter::with_failures(budget, 1e-6).unwrap(),
                    Filter::new(Budget::new(1.0, 0.0).unwrap()),
                    Filter::renyi(budget, 20.0).unwrap(),
                ] {
                    let before = filter.clone();
                    if filter.charge(&event).is_err() {
                        assert_eq!(filter, before);
                    }
                    assert!(filter.spent() >= 0.0 && filter.remaining() >= 0.0, "{event:?}");
                }
            }
        }
    }
}

/// Two epsilons that should be ordered, up to the grid of the numerical accountants and the search for an order.
fn ordered(less: f64, more: f64) -> bool {
    less <= more * (1.0 + 2e-3) + 1e-9
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3))]

    /// Epsilon falls with the noise and with delta, and rises with the rate and the number of releases.
    #[test]
    fn more_noise_and_fewer_looks_cost_less(
        noise in 0.5..20.0, more in 1.2..4.0, rate in 0.001..0.3, releases in 1_u64..2000, delta in 1e-9..1e-3,
    ) {
        let pairs = |noise: f64, rate: f64| events(noise, rate);
        let here = pairs(noise, rate);
        let (quieter, rarer) = (pairs(noise * more, rate), pairs(noise, rate / more));
        for (i, &event) in here.iter().enumerate() {
            for accountant in [&Zcdp::default() as &dyn Accountant, &Rdp::default(), &Pld] {
                let epsilon = |event: Event, releases: u64, delta: f64| {
                    accountant.bound(&ledger(event, releases), delta).map(|bound| bound.epsilon)
                };
                let Ok(now) = epsilon(event, releases, delta) else { continue };
                let what = format!("{} {event:?} {releases} {delta}", accountant.name());
                prop_assert!(ordered(epsilon(quieter[i], releases, delta).unwrap(), now), "noise: {what}");
                prop_assert!(ordered(epsilon(rarer[i], releases, delta).unwrap(), now), "rate: {what}");
                prop_assert!(ordered(now, epsilon(event, 2 * releases, delta).unwrap()), "releases: {what}");
                prop_assert!(ordered(epsilon(event, releases, delta * 10.0).unwrap(), now), "delta: {what}");
            }
        }
    }
}

/// Bounds at integer orders have several valleys; the search used to end in one of them, so that a larger delta cost more.
#[test]
fn the_best_integer_order_is_found() {
    let event = |scale: u64| {
        let sensitivity = Sensitivity::new(0.625, Norm::L1, Adjacency::ReplaceRecord).unwrap();
        let noise = Discrete::new(Grid::new(-3).unwrap(), scale, sensitivity, 3).unwrap();
        let sampling = Sampling::WithoutReplacement { batch: 200_556, population: 1_000_000 };
        Event::Sampled { sampling, base: Base::DiscreteLaplace(noise) }
    };
    for scale in [20, 78, 300] {
        let ledger = ledger(event(scale), 9);
        let mut before = f64::INFINITY;
        for k in 0..24 {
            let delta = 1e-9 * 2.0_f64.powi(k);
            let found = Rdp::default().bound(&ledger, delta).unwrap().epsilon;
            let integers = Rdp::with_orders((2..=256).map(f64::from).collect()).unwrap();
            let least = integers.bound(&ledger, delta).unwrap().epsilon;
            assert!(found <= least * (1.0 + 1e-9), "{scale}, {delta}: {found}, and {least} at an integer");
            assert!(ordered(found, before), "{scale}, {delta}: {found}, and {before} at half of it");
            before = found;
        }
    }
}
