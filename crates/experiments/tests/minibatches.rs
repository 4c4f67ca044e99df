//! Samples of records, clips, hidden activation and noise on a grid, through the binary.

mod common;

use std::fs;

use common::{Bench, RECORDS, TOML, clinics};
use dido_mechanisms::{Base, Event, Ledger, Sampling};
use serde_json::Value;

/// The experiment on [`clinics`] with another algorithm and privacy, and squared loss.
fn bench(rest: &str) -> Bench {
    let (before, _) = TOML.split_once("[algorithm]").unwrap();
    Bench::with(&(before.to_owned() + rest), &clinics())
}

const DP_SGD: &str = r#"
[algorithm]
kind = "dp-sgd"
step = { kind = "constant", c = 0.2 }
clip = 0.5
sampling = { poisson = 0.1 }
[privacy]
adjacency = "add-remove-record"
budget = { epsilon = 4, delta = 1e-5 }
noise = { kind = "calibrated", mechanism = "gaussian" }
"#;

const DGD: &str = r#"
[algorithm]
kind = "dgd"
step = { kind = "power", c = 0.5, d = 3, e = 0.5 }
clip = { record = 0.5 }
perturb = "gradient"
[privacy]
adjacency = "replace-record"
budget = { epsilon = 8, delta = 1e-5 }
noise = { kind = "calibrated", mechanism = "laplace" }
"#;

const HIDDEN: &str = r#"
[objective]
loss = { kind = "huber", width = 0.5 }
regulariser = { kind = "squared-l2", mu = 0.1 }
[algorithm]
kind = "dual-averaging"
sampling = "one-record"
activation = "hidden"
participation = 0.25
weights = { kind = "growing-distance", gamma = 1.0 }
[privacy]
adjacency = "replace-record"
adversary = "hidden-activation"
budget = { epsilon = 8, delta = 1e-5 }
noise = { kind = "calibrated", mechanism = "gaussian" }
"#;

