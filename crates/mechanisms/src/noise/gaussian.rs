//! Gaussian noise: density `exp(-x^2 / 2 sigma^2) / (sigma sqrt(2 pi))`.
//!
//! # Precision
//! The sampler here works on floating-point numbers and is for **simulation only**: the set of sums `x + noise` that
//! can come up depends on `x`, which can give the data away whatever epsilon is. What a deployed party uses is
//! [`DiscreteGaussian`](super::DiscreteGaussian). As a distribution it is that of Box and Muller (1958), exact to
//! about `2^-52`: a radius `sqrt(-2 ln(u))`, `u` a multiple of `2^-52` in `(0, 1]`, and one of `2^55` directions. No
//! draw is beyond `8.5 sigma`; a true Gaussian is, once in `10^17` draws.

use dido_geometry::{Rows, kernel};

use super::blocks::{self, BLOCK};
use super::circle::point;
use super::log::ln;
use crate::{Key, MechanismError, Stream};

/// Independent Gaussian noise of one standard deviation in every coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gaussian {
    sigma: f64,
}

impl Gaussian {
    /// The widest noise whose draws, up to 8.5 standard deviations, are all finite.
    const WIDEST: f64 = f64::MAX / 64.0;

    /// Noise of standard deviation `sigma`, in the units of the value: neither a variance nor a multiple of a
    /// sensitivity.
    ///
    /// # Errors
    /// If `sigma` is not positive (or NaN), or so large that draws would overflow.
    pub fn new(sigma: f64) -> Result<Self, MechanismError> {
        if sigma > 0.0 && sigma <= Self::WIDEST { Ok(Self { sigma }) } else { Err(MechanismError::Scale(sigma)) }
    }

    /// The standard deviation.
    pub fn sigma(self) -> f64 {
        self.sigma
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
        blocks::for_each(keys, stream, rows, dim, GROUP, |words, dim, rows| add(words, self.sigma, dim, rows))
    }
}

/// Words that are transformed together; the first half becomes radii, the second half directions. A row whose length
/// is no multiple of it leaves the last draws unused (a `ChaCha` block is as long, so few words are drawn in vain).
const GROUP: usize = 8;
const HALF: usize = GROUP / 2;

kernel! {
    /// Adds to each row of `dim` numbers the first draws of its words.
    fn add(words: &[u8], sigma: f64, dim: usize, rows: &mut [f64]) = add_loop;
}

/// Sorts the words into radii and directions, so that one long loop turns them into draws, then sorts these back.
#[allow(clippy::inline_always, reason = "compiled per instruction set by `kernel!`")]
#[inline(always)]
fn add_loop(words: &[u8], sigma: f64, dim: usize, rows: &mut [f64]) {
    let (words, _) = words.as_chunks::<8>();
    let (groups, _) = words.as_chunks::<GROUP>();
    let mut first = [[0; HALF]; BLOCK / GROUP];
    let mut second = first;
    for ((first, second), words) in first.iter_mut().zip(&mut second).zip(groups) {
        for i in 0..HALF {
            (first[i], second[i]) = (u64::from_le_bytes(words[i]), u64::from_le_bytes(words[i + HALF]));
        }
    }
    let (first, second) = (&mut first[..groups.len()], &mut second[..groups.len()]);
    for (x, y) in first.as_flattened_mut().iter_mut().zip(second.as_flattened_mut()) {
        [*x, *y] = pair(*x, *y).map(|draw| (sigma * draw).to_bits());
    }
    let mut draws = first.iter().zip(second);
    for row in rows.chunks_exact_mut(dim) {
        let (groups, rest) = row.as_chunks_mut::<GROUP>();
        for (row, (first, second)) in groups.iter_mut().zip(&mut draws) {
            for i in 0..HALF {
                row[i] += f64::from_bits(first[i]);
                row[i + HALF] += f64::from_bits(second[i]);
            }
        }
        if !rest.is_empty()
            && let Some((first, second)) = draws.next()
        {
            for (x, draw) in rest.iter_mut().zip(first.iter().chain(second.iter())) {
                *x += f64::from_bits(*draw);
            }
        }
    }
}

