//! `docs/results.md` names the files, columns and keys that are written, and no others.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use common::{Bench, TOML, clinics};
use serde_json::Value;

const PAGE: &str = include_str!("../../../docs/results.md");

/// The names in the first column of the tables of a section.
fn documented(section: &str) -> BTreeSet<String> {
    let (_, rest) = PAGE.split_once(&format!("\n## {section}\n")).unwrap();
    let text = rest.split("\n## ").next().unwrap();
    let first = |line: &'static str| line.strip_prefix("| `")?.split_once(" |").map(|(cell, _)| cell);
    let names = |cell: &str| cell.split("`, `").map(|name| name.trim_end_matches('`').to_owned()).collect::<Vec<_>>();
    text.lines().filter_map(first).flat_map(names).collect()
}

/// The keys of an object and those one level below, as `a`, `a.b` and `a[].b`.
fn keys(value: &Value) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for (key, value) in value.as_object().unwrap() {
        all.insert(key.clone());
        let below = |prefix: String, value: &Value| -> Vec<String> {
            value.as_object().into_iter().flatten().map(|(key, _)| format!("{prefix}.{key}")).collect()
        };
        all.extend(below(key.clone(), value));
        all.extend(value.as_array().into_iter().flatten().flat_map(|value| below(format!("{key}[]"), value)));
    }
    all
}

fn parent(key: &str) -> Option<&str> {
    key.split_once('.').map(|(parent, _)| parent)
}

/// Everything that is documented is written by some run, but for `rare`, and all keys are documented; those one level below, if one
/// beside them is.
fn agrees(section: &str, written: &BTreeSet<String>, rare: &[&str]) {
    let documented = documented(section);
    let missing: Vec<_> =
        documented.iter().filter(|key| !written.contains(*key) && !rare.contains(&key.as_str())).collect();
    assert!(missing.is_empty(), "{section}: never written: {missing:?}");
    let parents: BTreeSet<_> = documented.iter().filter_map(|key| parent(key)).collect();
    let unknown: Vec<_> = written
        .iter()
        .filter(|key| !documented.contains(*key) && parent(key).is_none_or(|parent| parents.contains(parent)))
        .collect();
    assert!(unknown.is_empty(), "{section}: not documented: {unknown:?}");
}

/// Runs of numbers and of classes, with and without noise, with all records and with samples.
fn folders(bench: &Bench) -> Vec<PathBuf> {
    let (data, _) = TOML.split_once("[graph]").unwrap();
    let classes = data
        .replace(
            "target = { column = \"days\", min = 0, max = 20, center = 10, scale = 10 }",
            "target = { column = \"sex\", levels = [\"m\", \"f\"] }",
        )
        .replace("{ kind = \"two-level\", column = \"sex\", levels = [\"m\", \"f\"] }", "{ kind = \"intercept\" }")
        .replacen("  { kind = \"intercept\" },\n", "", 1)
        .replace("clinics", "classes")
        .replace("source = \"classes.csv\"", "source = \"clinics.csv\"");
    let gaussian =
        "budget = { epsilon = 8, delta = 1e-5 }\nnoise = { kind = \"calibrated\", mechanism = \"gaussian\" }\n";
    let sampled = format!(
        "[graph]\nkind = \"ring\"\nsequence = {{ kind = \"activation\", active = 2, seed = 3 }}\n[objective]\nloss = {{ kind = \"hinge\" }}\n\
         regulariser = {{ kind = \"squared-l2\", mu = 0.2 }}\n[algorithm]\nkind = \"dual-averaging\"\nsampling = \"one-record\"\n\
         weights = {{ kind = \"growing-gradients\", gamma = 0.2 }}\n[privacy]\nadjacency = \"replace-record\"\n{gaussian}"
    );
    bench.write("sampled.toml", &(classes + &sampled));
    bench.write("rows.svm", "1 1:2\n2 2:1\n3 1:1 3:-1\n19 3:2\n25 1:-1\n6\n7 2:9\n8 1:1 2:1\n9 3:1\n10 1:1\n");
    let (start, rest) = TOML.split_once("row_norm").unwrap();
    let (_, rest) = rest.split_once("[graph]").unwrap();
    let sparse = "row_norm = 1.0\nrecords = [3, 3, 2]\nheld_out = { fraction = 0.2, seed = 1 }\n\
                  partition = { kind = \"shuffled\" }\ntarget = { min = 0, max = 20, center = 10, scale = 10 }\n\
                  svmlight = { features = 3, scale = 2 }\n\n[graph]";
    bench.write("sparse.toml", &format!("{start}{sparse}{rest}").replace("clinics.csv", "rows.svm"));
    bench.write("noiseless.toml", &TOML.replace("budget = { epsilon = 8, delta = 1e-5 }\n", ""));
    let gaussian = "privacy.noise={ kind = 'calibrated', mechanism = 'gaussian' }";
    let random = ["--set", "graph.kind=erdos-renyi", "--set", "graph.p=0.9"];
    let runs: [&[&str]; 5] = [
        &["run", "experiment.toml"],
        &[&["run", "experiment.toml", "--set", gaussian], &random[..]].concat(),
        &["run", "noiseless.toml", "--set", "privacy.noise={ kind = 'none' }", "--set", "lanes=2"],
        &["run", "sampled.toml"],
        &["run", "sparse.toml"],
    ];
    runs.map(|run| bench.path(bench.json(run)["results"].as_str().unwrap())).to_vec()
}

#[test]
fn the_page_names_what_is_written() {
    let bench = Bench::with(TOML, &clinics());
    let folders = folders(&bench);
    let read = |name: &'static str| folders.iter().map(move |folder| fs::read_to_string(folder.join(name)).unwrap());
    let of_json = |name| -> BTreeSet<String> {
        read(name).flat_map(|text| keys(&serde_json::from_str(&text).unwrap())).collect()
    };

    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let files: BTreeSet<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let png: &[&str] =
        if cfg!(feature = "png") { &[] } else { &["error.png", "distance.png", "epsilon.png", "graph.png"] };
    let parquet: &[&str] = if cfg!(feature = "parquet") { &[] } else { &["trace.parquet"] };
    agrees("Files", &files, &[png, parquet].concat());
    let columns: BTreeSet<String> = read("trace.csv")
        .flat_map(|text| text.lines().next().unwrap().split(',').map(str::to_owned).collect::<Vec<_>>())
        .collect();
    agrees("trace.csv", &columns, &["epsilon_best"]);
    agrees("summary.json", &of_json("summary.json"), &["versions.build", "measured[].undefined"]);
    agrees("model.json", &of_json("model.json"), &[]);
    let metrics: BTreeSet<String> = read("summary.json")
        .flat_map(|text| {
            let summary: Value = serde_json::from_str(&text).unwrap();
            let names =
                summary["measured"].as_array().unwrap().iter().map(|m| m["metric"].as_str().unwrap().to_owned());
            names.collect::<Vec<_>>()
        })
        .collect();
    agrees("Metrics", &metrics, &[]);
    assert_eq!(of_json("local.json"), ["data_sha256", "note"].map(str::to_owned).into());
}
