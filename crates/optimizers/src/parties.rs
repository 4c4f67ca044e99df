//! The parties played by this process: their declarations, their data, and the gate in front of it.

use std::sync::Arc;

use dido_geometry::{Pool, Rows, Shape, parallel};
use dido_mechanisms::{
    Batch, Gate, Grid, Ledger, MechanismError, Norm, Private, Public, Sampling as Scheme, SecretCoins,
};
use dido_problems::{Objective, Shard};
use rand::RngExt;
use rand::seq::index;

use crate::{Declaration, Look, OptimizerError, Sampling, Stop};

/// The parties of a run, with or without their data.
pub struct Parties {
    declaration: Declaration,
    /// Nothing in a dry run.
    pub(crate) objective: Option<Box<dyn Objective>>,
    pub(crate) gate: Gate,
    shape: Shape,
    pub(crate) pool: Pool,
    /// What the look that was asked for last can give away.
    bounds: Bounds,
    /// How the records of the last sample are accounted for, by class of nodes.
    schemes: (Sampling, Arc<[Scheme]>),
}

/// By class of nodes: the sensitivity of a look, and how far rounding carries what is computed.
struct Bounds {
    look: Look,
    sensitivity: Arc<[f64]>,
    rounding: Arc<[f64]>,
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
        // The bounds of no look: there is no such radius.
        let (none, look): (Arc<[f64]>, _) = (Arc::new([]), Look::at_all(f64::NAN));
        let bounds = Bounds { look, sensitivity: Arc::clone(&none), rounding: none };
        let schemes = (Sampling::All, Arc::new([]) as Arc<[Scheme]>);
        Ok(Self { declaration, objective, gate, shape, pool: Pool::new(), bounds, schemes })
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

    /// A batch of the nodes that are awake.
    ///
    /// # Errors
    /// If the sample hides nothing of what the gate protects, or there are not so many records.
    pub(crate) fn batch<'r>(&mut self, sampling: Sampling, awake: Option<Arc<[bool]>>) -> Result<Batch<'r>, Stop> {
        Ok(Batch::all().drawn(self.schemes(sampling)?).of_nodes(awake))
    }

    /// How a sample is accounted for, by class of nodes; nothing if all records are looked at.
    fn schemes(&mut self, sampling: Sampling) -> Result<Option<Arc<[Scheme]>>, Stop> {
        if sampling == Sampling::All {
            return Ok(None);
        }
        if self.schemes.0 != sampling {
            let adjacency = self.gate.ledger().adjacency;
            self.schemes = (sampling, sampling.schemes(&self.declaration, adjacency)?);
        }
        Ok(Some(Arc::clone(&self.schemes.1)))
    }

