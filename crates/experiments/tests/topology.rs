//! `dido topology` as a user meets it, and the graphs and weights of an experiment file.

mod common;

use std::fs;

use common::{Bench, stderr};
use serde_json::Value;

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("no number `{key}` in {value}"))
}

fn text(bench: &Bench, arguments: &[&str]) -> String {
    let output = bench.dido(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// Closed forms, and values computed by hand for the star of six.
#[test]
fn graphs_and_weights_by_name_have_their_spectra() {
    let bench = Bench::new();
    let ring = (1.0 + 2.0 * (std::f64::consts::TAU / 10.0).cos()) / 3.0;
    for (arguments, edges, lambda) in [
        (&["ring", "--nodes", "10"][..], 10, ring),
        (&["complete", "--nodes", "7"], 21, 0.0),
        (&["hypercube", "--nodes", "16", "--weights", "uniform"], 32, 0.6),
        (&["torus", "--rows", "3", "--cols", "4"], 24, 0.6),
        (&["ring", "--nodes", "4", "--weights", "best-constant"], 4, 1.0 / 3.0),
        (&["star", "--nodes", "6", "--weights", "best-constant"], 5, 5.0 / 7.0),
        (&["star", "--nodes", "6", "--weights", "fmmc"], 5, 0.8),
        (&["star", "--nodes", "6", "--weights", "lazy-metropolis"], 5, 11.0 / 12.0),
    ] {
        let found = bench.json(&[&["topology"], arguments].concat());
        assert_eq!(found["edges"], Value::from(edges), "{found}");
        assert_eq!((&found["family"], &found["connected"]), (&Value::from(arguments[0]), &Value::Bool(true)));
        assert!((number(&found, "lambda") - lambda).abs() < 1e-6, "{arguments:?}: {found}");
        assert!((number(&found, "lambda") + number(&found, "gap") - 1.0).abs() < 1e-15);
        assert!(found.get("edge_list").is_none() && found.get("matrix").is_none() && found.get("dot").is_none());
    }
    let star = bench.json(&["topology", "star", "--nodes", "6"]);
    assert_eq!(star["degrees"], serde_json::json!({ "min": 1, "max": 5, "mean": 10.0 / 6.0 }));
}

/// `4 sin^2` of half an angle is an eigenvalue of the Laplacian without cancellation.
#[test]
fn large_graphs_have_their_closed_forms() {
    let bench = Bench::new();
    let squared = |angle: f64| 4.0 * (angle / 2.0).sin().powi(2);
    let pi = std::f64::consts::PI;
    for (arguments, edges, gap) in [
        (&["ring", "--nodes", "200000"][..], 200_000, squared(2.0 * pi / 2e5) / 3.0),
        (&["path", "--nodes", "200000", "--weights", "lazy-metropolis"], 199_999, squared(pi / 2e5) / 6.0),
        (&["star", "--nodes", "200000"], 199_999, 1.0 / 2e5),
        (&["complete", "--nodes", "600"], 179_700, 1.0),
        (&["hypercube", "--nodes", "65536", "--weights", "uniform"], 524_288, 2.0 / 17.0),
        (&["torus", "--rows", "300", "--cols", "500"], 300_000, squared(2.0 * pi / 500.0) / 5.0),
    ] {
        let found = bench.json(&[&["topology"], arguments].concat());
        assert_eq!(found["edges"], Value::from(edges), "{found}");
        assert!((number(&found, "gap") / gap - 1.0).abs() < 1e-10, "{arguments:?}: {found}, not {gap}");
        assert!((number(&found, "lambda") + number(&found, "gap") - 1.0).abs() < 1e-15);
    }
}

#[test]
fn weights_of_ones_own_come_from_a_file() {
    let bench = Bench::new();
    bench.write("w.csv", "# three in a row\n0.5, 0.5, 0\n0.5, 0, 0.5\n0, 0.5, 0.5\n");
    bench.write("g.txt", "0 1\n1 2\n");
    for (family, arguments) in [
        ("matrix", &["--weights-file", "w.csv"][..]),
        ("edge-list", &["edge-list", "--file", "g.txt", "--weights-file", "w.csv"]),
        ("path", &["path", "--nodes", "3", "--weights-file", "w.csv", "--svg", "graph.svg"]),
    ] {
        let found = bench.json(&[&["topology", "--matrix", "--edge-list"], arguments].concat());
        assert_eq!((&found["family"], &found["weights"]), (&family.into(), &"matrix".into()));
        assert!((number(&found, "lambda") - 0.5).abs() < 1e-15, "{found}");
        assert_eq!(found["edge_list"], serde_json::json!([[0, 1], [1, 2]]));
        assert_eq!(found["matrix"], serde_json::json!([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]]));
    }
    // What is printed is read back, also where weights are negative.
    let printed = text(&bench, &["topology", "star", "--nodes", "6", "--weights", "best-constant", "--matrix"]);
    bench.write("star.txt", &printed);
    let found = bench.json(&["topology", "--weights-file", "star.txt"]);
    assert!((number(&found, "lambda") - 5.0 / 7.0).abs() < 1e-12 && found["nonnegative"] == false, "{found}");
}

#[test]
fn edges_matrix_and_dot_come_on_request() {
    let bench = Bench::new();
    let all = ["topology", "path", "--nodes", "3", "--edge-list", "--matrix", "--dot"];
    let found = bench.json(&all);
    assert_eq!(found["edge_list"], serde_json::json!([[0, 1], [1, 2]]));
    let third = 1.0 / 3.0;
    for (i, row) in found["matrix"].as_array().unwrap().iter().enumerate() {
        let row: Vec<f64> = row.as_array().unwrap().iter().map(|w| w.as_f64().unwrap()).collect();
        let expected = [[2.0 * third, third, 0.0], [third, third, third], [0.0, third, 2.0 * third]][i];
        assert!(row.iter().zip(expected).all(|(w, e)| (w - e).abs() < 1e-15), "{row:?}");
    }
    // Alone on the standard output, what was asked for can be read again: as a file of edges, or as DOT.
    let random = ["topology", "erdos-renyi", "--nodes", "20", "--p", "0.3", "--seed", "5"];
    for (option, family) in [("--edge-list", "edge-list"), ("--dot", "dot")] {
        let printed = text(&bench, &[&random[..], &[option]].concat());
        assert!(option != "--dot" || found["dot"].as_str().unwrap().starts_with("graph"));
        bench.write("graph.txt", &printed);
        let again = ["topology", family, "--file", "graph.txt", "--edge-list"];
        assert_eq!(bench.json(&again)["edge_list"], bench.json(&[&random[..], &["--edge-list"]].concat())["edge_list"]);
    }
    let printed = text(&bench, &[&random[..], &["--matrix"]].concat());
    assert_eq!(printed.lines().count(), 20);
    for line in printed.lines() {
        let row: Vec<f64> = line.split(' ').map(|w| w.parse().unwrap()).collect();
        assert!(row.len() == 20 && (row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_picture_shows_every_node_and_every_edge() {
    let bench = Bench::new();
    for (family, options) in [
        ("ring", &["--nodes", "9"][..]),
        ("torus", &["--rows", "3", "--cols", "5"]),
        ("geometric", &["--nodes", "30", "--radius", "0.4"]),
        ("binary-tree", &["--nodes", "11"]),
        ("star", &["--nodes", "1"]),
        ("grid", &["--dims", "2,3,4"]),
    ] {
        let arguments = [&["topology", family, "--svg", "graph.svg"], options].concat();
        let found = bench.json(&arguments);
        let picture = fs::read_to_string(bench.path("graph.svg")).unwrap();
        let picture = roxmltree::Document::parse(&picture).unwrap();
        let path = picture.descendants().find(|n| n.has_tag_name("path")).unwrap();
        assert_eq!(Value::from(path.attribute("d").unwrap().matches('M').count()), found["edges"], "{family}");
        let places: std::collections::HashSet<_> = picture
            .descendants()
            .filter(|n| n.has_tag_name("circle"))
            .map(|n| (n.attribute("cx").unwrap(), n.attribute("cy").unwrap()))
            .collect();
        assert_eq!(Value::from(places.len()), found["nodes"], "{family}: no two nodes at one place");
    }
}

#[test]
fn families_are_compared() {
    let bench = Bench::new();
    let table = bench.json(&["topology", "compare", "--nodes", "16", "--seed", "3"]);
    let rows = table["families"].as_array().unwrap();
    assert_eq!(rows.len(), 19);
    for row in rows {
        assert_eq!(row["nodes"], Value::from(16), "{row}");
        // Whoever types the options again gets the same graph.
        let options = row["options"].as_str().unwrap();
        let mut again = vec!["topology", row["family"].as_str().unwrap(), "--nodes", "16"];
        again.extend(options.split_whitespace());
        if !options.is_empty() {
            again.extend(["--seed", "3"]);
        }
        let again = bench.json(&again);
        assert_eq!((&again["edges"], &again["lambda"]), (&row["edges"], &row["lambda"]), "{row}");
    }
    // A key that stands twice in an object is refused by some readers; rows without a graph name their family too.
    for options in [&["--nodes", "16"][..], &["--nodes", "10", "--weights", "uniform"]] {
        let raw = text(&bench, &[&["topology", "compare", "--json"], options].concat());
        assert_eq!(raw.matches("\"family\"").count(), 19, "{raw}");
    }
    let printed = text(&bench, &["topology", "compare", "--nodes", "10", "--weights", "uniform"]);
    assert!(printed.contains("hypercube: nodes must be a power of two, got 10"), "{printed}");
    assert!(printed.contains("star: uniform weights need a regular graph"), "{printed}");
    assert!(printed.lines().any(|line| line.starts_with("ring ") && line.contains("0.872678")), "{printed}");
    for nodes in ["1", "2", "3", "4", "5"] {
        bench.json(&["topology", "compare", "--nodes", nodes]);
    }
}

#[test]
fn what_does_not_fit_is_refused_in_one_line() {
    let bench = Bench::new();
    bench.write("two.txt", "0 1\n2 3\n");
    bench.write("two.csv", "0.5 0.5\n0.5 0.4\n");
    bench.write("path.csv", "0.5 0.5 0\n0.5 0 0.5\n0 0.5 0.5\n");
    for (arguments, parts) in [
        (&["donut", "--nodes", "9"][..], &["no family 'donut'", "torus"][..]),
        (&["ring"], &["ring", "nodes"]),
        (&["ring", "--nodes", "0"], &["at least one node"]),
        (&["ring", "--nodes", "-3"], &["--nodes", "-3"]),
        (&["ring", "--nodes", "many"], &["--nodes", "many"]),
        (&["ring", "--nodes", "9", "--p", "0.5"], &["ring has no option 'p'"]),
        (&["ring", "--nodes", "9", "--colour", "red"], &["--colour"]),
        (&["ring", "--nodes", "9", "--weights", "magic"], &["no weight rule 'magic'", "fmmc"]),
        (&["star", "--nodes", "9", "--weights", "uniform"], &["regular"]),
        (&["complete", "--nodes", "60", "--weights", "fdla"], &["1770 edges"]),
        (&["erdos-renyi", "--nodes", "9", "--p", "-0.5"], &["-0.5"]),
        (&["erdos-renyi", "--nodes", "9", "--p", "nan"], &["NaN"]),
        (&["erdos-renyi", "--nodes", "90", "--p", "0.001"], &["connected", "1000"]),
        (&["random-regular", "--nodes", "9", "--degree", "3"], &["degree"]),
        (&["hypercube", "--nodes", "9"], &["power of two"]),
        (&["edge-list", "--file", "none.txt"], &["none.txt", "No such file"]),
        (&["edge-list", "--file", "two.txt"], &["two.txt", "{0, 1}, {2, 3}"]),
        (&["ring", "--nodes", "1001", "--matrix", "--json"], &["--matrix", "1001", "1000"]),
        (&["ring", "--nodes", "9", "--matrix", "--dot"], &["--matrix", "--dot", "--json"]),
        (&["ring", "--nodes", "1001", "--svg", "x.svg"], &["--svg", "1001", "1000"]),
        (&["complete", "--nodes", "400", "--svg", "x.svg"], &["--svg", "79800 edges"]),
        (&["ring", "--nodes", "1001", "--matrix", "--svg", "x.svg"], &["--matrix"]),
        (&["complete", "--nodes", "100000"], &["complete", "4999950000 edges are too many", "16000000"]),
        (&["barbell", "--nodes", "100000"], &["barbell", "edges are too many"]),
        (&["lollipop", "--nodes", "100000"], &["lollipop", "edges are too many"]),
        (&["ring", "--nodes", "4000000000"], &["ring", "4000000000 edges are too many"]),
        (&["erdos-renyi", "--nodes", "100000", "--p", "0.5"], &["erdos-renyi", "edges are too many"]),
        (&["erdos-renyi", "--nodes", "100000", "--edges", "999999999"], &["999999999 edges are too many"]),
        (&["random-regular", "--nodes", "100000", "--degree", "9999"], &["edges are too many"]),
        (
            &["block-model", "--nodes", "100000", "--blocks", "2", "--p-in", "0.5", "--p-out", "0.5"],
            &["block-model", "edges are too many"],
        ),
        (&["--weights-file", "none.csv"], &["none.csv", "No such file"]),
        (&["--weights-file", "two.csv"], &["two.csv, line 2", "row 1", "sums to 0.9"]),
        (&["star", "--nodes", "3", "--weights-file", "path.csv"], &["path.csv, line 2", "row 1", "not neighbours"]),
        (&["ring", "--nodes", "4", "--weights-file", "path.csv"], &["path.csv", "3 x 3", "4 nodes"]),
        (&["--weights-file", "path.csv", "--weights", "fdla"], &["--weights", "--weights-file"]),
        (&["--weights-file", "path.csv", "--nodes", "3"], &["--nodes", "family"]),
        (&["compare", "--nodes", "9", "--weights-file", "path.csv"], &["--weights-file"]),
        (&["compare"], &["compare", "nodes"]),
        (&["compare", "--nodes", "0"], &["--nodes 0"]),
        (&["compare", "--nodes", "2001"], &["--nodes 2001", "2000"]),
        (&["compare", "--nodes", "9", "--p", "0.5"], &["compare has no option 'p'"]),
        (&["compare", "--nodes", "9", "--weights", "magic"], &["magic"]),
        (&["compare", "--nodes", "9", "--svg", "x.svg"], &["--svg"]),
        (&[], &["<FAMILY>"]),
    ] {
        let line = bench.refusal(&[&["topology"], arguments].concat());
        for part in parts {
            assert!(line.contains(part), "{arguments:?}: `{part}` is not in: {line}");
        }
    }
    assert!(!bench.path("x.svg").exists(), "a refused command wrote a file");
    // A picture that cannot be written is no fault of what was asked.
    let line = bench.failure(&["topology", "ring", "--nodes", "9", "--svg", "no/x.svg"]);
    assert!(line.contains("no/x.svg") && line.contains("No such file"), "{line}");
}

/// Families, rules and sequences in `[graph]`: each makes other averages, and the ledger does not depend on families and
/// rules.
#[test]
fn an_experiment_takes_any_family_rule_and_sequence() {
    let bench = Bench::new();
    bench.write("edges.dot", "graph { a -- b; b -- c }");
    let model = |out: &str| {
        let model = fs::read_to_string(bench.result(out).join("model.json")).unwrap();
        serde_json::from_str::<Value>(&model).unwrap()["encoded"].clone()
    };
    let mut models = Vec::new();
    let mut ledgers = Vec::new();
    for (k, graph) in [
        "{ kind = 'path' }",
        "{ kind = 'path', weights = 'best-constant' }",
        "{ kind = 'path', sequence = { kind = 'edge-failures', p = 0.5 } }",
        "{ kind = 'path', sequence = { kind = 'edge-failures', p = 0.5, seed = 1 } }",
        "{ kind = 'path', sequence = { kind = 'pairwise-gossip' } }",
        "{ kind = 'one-peer-exponential', sequence = { kind = 'one-peer-exponential' } }",
        "{ kind = 'erdos-renyi', edges = 3, weights = 'lazy-metropolis' }",
        "{ kind = 'torus', rows = 3, cols = 1, weights = 'fdla' }",
    ]
    .into_iter()
    .enumerate()
    {
        let out = format!("out{k}");
        let set = format!("graph={graph}");
        bench.json(&["run", "experiment.toml", "--set", &set, "--out", &out, "--set", "averaging_rounds=0"]);
        models.push(model(&out));
        // Nodes of sequences have a ledger each.
        if !graph.contains("sequence") {
            ledgers.push(fs::read_to_string(bench.result(&out).join("ledger.json")).unwrap());
        }
    }
    for k in 1..models.len() {
        assert!(models[..k].iter().all(|model| *model != models[k]), "graph {k}");
    }
    assert!(ledgers.len() > 3 && ledgers.iter().all(|ledger| *ledger == ledgers[0]));
    // A file of three nodes in a row is the path; its result can be run again from anywhere.
    let dot = "graph={ kind = 'dot', file = 'edges.dot' }";
    let arguments = ["run", "experiment.toml", "--set", dot, "--out", "dot", "--set", "averaging_rounds=0"];
    bench.json(&arguments);
    assert_eq!(model("dot"), models[0]);
    let spec = bench.result("dot").join("spec.toml");
    bench.json(&["plan", spec.to_str().unwrap()]);

    for (graph, parts) in [
        ("{ kind = 'donut' }", &["`graph.kind`", "donut", "ring"][..]),
        ("{ kind = 'ring', p = 0.5 }", &["`graph`", "ring has no option 'p'"]),
        ("{ kind = 'ring', colour = 'red' }", &["`graph.colour`", "colour"]),
        ("{ kind = 'ring', nodes = 3 }", &["`graph.nodes`", "data.records"]),
        ("{ kind = 'torus', rows = 2, cols = 2 }", &["`graph`", "4", "3"]),
        ("{ kind = 'ring', weights = 'magic' }", &["`graph.weights`", "magic", "fmmc"]),
        ("{ kind = 'path', weights = 'uniform' }", &["`graph.weights`", "regular"]),
        ("{ kind = 'ring', sequence = { kind = 'storm' } }", &["`graph", "storm", "edge-failures"]),
        ("{ kind = 'ring', sequence = { kind = 'edge-failures', p = 1.5 } }", &["`graph.sequence.p`", "1.5"]),
        ("{ kind = 'ring', sequence = { kind = 'edge-failures', p = 1 } }", &["`graph.sequence.p`"]),
        ("{ kind = 'ring', sequence = { kind = 'edge-failures', p = 0.1, q = 1 } }", &["`graph", "`q`"]),
        ("{ kind = 'ring', sequence = { kind = 'one-peer-exponential' } }", &["`graph.sequence`", "ring"]),
    ] {
        let line = bench.refusal(&["plan", "experiment.toml", "--set", &format!("graph={graph}")]);
        for part in parts {
            assert!(line.contains(part), "{graph}: `{part}` is not in: {line}");
        }
    }
}
