//! The two perturbed forms of decentralised gradient descent.

mod common;

use common::{Problem, close, problem};
use dido_mechanisms::{Adjacency, Adversary, Event, MechanismError};
use dido_optimizers::{Algorithm, Clip, Dgd, InProcess, Noise, Parties, Perturbed, Schedule, Stop, plan, run};
use dido_problems::Weighting;
use dido_topology::{MixingMatrix, families, weights};

const DIM: usize = 3;
const NODES: usize = 5;
const BOTH: [Perturbed; 2] = [Perturbed::Message, Perturbed::Gradient];

fn ring() -> MixingMatrix {
    weights::metropolis(&families::ring(NODES).unwrap())
}

fn dgd(parties: &Parties, perturbed: Perturbed, step: &Schedule, clip: Option<Clip>) -> Dgd {
    let dgd = Dgd::new(step.clone(), 5, parties.start(&[0.4, -0.3, 0.2])).with_noise_in(perturbed);
    clip.map_or(dgd.clone(), |clip| dgd.with_clip(clip))
}

/// Points and answer after 40 rounds.
fn after(
    problem: &Problem,
    weights: MixingMatrix,
    (perturbed, step, clip): (Perturbed, &Schedule, Option<Clip>),
    noise: &Noise,
) -> (Vec<f64>, Vec<f64>) {
    let mut parties = problem.parties(2, Adjacency::ReplaceRecord, None, 8);
    let mut algorithm = dgd(&parties, perturbed, step, clip);
    run(&mut algorithm, &mut parties, &mut InProcess::new(weights), noise, 0..40, |_, _, _| true).unwrap();
    (algorithm.x().rows().as_slice().to_vec(), algorithm.estimate().rows().as_slice().to_vec())
}

/// Without noise what it is added to does not matter, to the bit; clips of either kind that bite included.
#[test]
fn without_noise_both_forms_have_the_same_bits() {
    let problem = problem(1, NODES, 8, DIM, Weighting::Pooled);
    let step = Schedule::power(0.7, 2.0, 0.4);
    for clip in [None, Some(Clip::Record(0.05)), Some(Clip::Gradient(0.02))] {
        let [message, gradient] = BOTH.map(|perturbed| after(&problem, ring(), (perturbed, &step, clip), &Noise::None));
        assert_eq!(message, gradient);
        let plain = after(&problem, ring(), (Perturbed::Message, &step, None), &Noise::None);
        assert_eq!(message == plain, clip.is_none(), "the clip bites");
    }
}

/// A step of zero leaves the averages of the start, and in the gradient-perturbed form the noise is multiplied with it too.
#[test]
fn a_step_of_zero_is_averaging() {
    let problem = problem(1, NODES, 8, DIM, Weighting::Pooled);
    let start: Vec<f64> = (0..NODES * DIM).map(|k| ((k * 7) % 5) as f64 / 3.0).collect();
    let step = Schedule::constant(0.0);
    for (perturbed, noise) in [
        (Perturbed::Message, Noise::None),
        (Perturbed::Gradient, Noise::None),
        (Perturbed::Gradient, Noise::Gaussian(Schedule::constant(3.0))),
    ] {
        let mut parties = problem.parties(1, Adjacency::ReplaceRecord, None, 8);
        let mut algorithm = dgd(&parties, perturbed, &step, Some(Clip::Gradient(1.0)));
        algorithm.state()[0].rows_mut().as_mut_slice().copy_from_slice(&start);
        run(&mut algorithm, &mut parties, &mut InProcess::new(ring()), &noise, 0..9, |_, _, _| true).unwrap();
        let mut expected = start.clone();
        for _ in 0..9 {
            let before = expected.clone();
            ring().mix(DIM, &before, &mut expected);
        }
        assert!(algorithm.x().rows().as_slice().iter().zip(&expected).all(|(x, e)| close(*x, *e, 1e-15)));
    }
}

