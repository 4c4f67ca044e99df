//! The preset `quickstart`: its parameters follow from public quantities, and it keeps what it promises.

mod common;

use common::Bench;
use dido_experiments::config::{AlgorithmConfig, SetConfig};
use dido_experiments::{Spec, load};
use dido_mechanisms::accountants::rho_of_epsilon;
use dido_mechanisms::{Adjacency, least_squares};
use dido_optimizers::Schedule;

/// The rule stands in `docs/theory/liu2020.md`, last section.
#[test]
fn the_quickstart_follows_its_rule() {
    let spec = Spec::new(load("quickstart", &[]).unwrap()).unwrap();
    let AlgorithmConfig::ProjectedDgd(algorithm) = &spec.config.algorithm else { panic!("another algorithm") };
    let SetConfig::L2Ball(ball) = &algorithm.set else { panic!("another set") };
    let Some(Schedule::Constant(step)) = spec.method.step() else { panic!("another schedule") };
    let budget = spec.budget.unwrap();

    // The schema guarantees the declared bounds, so no row needs clipping.
    assert!((spec.schema.row_norm_bound() - spec.config.data.row_norm).abs() < 1e-12);
    assert!((spec.config.data.row_norm - 2.0).abs() < 1e-12);
    assert!((spec.schema.target_bound() - 1.0).abs() < 1e-12);

    let (r_x, r_y, radius) = (spec.config.data.row_norm, spec.schema.target_bound(), ball.radius);
    let (parties, dim) = (spec.declaration.nodes() as f64, spec.declaration.dim());
    let records: usize = spec.declaration.records().iter().sum();
    let width = least_squares::l2_sensitivity(Adjacency::ReplaceRecord, r_x, r_y, radius, dim).unwrap().value;
    let c = parties / records as f64 * width;
    let rho = rho_of_epsilon(budget.epsilon(), budget.delta()).unwrap();
    let time = radius / (c * (2.0 * dim as f64 / (parties * rho)).sqrt());
    assert!((time - 49.13).abs() < 0.005, "1/h* = {time}");

    let lambda = spec.weights.second_largest_singular_value().unwrap();
    assert!((lambda - 0.5393).abs() < 5e-5, "lambda = {lambda}");
    let rule = (1.0 - lambda) / (r_x * r_x);
    assert!((step.c - rule).abs() < 5e-6, "the preset has {}, the rule says {rule}", step.c);
    assert!((f64::from(spec.config.rounds) - (time / rule).ceil()).abs() < 0.5, "the rule says {}", time / rule);
    assert_eq!(spec.config.rounds, 427);
}

/// The seeds are fixed, so nothing here is random: lane `k` of seed 1 always draws the same noise.
#[test]
fn twenty_seeds_beat_the_best_party_alone_on_average() {
    let bench = Bench::new();
    let run = bench.json(&["run", "quickstart", "--set", "lanes=20"]);
    let r2 = |model: &str| run["metrics"][model]["r2"].as_f64().unwrap();
    assert_eq!(run["lane_scores"].as_array().unwrap().len(), 20);
    assert!(r2("private") >= 0.355, "{}", r2("private"));
    assert!(r2("private") > r2("best_alone"), "{} against {}", r2("private"), r2("best_alone"));
    assert!(r2("private") < r2("optimum"), "{} against {}", r2("private"), r2("optimum"));
    let consensus = run["consensus_error"].as_f64().unwrap();
    assert!(consensus < 1e-9, "{consensus}");
    let epsilon = run["epsilon"]["zcdp"].as_f64().unwrap();
    assert!((0.999_999..=1.0).contains(&epsilon), "{epsilon}");
}
