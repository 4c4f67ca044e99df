//! Noise that is taken out of the next message: against a node that keeps its private state, event by event, and the
//! likelihood of what it sends.

use std::sync::Arc;

use dido_geometry::{Rows, Shape};
use dido_mechanisms::audit::compare;
use dido_mechanisms::{
    Adjacency, Adversary, Batch, Budget, DiscreteGaussian, DiscreteLaplace, Event, Gate, Gaussian, Grid, Key, Laplace,
    Ledger, Mechanism, MechanismError, Norm, Private, Public, Sampling,
};

const SHAPE: Shape = Shape { nodes: 3, lanes: 2, dim: 4 };
/// Nodes 0 and 2 share a ledger, node 1 has its own.
const CLASSES: [usize; 3] = [0, 1, 0];
/// The part of the old noise that is taken out in rounds 0, 1, ...; nothing is there in round 0.
const KEEP: [f64; 5] = [0.7, 0.9, 0.25, 1.0, 0.0];

fn keys(shape: Shape) -> Vec<Key> {
    let row = |row: usize| u32::try_from(row).unwrap();
    (0..shape.nodes * shape.lanes).map(|r| Key::derive(5, row(r / shape.lanes), row(r % shape.lanes))).collect()
}

fn simulated() -> Gate {
    Gate::simulated(Adjacency::ReplaceRecord, Adversary::AllMessages, &CLASSES, None, keys(SHAPE))
}

/// What data and public numbers make of round `t`: anything.
fn made(t: u32, shape: Shape) -> Rows {
    let number = |k: usize| (1.3 * k as f64 + 2.1 * f64::from(t)).sin();
    Rows::from_vec(shape, (0..shape.nodes * shape.lanes * shape.dim).map(number).collect())
}

/// The sensitivity of the values of round `t`, in either class.
fn base(t: u32) -> [f64; 2] {
    [0.5 / f64::from(t + 1), 0.25]
}

