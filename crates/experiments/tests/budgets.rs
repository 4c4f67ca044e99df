//! What a budget decides: by which accountant the noise is calibrated, and for how many rounds given noise pays.

mod common;

use common::{Bench, TOML};
use dido_experiments::{ExperimentError, Planned, Spec, load, plan};
use dido_mechanisms::{Accountant, Best, Budget, ClassLedger, Filter, Gdp, MechanismError, Pld, Pure, Rdp, Zcdp};

fn spec(bench: &Bench, overrides: &[&str]) -> Result<Spec, ExperimentError> {
    let overrides: Vec<String> = overrides.iter().map(|&set| set.to_owned()).collect();
    load(bench.path("experiment.toml").to_str().unwrap(), &overrides).and_then(Spec::new)
}

fn planned(bench: &Bench, overrides: &[&str]) -> Result<Planned, ExperimentError> {
    spec(bench, overrides).and_then(|spec| plan(&spec))
}

const ALGORITHMS: [&str; 7] = [
    "algorithm={ kind = 'projected-dgd', set = { kind = 'l2-ball', radius = 1.5 }, step = { kind = 'constant', c = 0.2 } }",
    "algorithm={ kind = 'pdop', set = { kind = 'l2-ball', radius = 1.5 }, step = { kind = 'geometric', c = 0.2, q = 0.9 } }",
    "algorithm={ kind = 'clipped-dgd', step = { kind = 'power', c = 0.2, d = 1, e = 0.5 }, clip = { record = 1 } }",
    "algorithm={ kind = 'dp-sgd', step = { kind = 'constant', c = 0.1 }, clip = 1, sampling = { records = 5 } }",
    "algorithm={ kind = 'dp-sgd', step = { kind = 'constant', c = 0.1 }, clip = 1, sampling = 'one-record' }",
    "algorithm={ kind = 'diging', step = { kind = 'constant', c = 0.1 }, clip = 1 }",
    "algorithm={ kind = 'sufficient-statistics' }",
];

/// The noise that an accountant calibrates keeps the budget by that accountant, asked here again, and uses nearly all of it.
#[test]
fn the_accountant_of_the_file_calibrates_the_noise_and_never_overspends() {
    let bench = Bench::new();
    let accountants: [(&str, Box<dyn Accountant>); 6] = [
        ("pure", Box::new(Pure)),
        ("zcdp", Box::new(Zcdp::default())),
        ("rdp", Box::new(Rdp::default())),
        ("gdp", Box::new(Gdp)),
        ("pld", Box::new(Pld)),
        ("best", Box::new(Best)),
    ];
    let (mut calibrated, mut refused) = (0, 0);
    for algorithm in ALGORITHMS {
        for mechanism in ["laplace", "gaussian"] {
            for (name, accountant) in &accountants {
                let chosen = format!("privacy.accountant={name}");
                let noise = format!("privacy.noise.mechanism={mechanism}");
                let overrides = ["rounds=12", "privacy.budget.epsilon=2", algorithm, &noise, &chosen];
                match planned(&bench, &overrides) {
                    Ok(planned) => {
                        let found = accountant.bound(&planned.ledger, 1e-5).unwrap().epsilon;
                        assert!(found <= 2.0, "{overrides:?}: {found}");
                        assert!(found > 1.99, "{overrides:?} leaves much of the budget: {found}");
                        assert_eq!(planned.plan.accountant.as_deref(), Some(*name));
                        calibrated += 1;
                    }
                    Err(ExperimentError::Key { path, message, .. }) => {
                        assert_eq!(path, "privacy.accountant", "{overrides:?}: {message}");
                        assert!(message.contains(&format!("`{name}` does not cover")), "{message}");
                        // By the accountant itself: of the same run with the noise of the default.
                        let ledger = planned(&bench, &overrides[..4]).unwrap().ledger;
                        let found = accountant.bound(&ledger, 1e-5);
                        assert!(matches!(found, Err(MechanismError::Unsupported { .. })), "{overrides:?}: {found:?}");
                        refused += 1;
                    }
                    Err(other) => panic!("{overrides:?}: {other}"),
                }
            }
        }
    }
    assert!(calibrated > 50 && refused > 10, "{calibrated} calibrated, {refused} refused");
}

