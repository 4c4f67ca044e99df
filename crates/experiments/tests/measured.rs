//! Metrics against an independent computation from the file, and the trace against closed forms.

mod common;

use std::fs;

use common::{Bench, TOML, clinics};
use dido_experiments::records::Trace;
use dido_problems::partition::hold_out;
use serde_json::Value;

/// The encoded training records of [`clinics`]: intercept, age and sex, and days.
fn training() -> Vec<([f64; 3], f64)> {
    let all = clinics();
    let lines: Vec<&str> = all.lines().skip(1).collect();
    let (train, _) = hold_out(lines.len(), 0.2, 1).unwrap();
    let record = |&k: &usize| {
        let cells: Vec<&str> = lines[k].split(',').collect();
        let number = |k: usize| cells[k].parse::<f64>().unwrap();
        let days = number(3).clamp(0.0, 20.0);
        ([1.0, (number(1) - 50.0) / 30.0, if cells[2] == "f" { 0.5 } else { -0.5 }], (days - 10.0) / 10.0)
    };
    train.iter().map(record).collect()
}

fn mean_loss(records: &[([f64; 3], f64)], beta: [f64; 3]) -> f64 {
    let error = |(x, y): &([f64; 3], f64)| x.iter().zip(beta).map(|(x, b)| x * b).sum::<f64>() - y;
    records.iter().map(|record| 0.5 * error(record).powi(2)).sum::<f64>() / records.len() as f64
}

/// Least squares by Cramer's rule.
fn optimum(records: &[([f64; 3], f64)]) -> [f64; 3] {
    let entry = |i: usize, j: usize| records.iter().map(|(x, _)| x[i] * x[j]).sum::<f64>();
    let right = |i: usize| records.iter().map(|(x, y)| x[i] * y).sum::<f64>();
    let determinant = |m: [[f64; 3]; 3]| {
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    };
    let gram: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)));
    std::array::from_fn(|k| {
        let replaced = std::array::from_fn(|i| std::array::from_fn(|j| if j == k { right(i) } else { gram[i][j] }));
        determinant(replaced) / determinant(gram)
    })
}

#[test]
fn metrics_of_every_lane_follow_from_the_file() {
    let bench = Bench::with(TOML, &clinics());
    let run = bench.json(&["run", "experiment.toml", "--set", "lanes=3"]);
    let text = fs::read_to_string(bench.path(run["results"].as_str().unwrap()).join("model.json")).unwrap();
    let model: Value = serde_json::from_str(&text).unwrap();
    let records = training();
    let best = optimum(&records);
    let norm = |x: [f64; 3]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    for lane in 0..3 {
        let beta: [f64; 3] = std::array::from_fn(|k| model["encoded"][lane][k].as_f64().unwrap());
        let loss = mean_loss(&records, beta);
        let away = norm(std::array::from_fn(|k| beta[k] - best[k])) / norm(best);
        let close = |metric: &str, expected: f64| {
            let all = run["measured"].as_array().unwrap();
            let found = all.iter().find(|m| m["metric"] == metric).unwrap()["values"][lane].as_f64().unwrap();
            assert!((found / expected - 1.0).abs() < 1e-9, "{metric}, lane {lane}: {found} is not {expected}");
        };
        close("train_loss", loss);
        close("suboptimality", loss - mean_loss(&records, best));
        close("distance_to_optimum", away);
    }
    let band = &run["measured"].as_array().unwrap().iter().find(|m| m["metric"] == "consensus_error").unwrap()["band"];
    assert_eq!(band["max"], run["consensus_error"]);
    assert!(band["min"].as_f64() < band["max"].as_f64(), "{band}");
}

/// Laplace noise of one scale costs the same in every round, and a ring of three sends six messages of three numbers.
#[test]
fn the_trace_counts_what_is_spent_and_sent() {
    let bench = Bench::with(TOML, &clinics());
    let run = bench.json(&["run", "experiment.toml", "--set", "lanes=2", "--set", "observe_every=3"]);
    let text = fs::read_to_string(bench.path(run["results"].as_str().unwrap()).join("trace.csv")).unwrap();
    let trace = Trace::from_csv(&text).unwrap();
    assert_eq!((trace.observed.len(), text.lines().count()), (14, 1 + 2 * 14));
    assert_eq!(trace.accountants, ["pure", "zcdp"]);
    let last = trace.observed.last().unwrap();
    assert_eq!(last.epsilon, ["pure", "zcdp"].map(|name| run["epsilon"][name].as_f64()));
    for seen in &trace.observed {
        let share = f64::from(seen.round) / 40.0;
        let (pure, all) = (seen.epsilon[0].unwrap(), last.epsilon[0].unwrap());
        assert!((pure / (share * all) - 1.0).abs() < 1e-12, "round {}: {pure} of {all}", seen.round);
        assert_eq!((seen.messages, seen.bytes), (6 * u64::from(seen.round), 144 * u64::from(seen.round)));
    }
    let zcdp: Vec<f64> = trace.observed.iter().map(|seen| seen.epsilon[1].unwrap()).collect();
    assert!(zcdp.windows(2).all(|pair| pair[0] < pair[1]));
    let bands = trace.bands("held_out_r2");
    assert!(bands.len() == 14 && bands.iter().all(|(_, band)| band.lanes == 2 && band.min <= band.max));
}
