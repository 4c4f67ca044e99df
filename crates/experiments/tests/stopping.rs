//! `stop`: a run ends where released values say so, and its claim stays that of all planned rounds.

mod common;

use std::fs;

use common::{Bench, TOML, stderr};
use dido_experiments::{Spec, load, plan};
use dido_mechanisms::Ledger;
use serde_json::Value;

/// Noise of a given scale, so that runs of fewer rounds have the same first rounds, and an estimate that is the mean of all
/// releases.
const FIXED: [&str; 4] = [
    "privacy.noise={ kind = 'laplace', scale = { kind = 'constant', c = 0.02 } }",
    "privacy.budget={ epsilon = 1e8, delta = 1e-5 }",
    "algorithm.average_from=0",
    "observe_every=1",
];

fn sets<'a>(overrides: &[&'a str]) -> Vec<&'a str> {
    FIXED.iter().chain(overrides).flat_map(|&set| ["--set", set]).collect()
}

fn run(bench: &Bench, overrides: &[&str]) -> Value {
    bench.json(&[&["run", "experiment.toml", "--force"], &sets(overrides)[..]].concat())
}

/// The models of party 0 after so many rounds, lane by lane.
fn models(bench: &Bench, overrides: &[&str], rounds: u32) -> Vec<Vec<f64>> {
    let run = run(bench, &[overrides, &[&format!("rounds={rounds}")]].concat());
    let folder = bench.path(run["results"].as_str().unwrap());
    let model: Value = serde_json::from_str(&fs::read_to_string(folder.join("model.json")).unwrap()).unwrap();
    serde_json::from_value(model["encoded"].clone()).unwrap()
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// One party, whose estimate is then the model of the result: the rule is worked out from runs of 1, 2, ... rounds without it.
#[test]
fn a_change_is_small_where_runs_of_fewer_rounds_say_so() {
    let bench = Bench::with(
        &TOML.replace("{ kind = \"by-column\", column = \"site\" }", "{ kind = \"contiguous\" }"),
        &common::clinics(),
    );
    let alone = ["data.records=[120]", "graph.kind=complete", "averaging_rounds=0", "lanes=3"];
    let (below, window) = (0.02, 4);
    let mut last: Vec<Vec<f64>> = vec![vec![0.0; 3]; 3];
    let (mut calm, mut expected) = (0, None);
    for t in 1..=60 {
        let now = models(&bench, &alone, t);
        let still = now.iter().zip(&last).all(|(now, last)| norm(&minus(now, last)) < below * norm(now));
        calm = if still { calm + 1 } else { 0 };
        last = now;
        if calm == window {
            expected = Some(t);
            break;
        }
    }
    let expected = expected.expect("the means of 60 releases come to rest");
    assert!(expected > 10, "{expected}");
    let stop = "stop={ kind = 'relative-change', below = 0.02, rounds = 4 }";
    let stopped = run(&bench, &[&alone[..], &["rounds=60", stop]].concat());
    assert_eq!((&stopped["planned_rounds"], &stopped["rounds"]), (&60.into(), &expected.into()));
    // What is left is the model of that round.
    let folder = bench.path(stopped["results"].as_str().unwrap());
    let model: Value = serde_json::from_str(&fs::read_to_string(folder.join("model.json")).unwrap()).unwrap();
    assert_eq!(serde_json::from_value::<Vec<Vec<f64>>>(model["encoded"].clone()).unwrap(), last);
}

/// Several parties: their mean is what they agree on in many rounds of averaging, and the trace has the largest distance from it.
#[test]
fn consensus_is_reached_where_trace_and_agreement_say_so() {
    let bench = Bench::new();
    let below = 0.05;
    let traced = run(&bench, &["rounds=60"]);
    let trace = fs::read_to_string(bench.path(traced["results"].as_str().unwrap()).join("trace.csv")).unwrap();
    let column = trace.lines().next().unwrap().split(',').position(|name| name == "consensus_error").unwrap();
    let errors: Vec<f64> =
        trace.lines().skip(1).map(|line| line.split(',').nth(column).unwrap().parse().unwrap()).collect();
    let agreed = |t: u32| norm(&models(&bench, &["averaging_rounds=500"], t)[0]);
    let expected = (1..=60).find(|&t| errors[t as usize - 1] < below * agreed(t)).expect("they agree in time");
    assert!(expected > 3, "{expected}");
    let stopped = run(&bench, &["rounds=60", "stop={ kind = 'consensus', below = 0.05 }"]);
    assert_eq!(stopped["rounds"], expected);
}

#[test]
fn the_claim_is_that_of_the_plan_and_the_ledger_is_its_prefix() {
    let bench = Bench::new();
    let stop = "stop={ kind = 'relative-change', below = 0.05, rounds = 2 }";
    let overrides: Vec<String> = FIXED.iter().chain(&["rounds=60", stop]).map(|&set| set.to_owned()).collect();
    let spec = Spec::new(load(bench.path("experiment.toml").to_str().unwrap(), &overrides).unwrap()).unwrap();
    let planned = plan(&spec).unwrap();
    let stopped = run(&bench, &["rounds=60", stop]);
    let rounds = u32::try_from(stopped["rounds"].as_u64().unwrap()).unwrap();
    assert!((5..55).contains(&rounds), "{rounds}");
    let folder = bench.path(stopped["results"].as_str().unwrap());
    let ledger: Ledger = serde_json::from_str(&fs::read_to_string(folder.join("ledger.json")).unwrap()).unwrap();
    assert_eq!(ledger, planned.ledger_after(&spec, rounds).unwrap());
    assert_ne!(ledger, planned.ledger);
    // Epsilon is that of 60 rounds, as of a run without a rule.
    let epsilon = serde_json::to_value(&planned.plan.epsilon).unwrap();
    assert_eq!(stopped["epsilon"], epsilon);
    let whole = run(&bench, &["rounds=60"]);
    assert_eq!((&stopped["epsilon"], &whole["rounds"]), (&whole["epsilon"], &60.into()));
    assert_ne!(stopped["digest"], whole["digest"]);
    // The trace ends there.
    let trace = fs::read_to_string(folder.join("trace.csv")).unwrap();
    assert_eq!(trace.lines().count(), 1 + rounds as usize);
    // Plan, result and page say both numbers.
    let said = |arguments: &[&str]| String::from_utf8(bench.dido(arguments).stdout).unwrap();
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let more = sets(&["rounds=60", stop]);
    let planned = one_line(&said(&[&["plan", "experiment.toml"], &more[..]].concat()));
    assert!(planned.contains("60, fewer if relative-change (below = 0.05, rounds = 2) holds"), "{planned}");
    let result = one_line(&said(&[&["run", "experiment.toml", "--force"], &more[..]].concat()));
    assert!(result.contains(&format!("{rounds} of 60 in ")), "{result}");
    let note = format!("ended the run after {rounds} of 60 planned rounds");
    assert!(result.contains(&note), "{result}");
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains(&note), "the page does not say `{note}`");
}

