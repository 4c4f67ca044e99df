//! Noise on a whole bundle, by several threads.

use std::ops::Range;
use std::sync::OnceLock;

use chacha20::ChaCha20Rng;
use dido_geometry::{Rows, Shape, parallel};

use crate::carry::{Carry, Latest, kept};
use crate::noise::ExactNoise;
use crate::{Grid, Key, Mechanism, MechanismError, Stream};

/// Draws of floating-point noise below which threads do not pay.
const WORTH_THREADS: usize = 30_000;
/// The same for discrete noise, which takes 20 times as long.
const DISCRETE_WORTH_THREADS: usize = WORTH_THREADS / 20;

/// Adds noise to the rows of the nodes that are awake, and takes out what is carried on from their latest messages; `keys`: one
/// for each row.
///
/// # Errors
/// If there are not as many keys as rows.
pub(crate) fn add_noise(
    mechanism: Mechanism,
    keys: &[Key],
    stream: Stream,
    carry: Option<&Carry>,
    awake: Option<&[bool]>,
    rows: &mut Rows,
) -> Result<(), MechanismError> {
    let Shape { dim, lanes, .. } = rows.shape();
    let draws = rows.as_slice().len();
    let carry = carry.filter(|carry| !carry.is_empty());
    if matches!(mechanism, Mechanism::None) && carry.is_none() {
        return Ok(());
    }
    if keys.len() * dim != draws {
        return Err(MechanismError::Keys { keys: keys.len(), numbers: draws, dim });
    }
    let failure = OnceLock::new();
    let worth_threads = if mechanism.is_discrete() { DISCRETE_WORTH_THREADS } else { WORTH_THREADS };
    parallel::for_each_range(keys.len(), rows.as_mut_slice(), draws, worth_threads, |range, rows| {
        let start = range.start;
        for range in ranges_awake(range, lanes, awake) {
            let part = &mut rows[(range.start - start) * dim..(range.end - start) * dim];
            let done = match carry {
                None => add_to(mechanism, &keys[range], stream, part, dim),
                Some(carry) => range.zip(part.chunks_exact_mut(dim)).try_for_each(|(row, x)| {
                    let key = &keys[row..=row];
                    match carry.of(row / lanes) {
                        None => add_to(mechanism, key, stream, x, dim),
                        Some((keep, latest)) => exchange(mechanism, key, stream, keep, latest, x),
                    }
                }),
            };
            if let Err(error) = done {
                failure.get_or_init(|| error);
            }
        }
    });
    failure.into_inner().map_or(Ok(()), Err)
}

fn add_to(
    mechanism: Mechanism,
    keys: &[Key],
    stream: Stream,
    rows: &mut [f64],
    dim: usize,
) -> Result<(), MechanismError> {
    match mechanism {
        Mechanism::None => Ok(()),
        Mechanism::Laplace(noise) => noise.add_simulated_range(keys, stream, rows, dim),
        Mechanism::Gaussian(noise) => noise.add_simulated_range(keys, stream, rows, dim),
        Mechanism::DiscreteLaplace { noise, .. } => noise.add_keyed_range(keys, stream, rows, dim),
        Mechanism::DiscreteGaussian { noise, .. } => noise.add_keyed_range(keys, stream, rows, dim),
    }
}

/// Takes `keep` times the noise of the latest message out of a row, and adds that of the next one.
fn exchange(
    mechanism: Mechanism,
    key: &[Key],
    stream: Stream,
    keep: f64,
    latest: Latest,
    row: &mut [f64],
) -> Result<(), MechanismError> {
    let dim = row.len();
    if let (Some(grid), [key]) = (mechanism.grid(), key) {
        return exchange_on(grid, mechanism, key, stream, keep, latest, row);
    }
    let mut old = vec![0.0; dim];
    add_to(latest.mechanism, key, latest.stream, &mut old, dim)?;
    row.iter_mut().zip(&old).for_each(|(x, old)| *x -= keep * old);
    add_to(mechanism, key, stream, row, dim)
}

/// The same in whole steps of a grid, of which both noises are multiples.
fn exchange_on(
    grid: Grid,
    mechanism: Mechanism,
    key: &Key,
    stream: Stream,
    keep: f64,
    latest: Latest,
    row: &mut [f64],
) -> Result<(), MechanismError> {
    let (mut old, mut new) = (key.strong_rng(latest.stream), key.strong_rng(stream));
    row.iter_mut().try_for_each(|x| {
        let mean = grid.nearest(*x).saturating_sub(kept(keep, steps(latest.mechanism, &mut old)?));
        *x = grid.value(mean.saturating_add(steps(mechanism, &mut new)?));
        Ok(())
    })
}

/// One draw of discrete noise; none of the others.
fn steps(mechanism: Mechanism, rng: &mut ChaCha20Rng) -> Result<i64, MechanismError> {
    match mechanism {
        Mechanism::DiscreteLaplace { noise, .. } => noise.draw(rng),
        Mechanism::DiscreteGaussian { noise, .. } => noise.draw(rng),
        Mechanism::None | Mechanism::Laplace(_) | Mechanism::Gaussian(_) => Ok(0),
    }
}

/// The longest ranges of rows within `range` whose nodes are awake.
fn ranges_awake(range: Range<usize>, lanes: usize, awake: Option<&[bool]>) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    let is_awake = move |row: usize| awake.is_none_or(|awake| awake[row / lanes]);
    let mut next = range.start;
    std::iter::from_fn(move || {
        let start = (next..end).find(|&row| is_awake(row))?;
        next = if awake.is_none() { end } else { (start..end).find(|&row| !is_awake(row)).unwrap_or(end) };
        Some(start..next)
    })
}
