//! What a ledger is worth, by several accountings.

use std::collections::HashMap;

use dido_mechanisms::{Accountant, Best, Bound, ClassLedger, Entry, Gdp, Ledger, MechanismError, Pure, Rdp, Zcdp};
use dido_optimizers::Noise;

use crate::error::ExperimentError;
use crate::records::{Accounting, Epsilons, Tightest};
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

/// The accountants whose epsilon a trace shows after every observed round of a run with this ledger: those that cover it and
/// are quick. Rényi divergences are asked where zCDP does not cover the noise, all others where neither has an answer.
///
/// # Errors
/// If an event makes no sense.
pub fn traced(spec: &Spec, ledger: &Ledger) -> Result<Vec<String>, ExperimentError> {
    let ledger = dominating(ledger);
    let found = |name: &str| bound_by(name, &ledger, spec.delta);
    let (pure, zcdp, gdp) = (found(PURE)?, found(ZCDP)?, found(GDP)?);
    let rdp = if zcdp.is_none() { found(RDP)? } else { None };
    let answered = [&zcdp, &rdp].into_iter().flatten().any(|bound| bound.epsilon.is_finite());
    let best = if answered { None } else { tightest(&ledger, spec.delta)?.filter(|bound| bound.epsilon.is_finite()) };
    let all = [(PURE, pure), (ZCDP, zcdp), (RDP, rdp), (GDP, gdp), (BEST, best)];
    Ok(all.into_iter().filter(|(_, bound)| bound.is_some()).map(|(name, _)| name.to_owned()).collect())
}

/// Epsilon of a run so far by these accountants; absent where it is infinite.
///
/// # Errors
/// If an event makes no sense.
pub fn so_far(spec: &Spec, ledger: &Ledger, names: &[String]) -> Result<Vec<Option<f64>>, ExperimentError> {
    let ledger = dominating(ledger);
    let of = |name: &String| Ok(bound_by(name, &ledger, spec.delta)?.as_ref().and_then(finite));
    names.iter().map(of).collect()
}

/// Epsilon of one run by every accountant, or why there is none.
///
/// # Errors
/// If an event makes no sense.
pub fn accountings(spec: &Spec, ledger: &Ledger) -> Result<Vec<Accounting>, ExperimentError> {
    let ledger = dominating(ledger);
    let few = ledger.classes.iter().map(|class| class.entries.len()).sum::<usize>() <= MOST_EVENTS;
    let all = if few { Best::all(&ledger, spec.delta) } else { Best::all_but_pld(&ledger, spec.delta) };
    let of = |(name, found): (&str, Result<Bound, MechanismError>)| {
        let (delta, epsilon, reason) = match found {
            Ok(bound) if bound.epsilon.is_finite() => (bound.delta, Some(bound.epsilon), None),
            Ok(bound) => (bound.delta, None, Some("it is infinite: the run is not private".to_owned())),
            Err(MechanismError::Unsupported { event, .. }) => {
                (spec.delta, None, Some(format!("it does not cover {event}")))
            }
            Err(error) => return Err(error),
        };
        Ok(Accounting { accountant: name.to_owned(), delta, epsilon, reason })
    };
    let mut all = all.into_iter().map(of).collect::<Result<Vec<_>, _>>()?;
    if !few {
        let reason = Some(format!("there are more than {MOST_EVENTS} different releases, which take long"));
        all.push(Accounting { accountant: "pld".to_owned(), delta: spec.delta, epsilon: None, reason });
    }
    Ok(all)
}

const PURE: &str = "pure";
const ZCDP: &str = "zcdp";
const RDP: &str = "rdp";
const GDP: &str = "gdp";
const BEST: &str = "best";

/// What the accountant of this name says; nothing if it does not cover the ledger.
fn bound_by(name: &str, ledger: &Ledger, delta: f64) -> Result<Option<Bound>, MechanismError> {
    match name {
        PURE => supported(Pure.bound(ledger, 0.0)),
        ZCDP => supported(Zcdp::default().bound(ledger, delta)),
        RDP => supported(Rdp::default().bound(ledger, delta)),
        GDP => supported(Gdp.bound(ledger, delta)),
        _ => tightest(ledger, delta),
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
