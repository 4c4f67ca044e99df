//! What theorems allow, beside what runs measure.

mod common;

use common::{Bench, TOML, clinics};
use serde_json::Value;

/// The experiment on [`clinics`] with twenty lanes, another algorithm and other noise.
fn run(algorithm: &str, overrides: &[&str]) -> (Bench, Value) {
    let (start, rest) = TOML.split_once("kind = \"projected-dgd\"").unwrap();
    let (_, rest) = rest.split_once("[privacy]").unwrap();
    let bench = Bench::with(&format!("{start}{algorithm}\n[privacy]{rest}"), &clinics());
    let lanes = format!("lanes={LANES}");
    let lanes = ["run", "experiment.toml", "--set", &lanes, "--set", "observe_every=1"];
    let overrides: Vec<&str> = overrides.iter().flat_map(|set| ["--set", *set]).collect();
    let run = bench.json(&[&lanes[..], &overrides].concat());
    (bench, run)
}

/// As many as there are lines of a trace for a round.
const LANES: usize = 20;

/// The measured distances, in the mean over twenty lanes of seed 7, so nothing is random; and the bound in every round.
fn beside(bench: &Bench, run: &Value) -> Vec<(f64, f64)> {
    let trace = std::fs::read_to_string(bench.result("results").join("trace.csv")).unwrap();
    let column = trace.lines().next().unwrap().split(',').position(|name| name == "distance_to_optimum").unwrap();
    let of_lanes: Vec<f64> =
        trace.lines().skip(1).map(|line| line.split(',').nth(column).unwrap().parse().unwrap()).collect();
    let points = run["bound"]["points"].as_array().unwrap();
    assert_eq!(of_lanes.len(), LANES * points.len());
    let measured = of_lanes.chunks(LANES).map(|lanes| lanes.iter().sum::<f64>() / LANES as f64);
    measured.zip(points).map(|(measured, point)| (measured, point[1].as_f64().unwrap())).collect()
}

const SET: &str = "set = { kind = \"l2-ball\", radius = 1.5 }";
const SMALL: &str = "step = { kind = \"power\", c = 0.02, d = 1, e = 0.5 }";

#[test]
fn the_bounds_of_papers_a_and_c_hold_and_say_something() {
    // On a path the parties do not agree at once.
    let quiet = ["privacy.budget.epsilon=500", "graph.kind=path"];
    for (algorithm, overrides) in [
        (format!("kind = \"projected-dgd\"\n{SET}\n{SMALL}"), &quiet[..]),
        (
            format!("kind = \"projected-dgd\"\n{SET}\n{SMALL}"),
            &["privacy.noise.mechanism=gaussian", quiet[0], quiet[1]],
        ),
        (format!("kind = \"pdop\"\n{SET}\n{SMALL}"), &quiet),
        (format!("kind = \"pdop\"\n{SET}\n{SMALL}"), &["privacy.noise.mechanism=gaussian", quiet[0], quiet[1]]),
    ] {
        let (bench, found) = run(&algorithm, overrides);
        let all = beside(&bench, &found);
        assert!(all.iter().all(|(measured, bound)| measured <= bound), "{algorithm}: {all:?}");
        let (measured, bound) = all[all.len() - 1];
        // The diameter of the set, in units of the optimum, is what is known without a theorem.
        assert!(bound < 4.0 && bound < 40.0 * measured, "{algorithm}: {measured} {bound}");
        let page = std::fs::read_to_string(bench.result("results").join("report.html")).unwrap();
        assert!(page.contains("bound on the first (knows the data)") && page.contains("bounds it by"));
    }
}

#[test]
fn the_bound_of_paper_b_holds_and_falls() {
    let dual = "kind = \"dual-averaging\"\nweights = { kind = \"growing-gradients\", gamma = 0.5 }";
    let objective =
        "objective={ loss = { kind = 'huber', width = 0.5 }, regulariser = { kind = 'squared-l2', mu = 0.5 } }";
    let gaussian = ["privacy.noise.mechanism=gaussian", "privacy.budget.epsilon=50", "rounds=200"];
    for sampling in ["algorithm.sampling=all", "algorithm.sampling=one-record"] {
        let (bench, found) = run(dual, &[&gaussian[..], &[objective, sampling]].concat());
        let all = beside(&bench, &found);
        assert!(all.iter().all(|(measured, bound)| measured <= bound), "{sampling}: {all:?}");
        // It falls as the root of 1 / T.
        assert!(all[199].1 < 0.5 * all[19].1, "{sampling}: {all:?}");
    }
    let (_, found) = run(dual, &[&gaussian[..], &["objective.loss={ kind = 'huber', width = 0.5 }"]].concat());
    assert!(found.get("bound").is_none(), "{found}");
}

/// Where a premise fails there is no bound: rows that are shortened, nodes that sleep, an optimum outside the set, clipped
/// gradients, and algorithms without a theorem.
#[test]
fn no_bound_is_shown_without_its_premises() {
    let projected = format!("kind = \"projected-dgd\"\n{SET}\n{SMALL}");
    let pdop = format!("kind = \"pdop\"\n{SET}\n{SMALL}\nat = {{ clipped = 1.0 }}");
    for (algorithm, set) in [
        (&projected, "data.row_norm=1.1"),
        (&projected, "graph.sequence={ kind = 'activation', active = 2 }"),
        (&projected, "algorithm.set.radius=0.1"),
        (&projected, "objective.weighting=node-mean"),
        (&pdop, "rounds=40"),
    ] {
        let (_, found) = run(algorithm, &[set]);
        assert!(found.get("bound").is_none(), "{set}: {found}");
        assert!(!found["not_covered"].as_array().unwrap().contains(&"bound".into()));
    }
}
