//! The algorithms, losses and Gaussian noise of a file, through the binary.

mod common;

use std::fs;

use common::{Bench, TOML, clinics};
use dido_mechanisms::Ledger;
use dido_mechanisms::subsampled_dda::SubsampledDda;
use serde_json::Value;

/// The experiment on [`clinics`] with another set-up from `[graph]` on; the sex of a patient is predicted.
fn classes(rest: &str) -> String {
    let (data, _) = TOML.split_once("[graph]").unwrap();
    let sex = "  { kind = \"two-level\", column = \"sex\", levels = [\"m\", \"f\"] },";
    let days = "  { kind = \"numeric\", column = \"days\", min = 0, max = 20, center = 10, scale = 10 },";
    let target = "target = { column = \"days\", min = 0, max = 20, center = 10, scale = 10 }";
    assert!(data.contains(sex) && data.contains(target));
    let classes = "target = { column = \"sex\", levels = [\"m\", \"f\"] }";
    data.replace(target, classes).replace(sex, days).replace("rounds = 40\n", "rounds = 60\n") + rest
}

const PDOP: &str = r#"
[graph]
kind = "ring"
[objective]
loss = { kind = "logistic" }
[algorithm]
kind = "pdop"
set = { kind = "l1-ball", radius = 2.0 }
step = { kind = "geometric", c = 0.5, q = 0.97 }
[privacy]
adjacency = "replace-record"
budget = { epsilon = 8, delta = 1e-5 }
noise = { kind = "calibrated", mechanism = "gaussian" }
"#;

const DUAL: &str = r#"
[graph]
kind = "ring"
sequence = { kind = "activation", active = 2, seed = 3 }
[objective]
loss = { kind = "hinge" }
regulariser = { kind = "elastic-net", lambda = 0.001, mu = 0.2 }
[algorithm]
kind = "dual-averaging"
sampling = "one-record"
weights = { kind = "growing-gradients", gamma = 0.2 }
[privacy]
adjacency = "replace-record"
budget = { epsilon = 8, delta = 1e-5 }
noise = { kind = "calibrated", mechanism = "gaussian" }
"#;

fn bench(rest: &str) -> Bench {
    Bench::with(&classes(rest), &clinics())
}

/// Ways to write each algorithm: the epsilon of the plan is that of the run, and noise that is calibrated leaves nothing to
/// speak of unused, by the accounting that keeps the budget.
#[test]
fn the_plan_costs_what_the_run_costs_and_uses_its_budget() {
    let gaussian = "privacy.noise={ kind = 'gaussian', sigma = { kind = 'constant', c = 3.0 } }";
    let laplace = "privacy.noise.mechanism=laplace";
    let half_space = "algorithm.set={ kind = 'half-space', normal = [1, 1, 1], offset = 1 }";
    let smoothed = "objective.loss={ kind = 'smoothed-hinge', width = 0.5 }";
    let huber = ["objective.loss={ kind = 'huber', width = 0.5 }", "algorithm.sampling=all"];
    let whole = ["privacy.adjacency=replace-node", "privacy.budget.epsilon=1000"];
    let coins = "graph.sequence={ kind = 'activation', p = 0.5 }";
    for (rest, overrides, used) in [
        (PDOP, &[][..], "best"),
        (PDOP, &[laplace], "zcdp"),
        (PDOP, &["algorithm.at={ clipped = 0.3 }", half_space], "best"),
        (PDOP, &["algorithm.set={ kind = 'simplex', radius = 1 }", smoothed], "best"),
        (DUAL, &[], "best"),
        (DUAL, &["algorithm.points=stale", whole[0], whole[1]], "best"),
        (DUAL, &[laplace, "privacy.budget.delta=0"], "pure"),
        (DUAL, &[huber[0], huber[1], "algorithm.set={ kind = 'l2-ball', radius = 3 }"], "best"),
        (DUAL, &[gaussian, "privacy.budget.epsilon=100", coins], ""),
    ] {
        let bench = bench(rest);
        let mut arguments = vec!["experiment.toml"];
        arguments.extend(overrides.iter().flat_map(|o| ["--set", o]));
        let plan = bench.json(&[&["plan"], &arguments[..]].concat());
        let summary = bench.json(&[&["run"], &arguments[..]].concat());
        assert_eq!(plan["epsilon"], summary["epsilon"], "{overrides:?}");
        let budget = plan["budget"]["epsilon"].as_f64().unwrap();
        let best = plan["epsilon"]["best"]["epsilon"].as_f64().unwrap();
        assert!(best > 0.0 && (best <= budget || used == "pure"), "{overrides:?}: {best} of {budget}");
        if !used.is_empty() {
            let spent = plan["epsilon"][used].as_f64().unwrap_or(best);
            assert!(spent > 0.999 * budget && spent <= budget, "{overrides:?}: {spent} of {budget}");
        }
    }
}

