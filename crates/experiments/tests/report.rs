//! `dido report` and `dido compare` on folders: what is rebuilt, and what is told of it.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use common::Bench;
use common::page::{self, run};
use serde_json::Value;

/// All files of a folder by name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entry = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap())
    };
    fs::read_dir(folder).unwrap().map(entry).collect()
}

fn report(bench: &Bench, folder: &Path) -> (Option<i32>, String) {
    let out = bench.dido(&["report", folder.to_str().unwrap()]);
    (out.status.code(), String::from_utf8(out.stderr).unwrap())
}

#[test]
fn a_rebuilt_report_has_the_bytes_of_the_run() {
    let bench = Bench::new();
    let folder = run(&bench, &["lanes=3"]);
    let written = files(&folder);
    let derived: Vec<&String> = written
        .keys()
        .filter(|name| Path::new(name).extension().is_some_and(|end| ["html", "svg", "png"].iter().any(|e| end == *e)))
        .collect();
    assert_eq!(derived.len(), if cfg!(feature = "png") { 9 } else { 5 }, "{derived:?}");
    for name in derived {
        fs::remove_file(folder.join(name)).unwrap();
    }
    // Nothing of the data is needed.
    fs::remove_file(bench.path("clinics.csv")).unwrap();
    let (code, said) = report(&bench, &folder);
    assert_eq!(code, Some(0), "{said}");
    let rebuilt = files(&folder);
    for (name, bytes) in &written {
        assert!(rebuilt.get(name) == Some(bytes), "{name} differs");
    }
    assert_eq!(written.len(), rebuilt.len());
}

#[test]
fn the_page_has_the_numbers_of_the_summary() {
    let bench = Bench::new();
    let folder = run(&bench, &["lanes=3"]);
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    let summary: Value = serde_json::from_slice(&fs::read(folder.join("summary.json")).unwrap()).unwrap();
    let rows = page::rows(&page);
    let shown = |label: &str, value: f64| {
        page::same(&page::row(&rows, label)[1], value);
    };
    shown("private model", summary["metrics"]["private"]["r2"].as_f64().unwrap());
    shown("optimum, no privacy", summary["metrics"]["optimum"]["r2"].as_f64().unwrap());
    shown("pure, delta = 0", summary["epsilon"]["pure"].as_f64().unwrap());
    shown("zCDP, delta = 1e-5", summary["epsilon"]["zcdp"].as_f64().unwrap());
    shown("tightest", summary["epsilon"]["best"]["epsilon"].as_f64().unwrap());
    for coefficient in summary["coefficients"].as_array().unwrap() {
        shown(coefficient["name"].as_str().unwrap(), coefficient["private"].as_f64().unwrap());
    }
    for (party, records) in common::RECORDS.iter().enumerate() {
        let party = party.to_string();
        assert!(rows.iter().any(|row| row[0] == party && row[1] == records.to_string() && row[2] == "2"), "{party}");
    }
    for lanes in ["Mean", "Lowest", "Highest"] {
        let scores: Vec<f64> =
            summary["lane_scores"].as_array().unwrap().iter().map(|s| s["r2"].as_f64().unwrap()).collect();
        let value = match lanes {
            "Mean" => scores.iter().sum::<f64>() / 3.0,
            "Lowest" => scores.iter().copied().fold(f64::INFINITY, f64::min),
            _ => scores.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        };
        shown(lanes, value);
    }
    for section in [
        "What was computed",
        "Result",
        "Privacy statement",
        "Convergence",
        "Models",
        "Parties",
        "Set-up",
        "Ledger",
        "How to rerun",
        "Files",
    ] {
        assert!(page.contains(&format!("<h2>{section}</h2>")), "{section}");
    }
    let outside = bench.path("clinics.csv");
    assert!(!page.contains(outside.to_str().unwrap()), "the page tells where files lie");
}

/// What is released, how often, with which noise, and what that is worth in words.
#[test]
fn the_statement_has_the_numbers_of_ledger_and_model() {
    let bench = Bench::new();
    let folder = run(&bench, &["lanes=3"]);
    let shown = fs::read_to_string(folder.join("report.html")).unwrap();
    let rows = page::rows(&shown);
    for class in page::json(&folder, "ledger.json")["classes"].as_array().unwrap() {
        let nodes: Vec<String> = class["nodes"].as_array().unwrap().iter().map(Value::to_string).collect();
        for entry in class["entries"].as_array().unwrap() {
            let row = rows.iter().find(|row| row.len() == 6 && row[0] == nodes.join(", ")).unwrap();
            assert_eq!(row[1], format!("{} to {}", entry["first"], entry["last"]));
            assert_eq!(row[2], entry["releases"].to_string());
            let event = &entry["event"];
            assert_eq!(row[3], event["kind"].as_str().unwrap());
            page::same(&row[4], event["scale"].as_f64().unwrap());
            let (value, norm) = row[5].split_once(' ').unwrap();
            page::same(value, event["sensitivity"]["value"].as_f64().unwrap());
            assert_eq!(norm, format!("({})", event["sensitivity"]["norm"].as_str().unwrap()));
        }
    }
    let model = page::json(&folder, "model.json");
    let (epsilon, delta) = (model["privacy"]["epsilon"].as_f64().unwrap(), model["privacy"]["delta"].as_f64().unwrap());
    let words = page::text(page::parse(&shown).root_element());
    let after = |before: &str| {
        let rest = words.split_once(before).unwrap_or_else(|| panic!("{before} is not in the page")).1;
        rest.split([' ', ':', ';', ')']).next().unwrap().to_owned()
    };
    page::same(&after("is at most "), epsilon.exp());
    page::same(&after("plus a probability of "), delta);
    page::same(&after("what epsilon = "), epsilon);
    assert_eq!(model["privacy"]["accountant"], after("all releases added up by ").as_str());
    // The figures of the best test: they are rounded up to one decimal, or more next to 100.
    let factor = epsilon.exp();
    let caught = (0.05 * factor + delta).min(1.0 - (0.95 - delta) / factor);
    let right = (factor + delta) / (1.0 + factor);
    for (said, value) in [("right about a record in at most ", caught), ("right afterwards in at most ", right)] {
        let said: f64 = after(said).parse().unwrap();
        assert!(said >= 100.0 * value - 1e-9 && said < 100.0 * value + 0.1, "{said} for {value}");
    }
}

