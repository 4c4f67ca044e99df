//! The published experiments in their short form: that they run, give finite numbers and repeat, and that what is proved comes
//! out. Seeds are fixed, so what has passed once passes for ever; tolerances say what they leave room for.

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use dido_experiments::studies::{ALL, Cell, Findings, Options, Table, find, page};

const QUICK: Options = Options { quick: true, seed: 1 };

fn findings(name: &str) -> Findings {
    let study = find(name).unwrap();
    let found = (study.run)(&QUICK, &mut |_| {}).unwrap();
    assert!(!found.tables.is_empty() && !found.figures.is_empty() && !found.sentences.is_empty(), "{name}");
    for table in found.tables.iter().chain(&found.timing) {
        assert!(!table.rows.is_empty(), "{name}: {}", table.name);
        for row in &table.rows {
            assert_eq!(row.len(), table.columns.len(), "{name}: {}", table.name);
            // What is not finite is kept as words.
            let words =
                |cell: &Cell| matches!(cell, Cell::Text(words) if ["NaN", "inf", "-inf"].contains(&words.as_str()));
            assert!(!row.iter().any(words), "{name}: {}: {row:?}", table.name);
        }
    }
    for figure in &found.figures {
        let svg = figure.svg();
        assert!(roxmltree::Document::parse(&svg).is_ok(), "{name}: {}", figure.name);
        assert!(!svg.contains("NaN"), "{name}: {}", figure.name);
    }
    let text = page::markdown(study, &QUICK, &found);
    assert!(!text.contains("NaN") && text.contains(&page::command(study, &QUICK)), "{text}");
    found
}

fn table<'a>(found: &'a Findings, name: &str) -> &'a Table {
    found.table(name).unwrap()
}

/// The rows whose first cells are these words.
fn rows(table: &Table, words: &[&str]) -> Table {
    let belongs = |row: &&Vec<Cell>| words.iter().zip(row.iter()).all(|(word, cell)| *cell == Cell::from(*word));
    Table { rows: table.rows.iter().filter(belongs).cloned().collect(), ..table.clone() }
}

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found}, not {expected} up to {tolerance}");
}

#[test]
fn paper_a_has_the_exponents_of_the_theory() {
    let found = findings("liu2020-tradeoff");
    let slopes = table(&found, "slopes");
    let column = |name: &str| slopes.numbers(name);
    for k in 0..4 {
        // Four standard errors, and 0.05 for rounds that are not yet many.
        near(column("error")[k], column("theory")[k], 4.0 * column("+-")[k] + 0.05);
        assert!(column("+-")[k] < 0.1);
        near(column("epsilon")[k], column("its theory")[k], 0.02);
    }
    // s = 0 has the least error at every epsilon.
    let budgets = table(&found, "equal epsilon");
    for (best, other) in budgets.numbers("s = 0").iter().zip(budgets.numbers("s = 0.3")) {
        assert!(*best < other);
    }
}

#[test]
fn paper_c_has_the_exact_law_and_its_errata() {
    let found = findings("huang2015-rendezvous");
    let accuracy = table(&found, "accuracy");
    let column = |name: &str| accuracy.numbers(name);
    for k in 0..column("epsilon").len() {
        near(column("measured")[k], column("exact law")[k], 5.0 * column("+-")[k]);
    }
    // A hundredfold epsilon, a ten-thousandth of the error, up to the bias.
    near((column("exact law")[0] / column("exact law")[4]).log10(), 4.0, 0.01);
    let decay = table(&found, "decay");
    for (least, third) in decay.numbers("least variance").iter().zip(decay.numbers("q^(1/3)")) {
        near(*least, third, 1e-6);
    }
    let cost = table(&found, "cost");
    for (published, expected) in cost.numbers("published, K p^t").iter().zip(cost.numbers("1/p")) {
        near(*published, expected, 1e-6);
    }
    let moves = table(&found, "moves");
    let at_ten = moves.rows.iter().find(|row| row[0] == Cell::Number(10.0)).unwrap();
    assert!(matches!(at_ten[1], Cell::Number(x) if (x - 0.9).abs() < 1e-12));
    assert!(moves.numbers("at the projected z").iter().all(|x| *x <= 0.38));
}

#[test]
fn hiding_who_is_awake_costs_what_it_gains() {
    let found = findings("liu2024-svm");
    let cells = table(&found, "cells");
    let of = |method: &str| rows(cells, &["spambase", method, "l2"]);
    let (visible, hidden) = (of("visible"), of("hidden"));
    // iota = 0.2: less noise in a message, more in the mean.
    assert!(hidden.numbers("noise")[0] < visible.numbers("noise")[1]);
    assert!(hidden.numbers("noise of the mean")[0] > visible.numbers("noise of the mean")[1]);
    // Everybody awake pays for more rounds.
    assert!(visible.numbers("noise")[1] < visible.numbers("noise")[0]);
    // The model has learned something: two seeds are both far above the most frequent class, which has 0.6.
    let constant = table(&found, "references").number("spambase", "most frequent class").unwrap();
    assert!(visible.numbers("accuracy").iter().all(|accuracy| *accuracy > constant + 0.05));
    // The page shows the same numbers, by method and epsilon.
    let shown = &found.shown[0];
    assert_eq!(shown.rows[0][0], Cell::from("visible, iota = 1"));
    assert_eq!(shown.rows[0][2], Cell::Estimate(visible.numbers("accuracy")[0], visible.numbers("+-")[0]));
    assert_eq!(shown.rows[0][1], Cell::Absent);
}

#[test]
fn one_server_needs_less_noise_than_parties_alone() {
    let found = findings("table1");
    let methods = table(&found, "methods");
    let gap = |name: &str| methods.number(name, "gap, smaller epsilon").unwrap();
    assert!(gap("projected DGD, centralised") < gap("projected DGD, each party alone"));
    assert_eq!(methods.rows.len(), 14);
}

