//! Where theory says that two things coincide, they do: bit for bit where the arithmetic is the same.

mod common;

use common::{Problem, close, problem};
use dido_geometry::{L2Ball, Rows, Set};
use dido_mechanisms::{Adjacency, Gate, Public};
use dido_optimizers::{Algorithm, Declaration, Dgd, InProcess, Noise, ProjectedDgd, Schedule, run};
use dido_problems::{LeastSquares, Objective, Shard, Weighting};
use dido_topology::{MixingMatrix, families, weights};
use ndarray::Axis;

const DIM: usize = 5;

fn ring(nodes: usize) -> MixingMatrix {
    weights::metropolis(&families::ring(nodes).unwrap())
}

/// All releases of a projected run: its last one and its estimate.
fn projected(
    problem: &Problem,
    weights: MixingMatrix,
    (set, step, noise): (&Set, &Schedule, &Noise),
    lanes: usize,
    rounds: u32,
) -> (Rows, Rows) {
    let mut parties = problem.parties(lanes, Adjacency::ReplaceRecord, None, 11);
    let mut pdgd = ProjectedDgd::new(set.clone(), step.clone(), rounds / 2, parties.start(&[0.1; DIM]));
    run(&mut pdgd, &mut parties, &mut InProcess::new(weights), noise, 0..rounds, |_, _, _| true).unwrap();
    (pdgd.released().rows().clone(), pdgd.estimate().rows().clone())
}

/// One node is the centralised algorithm: the same gradient kernel in a plain loop gives the same bits.
#[test]
fn one_node_is_centralised_projected_gradient_descent() {
    let problem = problem(1, 1, 30, DIM, Weighting::NodeMean);
    let ball = Set::from(L2Ball::new(0.2).unwrap());
    let step = Schedule::power(0.9, 2.0, 0.3);
    let (released, _) = projected(&problem, ring(1), (&ball, &step, &Noise::None), 1, 50);
    let objective = LeastSquares::new(&problem.shards, Weighting::NodeMean, 1).unwrap();
    let (mut f, mut g) = (vec![0.1; DIM], vec![0.0; DIM]);
    for t in 0..50 {
        ball.project_row(&mut f);
        objective.gradient(0..1, &f, &mut g);
        f.iter_mut().zip(&g).for_each(|(f, g)| *f += -step.at(t) * g);
    }
    assert_eq!(released.as_slice(), f);
}

/// Equal weights on the complete graph and one common start: every node takes the mean gradient step from the mean.
#[test]
fn the_complete_graph_without_noise_is_centralised_gradient_descent() {
    let nodes = 6;
    let problem = problem(2, nodes, 10, DIM, Weighting::Sum);
    let mut parties = problem.parties(1, Adjacency::ReplaceRecord, None, 0);
    let mut network = InProcess::new(weights::metropolis(&families::complete(nodes).unwrap()));
    let alpha = 0.05;
    let mut dgd = Dgd::new(Schedule::constant(alpha), 0, parties.start(&[0.0; DIM]));
    run(&mut dgd, &mut parties, &mut network, &Noise::None, 0..1, |_, _, _| true).unwrap();
    let mean: Vec<f64> =
        (0..DIM).map(|k| (0..nodes).map(|i| dgd.state()[0].rows().row(i, 0)[k]).sum::<f64>() / nodes as f64).collect();
    for (k, mean) in mean.iter().enumerate() {
        let gradient: f64 = problem.shards.iter().map(|s| -s.x().column(k).dot(&s.y())).sum();
        assert!(close(*mean, -alpha * gradient / nodes as f64, 1e-14));
    }
}

/// Without a set, projected descent is plain descent.
#[test]
fn on_the_whole_space_projection_changes_nothing() {
    let problem = problem(3, 4, 10, DIM, Weighting::Pooled);
    let step = Schedule::constant(0.3);
    let (_, estimate) = projected(&problem, ring(4), (&Set::Whole, &step, &Noise::None), 1, 40);
    let mut parties = problem.parties(1, Adjacency::ReplaceRecord, None, 11);
    let mut dgd = Dgd::new(step, 20, parties.start(&[0.1; DIM]));
    run(&mut dgd, &mut parties, &mut InProcess::new(ring(4)), &Noise::None, 0..40, |_, _, _| true).unwrap();
    assert_eq!(estimate.as_slice(), dgd.estimate().rows().as_slice());
}