/// Two independent standard Gaussian draws from 128 random bits: the lowest 52 of `radius` are the mantissa of a
/// number in `[1, 2)`, whose distance to 2 is the uniform `u` in `(0, 1]`.
#[allow(clippy::inline_always, reason = "inlined into a loop compiled per instruction set")]
#[inline(always)]
fn pair(radius: u64, direction: u64) -> [f64; 2] {
    let u = 2.0 - f64::from_bits(radius & ((1 << 52) - 1) | 1023 << 52);
    let radius = (-2.0 * ln(u)).sqrt();
    let (x, y) = point(direction);
    [radius * x, radius * y]
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

    fn bits(values: &[f64]) -> Vec<u64> {
        values.iter().map(|x| x.to_bits()).collect()
    }

    #[test]
    fn what_is_no_standard_deviation_is_refused() {
        for sigma in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::MAX] {
            assert!(matches!(Gaussian::new(sigma), Err(MechanismError::Scale(_))));
        }
    }

    /// The definition, one group after another, with the functions of the standard library.
    #[test]
    fn the_draws_are_those_of_the_definition() {
        let keys = keys(3);
        for dim in [1, 7, 8, 50, 1017, 1024, 1025, 2500] {
            let mut rows = vec![10.0; 3 * dim];
            Gaussian::new(2.0).unwrap().add_simulated_range(&keys, stream(4), &mut rows, dim).unwrap();
            for (key, row) in keys.iter().zip(rows.chunks(dim)) {
                let mut rng = key.rng(stream(4));
                for row in row.chunks(8) {
                    let words: [u64; 8] = std::array::from_fn(|_| rng.next_u64());
                    for (i, x) in row.iter().enumerate() {
                        let (radius, direction) = (words[i % 4], words[i % 4 + 4]);
                        let u = 1.0 - (radius << 12 >> 12) as f64 / 52_f64.exp2();
                        let (a, b) = point(direction);
                        let expected = 10.0 + 2.0 * (-2.0 * u.ln()).sqrt() * if i < 4 { a } else { b };
                        assert!((x - expected).abs() <= 1e-13);
                    }
                }
            }
        }
    }

    /// A party with one node draws what the simulator with all of them draws for it; so do ranges on other threads.
    #[test]
    fn the_noise_of_a_row_depends_on_its_key_and_stream_only() {
        let (nodes, lanes) = (40, 2);
        let keys = keys(80);
        for dim in [10, 50, 1020, 1500] {
            let mut bundle = Rows::zeros(Shape { nodes, lanes, dim });
            let gaussian = Gaussian::new(1.0).unwrap();
            gaussian.add_simulated(&keys, stream(3), &mut bundle).unwrap();

            let mut alone = Rows::zeros(Shape { nodes: 1, lanes: 1, dim });
            gaussian.add_simulated(&keys[2 * 17 + 1..][..1], stream(3), &mut alone).unwrap();
            assert_eq!(bits(alone.as_slice()), bits(bundle.row(17, 1)));

            let mut threads = vec![0.0; nodes * lanes * dim];
            std::thread::scope(|scope| {
                for (keys, rows) in keys.chunks(7).zip(threads.chunks_mut(7 * dim)) {
                    scope.spawn(move || gaussian.add_simulated_range(keys, stream(3), rows, dim).unwrap());
                }
            });
            assert_eq!(bits(&threads), bits(bundle.as_slice()));
        }
    }

    #[test]
    fn the_bits_do_not_depend_on_the_instruction_set() {
        let mut words = vec![0; 8 * 1000];
        keys(1)[0].rng(stream(0)).fill_bytes(&mut words);
        let run = |add: &dyn Fn(&mut [f64])| {
            let mut rows = vec![1.0; 999];
            add(&mut rows);
            bits(&rows)
        };
        let baseline = run(&|rows| add_loop(&words, 3.0, 999, rows));
        assert_eq!(baseline, run(&|rows| add(&words, 3.0, 999, rows)));
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = pulp::x86::V3::try_new() {
            let middle = run(&|rows| {
                avx2.vectorize(
                    #[inline(always)]
                    || add_loop(&words, 3.0, 999, rows),
                );
            });
            assert_eq!(baseline, middle);
        }
    }

    #[test]
    fn extreme_words_give_finite_draws() {
        let far = (2.0_f64 * 52.0 * std::f64::consts::LN_2).sqrt();
        for (words, expected) in [((0, 0), 0.0), ((u64::MAX, 0), far), ((u64::MAX, 1 << 63), -far)] {
            let [x, y] = pair(words.0, words.1);
            assert!((x - expected).abs() <= 1e-13 && y.abs() <= 0.0);
        }
        for word in [0, u64::MAX] {
            assert!(pair(u64::MAX, word).into_iter().all(|x| (Gaussian::WIDEST * x).is_finite()));
        }
    }

    /// A change here changes every published simulation: say so in the release notes.
    #[test]
    fn values_are_stable() {
        let mut row = [0.0; 10];
        Gaussian::new(1.0).unwrap().add_simulated_range(&[Key::derive(42, 7, 3)], stream(5), &mut row, 10).unwrap();
        let expected = [
            1.718_025_788_304_352_4,
            0.591_505_191_077_524_5,
            -0.144_198_371_778_878_3,
            -2.175_806_440_008_238,
            -0.623_999_787_269_998_4,
            1.329_732_878_022_051_4,
            0.752_523_976_759_944_3,
            1.724_993_285_552_457_5,
            0.017_441_236_446_956_915,
            0.992_456_929_546_025_6,
        ];
        assert_eq!(bits(&row), bits(&expected));
    }
}
