//! Interrupted, damaged and shared results.

mod common;

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::{Bench, TOML, assert_equal_results, clinics, stderr};

/// So many rounds that the run cannot end before it is killed: it stores a checkpoint after each of them. The answer is
/// the mean of all releases: with a later start, the noise and the projections would soon make a run that resumed from
/// a wrong state equal to the right one, bit for bit.
const LONG: [&str; 6] = ["run", "experiment.toml", "--set", "rounds=20000", "--set", "algorithm.average_from=0"];

fn interrupted(bench: &Bench) -> PathBuf {
    let partial = bench.interrupted(&LONG);
    assert!(partial.to_str().unwrap().ends_with(".partial"));
    partial
}

#[test]
fn an_interrupted_run_goes_on_to_the_same_bits() {
    let bench = Bench::new();
    let partial = interrupted(&bench);
    let resumed = bench.dido(&[&LONG[..], &["--json"]].concat());
    let text = stderr(&resumed);
    assert!(resumed.status.success(), "{text}");
    let line = text.lines().find_map(|line| line.strip_prefix("resumed at round ")).expect("it says that it resumed");
    let round: u32 = line.parse().unwrap();
    assert!((1..20_000).contains(&round), "{round}");
    assert!(!partial.exists());
    bench.json(&[&LONG[..], &["--out", "whole"]].concat());
    assert_equal_results(&bench.result("results"), &bench.result("whole"));
}

#[test]
fn force_starts_afresh() {
    let bench = Bench::new();
    interrupted(&bench);
    let forced = bench.dido(&[&LONG[..], &["--force", "--json"]].concat());
    assert!(forced.status.success());
    assert!(!stderr(&forced).contains("resumed"));
}

#[test]
fn a_damaged_checkpoint_is_refused_and_kept_until_force() {
    let bench = Bench::new();
    let partial = interrupted(&bench);
    let file = partial.join("checkpoint.json");
    let whole = fs::read_to_string(&file).unwrap();
    let value: serde_json::Value = serde_json::from_str(&whole).unwrap();
    let changed = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut value = value.clone();
        change(&mut value);
        value.to_string()
    };
    let round = value["round"].as_u64().unwrap();
    for (damaged, part) in [
        (whole[..whole.len() / 2].to_owned(), "EOF"),
        (String::new(), "EOF"),
        ("[]".to_owned(), "invalid"),
        (changed(&|v| v["round"] = 20_001.into()), "round 20001"),
        (changed(&|v| v["state"][0] = serde_json::json!([1.0, 2.0])), "numbers"),
        (changed(&|v| v["state"] = serde_json::json!([])), "numbers"),
        (changed(&|v| v["ledger"]["adjacency"] = "replace-node".into()), "ledger"),
        (changed(&|v| v["ledger"]["classes"][0]["entries"][0]["releases"] = (round - 1).into()), "its ledger"),
    ] {
        fs::write(&file, &damaged).unwrap();
        let line = bench.failure(&[&LONG[..], &["--json"]].concat());
        assert!(line.contains(part) && line.contains("--force"), "`{part}` is not in: {line}");
        assert_eq!(fs::read_to_string(&file).unwrap(), damaged);
    }
    bench.json(&[&LONG[..], &["--force"]].concat());
}

#[test]
fn a_damaged_result_is_refused_until_force() {
    let bench = Bench::new();
    bench.json(&["run", "experiment.toml"]);
    for (name, contents) in [("summary.json", "{ \"name\": 3"), ("summary.json", ""), ("local.json", "\u{0}")] {
        fs::write(bench.result("results").join(name), contents).unwrap();
        let line = bench.failure(&["run", "experiment.toml", "--json"]);
        assert!(line.contains(name) && line.contains("damaged") && line.contains("--force"), "{line}");
        bench.json(&["run", "experiment.toml", "--force"]);
    }
    fs::remove_file(bench.result("results").join("summary.json")).unwrap();
    let line = bench.failure(&["run", "experiment.toml", "--json"]);
    assert!(line.contains("summary.json") && line.contains("missing"), "{line}");
}

#[test]
fn results_of_other_data_are_not_mixed_up() {
    let bench = Bench::new();
    bench.json(&["run", "experiment.toml"]);
    bench.write("clinics.csv", &clinics().replacen("east,57", "east,58", 1));
    let line = bench.failure(&["run", "experiment.toml", "--json"]);
    assert!(line.contains("other data") && line.contains("clinics.csv") && line.contains("--force"), "{line}");
    bench.json(&["run", "experiment.toml", "--force"]);
    bench.json(&["run", "experiment.toml"]);
}

#[test]
fn the_edges_of_a_graph_file_belong_to_the_specification() {
    let toml = TOML.replace("kind = \"ring\"", "kind = \"edge-list\"\nfile = \"edges.txt\"");
    let bench = Bench::with(&toml, &clinics());
    bench.write("edges.txt", "0 1\n1 2\n");
    let path = bench.json(&["run", "experiment.toml"]);
    bench.write("edges.txt", "0 1\n1 2\n0 2\n");
    let ring = bench.json(&["run", "experiment.toml"]);
    assert_ne!(path["digest"], ring["digest"]);
    assert_ne!(path["metrics"]["private"], ring["metrics"]["private"]);
}

#[test]
fn two_processes_do_not_work_on_one_result() {
    let bench = Bench::new();
    let mut child = bench.command(&LONG).args(["--checkpoint-seconds", "0"]).stdout(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let started = || {
        let mut entries = fs::read_dir(bench.path("results/clinics")).into_iter().flatten();
        entries.any(|e| e.unwrap().path().join("local.json").exists())
    };
    while !started() {
        assert!(begun.elapsed() < Duration::from_mins(1));
        std::thread::sleep(Duration::from_millis(1));
    }
    let line = bench.failure(&[&LONG[..], &["--json"]].concat());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.contains("another process"), "{line}");
}
