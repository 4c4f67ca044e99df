//! Bundles of rows and the pool that recycles their buffers.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use ndarray::ArrayView3;

/// The shape of a bundle: `nodes` parties in this process, `lanes` independent repetitions, `dim` coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Parties played by this process: all of them in a simulation, one in a deployment.
    pub nodes: usize,
    /// Independent repetitions on the same data (other noise), side by side.
    pub lanes: usize,
    /// Coordinates of one point.
    pub dim: usize,
}

impl Shape {
    /// Numbers in the bundle.
    pub fn len(self) -> usize {
        self.nodes * self.lanes * self.dim
    }

    /// Whether the bundle holds no number.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// Bytes of a cache line, at whose start a bundle begins: vectors of its numbers then do not straddle two lines, which
/// makes passes over rows that are in a cache up to a quarter faster.
const LINE: usize = 64;
/// Bytes of a number.
const NUMBER: usize = size_of::<f64>();
/// Numbers that a buffer is longer than its bundle, so that the bundle can begin where it should.
const SLACK: usize = LINE / NUMBER - 1;

/// Buffers of dropped bundles, waiting to be used again.
///
/// Taking and giving back are one uncontended lock each; a round of an algorithm allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Pool(Arc<Mutex<Vec<Vec<f64>>>>);

impl Pool {
    /// An empty pool.
    pub fn new() -> Self {
        Self::default()
    }

    /// A bundle with unspecified contents: the caller writes every entry.
    pub fn take(&self, shape: Shape) -> Rows {
        let recycled = self.buffers().pop();
        let mut buffer = recycled.unwrap_or_default();
        buffer.resize(shape.len() + SLACK, f64::NAN);
        let start = (LINE - buffer.as_ptr().addr() % LINE) % LINE / NUMBER;
        Rows { buffer, start, shape, pool: self.clone(), secret: false }
    }

    fn buffers(&self) -> std::sync::MutexGuard<'_, Vec<Vec<f64>>> {
        // A panic elsewhere cannot leave a vector of buffers half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A bundle of rows, `nodes x lanes x dim`, in standard (row-major) order.
///
/// `Clone` takes its buffer from the pool of the original and `Drop` gives it back. The next bundle from the pool finds
/// what the last one left, so a bundle that must not be seen is marked [secret](Rows::set_secret) and wiped first.
#[derive(Debug)]
pub struct Rows {
    /// The numbers are `start..start + shape.len()` of it.
    buffer: Vec<f64>,
    start: usize,
    shape: Shape,
    pool: Pool,
    secret: bool,
}

impl Rows {
    /// A bundle from its numbers in row-major order, with a pool of its own.
    ///
    /// # Panics
    /// If `values` has not `nodes * lanes * dim` entries.
    pub fn from_vec(shape: Shape, values: Vec<f64>) -> Self {
        assert_eq!(values.len(), shape.len(), "a bundle of {shape:?} needs {} numbers", shape.len());
        Self { buffer: values, start: 0, shape, pool: Pool::new(), secret: false }
    }

    /// All zeros, with a pool of its own.
    pub fn zeros(shape: Shape) -> Self {
        Self::from_vec(shape, vec![0.0; shape.len()])
    }

    /// Nodes, lanes and coordinates.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Whether the numbers are to be wiped before the buffer is used again. A copy of a secret bundle is secret.
    pub fn set_secret(&mut self, secret: bool) {
        self.secret = secret;
    }

    /// Another bundle of the same shape and pool with unspecified contents: the caller writes every entry.
    #[must_use]
    pub fn uninitialised_like(&self) -> Self {
        self.pool.take(self.shape())
    }

    /// All numbers, row-major.
    pub fn as_slice(&self) -> &[f64] {
        &self.buffer[self.start..][..self.shape.len()]
    }

    /// All numbers, row-major, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.buffer[self.start..][..self.shape.len()]
    }

    /// The row of one node in one lane.
    pub fn row(&self, node: usize, lane: usize) -> &[f64] {
        let Shape { lanes, dim, .. } = self.shape();
        let start = (node * lanes + lane) * dim;
        &self.as_slice()[start..start + dim]
    }

