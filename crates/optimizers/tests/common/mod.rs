//! Random problems and small helpers shared by the tests of this crate.
#![allow(dead_code, reason = "each test binary uses its own part")]

use chacha20::ChaCha8Rng;
use dido_geometry::{L2Ball, Rows, Set};
use dido_mechanisms::{Adjacency, Adversary, Budget, Gate, Key, Public};
use dido_optimizers::{Algorithm, Clip, Declaration, InProcess, Network, NetworkError, Node, Parties, Sampling, Stop};
use dido_problems::{RecordBounds, Shard, Weighting};
use dido_topology::MixingMatrix;
use ndarray::{Array1, Array2};
use rand::{RngExt, SeedableRng};

/// A least-squares problem whose data meet their bounds.
pub struct Problem {
    pub declaration: Declaration,
    pub shards: Vec<Shard>,
    /// The minimiser of the sum of the nodes' objectives, well inside the ball.
    pub optimum: Array1<f64>,
    pub ball: Set,
    pub radius: f64,
}

/// `nodes` nodes with `rows` rows each of norm at most 1, drawn from `seed`; targets follow a linear model inside a
/// ball of radius 1.
pub fn problem(seed: u64, nodes: usize, rows: usize, dim: usize, weighting: Weighting) -> Problem {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut uniform = move || rng.random_range(-1.0..1.0);
    let truth = Array1::from_shape_simple_fn(dim, || 0.5 * uniform() / (dim as f64).sqrt());
    let bounds = RecordBounds::new(1.0, 1.0).unwrap();
    let shards: Vec<Shard> = (0..nodes)
        .map(|_| {
            let x = Array2::from_shape_simple_fn((rows, dim), || uniform() / (dim as f64).sqrt());
            let y = x.dot(&truth) + Array1::from_shape_simple_fn(rows, || 0.05 * uniform());
            Shard::checked(x, y, bounds).unwrap()
        })
        .collect();
    let declaration = Declaration::least_squares(dim, bounds, weighting, vec![rows; nodes]).unwrap();
    let (gram, moment) = shards.iter().fold((Array2::zeros((dim, dim)), Array1::zeros(dim)), |(g, c), s| {
        (g + s.x().t().dot(&s.x()), c + s.x().t().dot(&s.y()))
    });
    let optimum = dido_linalg::solve_positive_definite(gram.view(), moment.view()).unwrap();
    assert!(optimum.dot(&optimum).sqrt() < 0.9, "the optimum lies inside the ball");
    Problem { declaration, shards, optimum, ball: L2Ball::new(1.0).unwrap().into(), radius: 1.0 }
}

impl Problem {
    /// Parties on this problem's data, with noise keys from `seed`.
    pub fn parties(&self, lanes: usize, adjacency: Adjacency, budget: Option<Budget>, seed: u64) -> Parties {
        parties(&self.declaration, &self.shards, lanes, adjacency, budget, seed)
    }
}

/// Parties with noise keys from `seed`.
pub fn parties(
    declaration: &Declaration,
    shards: &[Shard],
    lanes: usize,
    adjacency: Adjacency,
    budget: Option<Budget>,
    seed: u64,
) -> Parties {
    let gate = Gate::simulated(
        adjacency,
        Adversary::AllMessages,
        declaration.class_of(),
        budget,
        keys(seed, declaration.nodes(), lanes),
    );
    Parties::new(declaration.clone(), shards, lanes, gate).unwrap()
}

/// One key for each (node, lane).
pub fn keys(seed: u64, nodes: usize, lanes: usize) -> Vec<Key> {
    let (nodes, lanes) = (u32::try_from(nodes).unwrap(), u32::try_from(lanes).unwrap());
    (0..nodes).flat_map(|node| (0..lanes).map(move |lane| Key::derive(seed, node, lane))).collect()
}

/// `|a - b| <= tolerance * max(1, |b|)`.
pub fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * b.abs().max(1.0)
}

/// Keeps what is sent.
pub struct Spy {
    inner: InProcess,
    pub sent: Vec<Rows>,
}

impl Spy {
    pub fn new(weights: &MixingMatrix) -> Self {
        Self { inner: InProcess::new(weights.clone()), sent: vec![] }
    }
}

impl Network for Spy {
    fn average(&mut self, round: u32, x: &mut Rows) -> Result<(), NetworkError> {
        self.sent.push(x.clone());
        self.inner.average(round, x)
    }

    fn nodes(&self) -> usize {
        self.inner.nodes()
    }
}

/// Looks at a sample in each round, at the same points, and releases what it sees.
pub struct Peek {
    pub point: Public,
    pub sampling: Sampling,
    pub clip: Option<Clip>,
    pub seen: Public,
}

impl Peek {
    pub fn new(point: Public, sampling: Sampling, clip: Option<Clip>) -> Self {
        Self { seen: point.clone(), point, sampling, clip }
    }
}

impl Algorithm for Peek {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        let batch = node.sample(self.sampling)?;
        let g = Clip::gradient(self.clip, node, &self.point, batch)?;
        self.seen = node.release(g)?;
        Ok(())
    }

    fn estimate(&self) -> &Public {
        &self.seen
    }

    fn state(&mut self) -> Vec<&mut Public> {
        vec![&mut self.seen]
    }
}
