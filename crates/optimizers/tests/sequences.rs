//! Runs on weights that change from round to round.

mod common;

use common::{Problem, problem};
use dido_geometry::{Rows, Shape};
use dido_mechanisms::Adjacency;
use dido_optimizers::{Algorithm, Dgd, InProcess, Network, Noise, ProjectedDgd, Schedule, Stop, run};
use dido_problems::Weighting;
use dido_topology::sequence::{Constant, EdgeFailures, NodeActivation, OnePeerExponential, PairwiseGossip, Recorded};
use dido_topology::{MixingMatrix, Sequence, families, weights};

const DIM: usize = 3;

fn ring(nodes: usize) -> MixingMatrix {
    weights::metropolis(&families::ring(nodes).unwrap())
}

fn lossy(nodes: usize) -> EdgeFailures {
    EdgeFailures::new(ring(nodes), 0.5, 17).unwrap()
}

/// The iterates of gradient descent without noise after the given rounds.
fn dgd(problem: &Problem, network: &mut dyn Network, step: &Schedule, rounds: u32) -> Rows {
    let mut parties = problem.parties(1, Adjacency::ReplaceRecord, None, 1);
    let mut dgd = Dgd::new(step.clone(), u32::MAX, parties.start(&[0.0; DIM]));
    run(&mut dgd, &mut parties, network, &Noise::None, 0..rounds, |_, _, _| true).unwrap();
    dgd.estimate().rows().clone()
}

fn numbers(shape: Shape) -> Rows {
    Rows::from_vec(shape, (0..shape.len()).map(|k| ((k * 7919 + 13) % 1009) as f64 / 504.5 - 1.0).collect())
}

#[test]
fn a_constant_sequence_is_the_fixed_network_bit_for_bit() {
    let (problem, step) = (problem(5, 6, 8, DIM, Weighting::Pooled), Schedule::constant(0.3));
    let fixed = dgd(&problem, &mut InProcess::new(ring(6)), &step, 50);
    let varying = dgd(&problem, &mut InProcess::varying(Constant(ring(6))), &step, 50);
    assert_eq!(fixed.as_slice(), varying.as_slice());
    let lossy = dgd(&problem, &mut InProcess::varying(lossy(6)), &step, 50);
    assert_ne!(fixed.as_slice(), lossy.as_slice());
}

/// Half of all messages lost, one random pair talking at a time, one peer each: decaying steps reach the pooled optimum
/// on all of them, since each round keeps the mean.
#[test]
fn descent_reaches_the_optimum_on_sequences_that_are_connected_over_time() {
    let problem = problem(4, 5, 12, DIM, Weighting::Pooled);
    let step = Schedule::power(8.0, 10.0, 0.9);
    let sequences: [Box<dyn Sequence>; 3] = [
        Box::new(lossy(5)),
        Box::new(PairwiseGossip::new(families::ring(5).unwrap(), 2)),
        Box::new(OnePeerExponential::new(5).unwrap()),
    ];
    for sequence in sequences {
        let x = dgd(&problem, &mut InProcess::varying(sequence), &step, 60_000);
        for node in 0..5 {
            for (x, b) in x.row(node, 0).iter().zip(&problem.optimum) {
                assert!((x - b).abs() < 1e-2, "node {node}: {x} {b}");
            }
        }
    }
}

/// 200 rounds with half of the links lost: the mean of every coordinate stays, the disagreement goes, and a consensus
/// does not move (weights of 1/4 on the complete graph of four add up without rounding).
#[test]
fn lossy_links_keep_the_mean_and_a_consensus() {
    let k4 = weights::metropolis(&families::complete(4).unwrap());
    let mut network = InProcess::varying(EdgeFailures::new(k4, 0.5, 3).unwrap());
    let shape = Shape { nodes: 4, lanes: 2, dim: 5 };
    let (mut x, mut ones) = (numbers(shape), Rows::from_vec(shape, vec![1.0; 40]));
    let means: Vec<f64> = (0..10).map(|c| x.as_slice().iter().skip(c).step_by(10).sum::<f64>() / 4.0).collect();
    for round in 0..200 {
        network.average(round, &mut x).unwrap();
        network.average(round, &mut ones).unwrap();
        assert!(ones.as_slice().iter().all(|v| v.to_bits() == 1_f64.to_bits()));
    }
    for row in x.as_slice().chunks_exact(10) {
        assert!(row.iter().zip(&means).all(|(v, mean)| (v - mean).abs() < 1e-12));
    }
}