    /// The bundle as an `ndarray` view, `nodes x lanes x dim`.
    ///
    /// # Panics
    /// Never: the numbers are as many as the shape says.
    pub fn view(&self) -> ArrayView3<'_, f64> {
        let Shape { nodes, lanes, dim } = self.shape;
        ArrayView3::from_shape((nodes, lanes, dim), self.as_slice()).expect("as many numbers as the shape says")
    }

    /// The position (node, lane, coordinate) of the first number that is not finite, if there is one.
    pub fn first_non_finite(&self) -> Option<(usize, usize, usize)> {
        let Shape { lanes, dim, .. } = self.shape();
        if all_finite(self.as_slice()) {
            return None;
        }
        let k = self.as_slice().iter().position(|x| !x.is_finite())?;
        Some((k / (lanes * dim), k / dim % lanes, k % dim))
    }
}

impl Clone for Rows {
    fn clone(&self) -> Self {
        let mut copy = self.uninitialised_like();
        copy.secret = self.secret;
        copy.as_mut_slice().copy_from_slice(self.as_slice());
        copy
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        let mut buffer = mem::take(&mut self.buffer);
        if self.secret {
            buffer.fill(0.0);
        }
        self.pool.buffers().push(buffer);
    }
}

crate::kernel! {
    /// Whether every number is finite.
    fn all_finite(x: &[f64]) -> bool = all_finite_loop;
}

/// Without a branch per entry, and in integers, which may be joined in any order: adding one to an exponent of
/// all ones, which no finite number has, carries into the sign.
#[inline(always)]
fn all_finite_loop(x: &[f64]) -> bool {
    const EXPONENT: u64 = 0x7ff << 52;
    let carries = x.iter().fold(0, |carries, x| carries | ((x.to_bits() & EXPONENT) + (1 << 52)));
    carries >> 63 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { nodes: 2, lanes: 3, dim: 2 };

    #[test]
    fn a_dropped_buffer_is_used_again_and_nothing_is_allocated() {
        let first = Rows::zeros(SHAPE);
        let second = first.clone();
        let address = second.as_slice().as_ptr();
        drop(second);
        let third = first.clone();
        assert_eq!(third.as_slice().as_ptr(), address);
    }

    #[test]
    fn a_bundle_from_a_pool_begins_at_a_cache_line() {
        let pool = Pool::new();
        for dim in 1..40 {
            let rows = pool.take(Shape { nodes: 1, lanes: 1, dim });
            assert_eq!(rows.as_slice().as_ptr().addr() % LINE, 0);
            assert_eq!((rows.as_slice().len(), rows.view().dim()), (dim, (1, 1, dim)));
        }
    }

    #[test]
    fn a_secret_bundle_and_its_copies_are_wiped_when_they_are_dropped() {
        let public = Rows::zeros(SHAPE);
        for released in [false, true] {
            let mut secret = public.clone();
            secret.set_secret(true);
            secret.as_mut_slice().fill(7.0);
            let mut copy = secret.clone();
            copy.set_secret(!released);
            drop(secret);
            drop(copy);
            // The pool gives back the buffer that came last first.
            let next = public.uninitialised_like();
            assert!(next.as_slice().iter().all(|&x| (x > 0.0) == released));
        }
    }

    #[test]
    fn the_first_non_finite_entry_is_found_by_node_lane_and_coordinate() {
        let mut rows = Rows::zeros(SHAPE);
        assert_eq!(rows.first_non_finite(), None);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            rows.as_mut_slice()[6 + 2 * 2 + 1] = bad;
            assert_eq!(rows.first_non_finite(), Some((1, 2, 1)));
        }
    }

    #[test]
    fn numbers_of_any_size_are_finite() {
        for x in [0.0, -0.0, f64::MIN_POSITIVE / 2.0, f64::MIN_POSITIVE, -1.0, f64::MAX, f64::MIN] {
            assert!(all_finite(&[x; 9]), "{x}");
        }
    }
}
