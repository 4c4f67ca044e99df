//! A sparse support vector machine of twenty parties on 32561 records, `a9a`.

mod common;

use std::path::PathBuf;

use common::{Bench, TOML, clinics};
use dido_mechanisms::{Adjacency, Adversary, Gate, Key};
use dido_optimizers::{
    Algorithm, Declaration, DualAveraging, DualWeights, InProcess, Noise, Parties, Sampling, run as drive,
};
use dido_problems::table::{Classes, Source, Svmlight, load_svmlight};
use dido_problems::{Distance, DualStep, Features, Loss, RecordBounds, Regulariser, Set, Shard, Weighting, partition};
use dido_topology::{families, weights};
use ndarray::{ArrayView1, Axis};
use serde_json::Value;

/// The minimum of the mean hinge loss and `0.001 ||b||_1` over all records, from `problems/tests/data/regularised.json`.
const MINIMUM: f64 = 0.394_269_977_678_672;

/// Without noise the gap after `T` rounds is about `6 / T` at first; the weights are those of the preset, with less distance. Nothing is random.
#[test]
fn without_noise_the_objective_comes_down_to_the_minimum() {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "problems", "data", "a9a.gz"].iter().collect();
    let classes = Classes { column: "label".into(), levels: ["-1".into(), "+1".into()] };
    let declared = Svmlight::new(classes, 123, 14.0_f64.sqrt()).unwrap();
    let table = load_svmlight(&Source::file(path), &declared).unwrap();
    let (x, y) = (Features::from(table.x), table.y);

    let bounds = RecordBounds::new(1.0, 1.0).unwrap();
    let parts = partition::shuffled(y.len(), 20, 0).unwrap();
    let shards: Vec<Shard> =
        parts.iter().map(|own| Shard::checked(x.select(own), y.select(Axis(0), own), bounds).unwrap()).collect();
    let records = shards.iter().map(Shard::records).collect();
    let declaration = Declaration::new(Loss::Hinge, 123, bounds, Weighting::Pooled, records).unwrap();
    let keys = (0..20).map(|node| Key::derive(1, node, 0)).collect();
    let (adjacency, adversary) = (Adjacency::ReplaceRecord, Adversary::AllMessages);
    let gate = Gate::simulated(adjacency, adversary, declaration.class_of(), None, keys);
    let mut parties = Parties::new(declaration, &shards, 1, gate).unwrap();
    let options = families::Options { rows: Some(4), cols: Some(5), nodes: Some(20), ..families::Options::default() };
    let graph = families::build("torus", &options).unwrap().graph;
    let mut network = InProcess::new(weights::rule("metropolis").unwrap().build(&graph).unwrap());

    let regulariser = Regulariser::l1(0.001).unwrap();
    let step = DualStep::new(regulariser.clone(), Set::Whole, Distance::Euclidean).unwrap();
    let growing = DualWeights::GrowingDistance { gamma: 0.004 };
    let start = parties.start(&[0.0; 123]);
    let mut algorithm = DualAveraging::new(step, growing, 1.0, Sampling::All, start).unwrap();
    drive(&mut algorithm, &mut parties, &mut network, &Noise::None, 0..1000, |_, _, _| true).unwrap();
    for node in 0..20 {
        let model = algorithm.estimate().rows().row(node, 0);
        let predictions = x.dot(&ArrayView1::from(model));
        let losses: f64 = predictions.iter().zip(&y).map(|(&p, &y)| Loss::Hinge.value(p, y)).sum();
        let gap = losses / y.len() as f64 + regulariser.value(model) - MINIMUM;
        assert!((1e-4..9e-3).contains(&gap), "node {node}: {gap}");
    }
}

/// The objective of the run, of the minimum, of the best and the median party alone.
fn objectives(run: &Value) -> [f64; 4] {
    ["private", "optimum", "best_alone", "median_alone"].map(|key| run["metrics"]["objective"][key].as_f64().unwrap())
}

