//! `dido explain`, `dido tune` and `dido doctor`: what is told before any data are read.

mod common;

use common::{Bench, TOML, clinics};
use dido_experiments::advice::{CONSENSUS, Explained, Kind, NOISE, START, STEP, explain};
use dido_experiments::{Spec, load, plan};
use serde_json::Value;

fn explained(name: &str, keys: &[&str]) -> Explained {
    let keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
    let spec = Spec::new(load(name, &keys).unwrap()).unwrap();
    explain(&spec, &plan(&spec).unwrap())
}

/// The prediction that is a bound, or an estimate.
fn value(found: &Explained, kind: Kind) -> f64 {
    found.predictions.iter().find(|prediction| prediction.kind == kind).expect("there is one").value
}

const BALL: &str = "set = { kind = 'l2-ball', radius = 0.7 }";

#[test]
fn no_data_are_read_and_the_figures_are_those_of_the_plan() {
    let bench = Bench::with(TOML, &clinics());
    std::fs::remove_file(bench.path("clinics.csv")).unwrap();
    let (found, plan) = (bench.json(&["explain", "experiment.toml"]), bench.json(&["plan", "experiment.toml"]));
    for key in ["sensitivity", "epsilon", "noise", "budget", "mechanism"] {
        assert!(!found[key].is_null() && found[key] == plan[key], "{key}: {} {}", found[key], plan[key]);
    }
    assert!(bench.dido(&["explain", "experiment.toml"]).status.success());
}

/// Two rounds of constant step 1/10 on two parties, by hand. Gaussian noise of standard deviation 3 in every message, `L = 4`.
#[test]
fn an_estimate_by_hand() {
    let keys = [
        "rounds=2",
        "data.records=[10, 10]",
        "graph.kind=path",
        "algorithm.average_from=0",
        "algorithm.step.c=0.1",
        "privacy.noise={ kind = 'gaussian', sigma = { kind = 'constant', c = 3 } }",
        "privacy.budget.epsilon=1000000",
        "averaging_rounds=0",
        "objective.strong_convexity=0.4",
    ];
    let found = explained("quickstart", &keys);
    let estimate = found.predictions.iter().find(|prediction| prediction.kind == Kind::Estimate).unwrap();
    // The answer is the mean of e1 and e2, e1 = r e0 + w0, e2 = r e1 + w1, r = 1 - h/10.
    let start = |h: f64| h * ((1.0 - 0.1 * h) * (2.0 - 0.1 * h) / 2.0).powi(2);
    let variance = |h: f64| 9.0 / 2.0 * (((2.0 - 0.1 * h) / 2.0).powi(2) + 0.25);
    let noise = |h: f64| h * variance(h);
    // Both rise up to h = 4 and over the whole range at most a hundredth in a step of the grid near the maximum.
    let most = |f: &dyn Fn(f64) -> f64| (0..=10_000).map(|k| f(0.4 + 3.6e-4 * f64::from(k))).fold(0.0, f64::max);
    let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-2;
    assert!(close(estimate.term(START), 0.5 * 0.49 * most(&start)), "{estimate:?}");
    assert!(close(estimate.term(NOISE), 0.5 * 9.0 * most(&noise)), "{estimate:?}");
    // Nobody averages afterwards: parties may be a diameter apart, at the largest curvature.
    assert!(close(estimate.term(CONSENSUS), 0.5 * 4.0 * 1.4 * 1.4), "{estimate:?}");
    let coefficient = found.noise_in_answer.coefficient.unwrap();
    assert!(close(coefficient, variance(0.4).sqrt()), "{coefficient}");
    assert!(close(found.noise_in_answer.prediction.unwrap(), 2.0 * coefficient));
    assert!(close(found.noise_in_answer.released, 3.0 / 2.0_f64.sqrt()));
    assert!(found.warnings.iter().any(|warning| warning.starts_with("noise exceeds the signal")), "{found:?}");
}

