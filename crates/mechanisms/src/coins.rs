//! Randomness that must stay secret and is no noise.

use chacha20::ChaCha20Rng;

use dido_geometry::Rows;

use crate::{Gaussian, Key, MechanismError, Stream};

/// One generator for each (node, lane), for what must stay secret: which records take part, or a random term in what is
/// minimised.
#[derive(Debug)]
pub struct SecretCoins<'g> {
    pub(crate) keys: &'g [Key],
    pub(crate) stream: Stream,
}

impl SecretCoins<'_> {
    /// The generator of a row, `node * lanes + lane`.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn rng(&self, row: usize) -> ChaCha20Rng {
        self.keys[row].strong_rng(self.stream)
    }

    /// Adds floating-point noise that is not to leave by itself; the coins are used up by it.
    ///
    /// # Errors
    /// If there are other rows than coins.
    pub fn add_gaussian(self, noise: Gaussian, rows: &mut Rows) -> Result<(), MechanismError> {
        noise.add_simulated(self.keys, self.stream, rows)
    }
}