    /// The gradient at `x` from the records of the batch, each of theirs clipped to length `clip`, to leave with noise on
    /// `grid` if there is one.
    pub(crate) fn gradient<'r>(
        &mut self,
        round: u32,
        x: &Public,
        batch: Batch<'r>,
        clip: f64,
        grid: Option<Grid>,
    ) -> Result<Private<'r>, Stop> {
        let look = Look { sampling: Sampling::of(batch.sampling()), clip, radius: x.radius() };
        // How records are chosen is decided here, whatever the batch says, and so is the way out.
        let batch = batch.drawn(self.schemes(look.sampling)?).through(&self.gate);
        if grid.is_some() {
            self.are_not_too_many()?;
        }
        let mut out = self.pool.take(self.shape);
        out.set_secret(true);
        self.look(round, look, x.rows(), &mut out)?;
        if let Some((node, lane, coordinate)) = out.first_non_finite() {
            return Err(Stop::Diverged { round, node, lane, coordinate });
        }
        let adjacency = self.gate.ledger().adjacency;
        let Bounds { sensitivity, rounding, .. } = self.bounds(look);
        let private = Private::new(batch, out, Arc::clone(sensitivity), Norm::L2, adjacency);
        Ok(match grid {
            None => private,
            Some(grid) => private.on_grid(grid, Arc::clone(rounding)),
        })
    }

    /// What the records say: zero if there are none.
    fn look(&mut self, round: u32, look: Look, x: &Rows, out: &mut Rows) -> Result<(), Stop> {
        let Some(objective) = &self.objective else {
            out.as_mut_slice().fill(0.0);
            return Ok(());
        };
        if look.sampling == Sampling::All && look.clip.is_infinite() {
            evaluate(objective.as_ref(), x, out);
            return Ok(());
        }
        let coins = if look.sampling == Sampling::All { None } else { self.gate.secret_coins(round)? };
        let sample = Sample { objective: objective.as_ref(), look, declared: self.declaration.records(), coins };
        sample.evaluate(x, out);
        Ok(())
    }

    /// Whether what a batch says at points of norm at most `radius` has a finite sensitivity.
    pub(crate) fn is_bounded(&mut self, batch: &Batch<'_>, radius: f64) -> bool {
        let look = Look { sampling: Sampling::of(batch.sampling()), ..Look::at_all(radius) };
        self.bounds(look).sensitivity.iter().all(|s| s.is_finite())
    }

    fn bounds(&mut self, look: Look) -> &Bounds {
        if self.bounds.look != look {
            let adjacency = self.gate.ledger().adjacency;
            self.bounds = Bounds {
                look,
                sensitivity: self.declaration.l2_of_look_by_class(adjacency, look).into(),
                rounding: self.declaration.rounding_by_class(adjacency, look).into(),
            };
        }
        &self.bounds
    }

    /// Refuses more records than the bound on the rounding is for.
    pub(crate) fn are_not_too_many(&self) -> Result<(), Stop> {
        let adjacency = self.gate.ledger().adjacency;
        let too_many = |objective: &dyn Objective| {
            let mut nodes = self.declaration.records().iter().enumerate();
            nodes.find(|&(node, &n)| objective.records(node) > Declaration::most_records(adjacency, n))
        };
        match self.objective.as_deref().and_then(too_many) {
            None => Ok(()),
            Some((node, _)) => Err(Stop::ManyRecords { node }),
        }
    }
}

fn evaluate(objective: &dyn Objective, x: &Rows, out: &mut Rows) {
    let Shape { nodes, lanes, dim } = x.shape();
    let width = lanes * dim;
    parallel::for_each_range(nodes, out.as_mut_slice(), nodes * width * dim, WORTH_THREADS, |range, out| {
        objective.gradient(range.clone(), &x.as_slice()[range.start * width..range.end * width], out);
    });
}

/// Every node and lane looks at records of its own choice, one by one.
struct Sample<'a> {
    objective: &'a dyn Objective,
    look: Look,
    /// The records that each node declares.
    declared: &'a [usize],
    /// Nothing where nothing is drawn, or there is nothing to draw from.
    coins: Option<SecretCoins<'a>>,
}

