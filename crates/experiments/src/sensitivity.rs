//! The sensitivity that a plan states, and where it comes from in words.

use dido_mechanisms::{Adjacency, Event, Ledger, Sensitivity, least_squares};
use dido_optimizers::{Look, Sampling};
use dido_problems::Loss;

use crate::config::WeightingConfig;
use crate::records::PlannedSensitivity;
use crate::report::significant;
use crate::spec::Spec;

/// The largest sensitivity of a release, over rounds and classes of nodes, and its derivation.
pub fn sensitivity(spec: &Spec, ledger: &Ledger) -> PlannedSensitivity {
    let dim = spec.method.released_coordinates(spec.declaration.dim());
    let events = ledger.classes.iter().flat_map(|class| class.entries.iter().map(|entry| entry.event));
    let largest = events
        .filter_map(of)
        .map(|sensitivity| (sensitivity.l2(), sensitivity.l1(dim)))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    PlannedSensitivity {
        value: largest.map(|(l2, _)| l2),
        norm: "L2".to_owned(),
        l1: largest.map(|(_, l1)| l1),
        derivation: derivation(spec) + if is_rounded(ledger) { "; rounding to the grid comes on top" } else { "" },
    }
}

/// The sensitivity of a release; of a sample, that of a record in it.
pub(crate) fn of(event: Event) -> Option<Sensitivity> {
    match event {
        Event::Laplace { sensitivity, .. } | Event::Gaussian { sensitivity, .. } => Some(sensitivity),
        Event::DiscreteLaplace(noise) | Event::DiscreteGaussian(noise) => Some(noise.in_units()),
        Event::Sampled { base, .. } => of(base.into()),
        _ => None,
    }
}

/// Whether releases are on a grid.
fn is_rounded(ledger: &Ledger) -> bool {
    let on_grid = |event: Event| matches!(event, Event::DiscreteLaplace(_) | Event::DiscreteGaussian(_));
    let mut entries = ledger.classes.iter().flat_map(|class| &class.entries);
    entries.any(|entry| match entry.event {
        Event::Sampled { base, .. } => on_grid(base.into()),
        event => on_grid(event),
    })
}

/// How the sensitivity follows from what is declared, for the party where it is largest.
fn derivation(spec: &Spec) -> String {
    let (declaration, method) = (&spec.declaration, &spec.method);
    if let Some(words) = method.sensitivity_in_words(spec) {
        return words;
    }
    let (radius, adjacency, dim) = (radius(spec), spec.config.privacy.adjacency, declaration.dim());
    let look = Look { sampling: method.sampling(), ..Look::at_all(radius) };
    let bounds = declaration.l2_of_look_by_class(adjacency, look);
    let (step, ending) =
        (if method.step_of_release().is_some() { "step(t) * " } else { "" }, format!("L1 = sqrt({dim}) L2"));
    // What clipping does not shorten keeps the bound it has.
    if let Some(norm) = method.clip().filter(|norm| bounds.iter().any(|bound| *bound > 2.0 * norm)) {
        return format!("{step}2 C, with gradients clipped to C = {}; {ending}", significant(norm));
    }
    if method.record_clip().is_none() && bounds.iter().any(|bound| !bound.is_finite()) {
        return "none: the points are not confined to a bounded set".to_owned();
    }
    let of_party = |&records: &usize| {
        let scale = declaration.scale(records);
        let (factor, width) = width_in_words(spec, records);
        (scale * width.0 * method.sampling().weight(records), records, scale, factor, width.1)
    };
    let largest = declaration.records().iter().map(of_party).max_by(|a, b| a.0.total_cmp(&b.0));
    largest.map_or(String::new(), |(_, records, scale, factor, width)| {
        let scale = match spec.config.objective.weighting {
            WeightingConfig::Pooled => format!("s = parties / records = {}", significant(scale)),
            WeightingConfig::NodeMean => format!("s = 1 / records of the party = {}", significant(scale)),
            WeightingConfig::Sum => format!("s = {}", significant(scale)),
        };
        let (drawn, sample) = sample_in_words(method.sampling(), records);
        format!("{step}s{drawn} * {factor}, with {scale}{sample}; {width}; {ending}")
    })
}

/// What the sum over a sample is multiplied with, and what that is.
fn sample_in_words(sampling: Sampling, records: usize) -> (String, String) {
    let drawn = |what: &str| format!("; q = {records}, the records of the party, of which {what}");
    match sampling {
        Sampling::All => (String::new(), String::new()),
        Sampling::OneRecord => (" * q".to_owned(), drawn("one is drawn")),
        Sampling::HiddenOneRecord(_) => (" * q".to_owned(), drawn("one is drawn if its coin says so")),
        Sampling::Records(count) => (format!(" * q / {count}"), drawn(&format!("{count} are drawn"))),
        Sampling::Poisson(rate) => {
            let words = format!("; rate = {}, the probability of a record to be drawn", significant(rate));
            (" / rate".to_owned(), words)
        }
    }
}

