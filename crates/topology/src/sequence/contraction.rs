//! How fast a random sequence averages in expectation.

use std::ops::Range;

use ndarray::{Array1, Array2};
use rand::Rng;

use super::joint::{check_dense, deviation_norm};
use super::{RoundMatrix, Sequence, SequenceError};
use crate::TopologyError;
use crate::randomness::Streams;

/// How far above the largest eigenvalue inverse iteration solves: far enough to be positive definite in rounding.
const ABOVE: f64 = 1e-9;

/// What sampled rounds say of `||E[W'W] - J||_2`, the factor by which a round shrinks the expected square of the
/// deviations from the mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContractionEstimate {
    /// The mean of `||W v||^2` over the second half of the rounds, `v` being the worst unit direction of the first half.
    /// For independent rounds its expectation is `v' E[W'W] v`, which is at most the true value.
    pub lower: f64,
    /// The standard error of `lower`: the standard deviation of `||W v||^2` over the root of the number of rounds.
    pub standard_error: f64,
    /// `||M - J||_2` of the mean `M` of `W'W` over all rounds. The norm being convex, its expectation is at least the
    /// true value.
    pub upper: f64,
}

/// Estimates `||E[W'W] - J||_2` from the given rounds, whose matrices should be independent and of one law, as those of
/// [`NodeActivation`](super::NodeActivation), [`EdgeFailures`](super::EdgeFailures) and
/// [`PairwiseGossip`](super::PairwiseGossip) are.
///
/// The value lies between the expectations of [`lower`](ContractionEstimate::lower) and
/// [`upper`](ContractionEstimate::upper), and both converge to it: one estimate alone would hide its bias, which is of
/// the order `sqrt(nodes / rounds)` for `upper` if many directions are equally bad (on a complete graph, all of them).
/// Where a closed form is known, `expected_contraction` of the sequence gives it.
///
/// # Errors
/// If there are fewer than 4 rounds, more than [`DENSE_NODES`](super::DENSE_NODES) nodes, a round cannot be had or a
/// factorisation fails.
///
/// # Complexity
/// `O(sum_i d_i^2)` per round, `d_i` being degrees, and `O(nodes^3)` once.
pub fn estimate_contraction(sequence: &dyn Sequence, rounds: Range<u32>) -> Result<ContractionEstimate, TopologyError> {
    let nodes = sequence.nodes();
    check_dense(nodes)?;
    if rounds.len() < 4 {
        return Err(SequenceError::TooFewRounds { rounds: rounds.len(), needed: 4 }.into());
    }
    if nodes == 1 {
        return Ok(ContractionEstimate { lower: 0.0, standard_error: 0.0, upper: 0.0 });
    }
    let half = (rounds.end - rounds.start) / 2;
    let middle = rounds.start + half;
    let mut round = RoundMatrix::identity(nodes);
    let mut sum = Array2::zeros((nodes, nodes));
    for t in rounds.start..middle {
        sequence.fill(t, &mut round)?;
        add_square(&round, &mut sum);
    }
    let worst = worst_direction(&sum / f64::from(half))?;
    let (mut image, mut squares) = (vec![0.0; nodes], Vec::with_capacity(half as usize + 1));
    for t in middle..rounds.end {
        sequence.fill(t, &mut round)?;
        add_square(&round, &mut sum);
        round.mix(1, slice(&worst), &mut image);
        squares.push(image.iter().map(|v| v * v).sum());
    }
    let squares = Array1::from_vec(squares);
    let (lower, count) = (squares.sum() / squares.len() as f64, squares.len() as f64);
    let standard_error = (squares.mapv(|s: f64| (s - lower).powi(2)).sum() / (count - 1.0) / count).sqrt();
    let upper = deviation_norm(&(sum / rounds.len() as f64))?;
    Ok(ContractionEstimate { lower, standard_error, upper })
}

/// Adds `W'W`, the sum over the rows of their outer squares.
fn add_square(round: &RoundMatrix, sum: &mut Array2<f64>) {
    for i in 0..round.nodes() {
        let (columns, weights) = round.row(i);
        for (&j, &u) in columns.iter().zip(weights) {
            for (&k, &v) in columns.iter().zip(weights) {
                sum[[j, k]] += u * v;
            }
        }
    }
}

/// A unit vector of mean zero which the mean of `W'W`, `sum / rounds`, shrinks least: two steps of inverse iteration just
/// above the largest eigenvalue off the mean. Should they be inexact, that costs sharpness only, not validity.
fn worst_direction(mean: Array2<f64>) -> Result<Array1<f64>, TopologyError> {
    let nodes = mean.nrows();
    let deviation = mean - 1.0 / nodes as f64;
    let largest = dido_linalg::symmetric_eigenvalues(deviation.view())?.iter().copied().fold(0.0, f64::max);
    let above = Array2::eye(nodes) * (largest + ABOVE) - deviation;
    let mut rng = Streams::new(0, b"dido/sequence/start/0001").stream(0);
    let mut v: Array1<f64> = (0..nodes).map(|_| (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64).collect();
    for _ in 0..2 {
        v -= v.sum() / nodes as f64;
        v = dido_linalg::solve_positive_definite(above.view(), v.view())?;
    }
    v -= v.sum() / nodes as f64;
    let norm = v.dot(&v).sqrt();
    Ok(v / norm)
}

fn slice(v: &Array1<f64>) -> &[f64] {
    v.as_slice().expect("a vector is contiguous")
}
