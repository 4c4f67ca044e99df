//! The public coin: randomness that every node draws alike.

use chacha20::ChaCha8Rng;
use rand::{Rng, SeedableRng};

/// One stream of random words per round.
///
/// Round `t` reads stream `t` of `ChaCha8` keyed with the seed (64 bits, little endian) followed by a label of 24 bytes
/// that names the use, so that different sequences with the same seed are independent.
#[derive(Clone, Debug)]
pub(super) struct PublicCoin([u8; 32]);

impl PublicCoin {
    pub(super) fn new(seed: u64, label: &[u8; 24]) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..].copy_from_slice(label);
        Self(key)
    }

    pub(super) fn round(&self, t: u32) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::from_seed(self.0);
        rng.set_stream(u64::from(t));
        rng.set_word_pos(0);
        rng
    }
}

/// True with probability `p`, rounded to 53 bits: never for 0, always for 1.
pub(super) fn heads(p: f64, rng: &mut impl Rng) -> bool {
    ((rng.next_u64() >> 11) as f64) < p * (1_u64 << 53) as f64
}

/// A uniform number of `0..bound`, exactly: the upper half of a 64 x 64 bit product, drawn again when the lower half
/// would favour some numbers (Lemire, *Fast random integer generation in an interval*, 2019).
///
/// # Panics
/// If `bound` is 0.
#[allow(clippy::cast_possible_truncation, reason = "the result is below a bound that was a usize")]
pub(super) fn below(bound: usize, rng: &mut impl Rng) -> usize {
    let bound = bound as u64;
    let unfair = bound.wrapping_neg() % bound;
    loop {
        let (lower, upper) = rng.next_u64().carrying_mul(bound, 0);
        if lower >= unfair {
            return upper as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Value stability: these words may never change, published experiments rest on them.
    #[test]
    fn a_seed_gives_the_same_coin_for_ever() {
        let coin = PublicCoin::new(2026, b"dido/sequence/test/00001");
        let drawn: Vec<usize> = (0..8).map(|t| below(1000, &mut coin.round(t))).collect();
        assert_eq!(drawn, [688, 453, 117, 992, 169, 537, 584, 175]);
    }

    /// 30 000 draws of 0..3 and of a coin of 0.3: five standard deviations, a fixed seed.
    #[test]
    fn draws_have_their_probabilities() {
        let mut rng = PublicCoin::new(1, b"dido/sequence/test/00001").round(0);
        let draws = 30_000_u32;
        let mut count = [0_u32; 3];
        (0..draws).for_each(|_| count[below(3, &mut rng)] += 1);
        let off =
            |count: u32, p: f64| (f64::from(count) - f64::from(draws) * p) / (f64::from(draws) * p * (1.0 - p)).sqrt();
        assert!(count.iter().all(|&c| off(c, 1.0 / 3.0).abs() < 5.0), "{count:?}");
        let up = (0..draws).map(|_| u32::from(heads(0.3, &mut rng))).sum();
        assert!(off(up, 0.3).abs() < 5.0, "{up}");
        assert!((0..1000).all(|_| heads(1.0, &mut rng) && !heads(0.0, &mut rng)));
    }
}
