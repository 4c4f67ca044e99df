//! Filters and odometers: what is counted, what a file keeps, and that readings hold.

use dido_mechanisms::accountants::{Accountant, Advanced, Best, Pld, Pure, Rdp, Theorem, Zcdp};
use dido_mechanisms::{
    Adjacency, Adversary, Base, Budget, Event, Filter, Ledger, MechanismError, Norm, Odometer, Sampling, Sensitivity,
    Unit,
};

const RELATION: Adjacency = Adjacency::AddRemoveRecord;

fn pure(epsilon: f64) -> Event {
    Event::Pure { epsilon, adjacency: RELATION }
}

fn approximate(epsilon: f64, delta: f64) -> Event {
    Event::Approximate { epsilon, delta, adjacency: RELATION }
}

fn gaussian(sigma: f64) -> Event {
    Event::Gaussian { sensitivity: Sensitivity::new(1.0, Norm::L2, RELATION).unwrap(), sigma }
}

fn sampled(rate: f64, sigma: f64) -> Event {
    let base = Base::Gaussian { sensitivity: Sensitivity::new(1.0, Norm::L2, RELATION).unwrap(), sigma };
    Event::Sampled { sampling: Sampling::Poisson { rate }, base }
}

fn ledger(events: impl IntoIterator<Item = (Event, u64)>) -> Ledger {
    Ledger::of(RELATION, Adversary::AllMessages, events)
}

fn budget(epsilon: f64, delta: f64) -> Budget {
    Budget::new(epsilon, delta).unwrap()
}

/// 100 releases of epsilon 0.1 at a slack of 1e-6: 5.7561 by the theorem for unequal epsilons, where another program
/// said 1414.7. (For exactly equal ones the optimum is less.) An odometer costs a little more, and holds at all times.
#[test]
fn a_hundred_small_releases() {
    let nearly = ledger([(pure(0.1), 99), (pure(0.1_f64.next_up()), 1)]);
    let found = Advanced { theorem: Theorem::KairouzOhViswanath }.bound(&nearly, 1e-6).unwrap().epsilon;
    assert!((found - 5.7561).abs() < 5e-5, "{found}");
    let mut odometer = Odometer::new(budget(6.0, 1e-6)).unwrap();
    for count in 1..=100 {
        odometer.record(&pure(0.1)).unwrap();
        assert!(odometer.epsilon() <= 0.1 * f64::from(count) * (1.0 + 1e-12));
    }
    let reading = odometer.epsilon();
    assert!(reading > 5.5 && reading < 1.04 * 5.7561, "{reading}");
}

/// A reading is never below what a fixed run of the same releases gives away at least, and near the budget it is not
/// far above what a filter would allow; it grows with each release and is the same for the same releases.
#[test]
fn readings_are_upper_bounds_and_not_far_off() {
    let delta = 1e-6;
    for event in [gaussian(10.0), gaussian(100.0), sampled(0.05, 2.0), pure(0.02)] {
        let around = Rdp::default().bound(&ledger([(event, 400)]), delta).unwrap().epsilon;
        let mut odometer = Odometer::new(budget(around, delta)).unwrap();
        let mut last = 0.0;
        for count in 1..=400 {
            odometer.record(&event).unwrap();
            let reading = odometer.epsilon();
            assert!(reading >= last);
            last = reading;
            if [1, 20, 400].contains(&count) {
                let known = Pld.bound(&ledger([(event, count)]), delta).unwrap().lower.unwrap();
                assert!(reading >= known, "{event:?} {count}: {reading} {known}");
            }
        }
        assert!(last < 1.25 * around, "{event:?}: {last} {around}");
    }
}

/// Adaptive releases by brute force: the loss is a random walk of randomised responses, each chosen with an epsilon
/// that depends on the loss so far, so as to get above the reading. n = 20 000 runs of 300 releases at delta 0.05: the
/// probability of ever getting above must be at most 0.05; five standard errors are 0.008.
#[test]
fn readings_hold_at_all_times_for_adaptive_releases() {
    use rand::{RngExt, SeedableRng};
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(17);
    let choices: Vec<Event> = [0.05, 0.2].map(pure).into();
    let (runs, delta) = (20_000, 0.05);
    // Readings depend on how often each was chosen only.
    let reading = |counts: [u32; 2]| {
        let mut odometer = Odometer::new(budget(2.0, delta)).unwrap();
        for (event, count) in choices.iter().zip(counts) {
            (0..count).for_each(|_| odometer.record(event).unwrap());
        }
        odometer.epsilon()
    };
    let mut known = std::collections::HashMap::new();
    let mut above = 0;
    for _ in 0..runs {
        let (mut loss, mut counts) = (0.0_f64, [0, 0]);
        for _ in 0..300 {
            let choice = usize::from(loss > 0.3);
            let epsilon: f64 = [0.05, 0.2][choice];
            loss += if rng.random::<f64>() < 1.0 / (1.0 + (-epsilon).exp()) { epsilon } else { -epsilon };
            counts[choice] += 1;
            // Looked at now and then, to save time: less often can only miss some.
            if (counts[0] + counts[1]) % 50 == 0 && loss > *known.entry(counts).or_insert_with(|| reading(counts)) {
                above += 1;
                break;
            }
        }
    }
    let rate = f64::from(above) / f64::from(runs);
    assert!(rate <= delta + 0.008, "{rate}");
    assert!(rate > 1e-4, "{rate}: the test cannot see anything");
}

