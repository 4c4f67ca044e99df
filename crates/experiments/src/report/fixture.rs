//! A plan, a result and a trace for the tests of the report.

use crate::config::Seed;
use crate::records::{
    Clipped, Coefficient, Epsilons, Metrics, Plan, PlannedBudget, PlannedGraph, PlannedSensitivity, Score, Seeds,
    Summary, Tightest, Timing, TracePoint, Versions,
};

pub(super) fn plan() -> Plan {
    Plan {
        name: "quickstart".into(),
        digest: "3f9ac2d17be04c55".into(),
        algorithm: "projected-dgd".into(),
        nodes: 16,
        graph: graph(),
        rounds: 300,
        rounds_asked: None,
        stop: None,
        accountant: None,
        lanes: 4,
        averaging_rounds: 20,
        releases_per_node: 299,
        released: "the model after a gradient step, 12 coefficients, with noise on each of them".into(),
        recipients: "neighbours on the graph; an eavesdropper on every edge is allowed for".into(),
        adjacency: "replace-record".into(),
        adjacency_in_words: "one record of one party is replaced by another; the numbers of records are public".into(),
        assignment: "each value of `county` is a party; a replaced record keeps its `county`, and so its party".into(),
        adversary: "all-messages".into(),
        adversary_in_words: "sees every message of every round and knows everything but the records and the noise"
            .into(),
        sensitivity: PlannedSensitivity {
            value: Some(0.002_345_6),
            norm: "L2".into(),
            l1: Some(0.008_125_6),
            derivation: "step(t) * s * D*, with s = parties / records = 0.000868; D*(P, Q) = 5.404 for P = R_x^2 B = \
                         4.5 and Q = R_x R_y = 1.5; L1 = sqrt(12) L2"
                .into(),
        },
        mechanism: "laplace".into(),
        grid: None,
        noise_in_words: None,
        noise: (0..299).map(|t| 0.5 * 0.99_f64.powi(t)).collect(),
        step: vec![0.25; 300],
        dual_weights: None,
        objective: None,
        delta: 1e-6,
        epsilon: Epsilons {
            published: Some(451.234),
            pure: Some(12.345_61),
            zcdp: Some(0.987_61),
            rdp: None,
            best: Some(least(0.912_31)),
        },
        epsilon_all_lanes: Epsilons {
            published: Some(1804.936),
            pure: Some(49.382),
            zcdp: Some(2.1117),
            rdp: None,
            best: Some(least(1.956)),
        },
        budget: Some(PlannedBudget { epsilon: 1.25, delta: 1e-6 }),
        resources: None,
        bounds: crate::config::BoundsConfig::Declared,
        warnings: vec![],
        remarks: vec![
            "The scale was calibrated to 80 % of the budget.".into(),
            "Record counts are declared in the file and public.".into(),
        ],
    }
}

fn least(epsilon: f64) -> Tightest {
    Tightest { epsilon, method: "pld".into() }
}

fn graph() -> PlannedGraph {
    PlannedGraph {
        family: "torus".into(),
        options: "rows = 4, cols = 4".into(),
        edges: 32,
        weights: "metropolis".into(),
        sequence: None,
        lambda: Some(0.6),
        gap: Some(0.4),
        lambda_in_words: "the second largest singular value of the weights".into(),
    }
}

pub(super) fn summary() -> Summary {
    let score = |r2: f64| Score::Regression { r2, rmse: 512.5 * (1.0 - r2).sqrt() };
    Summary {
        name: "quickstart".into(),
        digest: "3f9ac2d17be04c55".into(),
        versions: Versions { dido: "0.1.0".into(), build: None },
        results: "results/quickstart/3f9ac2d17be04c55".into(),
        non_private: None,
        nodes: 16,
        graph: graph(),
        rounds: 300,
        planned_rounds: 300,
        averaging_rounds: 40,
        messages: 21_760,
        bytes: 2_088_960,
        lanes: 4,
        seeds: Seeds { noise: Seed::Number(20_240_229), held_out: 1, partition: None, graph: None, sequence: None },
        adjacency: "replace-record".into(),
        adversary: "all-messages".into(),
        delta: 1e-6,
        epsilon: plan().epsilon,
        epsilon_all_lanes: plan().epsilon_all_lanes,
        accountings: vec![],
        measured: vec![],
        metrics: Metrics {
            private: score(0.3812),
            optimum: score(0.4123),
            best_alone: score(0.3345),
            median_alone: score(0.2156),
            constant: score(-0.0011),
            objective: None,
        },
        bound: None,
        lane_scores: [0.3801, 0.3822, 0.3790, 0.3835].map(score).to_vec(),
        consensus_error: 0.001_234,
        coefficients: vec![
            Coefficient { name: "intercept".into(), private: 1203.25, optimum: 1188.5 },
            Coefficient { name: "age".into(), private: 17.75, optimum: 18.125 },
            Coefficient { name: "sex = female".into(), private: -0.004_567, optimum: 0.0 },
        ],
        records: (0..16).map(|i| 1000 + 20 * i).collect(),
        held_out: Some(4608),
        clipped: vec![Clipped { column: "income".into(), count: 37 }, Clipped { column: "age".into(), count: 0 }],
        timing: Timing { wall_seconds: 1.8349, cpu_seconds: 3.2 },
        not_covered: vec!["metrics".into()],
    }
}

/// A run that starts badly and settles at the score of [`summary`].
pub(super) fn trace() -> Vec<TracePoint> {
    (0..=60)
        .map(|k| {
            let t = f64::from(k);
            TracePoint {
                round: 5 * k,
                epsilon: Some(0.98761 * (t / 60.0).sqrt()),
                merit: 0.3812 - 9.0 * (-t / 4.0).exp() + 0.01 * (1.7 * t).sin() * (1.0 - t / 60.0),
                distance: 0.08 + 1.2 * (-t / 7.0).exp(),
                consensus_error: if k == 0 { 0.0 } else { 0.001_234 + 0.03 * (-t / 15.0).exp() },
            }
        })
        .collect()
}