#[test]
fn a_damaged_folder_is_refused_in_one_line() {
    let bench = Bench::new();
    let folder = run(&bench, &[]);
    let (good, good_trace) =
        (fs::read(folder.join("ledger.json")).unwrap(), fs::read(folder.join("trace.csv")).unwrap());
    let refused = |what: &str| {
        let (code, said) = report(&bench, &folder);
        assert_ne!(code, Some(0));
        assert!(said.lines().count() == 1 && said.contains(what), "{said}");
    };
    fs::write(folder.join("ledger.json"), &good[..good.len() / 2]).unwrap();
    refused("ledger.json: damaged");
    fs::write(folder.join("ledger.json"), &good).unwrap();
    fs::write(folder.join("trace.csv"), "round,lane\nx,0\n").unwrap();
    refused("trace.csv: damaged");
    fs::write(folder.join("trace.csv"), &good_trace).unwrap();
    let spec = fs::read_to_string(folder.join("spec.toml")).unwrap();
    fs::write(folder.join("spec.toml"), spec.replace("rounds = 40", "rounds = 41")).unwrap();
    refused("summary.json belongs to");
    fs::remove_file(folder.join("summary.json")).unwrap();
    refused("summary.json: damaged (it is missing)");
}

#[test]
fn results_stand_side_by_side() {
    let bench = Bench::new();
    let folders = [run(&bench, &[]), run(&bench, &["privacy.budget.epsilon=2", "rounds=30"])];
    let names: Vec<&str> = folders.iter().map(|folder| folder.to_str().unwrap()).collect();
    let out = bench.dido(&["compare", names[0], names[1], "--json"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let table: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(table["keys"], serde_json::json!(["privacy.budget.epsilon", "rounds"]));
    assert_eq!(table["warnings"], serde_json::json!([]));
    for (row, folder) in table["rows"].as_array().unwrap().iter().zip(&folders) {
        let summary: Value = serde_json::from_slice(&fs::read(folder.join("summary.json")).unwrap()).unwrap();
        assert_eq!(row["merit"]["mean"], summary["metrics"]["private"]["r2"]);
        assert_eq!(row["epsilon_pure"], summary["epsilon"]["pure"]);
        assert_eq!(row["messages"], summary["messages"]);
    }
    assert_eq!(table["rows"][1]["values"]["rounds"], "30");
    let csv = String::from_utf8(bench.dido(&["compare", names[0], names[1], "--csv"]).stdout).unwrap();
    assert!(csv.starts_with("name,privacy.budget.epsilon,rounds,measure,merit,") && csv.lines().count() == 3, "{csv}");
    // Another split leaves other counts.
    let other = run(&bench, &["data.held_out.seed=2", "data.records=[34,39,47]"]);
    let out = bench.dido(&["compare", names[0], other.to_str().unwrap()]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains("not comparable") && text.contains("data.held_out.seed"), "{text}");
}

/// Many keys would push the scores off the screen: they have a table of their own, and no cell touches the next one.
#[test]
fn results_of_different_algorithms_are_told_key_by_key() {
    let bench = Bench::new();
    let dgd = "algorithm={ kind = 'dgd', step = { kind = 'constant', c = 0.1 }, clip = { record = 1.0 } }";
    let folders =
        [run(&bench, &["remarks=['a long remark that nobody wants to see twice in a table']"]), run(&bench, &[dgd])];
    let names: Vec<&str> = folders.iter().map(|folder| folder.to_str().unwrap()).collect();
    let text = String::from_utf8(bench.dido(&["compare", names[0], names[1]]).stdout).unwrap();
    let (scores, keys) = text.split_once("\nKeys that differ\n").unwrap_or_else(|| panic!("{text}"));
    assert!(!scores.contains("algorithm"), "{text}");
    let line = |key: &str| keys.lines().find(|line| line.contains(key)).unwrap_or_else(|| panic!("no {key}: {text}"));
    let cells: Vec<&str> = line("algorithm.kind").split_whitespace().collect();
    assert_eq!(cells, ["algorithm.kind", "projected-dgd", "dgd"]);
    assert_eq!(line("algorithm.clip.record").split_whitespace().skip(1).collect::<Vec<_>>(), ["-", "1.0"]);
    assert!(line("remarks").contains("...") && line("remarks").len() < 100, "{text}");
}
