//! Weakening coupling, shared noise and gossip from a file, through the binary.

mod common;

use std::fs;

use common::{Bench, TOML, clinics};
use dido_mechanisms::{Event, Ledger};
use serde_json::Value;

/// The experiment on [`clinics`] with another algorithm and noise.
fn bench(algorithm: &str, mechanism: &str) -> Bench {
    let (before, _) = TOML.split_once("[algorithm]").unwrap();
    let privacy = "[privacy]\nadjacency = \"replace-record\"\nbudget = { epsilon = 8, delta = 1e-5 }\n";
    let noise = format!("noise = {{ kind = \"calibrated\", mechanism = \"{mechanism}\" }}\n");
    Bench::with(&format!("{before}[algorithm]\n{algorithm}{privacy}{noise}"), &clinics())
}

const WANG_NEDIC: &str = r#"
kind = "wang-nedic"
set = { kind = "l2-ball", radius = 1.5 }
step = { kind = "power", c = 1.0, d = 5.0, e = 1.0 }
coupling = { kind = "power", c = 1.0, d = 1.0, e = 0.9 }
"#;

const SHARED: &str = r#"
kind = "clipped-dgd"
step = { kind = "constant", c = 0.2 }
clip = { gradient = 0.5 }
shared_noise = 4.0
"#;

const MUFFLIATO: &str = r#"
kind = "muffliato"
set = { kind = "l2-ball", radius = 1.5 }
step = { kind = "constant", c = 0.2 }
exchanges = 5
gossip = "chebyshev"
"#;

