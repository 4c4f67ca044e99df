//! Coins whose probabilities are exact, from random words and integers alone.

use rand::CryptoRng;

/// The random words of one draw: a broken generator must not keep it for ever.
pub struct Words<'r, R> {
    rng: &'r mut R,
    left: u32,
}

impl<'r, R: CryptoRng> Words<'r, R> {
    /// A draw takes 8 to 16 words on average, and their number has an exponential tail: `E[exp(words/20)]` is 1.5 to 3,
    /// as a test measures. Were it 20, a draw would need more than these, by Markov's inequality, with a probability below
    /// `20 exp(-32768/20) < 2^-2000`, which is how far the samplers are from their laws.
    const LIMIT: u32 = 1 << 15;

    /// The words of a new draw.
    pub fn new(rng: &'r mut R) -> Self {
        Self { rng, left: Self::LIMIT }
    }

    /// 64 random bits, or `None` if the draw has taken so many that the generator must be broken.
    #[inline]
    pub fn next(&mut self) -> Option<u64> {
        self.left = self.left.checked_sub(1)?;
        Some(self.rng.next_u64())
    }

    /// A uniform number below `bound > 0`: the upper half of a product of 128 bits, unless the lower half is one of
    /// those that make some numbers more likely than others (Lemire, *Fast random integer generation in an
    /// interval*, 2019).
    #[inline]
    pub fn below(&mut self, bound: u64) -> Option<u64> {
        loop {
            let product = u128::from(self.next()?) * u128::from(bound);
            #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
            let (high, low) = ((product >> 64) as u64, product as u64);
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return Some(high);
            }
        }
    }

    /// True with probability `numerator / denominator`, of which the denominator is not 0.
    #[inline]
    pub fn ratio(&mut self, numerator: u64, denominator: u64) -> Option<bool> {
        Some(self.below(denominator)? < numerator)
    }

    /// True with probability `exp(-numerator / denominator)`, for a quotient of at most 1.
    ///
    /// Coins of probability `x/1, x/2, x/3, ...` are thrown until one fails: the `k`-th is reached with probability
    /// `x^(k-1) / (k-1)!`, so that it is an odd one that fails with probability `1 - x + x^2/2 - ...`
    /// (Canonne, Kamath, Steinke 2020, algorithm 1).
    #[inline]
    pub fn exp(&mut self, numerator: u64, denominator: u64) -> Option<bool> {
        let mut k = 1;
        while self.ratio(numerator, denominator.checked_mul(k)?)? {
            k += 1;
        }
        Some(k % 2 == 1)
    }

    /// True with probability `exp(-1)`: as [`exp`](Self::exp) of 1, whose first coin cannot fail.
    #[inline]
    pub fn exp_one(&mut self) -> Option<bool> {
        let mut k = 2;
        while self.ratio(1, k)? {
            k += 1;
        }
        Some(k % 2 == 1)
    }

    /// True with probability `exp(-x^2 / 2)`, `x = numerator / denominator` at most 1.
    ///
    /// As [`exp`](Self::exp), where a coin of probability `x^2 / 2k` is two: one of `x / 2k` and one of `x`. So
    /// nothing is squared, and 64 bits suffice.
    #[inline]
    pub fn exp_half_square(&mut self, numerator: u64, denominator: u64) -> Option<bool> {
        let mut k = 1;
        while self.ratio(numerator, denominator.checked_mul(2 * k)?)? && self.ratio(numerator, denominator)? {
            k += 1;
        }
        Some(k % 2 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chacha20::ChaCha8Rng;
    use rand::{SeedableRng, TryCryptoRng, TryRng};
    use std::convert::Infallible;

    /// Words that come in this order.
    struct Given(std::vec::IntoIter<u64>);

    impl TryRng for Given {
        type Error = Infallible;

        fn try_next_u32(&mut self) -> Result<u32, Infallible> {
            unimplemented!("64 bits at a time")
        }

        fn try_next_u64(&mut self) -> Result<u64, Infallible> {
            Ok(self.0.next().expect("enough words"))
        }

        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
            unimplemented!("64 bits at a time")
        }
    }

    impl TryCryptoRng for Given {}

    /// By hand: 2^64 is 1 above a multiple of 3, so one word (0) is refused, or 0 would be likelier than 1; it is
    /// `2^63 - 1` above one of `2^63 + 1`, so a word is refused whose product with it is below that modulo 2^64.
    #[test]
    fn uniform_numbers_are_exactly_uniform() {
        for (bound, words, expected) in [
            (3, vec![0, u64::MAX], 2),
            (3, vec![1], 0),
            (3, vec![u64::MAX / 3], 0),
            (3, vec![u64::MAX / 3 + 1], 1),
            ((1 << 63) + 1, vec![0, 2, 1], 0),
            (1 << 40, vec![0], 0),
        ] {
            let mut rng = Given(words.into_iter());
            assert_eq!(Words::new(&mut rng).below(bound), Some(expected));
            assert_eq!(rng.0.len(), 0);
        }
    }

    /// n = 4e5: the standard error is at most 0.0008, the limit 0.004 is five of them.
    fn assert_probability(expected: f64, mut coin: impl FnMut(&mut Words<ChaCha8Rng>) -> Option<bool>) {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let count = 400_000;
        let heads = (0..count).filter(|_| coin(&mut Words::new(&mut rng)).unwrap()).count();
        let found = heads as f64 / f64::from(count);
        assert!((found - expected).abs() < 0.004, "{found}, expected {expected}");
    }

    #[test]
    fn coins_have_their_probabilities() {
        let wide = 1 << 52;
        for (a, b) in [(0, 1), (1, 1), (1, 3), (2, 3), (5, 7), (wide / 3, wide - 1), (wide, wide)] {
            let x = a as f64 / b as f64;
            assert_probability(x, |words| words.ratio(a, b));
            assert_probability((-x).exp(), |words| words.exp(a, b));
            assert_probability((-x * x / 2.0).exp(), |words| words.exp_half_square(a, b));
        }
        assert_probability((-1.0_f64).exp(), |words: &mut Words<_>| words.exp_one());
        assert_probability(0.75, |words| words.ratio(3 << 61, 1 << 63));
        assert_probability(2.0 / 3.0, |words| words.ratio(u64::MAX / 3 * 2, u64::MAX));
    }
}
