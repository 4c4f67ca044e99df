//! How a user's data come into a run: one file for each party, label skew, a held-out part of each party, records that lack a
//! value, and `dido init`.

mod common;

use std::fs;

use common::{Bench, TOML, clinics, stderr};
use dido_problems::partition;

/// The lines of one clinic, with the header.
fn clinic(site: &str) -> String {
    let all = clinics();
    let lines = all.lines().filter(|line| line.starts_with("site,") || line.starts_with(site));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The experiment on three files.
fn on_files() -> Bench {
    let toml = TOML.replace("source = \"clinics.csv\"", "sources = [\"e.csv\", \"n.csv\", \"w.csv\"]");
    let toml = toml.replace("partition = { kind = \"by-column\", column = \"site\" }\n", "");
    let bench = Bench::with(&toml.replace("[33, 39, 48]", "[32, 40, 48]"), "");
    for (name, site) in [("e.csv", "east"), ("n.csv", "north"), ("w.csv", "west")] {
        bench.write(name, &clinic(site));
    }
    bench
}

/// A file for each party is the same run as one file with a column of sites, if both hold out a part of each party.
#[test]
fn a_file_for_each_party_is_a_site_for_each_party() {
    let files = on_files();
    let run = files.json(&["run", "experiment.toml"]);
    let column = Bench::with(
        &TOML.replace("[33, 39, 48]", "[32, 40, 48]").replace("seed = 1 }", "seed = 1, by = \"party\" }"),
        &clinics(),
    );
    let other = column.json(&["run", "experiment.toml"]);
    for key in ["measured", "coefficients", "records", "held_out", "epsilon", "lane_scores"] {
        assert_eq!(run[key], other[key], "{key}");
    }
    let model = fs::read_to_string(files.result("results").join("model.json")).unwrap();
    assert!(model.contains("each of 3 files is a party"), "{model}");
    // The folder of a file is no part of the name of the result.
    let spec = fs::read_to_string(files.result("results").join("spec.toml")).unwrap();
    fs::create_dir(files.path("sub")).unwrap();
    files.write("sub/experiment.toml", &spec);
    let again = files.json(&["plan", "sub/experiment.toml"]);
    assert_eq!(again["digest"], run["digest"]);
}

#[test]
fn what_is_wrong_with_several_files_is_named() {
    let bench = on_files();
    for (set, parts) in [
        ("data.sources=['e.csv', 'n.csv']", &["`data.sources`", "2 files for the 3 parties"][..]),
        ("data.source=e.csv", &["leave `source` out"]),
        ("data.partition={ kind = 'contiguous' }", &["`data.partition`", "leave it out"]),
        ("data.sources=['e.csv', 'n.csv', 'gone.csv']", &["gone.csv", "No such file"]),
        (
            "data.records=[1, 2, 3]",
            &["`data.records`", "of the 150 records of 3 files, 30 are held out", "[32, 40, 48]"],
        ),
        ("data.sources=[]", &["`source` must name a file"]),
    ] {
        let line = bench.refusal(&["run", "experiment.toml", "--set", set]);
        assert!(parts.iter().all(|part| line.contains(part)), "{set}: {line}");
    }
    bench.write("n.csv", &clinic("north").replace("age", "years"));
    let line = bench.refusal(&["run", "experiment.toml"]);
    assert!(line.contains("n.csv") && line.contains("\"age\"") && line.contains("years"), "{line}");
    bench.write("n.csv", &clinic("north").replacen(",f,", ",x,", 1));
    let line = bench.refusal(&["run", "experiment.toml"]);
    assert!(line.contains("n.csv, line ") && line.contains("\"sex\"") && !line.contains("e.csv"), "{line}");
}

/// The refusal says the counts of a label skew; with them it runs. They are those of the library on the tenths of the targets.
#[test]
fn label_skew_says_its_counts() {
    let bench = Bench::new();
    let skew = "data.partition={ kind = 'dirichlet', alpha = 0.3, seed = 5 }";
    let line = bench.refusal(&["run", "experiment.toml", "--set", skew]);
    let counts =
        line.split("train on ").nth(1).and_then(|rest| rest.split(" of them").next()).unwrap_or(&line).to_owned();
    let all = clinics();
    let days: Vec<f64> = all
        .lines()
        .skip(1)
        .map(|l| (l.rsplit(',').next().unwrap().parse::<f64>().unwrap().clamp(0.0, 20.0) - 10.0) / 10.0)
        .collect();
    let (train, _) = partition::hold_out(150, 0.2, 1).unwrap();
    let targets: Vec<f64> = train.iter().map(|&k| days[k]).collect();
    let parts = partition::dirichlet(&partition::quantile_bins(&targets, 10).unwrap(), 3, 0.3, 5).unwrap();
    assert_eq!(counts, format!("{:?}", parts.iter().map(Vec::len).collect::<Vec<_>>()));
    let run = bench.json(&["run", "experiment.toml", "--set", skew, "--set", &format!("data.records={counts}")]);
    assert_eq!(run["seeds"]["partition"], 5);
    assert!(
        bench
            .refusal(&["plan", "experiment.toml", "--set", &skew.replace("0.3", "0")])
            .contains("data.partition.alpha")
    );
}

/// A file with records that lack a value runs at the same counts; without `missing` it is refused with the key that helps.
#[test]
fn incomplete_records_keep_the_counts() {
    let text = clinics().replacen("east,57,", "east,,", 1).replacen("north,", "north,NA,", 0);
    let lacking = text.replacen(",f,", ",?,", 3);
    assert_ne!(lacking, clinics());
    let bench = Bench::with(TOML, &lacking);
    let line = bench.refusal(&["run", "experiment.toml"]);
    assert!(line.contains("clinics.csv, line 2, column 2 (age)") && line.contains("data.missing = \"drop\""), "{line}");
    let run = bench.json(&["run", "experiment.toml", "--set", "data.missing=drop"]);
    let whole = Bench::new().json(&["run", "experiment.toml"]);
    assert_eq!(
        (&run["records"], &run["held_out"], &run["epsilon"]),
        (&whole["records"], &whole["held_out"], &whole["epsilon"])
    );
    let clipped = run["clipped"].as_array().unwrap();
    let lacks = clipped.iter().find(|c| c["column"].as_str().unwrap().contains("lack a value")).unwrap();
    let lacked = lacks["count"].as_u64().unwrap();
    assert!((1..=4).contains(&lacked), "{run}");
    let page = fs::read_to_string(bench.result("results").join("report.html")).unwrap();
    assert!(page.contains("counts as a record of zeros"));
    let homeless = Bench::with(TOML, &clinics().replacen("east,", ",", 1));
    let line = homeless.refusal(&["run", "experiment.toml", "--set", "data.missing=drop"]);
    assert!(line.contains("line 2, column 1 (site)"), "{line}");
}

/// Replaces the placeholder of each key by a value.
fn declared(text: &str, values: &[(&str, &str)]) -> String {
    let declare = |text: String, (after, value): &(&str, &str)| {
        let at = text.find(after).unwrap_or_else(|| panic!("no {after} in {text}")) + after.len();
        let (start, end) = text.split_at(at);
        start.to_owned() + &end.replacen("\"DECLARE\"", value, 1)
    };
    values.iter().fold(text.to_owned(), declare)
}

/// The path of a stranger: init, edit, run. What is still to be declared is named all at once, and nothing of the data but names and
/// kinds is in the file.
#[test]
fn a_stranger_needs_three_commands() {
    let bench = Bench::with("", &clinics());
    let output = bench.dido(&["init", "clinics.csv", "--target", "days", "--site", "site"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = fs::read_to_string(bench.path("clinics.toml")).unwrap();
    assert!(!["east", "20.", "80", "\"f\"", "40, 50", "33"].iter().any(|part| text.contains(part)), "{text}");
    let line = bench.refusal(&["run", "clinics.toml"]);
    for key in [
        "data.records",
        "data.target.min (days)",
        "data.target.max (days)",
        "data.features.1.min (age)",
        "data.features.2.levels (sex)",
    ] {
        assert!(line.contains(key), "{key}: {line}");
    }
    let again = bench.dido(&["init", "clinics.csv", "--target", "days"]);
    assert!(!again.status.success() && stderr(&again).contains("--force"));
    assert_eq!(fs::read_to_string(bench.path("clinics.toml")).unwrap(), text);

    let wrong = [
        ("records = ", "[1, 1, 1]"),
        ("column = \"days\", min = ", "0"),
        ("column = \"days\", min = 0, max = ", "20"),
        ("column = \"age\", min = ", "18"),
        ("column = \"age\", min = 18, max = ", "100"),
        ("column = \"sex\", levels = ", "[\"m\", \"f\"]"),
    ];
    bench.write("clinics.toml", &declared(&text, &wrong));
    let line = bench.refusal(&["run", "clinics.toml"]);
    assert!(line.contains("[32, 40, 48]"), "{line}");
    bench.write("clinics.toml", &declared(&text, &wrong).replace("[1, 1, 1]", "[32, 40, 48]"));
    let run = bench.json(&["run", "clinics.toml"]);
    assert!(run["epsilon"]["best"]["epsilon"].as_f64().unwrap() <= 1.0, "{run}");
    assert!(run["non_private"].is_null());
    let clipped = run["clipped"].as_array().unwrap();
    assert!(clipped.iter().all(|c| c["column"] != "whole rows, to the declared norm" || c["count"] == 0), "{run}");
    let folder = bench.result("results");
    assert!(folder.join("report.html").exists());
    for name in ["model.json", "ledger.json", "summary.json", "report.html"] {
        assert!(!fs::read_to_string(folder.join(name)).unwrap().contains("NON-PRIVATE"), "{name}");
    }
}

/// However a file is spelt, the options that read it lead from `init` through the run to predictions, and to the same bits.
#[test]
fn a_file_of_another_spelling_is_the_same_run() {
    let plain = clinics();
    let european: String = plain.replace(',', ";").replace('.', ",");
    let spellings: [(&str, String, &[&str]); 5] = [
        ("plain", plain.clone(), &[]),
        ("european", european.clone(), &["--decimal", ","]),
        ("european, all said", european, &["--decimal", ",", "--separator", ";", "--format", "csv", "--header", "yes"]),
        ("bars", plain.replace(',', "|"), &["--separator", "|"]),
        ("remarks", format!("% of last year\n{plain}% end\n"), &["--comment", "%"]),
    ];
    let mut first = None;
    for (name, text, options) in spellings {
        let bench = Bench::with("", &text);
        let init = ["init", "clinics.csv", "--target", "days", "--site", "site", "--from-data"];
        let output = bench.dido(&[&init[..], options].concat());
        assert!(output.status.success(), "{name}: {}", stderr(&output));
        let run = bench.json(&["run", "clinics.toml", "--set", "seed=7"]);
        let model = format!("{}/model.json", run["results"].as_str().unwrap());
        let found = bench.json(&[&["predict", &model, "clinics.csv"][..], options].concat());
        let result = (run["coefficients"].clone(), found["predictions"].clone(), found["scores"].clone());
        assert_eq!(&result, first.get_or_insert(result.clone()), "{name}");
    }
    // Without the option that it needs, a file is refused with its name; nothing is written.
    let bench = Bench::with("", &clinics().replace(',', ";").replace('.', ","));
    let line = bench.refusal(&["init", "clinics.csv", "--target", "days"]);
    assert!(line.contains("clinics.csv, line 2") && line.contains("--decimal ,"), "{line}");
    assert!(!bench.path("clinics.toml").exists());
}

/// A code that looks like a number is a class if it is said to be text, and a cell that means "missing" can be named.
#[test]
fn codes_and_missing_cells_are_what_they_are_said_to_be() {
    let coded = clinics().replace(",f,", ",1,").replace(",m,", ",2,");
    let bench = Bench::with("", &coded.replacen("57", "n/k", 1));
    let options = ["--target", "sex", "--text", "sex", "--na", "n/k", "--from-data"];
    let output = bench.dido(&[&["init", "clinics.csv"], &options[..]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let text = fs::read_to_string(bench.path("clinics.toml")).unwrap();
    assert!(text.contains("na = [\"n/k\"]") && text.contains("levels = [\"1\", \"2\"]"), "{text}");
    let run = bench.json(&["run", "clinics.toml"]);
    assert!(run["measured"].as_array().unwrap().iter().any(|m| m["metric"] == "held_out_auc"), "{run}");
}

/// With bounds off the data, it runs at once, and every artefact says that nothing is private.
#[test]
fn bounds_off_the_data_are_marked_everywhere() {
    for extra in [&["--target", "days", "--site", "site"][..], &["--target", "sex"]] {
        let bench = Bench::with("", &clinics());
        let output = bench.dido(&[&["init", "clinics.csv", "--from-data"], extra].concat());
        assert!(String::from_utf8(output.stdout.clone()).unwrap().contains("NON-PRIVATE"), "{}", stderr(&output));
        let plan = bench.dido(&["plan", "clinics.toml"]);
        assert!(String::from_utf8(plan.stdout.clone()).unwrap().contains("NON-PRIVATE"), "{}", stderr(&plan));
        let run = bench.dido(&["run", "clinics.toml"]);
        let text = String::from_utf8(run.stdout.clone()).unwrap();
        assert!(run.status.success() && text.matches("NON-PRIVATE").count() >= 2, "{}{text}", stderr(&run));
        assert!(!text.contains("private model"), "{text}");
        let folder = bench.result("results");
        for name in ["summary.json", "model.json", "ledger.json", "report.html"] {
            let text = fs::read_to_string(folder.join(name)).unwrap();
            assert!(text.contains("NON-PRIVATE"), "{name}");
        }
        assert!(fs::read_to_string(folder.join("spec.toml")).unwrap().contains("from-data"));
        let model: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(folder.join("model.json")).unwrap()).unwrap();
        assert_eq!(
            (&model["privacy"]["private"], &model["privacy"]["epsilon"]),
            (&false.into(), &serde_json::Value::Null)
        );
        // The ledger can still be read.
        let ledger = folder.join("ledger.json").display().to_string();
        assert!(bench.dido(&["epsilon", "ledger", &ledger]).status.success());
    }
}
