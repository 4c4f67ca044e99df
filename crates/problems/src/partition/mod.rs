//! Who holds which record, and which records are held out. All functions deal in record numbers, from 0.
//!
//! # Shuffling
//! Durstenfeld's form of the Fisher-Yates shuffle: for `i = n - 1, ..., 1` swap entry `i` with entry `j`, `j` uniform
//! on `0..=i`. The `j` are drawn without bias from 64-bit words `w` by Lemire's method: `j = floor(w (i + 1) / 2^64)`,
//! another word if the low half of the product is below `2^64 mod (i + 1)`. The words are those of `ChaCha8`;
//! the key is the seed as 8 little-endian bytes followed by 24 zeros; the stream is 0 for [`shuffled`], 1
//! for [`hold_out`], 2 for [`dirichlet()`] and `2^32 + k` for part `k` of [`hold_out_each`]. The result is part of the interface:
//! the same seed gives the same records in every version.

mod dirichlet;

use std::collections::BTreeMap;

use chacha20::ChaCha8Rng;
use rand::{Rng, SeedableRng};

use crate::ProblemError;

pub use dirichlet::{dirichlet, quantile_bins};

/// The numbers `0..records` cut into runs, the first `records % parties` one longer (as `numpy.array_split`).
///
/// # Errors
/// If there is no party, or fewer records than parties.
pub fn contiguous(records: usize, parties: usize) -> Result<Vec<Vec<usize>>, ProblemError> {
    split(&(0..records).collect::<Vec<_>>(), parties)
}

/// As [`contiguous`], after a seeded shuffle.
///
/// # Errors
/// As [`contiguous`].
pub fn shuffled(records: usize, parties: usize, seed: u64) -> Result<Vec<Vec<usize>>, ProblemError> {
    split(&shuffle(records, seed, 0), parties)
}

/// As [`contiguous`], after sorting the records by ascending key; equal keys stay in their order.
///
/// Parties then hold different kinds of records: the hard case for decentralised algorithms.
///
/// # Errors
/// As [`contiguous`], and if a key is not finite.
pub fn sorted(keys: &[f64], parties: usize) -> Result<Vec<Vec<usize>>, ProblemError> {
    if let Some((record, &value)) = keys.iter().enumerate().find(|(_, key)| !key.is_finite()) {
        return Err(ProblemError::NonFiniteKey { record, value });
    }
    let mut order: Vec<usize> = (0..keys.len()).collect();
    // Not `total_cmp`, which would put -0 before 0.
    order.sort_by(|&a, &b| keys[a].partial_cmp(&keys[b]).unwrap_or(std::cmp::Ordering::Equal));
    split(&order, parties)
}

/// One party per distinct label: the labels in ascending (byte) order, and the records of each in their order.
///
/// # Errors
/// If there is no record.
pub fn by_label(labels: &[String]) -> Result<(Vec<String>, Vec<Vec<usize>>), ProblemError> {
    if labels.is_empty() {
        return Err(ProblemError::TooFewRecords { records: 0, parties: 1 });
    }
    let mut parties: BTreeMap<&String, Vec<usize>> = BTreeMap::new();
    for (record, label) in labels.iter().enumerate() {
        parties.entry(label).or_default().push(record);
    }
    Ok(parties.into_iter().map(|(label, records)| (label.clone(), records)).unzip())
}

/// A seeded choice of `round(fraction * records)` records to hold out: `(train, held_out)`, each ascending.
///
/// # Errors
/// If the fraction is not in `[0, 1)`, or no record is left to train on.
pub fn hold_out(records: usize, fraction: f64, seed: u64) -> Result<(Vec<usize>, Vec<usize>), ProblemError> {
    hold_out_by(records, fraction, seed, 1)
}

/// As [`hold_out`], of each part by itself: for each, its records to train on and those held out, in the order that the part
/// has them. Of a part, which places are held out follows from its number, its size and the seed.
///
/// # Errors
/// As [`hold_out`], of any part.
#[expect(clippy::type_complexity, reason = "a pair for each part, as of hold_out")]
pub fn hold_out_each(
    parts: &[Vec<usize>],
    fraction: f64,
    seed: u64,
) -> Result<Vec<(Vec<usize>, Vec<usize>)>, ProblemError> {
    let each = parts.iter().zip(1 << 32..).map(|(part, stream)| {
        let (train, held_out) = hold_out_by(part.len(), fraction, seed, stream)?;
        let of = |places: Vec<usize>| places.into_iter().map(|place| part[place]).collect();
        Ok((of(train), of(held_out)))
    });
    each.collect()
}

fn hold_out_by(
    records: usize,
    fraction: f64,
    seed: u64,
    stream: u64,
) -> Result<(Vec<usize>, Vec<usize>), ProblemError> {
    if !(0.0..1.0).contains(&fraction) {
        return Err(ProblemError::Fraction(fraction));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the number of records")]
    let held = (fraction * records as f64).round() as usize;
    if held >= records {
        return Err(ProblemError::NothingLeft { records, fraction });
    }
    let mut held_out = shuffle(records, seed, stream);
    let mut train = held_out.split_off(held);
    held_out.sort_unstable();
    train.sort_unstable();
    Ok((train, held_out))
}

fn split(order: &[usize], parties: usize) -> Result<Vec<Vec<usize>>, ProblemError> {
    let records = order.len();
    if parties == 0 || records < parties {
        return Err(ProblemError::TooFewRecords { records, parties });
    }
    let (size, longer) = (records / parties, records % parties);
    let (long, short) = order.split_at(longer * (size + 1));
    Ok(long.chunks(size + 1).chain(short.chunks(size)).map(<[usize]>::to_vec).collect())
}

fn shuffle(records: usize, seed: u64, stream: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..records).collect();
    shuffle_with(&mut generator(seed, stream), &mut order);
    order
}

