//! Releases through the gate with Gaussian and with exact noise.

use std::sync::Arc;

use dido_geometry::{Rows, Shape};
use dido_mechanisms::{
    Adjacency, Adversary, Batch, Budget, DiscreteGaussian, DiscreteLaplace, Event, ExactNoise, Gate, Gaussian, Grid,
    Key, Laplace, Mechanism, MechanismError, Norm, Private, Purpose, Sampling, Sensitivity, Stream,
};

const SHAPE: Shape = Shape { nodes: 2, lanes: 1, dim: 3 };

fn keys() -> Vec<Key> {
    (0..2).map(|node| Key::derive(1, node, 0)).collect()
}

fn exact(budget: Option<Budget>) -> Gate {
    Gate::exact(Adjacency::ReplaceNode, Adversary::AllMessages, &[0, 0], budget, keys())
}

/// Rows of `x`, with an L1 sensitivity of 0.5.
fn private(x: f64) -> Private<'static> {
    let mut rows = Rows::zeros(SHAPE);
    rows.as_mut_slice().fill(x);
    Private::new(Batch::all(), rows, Arc::from([0.5]), Norm::L1, Adjacency::ReplaceNode)
}

fn sensitivity() -> Sensitivity {
    Sensitivity::new(0.5, Norm::L1, Adjacency::ReplaceNode).unwrap()
}

fn grid() -> Grid {
    Grid::for_sensitivity(sensitivity(), SHAPE.dim).unwrap()
}

fn discrete() -> (Mechanism, Mechanism) {
    let (laplace, gaussian) = (DiscreteLaplace::new(2.0, grid()), DiscreteGaussian::new(2.0, grid()));
    (
        Mechanism::DiscreteLaplace { noise: laplace.unwrap(), float_error: 1e-9 },
        Mechanism::DiscreteGaussian { noise: gaussian.unwrap(), float_error: 1e-9 },
    )
}

fn only_event(gate: &Gate) -> Event {
    assert_eq!(gate.ledger().classes[0].entries.len(), 1);
    gate.ledger().classes[0].entries[0].event
}

/// 0.5 grows by 3 steps and twice the float error, and is a whole number of steps then.
#[test]
fn the_ledger_carries_the_inflated_sensitivity() {
    let (laplace, gaussian) = discrete();
    let inflated = ((0.5 + 3.0 * grid().step() + 2e-9) / grid().step()).floor();
    for mechanism in [laplace, gaussian] {
        let mut gate = exact(None);
        gate.release(0, mechanism, private(0.1)).unwrap();
        let (Event::DiscreteLaplace(noise) | Event::DiscreteGaussian(noise)) = only_event(&gate) else {
            unreachable!("discrete noise")
        };
        assert!((noise.sensitivity as f64 - inflated).abs() <= 0.0, "{noise:?}");
        assert_eq!((noise.grid, noise.norm, noise.dim, noise.adjacency), (grid(), Norm::L1, 3, Adjacency::ReplaceNode));
        let scale = noise.scale as f64 * grid().step();
        assert!((2.0..2.0 + grid().step()).contains(&scale));
    }
}

/// The released numbers are those of the sampler, on the grid, and a plan writes the same ledger.
#[test]
fn an_exact_gate_releases_what_the_sampler_gives() {
    let (laplace, _) = discrete();
    let Mechanism::DiscreteLaplace { noise, .. } = laplace else { unreachable!("made above") };
    let mut gate = exact(None);
    let mut plan = Gate::plan(Adjacency::ReplaceNode, Adversary::AllMessages, &[0, 0], None);
    for (round, draw) in [(0, 0), (0, 1), (1, 0)] {
        let released = gate.release(round, laplace, private(0.1)).unwrap();
        let mut expected = Rows::zeros(SHAPE);
        expected.as_mut_slice().fill(0.1);
        noise.add_keyed(&keys(), Stream::new(round, Purpose::Noise, draw).unwrap(), &mut expected).unwrap();
        assert_eq!(released.rows().as_slice(), expected.as_slice());
        assert!(released.rows().as_slice().iter().all(|x| (x / grid().step()).fract().abs() <= 0.0));
        assert!(plan.release(round, laplace, private(0.1)).unwrap().rows().as_slice().iter().all(|x| x.abs() <= 0.0));
    }
    assert_eq!(gate.ledger(), plan.ledger());
}

#[test]
fn an_exact_gate_refuses_floating_point_noise_and_charges_nothing() {
    let mut gate = exact(None);
    for mechanism in [Mechanism::Laplace(Laplace::new(1.0).unwrap()), Mechanism::Gaussian(Gaussian::new(1.0).unwrap())]
    {
        assert_eq!(gate.release(0, mechanism, private(0.0)).unwrap_err(), MechanismError::FloatingPoint);
    }
    assert!(gate.ledger().classes[0].entries.is_empty());
}

