//! Paper C: what a clipped gradient costs. The theorems about it are in the crate `dido-theorems`.

use dido_geometry::{L2Ball, Set};
use dido_mechanisms::{Adjacency, Adversary, Event};
use dido_optimizers::{At, Declaration, Noise, Pdop, Schedule, Stop, plan};
use dido_problems::{RecordBounds, Weighting};

/// Clipping bounds the sensitivity at any point, also outside of every set.
#[test]
fn a_clipped_gradient_moves_by_twice_the_norm() {
    let bounds = RecordBounds::new(1.0, 1.0).unwrap();
    let declaration = Declaration::least_squares(2, bounds, Weighting::Sum, vec![2; 3]).unwrap();
    let noise = Noise::Laplace(Schedule::constant(3.0));
    let ledger = |at: At| {
        plan(&declaration, Adjacency::ReplaceNode, Adversary::AllMessages, None, &noise, 2, |parties| {
            let set = Set::from(L2Ball::new(1.0).unwrap());
            Box::new(Pdop::new(set, Schedule::constant(0.5), at, parties.start(&[0.0, 0.0])))
        })
    };
    let clipped = ledger(At::Clipped(0.7)).unwrap();
    let Event::Laplace { sensitivity, .. } = clipped.classes[0].entries[0].event else { panic!() };
    assert!((sensitivity.l2() - 0.5 * 2.0 * 0.7).abs() < 1e-12);
    assert!((sensitivity.l1(2) - 2.0_f64.sqrt() * 0.7).abs() < 1e-12);
    assert!(matches!(ledger(At::Clipped(0.0)), Err(Stop::Mechanism(_))));
}