#[test]
fn an_accountant_has_to_fit_the_budget() {
    let bench = Bench::new();
    for (overrides, expected) in [
        (
            &["privacy.accountant=zcdp", "privacy.budget.delta=0"][..],
            "`privacy.accountant`: at delta 0 there is pure accounting only",
        ),
        (&["privacy.accountant=gdp"], "`privacy.accountant`: the accountant `gdp` does not cover Laplace noise"),
        (&["privacy.accountant=pure", LAPLACE], "too small for 40 rounds: they cost epsilon"),
    ] {
        let sets: Vec<&str> = overrides.iter().flat_map(|&set| ["--set", set]).collect();
        let line = bench.refusal(&[&["plan", "experiment.toml"], &sets[..]].concat());
        assert!(line.contains(expected), "`{expected}` is not in: {line}");
    }
    bench.write("experiment.toml", &TOML.replace("budget = { epsilon = 8, delta = 1e-5 }", "accountant = \"rdp\""));
    let noise = "privacy.noise={ kind = 'laplace', scale = { kind = 'constant', c = 1 } }";
    let line = bench.refusal(&["plan", "experiment.toml", "--set", noise]);
    assert!(line.contains("`privacy.accountant`: there is no budget"), "{line}");
}

const LAPLACE: &str = "privacy.noise={ kind = 'laplace', scale = { kind = 'constant', c = 0.1 } }";
const GAUSSIAN: &str = "privacy.noise={ kind = 'gaussian', sigma = { kind = 'constant', c = 0.2 } }";

/// The largest number of rounds keeps the budget, and one more is refused: both by plans of files that ask for that number.
#[test]
fn the_largest_number_of_rounds_fits_and_one_more_does_not() {
    let bench = Bench::new();
    for overrides in [
        // Charged release by release, in rho and in pure epsilon.
        &[LAPLACE][..],
        &[LAPLACE, "privacy.budget={ epsilon = 8, delta = 0 }"],
        // Accounted as a whole.
        &[GAUSSIAN],
        &[LAPLACE, "privacy.accountant=pld"],
        &[GAUSSIAN, "privacy.accountant=zcdp"],
        &["privacy.noise={ kind = 'gaussian', sigma = { kind = 'constant', c = 1.5 } }", ALGORITHMS[3]],
        &["privacy.noise={ kind = 'discrete-gaussian', sigma = { kind = 'constant', c = 0.2 } }"],
        // Scales that fall, and an algorithm whose releases depend on how many there will be.
        &["privacy.noise={ kind = 'laplace', scale = { kind = 'geometric', c = 0.5, q = 0.97 } }"],
        &[
            LAPLACE,
            "algorithm={ kind = 'wang-nedic', set = { kind = 'l2-ball', radius = 1.5 }, step = { kind = 'constant', c = 0.1 }, coupling = { kind = 'constant', c = 0.5 } }",
        ],
    ] {
        fn with<'a>(overrides: &[&'a str], more: &'a str) -> Vec<&'a str> {
            [overrides, &[more]].concat()
        }
        let found = spec(&bench, &with(&with(overrides, "rounds=3000"), "privacy.budget.rounds=largest"));
        // A table in `overrides` may have taken the place of the budget: its rounds are set after it.
        let found = found.unwrap_or_else(|error| panic!("{overrides:?}: {error}"));
        let rounds = found.config.rounds;
        assert!(rounds > 1 && rounds < 3000, "{overrides:?}: {rounds}");
        let largest = plan(&found).unwrap();
        assert_eq!((largest.plan.rounds, largest.plan.rounds_asked), (rounds, Some(3000)));
        let fits = planned(&bench, &with(overrides, &format!("rounds={rounds}"))).unwrap();
        assert_eq!(fits.ledger, largest.ledger, "{overrides:?}");
        let more = planned(&bench, &with(overrides, &format!("rounds={}", rounds + 1))).unwrap_err();
        let refused = matches!(more, ExperimentError::OverBudget { .. } | ExperimentError::PlanOverBudget { .. });
        assert!(refused, "{overrides:?}: {more}");
    }
}