impl Sample<'_> {
    fn evaluate(&self, x: &Rows, out: &mut Rows) {
        let Shape { nodes, lanes, dim } = x.shape();
        let looked_at: usize = self.declared.iter().map(|&records| self.look.sampling.most(records) * dim).sum();
        let cost = lanes * (looked_at + nodes * DRAW);
        parallel::for_each_range(nodes * lanes, out.as_mut_slice(), cost, WORTH_THREADS, |range, out| {
            for (row, out) in range.zip(out.chunks_exact_mut(dim)) {
                out.fill(0.0);
                self.add(row, row / lanes, &x.as_slice()[row * dim..][..dim], out);
            }
        });
    }

    /// To an `out` of zeros.
    fn add(&self, row: usize, node: usize, x: &[f64], out: &mut [f64]) {
        let Look { sampling, clip, .. } = self.look;
        let (records, weight) = (self.objective.records(node), sampling.weight(self.declared[node]));
        let mut add = |records: &mut dyn Iterator<Item = usize>| {
            self.objective.add_record_gradients(node, records, weight, clip, x, out);
        };
        let mut rng = self.coins.as_ref().map(|coins| coins.rng(row));
        match (sampling, &mut rng) {
            (Sampling::All, _) => add(&mut (0..records)),
            (_, None) => {}
            (Sampling::OneRecord, Some(rng)) => add(&mut std::iter::once(rng.random_range(0..records))),
            (Sampling::Records(count), Some(rng)) => add(&mut index::sample(rng, records, count).into_iter()),
            (Sampling::Poisson(rate), Some(rng)) => add(&mut (0..records).filter(|_| rng.random_bool(rate))),
            (Sampling::HiddenOneRecord(activation), Some(rng)) => {
                // The look is taken whatever the coin says, and then discarded: the work is the same.
                let active = rng.random_bool(activation);
                add(&mut std::iter::once(rng.random_range(0..records)));
                for out in out.iter_mut() {
                    *out = if active { *out } else { 0.0 };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use dido_mechanisms::{Adjacency, Adversary, Key};
    use dido_problems::{Loss, RecordBounds, Weighting};
    use ndarray::{Array1, Array2};

    use super::*;

    /// Counts the records that are looked at.
    struct Counted(Box<dyn Objective>, Arc<AtomicUsize>);

    impl Objective for Counted {
        fn nodes(&self) -> usize {
            self.0.nodes()
        }

        fn dim(&self) -> usize {
            self.0.dim()
        }

        fn lanes(&self) -> usize {
            self.0.lanes()
        }

        fn gradient(&self, nodes: Range<usize>, x: &[f64], out: &mut [f64]) {
            self.0.gradient(nodes, x, out);
        }

        fn value(&self, node: usize, x: &[f64]) -> f64 {
            self.0.value(node, x)
        }

        fn scale(&self, node: usize) -> f64 {
            self.0.scale(node)
        }

        fn records(&self, node: usize) -> usize {
            self.0.records(node)
        }

        fn record_gradient(&self, node: usize, record: usize, x: &[f64], out: &mut [f64]) {
            self.0.record_gradient(node, record, x, out);
        }

        fn add_record_gradients(
            &self,
            node: usize,
            records: &mut dyn Iterator<Item = usize>,
            weight: f64,
            clip: f64,
            x: &[f64],
            out: &mut [f64],
        ) {
            let mut records = records.inspect(|_| _ = self.1.fetch_add(1, Ordering::Relaxed));
            self.0.add_record_gradients(node, &mut records, weight, clip, x, out);
        }
    }

    /// Every row looks at one record, whatever its coin says; rows that are not active are zero, the others are what one
    /// record gives.
    #[test]
    fn a_hidden_coin_does_not_change_the_work() {
        let (nodes, records, bounds) = (50, 3, RecordBounds::new(1.0, 1.0).unwrap());
        let declaration = Declaration::new(Loss::Hinge, 2, bounds, Weighting::NodeMean, vec![records; nodes]).unwrap();
        let x = Array2::from_shape_fn((records, 2), |(r, k)| 0.1 + 0.2 * (r + k) as f64);
        let shards = vec![Shard::checked(x.clone(), Array1::ones(records), bounds).unwrap(); nodes];
        let (adjacency, adversary) = (Adjacency::ReplaceRecord, Adversary::HiddenActivation);
        let keys = (0..50).map(|node| Key::derive(4, node, 0)).collect();
        let gate = Gate::simulated(adjacency, adversary, declaration.class_of(), None, keys);
        let mut parties = Parties::new(declaration, &shards, 1, gate).unwrap();
        let count = Arc::new(AtomicUsize::new(0));
        parties.objective = parties.objective.take().map(|inner| Box::new(Counted(inner, count.clone())) as Box<_>);
        let mut out = Rows::zeros(parties.shape());
        let look = Look { sampling: Sampling::HiddenOneRecord(0.4), ..Look::at_all(f64::INFINITY) };
        parties.look(0, look, &Rows::zeros(parties.shape()), &mut out).unwrap();
        assert_eq!(count.load(Ordering::Relaxed), nodes);
        let idle = out.as_slice().chunks_exact(2).filter(|row| row.iter().all(|v| v.to_bits() == 0)).count();
        assert!((15..45).contains(&idle), "{idle}: 30 on average, with a deviation of 3.5");
        let of_one = |row: &[f64]| x.rows().into_iter().any(|x| (0..2).all(|k| (row[k] + x[k]).abs() < 1e-15));
        assert_eq!(out.as_slice().chunks_exact(2).filter(|row| of_one(row)).count(), nodes - idle);
    }
}
