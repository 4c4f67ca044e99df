//! Figures that are wrong by a convention in many programs: adjacency, norm, scale, sampling scheme, units. Each row of the
//! table is asked of the crate in its own terms.

use dido_mechanisms::accountants::{Accountant, Best, Gdp, Pld, Pure, Rdp};
use dido_mechanisms::calibrate::{gaussian_sigma, laplace_multiplier, noise_multiplier};
use dido_mechanisms::gradients::{clamped, clipped, clipped_mean};
use dido_mechanisms::{Adjacency, Adversary, Base, Budget, Entry, Event, Grid, Ledger, Norm, Sampling, Sensitivity};

use Adjacency::{AddRemoveRecord, ReplaceRecord};
use Norm::{L1, L2};

fn ledger(events: impl IntoIterator<Item = (Event, u64)>) -> Ledger {
    let entries: Vec<Entry> = (0..)
        .zip(events)
        .map(|(round, (event, releases))| Entry { first: round, last: round, releases, event })
        .collect();
    let adjacency = entries[0].event.adjacency().unwrap();
    let mut ledger = Ledger::new(adjacency, Adversary::AllMessages, &[0]);
    ledger.classes[0].entries = entries;
    ledger
}

fn epsilon(accountant: &dyn Accountant, ledger: &Ledger, delta: f64) -> f64 {
    accountant.bound(ledger, delta).unwrap().epsilon
}

fn gaussian(sensitivity: Sensitivity, sigma: f64, releases: u64) -> Ledger {
    ledger([(Event::Gaussian { sensitivity, sigma }, releases)])
}

fn laplace(sensitivity: Sensitivity, scale: f64) -> Event {
    Event::Laplace { sensitivity, dim: 1, scale }
}

fn unit() -> Sensitivity {
    Sensitivity::new(1.0, L1, ReplaceRecord).unwrap()
}

/// The least Laplace scale for an L2 sensitivity in `dim` coordinates.
fn laplace_scale(l2: f64, dim: usize, epsilon: f64) -> f64 {
    laplace_multiplier(&[l2], dim, Budget::new(epsilon, 0.0).unwrap()).unwrap()
}

fn sigma(epsilon: f64, delta: f64) -> f64 {
    gaussian_sigma(unit(), Budget::new(epsilon, delta).unwrap()).unwrap()
}

fn integer_orders() -> Rdp {
    Rdp::with_orders((2..=64).chain([128, 256]).map(f64::from).collect()).unwrap()
}

/// (What the crate says, the relative tolerance.)
fn found(name: &str) -> (f64, f64) {
    let exact = |value| (value, 1e-9);
    match name {
        "adjacency_factor2_mean" => exact(clipped_mean(ReplaceRecord, L2, 1.0, 100.0).unwrap().value),
        "l1_vs_l2_laplace" => {
            let coordinates = clamped(AddRemoveRecord, L2, (-1.0, 1.0), 100).unwrap();
            exact(laplace_scale(coordinates.value, 100, 1.0))
        }
        "linf_vs_l1_laplace" => exact(clamped(AddRemoveRecord, L1, (-1.0, 1.0), 100).unwrap().value),
        "gradient_clip_linf" => exact(clamped(AddRemoveRecord, L2, (-1.0, 1.0), 25).unwrap().value),
        "sigma_vs_variance" => exact(epsilon(&Gdp, &gaussian(unit(), 4.0_f64.sqrt(), 1), 1e-5)),
        // The noise multiplier is 1.
        "mean_noise_scaling" => exact(clipped_mean(AddRemoveRecord, L2, 1.0, 100.0).unwrap().value),
        "laplace_scale_vs_std" => exact(laplace_scale(1.0, 1, 1.0)),
        "rate_vs_scale" => exact(laplace_scale(1.0, 1, 0.5)),
        "per_iteration_vs_total" => exact(epsilon(&Pure, &ledger([(laplace(unit(), 10.0), 1000)]), 0.0)),
        "delta_composition" => {
            let event = Event::Approximate { epsilon: 0.001, delta: 1e-6, adjacency: ReplaceRecord };
            // 1 - (1 - 1e-6)^1000, a little less than the sum.
            (Pld.bound_at_epsilon(&ledger([(event, 1000)]), 1.0).unwrap().delta, 1e-3)
        }
        "delta_total_split_pld" => exact(epsilon(&Best, &gaussian(unit(), 1.0, 10), 1e-5)),
        "classical_gaussian_eps_gt_1" => exact(sigma(5.0, 1e-5)),
        "classical_gaussian_underestimates" => exact(sigma(50.0, 0.1)),
        "fixed_batch_accounted_as_poisson" => {
            let base = Base::Gaussian { sensitivity: clipped(ReplaceRecord, L2, 1.0).unwrap(), sigma: 1.0 };
            let sampling = Sampling::WithoutReplacement { batch: 10, population: 1000 };
            (epsilon(&integer_orders(), &ledger([(Event::Sampled { sampling, base }, 1000)]), 1e-5), 1e-6)
        }
        "no_amplification_for_full_visibility" => {
            let visible = gaussian(clipped(AddRemoveRecord, L2, 1.0).unwrap(), 1.0, 1000);
            assert!((epsilon(&Best, &visible, 1e-5) - 633.929_851_336).abs() < 1e-6);
            // The table's figure is by divergences, of orders from 1.1 in steps of 0.1.
            let orders = (11..110).map(|k| f64::from(k) / 10.0).collect();
            exact(epsilon(&Rdp::with_orders(orders).unwrap(), &visible, 1e-5))
        }
        "rounding_after_sensitivity" => {
            let rounded = Grid::new(-10).unwrap().inflated(unit(), 1_000_000, 0.0).unwrap();
            exact(epsilon(&Pure, &ledger([(laplace(rounded, 1.5), 1)]), 0.0))
        }
        "log2_vs_ln" => exact(epsilon(&Pure, &ledger([(laplace(unit(), 1.0), 1)]), 0.0)),
        "exact_zero_eps" => {
            let base = Base::Gaussian { sensitivity: clipped(AddRemoveRecord, L2, 1.0).unwrap(), sigma: 1.0 };
            let event = Event::Sampled { sampling: Sampling::Poisson { rate: 0.001_05 }, base };
            (epsilon(&Best, &ledger([(event, 1)]), 1e-3), 0.0)
        }
        // The multiplier is that of the clip: the sensitivity is twice as much.
        "dp_accounting_replace_one_mismatch" => {
            exact(epsilon(&Best, &gaussian(clipped(ReplaceRecord, L2, 1.0).unwrap(), 2.0, 1), 1e-5))
        }
        "finite_sum_geometric_schedule" => {
            let rounds = (0..50).map(|t| (laplace(unit(), 2.0 * 0.9_f64.powi(t)), 1));
            exact(epsilon(&Pure, &ledger(rounds), 0.0))
        }
        other => panic!("no figure for `{other}`"),
    }
}

