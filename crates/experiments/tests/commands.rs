//! `dido plan` and `dido run` as a user meets them.

mod common;

use std::fs;

use common::{Bench, RECORDS, stderr};
use dido_experiments::{Spec, json, load, plan};
use serde_json::Value;

fn has(value: &Value, keys: &[&str]) {
    for key in keys {
        let found = key.split('.').try_fold(value, |v, part| v.get(part));
        assert!(found.is_some_and(|v| !v.is_null()), "no `{key}` in {value}");
    }
}

#[test]
fn a_plan_needs_no_data_and_has_its_keys() {
    let bench = Bench::new();
    fs::remove_file(bench.path("clinics.csv")).unwrap();
    let text = bench.dido(&["plan", "experiment.toml"]);
    assert!(text.status.success());
    assert!(String::from_utf8(text.stdout).unwrap().contains("40 releases per node in 40 rounds, by 3 parties"));
    let plan = bench.json(&["plan", "experiment.toml"]);
    has(&plan, &["nodes", "rounds", "releases_per_node", "adjacency", "adversary", "delta", "noise"]);
    assert!(
        plan["assignment"].as_str().unwrap().starts_with("each value of `site` is a party; a replaced record keeps")
    );
    has(&plan, &["sensitivity.value", "sensitivity.norm", "epsilon.published", "epsilon.pure", "epsilon.zcdp"]);
    assert_eq!(plan["noise"].as_array().unwrap().len(), 40);
    assert!(plan["epsilon"]["zcdp"].as_f64().unwrap() <= 8.0);
    assert!(plan["epsilon"]["zcdp"].as_f64().unwrap() > 7.99);
    assert!(!bench.path("results").exists());
}

#[test]
fn a_run_has_its_keys_and_its_files() {
    let bench = Bench::new();
    let run = bench.json(&["run", "experiment.toml"]);
    has(&run, &["name", "digest", "results", "nodes", "rounds", "adjacency", "adversary", "delta", "timing"]);
    has(&run, &["epsilon.published", "epsilon.pure", "epsilon.zcdp", "consensus_error"]);
    for model in ["private", "optimum", "best_alone", "median_alone", "constant"] {
        has(&run["metrics"][model], &["r2", "rmse"]);
    }
    assert_eq!(run["seeds"], serde_json::json!({ "noise": 7, "held_out": 1 }));
    assert_eq!([&run["planned_rounds"], &run["rounds"], &run["averaging_rounds"]], [40, 40, 60]);
    // Six messages of three numbers in each of 100 averages on a ring of three.
    assert_eq!([&run["messages"], &run["bytes"]], [600, 600 * 3 * 8]);
    let folder = bench.path(run["results"].as_str().unwrap());
    assert_eq!(folder, bench.path("results/clinics").join(run["digest"].as_str().unwrap()));
    let mut files: Vec<String> =
        fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    let mut expected = "ledger.json local.json model.json report.html spec.toml summary.json trace.csv".to_owned();
    for picture in ["distance", "epsilon", "error", "graph"] {
        expected.extend([" ", picture, ".svg"]);
        if cfg!(feature = "png") {
            expected.extend([" ", picture, ".png"]);
        }
    }
    if cfg!(feature = "parquet") {
        expected += " trace.parquet";
    }
    let mut expected: Vec<&str> = expected.split(' ').collect();
    expected.sort_unstable();
    assert_eq!(files, expected);
    let mut summary: Value = serde_json::from_str(&fs::read_to_string(folder.join("summary.json")).unwrap()).unwrap();
    assert_eq!(summary.get("results"), None, "a folder does not say where it lies");
    summary["results"] = run["results"].clone();
    assert_eq!(summary, run);
    let not_covered = ["metrics", "measured", "lane_scores", "coefficients[].optimum", "clipped", "timing", "bound"];
    assert_eq!(run["not_covered"], Value::from(not_covered.to_vec()));
    has(&run, &not_covered.map(|key| key.split('[').next().unwrap()));
    let report = fs::read_to_string(folder.join("report.html")).unwrap();
    for file in files.iter().filter(|&file| file != "report.html") {
        assert!(report.contains(&format!("<code>{file}</code>")), "{file} is not in the report's list of files");
    }
    let optimum = run["metrics"]["optimum"]["r2"].as_f64().unwrap();
    assert!(optimum > 0.9, "the made-up target is nearly linear, R^2 is {optimum}");
    assert!(run["metrics"]["constant"]["r2"].as_f64().unwrap() <= 0.0);
    let trace = fs::read_to_string(folder.join("trace.csv")).unwrap();
    assert_eq!(trace.lines().count(), 1 + 40);
}

