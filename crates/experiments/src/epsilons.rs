//! What a ledger is worth, by several accountings.

use std::collections::HashMap;

use dido_mechanisms::{Accountant, Best, Bound, ClassLedger, Entry, Gdp, Ledger, MechanismError, Pure, Rdp, Zcdp};
use dido_optimizers::Noise;

use crate::error::ExperimentError;
use crate::records::{Epsilons, Tightest};
use crate::spec::Spec;

/// With more different events, those of each class counted, the tightest bound is left out: each takes a privacy loss
/// distribution, and so some milliseconds.
const MOST_EVENTS: usize = 1000;

/// Epsilon of `copies` independent runs with this ledger, by every accounting a report shows.
///
/// # Errors
/// If an event makes no sense.
pub fn epsilons(spec: &Spec, ledger: &Ledger, noise: &Noise, copies: usize) -> Result<Epsilons, ExperimentError> {
    let ledger = dominating(&repeated(ledger, copies));
    let zcdp = supported(Zcdp::default().bound(&ledger, spec.delta))?;
    let rdp = if zcdp.is_some() { None } else { supported(Rdp::default().bound(&ledger, spec.delta))? };
    let least = tightest(&ledger, spec.delta)?.filter(|bound| bound.epsilon.is_finite());
    Ok(Epsilons {
        published: spec.method.published_epsilon(spec, noise).map(|epsilon| epsilon * copies as f64),
        pure: supported(Pure.bound(&ledger, 0.0))?.as_ref().and_then(finite),
        zcdp: zcdp.as_ref().and_then(finite),
        rdp: rdp.as_ref().and_then(finite),
        best: least.map(|bound| Tightest { epsilon: bound.epsilon, method: bound.method }),
    })
}

/// Epsilon of a run so far, by zCDP, or by Rényi divergences where that does not cover it, or by the least of all accountings where
/// neither does: what a trace shows.
///
/// # Errors
/// If an event makes no sense.
pub fn spent(spec: &Spec, ledger: &Ledger) -> Result<Option<f64>, ExperimentError> {
    let ledger = dominating(ledger);
    let found = match supported(Zcdp::default().bound(&ledger, spec.delta))? {
        Some(bound) => Some(bound),
        None => supported(Rdp::default().bound(&ledger, spec.delta))?,
    };
    match found.as_ref().and_then(finite) {
        Some(epsilon) => Ok(Some(epsilon)),
        None => Ok(tightest(&ledger, spec.delta)?.as_ref().and_then(finite)),
    }
}

/// The least valid epsilon of dominating classes; nothing if there are too many different events.
///
/// # Errors
/// If an event makes no sense, or no accountant covers the ledger.
pub fn tightest(ledger: &Ledger, delta: f64) -> Result<Option<Bound>, MechanismError> {
    if is_quick(ledger, delta, MOST_EVENTS) { Best.bound(ledger, delta).map(Some) } else { Ok(None) }
}

/// Whether the best accountant takes few steps: there are at most `most` different events, or all noise is Gaussian and there
/// is a formula, or delta is 0.
pub fn is_quick(ledger: &Ledger, delta: f64, most: usize) -> bool {
    let events: usize = ledger.classes.iter().map(|class| class.entries.len()).sum();
    events <= most || delta <= 0.0 || Gdp.bound(ledger, delta).is_ok()
}

/// The classes that can have the largest epsilon, each with its equal events in one entry: accountants know no order, and
/// of two classes with the same events one is worse if it has at least as many of each.
pub fn dominating(ledger: &Ledger) -> Ledger {
    let mut kept: Vec<ClassLedger> = vec![];
    for class in ledger.classes.iter().map(merged) {
        if !kept.iter().any(|other| dominates(other, &class)) {
            kept.retain(|other| !dominates(&class, other));
            kept.push(class);
        }
    }
    Ledger { classes: kept, ..ledger.clone() }
}

