//! The same bits for any number of threads.

mod common;

use common::problem;
use dido_geometry::Rows;
use dido_mechanisms::Adjacency;
use dido_optimizers::{Algorithm, InProcess, Noise, ProjectedDgd, Schedule, run};
use dido_problems::Weighting;
use dido_topology::{families, weights};

/// Sizes at which gradients (2.5e6 multiply-adds), averages (more than 4e5) and noise (5e4 draws) are all split.
#[test]
fn one_two_and_four_threads_give_the_same_bits() {
    let (nodes, dim) = (1000, 50);
    let problem = problem(1, nodes, 2, dim, Weighting::Sum);
    let graph = families::erdos_renyi(nodes, 0.012, 5).unwrap().graph;
    let multiply_adds = (2 * graph.edges().count() + nodes) * dim;
    assert!(multiply_adds > 400_000, "too small to be split: {multiply_adds}");
    let outputs = |threads: usize| -> (Rows, Rows) {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            let mut parties = problem.parties(1, Adjacency::ReplaceRecord, None, 2);
            let start = parties.start(&vec![0.0; dim]);
            let mut pdgd = ProjectedDgd::new(problem.ball.clone(), Schedule::constant(0.5), 5, start);
            let mut network = InProcess::new(weights::metropolis(&graph));
            let noise = Noise::Laplace(Schedule::constant(0.01));
            run(&mut pdgd, &mut parties, &mut network, &noise, 0..20, |_, _, _| true).unwrap();
            (pdgd.released().rows().clone(), pdgd.estimate().rows().clone())
        })
    };
    let one = outputs(1);
    for threads in [2, 4] {
        let many = outputs(threads);
        assert_eq!(one.0.as_slice(), many.0.as_slice(), "{threads} threads");
        assert_eq!(one.1.as_slice(), many.1.as_slice(), "{threads} threads");
    }
}