#[test]
fn the_ledger_of_the_run_is_the_planned_one() {
    let bench = Bench::new();
    for (k, change) in ["lanes=1", "privacy.adjacency=replace-node", "objective.weighting=node-mean", "lanes=3"]
        .into_iter()
        .enumerate()
    {
        let out = format!("out{k}");
        bench.json(&["run", "experiment.toml", "--set", change, "--out", &out]);
        let file = bench.path("experiment.toml");
        let spec = Spec::new(load(file.to_str().unwrap(), &[change.to_owned()]).unwrap()).unwrap();
        let ledger = fs::read_to_string(bench.result(&out).join("ledger.json")).unwrap();
        assert_eq!(ledger, json(&plan(&spec).unwrap().ledger));
    }
}

#[test]
fn a_result_is_found_again_until_force() {
    let bench = Bench::new();
    let first = bench.json(&["run", "experiment.toml"]);
    let mark = bench.result("results").join("mark");
    fs::write(&mark, "").unwrap();
    let again = bench.dido(&["run", "experiment.toml", "--json"]);
    assert!(stderr(&again).contains("is already there; --force runs it again"), "{}", stderr(&again));
    assert_eq!(serde_json::from_slice::<Value>(&again.stdout).unwrap(), first);
    assert!(mark.exists());
    // A moved result says where it lies now.
    fs::rename(bench.path("results"), bench.path("moved")).unwrap();
    let moved = bench.json(&["run", "experiment.toml", "--out", "moved"]);
    assert!(moved["results"].as_str().unwrap().starts_with("moved"), "{}", moved["results"]);
    let forced = bench.json(&["run", "experiment.toml", "--out", "moved", "--force"]);
    assert_eq!(forced["metrics"], first["metrics"]);
    assert!(!bench.result("moved").join("mark").exists());
}

#[test]
fn the_stored_specification_runs_again_from_anywhere() {
    let bench = Bench::new();
    let first = bench.json(&["run", "experiment.toml"]);
    let spec = bench.result("results").join("spec.toml");
    let second = bench.json(&["run", spec.to_str().unwrap(), "--out", "again"]);
    assert_eq!(first["digest"], second["digest"]);
    common::assert_equal_results(&bench.result("results"), &bench.result("again"));
}

#[test]
fn another_seed_gives_another_model_in_another_folder() {
    let bench = Bench::new();
    let a = bench.json(&["run", "experiment.toml"]);
    let b = bench.json(&["run", "experiment.toml", "--set", "seed=3"]);
    assert_eq!(b["seeds"]["noise"], Value::from(3));
    assert_ne!(a["digest"], b["digest"]);
    assert_ne!(a["metrics"]["private"], b["metrics"]["private"]);
    assert_eq!(a["epsilon"], b["epsilon"]);
}

#[test]
fn a_key_of_the_operating_system_is_used_once_and_stored_nowhere() {
    let bench = Bench::new();
    // Checkpoints would be due after every round.
    let arguments = ["run", "experiment.toml", "--set", "seed=os", "--checkpoint-seconds", "0", "--force"];
    let a = bench.json(&arguments);
    let b = bench.json(&arguments);
    assert_eq!(a["seeds"]["noise"], Value::from("os"));
    assert_eq!(a["digest"], b["digest"]);
    // Equal noise would need two equal keys of 256 bits.
    assert_ne!(a["metrics"]["private"], b["metrics"]["private"]);
    for file in fs::read_dir(bench.result("results")).unwrap() {
        let file = file.unwrap().path();
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(!name.contains("checkpoint"), "{name}");
        let text = String::from_utf8_lossy(&fs::read(&file).unwrap()).to_lowercase();
        assert!(!text.contains("\"key\"") && !text.contains("\"keys\""), "{name}");
    }
    // An interrupted run of this kind starts afresh, whatever checkpoint lies there.
    let digest = a["digest"].as_str().unwrap();
    let partial = bench.path("results/clinics").join(format!("{digest}.partial"));
    assert!(!partial.exists());
}

#[test]
fn lanes_are_scored_one_by_one_and_accounted_together() {
    let bench = Bench::new();
    let one = bench.json(&["run", "experiment.toml"]);
    let three = bench.json(&["run", "experiment.toml", "--set", "lanes=3"]);
    let four = bench.json(&["run", "experiment.toml", "--set", "lanes=4"]);
    let scores = four["lane_scores"].as_array().unwrap();
    assert_eq!(scores.len(), 4);
    assert_eq!(scores[..3], three["lane_scores"].as_array().unwrap()[..], "a lane does not depend on their number");
    // A single lane is summed in another order than two and more.
    let first = |run: &Value| run["lane_scores"][0]["r2"].as_f64().unwrap();
    assert!((first(&four) - first(&one)).abs() < 1e-9, "{} against {}", first(&four), first(&one));
    let plan = bench.json(&["plan", "experiment.toml", "--set", "lanes=4"]);
    assert_eq!([&plan["epsilon"], &plan["epsilon_all_lanes"]], [&four["epsilon"], &four["epsilon_all_lanes"]]);
    let mean = scores.iter().map(|s| s["r2"].as_f64().unwrap()).sum::<f64>() / 4.0;
    assert!((mean - four["metrics"]["private"]["r2"].as_f64().unwrap()).abs() < 1e-12);
    assert_eq!(four["epsilon"], one["epsilon"]);
    let pure = |run: &Value, key: &str| run[key]["pure"].as_f64().unwrap();
    assert!((pure(&four, "epsilon_all_lanes") / (4.0 * pure(&one, "epsilon")) - 1.0).abs() < 1e-12);
}

