//! Sequences and matrices of one's own in an experiment file, and every family with every rule.

mod common;

use std::fs;

use common::Bench;
use dido_experiments::topology::Topology;
use dido_experiments::{Options, ResultFolder, Spec, load, plan, run};
use dido_topology::{families, weights};
use serde_json::Value;

/// What the experiment says about the path of three with this sequence: its model and its ledger.
fn outcome(bench: &Bench, out: &str, graph: &str) -> (Value, Value) {
    let set = format!("graph={graph}");
    bench.json(&["run", "experiment.toml", "--set", &set, "--out", out, "--set", "averaging_rounds=2"]);
    let read = |name: &str| fs::read_to_string(bench.result(out).join(name)).unwrap();
    let [model, ledger] =
        ["model.json", "ledger.json"].map(|name| -> Value { serde_json::from_str(&read(name)).unwrap() });
    (model["encoded"].clone(), ledger)
}

/// A recording of 42 rounds: `line(t)` is what a round says.
fn recording(line: impl Fn(usize) -> String) -> String {
    let rounds: String = (0..42).map(line).collect();
    format!("nodes 3\nrounds 42\n{rounds}")
}

/// Sequences that are the same weights in other words give the same model and the same releases of each node, to the last
/// bit; the others give others.
#[test]
fn sequences_mix_and_release_as_they_say() {
    let bench = Bench::new();
    let third = 1.0 / 3.0;
    bench.write("always.txt", &recording(|t| format!("{t} 0 1 {third}\n{t} 1 2 {third}\n")));
    bench.write("turns.txt", &recording(|t| format!("{t} {} {} 0.5\n", t % 2, t % 2 + 1)));
    let last = |t| if (5..=20).contains(&t) { format!("{t} asleep 2\n") } else { format!("{t} 1 2 {third}\n") };
    bench.write("down.txt", &recording(|t| format!("{t} 0 1 {third}\n") + &last(t)));
    let matrix = bench.dido(&["topology", "path", "--nodes", "3", "--matrix"]);
    bench.write("w.csv", &String::from_utf8(matrix.stdout).unwrap());
    let path = |sequence: &str| format!("{{ kind = 'path', sequence = {{ {sequence} }} }}");
    let classes = [
        vec![
            "{ kind = 'path' }".to_owned(),
            "{ weights = 'matrix', matrix = 'w.csv' }".to_owned(),
            "{ kind = 'path', weights = 'matrix', matrix = 'w.csv' }".to_owned(),
            path("kind = 'activation', active = 3"),
            path("kind = 'activation', p = 1"),
            path("kind = 'node-outages', outages = [{ node = 2, first = 42, last = 50 }]"),
            path("kind = 'periodic', rounds = [[[0, 1], [1, 2]]]"),
            path("kind = 'recorded', file = 'always.txt'"),
        ],
        vec![
            path("kind = 'periodic', rounds = [[[0, 1]], [[2, 1]]]"),
            path("kind = 'periodic', file = 'turns.txt', window = 2, eta = 0.5"),
            path("kind = 'recorded', file = 'turns.txt'"),
        ],
        vec![
            path("kind = 'node-outages', outages = [{ node = 2, first = 5, last = 20 }]"),
            path("kind = 'recorded', file = 'down.txt'"),
        ],
        vec![path("kind = 'activation', active = 2")],
        vec![path("kind = 'activation', active = 2, seed = 1")],
        vec![path("kind = 'activation', p = 0.5")],
        vec![path("kind = 'node-outages', outages = [{ node = 0, first = 3, last = 5 }]")],
    ];
    let mut models: Vec<Value> = Vec::new();
    for (c, class) in classes.iter().enumerate() {
        let mut releases = None;
        for (k, graph) in class.iter().enumerate() {
            let (model, ledger) = outcome(&bench, &format!("out{c}-{k}"), graph);
            let of_nodes: Vec<Value> = (0..3).map(|node| of_node(&ledger, node)).collect();
            assert_eq!(*releases.get_or_insert(of_nodes.clone()), of_nodes, "{graph}");
            if k == 0 {
                assert!(!models.contains(&model), "{graph}");
                models.push(model);
            } else {
                assert_eq!(models[c], model, "{graph}");
            }
        }
    }
}