fn with<'a>(command: &'a str, overrides: &[&'a str]) -> Vec<&'a str> {
    let sets = overrides.iter().flat_map(|o| ["--set", o]);
    [command, "experiment.toml"].into_iter().chain(sets).collect()
}

fn ledger(bench: &Bench) -> Ledger {
    serde_json::from_str(&fs::read_to_string(bench.result("results").join("ledger.json")).unwrap()).unwrap()
}

/// Whatever is sampled, clipped, perturbed or rounded: the plan costs what the run costs, keeps the budget, and leaves nothing to
/// speak of unused by the accounting that decides it.
#[test]
fn the_plan_costs_what_the_run_costs_and_uses_its_budget() {
    let replaced = "privacy.adjacency=replace-record";
    let laplace = "privacy.noise.mechanism=laplace";
    let (discrete_laplace, discrete_gaussian) =
        ("privacy.noise.mechanism=discrete-laplace", "privacy.noise.mechanism=discrete-gaussian");
    let (message, one_clip) = ("algorithm.perturb=message", "algorithm.clip={ gradient = 0.4 }");
    let twenty = "algorithm.sampling={ records = 20 }";
    let set = "algorithm.set={ kind = 'l2-ball', radius = 1 }";
    let pure = "privacy.budget={ epsilon = 60, delta = 0 }";
    for (rest, overrides, used) in [
        (DP_SGD, &[][..], "best"),
        (DP_SGD, &[set, laplace], "best"),
        (DP_SGD, &[discrete_gaussian], "best"),
        (DP_SGD, &["algorithm.sampling=one-record", replaced], "best"),
        (DP_SGD, &[twenty, replaced, discrete_laplace], "best"),
        (DP_SGD, &["algorithm.sampling=all", "privacy.adjacency=replace-node"], "best"),
        (DGD, &[], "zcdp"),
        (DGD, &[discrete_laplace], "zcdp"),
        (DGD, &[discrete_laplace, pure], "pure"),
        (DGD, &[message, one_clip, discrete_gaussian, "privacy.adjacency=replace-node"], "best"),
        (HIDDEN, &[], "best"),
        (HIDDEN, &[discrete_gaussian], "best"),
    ] {
        let bench = bench(rest);
        let plan = bench.json(&with("plan", overrides));
        let summary = bench.json(&with("run", overrides));
        assert_eq!(plan["epsilon"], summary["epsilon"], "{overrides:?}");
        let budget = plan["budget"]["epsilon"].as_f64().unwrap();
        let best = plan["epsilon"]["best"]["epsilon"].as_f64().unwrap();
        let spent = plan["epsilon"][used].as_f64().unwrap_or(best);
        assert!(spent > 0.998 * budget && spent <= budget, "{overrides:?}: {spent} of {budget}");
        let discrete = plan["mechanism"].as_str().unwrap().starts_with("discrete");
        assert_eq!(plan.get("grid").is_some(), discrete, "{plan}");
    }
}

/// The ledger of a run names the sample and its rate, and the clipped sensitivity: `C n / N / rate` for parties `n` and records `N`.
#[test]
fn the_ledger_names_the_sample() {
    let bench = bench(DP_SGD);
    bench.json(&["run", "experiment.toml"]);
    let total: usize = RECORDS.iter().sum();
    for class in ledger(&bench).classes {
        let [entry] = class.entries.as_slice() else { panic!("{class:?}") };
        let Event::Sampled { sampling: Sampling::Poisson { rate }, base: Base::Gaussian { sensitivity, .. } } =
            entry.event
        else {
            panic!("{entry:?}")
        };
        assert!((rate - 0.1).abs() < 1e-15 && entry.releases == 40);
        assert!((sensitivity.value / (0.5 * 3.0 / total as f64 / 0.1) - 1.0).abs() < 1e-12, "{sensitivity:?}");
    }
    bench.json(&[
        "run",
        "experiment.toml",
        "--out",
        "replaced",
        "--set",
        "privacy.adjacency=replace-record",
        "--set",
        "algorithm.sampling={ records = 20 }",
    ]);
    let page = fs::read_to_string(bench.result("replaced").join("report.html")).unwrap();
    assert!(page.contains("gaussian on 20 of 33 records") && page.contains("gaussian on 20 of 48 records"));
}

/// How the sensitivity follows, in numbers that multiply to it.
#[test]
fn the_derivation_names_clip_and_sample() {
    for (rest, overrides, parts) in [
        (DP_SGD, &[][..], &["s / rate * C, with s = parties / records = 0.025; rate = 0.1", "C = 0.5, to which"][..]),
        (
            DP_SGD,
            &["privacy.adjacency=replace-record", "algorithm.sampling={ records = 20 }"],
            &["s * q / 20 * 2 C", "q = 48", "20 are drawn"],
        ),
        (DGD, &[], &["s * 2 C, with s", "each record is clipped"]),
        (DGD, &["algorithm.perturb=message", "algorithm.clip={ gradient = 0.01 }"], &["step(t) * 2 C, with gradients"]),
        (HIDDEN, &[], &["s * q * 2 R_x g", "one is drawn if its coin says so"]),
        (DGD, &["privacy.noise.mechanism=discrete-laplace"], &["rounding to the grid comes on top"]),
    ] {
        let plan = bench(rest).json(&with("plan", overrides));
        let derivation = plan["sensitivity"]["derivation"].as_str().unwrap();
        assert!(parts.iter().all(|part| derivation.contains(part)), "{overrides:?}: {derivation}");
    }
    let plan = bench(DP_SGD).json(&["plan", "experiment.toml"]);
    assert!((plan["sensitivity"]["value"].as_f64().unwrap() - 0.5 * 0.025 / 0.1).abs() < 1e-12, "{plan}");
}

/// Noise on a grid: the model is not on it (it is an average), but the report says what it is, and the same file gives the same
/// bits; a grid of one's own is taken.
#[test]
fn reports_say_that_the_noise_is_exact() {
    let bench = bench(DGD);
    let sets = ["--set", "privacy.noise.mechanism=discrete-laplace"];
    let text = bench.dido(&[&["run", "experiment.toml"], &sets[..]].concat());
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("whole steps of a grid") && !text.contains("floating-point sampler"), "{text}");
    let own = "privacy.noise={ kind = 'discrete-laplace', scale = { kind = 'constant', c = 0.5 }, grid = -20 }";
    let plan = bench.json(&["plan", "experiment.toml", "--set", own, "--set", "privacy.budget.epsilon=100"]);
    assert_eq!((&plan["grid"], &plan["mechanism"]), (&Value::from(-20), &Value::from("discrete-laplace")));
    let own = "privacy.noise={ kind = 'discrete-gaussian', sigma = { kind = 'constant', c = 0.5 } }";
    let plan = bench.json(&["plan", "experiment.toml", "--set", own, "--set", "privacy.budget.epsilon=100"]);
    // The sensitivity is 2 C s = 0.025: a millionth of it over the root of three coordinates is 2^-27.
    assert_eq!(plan["grid"], Value::from(-27));
}

