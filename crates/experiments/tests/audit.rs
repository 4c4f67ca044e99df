//! `dido audit` as a user meets it, and audits of runs whose noise is not that of their plan.

mod common;

use common::{Bench, stderr};
use dido_experiments::audit::{AuditOptions, Method, View, audit};
use dido_experiments::{Planned, Spec, load, plan};
use dido_mechanisms::audit::Verdict;
use dido_optimizers::Noise;
use serde_json::Value;

/// The exit code and the JSON.
fn audited(bench: &Bench, arguments: &[&str]) -> (i32, Value) {
    let output = bench.dido(&[&["audit", "experiment.toml", "--json"], arguments].concat());
    let json = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", stderr(&output)));
    (output.status.code().unwrap(), json)
}

#[test]
fn transcripts_keep_the_claim_of_the_plan() {
    let bench = Bench::new();
    let (code, report) = audited(&bench, &["--runs", "60"]);
    assert_eq!((code, &report["verdict"]), (0, &Value::from("PASS")), "{report}");
    let number = |path: &str| path.split('.').fold(&report, |value, key| &value[key]).as_f64().unwrap();
    assert!((number("claimed.epsilon") - 8.0).abs() < 1e-12 && (number("claimed.delta") - 1e-5).abs() < 1e-20);
    let plan = bench.json(&["plan", "experiment.toml"]);
    assert!((number("claimed.pure") / plan["epsilon"]["pure"].as_f64().unwrap() - 1.0).abs() < 1e-12);
    assert!(number("largest_loss") <= number("claimed.pure") && number("largest_loss") > 0.0);
    assert!(number("mean_loss") > 0.0 && number("mean_loss") < number("largest_loss"));
    assert!(number("delta.lower") <= number("delta.estimate") && number("delta.estimate") < number("delta.upper"));
    let pairs = report["transcripts"].as_array().unwrap();
    assert_eq!(pairs.len(), 3);
    for pair in pairs {
        // 60 runs in each world, 40 rounds, 3 parties, 3 coordinates.
        assert_eq!((&pair["runs"], &pair["noise_draws"]), (&Value::from(60), &Value::from(60 * 2 * 40 * 9)));
        let share = pair["moved"]["share"].as_f64().unwrap();
        assert!(share > 0.05 && share <= 1.0, "{pair}");
    }
    // Another party, the same figures again; nothing is written.
    let (_, other) = audited(&bench, &["--runs", "60", "--victim", "2"]);
    assert_eq!(other["victim"], Value::from(2));
    assert_ne!(other["largest_loss"], report["largest_loss"]);
    assert_eq!(audited(&bench, &["--runs", "60"]).1, report);
    assert!(!bench.path("results").exists());
}

#[test]
fn every_text_says_the_verdict_and_that_it_is_not_private() {
    let bench = Bench::new();
    for (arguments, word) in [
        (&["--runs", "10"][..], "moved"),
        (&["--method", "black-box", "--view", "neighbour"], "epsilon above"),
        (&["--method", "one-run", "--runs", "20"], "9 coins, 9 of them guessed"),
    ] {
        let output = bench.dido(&[&["audit", "experiment.toml"], arguments].concat());
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        assert!(matches!(output.status.code(), Some(0 | 4)), "{}", stderr(&output));
        let verdict = if output.status.success() { "PASS" } else { "INCONCLUSIVE" };
        for part in ["not private", "never proves one", verdict, word] {
            assert!(text.contains(part), "no `{part}` in:\n{text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
}

#[test]
fn few_runs_are_inconclusive_and_say_why() {
    let bench = Bench::new();
    for (method, runs) in [("black-box", "200"), ("one-run", "30")] {
        let (code, report) = audited(&bench, &["--method", method, "--runs", runs]);
        assert_eq!((code, &report["verdict"]), (4, &Value::from("INCONCLUSIVE")), "{report}");
        assert!(report["ceiling"].as_f64().unwrap() < 8.0);
        assert!(report["reasons"][0].as_str().unwrap().contains("cannot show more"), "{report}");
    }
    // A claim within reach, and true.
    let claim = ["--set", "privacy.budget.epsilon=1", "--confidence", "0.9"];
    for arguments in [
        &["--method", "black-box"][..],
        &["--method", "black-box", "--view", "neighbour"],
        &["--method", "black-box", "--view", "final"],
        &["--method", "one-run"],
        &["--method", "one-run", "--set", "privacy.adjacency=replace-node"],
    ] {
        let (code, report) = audited(&bench, &[&claim, arguments].concat());
        assert!(report["epsilon_lower"].as_f64().unwrap() <= 1.0, "{report}");
        assert!(code == 0 || arguments.contains(&"privacy.adjacency=replace-node") && code == 4, "{report}");
    }
}

/// A plan whose run has a hundredth of the noise: every method finds it.
#[test]
fn a_run_with_too_little_noise_is_found() {
    let bench = Bench::new();
    let file = bench.path("experiment.toml").display().to_string();
    let spec = Spec::new(load(&file, &["privacy.budget.epsilon=0.5".to_owned()]).unwrap()).unwrap();
    let right = plan(&spec).unwrap();
    let Noise::Laplace(scale) = &right.noise else { panic!("the noise is Laplace") };
    let broken = Planned { noise: Noise::Laplace(scale.scaled(0.01)), ..right.clone() };
    for (method, view, runs) in [
        (Method::Transcript, View::All, 20),
        (Method::BlackBox, View::All, 200),
        (Method::BlackBox, View::Neighbour, 200),
        (Method::BlackBox, View::Final, 200),
        (Method::OneRun, View::All, 9),
    ] {
        let options = AuditOptions { method, runs, confidence: 0.95, victim: None, view, seed: 1 };
        let found = audit(&spec, &broken, &options).unwrap();
        assert_eq!(found.verdict, Verdict::Violation, "{found:?}");
        assert!(!found.reasons.is_empty());
        let found = audit(&spec, &right, &options).unwrap();
        assert_ne!(found.verdict, Verdict::Violation, "{found:?}");
    }
}

#[test]
fn what_cannot_be_audited_is_refused_in_one_line() {
    let bench = Bench::new();
    let refusal = |arguments: &[&str]| bench.refusal(&[&["audit", "experiment.toml"], arguments].concat());
    assert!(refusal(&["--victim", "3"]).contains("--victim 3"));
    assert!(refusal(&["--runs", "1"]).contains("--runs 1"));
    for confidence in ["1", "0.4", "NaN"] {
        assert!(refusal(&["--confidence", confidence]).contains("--confidence"));
    }
    assert!(refusal(&["--view", "final"]).contains("--method black-box"));
    let quiet = "privacy={ adjacency = 'replace-record', noise = { kind = 'none' } }";
    assert!(refusal(&["--set", quiet]).contains("nothing to audit"));
    let alone = ["--method", "black-box", "--view", "neighbour", "--set", "privacy.adversary={ neighbour = 1 }"];
    assert!(refusal(&[&alone[..], &["--victim", "1"]].concat()).contains("party 1"));
}
