//! The answers of `dido epsilon` and `dido calibrate` against values computed by other programs and by hand.

use dido_experiments::accounting::calibrate::{self, Calibrated, Found, Goal};
use dido_experiments::accounting::epsilon::{self, NormName, Release, Vector};
use dido_experiments::accounting::subsampled_dda::{self, Dda};
use dido_experiments::accounting::{Answer, SampleOptions, Scheme};
use dido_mechanisms::Adjacency;
use serde::de::DeserializeOwned;

fn rows<T: DeserializeOwned>(table: &str) -> Vec<T> {
    let mut fixture: serde_json::Value = serde_json::from_str(include_str!("fixtures/accounting.json")).unwrap();
    serde_json::from_value(fixture[table].take()).unwrap()
}

fn poisson(rate: f64) -> SampleOptions {
    SampleOptions { rate: Some(rate), ..SampleOptions::default() }
}

fn gaussian(noise_multiplier: f64, sample: SampleOptions, steps: u64, delta: f64) -> Answer {
    let question = epsilon::Gaussian { noise_multiplier, sample, steps, delta, adjacency: None };
    epsilon::gaussian(&question).unwrap()
}

fn laplace(scale: f64, sample: SampleOptions, steps: u64, delta: f64) -> Answer {
    let release = Release { sensitivity: 1.0, vector: Vector::default() };
    let (scale, steps) = (Some(scale), Some(steps));
    let question = epsilon::Laplace { scale, scales: None, steps, release, sample, delta, adjacency: None };
    epsilon::laplace(&question).unwrap()
}

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance * expected, "{what}: {found}, expected {expected}");
}

#[test]
fn gaussian_noise_is_worth_what_its_closed_form_says() {
    for (z, steps, delta, exact, zcdp, rdp) in rows::<(f64, u64, f64, f64, f64, f64)>("gaussian") {
        let what = format!("z {z}, {steps} steps, delta {delta}");
        let answer = gaussian(z, SampleOptions::default(), steps, delta);
        let figures = &answer.figures;
        close(figures.gdp.unwrap().0, exact, 1e-10, &what);
        assert_eq!(figures.best.method, "gdp");
        close(figures.best.epsilon.0, exact, 1e-10, &what);
        close(figures.zcdp.unwrap().0, zcdp, 1e-9, &what);
        // The table's orders are a grid.
        assert!(figures.rdp.unwrap().0 <= rdp * (1.0 + 1e-9) && figures.rdp.unwrap().0 >= exact, "{what}");
        let pld = figures.pld.unwrap();
        assert!(pld.lower.unwrap() <= exact && exact <= pld.upper.0 && pld.upper.0 <= 1.001 * exact, "{what}");
        assert!(figures.pure.is_none() && figures.reasons["pure"].contains("Gaussian"), "{what}");
    }
}

#[test]
fn gaussian_noise_on_samples_is_worth_what_others_find() {
    type Row = (f64, f64, u64, f64, f64, f64, f64);
    for (z, rate, steps, delta, rdp, pld, tolerance) in rows::<Row>("poisson") {
        let what = format!("z {z}, rate {rate}, {steps} steps, delta {delta}");
        let answer = gaussian(z, poisson(rate), steps, delta);
        let figures = &answer.figures;
        assert_eq!((answer.adjacency, answer.releases), (Adjacency::AddRemoveRecord, steps));
        let found = figures.rdp.unwrap().0;
        assert!(found <= rdp * (1.0 + 1e-6) && found >= pld - tolerance, "{what}: {found} {rdp}");
        let found = figures.pld.unwrap();
        assert!(found.upper.0 >= pld - tolerance && found.upper.0 <= pld * 1.001 + 1e-6, "{what}: {found:?} {pld}");
        assert!(found.lower.unwrap_or(0.0) <= pld, "{what}: {found:?} {pld}");
        assert!(figures.best.epsilon <= found.upper && figures.best.epsilon <= figures.rdp.unwrap(), "{what}");
        assert!(figures.gdp.is_none() && figures.zcdp.is_none() && figures.reasons.contains_key("gdp"), "{what}");
    }
    for (z, population, batch, steps, delta, rdp) in rows::<(f64, u64, u64, u64, f64, f64)>("subset") {
        let what = format!("z {z}, {batch} of {population}, {steps} steps, delta {delta}");
        let sampling = Some(Scheme::WithoutReplacement);
        let (batch, population) = (Some(batch), Some(population));
        let counted = SampleOptions { rate: None, sampling, batch, population };
        let answer = gaussian(z, counted, steps, delta);
        assert_eq!(answer.adjacency, Adjacency::ReplaceRecord);
        let found = answer.figures.rdp.unwrap().0;
        assert!(found <= rdp * (1.0 + 1e-6) && found >= answer.figures.best.epsilon.0, "{what}: {found} {rdp}");
        // The same by its rate.
        let rate = batch.unwrap() as f64 / population.unwrap() as f64;
        let shared = gaussian(z, SampleOptions { sampling, ..poisson(rate) }, steps, delta);
        assert_eq!(shared.figures, answer.figures, "{what}");
    }
}