/// (0.5 / 2)^2 / 2 is a rho of 0.03125; a budget of rho 0.05 or so admits one such release.
#[test]
fn the_budget_stops_exact_noise() {
    let (_, gaussian) = discrete();
    let mut gate = exact(Some(Budget::new(1.2, 1e-5).unwrap()));
    let released = (0..100).take_while(|round| gate.release(*round, gaussian, private(0.1)).is_ok()).count();
    assert_eq!(gate.ledger().classes[0].entries.iter().map(|e| e.releases).sum::<u64>(), released as u64);
    assert!((1..4).contains(&released), "{released}");
}

#[test]
fn what_is_not_finite_does_not_leave() {
    let (laplace, gaussian) = discrete();
    for mechanism in [laplace, gaussian, Mechanism::None] {
        for x in [f64::NAN, f64::INFINITY] {
            let refused = exact(None).release(0, mechanism, private(x)).unwrap_err();
            assert_eq!(refused, MechanismError::NonFinite { round: 0, node: 0, lane: 0, coordinate: 0 });
        }
    }
}

/// The event is a Gaussian one, and what leaves is the sampler's noise.
#[test]
fn a_simulated_gate_releases_gaussian_noise() {
    let mut gate = Gate::simulated(Adjacency::ReplaceNode, Adversary::AllMessages, &[0, 0], None, keys());
    let gaussian = Gaussian::new(3.0).unwrap();
    let released = gate.release(0, Mechanism::Gaussian(gaussian), private(0.1)).unwrap();
    let mut expected = Rows::zeros(SHAPE);
    expected.as_mut_slice().fill(0.1);
    gaussian.add_simulated(&keys(), Stream::new(0, Purpose::Noise, 0).unwrap(), &mut expected).unwrap();
    assert_eq!(released.rows().as_slice(), expected.as_slice());
    assert_eq!(only_event(&gate), Event::Gaussian { sensitivity: sensitivity(), sigma: 3.0 });
}

/// Lanes repeat a release on the same data, which the ledger counts once.
#[test]
fn an_exact_gate_has_one_lane() {
    let (laplace, _) = discrete();
    let rows = Rows::zeros(Shape { nodes: 2, lanes: 2, dim: 3 });
    let value = Private::new(Batch::all(), rows, Arc::from([0.5]), Norm::L1, Adjacency::ReplaceNode);
    let mut gate = exact(None);
    assert!(matches!(gate.release(0, laplace, value), Err(MechanismError::Lanes(2))));
    assert_eq!(gate.ledger().releases_per_node(), 0);
}

/// Whoever sees all messages sees who is active, however much budget is left.
#[test]
fn hidden_activation_is_refused_before_anything_leaves() {
    let (laplace, _) = discrete();
    let budget = Some(Budget::new(10.0, 1e-5).unwrap());
    let sampling = Sampling::HiddenOneOf { activation: 0.001, population: 1 };
    let batch = Batch::sampled([sampling].as_slice().into());
    let value = Private::new(batch, Rows::zeros(SHAPE), Arc::from([0.5]), Norm::L1, Adjacency::ReplaceRecord);
    let mut gate = Gate::exact(Adjacency::ReplaceRecord, Adversary::AllMessages, &[0, 0], budget, keys());
    assert!(matches!(gate.release(0, laplace, value), Err(MechanismError::ActivationSeen(_))));
    assert_eq!(gate.ledger().releases_per_node(), 0);
}

/// The bound on the rounding enters the event, twice, and a second one in its place does not.
#[test]
fn the_bound_of_a_value_cannot_be_talked_down() {
    let step = grid().step();
    let discrete =
        |float_error| Mechanism::DiscreteLaplace { noise: DiscreteLaplace::new(2.0, grid()).unwrap(), float_error };
    let sensitivity = |value: Private<'_>, float_error| {
        let mut gate = exact(None);
        gate.release(0, discrete(float_error), value).unwrap();
        let Event::DiscreteLaplace(noise) = only_event(&gate) else { unreachable!("discrete noise") };
        noise.sensitivity
    };
    let declared = sensitivity(private(0.1), 100.0 * step);
    let carried = private(0.1).on_grid(grid(), Arc::from([100.0 * step]));
    assert_eq!(sensitivity(carried.on_grid(grid(), Arc::from([0.0])), 0.0), declared);
    assert_eq!(sensitivity(private(0.1), 0.0) + 200, declared);
    let elsewhere = private(0.1).on_grid(Grid::new(-3).unwrap(), Arc::from([0.0]));
    let refused = exact(None).release(0, discrete(0.0), elsewhere);
    assert!(matches!(refused, Err(MechanismError::OtherGrid { .. })));
}
