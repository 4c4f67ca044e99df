//! The least noise for a budget against values computed elsewhere, and filters for events on samples.

use dido_mechanisms::accountants::{Accountant, Best, Gdp, Pld, Rdp, epsilon_of_mu};
use dido_mechanisms::calibrate::{gaussian_sigma, most_rounds, noise_multiplier};
use dido_mechanisms::{
    Adjacency, Adversary, Base, Budget, Entry, Event, Filter, Ledger, MechanismError, Norm, Sampling, Sensitivity,
};

fn rows<T: for<'a> serde::Deserialize<'a>>(json: &str) -> Vec<T> {
    let mut fixture: serde_json::Value = serde_json::from_str(json).unwrap();
    serde_json::from_value(fixture["rows"].take()).unwrap()
}

fn sampled(rate: f64, sigma: f64) -> Event {
    let sensitivity = Sensitivity::new(1.0, Norm::L2, Adjacency::AddRemoveRecord).unwrap();
    Event::Sampled { sampling: Sampling::Poisson { rate }, base: Base::Gaussian { sensitivity, sigma } }
}

fn ledger(event: Event, releases: u64) -> Ledger {
    let mut ledger = Ledger::new(Adjacency::AddRemoveRecord, Adversary::AllMessages, &[0]);
    ledger.classes[0].entries.push(Entry { first: 0, last: 0, releases, event });
    ledger
}

#[test]
fn gaussian_noise_is_the_least_and_never_less() {
    let table: Vec<(f64, f64, f64, f64)> = rows(include_str!("fixtures/gaussian_calibration.json"));
    for &(epsilon, delta, sensitivity, exact) in &table {
        let value = Sensitivity::new(sensitivity, Norm::L2, Adjacency::ReplaceNode).unwrap();
        let sigma = gaussian_sigma(value, Budget::new(epsilon, delta).unwrap()).unwrap();
        assert!((sigma / exact - 1.0).abs() < 1e-10, "epsilon {epsilon} delta {delta}: {sigma} {exact}");
        // The table has 17 digits.
        assert!(sigma >= exact * (1.0 - 2e-16), "epsilon {epsilon} delta {delta}: {sigma} {exact}");
        let mu = sensitivity / sigma;
        assert!(epsilon_of_mu(mu, delta).unwrap() <= epsilon * (1.0 + 1e-11), "epsilon {epsilon} delta {delta}");
    }
    assert_eq!(table.len(), 33);
    let value = Sensitivity::new(1.0, Norm::L2, Adjacency::ReplaceNode).unwrap();
    // Reported wrong elsewhere: large epsilons, and a sign.
    for (epsilon, delta, right) in
        [(100.0, 1e-6, 0.097_837_223_974_441_1), (1000.0, 1e-6, 0.024_850_366_687), (1.0, 1e-5, 3.730_631_634_815_942)]
    {
        let sigma = gaussian_sigma(value, Budget::new(epsilon, delta).unwrap()).unwrap();
        assert!((sigma / right - 1.0).abs() < 1e-9, "{epsilon}: {sigma}");
    }
    assert!(matches!(gaussian_sigma(value, Budget::new(1.0, 0.0).unwrap()), Err(MechanismError::Delta(_))));
}

#[test]
fn noise_on_samples_is_calibrated_by_any_accountant() {
    let table: Vec<(f64, u64, f64, f64, f64, f64)> = rows(include_str!("fixtures/poisson_calibration.json"));
    for &(rate, releases, epsilon, delta, by_rdp, by_pld) in &table {
        let budget = Budget::new(epsilon, delta).unwrap();
        let run = |z: f64| ledger(sampled(rate, z), releases);
        let rdp = noise_multiplier(&Rdp::default(), budget, run).unwrap();
        let pld = noise_multiplier(&Pld, budget, run).unwrap();
        let what = format!("rate {rate}, {releases} releases, epsilon {epsilon}");
        assert!(rdp <= by_rdp * (1.0 + 1e-4) && rdp >= pld, "{what}: {rdp} {by_rdp}");
        // The table's grid is coarser than a loss where the rate is small: it asks for up to 2 % more noise.
        assert!(pld <= by_pld * (1.0 + 1e-4) && pld >= 0.98 * by_pld, "{what}: {pld} {by_pld}");
        let used = Pld.bound(&run(pld), delta).unwrap().epsilon;
        assert!(used <= epsilon && used > 0.99 * epsilon, "{what}: {used}");
    }
    assert_eq!(table.len(), 8);
}