/// Where records are added or removed the counts of the file are not compared with the declared ones.
#[test]
fn under_add_remove_the_counts_are_not_compared() {
    let declared = "data.records=[33, 39, 47]";
    let bench = bench(DP_SGD);
    assert_eq!(bench.json(&with("run", &[declared]))["rounds"], Value::from(40));
    let replaced = [declared, "privacy.adjacency=replace-record", "algorithm.sampling=one-record"];
    let line = bench.refusal(&with("run", &[&replaced[..], &["name=other"]].concat()));
    assert!(line.contains("`data.records`"), "{line}");
}

#[test]
fn what_does_not_go_together_is_refused_with_its_path() {
    for (rest, overrides, parts) in [
        (DP_SGD, &["privacy.adjacency=replace-record"][..], &["`algorithm.sampling`", "Poisson sampling"][..]),
        (DP_SGD, &["privacy.adjacency=replace-node"], &["`algorithm.sampling`", "Poisson sampling"]),
        (DP_SGD, &["algorithm.sampling=one-record"], &["`algorithm.sampling`", "fixed size"]),
        (DP_SGD, &["algorithm.sampling={ records = 20 }"], &["`algorithm.sampling`", "fixed size"]),
        (DP_SGD, &["algorithm.sampling={ poisson = 1.5 }"], &["`algorithm.sampling`", "1.5"]),
        (DP_SGD, &["algorithm.sampling={ bernoulli = 0.5 }"], &["algorithm", "bernoulli", "poisson"]),
        (
            DP_SGD,
            &["privacy.adjacency=replace-record", "algorithm.sampling={ records = 34 }"],
            &["`algorithm.sampling`", "node 0", "34", "33"],
        ),
        (DP_SGD, &["algorithm.clip=0"], &["`algorithm.clip`", "0"]),
        (DP_SGD, &["objective.regulariser={ kind = 'l1', lambda = 0.1 }"], &["`objective.regulariser`"]),
        (DGD, &["privacy.adjacency=add-remove-record"], &["`privacy.adjacency`", "dp-sgd"]),
        (DGD, &["algorithm.clip={ record = -1 }"], &["`algorithm.clip.record`", "-1"]),
        (DGD, &["algorithm.clip={ gradient = 0 }"], &["`algorithm.clip.gradient`", "0"]),
        (DGD, &["algorithm.perturb=both"], &["algorithm", "both", "gradient"]),
        (DGD, &["privacy.noise.mechanism=discrete"], &["privacy", "discrete-laplace"]),
        (DGD, &["privacy.noise.mechanism=discrete-gaussian", "privacy.budget.delta=0"], &["`privacy.budget.delta`"]),
        (
            DGD,
            &["privacy.noise={ kind = 'discrete-laplace', scale = { kind = 'constant', c = 1 }, grid = 1000 }"],
            &["grid", "1000"],
        ),
        (
            DGD,
            &[
                "algorithm={ kind = 'pdop', set = { kind = 'l1-ball', radius = 1 }, step = { kind = 'constant', c = 0.1 } }",
                "privacy.noise.mechanism=discrete-laplace",
            ],
            &["exact noise", "a ball or a box"],
        ),
        (HIDDEN, &["privacy.adversary=all-messages"], &["`privacy.adversary`", "hidden-activation"]),
        (HIDDEN, &["algorithm.activation=visible"], &["`privacy.adversary`", "dummy messages"]),
        (HIDDEN, &["algorithm.sampling=all"], &["`algorithm.sampling`", "one-record"]),
        (HIDDEN, &["privacy.adjacency=replace-node"], &["`algorithm.activation`", "hidden activation"]),
        (HIDDEN, &["graph.sequence={ kind = 'activation', active = 2 }"], &["`graph.sequence`", "everybody to send"]),
    ] {
        let bench = bench(rest);
        for command in ["plan", "run"] {
            let line = bench.refusal(&with(command, overrides));
            for part in parts {
                assert!(line.contains(part), "{overrides:?}: `{part}` is not in: {line}");
            }
        }
        assert!(!bench.path("results").exists());
    }
    let toml = HIDDEN.replace("participation = 0.25\n", "");
    let line = bench(&toml).refusal(&["plan", "experiment.toml"]);
    assert!(line.contains("`algorithm.participation`"), "{line}");
}

