//! Values that have looked at data.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use dido_geometry::{L2Ball, Rows, Set};

use crate::placement::Placement;
use crate::{Adjacency, Gate, Grid, MechanismError, Norm, ObjectivePerturbation, Public, Sampling};

/// Which nodes look at their records in this round, and at which of them. A batch pays for one look: it is consumed by it.
///
/// It says *how* records were chosen, which is public, never *which*.
#[derive(Debug)]
pub struct Batch<'r> {
    /// How the records of each class of nodes were chosen; nothing if all are looked at.
    pub(crate) sampling: Option<Arc<[Sampling]>>,
    /// Which nodes take part; nothing if all do.
    pub(crate) awake: Option<Arc<[bool]>>,
    /// The gate through which what comes of it has to leave; nothing if any will do.
    pub(crate) gate: Option<u64>,
    round: PhantomData<&'r ()>,
}

impl Batch<'_> {
    /// All records of all nodes: nothing is sampled, so nothing is amplified.
    pub fn all() -> Self {
        Self { sampling: None, awake: None, gate: None, round: PhantomData }
    }

    /// Records chosen afresh and in secret, in each class of nodes by its own scheme.
    pub fn sampled(sampling: Arc<[Sampling]>) -> Self {
        Self { sampling: Some(sampling), ..Self::all() }
    }

    /// The same with records that are chosen in another way; all of them if it is nothing.
    #[must_use]
    pub fn drawn(self, sampling: Option<Arc<[Sampling]>>) -> Self {
        Self { sampling, ..self }
    }

    /// Whether records were chosen, rather than all of them looked at.
    pub fn is_sampled(&self) -> bool {
        self.sampling.is_some()
    }

    /// How the records of each class of nodes were chosen; nothing if all are looked at.
    pub fn sampling(&self) -> Option<&Arc<[Sampling]>> {
        self.sampling.as_ref()
    }

    /// Which nodes take part; nothing if all do.
    pub fn awake(&self) -> Option<&Arc<[bool]>> {
        self.awake.as_ref()
    }

    /// The same, but what comes of it can leave through this gate only: whoever holds it cannot bring a gate of their own.
    #[must_use]
    pub fn through(self, gate: &Gate) -> Self {
        Self { gate: Some(gate.id()), ..self }
    }

    /// The same for the nodes that are awake only. The others do not look at their data, release nothing and pay nothing.
    #[must_use]
    pub fn of_nodes(self, awake: Option<Arc<[bool]>>) -> Self {
        Self { awake, ..self }
    }
}

/// A bundle of rows that depends on records, with a bound on how far one change of the data can move each row.
///
/// It has no accessor, is not `Clone`, cannot be sent and cannot outlive its round `'r`: the one thing that can be
/// done with it, apart from the arithmetic below, is to release it. Each operation carries the sensitivity along.
///
/// One that is dropped without being released is wiped: its buffer goes back to a pool from which others are served.
///
/// To *make* a private value from rows is harmless (it hides them); what the maker vouches for is the sensitivity.
pub struct Private<'r> {
    pub(crate) rows: Rows,
    /// Bounds of the rows of each class of nodes, before `factor`.
    pub(crate) base: Arc<[f64]>,
    pub(crate) norm: Norm,
    pub(crate) adjacency: Adjacency,
    /// What the sensitivity has been multiplied with since.
    pub(crate) factor: f64,
    /// What the rows are still to be multiplied with: `scale` followed by `plus` is one pass over memory.
    pending: f64,
    /// Where it is to be rounded to, and how far from what was proved it is; nothing for noise in floating point.
    placement: Option<Placement>,
    /// What was drawn at random already, by class of nodes: then `base` speaks of the error of the solver only.
    pub(crate) perturbed: Option<Arc<[ObjectivePerturbation]>>,
    /// The look at the data that was paid for.
    pub(crate) batch: Batch<'r>,
}

impl<'r> Private<'r> {
    /// Hides `rows`, computed from the records of `batch`: the row of a node in class `c` moves by at most `base[c]` in
    /// `norm` between adjacent data sets. For a sampled batch that is meant for a record *in* the sample. Rows of nodes
    /// that are asleep are set to zero.
    ///
    /// # Panics
    /// If the batch speaks of another number of nodes.
    pub fn new(batch: Batch<'r>, mut rows: Rows, base: Arc<[f64]>, norm: Norm, adjacency: Adjacency) -> Self {
        rows.set_secret(true);
        if let Some(awake) = &batch.awake {
            assert_eq!(awake.len(), rows.shape().nodes, "a batch says of every node whether it is awake");
            let width = rows.shape().lanes * rows.shape().dim;
            for (node, _) in awake.iter().enumerate().filter(|(_, awake)| !**awake) {
                rows.as_mut_slice()[node * width..][..width].fill(0.0);
            }
        }
        Self { rows, base, norm, adjacency, factor: 1.0, pending: 1.0, placement: None, perturbed: None, batch }
    }

    /// The same for minimisers of objectives with a secret random term: `base` bounds how far the *errors* of the solver move,
    /// the rest is what `perturbed` says of each class. It leaves with Gaussian noise on the error, or not at all.
    #[must_use]
    pub fn of_perturbed_objectives(self, perturbed: Arc<[ObjectivePerturbation]>) -> Self {
        Self { perturbed: Some(perturbed), ..self }
    }