/// The same releases, those of one event in one entry.
fn merged(class: &ClassLedger) -> ClassLedger {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut entries: Vec<Entry> = vec![];
    let mut place = 0;
    for entry in &class.entries {
        // Most often it is the event of the entry before, and needs no name.
        if entries.get(place).is_none_or(|known| known.event != entry.event) {
            place = *places.entry(format!("{:?}", entry.event)).or_insert(entries.len());
        }
        match entries.get_mut(place) {
            Some(known) => {
                known.last = known.last.max(entry.last);
                known.releases += entry.releases;
            }
            None => entries.push(*entry),
        }
    }
    ClassLedger { nodes: class.nodes.clone(), entries }
}

/// Whether merged `class` has all the events of `other`, each at least as often.
fn dominates(class: &ClassLedger, other: &ClassLedger) -> bool {
    let (many, few) = (&class.entries, &other.entries);
    many.len() >= few.len()
        && few.iter().enumerate().all(|(k, entry)| {
            // Classes of one run meet their events in about the same order.
            let same = |known: &&Entry| known.event == entry.event;
            let found = many.get(k).filter(same).or_else(|| many.iter().find(same));
            found.is_some_and(|known| known.releases >= entry.releases)
        })
}

/// Nothing where an accountant does not cover the ledger.
fn supported(found: Result<Bound, MechanismError>) -> Result<Option<Bound>, MechanismError> {
    match found {
        Err(MechanismError::Unsupported { .. }) => Ok(None),
        found => found.map(Some),
    }
}

fn finite(bound: &Bound) -> Option<f64> {
    Some(bound.epsilon).filter(|epsilon| epsilon.is_finite())
}

/// The ledger of so many independent runs.
pub fn repeated(ledger: &Ledger, copies: usize) -> Ledger {
    let mut all = ledger.clone();
    for entry in all.classes.iter_mut().flat_map(|class| &mut class.entries) {
        entry.releases *= copies as u64;
    }
    all
}

#[cfg(test)]
mod tests {
    use dido_mechanisms::{Adjacency, Adversary, Event, Norm, Sensitivity};

    use super::*;

    /// Whatever an accountant says of a ledger it says of the classes that are left, which are few.
    #[test]
    fn the_dominating_classes_have_the_epsilon_of_all() {
        let sensitivity = Sensitivity::new(1.0, Norm::L2, Adjacency::ReplaceRecord).unwrap();
        let event = |sigma: f64| Event::Gaussian { sensitivity, sigma };
        let class_of: Vec<usize> = (0..5).collect();
        let mut ledger = Ledger::new(Adjacency::ReplaceRecord, Adversary::AllMessages, &class_of);
        for (class, releases) in [
            &[(9.0, 4), (5.0, 2)][..],
            &[(9.0, 3)],
            &[(9.0, 5), (5.0, 1), (9.0, 2)],
            &[(5.0, 2), (9.0, 4)],
            &[(7.0, 1)],
        ]
        .iter()
        .enumerate()
        {
            releases.iter().for_each(|&(sigma, count)| ledger.classes[class].push(event(sigma), count));
        }
        let few = dominating(&ledger);
        // Node 1 has less than node 0, and node 3 the same; nodes 2 and 4 have what no other has.
        let nodes: Vec<usize> = few.classes.iter().map(|class| class.nodes[0]).collect();
        assert_eq!(nodes, [0, 2, 4]);
        let merged: Vec<u64> = few.classes[1].entries.iter().map(|entry| entry.releases).collect();
        assert_eq!(merged, [7, 1]);
        let accountants: [&dyn Accountant; 3] = [&Zcdp::default(), &Rdp::default(), &Gdp];
        for accountant in accountants {
            let of = |ledger: &Ledger| accountant.bound(ledger, 1e-5).unwrap().epsilon;
            assert!((of(&few) / of(&ledger) - 1.0).abs() < 1e-12, "{}", accountant.name());
        }
    }
}
