//! Networks of parties with their data, drawn at random, for property tests: strategies of
//! [proptest](https://docs.rs/proptest).
//!
//! What an algorithm of one's own owes, on any graph, data and schedule: that its plan is its ledger, and that no transcript
//! tells two adjacent data sets apart better than the ledger says.
//!
//! ```
//! use dido_geometry::{L2Ball, Set};
//! use dido_mechanisms::{Accountant, Adjacency, Adversary, Public, Pure};
//! use dido_optimizers::strategies::{instances, losses, schedules};
//! use dido_optimizers::{Algorithm, Node, Noise, Parties, Sampling, Stop, audit, plan, run};
//! use proptest::prelude::*;
//!
//! /// Every node mixes, and steps from its projected mixed point.
//! struct MixThenStep {
//!     set: Set,
//!     x: Public,
//! }
//!
//! impl Algorithm for MixThenStep {
//!     fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
//!         let mut p = self.x.clone();
//!         node.average(&mut [&mut p])?;
//!         p.project(&self.set);
//!         let all = node.sample(Sampling::All)?;
//!         let g = node.gradient(&p, all)?;
//!         self.x = node.release(g.scale(-0.1).plus(&p))?;
//!         Ok(())
//!     }
//!
//!     fn estimate(&self) -> &Public {
//!         &self.x
//!     }
//!
//!     fn state(&mut self) -> Vec<&mut Public> {
//!         vec![&mut self.x]
//!     }
//! }
//!
//! let rounds = 4;
//! let config = ProptestConfig::with_cases(32);
//! proptest!(config, |(instance in instances(losses(), 2..=6, 1..=3), scale in schedules(0.5..2.0, 1 + rounds))| {
//!     let set = Set::from(L2Ball::new(1.0).unwrap());
//!     let start = |parties: &Parties| MixThenStep { set: set.clone(), x: parties.start(&vec![0.0; instance.dim()]) };
//!     let noise = Noise::Laplace(scale);
//!     let (adjacency, adversary) = (Adjacency::ReplaceRecord, Adversary::AllMessages);
//!     let planned = plan(&instance.declaration, adjacency, adversary, None, &noise, rounds, |p| Box::new(start(p)))?;
//!
//!     let mut parties = instance.parties(adjacency, 1, 7)?;
//!     let mut algorithm = start(&parties);
//!     run(&mut algorithm, &mut parties, &mut instance.network(), &noise, 0..rounds, |_, _, _| true)?;
//!     prop_assert_eq!(parties.gate().ledger(), &planned);
//!
//!     // The adversary knows everything but one record of node 0, and sees every message.
//!     let audited = audit::Audited {
//!         declaration: &instance.declaration,
//!         adjacency,
//!         noise: &noise,
//!         rounds,
//!         algorithm: &|parties| Box::new(start(parties)),
//!         network: &|| Box::new(instance.network()),
//!     };
//!     let row = instance.shards[0].x().row(0).iter().map(|x| -x).collect();
//!     let target = -instance.shards[0].y()[0];
//!     let mut other = instance.shards.clone();
//!     other[0] = audit::with_records(&other[0], [(0, (row, target))])?;
//!     let seen = audited.record(&instance.shards, 1, instance.keys(1, 8))?.transcript;
//!     let loss = audited.compare(&seen, &instance.shards, &other)?.losses[0];
//!     let epsilon = Pure.bound(&planned, 0.0)?.epsilon;
//!     prop_assert!(loss.abs() <= epsilon * (1.0 + 1e-9), "{} {}", loss, epsilon);
//! });
//! ```

use std::ops::{Range, RangeInclusive};

use dido_mechanisms::{Adjacency, Adversary, Gate, Key};
use dido_problems::strategies::Targets;
use dido_problems::{Loss, RecordBounds, Shard, Weighting};
use dido_topology::{Graph, MixingMatrix};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, prop_oneof};

