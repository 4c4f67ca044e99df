//! A gate whose nodes share noise: what leaves it, what it is worth to whom, and what it is not combined with.
#![cfg(feature = "linalg")]

use std::sync::Arc;

use dido_geometry::{Rows, Shape};
use dido_mechanisms::audit::Transcript;
use dido_mechanisms::correlated::{PairwiseNoise, SharedNoise};
use dido_mechanisms::{
    Adjacency, Adversary, Batch, Event, Gate, Gaussian, Key, Laplace, Mechanism, MechanismError, Norm, Private,
    Sampling,
};

/// A triangle with a tail.
const KITE: [(usize, usize); 5] = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)];
/// Node 4 is alone in its class, and so are the two ends of the triangle.
const CLASSES: [usize; 5] = [0, 0, 1, 1, 2];
const RATIO: f64 = 2.5;
const SIGMA: f64 = 1.5;
const ADJACENCY: Adjacency = Adjacency::ReplaceRecord;

fn id(i: usize) -> u32 {
    u32::try_from(i).unwrap()
}

fn shared(lanes: usize) -> SharedNoise {
    let noise = SharedNoise::new(5, KITE, RATIO).unwrap();
    noise.with_keys(lanes, |i, j, lane| Key::derive_pair(3, id(i), id(j), id(lane)))
}

fn gate(adversary: Adversary, lanes: usize) -> Gate {
    let keys = (0..5 * lanes).map(|row| Key::derive(3, id(row / lanes), id(row % lanes))).collect();
    Gate::simulated(ADJACENCY, adversary, &CLASSES, None, keys)
}

fn with_noise(adversary: Adversary, lanes: usize) -> Gate {
    gate(adversary, lanes).with_shared_noise(shared(lanes)).unwrap()
}