/// The recursion (R) by hand for one round of a step that contracts.
#[test]
fn a_bound_by_hand() {
    let keys = [
        "rounds=1",
        "data.records=[10, 10]",
        "graph.kind=path",
        "algorithm.step.c=0.0001",
        "privacy.noise={ kind = 'gaussian', sigma = { kind = 'constant', c = 0.01 } }",
        "privacy.budget.epsilon=1000000",
        "objective.strong_convexity=0.4",
    ];
    let found = explained("quickstart", &keys);
    let bound = found.predictions.iter().find(|prediction| prediction.kind == Kind::Bound).unwrap();
    // k = 2 parties, L = 4, mu = 2 * 0.4, B = 0.7, G = L B + L R_y / R_x = 4.8, m = 9; on two nodes lambda = 0.
    let (alpha, k) = (1e-4, 2.0);
    let terms = [
        (START, (1.0 - alpha * 0.8 / k) * 0.49),
        (STEP, alpha * alpha * 4.8 * 4.8),
        (CONSENSUS, 0.0),
        (NOISE, 9.0 * 1e-4),
    ];
    for (name, expected) in terms {
        assert!((bound.term(name) - expected).abs() < 1e-9, "{name}: {} {expected}", bound.term(name));
    }
    assert!((bound.value - terms.iter().map(|term| term.1).sum::<f64>()).abs() < 1e-9);
    assert_eq!(bound.dominant, START);
}

#[test]
fn the_predicted_error_falls_with_epsilon_and_rises_with_the_dimension() {
    let gamma = "algorithm={ kind = 'dual-averaging', weights = { kind = 'growing-gradients', gamma = 0.5 } }";
    let huber = "objective={ loss = { kind = 'huber', width = 0.5 }, regulariser = { kind = 'squared-l2', mu = 0.5 } }";
    let projected = ["algorithm.step.c=0.0001", "objective.strong_convexity=0.1"];
    let dual = [gamma, huber, "privacy.noise.mechanism=gaussian"];
    for keys in [&projected[..], &dual] {
        for kind in [Kind::Bound, Kind::Estimate] {
            let at = |epsilon: &str| value(&explained("quickstart", &[keys, &[epsilon]].concat()), kind);
            let found = ["0.5", "1", "2"].map(|epsilon| at(&format!("privacy.budget.epsilon={epsilon}")));
            assert!(found[0] > found[1] && found[1] > found[2], "{keys:?}: {found:?}");
            let features = "data.features=[{ kind = 'intercept' }, { kind = 'numeric', column = 'education', min = 0, max = 18, \
                            center = 9, scale = 9 }]";
            let small = value(&explained("quickstart", &[keys, &[features]].concat()), kind);
            assert!(small < found[1], "{keys:?}: {small} {found:?}");
        }
    }
}

/// 200 lanes of one seed, so nothing is random: with mu read off the data, the bound from declared constants is above what was
/// measured, and below the square of the starting distance, so it says something.
#[test]
fn the_bound_holds_on_a_run() {
    let toml = TOML.replace("c = 0.2", "c = 0.001");
    let bench = Bench::with(&toml, &clinics());
    let keys = "privacy.budget.epsilon=5000 lanes=200 rounds=6000 averaging_rounds=0 observe_every=6000";
    let keys: Vec<&str> = keys.split(' ').flat_map(|key| ["--set", key]).collect();
    let run = bench.json(&[&["run", "experiment.toml"], &keys[..]].concat());
    let found = bench.json(&[&["explain", "experiment.toml", "--measured"], &keys[..]].concat());
    let note = found["measured"]["note"].as_str().unwrap();
    assert!(note.starts_with("NON-PRIVATE"), "{note}");
    let predictions = found["measured"]["predictions"].as_array().unwrap();
    let bound = predictions.iter().find(|prediction| prediction["kind"] == "bound").unwrap();
    let bound = bound["value"].as_f64().unwrap();
    // The distance of the trace is relative to the norm of the optimum, which the set has at most, 1.5.
    let relative = run["bound"]["measured"].as_f64().unwrap();
    assert!((1.5 * relative).powi(2) <= bound && bound < 1.5 * 1.5, "{relative} {bound} {}", found["measured"]);
}

/// What the page shows is what the commands print.
#[test]
fn the_page_on_choosing_shows_real_output() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/choosing.md")).unwrap();
    let bench = Bench::new();
    let mut shown = 0;
    for block in page.split("```text\n$ dido ").skip(1) {
        let (command, rest) = block.split_once('\n').unwrap();
        let expected = rest.split("```").next().unwrap();
        let output = bench.dido(&command.split(' ').collect::<Vec<_>>());
        assert_eq!(String::from_utf8(output.stdout).unwrap().trim_end(), expected.trim_end(), "dido {command}");
        shown += 1;
    }
    assert_eq!(shown, 2);
}

#[test]
fn what_is_assumed_in_public_has_to_make_sense() {
    let bench = Bench::new();
    for (key, part) in [
        ("objective.strong_convexity=0", "`objective.strong_convexity`: 0 is not positive"),
        ("objective.strong_convexity=5", "is more than data within the declared bounds can have, 1.08"),
        ("objective.optimum_norm=-1", "`objective.optimum_norm`: -1 is not positive"),
    ] {
        let output = bench.dido(&["explain", "experiment.toml", "--set", key]);
        let text = common::stderr(&output);
        assert!(!output.status.success() && output.stdout.is_empty() && text.contains(part), "{key}: {text}");
    }
}

