//! A page of a report as its reader sees it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Bench, stderr};

/// Well-formed, or the test fails.
pub fn parse(page: &str) -> roxmltree::Document<'_> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    roxmltree::Document::parse_with_options(page, options).unwrap()
}

/// The text of an element.
pub fn text(node: roxmltree::Node<'_, '_>) -> String {
    node.descendants().filter_map(|n| n.is_text().then(|| n.text()).flatten()).collect()
}

/// The cells of all rows of all tables.
pub fn rows(page: &str) -> Vec<Vec<String>> {
    let document = parse(page);
    let rows = document.descendants().filter(|node| node.has_tag_name("tr"));
    rows.map(|row| row.children().filter(roxmltree::Node::is_element).map(text).collect()).collect()
}

/// A row that begins with this.
pub fn row<'a>(rows: &'a [Vec<String>], label: &str) -> &'a [String] {
    rows.iter().find(|row| row[0].starts_with(label)).unwrap_or_else(|| panic!("no row {label} in {rows:?}"))
}

/// What is shown stands for the value: four digits, and a bound is rounded up.
pub fn same(shown: &str, value: f64) {
    let number: f64 = shown.parse().unwrap_or_else(|_| panic!("{shown} is no number"));
    assert!((number - value).abs() <= 1e-3 * value.abs().max(1e-1), "{shown} for {value}");
}

/// Runs `experiment.toml` with these overrides, which must succeed, and returns the folder.
pub fn run(bench: &Bench, overrides: &[&str]) -> PathBuf {
    let set: Vec<&str> = overrides.iter().flat_map(|set| ["--set", set]).collect();
    let out = bench.dido(&[&["run", "experiment.toml", "--json"][..], &set].concat());
    assert!(out.status.success(), "{}", stderr(&out));
    let summary: Value = serde_json::from_slice(&out.stdout).unwrap();
    bench.path(summary["results"].as_str().unwrap())
}

/// A file of a result.
pub fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

/// The same as JSON.
pub fn json(folder: &Path, name: &str) -> Value {
    serde_json::from_str(&read(folder, name)).unwrap()
}