fn shuffle_with(rng: &mut ChaCha8Rng, order: &mut [usize]) {
    for i in (1..order.len()).rev() {
        order.swap(i, below(rng, i + 1));
    }
}

fn generator(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(stream);
    rng.set_word_pos(0);
    rng
}

/// Uniform on `0..bound`.
fn below(rng: &mut ChaCha8Rng, bound: usize) -> usize {
    let bound = bound as u64;
    let unfair = bound.wrapping_neg() % bound;
    loop {
        let product = u128::from(rng.next_u64()) * u128::from(bound);
        #[expect(clippy::cast_possible_truncation, reason = "the low and the high half of the product")]
        let (low, high) = (product as u64, (product >> 64) as usize);
        if low >= unfair {
            return high;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_array_split() {
        assert_eq!(contiguous(7, 3).unwrap(), [vec![0, 1, 2], vec![3, 4], vec![5, 6]]);
        assert_eq!(contiguous(4, 2).unwrap(), [[0, 1], [2, 3]]);
        assert_eq!(contiguous(2, 2).unwrap(), [[0], [1]]);
    }

    #[test]
    fn sorting_is_stable_and_takes_minus_zero_for_zero() {
        assert_eq!(sorted(&[2.0, 0.0, -0.0, 1.0, 0.0], 2).unwrap(), [vec![1, 2, 4], vec![3, 0]]);
    }

    #[test]
    fn sites_come_in_ascending_order_of_their_names() {
        let labels = ["b", "a", "b", "C"].map(String::from);
        let (names, parties) = by_label(&labels).unwrap();
        assert_eq!(names, ["C", "a", "b"]);
        assert_eq!(parties, [vec![3], vec![1], vec![0, 2]]);
    }

    /// Whatever the sizes of the others, a part is split as its own number, size and seed say.
    #[test]
    fn each_part_is_split_by_itself() {
        let parts = |second: usize| vec![(0..10).collect(), (10..10 + second).collect(), (90..97).rev().collect()];
        let (a, b) = (hold_out_each(&parts(5), 0.3, 4).unwrap(), hold_out_each(&parts(8), 0.3, 4).unwrap());
        assert!(a[0] == b[0] && a[2] == b[2]);
        assert_eq!(
            a.iter().map(|(train, held)| (train.len(), held.len())).collect::<Vec<_>>(),
            [(7, 3), (3, 2), (5, 2)]
        );
        for ((train, held), part) in a.iter().zip(parts(5)) {
            let mut all = [train.as_slice(), held].concat();
            all.sort_unstable();
            let mut part: Vec<usize> = part;
            part.sort_unstable();
            assert_eq!(all, part);
        }
        // No stream is shared: equal parts are not split alike.
        let twins = hold_out_each(&vec![(0..40).collect::<Vec<_>>(); 2], 0.5, 4).unwrap();
        assert_ne!(twins[0], twins[1]);
        assert_eq!(hold_out_each(&[(0..8).collect()], 0.25, 3).unwrap()[0].1, STABLE);
        assert!(matches!(hold_out_each(&[vec![0]], 0.9, 1), Err(ProblemError::NothingLeft { .. })));
    }

    /// The same seed gives the same records in every version.
    const STABLE: [usize; 2] = [2, 6];

    #[test]
    fn impossible_requests_are_refused() {
        for (records, parties) in [(2, 3), (0, 1), (5, 0)] {
            assert!(matches!(contiguous(records, parties), Err(ProblemError::TooFewRecords { .. })));
            assert!(matches!(shuffled(records, parties, 1), Err(ProblemError::TooFewRecords { .. })));
        }
        assert!(matches!(sorted(&[0.0, f64::NAN], 1), Err(ProblemError::NonFiniteKey { record: 1, .. })));
        assert!(matches!(by_label(&[]), Err(ProblemError::TooFewRecords { .. })));
        for fraction in [-0.1, 1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(hold_out(10, fraction, 1), Err(ProblemError::Fraction(_))));
        }
        assert!(matches!(hold_out(1, 0.9, 1), Err(ProblemError::NothingLeft { .. })));
        assert!(matches!(hold_out(0, 0.0, 1), Err(ProblemError::NothingLeft { .. })));
    }

    /// n = 60 000 draws on 0..6: each count is binomial with mean 10 000 and deviation 91; 5.5 deviations allowed. The
    /// seed is fixed, so the outcome is too.
    #[test]
    fn draws_below_a_bound_are_uniform() {
        let mut rng = ChaCha8Rng::from_seed([7; 32]);
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[below(&mut rng, 6)] += 1;
        }
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 500), "{counts:?}");
    }
}