#[test]
fn a_multiplier_that_does_not_exist_is_refused() {
    let budget = Budget::new(1.0, 1e-6).unwrap();
    let never = noise_multiplier(&Best, budget, |_| ledger(Event::NonPrivate, 1));
    assert!(matches!(never, Err(MechanismError::Calibration { .. })), "{never:?}");
    let refused = noise_multiplier(&Gdp, budget, |z| ledger(sampled(0.1, z), 1));
    assert!(matches!(refused, Err(MechanismError::Unsupported { .. })));
}

#[test]
fn one_round_more_than_the_most_overspends() {
    let budget = Budget::new(2.0, 1e-5).unwrap();
    let run = |rounds| ledger(sampled(0.01, 1.0), rounds);
    let most = most_rounds(&Rdp::default(), budget, run).unwrap();
    assert!(Rdp::default().bound(&run(most), 1e-5).unwrap().epsilon <= 2.0);
    assert!(Rdp::default().bound(&run(most + 1), 1e-5).unwrap().epsilon > 2.0);
    assert!(most > 700 && most_rounds(&Pld, budget, run).unwrap() > most);
    assert_eq!(most_rounds(&Rdp::default(), budget, |rounds| ledger(Event::NonPrivate, rounds)).unwrap(), 0);
}

/// At the order that is best for the run the filter lets as many rounds pass as the accountant.
#[test]
fn a_filter_of_one_order_counts_sampled_releases() {
    let budget = Budget::new(2.0, 1e-5).unwrap();
    let event = sampled(0.01, 1.0);
    let rdp = Rdp::with_orders(vec![8.5]).unwrap();
    let most = most_rounds(&rdp, budget, |rounds| ledger(event, rounds)).unwrap();
    let mut filter = Filter::renyi(budget, 8.5).unwrap();
    let mut passed = 0;
    while filter.charge(&event).is_ok() {
        passed += 1;
    }
    assert!(most > 100 && passed <= most && passed + 1 >= most, "{passed} {most}");
    assert!(matches!(filter.charge(&event), Err(MechanismError::Overspent { .. })));
    for order in [1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Filter::renyi(budget, order), Err(MechanismError::Order(_))));
    }
    // At an order so low, even nothing costs more than the budget at this delta.
    assert!(matches!(Filter::renyi(budget, 1.1), Err(MechanismError::Order(_))));
    assert!(matches!(Filter::renyi(Budget::new(2.0, 0.0).unwrap(), 8.5), Err(MechanismError::Delta(_))));
}

/// Each question costs the distribution of a privacy loss.
#[test]
fn the_search_asks_few_questions() {
    for (rate, releases, epsilon) in [(0.01, 1000, 1.0), (0.01, 10_000, 8.0), (0.1, 100, 0.05), (1.0, 1, 30.0)] {
        let budget = Budget::new(epsilon, 1e-5).unwrap();
        let asked = std::cell::Cell::new(0);
        let count = |run: Ledger| {
            asked.set(asked.get() + 1);
            run
        };
        let sigma = noise_multiplier(&Rdp::default(), budget, |z| count(ledger(sampled(rate, z), releases))).unwrap();
        assert!(asked.replace(0) <= 9, "rate {rate}, epsilon {epsilon}: {sigma}");
        let run = |rounds| count(ledger(sampled(rate, sigma), rounds));
        let most = most_rounds(&Rdp::default(), budget, run).unwrap();
        assert!(most >= releases && asked.get() <= 30, "rate {rate}, epsilon {epsilon}: {}", asked.get());
    }
}

/// What a search asks for is what is reported in the end, and a rough answer is as rough as it says, on the safe side.
#[test]
fn an_epsilon_alone_is_that_of_the_bound() {
    for (rate, sigma, releases) in [(0.01, 0.8, 1000), (0.2, 5.0, 30), (1.0, 2.0, 1)] {
        let run = ledger(sampled(rate, sigma), releases);
        for accountant in [&Pld as &dyn Accountant, &Best, &Rdp::default()] {
            let bound = accountant.bound(&run, 1e-5).unwrap();
            let found = |precision| accountant.epsilon(&run, 1e-5, precision).unwrap();
            assert_eq!(found(0.0).to_bits(), bound.epsilon.to_bits(), "{} {rate}", accountant.name());
            for precision in [1e-3, 1e-2] {
                let rough = found(precision);
                let low = bound.lower.unwrap_or(bound.epsilon);
                let what = format!("{} {rate} {precision}: {rough} {bound:?}", accountant.name());
                assert!(rough >= low && rough <= bound.epsilon * (1.0 + 2.0 * precision), "{what}");
            }
        }
    }
    assert!(matches!(Pld.epsilon(&ledger(Event::NonPrivate, 1), 0.0, 0.0), Err(MechanismError::Delta(_))));
}
