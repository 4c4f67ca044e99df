//! Bad input: one clear line, a non-zero exit, and no result folder.

mod common;

use std::fs;

use common::{Bench, TOML, clinics};

/// Refuses `dido run` (and `dido plan` alike, if `planned`) with a line that has all `parts`, and leaves no results.
fn refused(bench: &Bench, arguments: &[&str], planned: bool, parts: &[&str]) {
    for command in if planned { &["run", "plan"][..] } else { &["run"] } {
        let line = bench.refusal(&[&[*command], arguments].concat());
        for part in parts {
            assert!(line.contains(part), "{arguments:?}: `{part}` is not in: {line}");
        }
    }
    assert!(!bench.path("results").exists(), "{arguments:?} left a result folder");
}

#[test]
fn a_file_that_is_no_experiment() {
    let bench = Bench::new();
    fs::create_dir(bench.path("folder")).unwrap();
    bench.write("empty.toml", "");
    bench.write("broken.toml", "name = \"x\"\nrounds = = 3\n");
    refused(&bench, &["missing.toml"], true, &["missing.toml", "quickstart", "No such file"]);
    refused(&bench, &["folder"], true, &["folder", "directory"]);
    refused(&bench, &["empty.toml"], true, &["empty.toml", "missing field `name`"]);
    refused(&bench, &["broken.toml"], true, &["broken.toml, line 2"]);
}

#[test]
fn a_key_with_a_wrong_name_or_value() {
    let bench = Bench::new();
    for (set, parts) in [
        ("colour=1", &["unknown field `colour`"][..]),
        ("privacy.bugdet.epsilon=1", &["`privacy", "bugdet"]),
        ("algorithm.set.raduis=1", &["`algorithm", "raduis"]),
        ("algorithm.step.d=1", &["`algorithm", "`d`"]),
        ("graph.kind=donut", &["`graph", "donut", "ring"]),
        ("privacy.noise.kind=gauss", &["`privacy.noise", "gauss"]),
        ("rounds", &["--set rounds", "KEY=VALUE"]),
        ("rounds=", &["rounds", "whole number"]),
        ("rounds=many", &["`rounds`", "many"]),
        ("rounds=-3", &["`rounds`", "-3"]),
        ("rounds=0", &["`rounds`"]),
        ("rounds=4000000000", &["`rounds`", "10000000"]),
        ("rounds.x=1", &["--set rounds.x=1", "leads nowhere"]),
        ("seed=-1", &["`seed`", "-1", "\"os\""]),
        ("seed=dice", &["`seed`", "dice", "\"os\""]),
        ("lanes=0", &["`lanes`"]),
        ("observe_every=0", &["`observe_every`"]),
        ("name=a/b", &["`name`"]),
        ("data.separator=;;", &["`data.separator`"]),
        ("data.separator='\"'", &["`data.separator`"]),
        ("data.row_norm=nan", &["`data.row_norm`", "NaN is not a finite number"]),
        ("data.row_norm=-1", &["`data.row_norm`", "-1"]),
        ("data.row_norm=0", &["`data.row_norm`"]),
        ("data.features.1.max=10", &["`data`", "age"]),
        ("data.target.scale=-2", &["`data`", "days"]),
        ("data.features.9.max=10", &["leads nowhere"]),
        ("data.records=[]", &["`data.records`"]),
        ("data.records=[33, 0, 48]", &["`data.records`", "party 1"]),
        ("data.records=[33, -39, 48]", &["data.records[1]", "-39"]),
        ("data.records=[9223372036854775807, 9223372036854775807, 9223372036854775807]", &["`data.records`"]),
        ("data.held_out.fraction=1", &["`data.held_out.fraction`"]),
        ("data.source=builtin:iris", &["`data.source`", "builtin:iris"]),
        ("algorithm.set.radius=-1", &["`algorithm.set.radius`", "-1"]),
        ("algorithm.set={ kind = 'box', lower = [0], upper = [1] }", &["`algorithm.set`", "3"]),
        ("algorithm.step.c=-0.1", &["`algorithm.step`", "-0.1"]),
        ("algorithm.average_from=1", &["`algorithm.average_from`"]),
        ("algorithm={ kind = 'dgd', step = { kind = 'constant', c = 0.1 } }", &["`algorithm.kind`", "sensitivity"]),
        ("privacy.adjacency=add-remove-record", &["`privacy.adjacency`", "record counts"]),
        ("privacy.adversary={ neighbour = 3 }", &["`privacy.adversary`", "party 3"]),
        ("privacy.budget.epsilon=-1", &["`privacy.budget`", "-1"]),
        ("privacy.budget.epsilon=inf", &["`privacy.budget.epsilon`", "inf is not a finite number"]),
        ("privacy.budget.delta=1", &["`privacy.budget`", "delta"]),
        ("privacy.delta=0.1", &["`privacy.delta`", "once"]),
        ("privacy.noise={ kind = 'none' }", &["`privacy.budget`", "without noise"]),
        ("privacy.noise={ kind = 'laplace', scale = { kind = 'constant', c = 0 } }", &["`privacy.noise.scale`", "0"]),
    ] {
        refused(&bench, &["experiment.toml", "--set", set], true, parts);
    }
}

