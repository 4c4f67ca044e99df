//! `dido network-privacy` as a user meets it.

mod common;

use common::{Bench, stderr};
use serde_json::Value;

fn ask(bench: &Bench, arguments: &str) -> Value {
    bench.json(&["network-privacy"].into_iter().chain(arguments.split(' ')).collect::<Vec<_>>())
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("no number `{key}` in {value}"))
}

/// Three rounds uncover three nodes on either side of every viewer; `epsilon_of_mu(1/2, 1e-5)` is 1.9931 by the closed form
/// of Gaussian differential privacy (Balle, Wang 2018), solved with another implementation.
#[test]
fn a_ring_by_distance() {
    let bench = Bench::new();
    let answer = ask(&bench, "ring --nodes 12 --rounds 3 --sigma 4 --sensitivity 2");
    let rows = answer["distances"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    for (k, row) in rows.iter().take(3).enumerate() {
        assert_eq!((&row["distance"], &row["pairs"]), (&Value::from(k + 1), &Value::from(24)));
        for figure in ["guarantee", "estimate"] {
            assert!((number(&row[figure], "mu_squared") - 0.25).abs() < 1e-12, "{row}");
            assert!((number(&row[figure], "epsilon") - EPSILON).abs() < 1e-4, "{row}");
        }
        assert!((number(row, "mean_estimate") - 0.25).abs() < 1e-12);
    }
    assert!((number(&rows[1], "sum_of_marginals_no_bound") - 0.25 * 0.5439).abs() < 1e-4);
    assert_eq!((&rows[3]["distance"], &rows[3]["pairs"]), (&Value::Null, &Value::from(60)));
    assert!(number(&rows[3]["guarantee"], "epsilon") <= 0.0 && number(&rows[3]["estimate"], "mu_squared") <= 0.0);
    assert!(number(&answer, "dropped") < number(&answer, "tolerance") && number(&answer, "kept") > 0.01);
}

const EPSILON: f64 = 1.9931;

/// The guarantee is above the estimate, for the distances of a graph of the repertoire, and the text has the same rows.
#[test]
fn one_viewer_of_a_hypercube() {
    let bench = Bench::new();
    let arguments = "hypercube --nodes 64 --rounds 4 --sigma 1 --viewer 5";
    let answer = ask(&bench, arguments);
    let rows = answer["distances"].as_array().unwrap();
    let pairs: Vec<u64> = rows.iter().map(|row| row["pairs"].as_u64().unwrap()).collect();
    assert_eq!(pairs, [6, 15, 20, 15, 7]);
    for row in &rows[1..4] {
        let (upper, estimate) = (number(&row["guarantee"], "mu_squared"), number(&row["estimate"], "mu_squared"));
        assert!((upper - 1.0).abs() < 1e-15 && estimate > 0.0 && estimate < 1.0, "{row}");
        assert!(number(row, "mean_estimate") <= estimate + 1e-12);
    }
    assert_eq!(answer["adversary"], "is party 5 and sees the messages of its neighbours");
    let output = bench.dido(&["network-privacy"].into_iter().chain(arguments.split(' ')).collect::<Vec<_>>());
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let reached: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("out of reach")).collect();
    assert_eq!(reached.len(), 1, "{text}");
    assert!(reached[0].split_whitespace().skip(3).eq(["7", "0", "0", "0", "0", "0", "0"]), "{text}");
}

#[test]
fn what_makes_no_sense_is_refused_in_one_line() {
    let bench = Bench::new();
    for (arguments, part) in [
        ("ring --nodes 5 --rounds 3 --sigma 0", "noise scale"),
        ("ring --nodes 5 --rounds 3 --sigma NaN", "noise scale"),
        ("ring --nodes 5 --rounds 3 --sigma 1 --sensitivity -1", "sensitivity"),
        ("ring --nodes 5 --rounds 3 --sigma 1 --delta 0", "delta"),
        ("ring --nodes 5 --rounds 3 --sigma 1 --viewer 5", "no node 5"),
        ("ring --nodes 5 --rounds 3 --sigma 1 --viewer 18446744073709551615", "no node 18446744073709551615"),
        ("ring --nodes 5000 --rounds 3 --sigma 1", "--viewer"),
        ("ring --nodes 5 --rounds -3 --sigma 1", "--rounds"),
        ("wheel --nodes 5 --rounds 3 --sigma 1", "wheel"),
    ] {
        let line = bench.refusal(&["network-privacy"].into_iter().chain(arguments.split(' ')).collect::<Vec<_>>());
        assert!(line.contains(part), "{arguments}: {line}");
    }
}