#[test]
fn every_preset_and_algorithm_is_explained() {
    let step = "step = { kind = 'constant', c = 0.05 }";
    let quiet = "privacy.noise.mechanism=gaussian";
    for name in ["quickstart", "svm", "a9a"] {
        assert!(!explained(name, &[]).predictions.is_empty(), "{name}");
    }
    for algorithm in [
        format!("kind = 'pdop', {BALL}, {step}"),
        format!("kind = 'dgd', {step}, clip = {{ record = 1 }}"),
        format!("kind = 'dp-sgd', {step}, clip = 1"),
        format!("kind = 'clipped-dgd', {step}, clip = {{ record = 1 }}"),
        format!("kind = 'diging', {BALL}, {step}"),
        format!("kind = 'extra', {BALL}, step = 0.05"),
        format!("kind = 'linearised-admm', {BALL}, penalty = 5, proximity = 5"),
        format!("kind = 'muffliato', {BALL}, {step}, exchanges = 2"),
        format!("kind = 'wang-nedic', {BALL}, {step}, coupling = {{ kind = 'constant', c = 0.5 }}"),
        format!("kind = 'sufficient-statistics', {BALL}"),
    ] {
        let found = explained("quickstart", &[&format!("algorithm={{ {algorithm} }}"), quiet]);
        assert!(found.noise_in_answer.released > 0.0, "{algorithm}");
        assert!(!found.predictions.is_empty() || !found.missing.is_empty(), "{algorithm}");
    }
}

/// The rule of `docs/theory/liu2020.md` gave the quickstart 427 rounds of step 0.11516.
#[test]
fn tuning_agrees_with_the_rule_of_the_quickstart() {
    let bench = Bench::new();
    let found = bench.json(&["tune", "quickstart", "--write", "best.toml"]);
    let (current, best) = (&found["current"], &found["candidates"][0]);
    let predicted = |candidate: &Value| candidate["prediction"]["value"].as_f64().unwrap();
    assert!(predicted(best) <= predicted(current) && predicted(best) > 0.95 * predicted(current), "{best} {current}");
    let rounds = best["rounds"].as_f64().unwrap();
    assert!((350.0..=520.0).contains(&rounds), "{rounds}");
    assert!(best["step"].as_str().unwrap().starts_with("0.115"), "{best}");
    // What is written is the best, keeps the budget and is predicted the same.
    let written = explained(bench.path("best.toml").to_str().unwrap(), &[]);
    assert_eq!(f64::from(written.rounds).to_bits(), rounds.to_bits());
    assert!((written.predictions[0].value / predicted(best) - 1.0).abs() < 1e-12);
    assert!(written.epsilon.zcdp.unwrap() <= 1.0);
    let again = bench.dido(&["tune", "quickstart", "--write", "best.toml"]);
    assert!(!again.status.success(), "a file was written over");
}

#[test]
fn there_is_not_always_something_to_tune() {
    let bench = Bench::new();
    let statistics = "algorithm={ kind = 'sufficient-statistics', set = { kind = 'l2-ball', radius = 1 } }";
    let no_noise = "privacy={ adjacency = 'replace-record', noise = { kind = 'none' } }";
    for (key, part) in [(statistics, "neither steps nor weights"), (no_noise, "one budget")] {
        let keys = ["tune", "experiment.toml", "--set", key, "--set", "seed=1"];
        let output = bench.dido(&keys);
        assert!(!output.status.success() && common::stderr(&output).contains(part), "{}", common::stderr(&output));
    }
}

#[test]
fn the_doctor_finds_this_machine_well_and_a_missing_folder_not() {
    let bench = Bench::new();
    let report = bench.json(&["doctor"]);
    assert_eq!(report["healthy"], true, "{report}");
    for name in ["consensus", "threads", "known bits", "Laplace noise", "Gaussian noise", "results folder"] {
        let checks = report["checks"].as_array().unwrap();
        assert!(checks.iter().any(|check| check["name"] == name && check["passed"] == true), "{name}: {report}");
    }
    let built = report["facts"].as_array().unwrap().iter().find(|fact| fact["name"] == "built with").unwrap();
    assert!(built["value"].as_str().unwrap().starts_with("rustc 1."), "{built}");
    // A file is no folder.
    let output = bench.dido(&["doctor", "--out", "/proc/nothing", "--json"]);
    assert_eq!(output.status.code(), Some(1));
}
