//! Values that have looked at data.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use dido_geometry::{Rows, Set};

use crate::{Adjacency, Norm, Public};

/// Which records the nodes look at in this round. A batch pays for one look: it is consumed by it.
#[derive(Debug)]
pub struct Batch<'r> {
    round: PhantomData<&'r ()>,
}

impl Batch<'_> {
    /// All records of all nodes: nothing is sampled, so nothing is amplified.
    pub fn all() -> Self {
        Self { round: PhantomData }
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
    /// The look at the data that was paid for; later, what it is worth.
    _batch: Batch<'r>,
}

impl<'r> Private<'r> {
    /// Hides `rows`, computed from the records of `batch`: the row of a node in class `c` moves by at most `base[c]` in
    /// `norm` between adjacent data sets.
    pub fn new(batch: Batch<'r>, mut rows: Rows, base: Arc<[f64]>, norm: Norm, adjacency: Adjacency) -> Self {
        rows.set_secret(true);
        Self { rows, base, norm, adjacency, factor: 1.0, pending: 1.0, _batch: batch }
    }

    /// `factor * self`; the sensitivity is multiplied by `|factor|`.
    #[must_use]
    pub fn scale(mut self, factor: f64) -> Self {
        self.factor *= factor.abs();
        self.pending *= factor;
        self
    }

    /// `self + other`; the sensitivity stays, since `other` is the same for adjacent data sets.
    ///
    /// # Panics
    /// If the shapes differ.
    #[must_use]
    pub fn plus(mut self, other: &Public) -> Self {
        assert_eq!(self.rows.shape(), other.rows().shape(), "a sum needs bundles of one shape");
        let factor = std::mem::replace(&mut self.pending, 1.0);
        scale_add(factor, self.rows.as_mut_slice(), other.rows().as_slice());
        self
    }

    /// The projection on `set`. It is non-expansive in the Euclidean norm only, so an L1 bound survives as an L2 bound
    /// of the same value, and costs `sqrt(dim)` where it is needed as an L1 bound again.
    #[must_use]
    pub fn project(mut self, set: &Set) -> Self {
        self.settle();
        set.project(&mut self.rows);
        self.norm = Norm::L2;
        self
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
