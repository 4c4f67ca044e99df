//! `[sweep]`: what its cells are, and what it writes.

mod common;

use std::fs;
use std::path::PathBuf;

use common::sweeps::{assert_same_bytes, rows, set_aside, sweep_folder};
use common::{Bench, TOML, clinics, stderr};
use dido_experiments::sweep;
use serde_json::Value;

/// Two budgets on two graphs, and a budget that cannot be.
const SWEEP: &str = "
[sweep]
\"privacy.budget.epsilon\" = [2, 8, -1]
graph.kind = [\"ring\", \"star\"]
";

fn bench(sweep: &str) -> Bench {
    Bench::with(&format!("{TOML}{sweep}"), &clinics())
}

#[test]
fn the_cells_are_the_runs_that_one_would_make_by_hand() {
    let bench = bench(SWEEP);
    let output = bench.dido(&["run", "experiment.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let table = rows(&bench, "results");
    let expected = [("ring", "2"), ("ring", "8"), ("ring", "-1"), ("star", "2"), ("star", "8"), ("star", "-1")];
    assert_eq!(table.len(), expected.len());
    for (k, (row, (graph, epsilon))) in table.iter().zip(expected).enumerate() {
        assert_eq!(
            [&row["cell"], &row["graph.kind"], &row["privacy.budget.epsilon"]],
            [&(k + 1).to_string(), graph, epsilon]
        );
        if epsilon == "-1" {
            assert_eq!(row["status"], "failed");
            assert_eq!(row["reason"], "`privacy.budget`: epsilon must be positive and finite, got -1");
            assert_eq!([&row["digest"], &row["merit"], &row["epsilon_zcdp"]], ["", "", ""]);
            continue;
        }
        let keys = [format!("graph.kind={graph}"), format!("privacy.budget.epsilon={epsilon}")];
        let by_hand =
            ["run", "experiment.toml", "--set", "sweep={}", "--out", "hand", "--set", &keys[0], "--set", &keys[1]];
        let run = bench.json(&by_hand);
        assert_eq!([row["status"].as_str(), &row["digest"]], ["done", run["digest"].as_str().unwrap()]);
        let number = |column: &str| row[column].parse::<f64>().unwrap().to_bits();
        let found = |pointer: &str| run.pointer(pointer).unwrap().as_f64().unwrap().to_bits();
        assert_eq!(number("merit"), found("/metrics/private/r2"));
        assert_eq!(number("error"), found("/metrics/private/rmse"));
        assert_eq!(number("consensus_error"), found("/consensus_error"));
        assert_eq!(number("epsilon_pure"), found("/epsilon/pure"));
        assert_eq!(number("epsilon_zcdp"), found("/epsilon/zcdp"));
        assert_eq!([row["rounds"].as_str(), &row["measure"], &row["objective_gap"]], ["40", "r2 rmse", ""]);
        let of = |out: &str| bench.path(out).join("clinics").join(&row["digest"]).join("model.json");
        assert_eq!(fs::read(of("results")).unwrap(), fs::read(of("hand")).unwrap());
    }
    let page = fs::read_to_string(sweep_folder(&bench, "results").join("report.html")).unwrap();
    let page = page.strip_prefix("<!DOCTYPE html>").unwrap();
    let page = roxmltree::Document::parse(page).unwrap();
    let table = page.descendants().find(|node| node.attribute("class") == Some("cells")).unwrap();
    let cells = table.descendants().filter(|node| node.has_tag_name("th") && node.attribute("scope") == Some("row"));
    assert_eq!(cells.count(), 6);
    // A line for each cell where there is no bar, and the table.
    let text = stderr(&output);
    assert_eq!(text.lines().count(), 6, "{text}");
    assert!(text.lines().all(|line| line.starts_with("cell ") && line.contains(" of 6 (graph.kind=")), "{text}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("failed: `privacy.budget`: epsilon must be positive"));
}

#[test]
fn a_table_may_be_a_value_and_its_keys_are_set_after_it() {
    let dgd = "{ kind = \"dgd\", step = { kind = \"constant\", c = 0.1 }, clip = { record = 1.0 } }";
    let set = "{ kind = \"projected-dgd\", set = { kind = \"l2-ball\", radius = 1 }, step = { kind = \"constant\", c = 0.1 } }";
    let sweep = format!(
        "[sweep]\nalgorithm = [{dgd}, {set}]\n\"algorithm.step.c, rounds\" = [[0.2, 10], [0.1, 20]]\nrepeat = [2]"
    );
    let bench = bench(&sweep);
    let run = bench.json(&["run", "experiment.toml", "--set", "objective.loss={ kind = 'huber', width = 1 }"]);
    let cells = run["cells"].as_array().unwrap();
    let found: Vec<_> =
        cells.iter().map(|c| (c["algorithm"].as_str().unwrap(), c["rounds"].as_u64().unwrap())).collect();
    assert_eq!(found, [("dgd", 10), ("dgd", 20), ("projected-dgd", 10), ("projected-dgd", 20)]);
    for cell in cells {
        assert_eq!(cell["lanes"], 2);
        let spec = bench.path("results/clinics").join(cell["digest"].as_str().unwrap()).join("spec.toml");
        let spec: toml::Table = fs::read_to_string(spec).unwrap().parse().unwrap();
        let step = if cell["rounds"] == 10 { 0.2 } else { 0.1 };
        assert_eq!(spec["algorithm"]["step"]["c"].as_float().unwrap().to_bits(), f64::to_bits(step));
        // Where the loss is not squared there is a gap, and it is one of the summary.
        let summary = fs::read_to_string(
            bench.path("results/clinics").join(cell["digest"].as_str().unwrap()).join("summary.json"),
        );
        let summary: Value = serde_json::from_str(&summary.unwrap()).unwrap();
        let objective = |key: &str| summary["metrics"]["objective"][key].as_f64().unwrap();
        let gap = objective("private") - objective("optimum");
        assert_eq!(cell["objective_gap"].as_f64().unwrap().to_bits(), gap.to_bits());
    }
}

#[test]
fn finished_cells_are_skipped_until_force() {
    let bench = bench(SWEEP);
    let first = bench.json(&["run", "experiment.toml"]);
    let marks: Vec<PathBuf> = rows(&bench, "results")
        .iter()
        .filter(|row| row["status"] == "done")
        .map(|row| bench.path("results/clinics").join(&row["digest"]).join("mark"))
        .collect();
    for mark in &marks {
        fs::write(mark, "").unwrap();
    }
    let again = bench.dido(&["run", "experiment.toml", "--json"]);
    assert_eq!(stderr(&again).matches("is already there").count(), 4, "{}", stderr(&again));
    assert_eq!(serde_json::from_slice::<Value>(&again.stdout).unwrap(), first);
    // One more budget: the other cells are those that are there.
    let more = bench.dido(&["run", "experiment.toml", "--json", "--set", "sweep.privacy.budget.epsilon=[2, 8, 9]"]);
    assert_eq!(stderr(&more).matches("is already there").count(), 4, "{}", stderr(&more));
    assert_ne!(serde_json::from_slice::<Value>(&more.stdout).unwrap()["digest"], first["digest"]);
    assert!(marks.iter().all(|mark| mark.exists()));
    bench.json(&["run", "experiment.toml", "--force"]);
    assert!(marks.iter().all(|mark| !mark.exists()));
}

/// What was found on other data is not replaced by the news that the data have changed.
#[test]
fn a_table_of_other_data_is_kept_until_force() {
    let bench = bench(SWEEP);
    bench.json(&["run", "experiment.toml"]);
    let table = sweep_folder(&bench, "results").join("cells.csv");
    let known = fs::read_to_string(&table).unwrap();
    for changed in [Some(clinics().replacen("east,57", "east,58", 1)), None] {
        match &changed {
            Some(csv) => bench.write("clinics.csv", csv),
            None => fs::remove_file(bench.path("clinics.csv")).unwrap(),
        }
        let output = bench.dido(&["run", "experiment.toml"]);
        let text = stderr(&output);
        let last = text.lines().last().unwrap();
        let (code, expected) =
            if changed.is_some() { (1, "other data than `clinics.csv` holds now") } else { (2, "No such file") };
        assert_eq!(output.status.code(), Some(code), "{text}");
        assert!(last.starts_with("dido: ") && last.contains(expected), "{last}");
        assert_eq!(fs::read_to_string(&table).unwrap(), known);
    }
    bench.write("clinics.csv", &clinics().replacen("east,57", "east,58", 1));
    bench.json(&["run", "experiment.toml", "--force"]);
    assert_ne!(fs::read_to_string(&table).unwrap(), known);
}

#[test]
fn one_two_and_four_threads_write_the_same_bytes() {
    let bench = bench(SWEEP);
    for threads in ["1", "2", "4"] {
        bench.json(&["run", "experiment.toml", "--threads", threads]);
        set_aside(&bench, threads);
    }
    assert_same_bytes(&bench.path("1"), &bench.path("2"));
    assert_same_bytes(&bench.path("1"), &bench.path("4"));
}

#[test]
fn a_sweep_without_a_chance_is_refused_at_the_door() {
    for (sweep, expected) in [
        (
            "[sweep]\nprivacy.bugdet.epsilon = [1, 2]",
            "all 2 cells of the sweep are refused for one key: `privacy.bugdet`",
        ),
        ("[sweep]\nrounds = [3, 4]\ncolour = [1, 2]", "all 4 cells of the sweep are refused for one key: `colour`"),
        ("[sweep]\nrounds = [\"a\", 3.5]", "all 2 cells of the sweep are refused for one key: `rounds`"),
        ("[sweep]\nrounds = [0]", "`rounds`: there can be 1 to"),
        ("[sweep]\nrounds = []", "`sweep.rounds`: there must be at least one value"),
        ("[sweep]\ndata.features.9.max = [1, 2]", "`data.features.9.max`: the key leads nowhere"),
    ] {
        let bench = bench(sweep);
        for command in ["plan", "run"] {
            let output = bench.dido(&[command, "experiment.toml"]);
            let text = stderr(&output);
            assert_eq!(output.status.code(), Some(2), "{sweep}: {text}");
            assert_eq!(text.lines().count(), 1, "{text}");
            assert!(text.starts_with("dido: experiment.toml: ") && text.contains(expected), "{sweep}: {text}");
            assert!(output.stdout.is_empty() && !bench.path("results").exists());
        }
    }
}

#[test]
fn a_sweep_all_of_whose_cells_fail_has_its_table_and_fails() {
    // Pure privacy forbids the one, the other cannot be planned.
    let bench = bench("[sweep]\n\"privacy.budget.delta, lanes\" = [[2.0, 1], [1e-5, 0]]");
    for command in ["plan", "run"] {
        let output = bench.dido(&[command, "experiment.toml"]);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let last = stderr(&output).lines().last().unwrap().to_owned();
        assert!(
            last.starts_with("dido: experiment.toml: none of the 2 cells of the sweep succeeded; the first: `"),
            "{last}"
        );
        assert!(String::from_utf8(output.stdout).unwrap().contains("failed: `lanes`"));
    }
    assert!(rows(&bench, "results").iter().all(|row| row["status"] == "failed" && !row["reason"].is_empty()));
}

#[test]
fn a_cell_that_cannot_be_planned_or_stops_in_its_run_is_a_row() {
    // Noise of this scale costs more than the budget; records that are not there stop a run before its rounds.
    let noise = "{ kind = \"laplace\", scale = { kind = \"constant\", c = 0.001 } }";
    let sweep = format!(
        "[sweep]\nprivacy.noise = [{{ kind = \"calibrated\", mechanism = \"laplace\" }}, {noise}]\n\
         \"data.records\" = [[33, 39, 48], [33, 39, 47]]"
    );
    let bench = bench(&sweep);
    let output = bench.dido(&["run", "experiment.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let table = rows(&bench, "results");
    let status: Vec<&str> = table.iter().map(|row| row["status"].as_str()).collect();
    assert_eq!(status, ["done", "failed", "failed", "failed"]);
    assert!(
        table[1]["reason"].starts_with("the budget (epsilon 8, delta 0.00001) is too small"),
        "{}",
        table[1]["reason"]
    );
    assert!(table[2]["reason"].starts_with("`data.records`: of the 150 records"), "{}", table[2]["reason"]);
    assert!(!table[2]["digest"].is_empty());
    // A plan opens no data: the third is fine there.
    let plan = bench.json(&["plan", "experiment.toml"]);
    let status: Vec<&str> = plan.as_array().unwrap().iter().map(|row| row["status"].as_str().unwrap()).collect();
    assert_eq!(status, ["planned", "failed", "planned", "failed"]);
}

#[test]
fn a_plan_has_a_line_for_each_cell_and_opens_no_data() {
    let bench = bench(SWEEP);
    fs::remove_file(bench.path("clinics.csv")).unwrap();
    let output = bench.dido(&["plan", "experiment.toml"]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find(|line| line.trim_start().starts_with("5  graph.kind=star, budget.epsilon=8")).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words[3..7], ["8", "8", "40", "laplace"], "{line}");
    assert_eq!(text.matches("failed: `privacy.budget`").count(), 2);
    let list = bench.json(&["plan", "experiment.toml"]);
    for (row, epsilon) in list.as_array().unwrap().iter().zip([2.0, 8.0, -1.0, 2.0, 8.0, -1.0]) {
        assert_eq!(row["values"]["privacy.budget.epsilon"].as_f64(), Some(epsilon));
        let keys = [format!("privacy.budget.epsilon={epsilon}"), format!("graph.kind={}", row["values"]["graph.kind"])];
        if epsilon > 0.0 {
            let one =
                bench.json(&["plan", "experiment.toml", "--set", "sweep={}", "--set", &keys[0], "--set", &keys[1]]);
            let noise = one["noise"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).fold(0.0, f64::max);
            assert_eq!(
                [&row["epsilon"], &row["digest"], &row["mechanism"]],
                [&one["epsilon"], &one["digest"], &one["mechanism"]]
            );
            assert_eq!(row["noise"].as_f64().unwrap().to_bits(), noise.to_bits());
        } else {
            assert!(row["reason"].as_str().unwrap().contains("epsilon must be positive"));
        }
    }
    assert!(!bench.path("results").exists());
}

#[test]
fn what_is_set_on_the_command_line_takes_the_place_of_what_the_file_sweeps() {
    let bench = bench(SWEEP);
    let plan = |set: &str| bench.dido(&["plan", "experiment.toml", "--json", "--set", set]);
    let cells = |set: &str| serde_json::from_slice::<Value>(&plan(set).stdout).unwrap().as_array().map(Vec::len);
    assert_eq!(cells("sweep.privacy.budget.epsilon=[1]"), Some(2));
    assert_eq!(cells("sweep.privacy={ budget = { delta = [1e-5, 1e-6] } }"), Some(12));
    assert_eq!(cells("sweep.rounds=[1, 2]"), Some(12));
    assert_eq!(cells("sweep={ rounds = [3, 4] }"), Some(2));
    assert_eq!(cells("sweep={}"), None);
    for (set, expected) in [
        ("graph.kind=path", "`sweep` sets graph.kind in every cell: give --set sweep.graph.kind"),
        ("sweep.rounds=3", "`sweep.rounds`: expected a list of values, not the integer 3"),
        ("sweep=3", "`sweep`: expected a table"),
    ] {
        let output = plan(set);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
    // What takes one experiment says so; repetitions have a second name.
    let line = bench.refusal(&["audit", "experiment.toml"]);
    assert!(line.contains("`sweep`: only plan and run take a sweep; --set sweep={} leaves it out"), "{line}");
    let plan = bench.json(&["plan", "experiment.toml", "--set", "sweep={}", "--set", "repeat=3"]);
    assert_eq!(plan["lanes"], 3);
    let twice = Bench::with(&TOML.replace("seed = 7", "lanes = 2\nrepeat = 3"), &clinics());
    assert!(twice.refusal(&["plan", "experiment.toml"]).contains("`repeat`: another name of lanes: give it once"));
}

#[test]
fn the_stored_sweep_runs_again_from_anywhere() {
    let bench = bench("[sweep]\n\"data.source, seed\" = [[\"clinics.csv\", 1], [\"other.csv\", 2]]");
    bench.write("other.csv", &clinics().replacen("east,57", "east,58", 1));
    let first = bench.json(&["run", "experiment.toml"]);
    let stored = sweep_folder(&bench, "results").join("sweep.toml");
    fs::create_dir(bench.path("away")).unwrap();
    let mut command = bench.command(&["run", stored.to_str().unwrap(), "--json"]);
    let second = command.current_dir(bench.path("away")).output().unwrap();
    assert!(second.status.success(), "{}", stderr(&second));
    let second: Value = serde_json::from_slice(&second.stdout).unwrap();
    assert_eq!(first["digest"], second["digest"]);
    for k in [0, 1] {
        let [first, second] = [&first, &second].map(|run| &run["cells"][k]);
        assert_eq!([&first["digest"], &first["merit"]], [&second["digest"], &second["merit"]]);
    }
}

#[test]
fn equal_cells_are_run_once_and_files_of_one_name_are_told_apart() {
    let bench = bench("[sweep]\nprivacy.budget.epsilon = [2, 2.0]\ndata.source = [\"clinics.csv\", \"b/clinics.csv\"]");
    fs::create_dir(bench.path("b")).unwrap();
    fs::write(bench.path("b/clinics.csv"), clinics().replacen("east,57", "east,58", 1)).unwrap();
    let run = bench.json(&["run", "experiment.toml"]);
    let table = rows(&bench, "results");
    let status: Vec<&str> = table.iter().map(|row| row["status"].as_str()).collect();
    assert_eq!(status, ["done", "done", "failed", "failed"]);
    assert_eq!([&table[0]["digest"], &table[0]["merit"]], [&table[1]["digest"], &table[1]["merit"]]);
    assert!(
        table[2]["reason"].starts_with("it differs from cell 1 in the folder of a file only"),
        "{}",
        table[2]["reason"]
    );
    // The same release twice tells no more than once.
    assert_eq!(run["epsilon_all_cells"]["cells"], serde_json::json!([1]));
    assert_eq!(run["epsilon_all_cells"]["epsilon"][0]["epsilon"], run["cells"][0]["epsilon"]["pure"]);
}

#[test]
fn the_library_gives_nothing_for_a_file_without_a_sweep() {
    assert!(sweep::load("quickstart", &[]).unwrap().is_none());
    assert!(sweep::load("quickstart", &["sweep={}".to_owned()]).unwrap().is_none());
}
