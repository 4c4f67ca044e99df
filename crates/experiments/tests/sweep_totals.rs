//! What all cells of a sweep cost together.

mod common;

use std::fs;

use common::sweeps::rows;
use common::{Bench, TOML, clinics};
use dido_mechanisms::{Accountant, Adjacency, Adversary, Event, Gdp, Ledger, Norm, Sensitivity};
use serde_json::Value;

const SWEEP: &str = "
[sweep]
privacy.budget.epsilon = [2, 8, -1]
graph.kind = [\"ring\", \"star\"]
";

fn bench(sweep: &str) -> Bench {
    Bench::with(&format!("{TOML}{sweep}"), &clinics())
}

/// Of accountant `name`, over all cells.
fn of_all_cells(run: &Value, name: &str) -> f64 {
    let all = run["epsilon_all_cells"]["epsilon"].as_array().unwrap();
    let found = all.iter().find(|of| of["accountant"].as_str().unwrap().starts_with(name)).unwrap();
    found["epsilon"].as_f64().unwrap_or_else(|| panic!("{found}"))
}

/// Pure losses add up, over cells and lanes. With Gaussian noise, all releases of a party are worth one of the sensitivity
/// over sigma that is the root of the sum of squares, here added up from the ledgers in the result folders.
#[test]
fn all_cells_together_cost_what_their_releases_cost() {
    let bench = bench(SWEEP);
    let run = bench.json(&["run", "experiment.toml", "--set", "sweep.lanes=[1, 3]"]);
    let pure = |cell: &Value| cell["epsilon_all_lanes"]["pure"].as_f64();
    let sum: f64 = run["cells"].as_array().unwrap().iter().filter_map(pure).sum();
    assert!((of_all_cells(&run, "pure") / sum - 1.0).abs() < 1e-12, "{} is not {sum}", of_all_cells(&run, "pure"));
    assert_eq!(run["epsilon_all_cells"]["shares_noise"], true);
    assert_eq!(run["epsilon_all_cells"]["cells"].as_array().unwrap().len(), 8);

    bench.write("clinics.csv", &clinics().replace("east,", "zest,"));
    bench.write("experiment.toml", &format!("{TOML}{SWEEP}").replace("[33, 39, 48]", "[39, 48, 33]"));
    let set = ["--set", "privacy.noise.mechanism=gaussian", "--set", "objective.weighting=node-mean"];
    let run = bench.json(&[&["run", "experiment.toml", "--out", "gaussian"], &set[..]].concat());
    let mut squares = [0.0; 3];
    for row in rows(&bench, "gaussian").iter().filter(|row| row["status"] == "done") {
        let ledger = bench.path("gaussian/clinics").join(&row["digest"]).join("ledger.json");
        let ledger: Ledger = serde_json::from_str(&fs::read_to_string(ledger).unwrap()).unwrap();
        for class in &ledger.classes {
            for entry in &class.entries {
                let Event::Gaussian { sensitivity, sigma } = entry.event else { panic!("{entry:?}") };
                class
                    .nodes
                    .iter()
                    .for_each(|&n| squares[n] += entry.releases as f64 * (sensitivity.value / sigma).powi(2));
            }
        }
    }
    // Parties of other sizes have other sensitivities: it is the worst that counts, here the last.
    assert!(squares[2] > 1.1 * squares[0] && squares[0] > 1.1 * squares[1], "{squares:?}");
    let sensitivity = Sensitivity::new(1.0, Norm::L2, Adjacency::ReplaceRecord).unwrap();
    let one = Event::Gaussian { sensitivity, sigma: 1.0 / squares[2].sqrt() };
    let ledger = Ledger::of(Adjacency::ReplaceRecord, Adversary::AllMessages, [(one, 1)]);
    let expected = Gdp.bound(&ledger, 1e-5).unwrap().epsilon;
    let found = of_all_cells(&run, "best (gdp)");
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} is not {expected}");
}

/// In a centralised cell one party holds all records: what it tells of a record comes on top of what the record's own
/// party tells elsewhere.
#[test]
fn a_baseline_counts_for_the_records_of_every_party() {
    let bench = bench("[sweep]\nbaseline = [\"centralised\", \"alone\"]");
    let keys = [
        "--set",
        "objective.weighting=node-mean",
        "--set",
        "privacy.noise={ kind = 'laplace', scale = { kind = 'constant', c = 20.0 } }",
    ];
    let run = bench.json(&[&["run", "experiment.toml"], &keys[..]].concat());
    let pure = |k: usize| run["cells"][k]["epsilon"]["pure"].as_f64().unwrap();
    let found = of_all_cells(&run, "pure");
    assert!((found / (pure(0) + pure(1)) - 1.0).abs() < 1e-12, "{found} is not {} and {}", pure(0), pure(1));
}

#[test]
fn where_cells_do_not_compose_there_is_no_figure_for_all() {
    for (sweep, expected) in [
        (
            "privacy.adjacency = [\"replace-record\", \"replace-node\"]",
            "cells 1 and 2 differ in what adjacent data are",
        ),
        ("privacy.adversary = [\"all-messages\", { neighbour = 1 }]", "cells 1 and 2 differ in who looks"),
        ("data.held_out.fraction = [0.2, 0.2000001]", "cells 1 and 2 differ in their data"),
        (
            "\"privacy.noise,privacy\" = [[{ kind = \"none\" }, { adjacency = \"replace-record\" }]]",
            "no cell adds noise",
        ),
    ] {
        let bench = bench(&format!("[sweep]\n{sweep}"));
        let run = bench.json(&["run", "experiment.toml"]);
        let total = &run["epsilon_all_cells"];
        assert!(total["reason"].as_str().unwrap().starts_with(expected), "{sweep}: {total}");
        assert_eq!(total["epsilon"], serde_json::json!([]));
        let text = String::from_utf8(bench.dido(&["run", "experiment.toml"]).stdout).unwrap();
        assert!(text.contains("all computed from the same data: none, since"), "{text}");
    }
}

/// A cell without noise has no bound, and takes none away from the others; a bound of a row moves no record; each cell has a
/// key of its own; the smallest delta holds for all.
#[test]
fn a_cell_without_noise_is_named_and_the_others_are_counted() {
    let noise = "budget = { epsilon = 3, delta = 1e-6 }, noise = { kind = \"calibrated\", mechanism = \"laplace\" }";
    let bench = bench(&format!(
        "[sweep]\nprivacy = [{{ adjacency = \"replace-record\", noise = {{ kind = \"none\" }} }}, \
         {{ adjacency = \"replace-record\", {noise} }}]\n\"data.row_norm,seed\" = [[1.7, 1], [1.8, 2]]"
    ));
    let run = bench.json(&["run", "experiment.toml"]);
    let total = &run["epsilon_all_cells"];
    let two_budgets = |cell: &Value| cell["epsilon"]["pure"].as_f64();
    let sum: f64 = run["cells"].as_array().unwrap().iter().filter_map(two_budgets).sum();
    assert!((of_all_cells(&run, "pure") / sum - 1.0).abs() < 1e-12);
    let numbers = |key: &str| total[key].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!([numbers("without_noise"), numbers("cells")], [[1, 3], [2, 4]]);
    assert_eq!([&total["shares_noise"], &total["delta"]], [&Value::from(false), &Value::from(1e-6)]);
    let table = rows(&bench, "results");
    assert_eq!([table[0]["epsilon_zcdp"].as_str(), &table[0]["epsilon_all_lanes"]], ["inf", "inf"]);
}