#[test]
fn noise_in_the_mean_does_not_know_the_graph() {
    let found = findings("topologies");
    let graphs = table(&found, "graphs");
    let column = |name: &str| graphs.numbers(name);
    let added: Vec<f64> =
        column("private loss, agreed").iter().zip(column("the same, agreed")).map(|(a, b)| a - b).collect();
    // Four lanes: four standard errors of a difference.
    let error = column("+- agreed").iter().fold(0.0_f64, |most, e| most.max(*e));
    near(added[0], added[2], 4.0 * 2.0_f64.sqrt() * error);
    // Ring, hypercube, complete: the gap grows, rounds and the loss without agreement fall.
    for name in ["rounds to agree", "loss without noise", "private loss"] {
        assert!(column(name).is_sorted_by(|a, b| a > b), "{name}");
    }
}

#[test]
fn a_view_of_a_ring_gives_all_away_and_the_sum_bounds_nothing() {
    let found = findings("network-dp");
    let ring = rows(table(&found, "distances"), &["ring"]);
    assert_eq!(ring.rows.len(), 4);
    ring.numbers("largest").iter().for_each(|share| near(*share, 1.0, 1e-6));
    let sums = ring.numbers("sum of marginals (no bound)");
    assert!(sums.is_sorted_by(|a, b| a > b) && sums[1] < 1.0);
    let shares = rows(table(&found, "distances"), &["star"]).numbers("mean");
    // Leaves of a star but the viewer and the hub cannot be told apart: one message about 14 of them.
    near(shares[1], 1.0 / 14.0, 1e-6);
}

#[test]
fn shared_noise_brings_the_own_noise_down_to_the_central_one() {
    let found = findings("correlated-noise");
    let own = |view: &str| rows(table(&found, "cells"), &["ring", view]).numbers("own noise");
    // 16 parties, or 15 of whom one knows nothing: the limits for much shared noise, and never below them.
    for (view, limit) in [("all messages", 16.0_f64), ("a party", 15.0)] {
        let own = own(view);
        near(own[1], 1.0 / limit.sqrt(), 0.002);
        assert!(own[1] >= 1.0 / limit.sqrt() - 1e-9 && own[0] > own[1] && own[0] < 1.0);
    }
}

#[test]
fn the_error_grows_as_the_number_of_parties() {
    let found = findings("scaling");
    let sizes = table(&found, "sizes");
    let column = |name: &str| sizes.numbers(name);
    // The first three sizes keep their noise inside the ball; the last does not. The error is the mean of 320 squares, of 64
    // lanes and five coordinates: its standard error is 8 %, and this allows five of them.
    for k in 0..3 {
        near(column("error")[k] / column("predicted")[k], 1.0, 0.4);
    }
    near(column("predicted")[2] / column("predicted")[0], 4.0, 1e-3);
    assert!(column("error")[3] > 0.05);
}

#[test]
fn the_quickstart_gets_better_with_epsilon() {
    let found = findings("quickstart");
    let merits = table(&found, "epsilons").numbers("R^2");
    let optimum = table(&found, "epsilons").numbers("optimum")[0];
    assert!(merits.is_sorted_by(|a, b| a < b) && merits[2] < optimum && merits[2] > optimum - 0.05, "{merits:?}");
}

#[test]
fn the_same_options_give_the_same_bytes() {
    let (study, folders) = (find("network-dp").unwrap(), [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()]);
    let written = folders.each_ref().map(|folder| {
        let found = (study.run)(&QUICK, &mut |_| {}).unwrap();
        let files = page::write(folder.path(), study, &QUICK, &found).unwrap();
        files.iter().map(|file| std::fs::read(file).unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(written[0], written[1]);
    assert_eq!(written[0].len(), 4);
}

#[test]
fn list_task_and_pages_are_in_step() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |file: &str| std::fs::read_to_string(root.join(file)).unwrap();
    let task = read("xtask/src/experiment.rs");
    let index = read("docs/experiments.md");
    let mut pages = BTreeSet::new();
    for study in ALL {
        // The task runs a preset, unless its figures are asked for.
        assert_eq!(task.contains(&format!("    \"{}\",\n", study.name)), study.name != "quickstart", "{}", study.name);
        assert!(index.contains(&format!("(experiments/{}.md)", study.name)), "{}", study.name);
        let text = read(&format!("docs/experiments/{}.md", study.name));
        let options = Options::default();
        assert!(text.starts_with(&format!("# {}\n", study.title)), "{}", study.name);
        for part in [study.question, study.set_up, study.paper, &page::command(study, &options)] {
            assert!(text.contains(part), "{}: {part}", study.name);
        }
        pages.insert(format!("{}.md", study.name));
        pages.insert(format!("{}.json", study.name));
    }
    for file in std::fs::read_dir(root.join("docs/experiments")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let of_a_study = ALL.iter().any(|study| name.starts_with(study.name));
        assert!(of_a_study, "docs/experiments/{name} belongs to no experiment");
        pages.remove(&name);
    }
    assert!(pages.is_empty(), "{pages:?}");
    let listed = String::from_utf8(common::Bench::new().dido(&["study", "--list"]).stdout).unwrap();
    let named = |name: &str| listed.lines().any(|line| line.split_whitespace().next() == Some(name));
    assert!(ALL.iter().all(|study| named(study.name)) && listed.ends_with(": docs/experiments.md\n"), "{listed}");
    let refused = find("tables").err().map(|error| error.to_string()).unwrap();
    assert!(refused.starts_with("no experiment `tables`") && refused.contains("network-dp"), "{refused}");
}
