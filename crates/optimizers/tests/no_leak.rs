//! What the types cannot forbid: reading the buffer of a private value after it is gone.
//!
//! Buffers are recycled, and a public value can ask for one. A private value that is dropped, refused or found not to be
//! finite must therefore leave nothing behind in it.

mod common;

use common::{Problem, problem};
use dido_mechanisms::{Adjacency, Budget, Public};
use dido_optimizers::{Algorithm, InProcess, Node, Noise, Parties, Sampling, Schedule, Stop, run};
use dido_problems::Weighting;
use dido_topology::{families, weights};

/// Tries to get at a gradient, and keeps the recycled buffers it finds.
struct Thief {
    x: Public,
    release: bool,
    found: Vec<f64>,
}

impl Algorithm for Thief {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        let all = node.sample(Sampling::All)?;
        if let Ok(g) = node.gradient(&self.x, all)
            && self.release
        {
            assert!(node.release(g).is_err(), "the budget is far too small");
        }
        // More buffers than the pool can hold: every recycled one is among them.
        let buffers: Vec<_> = (0..10).map(|_| self.x.rows().uninitialised_like()).collect();
        self.found.extend(buffers.iter().flat_map(|rows| rows.as_slice().iter().filter(|x| !x.is_nan())));
        Ok(())
    }

    fn estimate(&self) -> &Public {
        &self.x
    }

    fn state(&mut self) -> Vec<&mut Public> {
        vec![&mut self.x]
    }
}

fn loot(problem: &Problem, parties: &mut Parties, start: f64, project: bool, release: bool) -> Vec<f64> {
    let mut x = parties.start(&[start; 3]);
    if project {
        x.project(&problem.ball);
    }
    let mut thief = Thief { x, release, found: vec![] };
    let mut network = InProcess::new(weights::metropolis(&families::ring(4).unwrap()));
    let noise = if release { Noise::Laplace(Schedule::constant(1.0)) } else { Noise::None };
    run(&mut thief, parties, &mut network, &noise, 0..3, |_, _, _| true).unwrap();
    assert_eq!(parties.gate().ledger().releases_per_node(), 0);
    thief.found
}

#[test]
fn a_private_value_leaves_nothing_in_its_buffer() {
    let tiny = Some(Budget::new(1e-6, 1e-5).unwrap());
    // Dropped; refused by the budget; overflowed in some coordinates (the sum of six records, not their mean).
    for (start, project, release, weighting) in [
        (0.1, true, false, Weighting::Pooled),
        (0.1, true, true, Weighting::Pooled),
        (1.7e308, false, false, Weighting::Sum),
    ] {
        let problem = problem(3, 4, 6, 3, weighting);
        let mut parties = problem.parties(1, Adjacency::ReplaceRecord, tiny.filter(|_| release), 1);
        let found = loot(&problem, &mut parties, start, project, release);
        assert!(!found.is_empty(), "the buffers of the gradients come back");
        assert!(found.iter().all(|x| x.abs() < 1e-300), "start {start}, release {release}: {found:?}");
    }
}
