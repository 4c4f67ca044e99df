//! Where all randomness comes from: (key, round, purpose, draw), and nothing else.

use std::fmt;

use chacha20::{ChaCha8Rng, ChaCha20Rng};
use rand::rngs::SysRng;
use rand::{SeedableRng, TryRng};
use sha2::{Digest, Sha256};

use crate::MechanismError;

/// The secret of one node in one lane: 256 bits, of which every stream of random numbers is a function.
///
/// Never shown: `Debug` prints no byte of it.
#[derive(Clone)]
pub struct Key([u8; 32]);

impl Key {
    /// Separates these digests from every other use of SHA-256 on the same numbers.
    const LABEL: &[u8] = b"dido simulated key 1";
    /// The same for the keys of pairs.
    const PAIR_LABEL: &[u8] = b"dido simulated pair key 1";

    /// The key of a simulated node: SHA-256 of a label, `seed`, `node` and `lane` (little-endian).
    ///
    /// Whoever knows the seed knows all the noise: such a key is for simulations.
    pub fn derive(seed: u64, node: u32, lane: u32) -> Self {
        let digest = Sha256::new()
            .chain_update(Self::LABEL)
            .chain_update(seed.to_le_bytes())
            .chain_update(node.to_le_bytes())
            .chain_update(lane.to_le_bytes())
            .finalize();
        Self(digest.into())
    }

    /// The key that two simulated nodes share, whichever of them is named first: SHA-256 of a label of its own, `seed`, the
    /// smaller and the larger node and `lane`. Two deployed parties agree on one instead, and keep it with
    /// [`from_bytes`](Self::from_bytes).
    pub fn derive_pair(seed: u64, i: u32, j: u32, lane: u32) -> Self {
        let digest = Sha256::new()
            .chain_update(Self::PAIR_LABEL)
            .chain_update(seed.to_le_bytes())
            .chain_update(i.min(j).to_le_bytes())
            .chain_update(i.max(j).to_le_bytes())
            .chain_update(lane.to_le_bytes())
            .finalize();
        Self(digest.into())
    }

    /// A fresh key from the operating system: what a deployed party uses.
    ///
    /// # Errors
    /// If the operating system has no entropy to give.
    pub fn from_os() -> Result<Self, MechanismError> {
        let mut bytes = [0; 32];
        SysRng.try_fill_bytes(&mut bytes).map_err(|error| MechanismError::Entropy(error.to_string()))?;
        Ok(Self(bytes))
    }

    /// A key from its bytes, for instance those of a checkpoint.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes, to be kept as secret as the data.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The `ChaCha8` generator of one stream, at its first word.
    pub fn rng(&self, stream: Stream) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::from_seed(self.0);
        rng.set_stream(stream.number());
        rng.set_word_pos(0);
        rng
    }

    /// The `ChaCha20` generator of one stream, at its first word: for the noise that a deployed party relies on.
    pub fn strong_rng(&self, stream: Stream) -> ChaCha20Rng {
        let mut rng = ChaCha20Rng::from_seed(self.0);
        rng.set_stream(stream.number());
        rng.set_word_pos(0);
        rng
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(secret)")
    }
}

/// What random numbers are drawn for. Each purpose has its own streams, so none can repeat the bits of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Hiding a value.
    Noise = 0,
    /// Choosing records in secret.
    Sampling = 1,
    /// Decisions that all parties see: who is awake, which graph is used.
    PublicCoin = 2,
}

/// One stream of random numbers of a key. Used once: a repeated stream of noise cancels in a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    round: u32,
    purpose: Purpose,
    draw: u32,
}

impl Stream {
    /// The stream of the `draw`-th use of `purpose` in `round`.
    ///
    /// # Errors
    /// If `draw` is not below `2^24`: it would run into the bits of the purpose.
    pub fn new(round: u32, purpose: Purpose, draw: u32) -> Result<Self, MechanismError> {
        if draw < 1 << 24 { Ok(Self { round, purpose, draw }) } else { Err(MechanismError::Draw(draw)) }
    }

    /// The 64-bit stream number of `ChaCha`: `round << 32 | purpose << 24 | draw`.
    pub fn number(self) -> u64 {
        u64::from(self.round) << 32 | (self.purpose as u64) << 24 | u64::from(self.draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    fn hex(key: &Key) -> String {
        key.as_bytes().iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
    }

    /// SHA-256 of the documented bytes, computed with another implementation.
    #[test]
    fn derived_keys_do_not_change() {
        assert_eq!(hex(&Key::derive(0, 0, 0)), "ba3d6c42793c618ef78908caf03701c66eb885fa608584551792547e2966f8ef");
        assert_eq!(hex(&Key::derive(42, 7, 3)), "d0cb32257dd2f0fc98442de7c70b45d15cdb1087f3df698ffa9a8668e0d0881f");
    }

    #[test]
    fn both_ends_derive_the_same_key() {
        let key = "829aba8b675d4c6687a9cd33eae190b26b8b867a41d01094941f6c48aa1308f4";
        assert_eq!(hex(&Key::derive_pair(42, 7, 3, 1)), key);
        assert_eq!(hex(&Key::derive_pair(42, 3, 7, 1)), key);
    }

    #[test]
    fn each_of_seed_node_and_lane_matters() {
        let keys = [(1, 2, 3), (2, 2, 3), (1, 3, 3), (1, 2, 4), (1, 3, 2)].map(|(s, n, l)| hex(&Key::derive(s, n, l)));
        for (i, key) in keys.iter().enumerate() {
            assert!(!keys[..i].contains(key));
        }
    }

    #[test]
    fn stream_numbers_have_their_three_fields() {
        let stream = Stream::new(0xDEAD_BEEF, Purpose::PublicCoin, 0x00FF_FFFF).unwrap();
        assert_eq!(stream.number(), 0xDEAD_BEEF_02FF_FFFF);
        assert_eq!(Stream::new(0, Purpose::Noise, 1 << 24), Err(MechanismError::Draw(1 << 24)));
    }

    /// Word for word the stream of an independent implementation of `ChaCha8`.
    #[test]
    fn the_generator_is_chacha8_at_the_start_of_the_stream() {
        let key = Key::derive(1, 2, 3);
        let stream = Stream::new(5, Purpose::Noise, 9).unwrap();
        let mut other = rand_chacha::ChaCha8Rng::from_seed(*key.as_bytes());
        other.set_stream(stream.number());
        other.set_word_pos(0);
        let mut ours = key.rng(stream);
        for _ in 0..1000 {
            assert_eq!(ours.next_u64(), other.next_u64());
        }
    }

    /// The same for `ChaCha20`.
    #[test]
    fn the_strong_generator_is_chacha20_at_the_start_of_the_stream() {
        let key = Key::derive(1, 2, 3);
        let stream = Stream::new(5, Purpose::Noise, 9).unwrap();
        let mut other = rand_chacha::ChaCha20Rng::from_seed(*key.as_bytes());
        other.set_stream(stream.number());
        other.set_word_pos(0);
        let mut ours = key.strong_rng(stream);
        for _ in 0..1000 {
            assert_eq!(ours.next_u64(), other.next_u64());
        }
    }

    #[test]
    fn keys_of_the_operating_system_differ_and_are_not_shown() {
        let (a, b) = (Key::from_os().unwrap(), Key::from_os().unwrap());
        assert_ne!(a.as_bytes(), b.as_bytes()); // equal with probability 2^-256
        assert_eq!(format!("{a:?}"), "Key(secret)");
    }
}