/// On the complete graph from a common start, the mean of the points moves along the mean of the gradients, in the first round
/// exactly and later as far as the points agree: with a small step both forms follow the centralised gradient method.
#[test]
fn the_complete_graph_without_noise_is_the_centralised_gradient_method() {
    let problem = problem(2, NODES, 10, DIM, Weighting::Pooled);
    let complete = weights::metropolis(&families::complete(NODES).unwrap());
    let alpha = 1e-3;
    let step = Schedule::constant(alpha);
    let mut b = vec![0.4, -0.3, 0.2];
    let records: f64 = 50.0;
    for _ in 0..40 {
        let mut g = vec![0.0; DIM];
        for shard in &problem.shards {
            let residual = shard.x().dot(&ndarray::Array1::from(b.clone())) - shard.y();
            g.iter_mut().zip(shard.x().t().dot(&residual)).for_each(|(g, of)| *g += of / records);
        }
        b.iter_mut().zip(&g).for_each(|(b, g)| *b -= alpha * g);
    }
    for perturbed in BOTH {
        let (x, _) = after(&problem, complete.clone(), (perturbed, &step, None), &Noise::None);
        for k in 0..DIM {
            let mean: f64 = (0..NODES).map(|node| x[node * 2 * DIM + k]).sum::<f64>() / NODES as f64;
            // The points differ by a step, and so the gradients: 40 rounds of 1e-6, of a way of 1e-3 and more.
            assert!((mean - b[k]).abs() < 4e-5, "{mean} {}", b[k]);
        }
    }
    assert!(b.iter().zip([0.4, -0.3, 0.2]).any(|(b, start)| (b - start).abs() > 1e-3), "{b:?}");
}

/// The release is the new point, or the gradient: its sensitivity has the step in it, or not.
#[test]
fn the_ledgers_differ_by_the_step() {
    let problem = problem(3, NODES, 8, DIM, Weighting::Pooled);
    let step = Schedule::power(0.7, 2.0, 0.4);
    let (noise, clip) = (Noise::Gaussian(Schedule::constant(1.0)), Clip::Record(0.3));
    let adversary = Adversary::AllMessages;
    let [message, gradient] = BOTH.map(|perturbed| {
        plan(&problem.declaration, Adjacency::ReplaceRecord, adversary, None, &noise, 6, |parties| {
            Box::new(dgd(parties, perturbed, &step, Some(clip)))
        })
        .unwrap()
    });
    let sensitivity = |event: Event| match event {
        Event::Gaussian { sensitivity, .. } => sensitivity.l2(),
        other => panic!("{other:?}"),
    };
    // s = 5 / 40.
    let of_gradient = 2.0 * 0.3 / 8.0;
    let [messages, gradients] = [&message, &gradient].map(|ledger| &ledger.classes[0].entries);
    assert_eq!((messages.len(), gradients.len(), gradients[0].releases), (6, 1, 6));
    assert!(close(sensitivity(gradients[0].event), of_gradient, 1e-14));
    for (entry, t) in messages.iter().zip(0..) {
        assert!(close(sensitivity(entry.event), step.at(t) * of_gradient, 1e-14));
    }
}

/// Squared loss at points without a bound: noise is refused, and admitted with either clip.
#[test]
fn clipping_admits_noise() {
    let problem = problem(3, NODES, 8, DIM, Weighting::Pooled);
    let noise = Noise::Laplace(Schedule::constant(1.0));
    for perturbed in BOTH {
        for (clip, admitted) in [(None, false), (Some(Clip::Record(0.3)), true), (Some(Clip::Gradient(0.3)), true)] {
            let planned = plan(
                &problem.declaration,
                Adjacency::ReplaceNode,
                Adversary::AllMessages,
                None,
                &noise,
                2,
                |parties| Box::new(dgd(parties, perturbed, &Schedule::constant(0.1), clip)),
            );
            assert_eq!(planned.is_ok(), admitted);
            assert!(admitted || matches!(planned, Err(Stop::Unbounded { round: 0 })));
        }
    }
    let refused =
        plan(&problem.declaration, Adjacency::ReplaceNode, Adversary::AllMessages, None, &noise, 2, |parties| {
            Box::new(dgd(parties, Perturbed::Gradient, &Schedule::constant(0.1), Some(Clip::Gradient(-1.0))))
        });
    assert!(matches!(refused, Err(Stop::Mechanism(MechanismError::Bound { .. }))));
}