/// What a node released, whatever class it shares.
fn of_node(ledger: &Value, node: u64) -> Value {
    let classes = ledger["classes"].as_array().unwrap();
    let own = classes.iter().find(|class| class["nodes"].as_array().unwrap().contains(&node.into()));
    own.unwrap()["entries"].clone()
}

/// Node 2 is down in rounds 5 to 20 of 40: it releases 24 times, the others 40 times.
#[test]
fn a_node_that_is_down_releases_nothing() {
    let bench = Bench::new();
    let graph =
        "{ kind = 'path', sequence = { kind = 'node-outages', outages = [{ node = 2, first = 5, last = 20 }] } }";
    let (_, ledger) = outcome(&bench, "out", graph);
    let releases = |node| -> u64 {
        of_node(&ledger, node).as_array().unwrap().iter().map(|entry| entry["releases"].as_u64().unwrap()).sum()
    };
    assert_eq!([0, 1, 2].map(releases), [40, 40, 24]);
}

/// The ledger that a plan foresees is the one that the run with sleeping nodes writes, byte for byte.
#[test]
fn the_plan_is_the_ledger_of_a_run_whose_nodes_sleep() {
    let bench = Bench::new();
    let file = bench.path("experiment.toml").display().to_string();
    for sequence in ["kind = 'activation', active = 2", "kind = 'pairwise-gossip'"] {
        let graph = format!("graph={{ kind = 'path', sequence = {{ {sequence} }} }}");
        let spec = Spec::new(load(&file, &[graph]).unwrap()).unwrap();
        let planned = plan(&spec).unwrap();
        let folder = ResultFolder::new(&bench.path("out"), &spec.config.name, &spec.digest);
        let options = Options { force: false, checkpoint_every: std::time::Duration::from_mins(1) };
        let summary = run(&spec, &planned, &folder, options, |_| {}).unwrap();
        let written: Value =
            serde_json::from_str(&fs::read_to_string(folder.path().join("ledger.json")).unwrap()).unwrap();
        assert_eq!(serde_json::to_value(&planned.ledger).unwrap(), written);
        assert_eq!(planned.plan.epsilon, summary.epsilon);
        let releases: u64 = planned.ledger.classes.iter().map(dido_mechanisms::ClassLedger::releases).sum();
        assert_eq!(releases, 2 * 40, "two nodes are awake in each round");
    }
}

/// The result of a sequence from a file can be run again from anywhere, and other contents are another specification.
#[test]
fn files_of_a_graph_belong_to_the_specification() {
    let bench = Bench::new();
    bench.write("turns.txt", "nodes 3\nrounds 2\n0 0 1 0.5\n1 1 2 0.5\n");
    bench.write("w.csv", "0.5 0.5 0\n0.5 0 0.5\n0 0.5 0.5\n");
    for (graph, file, other) in [
        (
            "{ kind = 'path', sequence = { kind = 'periodic', file = 'turns.txt' } }",
            "turns.txt",
            "nodes 3\nrounds 2\n0 0 1 0.25\n1 1 2 0.5\n",
        ),
        ("{ weights = 'matrix', matrix = 'w.csv' }", "w.csv", "0.75 0.25 0\n0.25 0.5 0.25\n0 0.25 0.75\n"),
    ] {
        let set = format!("graph={graph}");
        let out = format!("out-{file}");
        let first = bench.json(&["run", "experiment.toml", "--set", &set, "--out", &out]);
        let spec = bench.result(&out).join("spec.toml");
        assert_eq!(bench.json(&["plan", spec.to_str().unwrap()])["digest"], first["digest"]);
        bench.write(file, other);
        assert_ne!(bench.json(&["plan", "experiment.toml", "--set", &set])["digest"], first["digest"]);
    }
}

