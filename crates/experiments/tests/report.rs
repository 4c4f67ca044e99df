//! `dido report` and `dido compare` on folders: what is rebuilt, and what is told of it.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use common::Bench;
use serde_json::Value;

/// All files of a folder by name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entry = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap())
    };
    fs::read_dir(folder).unwrap().map(entry).collect()
}

/// The folder of a run with these overrides.
fn folder(bench: &Bench, overrides: &[&str]) -> PathBuf {
    let set: Vec<&str> = overrides.iter().flat_map(|set| ["--set", set]).collect();
    let out = bench.dido(&[&["run", "experiment.toml", "--json"][..], &set].concat());
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let summary: Value = serde_json::from_slice(&out.stdout).unwrap();
    bench.path(summary["results"].as_str().unwrap())
}

fn report(bench: &Bench, folder: &Path) -> (Option<i32>, String) {
    let out = bench.dido(&["report", folder.to_str().unwrap()]);
    (out.status.code(), String::from_utf8(out.stderr).unwrap())
}

#[test]
fn a_rebuilt_report_has_the_bytes_of_the_run() {
    let bench = Bench::new();
    let folder = folder(&bench, &["lanes=3"]);
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
    let folder = folder(&bench, &["lanes=3"]);
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    let summary: Value = serde_json::from_slice(&fs::read(folder.join("summary.json")).unwrap()).unwrap();
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(&page, options).unwrap();
    let rows: Vec<Vec<String>> = document
        .descendants()
        .filter(|node| node.has_tag_name("tr"))
        .map(|row| {
            let cells = row.children().filter(|cell| cell.is_element());
            cells
                .map(|cell| cell.descendants().filter_map(|n| n.is_text().then(|| n.text()).flatten()).collect())
                .collect()
        })
        .collect();
    let shown = |label: &str, value: f64| {
        let row = rows.iter().find(|row| row[0].starts_with(label)).unwrap_or_else(|| panic!("no row {label}"));
        let number: f64 = row[1].parse().unwrap();
        // Four digits are shown, and a bound is rounded up.
        assert!((number - value).abs() <= 1e-3 * value.abs().max(1e-1), "{label}: {number} for {value}");
    };
    shown("private model", summary["metrics"]["private"]["r2"].as_f64().unwrap());
    shown("optimum, no privacy", summary["metrics"]["optimum"]["r2"].as_f64().unwrap());
    shown("pure, delta = 0", summary["epsilon"]["pure"].as_f64().unwrap());
    shown("tightest", summary["epsilon"]["best"]["epsilon"].as_f64().unwrap());
    for coefficient in summary["coefficients"].as_array().unwrap() {
        shown(coefficient["name"].as_str().unwrap(), coefficient["private"].as_f64().unwrap());
    }
    for (party, records) in common::RECORDS.iter().enumerate() {
        let party = party.to_string();
        assert!(rows.iter().any(|row| row[0] == party && row[1] == records.to_string() && row[2] == "2"), "{party}");
    }
    for section in [
        "What was computed",
        "Result",
        "Privacy statement",
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

#[test]
fn a_damaged_folder_is_refused_in_one_line() {
    let bench = Bench::new();
    let folder = folder(&bench, &[]);
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
fn a_run_without_noise_is_called_non_private() {
    let bench = Bench::new();
    let toml = common::TOML.replace("budget = { epsilon = 8, delta = 1e-5 }\n", "");
    let toml = toml.replace("{ kind = \"calibrated\", mechanism = \"laplace\" }", "{ kind = \"none\" }");
    fs::write(bench.path("experiment.toml"), toml).unwrap();
    let page = fs::read_to_string(folder(&bench, &[]).join("report.html")).unwrap();
    assert!(page.contains("NON-PRIVATE") && !page.contains("promise: a record is blurred"));
}

#[test]
fn results_stand_side_by_side() {
    let bench = Bench::new();
    let folders = [folder(&bench, &[]), folder(&bench, &["privacy.budget.epsilon=2", "rounds=30"])];
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
    let other = folder(&bench, &["data.held_out.seed=2"]);
    let out = bench.dido(&["compare", names[0], other.to_str().unwrap()]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains("not comparable") && text.contains("data.held_out.seed"), "{text}");
}
