//! The parties played by this process: their declarations, their data, and the gate in front of it.

use std::sync::Arc;

use dido_geometry::{Pool, Rows, Shape, parallel};
use dido_mechanisms::{Adjacency, Batch, Gate, Ledger, Norm, Private, Public};
use dido_problems::{LeastSquares, Objective, Shard};

use crate::{LeastSquaresDeclaration, OptimizerError, Stop};

/// The parties of a run, with or without their data.
pub struct Parties {
    declaration: LeastSquaresDeclaration,
    /// Nothing in a dry run.
    objective: Option<Box<dyn Objective>>,
    pub(crate) gate: Gate,
    shape: Shape,
    pool: Pool,
    /// The sensitivities of the gradient by class of nodes, at points of the radius they were asked for last.
    sensitivity: (f64, Arc<[f64]>),
}

/// Multiply-adds of a gradient pass below which threads do not pay.
const WORTH_THREADS: usize = 1_000_000;

impl Parties {
    /// Parties with data, one shard per node, that go through `gate`.
    ///
    /// # Errors
    /// If the shards are not what the declaration says, or the gate is for other nodes.
    pub fn new(
        declaration: LeastSquaresDeclaration,
        shards: &[Shard],
        lanes: usize,
        gate: Gate,
    ) -> Result<Self, OptimizerError> {
        let objective: LeastSquares = declaration.objective(gate.ledger().adjacency, shards, lanes)?;
        Self::assemble(declaration, Some(Box::new(objective)), lanes, gate)
    }

    /// Parties of the declared shape without data, for a dry run. The gradient is zero.
    ///
    /// # Errors
    /// If the gate is for other nodes.
    pub fn without_data(
        declaration: LeastSquaresDeclaration,
        lanes: usize,
        gate: Gate,
    ) -> Result<Self, OptimizerError> {
        Self::assemble(declaration, None, lanes, gate)
    }

    fn assemble(
        declaration: LeastSquaresDeclaration,
        objective: Option<Box<dyn Objective>>,
        lanes: usize,
        gate: Gate,
    ) -> Result<Self, OptimizerError> {
        let ledger = gate.ledger();
        if ledger.classes != Ledger::new(ledger.adjacency, ledger.adversary, declaration.class_of()).classes {
            return Err(OptimizerError::Classes);
        }
        let shape = Shape { nodes: declaration.nodes(), lanes, dim: declaration.dim() };
        Ok(Self { declaration, objective, gate, shape, pool: Pool::new(), sensitivity: (f64::NAN, Arc::new([])) })
    }

    /// Nodes, lanes and coordinates.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// What was declared.
    pub fn declaration(&self) -> &LeastSquaresDeclaration {
        &self.declaration
    }

    /// The gate, with the ledger of what has left.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// The gate, to resume an interrupted run.
    pub fn gate_mut(&mut self) -> &mut Gate {
        &mut self.gate
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

    pub(crate) fn gradient<'r>(&mut self, round: u32, x: &Public, batch: Batch<'r>) -> Result<Private<'r>, Stop> {
        let adjacency = self.gate.ledger().adjacency;
        let base = self.sensitivities(adjacency, x.radius());
        let mut out = self.pool.take(self.shape);
        out.set_secret(true);
        match &self.objective {
            None => out.as_mut_slice().fill(0.0),
            Some(objective) => evaluate(objective.as_ref(), x.rows(), &mut out),
        }
        match out.first_non_finite() {
            None => Ok(Private::new(batch, out, base, Norm::L2, adjacency)),
            Some((node, lane, coordinate)) => Err(Stop::Diverged { round, node, lane, coordinate }),
        }
    }

    fn sensitivities(&mut self, adjacency: Adjacency, radius: f64) -> Arc<[f64]> {
        if self.sensitivity.0.to_bits() != radius.to_bits() || self.sensitivity.1.is_empty() {
            self.sensitivity = (radius, self.declaration.l2_by_class(adjacency, radius).into());
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