    /// The same, to leave with noise on `grid`: the row of a node in class `c`, as it was computed, is within `rounding[c]`
    /// (in the norm of the sensitivity) of one for which the sensitivity was proved. The bound has to follow from public
    /// numbers, and to leave room for the rounding of four products with every coordinate.
    ///
    /// Public values are then added in whole steps of the grid, so that how large they are does not matter: see
    /// [`plus`](Self::plus). Whatever else is done to the value either has a bound of its own, or makes its release fail. A
    /// value that has a grid and a bound keeps them: nobody can talk them down later.
    #[must_use]
    pub fn on_grid(mut self, grid: Grid, rounding: Arc<[f64]>) -> Self {
        self.placement.get_or_insert_with(|| Placement::new(grid, rounding));
        self
    }

    /// `factor * self`; the sensitivity is multiplied by `|factor|`.
    #[must_use]
    pub fn scale(mut self, factor: f64) -> Self {
        self.factor *= factor.abs();
        self.pending *= factor;
        if let Some(placement) = &mut self.placement {
            placement.scaled();
        }
        self
    }

    /// `self + other`; the sensitivity stays, since `other` is the same for adjacent data sets.
    ///
    /// A value that is to leave with [noise on a grid](Self::on_grid) is rounded to it first, and so is `other`, each cut
    /// off at `2^51` steps: the sum has no rounding error then.
    ///
    /// # Panics
    /// If the shapes differ.
    #[must_use]
    pub fn plus(mut self, other: &Public) -> Self {
        assert_eq!(self.rows.shape(), other.rows().shape(), "a sum needs bundles of one shape");
        let factor = std::mem::replace(&mut self.pending, 1.0);
        match &mut self.placement {
            None => scale_add(factor, self.rows.as_mut_slice(), other.rows().as_slice()),
            Some(placement) => {
                let width = self.rows.shape().lanes * self.rows.shape().dim;
                let rows =
                    self.rows.as_mut_slice().chunks_exact_mut(width).zip(other.rows().as_slice().chunks_exact(width));
                for (node, (x, y)) in rows.enumerate() {
                    // What a node that sleeps holds is public, and stays as it is.
                    if self.batch.awake.as_ref().is_none_or(|awake| awake[node]) {
                        placement.add(factor, x, y);
                    } else {
                        scale_add(factor, x, y);
                    }
                }
            }
        }
        self
    }

    /// The projection on `set`. It is non-expansive in the Euclidean norm only, so an L1 bound survives as an L2 bound
    /// of the same value, and costs `sqrt(dim)` where it is needed as an L1 bound again. A projection that is computed to
    /// a tolerance only ([`Set::is_exact`]) has no finite sensitivity.
    #[must_use]
    pub fn project(mut self, set: &Set) -> Self {
        self.settle();
        if !set.is_exact() {
            self.factor = f64::INFINITY;
        }
        set.project(&mut self.rows);
        self.norm = Norm::L2;
        if let Some(placement) = &mut self.placement {
            placement.projected(set, self.rows.shape().dim);
        }
        self
    }

    /// Scales every row that is longer than `norm` down to that length: afterwards it moves by at most `2 norm` in the
    /// Euclidean norm, or by the bound it had.
    ///
    /// # Errors
    /// If `norm` is not finite and positive.
    pub fn clip(mut self, norm: f64) -> Result<Self, MechanismError> {
        let ball = L2Ball::new(norm).map_err(|_| MechanismError::Bound { name: "clipping norm", value: norm })?;
        let placement = self.placement.take();
        let factor = self.factor;
        self = self.project(&ball.into());
        self.placement = placement.map(|placement| placement.clipped(norm, &self.base, factor, self.rows.shape().dim));
        self.base = self.base.iter().map(|base| (base * self.factor).min(2.0 * norm)).collect();
        self.factor = 1.0;
        Ok(self)
    }

    /// What the float error of an event on `grid` has to allow for in a class of nodes.
    ///
    /// # Errors
    /// If the value was placed on another grid.
    pub(crate) fn rounding(&self, class: usize, grid: Grid) -> Result<f64, MechanismError> {
        let dim = self.rows.shape().dim;
        self.placement
            .as_ref()
            .map_or(Ok(0.0), |placement| placement.rounding(class, self.factor, grid, self.norm, dim))
    }

    /// Carries out the multiplication that is still pending.
    pub(crate) fn settle(&mut self) {
        let factor = std::mem::replace(&mut self.pending, 1.0);
        #[expect(clippy::float_cmp, reason = "exactly 1 means that nothing is pending")]
        if factor != 1.0 {
            self.rows.as_mut_slice().iter_mut().for_each(|x| *x *= factor);
        }
    }
}

/// Shows the shape and the sensitivity, never the numbers.
impl fmt::Debug for Private<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { base, norm, adjacency, factor, .. } = self;
        write!(f, "Private({:?}, {factor} * {base:?} in {norm:?}, {adjacency})", self.rows.shape())
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "the body of a kernel is inlined into each instruction set")]
fn scale_add_loop(factor: f64, x: &mut [f64], y: &[f64]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x = factor * *x + y;
    }
}

dido_geometry::kernel! {
    /// `x <- factor x + y`.
    fn scale_add(factor: f64, x: &mut [f64], y: &[f64]) = scale_add_loop;
}
