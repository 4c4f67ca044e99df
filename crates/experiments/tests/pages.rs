//! Pages of runs that are out of the ordinary: nothing breaks, and nothing is claimed that does not hold.

mod common;

use std::fmt::Write;
use std::fs;

use common::page::{json, parse, read, row, rows, run, same, text};
use common::sweeps::sweep_folder;
use common::{Bench, TOML, clinics};

/// As the clinics, with other records, parties and features; a fifth of the records is held out.
fn bench(csv: &str, parties: &[usize], features: &str) -> Bench {
    let (start, rest) = TOML.split_once("records").unwrap();
    let (_, rest) = rest.split_once("[graph]").unwrap();
    let data = format!(
        "records = {parties:?}\nheld_out = {{ fraction = 0.2, seed = 1 }}\npartition = {{ kind = \"contiguous\" }}\n\
         target = {{ column = \"days\", min = 0, max = 20, center = 10, scale = 10 }}\nfeatures = {features}\n\n[graph]"
    );
    Bench::with(&format!("{start}{data}{rest}"), csv)
}

const AGE: &str =
    "[{ kind = \"intercept\" }, { kind = \"numeric\", column = \"age\", min = 20, max = 80, center = 50, scale = 30 }]";

#[test]
fn names_of_columns_stay_text() {
    let long = format!("{} \u{e9}\u{65e5}\u{672c} \"quoted\" 'x' & `code`", "long ".repeat(60).trim());
    let quoted = format!("\"{}\"", long.replace('"', "\"\""));
    let csv = clinics().replacen("age", "<b>age</b>", 1).replacen("sex", &quoted, 1);
    let spelt = long.replace('"', "\\\"");
    let features = format!(
        "[{{ kind = \"intercept\" }}, {{ kind = \"numeric\", column = \"<b>age</b>\", min = 20, max = 80, center = 50, scale = 30 }}, \
         {{ kind = \"two-level\", column = \"{spelt}\", levels = [\"m\", \"f\"] }}]"
    );
    let bench = bench(&csv, &[40; 3], &features);
    let folder = run(&bench, &[]);
    let page = read(&folder, "report.html");
    assert!(!page.contains("<b>"));
    let rows = rows(&page);
    let summary = json(&folder, "summary.json");
    for coefficient in summary["coefficients"].as_array().unwrap() {
        let name = coefficient["name"].as_str().unwrap();
        same(&row(&rows, name)[1], coefficient["private"].as_f64().unwrap());
    }
    row(&rows, "<b>age</b>");
    row(&rows, &long);
}

/// Two parties stand in one line, and two hundred are many rows.
#[test]
fn few_and_many_parties_have_a_picture_and_a_table() {
    for (parties, graph) in [(2, "complete"), (200, "ring")] {
        let mut csv = "age,days\n".to_owned();
        for k in 0..5 * parties {
            writeln!(csv, "{},{}", 20 + k * 37 % 61, k % 20).unwrap();
        }
        let bench = bench(&csv, &vec![4; parties], AGE);
        let folder = run(&bench, &[&format!("graph.kind={graph}")]);
        let page = read(&folder, "report.html");
        let rows = rows(&page);
        for party in 0..parties {
            let row = rows.iter().find(|row| row.len() == 5 && row[0] == party.to_string()).unwrap();
            assert_eq!((row[1].as_str(), row[3].as_str()), ("4", "40"), "{party}");
        }
        assert_eq!(page.contains(&format!("<summary>{parties} parties</summary>")), parties > 20);
        // Equal parties are one row of the ledger.
        let last = parties - 1;
        let nodes = if parties == 2 { "0, 1".to_owned() } else { format!("0 to {last}") };
        assert!(rows.iter().any(|row| row.len() == 6 && row[0] == nodes), "{nodes}");
        let picture = read(&folder, "graph.svg");
        let size = parse(&picture).root_element().attribute("viewBox").unwrap().to_owned();
        let sides: Vec<f64> = size.split(' ').skip(2).map(|side| side.parse().unwrap()).collect();
        assert!(sides[0] >= sides[1] && sides[1] >= 160.0, "{size}");
        assert_eq!(parse(&picture).descendants().filter(|node| node.has_tag_name("circle")).count(), parties);
    }
}

#[test]
fn one_class_and_two_held_out_records_are_a_page() {
    let mut csv = "age,days\n".to_owned();
    for k in 0..10 {
        writeln!(csv, "{},yes", 20 + k).unwrap();
    }
    let bench = bench(&csv, &[4, 4], AGE);
    let toml = fs::read_to_string(bench.path("experiment.toml")).unwrap();
    let levels = "column = \"days\", levels = [\"no\", \"yes\"] }\n";
    let toml = toml.replace("column = \"days\", min = 0, max = 20, center = 10, scale = 10 }\n", levels);
    let toml = toml.replace("[algorithm]", "[objective]\nloss = { kind = \"logistic\" }\n\n[algorithm]");
    bench.write("experiment.toml", &toml.replace("kind = \"ring\"", "kind = \"complete\""));
    let folder = run(&bench, &[]);
    let page = read(&folder, "report.html");
    same(
        &row(&rows(&page), "private model")[1],
        json(&folder, "summary.json")["metrics"]["private"]["accuracy"].as_f64().unwrap(),
    );
    assert!(page.contains("From 2 held-out records an accuracy is known to"));
}