#[test]
fn a_plan_and_a_report_name_the_graph() {
    let bench = Bench::new();
    bench.write("turns.txt", "nodes 3\nrounds 2\n0 0 1 0.5\n1 1 2 0.5\n");
    // Two halves in turns: W(1) W(0) - J has the norm 1/2.
    for (graph, family, weights, sequence, lambda) in [
        ("{ kind = 'torus', rows = 3, cols = 1 }", "torus (rows = 3, cols = 1), 3 edges", "metropolis", "", Some(0.0)),
        ("{ kind = 'path', weights = 'best-constant' }", "path, 2 edges", "best-constant", "", Some(0.5)),
        (
            "{ kind = 'path', sequence = { kind = 'periodic', file = 'turns.txt' } }",
            "path, 2 edges",
            "those of the sequence",
            "periodic: 2 rounds over and over",
            Some(0.5_f64.sqrt()),
        ),
        (
            "{ kind = 'complete', sequence = { kind = 'activation', active = 2 } }",
            "complete, 3 edges",
            "those of the sequence",
            "activation: 2 of 3 nodes are awake",
            Some(0.5_f64.sqrt()),
        ),
        (
            "{ kind = 'path', sequence = { kind = 'node-outages', outages = [{ node = 1, first = 0, last = 2 }] } }",
            "path, 2 edges",
            "metropolis",
            "node-outages: down are node 1 in rounds 0 to 2; who sleeps",
            None,
        ),
        (
            "{ kind = 'one-peer-exponential', sequence = { kind = 'one-peer-exponential' } }",
            "one-peer-exponential, 3 edges",
            "those of the sequence",
            "one-peer-exponential: every node takes the mean",
            Some(0.5_f64.sqrt()),
        ),
    ] {
        let set = format!("graph={graph}");
        let arguments = ["experiment.toml", "--set", &set];
        let planned = bench.json(&[&["plan"], &arguments[..]].concat());
        let found = &planned["graph"];
        assert_eq!(found["weights"], weights, "{found}");
        match (found["lambda"].as_f64(), found["gap"].as_f64(), lambda) {
            (Some(found), Some(gap), Some(lambda)) => {
                assert!((found - lambda).abs() < 1e-12 && (found + gap - 1.0).abs() < 1e-15, "{graph}: {found}");
            }
            (found, _, expected) => assert_eq!(found, expected, "{graph}"),
        }
        assert!(found["sequence"].as_str().unwrap_or_default().starts_with(sequence), "{found}");
        let summary = bench.json(&[&["run", "--out", "out", "--force"], &arguments[..]].concat());
        assert_eq!(summary["graph"], *found);
        let page = fs::read_to_string(bench.path(summary["results"].as_str().unwrap()).join("report.html")).unwrap();
        let text = bench.dido(&[&["plan"], &arguments[..]].concat()).stdout;
        let text = String::from_utf8(text).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        let lambda = lambda.map_or("not known".to_owned(), |lambda| format!("{lambda:.6}"));
        for part in [family, weights, sequence, &lambda] {
            assert!(page.contains(part), "{part:?} is not in the page of {graph}");
            assert!(text.contains(part), "{part:?} is not in {text}");
        }
    }
}

