//! A number that is not finite stops the run at once, by the name of its node and round, and does not leave.

mod common;

use common::parties;
use dido_mechanisms::{Adjacency, MechanismError};
use dido_optimizers::{Algorithm, Declaration, Dgd, InProcess, Noise, ProjectedDgd, Schedule, Stop, run};
use dido_problems::{Loss, RecordBounds, Shard, Weighting};
use dido_topology::{families, weights};
use ndarray::array;

/// Four nodes on a path; only the last one has targets other than 0, so that it is the first to leave the origin.
fn shards(bounds: RecordBounds) -> Vec<Shard> {
    (0..4)
        .map(|node| {
            let y = if node == 3 { 1.0 } else { 0.0 };
            Shard::checked(array![[0.6, 0.8], [1.0, 0.0]], array![y, y], bounds).unwrap()
        })
        .collect()
}

#[test]
fn the_first_node_to_overflow_is_named_and_its_value_does_not_leave() {
    let bounds = RecordBounds::new(1.0, 1.0).unwrap();
    let declaration = Declaration::least_squares(2, bounds, Weighting::Sum, vec![2; 4]).unwrap();
    // Round 0 takes node 3 to 1e160, round 1 would take it to 1e320.
    let step = Schedule::constant(1e160);
    let network = || InProcess::new(weights::metropolis(&families::path(4).unwrap()));

    let mut all = parties(&declaration, &shards(bounds), 1, Adjacency::ReplaceRecord, None, 0);
    let mut dgd = Dgd::new(step.clone(), 0, all.start(&[0.0, 0.0]));
    let stop = run(&mut dgd, &mut all, &mut network(), &Noise::None, 0..9, |_, _, _| true);
    let Err(Stop::Mechanism(error)) = stop else { panic!("{stop:?}") };
    assert_eq!(error, MechanismError::NonFinite { round: 1, node: 3, lane: 0, coordinate: 0 });
    assert!(dgd.state().iter().all(|value| value.rows().as_slice().iter().all(|x| x.is_finite())));

    // The same step on a bounded set stays finite: projection is what keeps the points in range.
    let ball = dido_geometry::Set::from(dido_geometry::L2Ball::new(1.0).unwrap());
    let mut all = parties(&declaration, &shards(bounds), 1, Adjacency::ReplaceRecord, None, 0);
    let mut pdgd = ProjectedDgd::new(ball, Schedule::constant(1e100), 0, all.start(&[0.0, 0.0]));
    run(&mut pdgd, &mut all, &mut network(), &Noise::None, 0..9, |_, _, _| true).unwrap();
}

/// A gradient that overflows is found before it is released, and named as divergence.
#[test]
fn a_gradient_that_overflows_is_divergence() {
    let bounds = RecordBounds::new(1.0, 1.0).unwrap();
    let declaration = Declaration::least_squares(2, bounds, Weighting::Sum, vec![2; 4]).unwrap();
    let mut all = parties(&declaration, &shards(bounds), 1, Adjacency::ReplaceRecord, None, 0);
    let mut dgd = Dgd::new(Schedule::constant(1.0), 0, all.start(&[1.7e308, 1.7e308]));
    let mut network = InProcess::new(weights::metropolis(&families::path(4).unwrap()));
    let stop = run(&mut dgd, &mut all, &mut network, &Noise::None, 0..9, |_, _, _| true);
    assert!(matches!(stop, Err(Stop::Diverged { round: 0, node: 0, lane: 0, coordinate: 0 })), "{stop:?}");
}

/// Where noise is to hide the data, a stop does not say which node or coordinate overflowed: before the noise, that is data.
#[test]
fn with_noise_it_is_not_said_where() {
    let bounds = RecordBounds::new(1.0, 1.0).unwrap();
    let noise = Noise::Gaussian(Schedule::constant(1.0));
    // Predictions that overflow are found at the look, a step beyond the finite numbers at the gate.
    for (loss, step, start) in
        [(Loss::Logistic, 1.0, [-1.7e308, -1.7e308]), (Loss::Hinge, 0.5e308, [1.7e308, -1.7e308])]
    {
        let declaration = Declaration::new(loss, 2, bounds, Weighting::Sum, vec![2; 4]).unwrap();
        let stop_of = |noise: &Noise| {
            let mut all = parties(&declaration, &shards(bounds), 1, Adjacency::ReplaceRecord, None, 0);
            let mut dgd = Dgd::new(Schedule::constant(step), 0, all.start(&start));
            let mut network = InProcess::new(weights::metropolis(&families::path(4).unwrap()));
            run(&mut dgd, &mut all, &mut network, noise, 0..9, |_, _, _| true).unwrap_err()
        };
        let stop = stop_of(&noise);
        assert!(matches!(stop, Stop::Overflow { round: 0 }), "{loss:?}: {stop:?}");
        assert!(!stop.to_string().contains("node"), "{stop}");
        let stop = stop_of(&Noise::None);
        assert!(stop.to_string().contains("node"), "{stop}");
    }
}
