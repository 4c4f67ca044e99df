//! Algorithms that try to get past the gate, or to pay it less: what the types alone do not forbid.

use dido_mechanisms::{Adjacency, Adversary, Batch, Event, Gate, Key, Mechanism, MechanismError, Public};
use dido_optimizers::{Algorithm, Declaration, InProcess, Node, Noise, Parties, Sampling, Schedule, Stop, run};
use dido_problems::{Loss, RecordBounds, Shard, Weighting};
use dido_topology::{families, weights};
use ndarray::array;

/// Tries to let a gradient out through a gate of its own, without noise and without an entry in the ledger.
struct BringsAGate {
    x: Public,
}

impl Algorithm for BringsAGate {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        let all = node.sample(Sampling::All)?;
        let g = node.gradient(&self.x, all)?;
        let mut own = Gate::simulated(Adjacency::ReplaceNode, Adversary::AllMessages, &[0, 0], None, vec![]);
        self.x = own.release(0, Mechanism::None, g)?;
        Ok(())
    }

    fn estimate(&self) -> &Public {
        &self.x
    }

    fn state(&mut self) -> Vec<&mut Public> {
        vec![&mut self.x]
    }
}

/// Says that the record it looks at was drawn from a thousand million.
struct Understates {
    x: Public,
}

impl Algorithm for Understates {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        let batch = Batch::sampled([dido_mechanisms::Sampling::OneOf { population: 1_000_000_000 }].as_slice().into());
        let g = node.gradient(&self.x, batch)?;
        self.x = node.release(g)?;
        Ok(())
    }

    fn estimate(&self) -> &Public {
        &self.x
    }

    fn state(&mut self) -> Vec<&mut Public> {
        vec![&mut self.x]
    }
}

fn guarded(adjacency: Adjacency) -> Parties {
    let bounds = RecordBounds::new(1.0, 1.0).unwrap();
    let shard = Shard::checked(array![[1.0], [0.5]], array![0.5, 1.0], bounds).unwrap();
    let declaration = Declaration::new(Loss::Hinge, 1, bounds, Weighting::NodeMean, vec![2, 2]).unwrap();
    let keys = vec![Key::derive(1, 0, 0), Key::derive(1, 1, 0)];
    let gate = Gate::simulated(adjacency, Adversary::AllMessages, declaration.class_of(), None, keys);
    Parties::new(declaration, &[shard.clone(), shard], 1, gate).unwrap()
}

fn pair() -> InProcess {
    InProcess::new(weights::metropolis(&families::complete(2).unwrap()))
}

#[test]
fn no_algorithm_gets_past_the_gate_that_guards_the_data() {
    let mut parties = guarded(Adjacency::ReplaceNode);
    let mut algorithm = BringsAGate { x: parties.start(&[0.1]) };
    let noise = Noise::Gaussian(Schedule::constant(1.0));
    let stopped = run(&mut algorithm, &mut parties, &mut pair(), &noise, 0..1, |_, _, _| true);
    assert!(matches!(stopped, Err(Stop::Mechanism(MechanismError::OtherGate))));
    assert_eq!(algorithm.x.rows().as_slice(), [0.1, 0.1]);
}

#[test]
fn no_algorithm_decides_how_its_record_was_drawn() {
    let mut parties = guarded(Adjacency::ReplaceRecord);
    let mut algorithm = Understates { x: parties.start(&[0.0]) };
    let noise = Noise::Gaussian(Schedule::constant(1.0));
    run(&mut algorithm, &mut parties, &mut pair(), &noise, 0..1, |_, _, _| true).unwrap();
    let event = parties.gate().ledger().classes[0].entries[0].event;
    assert!(matches!(event, Event::Sampled { sampling: dido_mechanisms::Sampling::OneOf { population: 2 }, .. }));
    // Where records are added or removed, one of a fixed number hides nothing: nothing leaves.
    let mut parties = guarded(Adjacency::AddRemoveRecord);
    let mut algorithm = Understates { x: parties.start(&[0.0]) };
    let stopped = run(&mut algorithm, &mut parties, &mut pair(), &noise, 0..1, |_, _, _| true);
    assert!(matches!(stopped, Err(Stop::Mechanism(MechanismError::Sampling { .. }))));
}
