//! Laplace noise: density `exp(-|x|/b) / 2b`, mean `|x|` equal to `b`, variance `2 b^2`.
//!
//! # Precision
//! The sampler here works on floating-point numbers and is for **simulation only**: the set of sums `x + noise` that
//! can come up depends on `x`, which can give the data away whatever epsilon is (Mironov, *On significance of the
//! least significant bits for differential privacy*, 2012). As a distribution it is exact to about `2^-52`: `|x|` has
//! `2^52` equally likely values `-b ln(u)`, `u` a multiple of `2^-52` in `(0, 1]`, so that `|x| <= 36.05 b`, always
//! finite.

use dido_geometry::{Rows, kernel};

use super::blocks;
use super::log::ln;
use crate::{Key, MechanismError, Stream};

/// Independent Laplace noise of one scale in every coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Laplace {
    scale: f64,
}

impl Laplace {
    /// The widest noise whose draws, up to 37 scales, are all finite.
    const WIDEST: f64 = f64::MAX / 64.0;

    /// Noise of scale `b`, in the units of the value.
    ///
    /// # Errors
    /// If `scale` is not positive (or NaN), or so large that draws would overflow.
    pub fn new(scale: f64) -> Result<Self, MechanismError> {
        if scale > 0.0 && scale <= Self::WIDEST { Ok(Self { scale }) } else { Err(MechanismError::Scale(scale)) }
    }

    /// The scale `b`.
    pub fn scale(self) -> f64 {
        self.scale
    }

    /// Adds floating-point noise to a bundle; **simulation only**, see the module's *Precision*.
    ///
    /// `keys`: one per row, that is per (node, lane), in the order of the rows. The noise of a row is a function of
    /// its own key and `stream` alone, so one party draws the same bits as a simulator of all of them.
    ///
    /// # Errors
    /// If the number of keys is not that of the rows.
    pub fn add_simulated(self, keys: &[Key], stream: Stream, rows: &mut Rows) -> Result<(), MechanismError> {
        let dim = rows.shape().dim;
        self.add_simulated_range(keys, stream, rows.as_mut_slice(), dim)
    }

    /// As [`add_simulated`](Self::add_simulated), for a contiguous range of rows of `dim` numbers: ranges may be
    /// given to several threads, and the bits are those of one call on the whole.
    ///
    /// # Errors
    /// If `rows` is not `keys.len()` rows of `dim` numbers.
    pub fn add_simulated_range(
        self,
        keys: &[Key],
        stream: Stream,
        rows: &mut [f64],
        dim: usize,
    ) -> Result<(), MechanismError> {
        blocks::for_each(keys, stream, rows, dim, 1, |words, _, rows| add(words, self.scale, rows))
    }
}

kernel! {
    /// Adds to each number the Laplace draw of its 8 bytes.
    fn add(words: &[u8], scale: f64, rows: &mut [f64]) = add_loop;
}

#[allow(clippy::inline_always, reason = "compiled per instruction set by `kernel!`")]
#[inline(always)]
fn add_loop(words: &[u8], scale: f64, rows: &mut [f64]) {
    let (words, _) = words.as_chunks::<8>();
    for (x, word) in rows.iter_mut().zip(words) {
        *x += scale * standard(u64::from_le_bytes(*word));
    }
}

