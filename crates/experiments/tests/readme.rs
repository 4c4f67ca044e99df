//! The example of the README is a whole experiment.

mod common;

use common::{Bench, clinics};

#[test]
fn the_example_plans_without_data_and_runs() {
    let readme = include_str!("../README.md");
    let (_, rest) = readme.split_once("```toml\n").unwrap();
    let (toml, _) = rest.split_once("```").unwrap();
    let header = clinics().lines().take(2).collect::<Vec<_>>().join("\n");
    assert!(readme.contains(&format!("```csv\n{header}\n```")), "the README shows other columns than\n{header}");

    let bench = Bench::with(toml, "");
    let plan = bench.json(&["plan", "experiment.toml"]);
    let epsilon = plan["epsilon"]["zcdp"].as_f64().unwrap();
    assert!(epsilon <= 4.0 && epsilon > 3.999, "{epsilon}");

    bench.write("clinics.csv", &clinics());
    let run = bench.json(&["run", "experiment.toml"]);
    assert_eq!(run["epsilon"], plan["epsilon"]);
    // The declared norm is the one that the schema guarantees.
    assert!(run["clipped"].as_array().unwrap().iter().all(|c| c["count"] == 0), "{}", run["clipped"]);
    let r2 = run["metrics"]["private"]["r2"].as_f64().unwrap();
    assert!(r2 > 0.0, "{r2}");
}