/// At (1, 1e-5), where every message can be seen. The split at random makes every party alone as good as any: no run can win
/// much. Two lanes of seed 1, so nothing is random: both are between 0.42 and 0.44.
#[test]
fn the_preset_keeps_its_budget_and_comes_close() {
    let run = Bench::new().json(&["run", "a9a", "--set", "lanes=2"]);
    let [private, optimum, best, median] = objectives(&run);
    assert!(private <= 0.45 && private > optimum, "{private}, {optimum}");
    assert!((median - 0.407).abs() < 2e-3 && best >= optimum, "{best}, {median}");
    let epsilon = run["epsilon"]["best"]["epsilon"].as_f64().unwrap();
    assert!((0.999..=1.0).contains(&epsilon), "{epsilon}");
    assert_eq!(run["records"].as_array().unwrap().len(), 20);
}

/// A party that has seen one class only says that class, whatever the record.
#[test]
fn sorted_by_label_the_parties_need_each_other() {
    let sorted = "data.partition={ kind = 'sorted', column = 'label' }";
    let run = Bench::new().json(&["run", "a9a", "--set", sorted]);
    let [private, optimum, _, median] = objectives(&run);
    assert!(private < median && private > optimum, "{private}, {median}");
    let accuracy = |of: &str| run["metrics"][of]["accuracy"].as_f64().unwrap();
    assert!(accuracy("private") > accuracy("median_alone"), "{run}");
}

#[test]
fn a_sparse_file_of_ones_own_and_what_is_refused() {
    let (start, rest) = TOML.split_once("row_norm").unwrap();
    let (_, rest) = rest.split_once("[graph]").unwrap();
    let data = "row_norm = 1.0\nrecords = [3, 3, 2]\nheld_out = { fraction = 0.2, seed = 1 }\n\
                partition = { kind = \"sorted\", column = \"label\" }\n\
                target = { min = 0, max = 20, center = 10, scale = 10 }\nsvmlight = { features = 3, scale = 2 }\n\n[graph]";
    let toml = format!("{start}{data}{rest}").replace("clinics.csv", "rows.svm");
    let bench = Bench::with(&toml, &clinics());
    bench.write("rows.svm", "1 1:2\n2 2:1\n3 1:1 3:-1\n19 3:2\n25 1:-1\n6\n7 2:9\n8 1:1 2:1\n9 3:1\n10 1:1\n");
    let run = bench.json(&["run", "experiment.toml"]);
    let clipped = |name: &str| {
        let all = run["clipped"].as_array().unwrap();
        all.iter().find(|c| c["column"].as_str().unwrap().contains(name)).unwrap()["count"].as_u64().unwrap()
    };
    assert!(clipped("label") == 1 && clipped("rows") == 1, "{run}");
    assert_eq!(run["coefficients"].as_array().unwrap().len(), 4);
    for (set, parts) in [
        ("data.svmlight.features=2", &["rows.svm, line 3", "index 3", "2 features"][..]),
        ("data.svmlight.features=0", &["`data.svmlight`", "at least one"]),
        ("data.svmlight.features=1000000000000", &["`data.svmlight.features`", "1000000000000 features", "268435456"]),
        ("data.svmlight.features=9223372036854775807", &["`data.svmlight.features`", "268435456"]),
        ("data.svmlight.scale=0", &["`data.svmlight`", "scale"]),
        ("data.svmlight.colour=0", &["data.svmlight", "colour"]),
        ("data.target.column=days", &["`data.target.column`", "one target"]),
        ("data.features=[{ kind = 'intercept' }]", &["`data.features`", "no columns"]),
        ("data.partition.column=age", &["`data.partition.column`", "`label`"]),
        ("objective.loss={ kind = 'hinge' }", &["`data.target`", "classification"]),
    ] {
        let line = bench.refusal(&["run", "experiment.toml", "--json", "--force", "--set", set]);
        assert!(parts.iter().all(|part| line.contains(part)), "{set}: {line}");
    }
    // 3 parties times 10000 features fit; 10000 lanes of them do not, and a plan says so too.
    let many = ["plan", "experiment.toml", "--set", "data.svmlight.features=10000", "--set", "lanes=10000"];
    let line = bench.refusal(&many);
    assert!(line.contains("`lanes`") && line.contains("10000 lanes"), "{line}");
}
