//! Exact noise: integers only, on a grid.
//!
//! # Precision
//! Values are rounded to a [`Grid`] and the noise is a whole number of its steps, drawn from its law without any
//! rounding: so what can come up does not depend on the value, and the guarantee that was proved for the noise holds
//! for the numbers that leave. The distance of the law from the ideal one is below `2^-2000`, where a draw is given up
//! (see [`MechanismError::BrokenGenerator`]), for a generator whose words are uniform and independent; hence the
//! `CryptoRng` in the signatures. What is **not** hidden is time: how long a draw takes depends on it.
//!
//! Two ways to get from numbers to the grid:
//! * the vector is rounded to the nearest grid point, which adds to its sensitivity: [`Grid::inflated`];
//! * each record is truncated and measured in integers, and the integers are summed: [`RecordSum`]. Nothing is added.

mod coin;
mod gaussian;
mod grid;
mod laplace;
mod records;

pub use gaussian::DiscreteGaussian;
pub use grid::Grid;
pub use laplace::DiscreteLaplace;
pub use records::RecordSum;

use dido_geometry::Rows;
use rand::CryptoRng;

use crate::{Event, Key, MechanismError, Sensitivity, Stream};

/// Independent noise on a grid; what a deployed party uses.
pub trait ExactNoise {
    /// The grid of the noise, and of everything that is released with it.
    fn grid(&self) -> Grid;

    /// The release of a vector of `dim` numbers, as the ledger records it.
    ///
    /// `sensitivity` is that of the vector **on the grid**: [`Grid::inflated`] if it was rounded to it,
    /// [`RecordSum::sensitivity`] as it stands.
    ///
    /// # Errors
    /// If the sensitivity is more than `2^62` steps, or `dim` is 0.
    fn event(&self, sensitivity: Sensitivity, dim: usize) -> Result<Event, MechanismError>;

    /// One draw, in steps of the grid; it saturates at the ends of `i64`.
    ///
    /// # Errors
    /// If `rng` is broken.
    fn draw<R: CryptoRng>(&self, rng: &mut R) -> Result<i64, MechanismError>;

    /// Adds noise to whole numbers of steps. Sums saturate, they do not wrap.
    ///
    /// # Errors
    /// If `rng` is broken. `steps` must then be thrown away: part of it is without noise.
    fn add_to_steps<R: CryptoRng>(&self, rng: &mut R, steps: &mut [i64]) -> Result<(), MechanismError> {
        steps.iter_mut().try_for_each(|steps| {
            *steps = steps.saturating_add(self.draw(rng)?);
            Ok(())
        })
    }

    /// Rounds `vector` to the grid and adds noise: every number is a multiple of the step then, and zero has no sign.
    ///
    /// # Errors
    /// If a number is not finite, or `rng` is broken. `vector` must then be thrown away: part of it is without noise.
    fn add<R: CryptoRng>(&self, rng: &mut R, vector: &mut [f64]) -> Result<(), MechanismError> {
        let grid = self.grid();
        if let Some(position) = vector.iter().position(|x| !x.is_finite()) {
            return Err(MechanismError::NotFinite { position });
        }
        vector.iter_mut().try_for_each(|x| {
            *x = grid.value(grid.nearest(*x).saturating_add(self.draw(rng)?));
            Ok(())
        })
    }

    /// As [`add`](Self::add), for a bundle whose rows have a key each, per (node, lane) in the order of the rows. The
    /// noise of a row comes from `ChaCha20` and is a function of its own key and `stream` alone: exact, and as secret
    /// as the key.
    ///
    /// # Errors
    /// As [`add`](Self::add), and if the number of keys is not that of the rows.
    fn add_keyed(&self, keys: &[Key], stream: Stream, rows: &mut Rows) -> Result<(), MechanismError> {
        let dim = rows.shape().dim;
        self.add_keyed_range(keys, stream, rows.as_mut_slice(), dim)
    }

    /// As [`add_keyed`](Self::add_keyed), for a contiguous range of rows of `dim` numbers: ranges may be given to
    /// several threads, and the bits are those of one call on the whole.
    ///
    /// # Errors
    /// As [`add`](Self::add), and if `rows` is not `keys.len()` rows of `dim` numbers.
    fn add_keyed_range(
        &self,
        keys: &[Key],
        stream: Stream,
        rows: &mut [f64],
        dim: usize,
    ) -> Result<(), MechanismError> {
        if keys.len().checked_mul(dim) != Some(rows.len()) {
            return Err(MechanismError::Keys { keys: keys.len(), numbers: rows.len(), dim });
        }
        if rows.is_empty() {
            return Ok(());
        }
        keys.iter()
            .zip(rows.chunks_exact_mut(dim))
            .try_for_each(|(key, row)| self.add(&mut key.strong_rng(stream), row))
    }
}