#[test]
fn a_key_of_very_many_parts() {
    let bench = Bench::new();
    for parts in [65, 50_000] {
        let set = format!("{}=1", vec!["a"; parts].join("."));
        refused(&bench, &["experiment.toml", "--set", &set], true, &["--set a.a.a", "at most 64 parts"]);
        assert!(bench.refusal(&["plan", "experiment.toml", "--set", &set]).len() < 100);
    }
}

#[test]
fn a_declaration_that_is_missing() {
    let bench = Bench::new();
    for (line, parts) in [
        ("row_norm = 1.8\n", &["`data`", "missing field `row_norm`"][..]),
        ("min = 20, ", &["`data.features", "missing field `min`"]),
        ("radius = 1.5", &["`algorithm", "missing field `radius`"]),
        ("records = [33, 39, 48]\n", &["`data`", "missing field `records`"]),
        ("target = { column = \"days\", min = 0, max = 20, center = 10, scale = 10 }\n", &["missing field `target`"]),
        ("budget = { epsilon = 8, delta = 1e-5 }\n", &["`privacy.budget`", "calibrated noise needs a budget"]),
    ] {
        assert!(TOML.contains(line), "{line}");
        bench.write("experiment.toml", &TOML.replacen(line, "", 1));
        refused(&bench, &["experiment.toml"], true, parts);
    }
}

#[test]
fn a_budget_that_is_too_small() {
    let bench = Bench::new();
    let fixed = "privacy.noise={ kind = 'laplace', scale = { kind = 'constant', c = 0.1 } }";
    // Every round costs the same rho; epsilon 8 pays for some rounds and not for all.
    let parts = ["budget", "epsilon 8", "too small for 40 rounds", "in round 17 ", "rho", "is spent"];
    refused(&bench, &["experiment.toml", "--set", fixed], true, &parts);
    let tight = ["experiment.toml", "--set", fixed, "--set", "privacy.budget.epsilon=0.01"];
    refused(&bench, &tight, true, &["too small for 40 rounds", "in round 0 ", "but 0 of"]);
    let pure = ["experiment.toml", "--set", fixed, "--set", "privacy.budget={ epsilon = 2, delta = 0 }"];
    refused(&bench, &pure, true, &["too small for 40 rounds", "asks for epsilon"]);
    let one = ["experiment.toml", "--set", fixed, "--set", "rounds=17"];
    bench.json(&[&["plan"], &one[..]].concat());
}

#[test]
fn a_graph_that_does_not_connect_the_parties() {
    let bench = Bench::new();
    let graph = |file: &str| format!("graph={{ kind = 'edge-list', file = '{file}' }}");
    for (edges, parts) in [
        ("0 1\n", &["`graph`"][..]),
        ("0 1\n2 3\n", &["not connected", "{0, 1}, {2, 3}"]),
        ("0 1\n1 x\n", &["edges.txt, line 2"]),
        ("0 1\n1 2\n2 3\n", &["`graph`", "4 nodes", "3 parties"]),
        ("", &["`graph`"]),
    ] {
        bench.write("edges.txt", edges);
        refused(&bench, &["experiment.toml", "--set", &graph("edges.txt")], true, parts);
    }
    refused(&bench, &["experiment.toml", "--set", &graph("none.txt")], true, &["none.txt", "No such file"]);
    let er = "graph={ kind = 'erdos-renyi', p = 1.5 }";
    refused(&bench, &["experiment.toml", "--set", er], true, &["`graph`", "1.5"]);
}

