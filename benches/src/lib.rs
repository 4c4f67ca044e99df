//! Synthetic problems and settings shared by the benchmarks.
//!
//! Everything is made from fixed seeds, so two runs measure the same numbers. The graph is a ring with random chords
//! and Metropolis weights; every record has exactly the declared norm.

use std::time::Duration;

use chacha20::ChaCha8Rng;
use criterion::Criterion;
use dido_geometry::{L2Ball, Set, Shape};
use dido_mechanisms::{Adjacency, Adversary, Budget, Gate, Key};
use dido_optimizers::{Algorithm, Declaration, InProcess, Noise, Parties, run};
use dido_problems::{RecordBounds, Shard, Weighting};
use dido_topology::{Graph, MixingMatrix, weights};
use ndarray::{Array1, Array2};
use rand::{RngExt, SeedableRng};

/// The size of a problem.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// How it is called in the names of the benchmarks.
    pub name: &'static str,
    /// Number of nodes.
    pub nodes: usize,
    /// Records of each node.
    pub records: usize,
    /// Coordinates.
    pub dim: usize,
}

/// From a handful of parties to a thousand.
pub const CASES: [Case; 3] = [
    Case { name: "C1 10 nodes dim 10", nodes: 10, records: 100, dim: 10 },
    Case { name: "C2 100 nodes dim 50", nodes: 100, records: 100, dim: 50 },
    Case { name: "C3 1000 nodes dim 50", nodes: 1000, records: 100, dim: 50 },
];

/// Whether a case with so many lanes is measured: a thousand nodes with 32 lanes would take a minute.
pub fn fits(case: Case, lanes: usize) -> bool {
    case.nodes * lanes <= 3200
}

/// The settings of all benchmarks: about two seconds each, on one thread.
///
/// # Panics
/// If a pool of another size exists already.
pub fn criterion() -> Criterion {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("the benchmarks are the first to use threads");
    Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(20)
        .nresamples(10_000)
}

/// A least-squares problem on a graph.
pub struct Problem {
    /// Its size.
    pub case: Case,
    /// What is public about it.
    pub declaration: Declaration,
    /// One shard per node.
    pub shards: Vec<Shard>,
    /// Metropolis weights on a ring with random chords.
    pub weights: MixingMatrix,
}

impl Problem {
    /// The problem of a size: random directions as rows, targets of a linear model with some noise.
    ///
    /// # Panics
    /// Never: the rows meet their bounds by construction.
    pub fn new(case: Case) -> Self {
        let Case { nodes, records, dim, .. } = case;
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let bounds = RecordBounds::new(1.0, 1.0).expect("positive bounds");
        let truth = Array1::from_shape_simple_fn(dim, || rng.random_range(-1.0..1.0) / (dim as f64).sqrt());
        let shards = (0..nodes).map(|_| {
            let mut x: Array2<f64> = Array2::from_shape_simple_fn((records, dim), || rng.random_range(-1.0..1.0));
            for mut row in x.rows_mut() {
                let norm: f64 = row.dot(&row);
                row /= norm.sqrt();
            }
            let y = x.dot(&truth) + Array1::from_shape_simple_fn(records, || rng.random_range(-0.1..0.1));
            Shard::clipped(x, y, bounds).expect("finite rows")
        });
        let shards = shards.collect();
        let declaration = Declaration::least_squares(dim, bounds, Weighting::Pooled, vec![records; nodes])
            .expect("at least one node, record and coordinate");
        Self { case, declaration, shards, weights: weights::metropolis(&graph(nodes)) }
    }

    /// Nodes, lanes and coordinates of a bundle of this problem.
    pub fn shape(&self, lanes: usize) -> Shape {
        Shape { nodes: self.case.nodes, lanes, dim: self.case.dim }
    }

    /// A run with this noise that keeps a budget it can never exhaust, ready for its first round.
    ///
    /// # Panics
    /// Never: the shards are what was declared.
    pub fn ready<A: Algorithm>(&self, lanes: usize, noise: Noise, algorithm: impl FnOnce(&Parties) -> A) -> Run<A> {
        // Without noise every release costs infinitely much.
        let budget = (noise != Noise::None).then(|| Budget::new(1e12, 1e-5).expect("a budget"));
        let gate = Gate::simulated(
            Adjacency::ReplaceRecord,
            Adversary::AllMessages,
            self.declaration.class_of(),
            budget,
            keys(self.case.nodes, lanes),
        );
        let parties = Parties::new(self.declaration.clone(), &self.shards, lanes, gate).expect("shards as declared");
        let algorithm = algorithm(&parties);
        Run { algorithm, parties, network: InProcess::new(self.weights.clone()), noise, round: 0 }
    }
}

/// A run between two rounds.
pub struct Run<A> {
    algorithm: A,
    parties: Parties,
    network: InProcess,
    noise: Noise,
    round: u32,
}

impl<A: Algorithm> Run<A> {
    /// Plays the next round.
    ///
    /// # Panics
    /// If the round is stopped.
    pub fn next_round(&mut self) {
        let Self { algorithm, parties, network, noise, round } = self;
        run(algorithm, parties, network, noise, *round..*round + 1, |_, _, _| true).expect("nothing stops the round");
        *round += 1;
    }
}

/// The ball that holds the solution, with room to spare: most points are inside it.
///
/// # Panics
/// Never.
pub fn ball() -> Set {
    L2Ball::new(2.0).expect("a positive radius").into()
}

/// One key for each (node, lane).
///
/// # Panics
/// If there are more nodes or lanes than a `u32` counts.
pub fn keys(nodes: usize, lanes: usize) -> Vec<Key> {
    let count = |n: usize| u32::try_from(n).expect("few nodes and lanes");
    (0..count(nodes)).flat_map(|node| (0..count(lanes)).map(move |lane| Key::derive(1, node, lane))).collect()
}

/// A ring with random chords, of mean degree 4 up to 20 nodes and 10 beyond.
fn graph(nodes: usize) -> Graph {
    let degree = if nodes <= 20 { 4 } else { 10 };
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut edges: std::collections::BTreeSet<_> =
        (0..nodes).map(|i| (i, (i + 1) % nodes)).map(|(i, j)| (i.min(j), i.max(j))).collect();
    while edges.len() < nodes * degree / 2 {
        let (i, j) = (rng.random_range(0..nodes), rng.random_range(0..nodes));
        if i != j {
            edges.insert((i.min(j), i.max(j)));
        }
    }
    Graph::from_edges(nodes, edges).expect("a ring is connected")
}