/// The optimum of pooled weighting is the pooled least-squares solution: decaying steps reach it.
#[test]
fn without_noise_the_parties_reach_the_pooled_optimum() {
    let problem = problem(4, 5, 12, DIM, Weighting::Pooled);
    let step = Schedule::power(8.0, 10.0, 0.9);
    let (released, _) = projected(&problem, ring(5), (&problem.ball, &step, &Noise::None), 1, 60_000);
    for node in 0..5 {
        for (x, b) in released.row(node, 0).iter().zip(&problem.optimum) {
            assert!((x - b).abs() < 2e-3, "node {node}: {x} {b}");
        }
    }
}

/// A lane does not know how many others there are.
#[test]
fn a_lane_is_the_same_in_every_bundle() {
    let problem = problem(5, 4, 10, DIM, Weighting::Pooled);
    let noise = Noise::Laplace(Schedule::constant(0.1));
    let step = Schedule::constant(0.4);
    let of = |lanes| projected(&problem, ring(4), (&problem.ball, &step, &noise), lanes, 30).0;
    let (two, five) = (of(2), of(5));
    for node in 0..4 {
        for lane in 0..2 {
            assert_eq!(two.row(node, lane), five.row(node, lane));
        }
        assert_ne!(five.row(node, 0), five.row(node, 1), "lanes have noise of their own");
    }
}

/// Four parties with 10, 5, 8 and 3 records, pooled: every record counts the same.
fn unequal() -> Problem {
    let mut problem = problem(6, 4, 10, DIM, Weighting::Pooled);
    let bounds = problem.declaration.bounds();
    let records = vec![10, 5, 8, 3];
    for (shard, &rows) in problem.shards.iter_mut().zip(&records) {
        let keep: Vec<usize> = (0..rows).collect();
        *shard = Shard::checked(shard.x().select(Axis(0), &keep), shard.y().select(Axis(0), &keep), bounds).unwrap();
    }
    problem.declaration = Declaration::least_squares(DIM, bounds, Weighting::Pooled, records).unwrap();
    problem
}

/// One party of a deployment draws what it draws in the simulator: a node's release depends on the values of its
/// neighbours only. Here node 2 of four is played alone, fed with the mixed values of the simulator.
#[test]
fn one_party_alone_computes_the_bits_of_the_simulator() {
    struct Replay<'a> {
        mixed: &'a [Vec<f64>],
        call: usize,
    }
    impl dido_optimizers::Network for Replay<'_> {
        fn average(&mut self, _: u32, x: &mut Rows) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
            x.as_mut_slice().copy_from_slice(&self.mixed[self.call]);
            self.call += 1;
            Ok(())
        }
        fn nodes(&self) -> usize {
            1
        }
    }
    let (problem, weights, played) = (unequal(), ring(4), 2);
    let noise = Noise::Laplace(Schedule::constant(0.05));
    let step = Schedule::constant(0.1);
    let mut everyone = problem.parties(1, Adjacency::ReplaceRecord, None, 9);
    let mut pdgd = ProjectedDgd::new(problem.ball.clone(), step.clone(), 0, everyone.start(&[0.0; DIM]));
    let mut network = InProcess::new(weights.clone());
    let mut mixed = vec![];
    for t in 0..25 {
        let mut p: Public = pdgd.released().clone();
        p.project(&problem.ball);
        let mut out = vec![0.0; DIM];
        weights.mix_range(played..played + 1, DIM, p.rows().as_slice(), &mut out);
        mixed.push(out);
        run(&mut pdgd, &mut everyone, &mut network, &noise, t..t + 1, |_, _, _| true).unwrap();
    }
    let bounds = problem.declaration.bounds();
    let own = problem.declaration.records()[played];
    let all: usize = problem.declaration.records().iter().sum();
    let declaration = Declaration::least_squares(DIM, bounds, Weighting::Pooled, vec![own]).unwrap();
    let declaration = declaration.within(4, all).unwrap();
    let key = common::keys(9, 4, 1).swap_remove(played);
    let gate =
        Gate::simulated(Adjacency::ReplaceRecord, dido_mechanisms::Adversary::AllMessages, &[0], None, vec![key]);
    let mut alone = dido_optimizers::Parties::new(declaration, &problem.shards[played..=played], 1, gate).unwrap();
    let mut own = ProjectedDgd::new(problem.ball.clone(), step, 0, alone.start(&[0.0; DIM]));
    run(&mut own, &mut alone, &mut Replay { mixed: &mixed, call: 0 }, &noise, 0..25, |_, _, _| true).unwrap();
    assert_eq!(own.released().rows().row(0, 0), pdgd.released().rows().row(played, 0));
}