#[test]
fn laplace_noise_is_worth_what_others_find() {
    for (scale, steps, delta, pure, optimal, rdp, pld) in rows::<(f64, u64, f64, f64, f64, f64, f64)>("laplace") {
        let what = format!("scale {scale}, {steps} steps, delta {delta}");
        let figures = laplace(scale, SampleOptions::default(), steps, delta).figures;
        close(figures.pure.unwrap().0, pure, 1e-12, &what);
        close(figures.advanced.unwrap().0, optimal, 1e-9, &what);
        assert!(figures.rdp.unwrap().0 <= rdp * (1.0 + 1e-9), "{what}: {:?} {rdp}", figures.rdp);
        // The table's grid is 1e-4 wide or wider.
        close(figures.pld.unwrap().upper.0, pld, 1e-3, &what);
        assert!(figures.best.epsilon.0 <= pld * 1.001 && figures.gdp.is_none(), "{what}");
    }
    for (scale, rate, steps, delta, pure, pld) in rows::<(f64, f64, u64, f64, f64, f64)>("sampled_laplace") {
        let what = format!("scale {scale}, rate {rate}, {steps} steps, delta {delta}");
        let figures = laplace(scale, poisson(rate), steps, delta).figures;
        close(figures.pure.unwrap().0, pure, 1e-12, &what);
        // The table's grid is as wide as some of these losses: its upper bounds are up to 3 % above.
        let found = figures.pld.unwrap();
        assert!(found.upper.0 <= pld * 1.001 && found.upper.0 >= 0.97 * pld && found.lower.unwrap() <= pld, "{what}");
    }
}

/// Scales one by one, and the norm: `L1 = sqrt(dim) L2` for pure privacy, no factor for zCDP.
#[test]
fn laplace_scales_and_norms_are_what_they_say() {
    let question = |scales: Option<Vec<f64>>, vector| epsilon::Laplace {
        scale: None,
        scales,
        steps: None,
        release: Release { sensitivity: 3.0, vector },
        sample: SampleOptions::default(),
        delta: 0.0,
        adjacency: Some(Adjacency::ReplaceNode),
    };
    let l2 = Vector { norm: NormName::L2, dim: Some(16) };
    let answer = epsilon::laplace(&question(Some(vec![4.0, 6.0, 12.0]), l2)).unwrap();
    close(answer.figures.pure.unwrap().0, 4.0 * 3.0 * (1.0 / 4.0 + 1.0 / 6.0 + 1.0 / 12.0), 1e-12, "pure");
    assert_eq!((answer.adjacency, answer.releases), (Adjacency::ReplaceNode, 3));
    assert_eq!(answer.figures.best.method, "pure");
    assert!(answer.figures.pld.is_none() && answer.figures.reasons["pld"].contains("delta"));
    let at_delta = epsilon::laplace(&epsilon::Laplace { delta: 1e-5, ..question(Some(vec![12.0]), l2) }).unwrap();
    let rho = 0.5 * (3.0_f64 / 12.0).powi(2);
    let expected = dido_mechanisms::accountants::epsilon_of_rho(rho, 1e-5).unwrap();
    close(at_delta.figures.zcdp.unwrap().0, expected, 1e-12, "zcdp");
    for bad in [question(Some(vec![1.0]), Vector { norm: NormName::L2, dim: None }), question(None, l2)] {
        assert!(epsilon::laplace(&bad).is_err());
    }
}