/// A standard Laplace draw from 64 random bits: the highest is the sign, the lowest 52 are the mantissa of a number
/// in `[1, 2)`, whose distance to 2 is the uniform `u` in `(0, 1]`.
#[allow(clippy::inline_always, reason = "inlined into a loop compiled per instruction set")]
#[inline(always)]
fn standard(word: u64) -> f64 {
    const SIGN: u64 = 1 << 63;
    let u = 2.0 - f64::from_bits(word & ((1 << 52) - 1) | 1023 << 52);
    f64::from_bits(ln(u).to_bits() ^ !word & SIGN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Purpose;
    use dido_geometry::Shape;
    use rand::Rng;

    fn keys(count: u32) -> Vec<Key> {
        (0..count).map(|node| Key::derive(1, node, 0)).collect()
    }

    fn stream(round: u32) -> Stream {
        Stream::new(round, Purpose::Noise, 0).unwrap()
    }

    fn noise(keys: &[Key], round: u32, dim: usize) -> Vec<f64> {
        let mut rows = vec![0.0; keys.len() * dim];
        Laplace::new(1.0).unwrap().add_simulated_range(keys, stream(round), &mut rows, dim).unwrap();
        rows
    }

    fn bits(values: &[f64]) -> Vec<u64> {
        values.iter().map(|x| x.to_bits()).collect()
    }

    #[test]
    fn what_is_no_scale_is_refused() {
        for scale in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::MAX] {
            assert!(matches!(Laplace::new(scale), Err(MechanismError::Scale(_))));
        }
    }

    #[test]
    fn a_row_without_its_key_is_refused() {
        let mut rows = [0.0; 6];
        let refused = Laplace::new(1.0).unwrap().add_simulated_range(&keys(2), stream(0), &mut rows, 2);
        assert_eq!(refused, Err(MechanismError::Keys { keys: 2, numbers: 6, dim: 2 }));
        assert!(noise(&[], 0, 5).is_empty());
        assert!(noise(&keys(3), 0, 0).is_empty());
    }

    /// The definition, one number after another: `-b ln(u)` of the standard library, with the sign of the top bit.
    #[test]
    fn the_draws_are_those_of_the_definition() {
        let keys = keys(3);
        for dim in [1, 7, 50, 1024, 1025, 2500] {
            let mut rows = vec![10.0; 3 * dim];
            Laplace::new(2.0).unwrap().add_simulated_range(&keys, stream(4), &mut rows, dim).unwrap();
            for (key, row) in keys.iter().zip(rows.chunks(dim)) {
                let mut rng = key.rng(stream(4));
                for x in row {
                    let word = rng.next_u64();
                    let u = 1.0 - (word << 12 >> 12) as f64 / 52_f64.exp2();
                    let expected = 10.0 + if word >> 63 == 0 { -2.0 * u.ln() } else { 2.0 * u.ln() };
                    assert!((x - expected).abs() <= 1e-13);
                }
            }
        }
    }

    /// A party with one node draws what the simulator with all of them draws for it; so do ranges on other threads.
    #[test]
    fn the_noise_of_a_row_depends_on_its_key_and_stream_only() {
        let (nodes, lanes) = (40, 2);
        let keys = keys(80);
        for dim in [10, 50, 1500] {
            let mut bundle = Rows::zeros(Shape { nodes, lanes, dim });
            let laplace = Laplace::new(1.0).unwrap();
            laplace.add_simulated(&keys, stream(3), &mut bundle).unwrap();

            let mut alone = Rows::zeros(Shape { nodes: 1, lanes: 1, dim });
            laplace.add_simulated(&keys[2 * 17 + 1..][..1], stream(3), &mut alone).unwrap();
            assert_eq!(bits(alone.as_slice()), bits(bundle.row(17, 1)));

            let mut threads = vec![0.0; nodes * lanes * dim];
            std::thread::scope(|scope| {
                for (keys, rows) in keys.chunks(7).zip(threads.chunks_mut(7 * dim)) {
                    scope.spawn(move || laplace.add_simulated_range(keys, stream(3), rows, dim).unwrap());
                }
            });
            assert_eq!(bits(&threads), bits(bundle.as_slice()));
        }
    }

    #[test]
    fn the_bits_do_not_depend_on_the_instruction_set() {
        let mut words = vec![0; 8 * 999];
        keys(1)[0].rng(stream(0)).fill_bytes(&mut words);
        let mut baseline = vec![1.0; 999];
        add_loop(&words, 3.0, &mut baseline);
        let mut best = vec![1.0; 999];
        add(&words, 3.0, &mut best);
        assert_eq!(bits(&baseline), bits(&best));
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = pulp::x86::V3::try_new() {
            let mut middle = vec![1.0; 999];
            avx2.vectorize(
                #[inline(always)]
                || add_loop(&words, 3.0, &mut middle),
            );
            assert_eq!(bits(&baseline), bits(&middle));
        }
    }

    #[test]
    fn extreme_words_give_finite_draws() {
        for (word, expected) in
            [(0, 0.0), (1 << 63, 0.0), (u64::MAX, -36.043_653_389_117_15), (u64::MAX >> 1, 36.043_653_389_117_15)]
        {
            assert!((standard(word) - expected).abs() <= 1e-13);
        }
        let mut x = [0.0];
        assert!(Laplace::new(Laplace::WIDEST).is_ok());
        add(&[0xff; 8], Laplace::WIDEST, &mut x);
        assert!(x[0].is_finite());
    }

    /// A change here changes every published simulation: say so in the release notes.
    #[test]
    fn values_are_stable() {
        let expected = [
            1.670_494_171_895_897_2,
            1.059_033_958_982_233_5,
            -0.293_542_753_011_140_4,
            3.854_867_749_791_192_3,
            0.586_243_827_525_071_6,
            0.761_232_718_450_976_6,
            -0.275_826_861_777_294_54,
            -1.920_745_969_935_729_9,
            0.087_767_748_534_204_4,
            1.573_840_746_190_218_9,
        ];
        assert_eq!(bits(&noise(&[Key::derive(42, 7, 3)], 5, 10)), bits(&expected));
    }
}
