//! The sensitivity that a plan states, and where it comes from in words.

use dido_mechanisms::{Adjacency, Event, Ledger, least_squares};

use crate::config::WeightingConfig;
use crate::records::PlannedSensitivity;
use crate::report::significant;
use crate::spec::Spec;

/// The largest sensitivity of a release, over rounds and classes of nodes, and its derivation.
pub fn sensitivity(spec: &Spec, ledger: &Ledger) -> PlannedSensitivity {
    let events = ledger.classes.iter().flat_map(|class| class.entries.iter().map(|entry| entry.event));
    let largest = events
        .filter_map(|event| match event {
            Event::Laplace { sensitivity, dim, .. } => Some((sensitivity.l2(), sensitivity.l1(dim))),
            _ => None,
        })
        .max_by(|a, b| a.0.total_cmp(&b.0));
    PlannedSensitivity {
        value: largest.map(|(l2, _)| l2),
        norm: "L2".to_owned(),
        l1: largest.map(|(_, l1)| l1),
        derivation: derivation(spec),
    }
}

/// How the sensitivity follows from what is declared, for the party where it is largest.
fn derivation(spec: &Spec) -> String {
    let radius = spec.set.radius();
    if !radius.is_finite() {
        return "none: the points are not confined to a bounded set".to_owned();
    }
    let declaration = &spec.declaration;
    let adjacency = spec.config.privacy.adjacency;
    let bounds = (declaration.bounds().row_norm(), declaration.bounds().target());
    declaration
        .records()
        .iter()
        .map(|&records| {
            let scale = declaration.scale(records);
            let width = width(adjacency, bounds, records, radius, declaration.dim());
            (scale * width, records, scale, width)
        })
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(String::new(), |(_, records, scale, width)| {
            let scale = match spec.config.objective.weighting {
                WeightingConfig::Pooled => format!("s = parties / records = {}", significant(scale)),
                WeightingConfig::NodeMean => format!("s = 1 / records of the party = {}", significant(scale)),
                WeightingConfig::Sum => format!("s = {}", significant(scale)),
            };
            let (factor, width) = phrase(adjacency, bounds, records, radius, width);
            format!("step(t) * s * {factor}, with {scale}; {width}; L1 = sqrt({}) L2", declaration.dim())
        })
}

/// What the relation changes, as multiples of a record: a whole node of `n` records has `||X||_2 <= sqrt(n) R_x`.
fn rows(adjacency: Adjacency, records: usize) -> f64 {
    match adjacency {
        Adjacency::ReplaceNode => records as f64,
        Adjacency::ReplaceRecord | Adjacency::AddRemoveRecord => 1.0,
    }
}

/// How far the unscaled gradient moves.
fn width(adjacency: Adjacency, (x, y): (f64, f64), records: usize, radius: f64, dim: usize) -> f64 {
    let root = rows(adjacency, records).sqrt();
    least_squares::l2_sensitivity(adjacency, x * root, y * root, radius, dim).map_or(f64::INFINITY, |s| s.value)
}

/// The name of the width, and its value in terms of the declared bounds.
fn phrase(adjacency: Adjacency, (x, y): (f64, f64), records: usize, radius: f64, width: f64) -> (&'static str, String) {
    let rows = rows(adjacency, records);
    let [p, q, width] = [x * x * radius * rows, x * y * rows, width].map(significant);
    match adjacency {
        Adjacency::ReplaceNode => (
            "D*",
            format!("D*(P, Q) = {width} for P = n R_x^2 B = {p} and Q = n R_x R_y = {q}; n = {records}, its records"),
        ),
        Adjacency::ReplaceRecord => ("D*", format!("D*(P, Q) = {width} for P = R_x^2 B = {p} and Q = R_x R_y = {q}")),
        Adjacency::AddRemoveRecord => {
            ("(P + Q)", format!("P + Q = {width} for P = R_x^2 B = {p} and Q = R_x R_y = {q}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{load, plan};

    fn planned(overrides: &[&str]) -> PlannedSensitivity {
        let overrides: Vec<String> = overrides.iter().map(|&s| s.to_owned()).collect();
        plan(&Spec::new(load("quickstart", &overrides).unwrap()).unwrap()).unwrap().plan.sensitivity
    }

    #[test]
    fn the_derivation_multiplies_to_the_value() {
        // step 0.5 and D*(2.8, 2) = 5.91297; replace-node: 4505 times as much.
        for (overrides, scale, width) in [
            (&["objective.weighting=sum"][..], 1.0, 5.912_97),
            // The smallest party weighs its records most, but the largest counts where a whole node is replaced.
            (&["objective.weighting=node-mean", "data.records.4=100"], 1.0 / 100.0, 5.912_97),
            (&["privacy.adjacency=replace-node"], 5.0 / 22_524.0, 4505.0 * 5.912_97),
        ] {
            let found = planned(&[overrides, &["algorithm.step.c=0.5"]].concat());
            let value = found.value.unwrap();
            assert!((value / (0.5 * scale * width) - 1.0).abs() < 1e-5, "{overrides:?}: {value}");
            for part in [significant(scale), significant(width)] {
                assert!(found.derivation.contains(&part), "{part} is not in {}", found.derivation);
            }
        }
    }

    #[test]
    fn each_relation_has_its_own_words() {
        let bounds = (2.0, 1.0);
        let of = |adjacency| {
            let width = width(adjacency, bounds, 100, 0.7, 9);
            phrase(adjacency, bounds, 100, 0.7, width)
        };
        let record = "D*(P, Q) = 5.913 for P = R_x^2 B = 2.8 and Q = R_x R_y = 2";
        assert_eq!(of(Adjacency::ReplaceRecord), ("D*", record.to_owned()));
        let node = "D*(P, Q) = 591.3 for P = n R_x^2 B = 280 and Q = n R_x R_y = 200; n = 100, its records";
        assert_eq!(of(Adjacency::ReplaceNode), ("D*", node.to_owned()));
        let added = "P + Q = 4.8 for P = R_x^2 B = 2.8 and Q = R_x R_y = 2";
        assert_eq!(of(Adjacency::AddRemoveRecord), ("(P + Q)", added.to_owned()));
    }
}
