//! The parties played by this process: their declarations, their data, and the gate in front of it.

use std::sync::Arc;

use dido_geometry::{Pool, Rows, Shape, parallel};
use dido_mechanisms::{Adjacency, Batch, Gate, Ledger, MechanismError, Norm, Private, Public, Sampling, SecretCoins};
use dido_problems::{Objective, Shard};
use rand::RngExt;

use crate::{Declaration, OptimizerError, Stop};

/// The parties of a run, with or without their data.
pub struct Parties {
    declaration: Declaration,
    /// Nothing in a dry run.
    pub(crate) objective: Option<Box<dyn Objective>>,
    pub(crate) gate: Gate,
    shape: Shape,
    pub(crate) pool: Pool,
    /// The sensitivities of the gradient that was asked for last.
    sensitivity: (Look, Arc<[f64]>),
    /// How one record is chosen, by class of nodes.
    one_record: Arc<[Sampling]>,
}

/// What the sensitivity of a gradient depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Look {
    /// A bound on the points at which it is taken.
    radius: f64,
    /// Whether it looks at one record in place of all.
    one_record: bool,
}

/// Multiply-adds of a gradient pass below which threads do not pay.
const WORTH_THREADS: usize = 1_000_000;
/// What the choice of a record costs, in multiply-adds.
const DRAW: usize = 1000;

impl Parties {
    /// Parties with data, one shard per node, that go through `gate`.
    ///
    /// # Errors
    /// If the shards are not what the declaration says, or the gate is for other nodes.
    pub fn new(declaration: Declaration, shards: &[Shard], lanes: usize, gate: Gate) -> Result<Self, OptimizerError> {
        let objective = declaration.objective(gate.ledger().adjacency, shards, lanes)?;
        Self::assemble(declaration, Some(objective), lanes, gate)
    }

    /// Parties of the declared shape without data, for a dry run. The gradient is zero.
    ///
    /// # Errors
    /// If the gate is for other nodes.
    pub fn without_data(declaration: Declaration, lanes: usize, gate: Gate) -> Result<Self, OptimizerError> {
        Self::assemble(declaration, None, lanes, gate)
    }

    fn assemble(
        declaration: Declaration,
        objective: Option<Box<dyn Objective>>,
        lanes: usize,
        gate: Gate,
    ) -> Result<Self, OptimizerError> {
        let ledger = gate.ledger();
        if ledger.classes != Ledger::new(ledger.adjacency, ledger.adversary, declaration.class_of()).classes {
            return Err(OptimizerError::Classes);
        }
        let shape = Shape { nodes: declaration.nodes(), lanes, dim: declaration.dim() };
        // Where all records of a node are replaced, so is the one that is looked at, whichever it is.
        let hidden_among = |records: usize| if ledger.adjacency == Adjacency::ReplaceNode { 1 } else { records as u64 };
        let one_record = declaration
            .class_records()
            .iter()
            .map(|&records| Sampling::OneOf { population: hidden_among(records) })
            .collect();
        let sensitivity = (Look { radius: f64::NAN, one_record: false }, Arc::new([]) as Arc<[f64]>);
        Ok(Self { declaration, objective, gate, shape, pool: Pool::new(), sensitivity, one_record })
    }

    /// Nodes, lanes and coordinates.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// What was declared.
    pub fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    /// The gate, with the ledger of what has left.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Continues an interrupted run: see [`Gate::resume`].
    ///
    /// # Errors
    /// If the ledger does not fit the gate.
    pub fn resume(&mut self, ledger: Ledger, round: u32) -> Result<(), MechanismError> {
        self.gate.resume(ledger, round)
    }

    /// A data-free point for every node and lane, with a buffer of the pool of this process.
    ///
    /// # Panics
    /// If `point` has not `dim` coordinates.
    pub fn start(&self, point: &[f64]) -> Public {
        let mut rows = self.pool.take(self.shape);
        for row in rows.as_mut_slice().chunks_exact_mut(self.shape.dim) {
            row.copy_from_slice(point);
        }
        Public::declared(rows)
    }