pub use dido_problems::strategies::{bounds, losses, shards};
pub use dido_topology::strategies::{graphs, mixing};

use crate::{Declaration, InProcess, OptimizerError, Parties, Schedule};

/// A network of parties: who talks to whom, what they declare, and what they hold.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Who talks to whom.
    pub graph: Graph,
    /// The mixing weights, negative ones too.
    pub weights: MixingMatrix,
    /// What the parties declare.
    pub declaration: Declaration,
    /// What they hold: between one and five records each, within the declared bounds.
    pub shards: Vec<Shard>,
}

impl Instance {
    /// Coordinates of a point.
    pub fn dim(&self) -> usize {
        self.declaration.dim()
    }

    /// One key for each (node, lane), from a seed.
    pub fn keys(&self, lanes: u32, seed: u64) -> Vec<Key> {
        let nodes = (0..).take(self.declaration.nodes());
        nodes.flat_map(|node| (0..lanes).map(move |lane| Key::derive(seed, node, lane))).collect()
    }

    /// The parties with their data behind a gate that draws its noise from [`keys`](Self::keys) and has no budget, against
    /// an adversary who sees all messages.
    ///
    /// # Errors
    /// If there is no lane.
    pub fn parties(&self, adjacency: Adjacency, lanes: u32, seed: u64) -> Result<Parties, OptimizerError> {
        let keys = self.keys(lanes, seed);
        let gate = Gate::simulated(adjacency, Adversary::AllMessages, self.declaration.class_of(), None, keys);
        Parties::new(self.declaration.clone(), &self.shards, lanes as usize, gate)
    }

    /// All nodes in this process.
    pub fn network(&self) -> InProcess {
        InProcess::new(self.weights.clone())
    }
}

/// Parties with a loss of these, on so many nodes, with points of so many coordinates: any graph, weights, bounds, weighting,
/// and records within the bounds. Targets of two classes are -1 and 1.
pub fn instances(
    losses: impl Strategy<Value = Loss>,
    nodes: RangeInclusive<usize>,
    dim: RangeInclusive<usize>,
) -> impl Strategy<Value = Instance> {
    let weighting = prop_oneof![Just(Weighting::Pooled), Just(Weighting::NodeMean), Just(Weighting::Sum)];
    (losses, mixing(nodes), bounds(), dim, weighting).prop_flat_map(
        |(loss, (graph, weights), bounds, dim, weighting)| {
            let targets = Targets::of(loss);
            let bounds = match targets {
                Targets::Numbers => bounds,
                Targets::Classes => RecordBounds::new(bounds.row_norm(), 1.0).unwrap_or(bounds),
            };
            let shards = vec(shards(targets, bounds, 1..=5, dim), graph.nodes());
            shards.prop_filter_map("a declaration", move |shards| {
                let records = shards.iter().map(Shard::records).collect();
                let declaration = Declaration::new(loss, dim, bounds, weighting, records).ok()?;
                Some(Instance { graph: graph.clone(), weights: weights.clone(), declaration, shards })
            })
        },
    )
}

/// Schedules that begin in this range and never grow, for so many rounds at least: constant, power and geometric decay, and
/// tables.
pub fn schedules(first: Range<f64>, rounds: u32) -> impl Strategy<Value = Schedule> {
    let table = vec(0.5..=1.0, rounds as usize).prop_map(|ratios| {
        let products = ratios.iter().scan(1.0, |product, ratio| {
            *product *= ratio;
            Some(*product)
        });
        Schedule::table(products.collect())
    });
    let shape = prop_oneof![
        Just(Schedule::constant(1.0)),
        (0.5..10.0, 0.0..1.0).prop_map(|(d, e)| Schedule::power(1.0, d, e)),
        (0.8..1.0).prop_map(|q| Schedule::geometric(1.0, q)),
        table,
    ];
    (first, shape).prop_map(|(first, shape)| shape.scaled(first / shape.at(0)))
}