fn zeros(batch: Batch<'static>, lanes: usize, dim: usize) -> Private<'static> {
    let rows = Rows::zeros(Shape { nodes: 5, lanes, dim });
    Private::new(batch, rows, Arc::from([2.0, 1.0, 3.0]), Norm::L2, ADJACENCY)
}

fn gaussian() -> Mechanism {
    Mechanism::Gaussian(Gaussian::new(SIGMA).unwrap())
}

fn kite() -> PairwiseNoise {
    PairwiseNoise::new(5, KITE, SIGMA, RATIO * SIGMA).unwrap()
}

/// 40 000 vectors: a covariance `c` has a standard error of at most `largest variance / 200`; five of them, with a fixed seed.
#[test]
fn what_leaves_has_the_covariance_of_the_module() {
    let (lanes, dim) = (2, 20_000);
    let message =
        with_noise(Adversary::AllMessages, lanes).release(0, gaussian(), zeros(Batch::all(), lanes, dim)).unwrap();
    let rows = message.rows();
    let expected = kite().covariance();
    for i in 0..5 {
        for j in 0..5 {
            let product =
                |lane: usize| rows.row(i, lane).iter().zip(rows.row(j, lane)).map(|(a, b)| a * b).sum::<f64>();
            let found = (0..lanes).map(product).sum::<f64>() / (lanes * dim) as f64;
            let error = 5.0 * (expected[[i, i]] * expected[[j, j]]).sqrt() * 2_f64.sqrt() / 200.0;
            assert!((found - expected[[i, j]]).abs() < error, "{i} {j}: {found} {}", expected[[i, j]]);
        }
    }
    // The lanes are independent of each other.
    let across: f64 = rows.row(2, 0).iter().zip(rows.row(2, 1)).map(|(a, b)| a * b).sum::<f64>() / dim as f64;
    assert!(across.abs() < 5.0 * expected[[2, 2]] / (dim as f64).sqrt(), "{across}");
}

/// What is left in the mean is the noise that the same keys draw without sharing any, to rounding; and it is left in no sum of
/// fewer nodes.
#[test]
fn the_mean_keeps_the_own_noise_alone() {
    let (lanes, dim) = (2, 7);
    for round in 0..3 {
        let release =
            |mut gate: Gate| gate.release(round, gaussian(), zeros(Batch::all(), lanes, dim)).unwrap().rows().clone();
        let together = release(with_noise(Adversary::AllMessages, lanes));
        let alone = release(gate(Adversary::AllMessages, lanes));
        for lane in 0..lanes {
            for k in 0..dim {
                let sum = |rows: &Rows, nodes: usize| (0..nodes).map(|i| rows.row(i, lane)[k]).sum::<f64>();
                assert!((sum(&together, 5) - sum(&alone, 5)).abs() < 1e-12);
                for nodes in 1..5 {
                    assert!((sum(&together, nodes) - sum(&alone, nodes)).abs() > 1e-6);
                }
            }
        }
    }
}

/// The standard deviation of every class is that of `exposure`, at its worst node, for every adversary; a plan agrees.
#[test]
fn the_ledger_says_what_the_noise_is_worth() {
    let sigmas = |viewers: &[usize]| -> Vec<(usize, f64)> { kite().exposure(viewers).unwrap().sigmas };
    let worst = |views: &[Vec<(usize, f64)>], nodes: &[usize]| {
        let seen = views.iter().flatten().filter(|(node, _)| nodes.contains(node));
        seen.map(|&(_, sigma)| sigma).fold(f64::INFINITY, f64::min)
    };
    let anyone: Vec<_> = (0..5).map(|viewer| sigmas(&[viewer])).collect();
    for (adversary, views) in [
        (Adversary::AllMessages, vec![sigmas(&[])]),
        (Adversary::HiddenActivation, vec![sigmas(&[])]),
        (Adversary::Neighbour(2), vec![sigmas(&[2]), vec![sigmas(&[])[2]]]),
        (Adversary::Colluders(1), anyone),
    ] {
        let plan = Gate::plan(ADJACENCY, adversary, &CLASSES, None);
        let mut plan = plan.with_shared_noise(SharedNoise::new(5, KITE, RATIO).unwrap()).unwrap();
        let mut run = with_noise(adversary, 1);
        for gate in [&mut plan, &mut run] {
            gate.release(0, gaussian(), zeros(Batch::all(), 1, 3)).unwrap();
        }
        assert_eq!(plan.ledger(), run.ledger());
        for (class, nodes) in [&[0, 1][..], &[2, 3], &[4]].iter().enumerate() {
            let Event::Gaussian { sensitivity, sigma } = run.ledger().classes[class].entries[0].event else {
                unreachable!("Gaussian noise")
            };
            let expected = worst(&views, nodes);
            assert!((sensitivity.value - [2.0, 1.0, 3.0][class]).abs() < 1e-15);
            assert!(
                sigma <= expected && sigma > expected * (1.0 - 1e-12),
                "{adversary}, {nodes:?}: {sigma} {expected}"
            );
        }
    }
    // The end of the tail has its own noise only, once its neighbour looks.
    assert!((worst(&[sigmas(&[3])], &[4]) / SIGMA - 1.0).abs() < 1e-12);
}

/// A secret sample is amplified as it is with independent noise of that worth.
#[test]
fn a_sample_is_one_of_the_effective_noise() {
    let sampling = Sampling::OneOf { population: 10 };
    let mut gate = with_noise(Adversary::AllMessages, 1);
    let batch = Batch::sampled(vec![sampling; 3].into());
    gate.release(0, gaussian(), zeros(batch, 1, 3)).unwrap();
    gate.release(1, gaussian(), zeros(Batch::all(), 1, 3)).unwrap();
    for class in &gate.ledger().classes {
        assert_eq!(class.entries[0].event, class.entries[1].event.on_sample(sampling).unwrap());
    }
}

#[test]
fn what_it_is_not_combined_with_is_refused() {
    let all = Adversary::AllMessages;
    let shared_error = |found: Result<_, MechanismError>| matches!(found, Err(MechanismError::Shared(_)));
    let mut gate_of = with_noise(all, 1);
    let laplace = Mechanism::Laplace(Laplace::new(1.0).unwrap());
    assert!(shared_error(gate_of.release(0, laplace, zeros(Batch::all(), 1, 3))));
    assert!(shared_error(gate_of.release_carrying(0, gaussian(), zeros(Batch::all(), 1, 3), 0.5)));
    let awake = Arc::from([true, true, true, true, false]);
    assert!(shared_error(gate_of.release(0, gaussian(), zeros(Batch::all().of_nodes(Some(awake)), 1, 3))));
    assert!(shared_error(with_noise(all, 1).recording().release(0, gaussian(), zeros(Batch::all(), 1, 3))));
    assert_eq!(gate_of.ledger().releases_per_node(), 0);
    let replay = Gate::replaying(ADJACENCY, all, &CLASSES, Arc::new(Transcript::default()));
    assert!(matches!(replay.with_shared_noise(shared(1)), Err(MechanismError::Shared(_))));
    let two = gate(Adversary::Colluders(2), 1).with_shared_noise(shared(1)).unwrap_err();
    assert_eq!(two, MechanismError::SharedColluders(Adversary::Colluders(2)));
    let fewer = SharedNoise::new(4, [(0, 1)], 1.0).unwrap();
    let found = gate(all, 1).with_shared_noise(fewer).unwrap_err();
    assert_eq!(found, MechanismError::SharedNodes { shared: 4, gate: 5 });
    // Keys for another number of lanes, and none at all.
    let found = gate(all, 1).with_shared_noise(shared(2)).unwrap().release(0, gaussian(), zeros(Batch::all(), 1, 3));
    assert_eq!(found.unwrap_err(), MechanismError::SharedKeys { lanes: 2, found: 1 });
    let keyless = SharedNoise::new(5, KITE, RATIO).unwrap();
    let found = gate(all, 1).with_shared_noise(keyless).unwrap().release(0, gaussian(), zeros(Batch::all(), 1, 3));
    assert_eq!(found.unwrap_err(), MechanismError::SharedKeys { lanes: 0, found: 1 });
    // Without noise nothing is shared either, and the ledger says so.
    let mut quiet = with_noise(all, 1);
    let message = quiet.release(0, Mechanism::None, zeros(Batch::all(), 1, 3)).unwrap();
    assert!(message.rows().as_slice().iter().all(|x| x.to_bits() == 0));
    assert_eq!(quiet.ledger().classes[0].entries[0].event, Event::NonPrivate);
}