#[test]
fn sequences_that_do_not_fit_are_refused() {
    let bench = Bench::new();
    bench.write("short.txt", "nodes 3\nrounds 2\n0 0 1 0.5\n1 1 2 0.5\n");
    bench.write("four.txt", "nodes 4\nrounds 1\n0 0 1 0.5\n");
    bench.write("bad.txt", "nodes 3\nrounds 1\n0 0 1 half\n");
    bench.write("across.txt", "nodes 3\nrounds 1\n0 0 2 0.5\n");
    bench.write("w.csv", "0.5 0.5 0\n0.5 0 0.5\n0 0.4 0.6\n");
    bench.write("two.csv", "0.5 0.5\n0.5 0.5\n");
    bench.write("full.csv", "0.5 0.25 0.25\n0.25 0.5 0.25\n0.25 0.25 0.5\n");
    let sequence = |inside: &str| format!("{{ kind = 'path', sequence = {{ {inside} }} }}");
    for (graph, parts) in [
        (sequence("kind = 'activation'"), &["`graph.sequence`", "active", "or p"][..]),
        (sequence("kind = 'activation', active = 2, p = 0.5"), &["`graph.sequence`", "active", "or p"]),
        (sequence("kind = 'activation', active = 4"), &["`graph.sequence.active`", "4 of 3 nodes"]),
        (sequence("kind = 'activation', active = 1"), &["`graph.sequence.active`", "nobody"]),
        (sequence("kind = 'activation', p = 0"), &["`graph.sequence.p`", "(0, 1]"]),
        (sequence("kind = 'activation', p = 0.5, iota = 1"), &["`graph", "`iota`"]),
        (sequence("kind = 'node-outages'"), &["`graph", "outages"]),
        (
            sequence("kind = 'node-outages', outages = [{ node = 3, first = 0, last = 1 }]"),
            &["`graph.sequence.outages`", "node 3"],
        ),
        (
            sequence("kind = 'node-outages', outages = [{ node = 0, first = 2, last = 1 }]"),
            &["`graph.sequence.outages[0]`", "round 1", "round 2"],
        ),
        (sequence("kind = 'node-outages', outages = [{ node = 0, first = 2, until = 1 }]"), &["`graph", "until"]),
        (sequence("kind = 'periodic'"), &["`graph.sequence`", "rounds", "file"]),
        (sequence("kind = 'periodic', rounds = []"), &["`graph.sequence.rounds`", "at least one round"]),
        (sequence("kind = 'periodic', rounds = [[[0, 1]], []]"), &["`graph.sequence.rounds`", "{0, 1}, {2}"]),
        (
            sequence("kind = 'periodic', rounds = [[[0, 1]], [[1, 2]]], window = 1"),
            &["`graph.sequence.rounds`", "not connected"],
        ),
        (sequence("kind = 'periodic', rounds = [[[0, 1]], [[1, 2]]], window = 0"), &["`graph.sequence.window`"]),
        (sequence("kind = 'periodic', rounds = [[[0, 1]], [[1, 2]]], eta = 0"), &["`graph.sequence.eta`"]),
        (sequence("kind = 'periodic', rounds = [[[0, 1], [1, 2]]], eta = 0.4"), &["round 0", "eta = 0.4"]),
        (
            sequence("kind = 'periodic', rounds = [[[0, 1]], [[1, 1]]]"),
            &["`graph.sequence.rounds`", "round 1", "itself"],
        ),
        (sequence("kind = 'periodic', rounds = [[[0, 7]]]"), &["`graph.sequence.rounds`", "0-7"]),
        (sequence("kind = 'periodic', rounds = [[[0, 1, 2]]]"), &["`graph"]),
        (sequence("kind = 'periodic', rounds = [[[0, 2], [1, 2]]]"), &["round 0 joins 0 and 2", "no neighbours"]),
        (sequence("kind = 'periodic', file = 'none.txt'"), &["`graph.sequence.file`", "none.txt", "No such file"]),
        (sequence("kind = 'recorded'"), &["`graph", "file"]),
        (sequence("kind = 'recorded', file = 'short.txt'"), &["`graph.sequence.file`", "2 rounds", "100"]),
        (sequence("kind = 'recorded', file = 'four.txt'"), &["`graph.sequence.file`", "4 nodes", "3"]),
        (sequence("kind = 'recorded', file = 'bad.txt'"), &["`graph.sequence.file`", "bad.txt, line 3", "half"]),
        (sequence("kind = 'recorded', file = 'across.txt'"), &["`graph.sequence.file`", "joins 0 and 2"]),
        (
            "{ kind = 'path', weights = 'fdla', sequence = { kind = 'pairwise-gossip' } }".to_owned(),
            &["`graph.weights`", "fdla would be of no use"],
        ),
        ("{ kind = 'path', weights = 'matrix' }".to_owned(), &["`graph.matrix`", "needs the file"]),
        ("{ kind = 'path', matrix = 'w.csv' }".to_owned(), &["`graph.matrix`", "weights = \"matrix\"", "metropolis"]),
        ("{ weights = 'metropolis' }".to_owned(), &["`graph`", "missing field `kind`"]),
        ("{ weights = 'matrix', matrix = 'w.csv', p = 0.5 }".to_owned(), &["`graph`", "'p'", "`kind`"]),
        ("{ weights = 'matrix', matrix = 'w.csv' }".to_owned(), &["`graph.matrix`", "w.csv, line 2", "row 1"]),
        ("{ weights = 'matrix', matrix = 'two.csv' }".to_owned(), &["`graph`", "2 nodes", "3 parties"]),
        (
            "{ kind = 'path', weights = 'matrix', matrix = 'full.csv' }".to_owned(),
            &["`graph.matrix`", "full.csv, line 1", "row 0", "not neighbours"],
        ),
    ] {
        let line = bench.refusal(&["plan", "experiment.toml", "--set", &format!("graph={graph}")]);
        for part in parts {
            assert!(line.contains(part), "{graph}: `{part}` is not in: {line}");
        }
    }
}

