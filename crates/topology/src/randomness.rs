//! Randomness that every node, platform and version draws alike: streams of a public seed, and exact draws from them.
//!
//! All draws are by integers or by comparisons of correctly rounded numbers.

use chacha20::ChaCha8Rng;
use rand::{Rng, SeedableRng};

/// The streams of one seed and one use.
///
/// Stream `t` is that of `ChaCha8` keyed with the seed (64 bits, little endian) followed by a label of 24 bytes that
/// names the use, so that different uses of the same seed are independent.
#[derive(Clone, Debug)]
pub(crate) struct Streams([u8; 32]);

impl Streams {
    pub(crate) fn new(seed: u64, label: &[u8; 24]) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..].copy_from_slice(label);
        Self(key)
    }

    /// Stream `t`, from its beginning: that of a round, or of an attempt.
    pub(crate) fn stream(&self, t: u32) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::from_seed(self.0);
        rng.set_stream(u64::from(t));
        rng.set_word_pos(0);
        rng
    }
}

/// True with probability `p`, compared with 53 random bits: never for 0, always for 1.
pub(crate) fn heads(p: f64, rng: &mut impl Rng) -> bool {
    ((rng.next_u64() >> 11) as f64) < p * (1_u64 << 53) as f64
}

/// A uniform number below `bound >= 1`: the upper half of a 64-bit word times `bound`, drawn again while the lower half
/// is below `2^64 mod bound` (Lemire, *Fast random integer generation in an interval*, 2019). Exactly uniform.
#[allow(clippy::cast_possible_truncation, reason = "the upper half of the product is below `bound`")]
pub(crate) fn below(bound: usize, rng: &mut impl Rng) -> usize {
    let bound = bound as u64;
    loop {
        let (low, high) = rng.next_u64().carrying_mul(bound, 0);
        // The remainder is below `bound`: most draws do without the division.
        if low >= bound || low >= bound.wrapping_neg() % bound {
            return high as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source whose words are given.
    struct Words(std::vec::IntoIter<u64>);

    impl rand::TryRng for Words {
        type Error = std::convert::Infallible;

        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            unreachable!("not used")
        }

        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            Ok(self.0.next().expect("a word"))
        }

        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
            unreachable!("not used")
        }
    }

    /// `2^64 = 3 * 0x5555_5555_5555_5555 + 1`: of the words 0, 1, 2, ... only 0 leaves a lower half below 1.
    #[test]
    fn a_number_below_three_is_the_upper_half_of_a_product() {
        let third = u64::MAX / 3;
        let mut words = Words(vec![0, 1, third, third + 1, 2 * third, 2 * third + 1, u64::MAX].into_iter());
        // The word 0 is drawn again; the other six are two for each number.
        let drawn: Vec<usize> = (0..6).map(|_| below(3, &mut words)).collect();
        assert_eq!(drawn, [0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn a_coin_of_probability_zero_or_one_is_no_chance() {
        let mut words = Words(vec![0, u64::MAX, 1 << 63, (1 << 63) - 1].into_iter());
        assert!(!heads(0.0, &mut words));
        assert!(heads(1.0, &mut words));
        assert!(!heads(0.5, &mut words));
        assert!(heads(0.5, &mut words));
    }

    /// Value stability: these words may never change, published experiments rest on them.
    #[test]
    fn a_seed_gives_the_same_words_for_ever() {
        let streams = Streams::new(2026, b"dido/sequence/test/00001");
        let drawn: Vec<usize> = (0..8).map(|t| below(1000, &mut streams.stream(t))).collect();
        assert_eq!(drawn, [688, 453, 117, 992, 169, 537, 584, 175]);
    }

    /// 30 000 draws of 0..3 and of a coin of 0.3: five standard deviations, a fixed seed.
    #[test]
    fn draws_have_their_probabilities() {
        let mut rng = Streams::new(1, b"dido/sequence/test/00001").stream(0);
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
