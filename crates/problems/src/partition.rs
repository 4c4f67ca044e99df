//! Who holds which record, and which records are held out. All functions deal in record numbers, from 0.
//!
//! # Shuffling
//! Durstenfeld's form of the Fisher-Yates shuffle: for `i = n - 1, ..., 1` swap entry `i` with entry `j`, `j` uniform
//! on `0..=i`. The `j` are drawn without bias from 64-bit words `w` by Lemire's method: `j = floor(w (i + 1) / 2^64)`,
//! another word if the low half of the product is below `2^64 mod (i + 1)`. The words are those of `ChaCha8`;
//! the key is the seed as 8 little-endian bytes followed by 24 zeros; the stream is 0 for [`shuffled`] and 1
//! for [`hold_out`]. The result is part of the interface: the same seed gives the same records in every version.

use std::collections::BTreeMap;

use chacha20::ChaCha8Rng;
use rand::{Rng, SeedableRng};

use crate::ProblemError;

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
    if !(0.0..1.0).contains(&fraction) {
        return Err(ProblemError::Fraction(fraction));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the number of records")]
    let held = (fraction * records as f64).round() as usize;
    if held >= records {
        return Err(ProblemError::NothingLeft { records, fraction });
    }
    let mut held_out = shuffle(records, seed, 1);
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
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(stream);
    rng.set_word_pos(0);
    let mut order: Vec<usize> = (0..records).collect();
    for i in (1..records).rev() {
        order.swap(i, below(&mut rng, i + 1));
    }
    order
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