/// Several values averaged within a round, also after other rounds were asked for, meet the same weights.
#[test]
fn all_averages_of_a_round_use_the_weights_of_that_round() {
    let shape = Shape { nodes: 12, lanes: 1, dim: 4 };
    let sequence = NodeActivation::bernoulli(families::complete(12).unwrap(), 0.4, 5).unwrap();
    let mut network = InProcess::varying(sequence.clone());
    for round in [0, 0, 1, 7, 1, 3, 0] {
        let mut expected = vec![0.0; shape.len()];
        sequence.round(round).unwrap().mix(4, numbers(shape).as_slice(), &mut expected);
        for _ in 0..3 {
            let mut x = numbers(shape);
            network.average(round, &mut x).unwrap();
            assert_eq!(x.as_slice(), expected, "round {round}");
        }
    }
}

#[test]
fn a_run_resumed_on_a_new_network_goes_on_as_if_it_had_not_stopped() {
    let (problem, step) = (problem(6, 6, 8, DIM, Weighting::Pooled), Schedule::constant(0.3));
    let mut parties = problem.parties(1, Adjacency::ReplaceRecord, None, 1);
    let mut halves = Dgd::new(step.clone(), u32::MAX, parties.start(&[0.0; DIM]));
    for rounds in [0..13, 13..40] {
        let mut network = InProcess::varying(lossy(6));
        run(&mut halves, &mut parties, &mut network, &Noise::None, rounds, |_, _, _| true).unwrap();
    }
    let whole = dgd(&problem, &mut InProcess::varying(lossy(6)), &step, 40);
    assert_eq!(whole.as_slice(), halves.estimate().rows().as_slice());
}

#[test]
fn a_recording_that_ends_stops_the_run_and_the_error_says_in_which_round() {
    let problem = problem(7, 4, 8, DIM, Weighting::Pooled);
    let recorded = Recorded::record(&lossy(4), 0..10).unwrap();
    let mut parties = problem.parties(1, Adjacency::ReplaceRecord, None, 1);
    let mut dgd = Dgd::new(Schedule::constant(0.3), 0, parties.start(&[0.0; DIM]));
    let mut network = InProcess::varying(recorded);
    let stop = run(&mut dgd, &mut parties, &mut network, &Noise::None, 0..20, |_, _, _| true).unwrap_err();
    assert!(matches!(stop, Stop::Network { round: 10, .. }));
    assert_eq!(stop.to_string(), "round 10: round 10 is not recorded: there are 10, numbered from 0");
}

/// Sizes at which averages (more than 4e5 multiply-adds in a round) are split among threads.
#[test]
fn one_two_and_four_threads_give_the_same_bits() {
    let (nodes, dim) = (1000, 50);
    let problem = problem(1, nodes, 2, dim, Weighting::Sum);
    let graph = families::erdos_renyi(nodes, 0.02, 5).unwrap().graph;
    let sequence = EdgeFailures::new(weights::metropolis(&graph), 0.3, 9).unwrap();
    let multiply_adds = sequence.round(0).unwrap().nonzeros() * dim;
    assert!(multiply_adds > 400_000, "too small to be split: {multiply_adds}");
    let output = |threads: usize| -> Rows {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            let mut parties = problem.parties(1, Adjacency::ReplaceRecord, None, 2);
            let start = parties.start(&vec![0.0; dim]);
            let mut pdgd = ProjectedDgd::new(problem.ball.clone(), Schedule::constant(0.5), 5, start);
            let mut network = InProcess::varying(sequence.clone());
            let noise = Noise::Laplace(Schedule::constant(0.01));
            run(&mut pdgd, &mut parties, &mut network, &noise, 0..20, |_, _, _| true).unwrap();
            pdgd.released().rows().clone()
        })
    };
    let one = output(1);
    for threads in [2, 4] {
        assert_eq!(one.as_slice(), output(threads).as_slice(), "{threads} threads");
    }
}