fn all() -> [(&'static str, Bench); 5] {
    [
        ("zcdp", bench(WANG_NEDIC, "laplace")),
        ("best", bench(WANG_NEDIC, "gaussian")),
        ("best", bench(SHARED, "gaussian")),
        ("zcdp", bench(MUFFLIATO, "laplace")),
        ("best", bench(MUFFLIATO, "gaussian")),
    ]
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// The epsilon of the plan is that of the run, entry by entry, and the budget is used up to a thousandth.
#[test]
fn the_plan_is_the_run_and_uses_its_budget() {
    for (used, bench) in all() {
        let plan = bench.json(&["plan", "experiment.toml"]);
        let summary = bench.json(&["run", "experiment.toml"]);
        assert_eq!(plan["epsilon"], summary["epsilon"]);
        let spent = number(&plan["epsilon"][used].get("epsilon").unwrap_or(&plan["epsilon"][used]).clone());
        assert!(spent > 0.999 * 8.0 && spent <= 8.0, "{}: {spent}", plan["algorithm"]);
        let file = bench.path("experiment.toml").display().to_string();
        let spec = dido_experiments::Spec::new(dido_experiments::load(&file, &[]).unwrap()).unwrap();
        let text = fs::read_to_string(bench.result("results").join("ledger.json")).unwrap();
        let ledger: Ledger = serde_json::from_str(&text).unwrap();
        assert_eq!(dido_experiments::plan(&spec).unwrap().ledger, ledger);
        assert_eq!(ledger.releases_per_node(), 40);
    }
}

/// A run that is killed goes on to the same bits: the noise that is taken out of the next message follows from the ledger.
#[test]
fn an_interrupted_run_goes_on_to_the_same_bits() {
    for (_, bench) in all() {
        let long = ["run", "experiment.toml", "--set", "rounds=4000", "--set", "observe_every=4000"];
        bench.resumes_to_the_same_bits(&long);
    }
}

/// The sensitivity of weakening coupling is that of all gradients so far, and the plan says so.
#[test]
fn a_plan_of_weakening_coupling_adds_up_its_gradients() {
    let noise = "privacy.noise={ kind = 'laplace', scale = { kind = 'constant', c = 4 } }";
    let bench = bench(WANG_NEDIC, "laplace");
    let set = ["--set", noise, "--set", "rounds=3", "--set", "privacy.budget.epsilon=100"];
    let plan = bench.json(&[&["plan", "experiment.toml"], &set[..]].concat());
    let derivation = plan["sensitivity"]["derivation"].as_str().unwrap();
    assert!(derivation.contains("what all gradients so far have left"), "{derivation}");
    bench.json(&[&["run", "experiment.toml"], &set[..]].concat());
    let text = fs::read_to_string(bench.result("results").join("ledger.json")).unwrap();
    let ledger: Ledger = serde_json::from_str(&text).unwrap();
    let found: Vec<f64> = ledger.classes[0]
        .entries
        .iter()
        .map(|entry| match entry.event {
            Event::Laplace { sensitivity, .. } => sensitivity.value,
            _ => unreachable!("Laplace noise"),
        })
        .collect();
    let (mut left, mut expected) = (0.0, vec![]);
    for t in 0..3_u8 {
        let t = f64::from(t);
        left = (1.0 - (t + 1.0).powf(-0.9)) * left + 1.0 / (t + 5.0);
        expected.push(left);
    }
    // In units of the bound of one gradient, which the first step shows.
    let width = found[0] / 0.2;
    assert!(found.iter().zip(expected).all(|(a, b)| (a / width - b).abs() < 1e-12), "{found:?}");
}

/// What neighbours share makes the same own noise worth more, less so to a party than to everybody outside; the mean of the parties
/// gets better for the same budget.
#[test]
fn shared_noise_is_worth_something_to_everybody() {
    let bench = bench(SHARED, "gaussian");
    let noise = "privacy.noise={ kind = 'gaussian', sigma = { kind = 'constant', c = 0.5 } }";
    let epsilon = |set: &[&str]| {
        let mut arguments = vec!["plan", "experiment.toml", "--set", noise, "--set", "privacy.budget.epsilon=1000"];
        arguments.extend(set.iter().flat_map(|set| ["--set", set]));
        number(&bench.json(&arguments)["epsilon"]["best"]["epsilon"])
    };
    let alone = epsilon(&[
        "algorithm={ kind = 'clipped-dgd', step = { kind = 'constant', c = 0.2 }, clip = { gradient = 0.5 } }",
    ]);
    let outside = epsilon(&[]);
    let one = epsilon(&["privacy.adversary={ neighbour = 1 }"]);
    let any = epsilon(&["privacy.adversary={ colluders = 1 }"]);
    assert!(outside < one && one <= any * (1.0 + 1e-9) && any < alone, "{outside} {one} {any} {alone}");
    let sigma = |set: &[&str]| number(&bench.json(&[&["plan", "experiment.toml"], set].concat())["noise"][0]);
    let little = "algorithm={ kind = 'clipped-dgd', step = { kind = 'constant', c = 0.2 }, clip = { gradient = 0.5 } }";
    // Three parties, all neighbours of each other: nearly a third of the variance is enough.
    let ratio = sigma(&["--set", little]) / sigma(&[]);
    assert!(ratio > 1.6 && ratio < 3_f64.sqrt(), "{ratio}");
    // A record that is clipped by itself moves the message by its own weight only: of 120 records, 3 / 120 each.
    let record = sigma(&["--set", "algorithm.clip={ record = 0.5 }"]) / sigma(&[]);
    assert!((record - 3.0 / 120.0).abs() < 1e-9, "{record}");
    // Keys of the operating system, and lanes that have their own.
    let summary = bench.json(&["run", "experiment.toml", "--set", "seed=os", "--set", "lanes=2", "--set", "rounds=3"]);
    assert!(number(&summary["epsilon"]["best"]["epsilon"]) <= 8.0);
}

#[test]
fn an_audit_passes_carried_noise_and_refuses_shared_noise() {
    let audit = ["audit", "experiment.toml", "--runs", "40", "--set", "rounds=10"];
    let carried = bench(WANG_NEDIC, "laplace");
    let report = carried.json(&[&audit[..], &["--set", "privacy.budget.delta=0"]].concat());
    assert_eq!(report["verdict"], "PASS", "{report}");
    assert!(number(&report["largest_loss"]) > 0.05 * number(&report["claimed"]["epsilon"]), "{report}");
    let line = bench(SHARED, "gaussian").refusal(&audit);
    assert!(line.contains("noise that parties share"), "{line}");
}

#[test]
fn what_does_not_go_together_is_refused_with_its_path() {
    let mute = "privacy.noise={ kind = 'none' }";
    for (algorithm, overrides, parts) in [
        (WANG_NEDIC, &["algorithm.coupling={ kind = 'constant', c = 1.5 }"][..], &["`algorithm.coupling`", "1.5"][..]),
        (WANG_NEDIC, &["algorithm.coupling.c=-1"], &["`algorithm.coupling`", "c = -1"]),
        (WANG_NEDIC, &["algorithm.step.c=0"], &["`algorithm.step`", "c = 0"]),
        (WANG_NEDIC, &["algorithm.set.radius=0"], &["`algorithm.set.radius`", "0"]),
        (SHARED, &["algorithm.clip.gradient=0"], &["`algorithm.clip.gradient`", "0"]),
        (SHARED, &["algorithm.clip={ record = -1 }"], &["`algorithm.clip.record`", "-1"]),
        (SHARED, &["algorithm.shared_noise=-1"], &["`algorithm.shared_noise`", "-1"]),
        (SHARED, &["algorithm.shared_noise=1000001"], &["`algorithm.shared_noise`", "1000001", "above 1000000"]),
        (SHARED, &["baseline=alone"], &["`baseline`", "no neighbours to share noise with"]),
        (SHARED, &["privacy.noise.mechanism=laplace"], &["`privacy.noise`", "gaussian"]),
        (SHARED, &["privacy.adversary={ colluders = 2 }"], &["`privacy.adversary`", "one party"]),
        (SHARED, &["graph.sequence={ kind = 'edge-failures', p = 0.1 }"], &["`graph.sequence`", "share noise"]),
        (MUFFLIATO, &["algorithm.exchanges=0"], &["`algorithm.exchanges`", "0"]),
        (MUFFLIATO, &["algorithm.gossip=accelerated"], &["`algorithm", "accelerated"]),
        (MUFFLIATO, &["graph.sequence={ kind = 'edge-failures', p = 0.1 }"], &["`graph.sequence`", "chebyshev"]),
        (MUFFLIATO, &["objective.regulariser={ kind = 'l1', lambda = 0.1 }"], &["`objective.regulariser`"]),
        (SHARED, &["privacy.budget.delta=0"], &["`privacy.budget.delta`"]),
        (WANG_NEDIC, &[mute], &["`privacy.budget`"]),
    ] {
        let bench = bench(algorithm, "gaussian");
        let mut arguments = vec!["experiment.toml"];
        arguments.extend(overrides.iter().flat_map(|o| ["--set", o]));
        for command in ["plan", "run"] {
            let line = bench.refusal(&[&[command], &arguments[..]].concat());
            for part in parts {
                assert!(line.contains(part), "{overrides:?}: `{part}` is not in: {line}");
            }
        }
        assert!(!bench.path("results").exists());
    }
}

/// Nodes that sleep carry on from their latest message, and gossip plainly on what there is.
#[test]
fn sequences_of_weights_are_taken_where_they_are_right() {
    let sleep = "graph.sequence={ kind = 'activation', p = 0.5, seed = 2 }";
    for (algorithm, more) in [(WANG_NEDIC, "observe_every=40"), (MUFFLIATO, "algorithm.gossip=plain")] {
        let bench = bench(algorithm, "laplace");
        let plan = bench.json(&["plan", "experiment.toml", "--set", sleep, "--set", more]);
        let summary = bench.json(&["run", "experiment.toml", "--set", sleep, "--set", more]);
        assert_eq!(plan["epsilon"], summary["epsilon"]);
    }
}

/// Without noise there is none to share: the run is that of an algorithm which shares nothing, and is not private.
#[test]
fn without_noise_nothing_is_shared() {
    let bench = bench(SHARED, "gaussian");
    let mute = "privacy={ adjacency = 'replace-record', noise = { kind = 'none' } }";
    let run = ["run", "experiment.toml", "--set", mute];
    let quiet = bench.json(&run);
    let plain = "algorithm={ kind = 'clipped-dgd', step = { kind = 'constant', c = 0.2 }, clip = { gradient = 0.5 } }";
    let other = bench.json(&[&run[..], &["--set", plain, "--out", "plain"]].concat());
    assert_eq!(quiet["metrics"], other["metrics"]);
    let trace = |folder: &str| fs::read_to_string(bench.result(folder).join("trace.csv")).unwrap();
    assert_eq!(trace("results"), trace("plain"));
    assert!(quiet["epsilon"]["pure"].is_null() && quiet["epsilon"]["best"].is_null(), "{quiet}");
}