#[test]
fn what_lies_outside_its_bounds_is_clipped_and_counted() {
    let csv = common::clinics().replacen("east,57,f", "east,157,f", 1);
    assert_ne!(csv, common::clinics());
    let bench = Bench::with(common::TOML, &csv);
    let clipped = |run: &Value, column: &str| {
        let all = run["clipped"].as_array().unwrap();
        all.iter().find(|c| c["column"].as_str().unwrap().contains(column)).unwrap()["count"].as_u64().unwrap()
    };
    let run = bench.json(&["run", "experiment.toml"]);
    assert_eq!(clipped(&run, "age"), 1);
    assert_eq!(clipped(&run, "days"), 0);
    assert_eq!(clipped(&run, "whole rows"), 0);
    // Every row has an intercept of 1 and a level of 1/2: none is as short as 1.1.
    let short = bench.json(&["run", "experiment.toml", "--set", "data.row_norm=1.1"]);
    assert_eq!(clipped(&short, "whole rows"), RECORDS.iter().sum::<usize>() as u64);
    let text = bench.dido(&["run", "experiment.toml"]).stdout;
    assert!(String::from_utf8(text).unwrap().contains("local, not private"));
}

#[test]
fn a_non_private_run_says_that_its_epsilon_is_infinite() {
    let toml = common::TOML
        .replace("budget = { epsilon = 8, delta = 1e-5 }", "")
        .replace("{ kind = \"calibrated\", mechanism = \"laplace\" }", "{ kind = \"none\" }")
        .replace("rounds = 40", "rounds = 4000");
    let bench = Bench::with(&toml, &common::clinics());
    let run = bench.json(&["run", "experiment.toml"]);
    assert!(run["epsilon"]["zcdp"].is_null() && run["epsilon"]["pure"].is_null());
    assert!(run["not_covered"].as_array().unwrap().contains(&Value::from("coefficients")));
    let r2 = |model: &str| run["metrics"][model]["r2"].as_f64().unwrap();
    assert!(r2("private") > r2("optimum") - 0.01, "{} against {}", r2("private"), r2("optimum"));
    let trace = fs::read_to_string(bench.result("results").join("trace.csv")).unwrap();
    assert!(trace.lines().nth(1).unwrap().contains(",inf,"));
}

#[test]
fn a_run_whose_scores_overflow_completes_with_its_files() {
    // Noise for a set of this size takes the model to 1e298: the squares of its predictions are no numbers any more.
    let bench = Bench::new();
    for (out, set) in [("one", "lanes=1"), ("three", "lanes=3")] {
        let arguments = ["run", "experiment.toml", "--set", "algorithm.set.radius=1e300", "--set", set, "--out", out];
        let run = bench.json(&arguments);
        assert_eq!(run["metrics"]["private"]["r2"].as_f64(), Some(f64::MIN));
        assert_eq!(run["metrics"]["private"]["rmse"].as_f64(), Some(f64::MAX));
        assert!(run["epsilon"]["zcdp"].as_f64().unwrap() <= 8.0);
        assert!(bench.result(out).join("graph.svg").exists());
        let trace = fs::read_to_string(bench.result(out).join("trace.csv")).unwrap();
        assert!(!trace.contains("inf") && !trace.contains("NaN"), "{trace}");
        let page = fs::read_to_string(bench.result(out).join("report.html")).unwrap();
        assert!(!page.contains("NaN") && page.contains("R\u{b2} = -1.798e308"));
        // It is found again: nothing in its summary is unreadable.
        assert_eq!(bench.json(&arguments), run);
    }
}

/// `/dev/full` is a disk without room, on systems that have it.
#[test]
#[cfg(target_os = "linux")]
fn what_cannot_be_written_is_an_error() {
    let bench = Bench::new();
    for arguments in [
        &["plan", "experiment.toml"][..],
        &["plan", "experiment.toml", "--json"],
        &["run", "experiment.toml", "--json"],
        &["run", "experiment.toml"],
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = bench.command(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let text = stderr(&output);
        assert!(text.lines().last().unwrap().starts_with("dido: standard output: No space left"), "{text}");
    }
    // The result is there all the same.
    assert!(bench.result("results").join("report.html").exists());
}

#[test]
fn whoever_reads_may_stop_reading() {
    let bench = Bench::new();
    let mut child = bench.command(&["plan", "experiment.toml"]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}