/// Under add-remove-record the counts of the file are what is protected: no file that may be shown and no error has them.
#[test]
fn where_a_record_is_added_the_counts_of_the_file_are_not_shown() {
    let bench = bench(DP_SGD);
    let records = "data.records=[31, 41, 47]";
    let run = ["run", "experiment.toml", "--set", records];
    let summary = bench.json(&run);
    assert!(summary.get("held_out").is_none(), "{summary}");
    assert_eq!(summary["records"], Value::from(vec![31, 41, 47]));
    let text = String::from_utf8(bench.dido(&[&run[..], &["--force"]].concat()).stdout).unwrap();
    assert!(text.contains("119 declared; the true counts are protected"), "{text}");
    let folder = bench.result("results");
    let [page, curve] = ["report.html", "error.svg"].map(|name| fs::read_to_string(folder.join(name)).unwrap());
    assert!(page.contains("Declared training records") && page.contains("Scores on held-out records"), "{page}");
    for (name, shown) in [("text", &text), ("page", &page), ("curve", &curve)] {
        for count in ["30 held", "<td>30</td>", "120 for", "<td>120"] {
            assert!(!shown.contains(count), "the {name} shows {count}");
        }
    }
    let replaced = DP_SGD.replace("{ poisson = 0.1 }", "\"one-record\"").replace("add-remove-record", "replace-record");
    let known = self::bench(&replaced).json(&["run", "experiment.toml"]);
    assert_eq!(known["held_out"], 30);

    let shuffled = "data.partition={ kind = 'shuffled' }";
    for (overrides, csv, parts) in [
        (&["data.held_out.fraction=0.001"][..], clinics(), &["`data.held_out.fraction`", "too few"][..]),
        (
            &["data.held_out.fraction=0.7", shuffled],
            "site,age,sex,days\neast,30,m,4\nnorth,40,f,5\nwest,44,f,5\n".to_owned(),
            &["`data.records`", "too few records"],
        ),
        (&["data.records=[80, 40]", "graph.kind=path"], clinics(), &["`data.partition`", "other values"]),
        (
            &["data.target.min=19", "data.target.max=20"],
            clinics(),
            &["`data.target`", "all held-out targets are equal"],
        ),
    ] {
        bench.write("clinics.csv", &csv);
        let line = bench.refusal(&[&with("run", overrides)[..], &["--force"]].concat());
        assert!(parts.iter().all(|part| line.contains(part)), "{overrides:?}: {line}");
        let counts =
            line.split(|c: char| !c.is_ascii_digit() && c != '.').filter(|n| ["0", "1", "3", "30", "150"].contains(n));
        assert_eq!(counts.collect::<Vec<_>>(), [""; 0], "{overrides:?}: {line}");
    }
}