#[test]
fn every_convention_is_the_right_one() {
    let mut table: serde_json::Value = serde_json::from_str(include_str!("fixtures/conventions.json")).unwrap();
    let rows: Vec<(String, Option<f64>, f64, String)> = serde_json::from_value(table["rows"].take()).unwrap();
    let mut checked = 0;
    for (name, right, wrong, mistake) in &rows {
        // A mean over a private number of records has no right value: see `the_divisor_is_a_public_constant`.
        let Some(right) = *right else { continue };
        let (found, tolerance) = found(name);
        assert!(
            (found - right).abs() <= tolerance * right,
            "{name}: {found}, right {right}; {wrong} would be {mistake}"
        );
        assert!((found - wrong).abs() > 1e-3 * wrong, "{name}: {mistake}");
        checked += 1;
    }
    assert!(rows.len() == 21 && checked == 20, "{checked} of {}", rows.len());
}

/// Figures asked for in reports about other programs.
#[test]
fn values_from_reports_about_other_programs() {
    let close = |found: f64, right: f64, tolerance: f64| {
        assert!((found - right).abs() <= tolerance * right, "{found}, right {right}");
    };
    // The least noise where the classical formula has no proof, and for many rounds.
    close(sigma(10.0, 1e-5), 0.499_888_619_709_008_5, 1e-9);
    close(sigma(1.0, 1e-6), 4.224_678_889_326_835, 1e-9);
    close(60.0_f64.sqrt() * sigma(1.0, 1e-5), 28.897_348_384_953_386, 1e-9);
    // One step on a Poisson sample of rate 0.01: amplification turned round.
    let sampled = |rate: f64, sigma: f64, releases: u64| {
        let base = Base::Gaussian { sensitivity: clipped(AddRemoveRecord, L2, 1.0).unwrap(), sigma };
        ledger([(Event::Sampled { sampling: Sampling::Poisson { rate }, base }, releases)])
    };
    let budget = Budget::new(1.0, 1e-6).unwrap();
    close(noise_multiplier(&Best, budget, |sigma| sampled(0.01, sigma, 1)).unwrap(), 0.776_436_406_179_471_8, 1e-3);
    // That program's figure is an upper bound on a grid of 1e-4.
    close(epsilon(&Best, &sampled(0.2, 20.0, 60), 0.002), 0.123_164_777_993_326_58, 0.01);
    // A batch of 16 out of 100 000: the number of records counts, not that of batches.
    close(Sampling::WithoutReplacement { batch: 16, population: 100_000 }.rate(), 1.6e-4, 1e-12);
    // Ten counters of four bits, one record replaced; and a range that is not symmetric.
    close(clamped(ReplaceRecord, L1, (0.0, 15.0), 10).unwrap().value, 150.0, 1e-12);
    close(clamped(AddRemoveRecord, L2, (0.0, 10.0), 1).unwrap().value.powi(2), 100.0, 1e-12);
}

/// Noise of all parties averages out, but whoever sees a message sees it before.
#[test]
fn a_neighbour_is_promised_no_more_than_those_who_see_everything() {
    let mut seen = gaussian(clipped(ReplaceRecord, L2, 1.0).unwrap(), 1.0, 1);
    let all = epsilon(&Best, &seen, 1e-5);
    seen.adversary = Adversary::Neighbour(0);
    assert_eq!(epsilon(&Best, &seen, 1e-5).to_bits(), all.to_bits());
    let averaged = gaussian(clipped(ReplaceRecord, L2, 1.0).unwrap(), 1.0 / 10.0_f64.sqrt(), 1);
    assert!(epsilon(&Best, &averaged, 1e-5) > all);
}
