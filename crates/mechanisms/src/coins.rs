//! Randomness that must stay secret and is no noise.

use chacha20::ChaCha20Rng;

use crate::{Key, Stream};

/// One generator for each (node, lane), for what must stay secret: which records take part.
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
}