#[test]
fn an_odometer_provides_for_failures() {
    let around = budget(2.0, 1e-5);
    let mut odometer = Odometer::with_failures(around, 4e-6).unwrap();
    for _ in 0..3 {
        odometer.record(&approximate(0.1, 1e-6)).unwrap();
        odometer.record(&gaussian(20.0)).unwrap();
    }
    let reading = odometer.epsilon();
    assert!(reading.is_finite() && reading > 0.0);
    for _ in 0..2 {
        odometer.record(&approximate(0.0, 1e-6)).unwrap();
    }
    assert!(odometer.epsilon().is_infinite());
    let mut none = Odometer::new(around).unwrap();
    none.record(&approximate(0.1, 1e-9)).unwrap();
    assert!(none.epsilon().is_infinite());
    for failures in [-1e-9, 1e-5, f64::NAN] {
        assert!(matches!(Odometer::with_failures(around, failures), Err(MechanismError::Delta(_))));
    }
    assert!(Odometer::new(budget(1.0, 0.0)).is_err());
}

#[test]
fn without_noise_a_reading_is_infinite_and_other_relations_are_refused() {
    let mut odometer = Odometer::new(budget(1.0, 1e-5)).unwrap();
    odometer.record(&pure(0.1)).unwrap();
    let before = odometer.clone();
    let other = Event::Pure { epsilon: 0.1, adjacency: Adjacency::ReplaceNode };
    assert!(matches!(odometer.record(&other), Err(MechanismError::Adjacency { .. })));
    assert!(odometer.record(&gaussian(f64::NAN)).is_err());
    assert_eq!(odometer, before);
    odometer.record(&Event::NonPrivate).unwrap();
    assert!(odometer.epsilon().is_infinite());
}