#[test]
fn data_that_are_not_what_was_declared() {
    let rows = clinics();
    let edited = |from: &str, to: &str| {
        assert!(rows.contains(from));
        rows.replacen(from, to, 1)
    };
    for (csv, parts) in [
        (edited("east,33,f,", "east,old,f,"), &["clinics.csv, line 3", "\"age\"", "old"][..]),
        (edited("east,33,f,", "east,,f,"), &["line 3, column 2 (age)", "missing"]),
        (edited("east,33,f,", "east,NaN,f,"), &["line 3, column 2 (age)", "NaN"]),
        (edited("east,33,f,", "east,33,x,"), &["line 3", "\"sex\"", "\"x\"", "m, f"]),
        (edited("east,33,f,", "east,33,"), &["line 3"]),
        (edited("site,age,sex", "site,years,sex"), &["\"age\"", "years"]),
        (edited("site,age,sex,days", "site,age,sex,stay"), &["\"days\""]),
        (edited("site,age", "place,age"), &["\"site\""]),
        (edited("east,33,f,8.16\n", ""), &["`data.records`", "149 records", "[33, 39, 48]"]),
        (edited("east,33,f,", "south,33,f,"), &["`data.partition`", "4 values", "3 parties"]),
        ("site,age,sex,days\n".to_owned(), &["clinics.csv", "no"]),
        (String::new(), &["clinics.csv"]),
        ("site,age,sex,days\neast,30,m,4\nnorth,40,f,5\n".to_owned(), &["2"]),
    ] {
        refused(&Bench::with(TOML, &csv), &["experiment.toml", "--json"], false, parts);
    }
    let bench = Bench::new();
    fs::remove_file(bench.path("clinics.csv")).unwrap();
    refused(&bench, &["experiment.toml", "--json"], false, &["clinics.csv", "No such file"]);
    fs::create_dir(bench.path("clinics.csv")).unwrap();
    refused(&bench, &["experiment.toml", "--json"], false, &["clinics.csv", "directory"]);
    // Reading it would never end.
    #[cfg(unix)]
    refused(&bench, &["experiment.toml", "--json", "--set", "data.source=/dev/zero"], false, &["not a regular file"]);
}

#[test]
fn fewer_records_than_parties() {
    let bench = Bench::with(TOML, "site,age,sex,days\neast,30,m,4\nnorth,40,f,5\nwest,44,f,5\n");
    let shuffled = "data.partition={ kind = 'shuffled' }";
    let fraction = "data.held_out.fraction=0.7";
    let arguments = ["experiment.toml", "--json", "--set", shuffled, "--set", fraction];
    refused(&bench, &arguments, false, &["1 records", "3 parties"]);
}

#[test]
fn too_few_held_out_records_for_a_score() {
    let none = ["experiment.toml", "--json", "--set", "data.held_out.fraction=0.001"];
    refused(&Bench::new(), &none, false, &["`data.held_out.fraction`", "0 of 150 records"]);
}

#[test]
fn a_column_of_words_cannot_be_sorted() {
    let sorted = "data.partition={ kind = 'sorted', column = 'site' }";
    refused(&Bench::new(), &["experiment.toml", "--json", "--set", sorted], false, &["`site`", "east"]);
    let long = Bench::with(TOML, &clinics().replace("east,", &format!("{},", "e".repeat(5000))));
    let line = long.refusal(&["run", "experiment.toml", "--json", "--set", sorted]);
    assert!(line.contains(&format!("`{}...`", "e".repeat(60))) && line.len() < 200, "{line}");
}

#[test]
fn an_argument_out_of_range() {
    let bench = Bench::new();
    for arguments in
        [["--threads", "0"], ["--threads", "1000000"], ["--checkpoint-seconds", "-1"], ["--checkpoint-seconds", "nan"]]
    {
        let (name, value) = (format!("{}=", arguments[0]), arguments[1]);
        let argument = name + value;
        refused(&bench, &["experiment.toml", &argument], false, &[arguments[0], "out of range"]);
    }
}

#[test]
fn a_place_that_cannot_be_written() {
    let bench = Bench::new();
    bench.write("file", "in the way");
    let line = bench.failure(&["run", "experiment.toml", "--json", "--out", "file"]);
    assert!(line.contains("file") && line.contains("directory"), "{line}");
    assert_eq!(fs::read_to_string(bench.path("file")).unwrap(), "in the way");
}

#[test]
fn a_run_that_diverges_leaves_nothing_behind() {
    let toml = TOML
        .replace("budget = { epsilon = 8, delta = 1e-5 }", "")
        .replace("{ kind = \"calibrated\", mechanism = \"laplace\" }", "{ kind = \"none\" }")
        .replace("kind = \"projected-dgd\"\nset = { kind = \"l2-ball\", radius = 1.5 }", "kind = \"dgd\"")
        .replace("c = 0.2", "c = 40")
        .replace("rounds = 40\n", "rounds = 400\n");
    let bench = Bench::with(&toml, &clinics());
    // Its step is warned of. It begins, so its plan is printed; then it fails with one line.
    let output = bench.dido(&["run", "experiment.toml", "--checkpoint-seconds", "0"]);
    let text = common::stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    let [warning, failure] = text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
    assert!(warning.starts_with("dido: warning: the step ") && warning.contains("2/L = "), "{warning}");
    assert!(failure.starts_with("dido: node ") && failure.contains("not finite in round "), "{failure}");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("\nWarnings\n") && !printed.contains("Result of"), "{printed}");
    assert!(!bench.path("results").exists());
}