fn private(batch: Batch<'_>, rows: Rows, t: u32, norm: Norm) -> Private<'_> {
    Private::new(batch, rows, Arc::from(base(t)), norm, Adjacency::ReplaceRecord)
}

fn mechanism(t: u32) -> Mechanism {
    // Gaussian noise in the middle of Laplace noise: the mean does not know of which kind it was.
    if t == 2 {
        Mechanism::Gaussian(Gaussian::new(0.8).unwrap())
    } else {
        Mechanism::Laplace(Laplace::new(1.0 + 0.5 * f64::from(t)).unwrap())
    }
}

fn release(gate: &mut Gate, t: u32, value: Rows) -> Public {
    gate.release_carrying(t, mechanism(t), private(Batch::all(), value, t, Norm::L2), KEEP[t as usize]).unwrap()
}

/// What a gate lets out for zeros is the noise: another gate with the same keys draws the same.
fn noise_alone(t: u32) -> Vec<f64> {
    let zeros = private(Batch::all(), Rows::zeros(SHAPE), t, Norm::L2);
    simulated().release(t, mechanism(t), zeros).unwrap().rows().as_slice().to_vec()
}

/// `u(k+1) = keep u(k) + w(k+1)`, kept in private, and `m = u + zeta`; the gate is given `keep m(k) + w(k+1)`.
#[test]
fn the_messages_are_those_of_a_private_state() {
    let mut gate = simulated();
    let mut state = vec![0.0; SHAPE.len()];
    let mut message = vec![0.0; SHAPE.len()];
    for t in 0..5 {
        let keep = if t == 0 { 0.0 } else { KEEP[t as usize] };
        let fresh = made(t, SHAPE);
        let value = message.iter().zip(fresh.as_slice()).map(|(m, w)| keep * m + w).collect();
        message = release(&mut gate, t, Rows::from_vec(SHAPE, value)).rows().as_slice().to_vec();
        state = state.iter().zip(fresh.as_slice()).map(|(u, w)| keep * u + w).collect();
        for (m, (u, zeta)) in message.iter().zip(state.iter().zip(noise_alone(t))) {
            assert!((m - (u + zeta)).abs() < 1e-13, "round {t}: {m} {u} {zeta}");
        }
    }
}

/// The sensitivities of the recursion, by hand, in the ledger of the run and in that of the plan.
#[test]
fn the_ledger_adds_up_what_is_carried() {
    let mut gates = [simulated(), Gate::plan(Adjacency::ReplaceRecord, Adversary::AllMessages, &CLASSES, None)];
    for t in 0..5 {
        for gate in &mut gates {
            release(gate, t, made(t, SHAPE));
        }
    }
    assert_eq!(gates[0].ledger(), gates[1].ledger());
    // 0.5; 0.25 + 0.9 * 0.5; 1/6 + 0.25 * 0.7; 1/8 + that; 0.1 alone.
    let third = 1.0 / 6.0 + 0.175;
    let expected = [[0.5, 0.7, third, 0.125 + third, 0.1], [0.25, 0.475, 0.36875, 0.61875, 0.25]];
    for (class, expected) in gates[0].ledger().classes.iter().zip(expected) {
        let found: Vec<f64> = class
            .entries
            .iter()
            .map(|entry| match entry.event {
                Event::Laplace { sensitivity, .. } | Event::Gaussian { sensitivity, .. } => sensitivity.value,
                _ => unreachable!("these two kinds of noise"),
            })
            .collect();
        assert_eq!(found.len(), 5);
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{found:?}");
    }
}

/// An L1 bound is one in L2, not the other way round.
#[test]
fn bounds_in_two_norms_add_up_in_the_weaker_one() {
    let laplace = Mechanism::Laplace(Laplace::new(1.0).unwrap());
    for (first, second, expected) in
        [(Norm::L1, Norm::L1, Norm::L1), (Norm::L1, Norm::L2, Norm::L2), (Norm::L2, Norm::L1, Norm::L2)]
    {
        let mut gate = simulated();
        gate.release(0, laplace, private(Batch::all(), made(0, SHAPE), 0, first)).unwrap();
        gate.release_carrying(1, laplace, private(Batch::all(), made(1, SHAPE), 1, second), 0.5).unwrap();
        let Event::Laplace { sensitivity, .. } = gate.ledger().classes[0].entries.last().unwrap().event else {
            unreachable!()
        };
        assert!(sensitivity.norm == expected && (sensitivity.value - 0.5).abs() < 1e-15, "{sensitivity:?}");
    }
}

/// The state of node 1 moves by all it may, always in one direction, and every message lies beyond both means: the ratio
/// of the whole transcript is the sum of the shares of the rounds, and no other transcript has a larger one.
#[test]
fn the_likelihood_ratio_of_a_transcript_attains_the_sum_of_the_ledger() {
    let shape = Shape { nodes: 3, lanes: 1, dim: 1 };
    let scale = |t: u32| 1.0 + 0.5 * f64::from(t);
    let laplace = |t: u32| Mechanism::Laplace(Laplace::new(scale(t)).unwrap());
    let moved = |t: u32| Rows::from_vec(shape, vec![0.0, base(t)[1], 0.0]);
    let replay = |messages: &[f64], one: bool| {
        let mut transcript = dido_mechanisms::audit::Transcript::default();
        for (t, &m) in (0..).zip(messages) {
            transcript.record(t, laplace(t), Rows::from_vec(shape, vec![0.3, m, -0.2]));
        }
        let transcript = Arc::new(transcript);
        let gates = [false, true].map(|other| {
            let mut gate =
                Gate::replaying(Adjacency::ReplaceRecord, Adversary::AllMessages, &CLASSES, Arc::clone(&transcript));
            let mut before = vec![0.0; 3];
            for t in 0..5 {
                let keep = KEEP[t as usize];
                let fresh = if other == one { moved(t) } else { Rows::zeros(shape) };
                let value = before.iter().zip(fresh.as_slice()).map(|(m, w)| keep * m + w).collect();
                let value = private(Batch::all(), Rows::from_vec(shape, value), t, Norm::L2);
                let message = gate.release_carrying(t, laplace(t), value, keep).unwrap();
                before = message.rows().as_slice().to_vec();
            }
            gate
        });
        let epsilon: f64 = gates[0].ledger().classes[1]
            .entries
            .iter()
            .map(|entry| match entry.event {
                Event::Laplace { sensitivity, scale, .. } => sensitivity.value / scale,
                _ => unreachable!("Laplace noise"),
            })
            .sum();
        (compare(&gates[0], &gates[1]).unwrap().losses[0], epsilon)
    };
    let (ratio, epsilon) = replay(&[50.0; 5], true);
    assert!((ratio.abs() / epsilon - 1.0).abs() < 1e-12, "{ratio} {epsilon}");
    let (back, _) = replay(&[50.0; 5], false);
    assert!((ratio + back).abs() < 1e-12);
    // 4^5 transcripts on both sides and between the means, with the density worked out here as well.
    let seen = [-40.0, -0.1, 0.2, 0.9];
    for code in 0..1024_usize {
        let messages: Vec<f64> = (0..5).map(|t| seen[code >> (2 * t) & 3]).collect();
        let (ratio, epsilon) = replay(&messages, true);
        let (mut there, mut state, mut before, mut expected) = (0.0, 0.0, 0.0, 0.0);
        for (t, m) in (0..).zip(&messages) {
            // The state of the one set starts at the message, less noise; of both the public part is `keep m`.
            let next = |mean: f64| KEEP[t as usize] * before - KEEP[t as usize] * (before - mean);
            (state, there) = (next(state), next(there) + base(t)[1]);
            expected += ((m - there).abs() - (m - state).abs()) / scale(t);
            before = *m;
        }
        assert!((ratio - expected).abs() < 1e-12 || (ratio + expected).abs() < 1e-12, "{ratio} {expected}");
        assert!(ratio.abs() <= epsilon * (1.0 + 1e-12), "{messages:?}: {ratio} > {epsilon}");
    }
}

/// The old noise and the sensitivities stand in the ledger: a resumed run sends the same bits.
#[test]
fn a_resumed_run_sends_the_same() {
    let mut straight = simulated();
    let expected: Vec<Vec<f64>> =
        (0..5).map(|t| release(&mut straight, t, made(t, SHAPE)).rows().as_slice().to_vec()).collect();
    for stop in 1..5 {
        let mut first = simulated();
        (0..stop).for_each(|t| drop(release(&mut first, t, made(t, SHAPE))));
        let text = serde_json::to_string(first.ledger()).unwrap();
        let mut second = simulated();
        second.resume(serde_json::from_str::<Ledger>(&text).unwrap(), stop).unwrap();
        for t in stop..5 {
            assert_eq!(release(&mut second, t, made(t, SHAPE)).rows().as_slice(), expected[t as usize]);
        }
        assert_eq!(second.ledger(), straight.ledger());
    }
}

/// Node 1 sleeps through rounds 1 and 2. Its noise of round 0 is taken out in round 3, and its sensitivity is carried
/// on once; those of the others go on.
#[test]
fn a_node_that_slept_carries_on_from_its_latest_message() {
    let keep = 0.5;
    let laplace = Mechanism::Laplace(Laplace::new(1.0).unwrap());
    let awake = |t: u32| Arc::from([true, !(1..3).contains(&t), true]);
    let mut gate = simulated().recording();
    let mut noises = vec![];
    let mut state = vec![0.0; SHAPE.len()];
    let mut message = vec![0.0; SHAPE.len()];
    for t in 0..4 {
        let fresh = made(t, SHAPE);
        let zeros = private(Batch::all(), Rows::zeros(SHAPE), t, Norm::L2);
        let noise = simulated().release(t, laplace, zeros).unwrap();
        let batch = Batch::all().of_nodes(Some(awake(t)));
        let asleep = |row: usize| row / 8 == 1 && (1..3).contains(&t);
        // A node that sleeps holds what is public: its message.
        let public: Vec<f64> = message.iter().enumerate().map(|(k, m)| if asleep(k) { *m } else { keep * m }).collect();
        let public = Public::declared(Rows::from_vec(SHAPE, public));
        let value = private(batch, fresh.clone(), t, Norm::L2).plus(&public);
        message = gate.release_carrying(t, laplace, value, keep).unwrap().rows().as_slice().to_vec();
        if !asleep(8) {
            noises.push(noise.rows().as_slice()[8]);
        }
        for k in (0..SHAPE.len()).filter(|&k| !asleep(k)) {
            state[k] = keep * state[k] + fresh.as_slice()[k];
            let expected = state[k] + noise.rows().as_slice()[k];
            assert!((message[k] - expected).abs() < 1e-13, "round {t}, number {k}: {} {expected}", message[k]);
        }
    }
    let values = |class: usize| -> Vec<f64> {
        let entries = &gate.ledger().classes[class].entries;
        let value = |event| match event {
            Event::Laplace { sensitivity, .. } => sensitivity.value,
            _ => unreachable!("Laplace noise"),
        };
        entries.iter().map(|entry| value(entry.event)).collect()
    };
    // 0.5, and 0.25 + 0.5 / 2: two equal events are one entry.
    let third = 1.0 / 6.0 + 0.25;
    assert_eq!(values(0), [0.5, third, 0.125 + 0.5 * third]);
    assert_eq!(values(1), [0.25, 0.375]);
    // Had the data of node 1 been others in round 0, its state would have moved then, and half as far in round 3.
    let transcript = Arc::new(gate.take_transcript());
    let [one, other] = [0.0, 0.1].map(|moved| {
        let all = Adversary::AllMessages;
        let mut gate = Gate::replaying(Adjacency::ReplaceRecord, all, &CLASSES, Arc::clone(&transcript));
        let mut message = vec![0.0; SHAPE.len()];
        for t in 0..4 {
            let asleep = |row: usize| row / 8 == 1 && (1..3).contains(&t);
            let public = message.iter().enumerate().map(|(k, m)| if asleep(k) { *m } else { keep * m }).collect();
            let mut fresh = made(t, SHAPE);
            fresh.as_mut_slice()[8] += if t == 0 { moved } else { 0.0 };
            let value = private(Batch::all().of_nodes(Some(awake(t))), fresh, t, Norm::L2)
                .plus(&Public::declared(Rows::from_vec(SHAPE, public)));
            message = gate.release_carrying(t, laplace, value, keep).unwrap().rows().as_slice().to_vec();
        }
        gate
    });
    let ratio = |noise: f64, moved: f64| (noise - moved).abs() - noise.abs();
    let expected = ratio(noises[0], 0.1) + ratio(noises[1], 0.05);
    let found = compare(&one, &other).unwrap();
    assert!((found.losses[0] - expected).abs() < 1e-12 && found.losses[1].abs() < 1e-12, "{found:?} {expected}");
}

/// Whole steps: the noise that is taken out is the one that was drawn, to the last bit, and what is carried costs a step more in
/// each coordinate.
#[test]
fn on_a_grid_the_noise_is_taken_out_in_whole_steps() {
    let shape = Shape { lanes: 1, ..SHAPE };
    let grid = Grid::new(-20).unwrap();
    let kinds = [
        Mechanism::DiscreteLaplace { noise: DiscreteLaplace::new(2.0, grid).unwrap(), float_error: 1e-9 },
        Mechanism::DiscreteGaussian { noise: DiscreteGaussian::new(2.0, grid).unwrap(), float_error: 1e-9 },
    ];
    for mechanism in kinds {
        let exact = || Gate::exact(Adjacency::ReplaceRecord, Adversary::AllMessages, &CLASSES, None, keys(shape));
        let (mut gate, mut before) = (exact(), vec![0_i64; shape.len()]);
        for (t, keep) in [(0, 0.3), (1, 0.3), (2, 0.75)] {
            let value = private(Batch::all(), made(t, shape), t, Norm::L1);
            let message = gate.release_carrying(t, mechanism, value, keep).unwrap();
            let zeros = private(Batch::all(), Rows::zeros(shape), t, Norm::L1);
            let noise = exact().release(t, mechanism, zeros).unwrap();
            let steps = |rows: &Rows| -> Vec<i64> { rows.as_slice().iter().map(|&x| grid.nearest(x)).collect() };
            let noise = steps(noise.rows());
            for (k, (found, value)) in steps(message.rows()).iter().zip(steps(&made(t, shape))).enumerate() {
                let taken = if t == 0 { 0.0 } else { (keep * before[k] as f64 + 0.5).floor() };
                let exact = value as f64 - taken + noise[k] as f64 - *found as f64;
                assert!(exact.abs() < 0.5, "{exact} steps");
            }
            before = noise;
        }
        let sensitivities: Vec<u64> = gate.ledger().classes[1]
            .entries
            .iter()
            .map(|entry| match entry.event {
                Event::DiscreteLaplace(noise) | Event::DiscreteGaussian(noise) => noise.sensitivity,
                _ => unreachable!("discrete noise"),
            })
            .collect();
        // 0.25 is 2^18 steps, and four for the rounding of the value, each time.
        let own = 0.25 * 2_f64.powi(20) + 4.0;
        let second = (own + 0.3 * own + 4.0).floor();
        let third = (own + 0.75 * second + 4.0).floor();
        let found = sensitivities.iter().zip([own, second, third]);
        assert!(found.into_iter().all(|(&steps, expected)| (steps as f64 - expected).abs() < 0.5), "{sensitivities:?}");
    }
}

/// A replay on a grid finds the noise in the steps of the transcript: had the value of node 1 been two and a half thousand steps
/// larger in round 0, its noise would have been that much smaller, and the part of it that is taken out later with it.
#[test]
fn a_replay_on_a_grid_takes_out_whole_steps() {
    let shape = Shape { nodes: 3, lanes: 1, dim: 1 };
    let (grid, keep, moved) = (Grid::new(-20).unwrap(), 0.3, 2500_i64);
    let noise = DiscreteLaplace::new(0.01, grid).unwrap();
    let mechanism = Mechanism::DiscreteLaplace { noise, float_error: 0.0 };
    let run = |mut gate: Gate, moved: i64| {
        for t in 0..3 {
            let mut rows = made(t, shape);
            rows.as_mut_slice()[1] += if t == 0 { grid.value(moved) } else { 0.0 };
            gate.release_carrying(t, mechanism, private(Batch::all(), rows, t, Norm::L1), keep).unwrap();
        }
        gate
    };
    let all = Adversary::AllMessages;
    let gate = Gate::exact(Adjacency::ReplaceRecord, all, &CLASSES, None, keys(shape)).recording();
    let transcript = Arc::new(run(gate, 0).take_transcript());
    let replay = |moved| run(Gate::replaying(Adjacency::ReplaceRecord, all, &CLASSES, Arc::clone(&transcript)), moved);
    let found = compare(&replay(0), &replay(moved)).unwrap();
    let part = |steps: i64| Grid::new(0).unwrap().nearest((keep * steps as f64 + 0.5).floor());
    let (mut one, mut other, mut expected) = (0, 0, 0.0);
    for (t, message) in (0..).zip(transcript.messages()) {
        let (sent, value) = (grid.nearest(message.as_slice()[1]), grid.nearest(made(t, shape).as_slice()[1]));
        let further = if t == 0 { moved } else { 0 };
        (one, other) = (sent - (value - part(one)), sent - (value + further - part(other)));
        expected += (other.abs() - one.abs()) as f64 / noise.steps() as f64;
    }
    assert!(expected.abs() > 0.01 && (found.losses[0] - expected).abs() < 1e-12, "{} {expected}", found.losses[0]);
    assert_eq!(found.off_grid, 0);
}

#[test]
fn what_the_ledger_cannot_tell_is_refused() {
    let laplace = Mechanism::Laplace(Laplace::new(1.0).unwrap());
    let value = |batch: Batch<'static>| private(batch, made(1, SHAPE), 1, Norm::L2);
    let begun = |times: u32| {
        let mut gate = simulated();
        (0..times).for_each(|_| {
            gate.release(0, laplace, private(Batch::all(), made(0, SHAPE), 0, Norm::L2)).unwrap();
        });
        gate
    };
    let refused = |mut gate: Gate, mechanism, batch, keep| {
        let before = gate.ledger().clone();
        let error = gate.release_carrying(1, mechanism, value(batch), keep).unwrap_err();
        assert_eq!(gate.ledger(), &before, "nothing is charged for what is refused");
        error
    };
    for keep in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(refused(begun(1), laplace, Batch::all(), keep), MechanismError::Keep(_)));
    }
    let sampled = || Batch::sampled(vec![Sampling::OneOf { population: 4 }; 2].into());
    assert_eq!(refused(begun(1), laplace, sampled(), 0.5), MechanismError::CarriedSample);
    let mut gate = simulated();
    gate.release(0, laplace, private(sampled(), made(0, SHAPE), 0, Norm::L2)).unwrap();
    let event = "Laplace noise on a sample";
    assert_eq!(refused(gate, laplace, Batch::all(), 0.5), MechanismError::Carried { event });
    let apart = Batch::all().of_nodes(Some(Arc::from([true, true, false])));
    assert_eq!(refused(begun(1), laplace, apart, 0.5), MechanismError::CarriedApart { node: 2, with: 0 });
    assert_eq!(refused(begun(2), laplace, Batch::all(), 0.5), MechanismError::CarriedTwice { node: 0, round: 0 });
    let grid = Grid::new(-20).unwrap();
    let discrete = Mechanism::DiscreteLaplace { noise: DiscreteLaplace::new(1.0, grid).unwrap(), float_error: 0.0 };
    assert_eq!(refused(begun(1), discrete, Batch::all(), 0.5), MechanismError::CarriedGrid);
    // Room for the value, not for what it carries.
    let budget = Budget::new(0.9, 0.0).unwrap();
    let mut gate =
        Gate::simulated(Adjacency::ReplaceRecord, Adversary::AllMessages, &CLASSES, Some(budget), keys(SHAPE));
    let quiet = Mechanism::Laplace(Laplace::new(2.0).unwrap());
    gate.release(0, quiet, private(Batch::all(), made(0, SHAPE), 0, Norm::L2)).unwrap();
    assert!(matches!(refused(gate, quiet, Batch::all(), 0.9), MechanismError::Overspent { .. }));
}

/// Without noise there is nothing to take out, and the ledger says so.
#[test]
fn without_noise_nothing_is_carried() {
    let mut gate = Gate::simulated(Adjacency::ReplaceRecord, Adversary::AllMessages, &CLASSES, None, vec![]);
    for t in 0..2 {
        let value = private(Batch::all(), made(t, SHAPE), t, Norm::L2);
        let message = gate.release_carrying(t, Mechanism::None, value, 0.5).unwrap();
        assert_eq!(message.rows().as_slice(), made(t, SHAPE).as_slice());
    }
    assert_eq!(gate.ledger().classes[0].entries[0].event, Event::NonPrivate);
}
