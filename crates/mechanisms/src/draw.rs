//! Noise on a whole bundle, by several threads.

use std::ops::Range;
use std::sync::OnceLock;

use dido_geometry::{Rows, Shape, parallel};

use crate::noise::ExactNoise;
use crate::{Key, Mechanism, MechanismError, Stream};

/// Draws of floating-point noise below which threads do not pay.
const WORTH_THREADS: usize = 30_000;
/// The same for discrete noise, which takes 20 times as long.
const DISCRETE_WORTH_THREADS: usize = WORTH_THREADS / 20;

/// Adds noise to the rows of the nodes that are awake; `keys`: one for each row.
///
/// # Errors
/// If there are not as many keys as rows.
pub(crate) fn add_noise(
    mechanism: Mechanism,
    keys: &[Key],
    stream: Stream,
    awake: Option<&[bool]>,
    rows: &mut Rows,
) -> Result<(), MechanismError> {
    let Shape { dim, lanes, .. } = rows.shape();
    let draws = rows.as_slice().len();
    if matches!(mechanism, Mechanism::None) {
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
            if let Err(error) = add_to(mechanism, &keys[range], stream, part, dim) {
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