/// A bound on the points at which gradients are taken: they are clipped where there is none.
fn radius(spec: &Spec) -> f64 {
    if spec.method.clip().is_some() { f64::INFINITY } else { spec.method.set().radius() }
}

/// How far the unscaled gradient moves: the name of the width, its value, and that in terms of the declared bounds.
fn width_in_words(spec: &Spec, records: usize) -> (&'static str, (f64, String)) {
    let radius = radius(spec);
    // What is not looked at can be replaced at will.
    let records = spec.method.sampling().most(records);
    let adjacency = match spec.config.privacy.adjacency {
        Adjacency::ReplaceNode if spec.method.is_sampled() && records == 1 => Adjacency::ReplaceRecord,
        adjacency => adjacency,
    };
    let whole = unclipped_width(spec, adjacency, records, radius);
    let Some(clip) = spec.method.record_clip() else { return whole };
    let (name, width) = match adjacency {
        Adjacency::ReplaceNode => ("2 n C", 2.0 * records as f64 * clip),
        Adjacency::ReplaceRecord => ("2 C", 2.0 * clip),
        Adjacency::AddRemoveRecord => ("C", clip),
    };
    let words = format!("C = {}, to which the gradient of each record is clipped", significant(clip));
    // What clipping does not shorten keeps the bound it has.
    if width < whole.1.0 || !radius.is_finite() { (name, (width, words)) } else { whole }
}

/// The same without a clip.
fn unclipped_width(spec: &Spec, adjacency: Adjacency, records: usize, radius: f64) -> (&'static str, (f64, String)) {
    let declaration = &spec.declaration;
    let bounds @ (x, y) = (declaration.bounds().row_norm(), declaration.bounds().target());
    if declaration.loss() == Loss::Squared {
        let width = width(adjacency, bounds, records, radius, declaration.dim());
        let (factor, words) = phrase(adjacency, bounds, records, radius, width);
        return (factor, (width, words));
    }
    let (gradients, slope) = (rows(adjacency, records), declaration.loss().largest_slope(x * radius, y));
    let lengths = if adjacency == Adjacency::AddRemoveRecord { 1.0 } else { 2.0 };
    let width = lengths * gradients * x * slope;
    let words = format!("R_x = {} and g = {}, the largest slope of the loss", significant(x), significant(slope));
    match adjacency {
        Adjacency::ReplaceNode => ("2 n R_x g", (width, format!("{words}; n = {records}, its records"))),
        Adjacency::ReplaceRecord => ("2 R_x g", (width, words)),
        Adjacency::AddRemoveRecord => ("R_x g", (width, words)),
    }
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

    /// A loss of bounded slope, a clipped gradient, and a sample, with their factors written out. Rows have norm 2.
    #[test]
    fn other_losses_and_algorithms_have_their_own_derivation() {
        let huber = "objective.loss={ kind = 'huber', width = 0.5 }";
        let step = "set = { kind = 'l2-ball', radius = 0.7 }, step = { kind = 'constant', c = 0.5 }";
        let clipped = format!("algorithm={{ kind = 'pdop', {step}, at = {{ clipped = 0.3 }} }}");
        let projected = format!("algorithm={{ kind = 'pdop', {step} }}");
        let weights = "weights = { kind = 'growing-distance', gamma = 1 }";
        let one = format!("algorithm={{ kind = 'dual-averaging', sampling = 'one-record', {weights} }}");
        let all = format!("algorithm={{ kind = 'dual-averaging', {weights} }}");
        let s = 5.0 / 22_524.0;
        for (overrides, value, part) in [
            (&[huber, &projected][..], 0.5 * s * 2.0 * 2.0 * 0.5, "step(t) * s * 2 R_x g, with s"),
            (&[huber, &clipped], 0.5 * s * 2.0 * 2.0 * 0.5, "step(t) * s * 2 R_x g, with s"),
            (
                &["objective.weighting=sum", &clipped],
                0.5 * 2.0 * 0.3,
                "step(t) * 2 C, with gradients clipped to C = 0.3",
            ),
            (&[huber, &all], s * 2.0 * 2.0 * 0.5, "s * 2 R_x g, with s"),
            (&[huber, &one], 4505.0 * s * 2.0 * 2.0 * 0.5, "s * q * 2 R_x g, with s"),
            (&[huber, &all, "privacy.adjacency=replace-node"], 4505.0 * s * 2.0 * 2.0 * 0.5, "s * 2 n R_x g"),
            (&[huber, &one, "privacy.adjacency=replace-node"], 4505.0 * s * 2.0 * 2.0 * 0.5, "q = 4505"),
        ] {
            let found = planned(&[overrides, &["privacy.noise.mechanism=gaussian"]].concat());
            let PlannedSensitivity { value: Some(l2), derivation, .. } = &found else { panic!("{overrides:?}") };
            assert!((l2 / value - 1.0).abs() < 1e-12, "{overrides:?}: {l2} {value}");
            assert!(derivation.contains(part), "{overrides:?}: {derivation}");
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
