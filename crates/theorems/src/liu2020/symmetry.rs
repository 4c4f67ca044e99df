//! What the algorithm does not depend on: the order of the nodes, and units.

use dido_geometry::{L2Ball, Rows, Set};
use dido_mechanisms::{Adjacency, Adversary, Gate, Key};
use dido_optimizers::{Declaration, InProcess, Noise, Parties, ProjectedDgd, Schedule, run};
use dido_problems::{RecordBounds, Shard, Weighting};
use dido_topology::{Graph, MixingMatrix};
use ndarray::Array2;
use proptest::prelude::{Just, Strategy, any};

use crate::sample::{Regression, regressions};
use crate::{Expected, Theorem, TheoremError};

pub const A9: Theorem = Theorem {
    name: "A9",
    statement: "permuting the nodes permutes what is released; scaling y, the points, the set and v by s scales it by s, to the bit for powers of 2",
    source: "derived from paper A, Algorithm 1",
    assumptions: "least squares as in A7 with noise, any permutation, s = 2^-3 ... 2^3, 20 rounds",
    expected: Expected::Holds,
    cost: 10,
    reaches: 0.0,
    check: |case| {
        let (regression, seed, exponent) = case.draw((regressions(), any::<u64>(), -3..=3))?;
        let nodes = regression.instance.shards.len();
        let order = case.draw(Just((0..nodes).collect::<Vec<_>>()).prop_shuffle())?;
        let plain = Setting::of(&regression, seed);
        let there = plain.released(&regression)?;

        let elsewhere = plain.permuted(&order)?.released(&regression)?;
        for (new, &old) in order.iter().enumerate() {
            let (a, b) = (elsewhere.row(new, 0), there.row(old, 0));
            a.iter().zip(b).for_each(|(a, b)| case.equal(*a, *b, 1e-11));
        }
        let s = 2_f64.powi(exponent);
        let larger = plain.scaled(s)?.released(&regression)?;
        let same = there.as_slice().iter().zip(larger.as_slice()).all(|(a, b)| (a * s).to_bits() == b.to_bits());
        case.require("scaled to the bit", same);
        Ok(())
    },
};

/// A run of projected descent.
struct Setting {
    weights: MixingMatrix,
    graph: Graph,
    shards: Vec<Shard>,
    keys: Vec<Key>,
    radius: f64,
    scale: f64,
}

impl Setting {
    fn of(regression: &Regression, seed: u64) -> Self {
        let instance = &regression.instance;
        Self {
            weights: instance.weights.clone(),
            graph: instance.graph.clone(),
            shards: instance.shards.clone(),
            keys: instance.keys(1, seed),
            radius: regression.radius,
            scale: 0.2 * regression.radius,
        }
    }

    /// The node that was `order[i]` is node `i`.
    fn permuted(&self, order: &[usize]) -> Result<Self, TheoremError> {
        let dense = self.weights.to_dense();
        let moved = Array2::from_shape_fn(dense.dim(), |(i, j)| dense[[order[i], order[j]]]);
        let place = |node: usize| order.iter().position(|&old| old == node).unwrap_or(node);
        let graph = Graph::from_edges(order.len(), self.graph.edges().map(|(i, j)| (place(i), place(j))))?;
        Ok(Self {
            weights: MixingMatrix::from_dense(&graph, moved.view())?,
            graph,
            shards: order.iter().map(|&old| self.shards[old].clone()).collect(),
            keys: order.iter().map(|&old| self.keys[old].clone()).collect(),
            ..*self
        })
    }

    fn scaled(&self, s: f64) -> Result<Self, TheoremError> {
        let larger = |shard: &Shard| {
            let bounds = RecordBounds::new(shard.bounds().row_norm(), shard.bounds().target() * s)?;
            Shard::checked(shard.x().to_owned(), shard.y().mapv(|y| y * s), bounds)
        };
        let shards = self.shards.iter().map(larger).collect::<Result<_, _>>()?;
        let (weights, graph, keys) = (self.weights.clone(), self.graph.clone(), self.keys.clone());
        Ok(Self { weights, graph, shards, keys, radius: self.radius * s, scale: self.scale * s })
    }

    fn released(&self, regression: &Regression) -> Result<Rows, TheoremError> {
        let (bounds, dim) = (self.shards[0].bounds(), self.shards[0].dim());
        let records = self.shards.iter().map(Shard::records).collect();
        let declaration = Declaration::least_squares(dim, bounds, Weighting::Sum, records)?;
        let (adjacency, adversary) = (Adjacency::ReplaceNode, Adversary::AllMessages);
        let gate = Gate::simulated(adjacency, adversary, declaration.class_of(), None, self.keys.clone());
        let mut parties = Parties::new(declaration, &self.shards, 1, gate)?;
        let step = Schedule::power(4.0 * regression.constants.largest_step(), 1.0, 0.5);
        let ball = Set::from(L2Ball::new(self.radius)?);
        let mut pdgd = ProjectedDgd::new(ball, step, 0, parties.start(&vec![0.0; dim]));
        let noise = Noise::Laplace(Schedule::constant(self.scale));
        run(&mut pdgd, &mut parties, &mut InProcess::new(self.weights.clone()), &noise, 0..20, |_, _, _| true)?;
        Ok(pdgd.released().rows().clone())
    }
}