/// An interrupted run goes on to the same bits.
#[test]
fn what_a_file_keeps_goes_on_as_before() {
    let events = [pure(0.03), gaussian(25.0), sampled(0.01, 1.0), approximate(0.05, 1e-8)];
    let mut filters = vec![
        Filter::with_failures(budget(3.0, 1e-5), 1e-6).unwrap(),
        Filter::with_failures(budget(3.0, 1e-5), 1e-5).unwrap(),
        Filter::renyi(budget(3.0, 1e-5), 9.0).unwrap(),
    ];
    let mut odometer = Odometer::with_failures(budget(3.0, 1e-5), 1e-6).unwrap();
    let mut run = ledger([]);
    let mut again = (filters.clone(), odometer.clone(), run.clone());
    for (round, event) in events.iter().cycle().take(40).enumerate() {
        if round == 17 {
            let json = serde_json::to_string(&(&filters, &odometer, &run)).unwrap();
            again = serde_json::from_str(&json).unwrap();
            assert_eq!((&again.0, &again.1, &again.2), (&filters, &odometer, &run));
        }
        let outcomes = |filters: &mut [Filter]| filters.iter_mut().map(|f| f.charge(event)).collect::<Vec<_>>();
        assert_eq!(outcomes(&mut filters), outcomes(&mut again.0));
        odometer.record(event).unwrap();
        again.1.record(event).unwrap();
        run.classes[0].push(*event, 1);
        again.2.classes[0].push(*event, 1);
    }
    assert_eq!((&again.0, &again.1, &again.2), (&filters, &odometer, &run));
    assert_eq!(Best.bound(&run, 1e-5).unwrap(), Best.bound(&again.2, 1e-5).unwrap());
    odometer.record(&Event::NonPrivate).unwrap();
    let json = serde_json::to_string(&odometer).unwrap();
    assert_eq!(serde_json::from_str::<Odometer>(&json).unwrap(), odometer);
    // What makes no sense is no filter and no odometer.
    for (from, to) in [
        (r#""spent":0.0"#, r#""spent":-1.0"#),
        (r#""cap":3.0"#, r#""cap":"x""#),
        (r#""failed":0.0"#, r#""failed":0.5"#),
    ] {
        let json = serde_json::to_string(&Filter::new(budget(3.0, 0.0))).unwrap();
        assert!(json.contains(from), "{json}");
        assert!(serde_json::from_str::<Filter>(&json.replace(from, to)).is_err(), "{to}");
    }
    for (from, to) in [
        (r#""sum":"inf""#, r#""sum":-1.0"#),
        (r#""spent":["#, r#""spent":[1.0,"#),
        (r#""delta":0.00001"#, r#""delta":2.0"#),
    ] {
        assert!(json.contains(from), "{json}");
        assert!(serde_json::from_str::<Odometer>(&json.replace(from, to)).is_err(), "{to}");
    }
}

/// Basic composition: epsilons to 1, deltas to 2^-17, without rounding; and failures beside zCDP.
#[test]
fn filters_add_up_failures() {
    let delta = (-17_f64).exp2();
    let mut basic = Filter::with_failures(budget(1.0, delta), delta).unwrap();
    assert!(basic.unit() == Unit::Epsilon && (basic.cap() - 1.0).abs() <= 0.0);
    for _ in 0..4 {
        basic.charge(&approximate(0.25, delta / 4.0)).unwrap();
    }
    assert!(matches!(basic.charge(&approximate(0.0, 1e-9)), Err(MechanismError::Overspent { unit: Unit::Delta, .. })));
    assert!(matches!(basic.charge(&pure(1e-9)), Err(MechanismError::Overspent { unit: Unit::Epsilon, .. })));
    assert!(basic.charge(&gaussian(1.0)).is_err());

    let mut mixed = Filter::with_failures(budget(2.0, 1e-5), 5e-6).unwrap();
    let alone = Filter::new(budget(2.0, 5e-6));
    assert!(mixed.unit() == Unit::Rho && (mixed.cap() - alone.cap()).abs() <= 0.0);
    let mut passed = vec![];
    for event in [approximate(0.02, 4e-7), gaussian(20.0), pure(0.02)].into_iter().cycle() {
        if mixed.charge(&event).is_err() {
            break;
        }
        passed.push((event, 1));
    }
    assert!(passed.len() > 10);
    assert!(Zcdp::default().bound(&ledger(passed), 1e-5).unwrap().epsilon <= 2.0 * (1.0 + 1e-9));
    // Without a part set aside nothing may fail.
    let refused = Filter::new(budget(1.0, 1e-5)).charge(&approximate(0.1, 1e-9)).unwrap_err();
    assert_eq!(refused.to_string(), "the release asks for a delta of 0.000000001, but 0 of 0 is spent");
    for failures in [-1e-9, 1.1e-5, f64::NAN] {
        assert!(matches!(Filter::with_failures(budget(1.0, 1e-5), failures), Err(MechanismError::Delta(_))));
    }
}

/// Approximate and zCDP releases in one ledger: delta is split. By hand: rho 0.02 + 0.005 at 1e-5 - 4e-6.
#[test]
fn mixed_ledgers_split_delta() {
    let zcdp = Event::Zcdp { rho: 0.02, adjacency: RELATION };
    let mixed = ledger([(approximate(0.1, 4e-6), 1), (zcdp, 1)]);
    let left = 1.0 - (1.0 - 1e-5) / (1.0 - 4e-6);
    let expected = dido_mechanisms::accountants::epsilon_of_rho(0.025, left).unwrap();
    let found = Zcdp::default().bound(&mixed, 1e-5).unwrap().epsilon;
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
    let best = Best.bound(&mixed, 1e-5).unwrap();
    assert!(best.epsilon <= found && ["zcdp", "rdp"].contains(&best.method.as_str()), "{best:?}");
    // With Gaussian noise in place of zCDP the exact accountant knows better, and no accountant is below it.
    let known = ledger([(approximate(0.1, 4e-6), 1), (gaussian(5.0), 1)]);
    let lower = Pld.bound(&known, 1e-5).unwrap().lower.unwrap();
    for (name, bound) in Best::all(&known, 1e-5) {
        assert!(bound.is_err() || bound.unwrap().epsilon >= lower, "{name}");
    }
    // More failures than delta are no promise; on a sample they are rarer.
    assert!(Best.bound(&mixed, 3e-6).unwrap().epsilon.is_infinite());
    let base = Base::Approximate { epsilon: 0.1, delta: 4e-6, adjacency: RELATION };
    let rare = Event::Sampled { sampling: Sampling::Poisson { rate: 0.5 }, base };
    assert!(Best.bound(&ledger([(rare, 1), (zcdp, 1)]), 3e-6).unwrap().epsilon.is_finite());
}

/// Disjoint records: the worse of both, and not their sum; releases one after the other: the sum.
#[test]
fn ledgers_compose_in_parallel_and_in_sequence() {
    let (a, b) = (ledger([(pure(0.5), 2)]), ledger([(pure(0.3), 2)]));
    let epsilon = |ledger: &Ledger| Pure.bound(ledger, 0.0).unwrap().epsilon;
    let beside = b.clone().beside(a.clone()).unwrap();
    assert!((epsilon(&beside) - 1.0).abs() < 1e-15 && Pure.bound(&beside, 0.0).unwrap().node == 1);
    assert!((epsilon(&a.clone().then(&b, 3).unwrap()) - 2.8).abs() < 1e-12);
    assert_eq!(a.clone().then(&b, 3).unwrap().releases_per_node(), 8);
    assert_eq!(a.clone().then(&beside, 1), Err(MechanismError::OtherLedger));
    let other = Ledger::of(Adjacency::ReplaceNode, Adversary::AllMessages, []);
    assert_eq!(a.beside(other), Err(MechanismError::OtherLedger));
}
