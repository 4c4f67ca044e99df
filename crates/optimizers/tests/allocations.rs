//! A round in steady state allocates nothing: every buffer comes from the pool.
//!
//! The only test of its binary: the heap is counted for the whole process.

mod common;

use common::problem;
use dido_mechanisms::{Adjacency, Budget};
use dido_optimizers::{InProcess, Noise, ProjectedDgd, Schedule, run};
use dido_problems::Weighting;
use dido_topology::{families, weights};

#[global_allocator]
static HEAP: dhat::Alloc = dhat::Alloc;

/// Nothing is random about it: one thread does everything, in a fixed order.
#[test]
fn a_round_allocates_nothing_in_steady_state() {
    let _profiler = dhat::Profiler::builder().testing().build();
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    one_thread.install(|| {
        for lanes in [1, 3] {
            let problem = problem(1, 12, 20, 7, Weighting::Pooled);
            let budget = Some(Budget::new(1e3, 1e-5).unwrap());
            let mut parties = problem.parties(lanes, Adjacency::ReplaceRecord, budget, 5);
            let mut network = InProcess::new(weights::metropolis(&families::ring(12).unwrap()));
            let start = parties.start(&[0.0; 7]);
            // Half of the ball's radius as noise: some points are projected, others not.
            let mut algorithm = ProjectedDgd::new(problem.ball.clone(), Schedule::constant(0.1), 5, start);
            let noise = Noise::Laplace(Schedule::constant(0.5));

            run(&mut algorithm, &mut parties, &mut network, &noise, 0..10, |_, _, _| true).unwrap();
            let before = dhat::HeapStats::get().total_blocks;
            run(&mut algorithm, &mut parties, &mut network, &noise, 10..60, |_, _, _| true).unwrap();
            let after = dhat::HeapStats::get().total_blocks;
            assert_eq!(after - before, 0, "blocks allocated in 50 rounds of {lanes} lanes");
            assert_eq!(parties.gate().ledger().releases_per_node(), 60);
        }
    });
}