/// Values of public issue threads where other programs were wrong; the right ones from closed forms and the finest grids.
#[test]
fn what_others_got_wrong_is_right_here() {
    // opacus 643: a central limit theorem said 1.83.
    let found = gaussian(3.0, poisson(0.2), 50, 1.0 / 48000.0).figures;
    close(found.best.epsilon.0, 1.960_811_664_708, 1e-3, "opacus 643");
    // privacy 166: 0 is right, the total variation being below delta.
    assert!(gaussian(1.0, poisson(0.00105), 1, 1e-3).figures.best.epsilon.0 <= 0.0);
    // prv_accountant 17: infinite in some, noise of the transform in others.
    let tiny = gaussian(4.0, poisson(3.3e-4), 10_000, 1.13e-18).figures;
    assert!(tiny.best.epsilon.0 <= 0.145_653 && tiny.best.epsilon.0 > 0.05, "{tiny:?}");
    let small = gaussian(4.0, poisson(3.3e-4), 10_000, 1e-12).figures;
    // A valid bound of a coarse grid, and what cannot be undercut.
    assert!(small.best.epsilon.0 <= 0.056_856 && small.pld.unwrap().lower.unwrap() > 0.05, "{small:?}");
    // autodp 15: infinite.
    let none = SampleOptions::default();
    close(gaussian(20.0, none, 60, 0.002).figures.best.epsilon.0, 0.902_939_643_005_531_1, 1e-10, "autodp 15");
    // smartnoise-sdk 621: a logarithm was lost, which made it 1414.
    let drv = laplace(10.0, none, 100, 1e-6).figures;
    assert!(drv.advanced.unwrap().0 <= 5.756_105_519_336, "{drv:?}");
    // autodp 2 and 39, opacus 566, smartnoise-sdk 462.
    let sigma = |epsilon, delta, sample, steps| noise(&calibrate_gaussian(epsilon, delta, 1.0, sample, steps));
    close(sigma(1.0, 1e-6, poisson(0.01), 1), 0.776_436_406_179, 2e-3, "autodp 2");
    close(sigma(1.0, 1e-6, none, 1), 4.224_678_889_326_835, 1e-10, "autodp 39");
    close(sigma(1000.0, 1e-6, none, 1), 0.024_850_366_686_947_72, 1e-10, "autodp 39");
    close(sigma(1.0, 1e-5, none, 60), 28.897_348_384_953_386, 1e-10, "opacus 566");
    close(sigma(10.0, 1e-5, none, 1), 0.499_888_619_709_008_5, 1e-10, "smartnoise-sdk 462");
}

fn calibrate_gaussian(epsilon: f64, delta: f64, sensitivity: f64, sample: SampleOptions, steps: u64) -> Calibrated {
    let (schedule, adjacency) = (None, None);
    calibrate::gaussian(&calibrate::Gaussian { epsilon, delta, sensitivity, steps, schedule, sample, adjacency })
        .unwrap()
}

fn calibrate_laplace(epsilon: f64, delta: f64, sensitivity: f64, vector: Vector, steps: u64) -> Calibrated {
    let (schedule, sample, adjacency) = (None, SampleOptions::default(), None);
    let question = calibrate::Laplace { epsilon, delta, sensitivity, vector, steps, schedule, sample, adjacency };
    calibrate::laplace(&question).unwrap()
}

fn noise(answer: &Calibrated) -> f64 {
    match answer.found {
        Found::Sigma { sigma: noise, .. } | Found::Scale { scale: noise } => noise,
        _ => panic!("{answer:?}"),
    }
}

#[test]
fn calibrated_noise_is_what_others_find() {
    let none = SampleOptions::default();
    for (epsilon, delta, sigma) in rows::<(f64, f64, f64)>("gaussian_calibration") {
        let found = calibrate_gaussian(epsilon, delta, 2.5, none, 1);
        close(noise(&found), 2.5 * sigma, 1e-10, &format!("{epsilon} {delta}"));
        assert!(noise(&found) >= 2.5 * sigma * (1.0 - 1e-15) && found.method == "gdp");
    }
    for (epsilon, delta, steps, sigma) in rows::<(f64, f64, u64, f64)>("composed_calibration") {
        close(noise(&calibrate_gaussian(epsilon, delta, 1.0, none, steps)), sigma, 1e-10, &format!("{steps} steps"));
    }
    for (rate, steps, epsilon, delta, sigma) in rows::<(f64, u64, f64, f64, f64)>("poisson_calibration") {
        let found = noise(&calibrate_gaussian(epsilon, delta, 1.0, poisson(rate), steps));
        // The table's grid is coarse: it asks for up to 2 % more.
        assert!(found <= sigma * 1.0001 && found > 0.98 * sigma, "rate {rate}, {steps} steps: {found} {sigma}");
    }
    for (epsilon, sensitivity, scale) in rows::<(f64, f64, f64)>("laplace_calibration") {
        close(noise(&calibrate_laplace(epsilon, 0.0, sensitivity, Vector::default(), 1)), scale, 1e-12, "Laplace");
    }
}

