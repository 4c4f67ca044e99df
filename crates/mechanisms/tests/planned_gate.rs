//! A gate that keeps to a plan: what was planned leaves, and each way to deviate is refused before anything does.

use std::sync::Arc;

use dido_geometry::{Rows, Shape};
use dido_mechanisms::{
    Adjacency, Adversary, Batch, Gate, Gaussian, Key, Laplace, Ledger, Mechanism, MechanismError, Norm, Private,
};

const ADJACENCY: Adjacency = Adjacency::ReplaceRecord;
/// Nodes 0 and 2 share a ledger, node 1 has its own.
const CLASSES: [usize; 3] = [0, 1, 0];

/// A release: its round, the standard deviation of its noise, its sensitivity, and whether node 1 is awake.
type Release = (u32, f64, f64, bool);

/// A run of equal releases, one with more noise, a round without node 1, and two releases in one round.
const PLAN: [Release; 6] = [
    (0, 2.0, 0.5, true),
    (1, 2.0, 0.5, true),
    (2, 4.0, 0.5, true),
    (3, 4.0, 0.5, false),
    (4, 4.0, 0.5, true),
    (4, 4.0, 0.5, true),
];

fn release(gate: &mut Gate, (round, sigma, sensitivity, one): Release) -> Result<(), MechanismError> {
    let batch = Batch::all().of_nodes(Some(Arc::from([true, one, true])));
    let rows = Rows::zeros(Shape { nodes: 3, lanes: 1, dim: 2 });
    let value = Private::new(batch, rows, Arc::from([sensitivity, 2.0 * sensitivity]), Norm::L2, ADJACENCY);
    gate.release(round, Mechanism::Gaussian(Gaussian::new(sigma)?), value).map(|_| ())
}

fn plan() -> Ledger {
    let mut gate = Gate::plan(ADJACENCY, Adversary::AllMessages, &CLASSES, None);
    for planned in PLAN {
        release(&mut gate, planned).unwrap();
    }
    gate.ledger().clone()
}

fn simulated() -> Gate {
    let keys = (0..3).map(|node| Key::derive(1, node, 0)).collect();
    Gate::simulated(ADJACENCY, Adversary::AllMessages, &CLASSES, None, keys)
}

/// A gate that has let out the first `count` releases of the plan.
fn after(count: usize) -> Gate {
    let mut gate = simulated().with_plan(plan()).unwrap();
    for &planned in &PLAN[..count] {
        release(&mut gate, planned).unwrap();
    }
    gate
}

#[test]
fn what_was_planned_leaves() {
    assert_eq!(after(PLAN.len()).ledger(), &plan());
}

#[test]
fn every_deviation_is_refused_and_leaves_no_trace() {
    for (count, deviation, node) in [
        (0, (0, 1.9, 0.5, true), 0),  // other noise
        (0, (0, 2.0, 0.6, true), 0),  // another sensitivity
        (0, (1, 2.0, 0.5, true), 0),  // the first release left out
        (1, (0, 2.0, 0.5, true), 0),  // one more in the same round
        (1, (1, 4.0, 0.5, true), 0),  // the noise of a later round
        (1, (2, 4.0, 0.5, true), 0),  // a round left out, of a run that should not be over
        (2, (2, 2.0, 0.5, true), 0),  // a run that goes on too long
        (3, (3, 4.0, 0.5, true), 1),  // a node that should sleep
        (4, (5, 4.0, 0.5, true), 0),  // too late
        (6, (4, 4.0, 0.5, true), 0),  // after the plan, in the last round
        (6, (5, 4.0, 0.5, false), 0), // after the plan, in another one
    ] {
        let mut gate = after(count);
        let before = gate.ledger().clone();
        let found = release(&mut gate, deviation);
        let expected = (deviation.0, node);
        assert!(
            matches!(found, Err(MechanismError::OffPlan { round, node }) if (round, node) == expected),
            "{count}, {deviation:?}: {found:?}"
        );
        assert_eq!(gate.ledger(), &before);
        // What was planned can still leave.
        if let Some(&planned) = PLAN.get(count) {
            release(&mut gate, planned).unwrap();
        }
    }
}

#[test]
fn a_node_that_slept_although_it_should_not_is_refused_at_its_next_release() {
    let mut gate = after(1);
    release(&mut gate, (1, 2.0, 0.5, false)).unwrap();
    let found = release(&mut gate, (2, 4.0, 0.5, true));
    assert!(matches!(found, Err(MechanismError::OffPlan { round: 2, node: 1 })), "{found:?}");
}

#[test]
fn another_mechanism_and_no_noise_are_refused() {
    for mechanism in [Mechanism::None, Mechanism::Laplace(Laplace::new(2.0).unwrap())] {
        let rows = Rows::zeros(Shape { nodes: 3, lanes: 1, dim: 2 });
        let value = Private::new(Batch::all(), rows, Arc::from([0.5, 1.0]), Norm::L2, ADJACENCY);
        let found = after(0).release(0, mechanism, value);
        assert!(matches!(found, Err(MechanismError::OffPlan { round: 0, node: 0 })));
    }
}

#[test]
fn a_plan_fits_the_nodes_and_what_has_left() {
    let other = Gate::plan(ADJACENCY, Adversary::AllMessages, &[0, 1, 1], None).ledger().clone();
    assert!(matches!(simulated().with_plan(other), Err(MechanismError::OtherLedger)));
    let mut begun = simulated();
    release(&mut begun, (0, 3.0, 0.5, true)).unwrap();
    assert!(matches!(begun.with_plan(plan()), Err(MechanismError::OffPlan { round: 0, node: 0 })));
}

#[test]
fn only_a_beginning_of_the_plan_is_resumed() {
    for count in 0..=PLAN.len() {
        let (ledger, round) = (after(count).ledger().clone(), count.checked_sub(1).map_or(0, |last| PLAN[last].0 + 1));
        let mut gate = simulated().with_plan(plan()).unwrap();
        gate.resume(ledger, round).unwrap();
        // The last round has two releases: it is over only after both.
        if count != 5 {
            for &planned in &PLAN[count..] {
                release(&mut gate, planned).unwrap();
            }
        }
    }
    // Other noise in round 1; nothing in round 1, so that the run of round 0 is over too early.
    for (deviation, round) in [((1, 3.0, 0.5, true), 1), ((2, 4.0, 0.5, true), 2)] {
        let mut off = simulated();
        release(&mut off, PLAN[0]).unwrap();
        release(&mut off, deviation).unwrap();
        let found = simulated().with_plan(plan()).unwrap().resume(off.ledger().clone(), 3);
        assert!(matches!(found, Err(MechanismError::OffPlan { round: r, node: 0 }) if r == round), "{found:?}");
    }
}
