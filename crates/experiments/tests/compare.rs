//! `dido compare`: one table of several algorithms, and what is refused.

mod common;

use common::Bench;

const COMPARISON: &str = r#"
name = "two"
base = "experiment.toml"
set = ["lanes=20", "objective.loss={ kind = 'huber', width = 4 }", "graph.kind=path"]
epsilons = [20, 80]

[[entries]]
name = "projected"
set = ["algorithm.set.radius=30", "algorithm.average_from=0.5"]
order = "O(1/epsilon^2)"
exponent = 2

[[entries]]
name = "dual"
set = ["algorithm={ kind = 'dual-averaging', weights = { kind = 'growing-distance', gamma = 0.5 } }"]
order = "O(1/epsilon^2)"
exponent = 2
"#;

/// Wide in the loss and the set, the problem is least squares, where noise adds its variance on average: twenty lanes of seed 7, the
/// same noise at both budgets but for its scale, so nothing is random. So large an epsilon takes less noise than `1/epsilon`.
#[test]
fn what_noise_adds_grows_as_its_variance() {
    let bench = Bench::new();
    bench.write("two.toml", COMPARISON);
    let found = bench.json(&["compare", "two.toml"]);
    let rows = found["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    for row in rows {
        let number = |key: &str, k: usize| row[key][k].as_f64().unwrap();
        let exponent = row["exponent"].as_f64().unwrap();
        let of_noise = (number("noise", 0) / number("noise", 1)).log(80.0 / 20.0);
        assert!((exponent - 2.0 * of_noise).abs() < 0.1, "{of_noise}: {row}");
        let quiet = row["gap_without_noise"].as_f64().unwrap();
        assert!(quiet >= -1e-9 && number("gap", 0) > number("gap", 1) && number("gap", 1) > quiet, "{row}");
        assert!((0.5..1.0).contains(&of_noise), "{row}");
        // 40 rounds and 60 of averaging over two edges, both ways.
        assert_eq!((row["rounds"].as_u64(), row["messages"].as_u64()), (Some(40), Some(400)));
    }
    assert_eq!(rows[0]["algorithm"], "projected-dgd");
    let text = String::from_utf8(bench.dido(&["compare", "two.toml"]).stdout).unwrap();
    assert!(text.contains("exponent") && text.contains("not covered by a guarantee"), "{text}");
    assert!(!bench.path("results").exists());
}

#[test]
fn a_comparison_that_makes_no_sense_is_refused() {
    let bench = Bench::new();
    for (from, to, parts) in [
        ("[20, 80]", "[80, 20]", &["`epsilons`", "ascending"][..]),
        ("[20, 80]", "[0, 20]", &["`epsilons`"]),
        ("exponent = 2", "exponents = 2", &["entries", "exponents"]),
        ("\"experiment.toml\"", "\"missing.toml\"", &["missing.toml"]),
        ("objective.loss={ kind = 'huber', width = 4 }", "seed=1", &["two.toml", "objective.loss"]),
        ("radius=30", "radius=-30", &["experiment.toml", "`algorithm.set.radius`"]),
    ] {
        bench.write("two.toml", &COMPARISON.replacen(from, to, 1));
        let line = bench.refusal(&["compare", "two.toml"]);
        assert!(parts.iter().all(|part| line.contains(part)), "{to}: {line}");
    }
    let line = bench.refusal(&["compare", "nothing"]);
    assert!(line.contains("nothing") && line.contains("No such file"), "{line}");
}