/// By hand: the filter of the budget is charged with the release of one round until it refuses.
#[test]
fn charged_rounds_are_those_that_the_filter_pays_for() {
    let bench = Bench::new();
    let found = spec(&bench, &[LAPLACE, "rounds=3000", "privacy.budget.rounds=largest"]).unwrap();
    let one = planned(&bench, &[LAPLACE, "rounds=1"]).unwrap();
    let paid = |class: &ClassLedger| {
        let mut filter = Filter::new(Budget::new(8.0, 1e-5).unwrap());
        (0..3000).take_while(|_| filter.charge(&class.entries[0].event).is_ok()).count()
    };
    let rounds = one.ledger.classes.iter().map(paid).min().unwrap();
    assert_eq!(found.config.rounds as usize, rounds);
}

#[test]
fn the_file_with_the_largest_number_of_rounds_is_one_specification() {
    let bench = Bench::new();
    let largest = "privacy.budget.rounds=largest";
    let found = spec(&bench, &[GAUSSIAN, "rounds=3000", largest]).unwrap();
    // The file of the result asks again, and finds the same.
    bench.write("again.toml", &found.toml());
    let again = load(bench.path("again.toml").to_str().unwrap(), &[]).and_then(Spec::new).unwrap();
    assert_eq!((&again.digest, again.config.rounds), (&found.digest, found.config.rounds));
    assert!(found.toml().contains("rounds = 3000") && found.toml().contains("rounds = \"largest\""));
    // It is another one than that of these rounds, or of more.
    let digest = |overrides: &[&str]| spec(&bench, overrides).unwrap().digest;
    assert_ne!(digest(&[GAUSSIAN, &format!("rounds={}", found.config.rounds)]), found.digest);
    assert_ne!(digest(&[GAUSSIAN, "rounds=2999", largest]), found.digest);
    // Where the budget pays for all of them, all are made.
    assert_eq!(spec(&bench, &[GAUSSIAN, "rounds=3", largest]).unwrap().config.rounds, 3);

    let text = bench.dido(&["plan", "experiment.toml", "--set", GAUSSIAN, "--set", "rounds=3000", "--set", largest]);
    let text = String::from_utf8(text.stdout).unwrap();
    let line = format!("{}, the most of 3000 that the budget pays for", found.config.rounds);
    assert!(text.contains(&line), "`{line}` is not in:\n{text}");
    let run = bench.json(&["run", "experiment.toml", "--set", GAUSSIAN, "--set", "rounds=3000", "--set", largest]);
    assert_eq!(run["rounds"], found.config.rounds);
    assert!(run["epsilon"]["best"]["epsilon"].as_f64().unwrap() <= 8.0);
}

#[test]
fn a_largest_number_of_rounds_needs_given_noise_that_pays_for_one() {
    let bench = Bench::new();
    for (noise, expected) in [
        (
            "privacy.noise.allocation=constant",
            "`privacy.budget.rounds`: calibrated noise makes the budget pay for any number",
        ),
        (
            "privacy.noise={ kind = 'laplace', scale = { kind = 'constant', c = 0.001 } }",
            "too small for 1 rounds: in round 0 ",
        ),
        (
            "privacy.noise={ kind = 'gaussian', sigma = { kind = 'constant', c = 0.001 } }",
            "too small for 1 rounds: they cost",
        ),
    ] {
        let arguments = ["plan", "experiment.toml", "--set", noise, "--set", "privacy.budget.rounds=largest"];
        let line = bench.refusal(&arguments);
        assert!(line.contains(expected), "`{expected}` is not in: {line}");
    }
}

/// Every kind of schedule, wherever a file takes one.
#[test]
fn every_schedule_is_reachable() {
    let bench = Bench::new();
    let table = format!("{{ kind = 'table', values = [{}] }}", vec!["0.1"; 41].join(", "));
    for schedule in [
        "{ kind = 'constant', c = 0.1 }",
        "{ kind = 'power', c = 0.1, d = 1, e = 0.5 }",
        "{ kind = 'geometric', c = 0.1, q = 0.99 }",
        &table,
    ] {
        for key in [
            format!("algorithm.step={schedule}"),
            format!("privacy.noise={{ kind = 'laplace', scale = {schedule} }}"),
            format!("privacy.noise={{ kind = 'gaussian', sigma = {schedule} }}"),
        ] {
            planned(&bench, &[&key, "privacy.budget.epsilon=1e6"]).unwrap_or_else(|error| panic!("{key}: {error}"));
        }
    }
}