#[test]
fn many_coefficients_are_folded() {
    let mut rows = String::new();
    for k in 0..100 {
        writeln!(rows, "{} {}:1 {}:1", if k % 3 == 0 { "+1" } else { "-1" }, 1 + k % 60, 61 + k % 63).unwrap();
    }
    let (start, rest) = TOML.split_once("row_norm").unwrap();
    let (_, rest) = rest.split_once("[graph]").unwrap();
    let sparse = "row_norm = 1.0\nrecords = [27, 27, 26]\nheld_out = { fraction = 0.2, seed = 1 }\n\
                  partition = { kind = \"shuffled\" }\ntarget = { min = -1, max = 1 }\nsvmlight = { features = 123, scale = 2 }\n\n[graph]";
    let bench = Bench::with(&format!("{start}{sparse}{rest}").replace("clinics.csv", "rows.svm"), "");
    bench.write("rows.svm", &rows);
    let page = read(&run(&bench, &[]), "report.html");
    let document = parse(&page);
    let folded: Vec<String> = document
        .descendants()
        .filter(|node| node.has_tag_name("details") && node.attribute("class") == Some("printed"))
        .map(text)
        .collect();
    assert!(folded.iter().any(|text| text.trim_start().starts_with("124 coefficients")), "{folded:?}");
}

#[test]
fn what_is_not_private_says_so_everywhere() {
    let none = TOML
        .replace("budget = { epsilon = 8, delta = 1e-5 }\n", "")
        .replace("{ kind = \"calibrated\", mechanism = \"laplace\" }", "{ kind = \"none\" }");
    let from_data = TOML.replace("[data]\n", "[data]\nbounds = \"from-data\"\n");
    for toml in [none, from_data] {
        let bench = Bench::with(&toml, &clinics());
        let out = bench.dido(&["run", "experiment.toml"]);
        let printed = String::from_utf8(out.stdout).unwrap();
        assert_eq!(printed.matches("\n  NON-PRIVATE: ").count(), 2, "plan and result: {printed}");
        let folder = run(&bench, &[]);
        for (file, pointer) in
            [("summary.json", "/non_private"), ("model.json", "/privacy/statement"), ("ledger.json", "/note")]
        {
            let found = json(&folder, file);
            assert!(found.pointer(pointer).unwrap().as_str().unwrap().starts_with("NON-PRIVATE: "), "{file}");
        }
        assert_eq!(json(&folder, "model.json")["privacy"]["private"], false);
        for picture in ["error.svg", "distance.svg", "epsilon.svg"] {
            assert!(read(&folder, picture).contains("NON-PRIVATE"), "{picture}");
        }
        let page = read(&folder, "report.html");
        let document = parse(&page);
        let title = text(document.descendants().find(|node| node.has_tag_name("title")).unwrap());
        let head = text(document.descendants().find(|node| node.has_tag_name("header")).unwrap());
        assert!(title.ends_with("NON-PRIVATE") && head.contains("NON-PRIVATE: "), "{title}: {head}");
        assert_eq!(row(&rows(&page), "Accountant")[1], "none has a guarantee: NON-PRIVATE");
        for claim in ["What the guarantee covers", "times as likely", "private model"] {
            assert!(!page.contains(claim), "{claim}");
        }
        let compared = bench.dido(&["compare", folder.to_str().unwrap(), folder.to_str().unwrap()]);
        assert_eq!(String::from_utf8(compared.stdout).unwrap().matches("NON-PRIVATE").count(), 4);
        let compared = bench.json(&["compare", folder.to_str().unwrap(), folder.to_str().unwrap()]);
        assert!(compared["rows"][0]["non_private"] == true && compared["rows"][0]["epsilon"].is_null());
        let sweep = bench.dido(&["run", "experiment.toml", "--set", "sweep.rounds=[20,30]"]);
        assert!(sweep.status.success());
        let page = read(&sweep_folder(&bench, "results"), "report.html");
        assert!(page.contains("a sweep, NON-PRIVATE</title>") && page.contains("NON-PRIVATE: 2 cells; "));
        assert_eq!(row(&rows(&page), "1: ")[1..3], ["NON-PRIVATE", "NON-PRIVATE"]);
    }
}

#[test]
fn the_page_of_a_sweep_has_the_numbers_of_its_cells_and_is_rebuilt_to_the_same_bytes() {
    let bench = Bench::new();
    let swept = ["--set", "sweep.privacy.budget.epsilon=[2,8,-1]", "--set", "lanes=3"];
    assert!(bench.dido(&[&["run", "experiment.toml"][..], &swept].concat()).status.success());
    let folder = sweep_folder(&bench, "results");
    let page = read(&folder, "report.html");
    let rows = rows(&page);
    for cell in json(&folder, "cells.json")["cells"].as_array().unwrap() {
        let shown = row(&rows, &format!("{}: ", cell["cell"]));
        if cell["status"] == "failed" {
            assert_eq!(shown[1], cell["reason"].as_str().unwrap());
            continue;
        }
        let number = |pointer: &str| cell.pointer(pointer).unwrap().as_f64().unwrap();
        same(&shown[1], number("/epsilon/zcdp"));
        same(&shown[2], number("/epsilon_all_lanes/zcdp"));
        same(&shown[3], number("/merit"));
        let (low, high) = shown[4].split_once(" to ").unwrap();
        same(low, number("/band/q05"));
        same(high, number("/band/q95"));
        same(&shown[5], number("/error"));
        same(&shown[6], number("/consensus_error"));
        assert!(page.contains(&format!("href=\"../{}/report.html\"", cell["digest"].as_str().unwrap())));
        let beside = json(&folder.join("..").join(cell["digest"].as_str().unwrap()), "summary.json");
        assert_eq!(cell["beside"]["optimum"], beside["metrics"]["optimum"]["r2"]);
    }
    assert!(page.contains("What privacy costs") && page.contains("optimum, no privacy: "));
    fs::remove_file(folder.join("report.html")).unwrap();
    assert!(bench.dido(&["report", folder.to_str().unwrap()]).status.success());
    assert!(read(&folder, "report.html") == page);
}