/// The dry run, entry by entry, is what a run writes: through the library, since a plan prints no ledger.
#[test]
fn the_planned_entries_are_those_of_the_run() {
    for rest in [PDOP, DUAL] {
        let bench = bench(rest);
        bench.json(&["run", "experiment.toml"]);
        let text = fs::read_to_string(bench.result("results").join("ledger.json")).unwrap();
        let ledger: Ledger = serde_json::from_str(&text).unwrap();
        let file = bench.path("experiment.toml").display().to_string();
        let spec = dido_experiments::Spec::new(dido_experiments::load(&file, &[]).unwrap()).unwrap();
        assert_eq!(dido_experiments::plan(&spec).unwrap().ledger, ledger);
        assert_eq!(ledger.classes.len(), 3);
    }
}

/// A run that is interrupted by a kill after some checkpoint goes on to the same bits.
#[test]
fn an_interrupted_run_goes_on_to_the_same_bits() {
    for rest in [PDOP, DUAL] {
        let bench = bench(rest);
        let long = ["run", "experiment.toml", "--set", "rounds=4000", "--set", "observe_every=4000"];
        bench.resumes_to_the_same_bits(&long);
    }
}

#[test]
fn what_does_not_go_together_is_refused_with_its_path() {
    for (rest, overrides, parts) in [
        (
            PDOP,
            &["objective.regulariser={ kind = 'l1', lambda = 0.1 }"][..],
            &["`objective.regulariser`", "dual-averaging"][..],
        ),
        (PDOP, &["objective.loss={ kind = 'huber', width = 0 }"], &["`objective.loss`", "0"]),
        (PDOP, &["objective.loss={ kind = 'perceptron' }"], &["`objective.loss", "perceptron", "hinge"]),
        (PDOP, &["objective.loss={ kind = 'hinge', width = 1 }"], &["`objective.loss", "width"]),
        (PDOP, &["data.target={ column = 'sex', min = 0, max = 1 }"], &["`data.target`", "two levels"]),
        (PDOP, &["data.target={ column = 'sex' }"], &["`data.target`", "min and max"]),
        (PDOP, &["data.target.scale=2"], &["`data.target`", "no scale"]),
        (PDOP, &["algorithm.set.radius=0"], &["`algorithm.set.radius`", "0"]),
        (
            PDOP,
            &["algorithm.set={ kind = 'box', lower = [0], upper = [1] }"],
            &["`algorithm.set`", "1 coordinates", "3"],
        ),
        (
            PDOP,
            &[
                "algorithm.set={ kind = 'intersection', sets = [{ kind = 'l1-ball', radius = 1 }, { kind = 'l2-ball', radius = -1 }] }",
            ],
            &["`algorithm.set.sets[1].radius`"],
        ),
        (
            PDOP,
            &[
                "algorithm.set={ kind = 'intersection', sets = [{ kind = 'l1-ball', radius = 1 }, { kind = 'l2-ball', radius = 0.5 }] }",
            ],
            &["`algorithm.set`", "intersection"],
        ),
        (
            PDOP,
            &[
                "objective.loss={ kind = 'squared' }",
                "algorithm.set={ kind = 'affine', rows = [[1, 0, 0]], offsets = [0] }",
            ],
            &["`algorithm.set`", "not bounded"],
        ),
        (PDOP, &["algorithm.at={ clipped = -1 }"], &["`algorithm.at.clipped`", "-1"]),
        (PDOP, &["privacy.budget.delta=0"], &["`privacy.budget.delta`", "gaussian"]),
        (
            PDOP,
            &["privacy.noise={ kind = 'gaussian', sigma = { kind = 'constant', c = 0 } }"],
            &["`privacy.noise.sigma`", "0"],
        ),
        (
            PDOP,
            &["privacy.noise={ kind = 'gaussian', sigma = { kind = 'constant', c = 1e-3 } }"],
            &["budget (epsilon 8, delta 0.00001)", "60 rounds", "gdp"],
        ),
        (
            DUAL,
            &["privacy.noise={ kind = 'gaussian', sigma = { kind = 'constant', c = 0.1 } }"],
            &["epsilon 8", "60 rounds", "they cost epsilon"],
        ),
        (DUAL, &["algorithm.participation=1.5"], &["`algorithm.participation`", "1.5"]),
        (DUAL, &["algorithm.weights.gamma=0"], &["`algorithm.weights`", "gamma"]),
        (DUAL, &["algorithm.distance=entropy"], &["`algorithm`", "whole space"]),
        (DUAL, &["objective.regulariser.mu=-1"], &["`objective.regulariser", "mu"]),
        (DUAL, &["objective.weighting=sum"], &["`objective.weighting`", "pooled"]),
        (
            DUAL,
            &["objective.regulariser={ kind = 'group-l1', lambda = 1, groups = [2, 2] }"],
            &["`objective.regulariser.groups`", "4", "3"],
        ),
        (DUAL, &["objective.loss={ kind = 'squared' }"], &["`algorithm.set`", "not bounded"]),
    ] {
        let bench = bench(rest);
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

/// The share of nodes that are awake is that of the activation, if nothing else is said.
#[test]
fn participation_follows_from_the_activation() {
    let bench = bench(DUAL);
    for (sequence, participation, share) in [
        ("{ kind = 'activation', active = 2 }", None, "participation 0.6667"),
        ("{ kind = 'activation', p = 0.25 }", None, "participation 0.25"),
        ("{ kind = 'activation', p = 0.25 }", Some("algorithm.participation=0.5"), "participation 0.5"),
        ("{ kind = 'pairwise-gossip' }", None, "participation 1;"),
    ] {
        let sequence = format!("graph.sequence={sequence}");
        let mut arguments = vec!["plan", "experiment.toml", "--set", &sequence];
        arguments.extend(participation.iter().flat_map(|p| ["--set", p]));
        let plan = bench.json(&arguments);
        assert!(plan["dual_weights"].as_str().unwrap().contains(share), "{plan}");
    }
}

/// The preset: its parameters follow its rule, it keeps its budget by the accounting of the paper's mechanism, is better than
/// chance, and says what it is compared with.
#[test]
fn the_support_vector_machine_keeps_its_promises() {
    let bench = Bench::new();
    let summary = bench.json(&["run", "svm"]);
    let folder = summary["results"].as_str().unwrap().to_owned();
    let read = |name: &str| fs::read_to_string(bench.path(&folder).join(name)).unwrap();
    let ledger: Ledger = serde_json::from_str(&read("ledger.json")).unwrap();
    let counts: Vec<u32> = ledger.classes.iter().map(|class| u32::try_from(class.releases()).unwrap()).collect();
    assert_eq!((counts.len(), counts.iter().sum::<u32>()), (9, 3 * 1227));
    let sigma = bench.json(&["plan", "svm"])["noise"][0].as_f64().unwrap();
    let dda = SubsampledDda { nodes: 9, iota: 1.0 / 3.0, records: 409, sigma, lipschitz: 2.0, rounds: 1227 };
    let expected = dda.visible_known(&counts, 1e-5).unwrap().epsilon;
    let found = summary["epsilon"]["best"]["epsilon"].as_f64().unwrap();
    // The sensitivity is 2 L up to the rounding of the products of its factors.
    assert!((found - expected).abs() < 1e-9 && found <= 1.0 && found > 0.999, "{found} {expected}");

    // mu balances the noise with the regulariser, gamma = iota mu: rounded to two digits.
    let (iota, dim, nodes, rounds) = (1.0 / 3.0, 15.0_f64, 9.0, 1227.0);
    let variance: f64 = 2.0 * iota * iota * 4.0 + iota * dim * sigma * sigma / nodes;
    let mu = (8.0 * variance / rounds).sqrt() / (iota * dim.sqrt());
    let spec: toml::Table = read("spec.toml").parse().unwrap();
    let declared = spec["objective"]["regulariser"]["mu"].as_float().unwrap();
    assert!((declared - mu).abs() < 0.005, "{declared} {mu}");
    assert!((spec["algorithm"]["weights"]["gamma"].as_float().unwrap() - declared * iota).abs() < 1e-12);

    let metrics = &summary["metrics"];
    let accuracy = |who: &str| metrics[who]["accuracy"].as_f64().unwrap();
    assert!(accuracy("private") > accuracy("constant") + 0.1, "{metrics}");
    assert!(accuracy("optimum") > accuracy("private") && accuracy("best_alone") >= accuracy("median_alone"));
    let objective = &metrics["objective"];
    let value = |what: &str| objective[what].as_f64().unwrap();
    assert!(value("gap") < 1e-6 && value("private") >= value("optimum") - 1e-6, "{objective}");
    assert!(read("trace.csv").starts_with("round,lane,epsilon_"));
    for part in ["accuracy = ", "tightest, delta = 1e-5", "gaussian on one of 409 records", "Accuracy on held-out"] {
        assert!(read("report.html").contains(part), "{part}");
    }
    assert_eq!(summary["epsilon"]["zcdp"], Value::Null);
}

/// On the simplex with entropy: the plan names it, and the run keeps its budget.
#[test]
fn dual_averaging_on_a_simplex_uses_entropy() {
    let bench = bench(DUAL);
    let set = "algorithm.set={ kind = 'simplex', radius = 1 }";
    let overrides =
        ["--set", set, "--set", "algorithm.distance=entropy", "--set", "objective.regulariser={ kind = 'none' }"];
    let plan = bench.dido(&[&["plan", "experiment.toml"][..], &overrides].concat());
    let text = String::from_utf8(plan.stdout).unwrap();
    assert!(plan.status.success() && text.contains("entropy"), "{text}");
    let found = bench.json(&[&["run", "experiment.toml"][..], &overrides].concat());
    assert!(found["epsilon"]["best"]["epsilon"].as_f64().unwrap() <= 8.0, "{found}");
}