/// Options of a family for 16 nodes, the one size that all of them have.
fn options(bench: &Bench, name: &str) -> families::Options {
    let mut options = families::Options { nodes: Some(16), ..families::Options::default() };
    match name {
        "erdos-renyi" => options.p = Some(0.3),
        "random-regular" => options.degree = Some(3),
        "watts-strogatz" => (options.degree, options.p) = (Some(4), Some(0.3)),
        "barabasi-albert" => options.degree = Some(2),
        "geometric" => options.radius = Some(0.5),
        "block-model" => (options.blocks, options.p_in, options.p_out) = (Some(2), Some(0.6), Some(0.2)),
        "edge-list" | "graphml" | "dot" => options.file = Some(bench.path(name)),
        _ => {}
    }
    options
}

/// What `dido topology --json --edge-list --matrix` prints, for every family with every rule that serves it.
#[test]
fn every_family_with_every_rule_prints_doubly_stochastic_rows() {
    let bench = Bench::new();
    let lollipop = families::lollipop(5, 11).unwrap();
    bench.write("edge-list", &lollipop.to_edge_list());
    bench.write("dot", &lollipop.to_dot());
    let elements = |of: &mut dyn Iterator<Item = String>| of.collect::<String>();
    let edges = elements(&mut lollipop.edges().map(|(i, j)| format!("<edge source='{i}' target='{j}'/>")));
    let nodes = elements(&mut (0..16).map(|i| format!("<node id='{i}'/>")));
    bench.write("graphml", &format!("<graphml><graph edgedefault='undirected'>{nodes}{edges}</graph></graphml>"));
    let mut refused = 0;
    for family in families::ALL {
        for rule in weights::ALL {
            let name = format!("{} {}", family.name, rule.name);
            let topology = match Topology::new(family.name, options(&bench, family.name), rule.name) {
                Ok(topology) => topology,
                Err(error) => {
                    assert!(rule.name == "uniform" && error.to_string().contains("regular graph"), "{name}: {error}");
                    refused += 1;
                    continue;
                }
            };
            let mut description = topology.describe().unwrap();
            description.edge_list = Some(topology.edge_list());
            description.matrix = Some(topology.matrix().unwrap());
            let found: Value = serde_json::from_str(&dido_experiments::json(&description)).unwrap();
            for key in ["family", "nodes", "edges", "connected", "degrees", "lambda", "gap", "edge_list", "matrix"] {
                assert!(!found[key].is_null(), "{name}: no {key}");
            }
            let rows: Vec<Vec<f64>> = serde_json::from_value(found["matrix"].clone()).unwrap();
            let pairs: Vec<(usize, usize)> = serde_json::from_value(found["edge_list"].clone()).unwrap();
            assert_eq!(pairs.len() as u64, found["edges"].as_u64().unwrap());
            for (i, row) in rows.iter().enumerate() {
                let sums = [row.iter().sum::<f64>(), rows.iter().map(|row| row[i]).sum::<f64>()];
                assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-12), "{name}: {sums:?}");
                for (j, weight) in row.iter().enumerate().filter(|&(j, _)| j != i) {
                    assert!(weight.abs() < 1e-300 || pairs.binary_search(&(i.min(j), i.max(j))).is_ok(), "{name}");
                }
            }
            assert!(found["lambda"].as_f64().unwrap() < 1.0, "{name}");
        }
    }
    assert!(refused < families::ALL.len(), "uniform weights serve the regular families");
}
