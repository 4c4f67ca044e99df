//! The examples of the page on sweeps are what they say.

mod common;

use common::{Bench, TOML, clinics, stderr};

const PAGE: &str = include_str!("../../../docs/sweeps.md");

fn blocks(kind: &str) -> Vec<&'static str> {
    let fence = format!("```{kind}\n");
    PAGE.split(&fence).skip(1).map(|rest| rest.split_once("```").unwrap().0).collect()
}

#[test]
fn both_sweeps_run() {
    let sweeps = blocks("toml");
    for (sweep, cells) in sweeps.iter().zip([4, 8]) {
        let bench = Bench::with(&format!("{TOML}\n{sweep}"), &clinics());
        let run = bench.json(&["run", "experiment.toml"]);
        let status: Vec<&str> =
            run["cells"].as_array().unwrap().iter().map(|c| c["status"].as_str().unwrap()).collect();
        assert_eq!(status, vec!["done"; cells], "{}", run["cells"]);
    }
    assert_eq!(sweeps.len(), 2);
}

#[test]
fn the_command_prints_what_the_page_shows() {
    let (command, shown) = blocks("text")[0].split_once('\n').unwrap();
    let arguments: Vec<&str> = command.strip_prefix("$ dido ").unwrap().split(' ').collect();
    let output = Bench::new().dido(&arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed.trim_end(), shown.trim_end());
}