/// Never more than the budget, by the accountant that is asked again, and at least 0.99 of it; the epsilon of the answer is
/// that of the noise of the answer.
#[test]
fn calibration_uses_the_budget_and_never_more() {
    for epsilon in [0.01, 1.0, 20.0] {
        for (delta, steps) in [(1e-9, 1), (1e-5, 1), (1e-5, 10), (0.01, 1000)] {
            let what = format!("epsilon {epsilon}, delta {delta}, {steps} steps");
            let used = |spent: f64| assert!(spent <= epsilon && spent >= 0.99 * epsilon, "{what}: {spent}");
            for sample in [
                SampleOptions::default(),
                poisson(0.2),
                SampleOptions { sampling: Some(Scheme::OneOfQ), ..poisson(0.2) },
            ] {
                let found = calibrate_gaussian(epsilon, delta, 1.0, sample, steps);
                assert_eq!(
                    found.epsilon.0.to_bits(),
                    gaussian(noise(&found), sample, steps, delta).figures.best.epsilon.0.to_bits()
                );
                used(found.epsilon.0);
            }
            for delta in [0.0, delta] {
                let found = calibrate_laplace(epsilon, delta, 1.0, Vector::default(), steps);
                let judge = laplace(noise(&found), SampleOptions::default(), steps, delta).figures.best.epsilon.0;
                assert_eq!(found.epsilon.0.to_bits(), judge.to_bits(), "{what}");
                used(judge);
            }
            let dim = Vector { norm: NormName::L2, dim: Some(100) };
            used(calibrate_laplace(epsilon, delta, 0.1, dim, steps).epsilon.0);
        }
    }
}

/// The closed form of pure privacy rounds to both sides: in some of these cases it would overspend by a last bit.
#[test]
fn no_rounding_error_takes_noise_away() {
    let mut raised = 0;
    for epsilon in (1..40).map(|k| 0.1 * f64::from(k)) {
        for (sensitivity, steps) in [(0.1, 3), (0.3, 7), (1.0 / 3.0, 11), (0.7, 1000), (1e-3, 12_345)] {
            let found = calibrate_laplace(epsilon, 0.0, sensitivity, Vector::default(), steps);
            let plain = sensitivity * steps as f64 / epsilon;
            let release = Release { sensitivity, vector: Vector::default() };
            let (scale, scales, steps, sample) = (Some(noise(&found)), None, Some(steps), SampleOptions::default());
            let question = epsilon::Laplace { scale, scales, steps, release, sample, delta: 0.0, adjacency: None };
            let spent = epsilon::laplace(&question).unwrap().figures.best.epsilon.0;
            assert!(spent <= epsilon && spent > epsilon * (1.0 - 1e-14), "{epsilon} {sensitivity}: {spent}");
            raised += u32::from(noise(&found) > plain);
        }
    }
    assert!(raised > 10, "{raised}");
}

/// The largest number of rounds keeps the budget, one more does not.
#[test]
fn one_round_more_would_overspend() {
    let release = Release { sensitivity: 1.0, vector: Vector::default() };
    for (epsilon, delta, sample) in [
        (2.0, 1e-5, SampleOptions::default()),
        (2.0, 1e-5, poisson(0.05)),
        (0.04, 0.0, SampleOptions::default()),
        (0.9, 1e-9, poisson(0.5)),
    ] {
        let goal = Goal { epsilon, delta, sample, adjacency: None };
        let found =
            calibrate::laplace_rounds(&calibrate::LaplaceRounds { scale: 30.0, release, goal: goal.clone() }).unwrap();
        let spent = |rounds| laplace(30.0, sample, rounds, delta).figures.best.epsilon.0;
        let Found::Rounds { rounds } = found.found else { panic!("{found:?}") };
        assert!(spent(rounds) <= epsilon && spent(rounds + 1) > epsilon, "{epsilon} {delta}: {rounds}");
        if delta > 0.0 {
            let question = calibrate::GaussianRounds { noise_multiplier: 5.0, goal };
            let Found::Rounds { rounds } = calibrate::gaussian_rounds(&question).unwrap().found else { panic!() };
            let spent = |rounds| gaussian(5.0, sample, rounds, delta).figures.best.epsilon.0;
            assert!(spent(rounds) <= epsilon && spent(rounds + 1) > epsilon, "{epsilon} {delta}: {rounds}");
        }
    }
}