    /// A batch of one record of every node that is awake.
    ///
    /// # Errors
    /// If records are added or removed: a fixed number of them hides nothing then.
    pub(crate) fn one_record<'r>(&self, awake: Option<Arc<[bool]>>) -> Result<Batch<'r>, MechanismError> {
        let found = self.gate.ledger().adjacency;
        if found == Adjacency::AddRemoveRecord {
            let (sampling, expected) = ("sampling of a fixed size", Adjacency::ReplaceRecord);
            return Err(MechanismError::Sampling { sampling, expected, found });
        }
        Ok(Batch::sampled(Arc::clone(&self.one_record)).of_nodes(awake))
    }

    pub(crate) fn gradient<'r>(&mut self, round: u32, x: &Public, batch: Batch<'r>) -> Result<Private<'r>, Stop> {
        let adjacency = self.gate.ledger().adjacency;
        let one_record = batch.is_sampled();
        // How the record is chosen is decided here, whatever the batch says, and so is the way out.
        let batch = if one_record { self.one_record(batch.awake().cloned())? } else { batch }.through(&self.gate);
        let base = self.sensitivities(x.radius(), one_record);
        let mut out = self.pool.take(self.shape);
        out.set_secret(true);
        match (&self.objective, one_record) {
            (None, _) => out.as_mut_slice().fill(0.0),
            (Some(objective), false) => evaluate(objective.as_ref(), x.rows(), &mut out),
            (Some(objective), true) => {
                if let Some(coins) = self.gate.secret_coins(round)? {
                    evaluate_one_record(objective.as_ref(), &coins, x.rows(), &mut out);
                }
            }
        }
        match out.first_non_finite() {
            None => Ok(Private::new(batch, out, base, Norm::L2, adjacency)),
            Some((node, lane, coordinate)) => Err(Stop::Diverged { round, node, lane, coordinate }),
        }
    }

    /// Whether the gradient at points of norm at most `radius` has a finite sensitivity.
    pub(crate) fn is_bounded(&mut self, radius: f64) -> bool {
        self.sensitivities(radius, false).iter().all(|s| s.is_finite())
    }

    fn sensitivities(&mut self, radius: f64, one_record: bool) -> Arc<[f64]> {
        let look = Look { radius, one_record };
        if self.sensitivity.0 != look {
            let adjacency = self.gate.ledger().adjacency;
            let widths = if one_record {
                self.declaration.l2_of_one_record_by_class(adjacency, radius)
            } else {
                self.declaration.l2_by_class(adjacency, radius)
            };
            self.sensitivity = (look, widths.into());
        }
        Arc::clone(&self.sensitivity.1)
    }
}

fn evaluate(objective: &dyn Objective, x: &Rows, out: &mut Rows) {
    let Shape { nodes, lanes, dim } = x.shape();
    let width = lanes * dim;
    parallel::for_each_range(nodes, out.as_mut_slice(), nodes * width * dim, WORTH_THREADS, |range, out| {
        objective.gradient(range.clone(), &x.as_slice()[range.start * width..range.end * width], out);
    });
}

/// Every node and lane looks at a uniformly random record of its own.
fn evaluate_one_record(objective: &dyn Objective, coins: &SecretCoins<'_>, x: &Rows, out: &mut Rows) {
    let Shape { nodes, lanes, dim } = x.shape();
    let rows = nodes * lanes;
    parallel::for_each_range(rows, out.as_mut_slice(), rows * DRAW, WORTH_THREADS, |range, out| {
        for (row, out) in range.zip(out.chunks_exact_mut(dim)) {
            let node = row / lanes;
            let record = coins.rng(row).random_range(0..objective.records(node));
            objective.record_gradient(node, record, &x.as_slice()[row * dim..][..dim], out);
        }
    });
}