#[test]
fn a_rule_that_never_holds_changes_nothing() {
    let bench = Bench::new();
    let never = run(&bench, &["stop={ kind = 'relative-change', below = 1e-12 }"]);
    let without = run(&bench, &[]);
    assert_eq!((&never["planned_rounds"], &never["rounds"]), (&40.into(), &40.into()));
    let read =
        |run: &Value, name: &str| fs::read_to_string(bench.path(run["results"].as_str().unwrap()).join(name)).unwrap();
    for name in ["ledger.json", "trace.csv"] {
        assert_eq!(read(&never, name), read(&without, name));
    }
    assert_eq!(never["coefficients"], without["coefficients"]);
}

const LONG: &str = "rounds=20000";
const LATE: &str = "stop={ kind = 'relative-change', below = 3e-5, rounds = 5 }";

#[test]
fn an_interrupted_run_stops_in_the_same_round() {
    let bench = Bench::new();
    let arguments = [&["run", "experiment.toml"], &sets(&["observe_every=50", LONG, LATE])[..]].concat();
    bench.resumes_to_the_same_bits(&arguments);
    let whole: Value =
        serde_json::from_str(&fs::read_to_string(bench.result("whole").join("summary.json")).unwrap()).unwrap();
    let rounds = whole["rounds"].as_u64().unwrap();
    assert!((1000..19_000).contains(&rounds), "{rounds}");
    let resumed: Value =
        serde_json::from_str(&fs::read_to_string(bench.result("results").join("summary.json")).unwrap()).unwrap();
    assert_eq!(resumed["rounds"], rounds);
}

/// Killed after the checkpoint of the round in which the rule held: there is no further round.
#[test]
fn a_run_whose_rule_held_is_at_its_end() {
    let bench = Bench::new();
    let arguments = [&["run", "experiment.toml"], &sets(&[LONG, LATE])[..]].concat();
    let file = bench.interrupted(&arguments).join("checkpoint.json");
    let mut checkpoint: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let round = checkpoint["round"].clone();
    checkpoint["calm"] = 5.into();
    fs::write(&file, checkpoint.to_string()).unwrap();
    let resumed = bench.dido(&[&arguments[..], &["--json"]].concat());
    assert!(resumed.status.success(), "{}", stderr(&resumed));
    let summary: Value = serde_json::from_slice(&resumed.stdout).unwrap();
    assert_eq!(summary["rounds"], round);
}

#[test]
fn a_rule_that_makes_no_sense_is_refused() {
    let bench = Bench::new();
    for (stop, expected) in [
        ("stop={ kind = 'consensus', below = 0 }", "`stop.below`: 0 is not finite and positive"),
        ("stop={ kind = 'consensus', below = 0.1, rounds = 0 }", "`stop.rounds`: 0 is not in 1 to 40"),
        ("stop={ kind = 'relative-change', below = 0.1, rounds = 41 }", "`stop.rounds`: 41 is not in 1 to 40"),
        (
            "stop=0.1",
            "`stop`: invalid type: floating point `0.1`, expected a table such as { kind = \"relative-change\", below = 1.0 }",
        ),
    ] {
        let line = bench.refusal(&["plan", "experiment.toml", "--set", stop]);
        assert!(line.contains(expected), "`{expected}` is not in: {line}");
    }
    let sets = ["--set", "stop={ kind = 'consensus', below = 0.1 }", "--set", "privacy.adversary={ neighbour = 1 }"];
    let line = bench.refusal(&[&["plan", "experiment.toml"], &sets[..]].concat());
    assert!(line.contains("`stop`: a stopping rule looks at the estimates of all parties"), "{line}");
}