/// Schedules: the judge agrees, and equal noise for all with the same total variance would overspend.
#[test]
fn a_schedule_is_better_than_equal_noise() {
    let sensitivities = vec![0.1, 1.0, 5.0, 0.1];
    for (delta, sample) in [(0.0, SampleOptions::default()), (1e-5, SampleOptions::default()), (1e-5, poisson(0.5))] {
        let schedule = Some(sensitivities.clone());
        let (epsilon, sensitivity, steps, vector, adjacency) = (1.0, 1.0, 1, Vector::default(), None);
        let question = calibrate::Laplace { epsilon, delta, sensitivity, vector, steps, schedule, sample, adjacency };
        let found = calibrate::laplace(&question).unwrap();
        let Found::Scales { scales } = &found.found else { panic!("{found:?}") };
        assert!(found.epsilon.0 <= 1.0 && found.epsilon.0 >= 0.99, "{found:?}");
        // One release for another: in units of its sensitivity, each has a scale of its own.
        let judge = |scales: Vec<f64>| {
            let relative = scales.iter().zip(&sensitivities).map(|(scale, sensitivity)| scale / sensitivity).collect();
            let release = Release { sensitivity: 1.0, vector };
            let (scale, scales, steps) = (None, Some(relative), None);
            let question = epsilon::Laplace { scale, scales, steps, release, sample, delta, adjacency };
            epsilon::laplace(&question).unwrap().figures.best.epsilon.0
        };
        close(judge(scales.clone()), found.epsilon.0, 1e-6, "the judge");
        let mean = (scales.iter().map(|scale| scale * scale).sum::<f64>() / 4.0).sqrt();
        assert!(judge(vec![mean; 4]) > 1.1, "{delta}: {}", judge(vec![mean; 4]));
    }
}

/// Few releases are cheapest by pure privacy, whose noise follows the cube root; many by concentrated privacy: the root.
#[test]
fn the_allocation_is_the_one_with_less_variance() {
    for (pairs, exponent) in [(1, 1.0 / 3.0), (100, 0.5)] {
        let schedule = Some([1.0, 8.0].repeat(pairs));
        let (epsilon, delta, sensitivity, steps, vector) = (1.0, 1e-9, 1.0, 1, Vector::default());
        let (sample, adjacency) = (SampleOptions::default(), None);
        let question = calibrate::Laplace { epsilon, delta, sensitivity, vector, steps, schedule, sample, adjacency };
        let found = calibrate::laplace(&question).unwrap();
        let Found::Scales { scales } = &found.found else { panic!("{found:?}") };
        close(scales[1] / scales[0], 8.0_f64.powf(exponent), 1e-9, "the ratio");
    }
}

/// The rows of the table in the notes on paper B, by the dominating pair; and the claim, which is none.
#[test]
fn subsampled_dual_averaging_is_worth_less_than_claimed() {
    let question = Dda { nodes: 10, iota: 0.1, records: 10, sigma: 6.53, lipschitz: 1.0, rounds: 2000, delta: 1e-5 };
    let answer = subsampled_dda::answer(&question).unwrap();
    // Composed in one direction only, these are 0.5000 and 1.82: not bounds. By both: 0.5543, and for 200 active rounds 1.943.
    close(answer.hidden.figures.best.epsilon.0, 0.5543, 5e-3, "hidden");
    assert!(answer.visible.figures.best.epsilon.0 > 1.85, "{:?}", answer.visible.figures.best);
    assert!(!answer.published.guarantee && answer.published.reason.contains("not guaranteed"));
    // L/sigma * iota/q * sqrt(8 T ln(1/delta))
    let expected = 0.01 / 6.53 * (8.0 * 2000.0 * 1e5_f64.ln()).sqrt();
    close(answer.published.claim.epsilon, expected, 1e-12, "published");
    close(answer.noise_multiplier, 3.265, 1e-12, "z");
    // Idle never, both are the same mechanism.
    let awake = subsampled_dda::answer(&Dda { iota: 1.0, rounds: 20, ..question }).unwrap();
    close(awake.visible.figures.best.epsilon.0, awake.hidden.figures.best.epsilon.0, 1e-9, "iota 1");
}
