//! Records drawn at random within public bounds, for property tests: strategies of [proptest](https://docs.rs/proptest).
//!
//! ```
//! use dido_problems::{RecordBounds, strategies};
//! use proptest::prelude::*;
//!
//! let bounds = RecordBounds::new(2.0, 0.5)?;
//! proptest!(|(shard in strategies::shards(strategies::Targets::Numbers, bounds, 1..=5, 3))| {
//!     prop_assert!(shard.dim() == 3 && (1..=5).contains(&shard.records()));
//!     prop_assert!(shard.y().iter().all(|y| y.abs() <= 0.5));
//! });
//! # Ok::<(), dido_problems::ProblemError>(())
//! ```

use std::ops::RangeInclusive;

use ndarray::{Array1, Array2};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};

use crate::{Loss, RecordBounds, Shard};

/// What the targets of records are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Targets {
    /// Numbers within the bound.
    Numbers,
    /// Two classes: the bound and its negative.
    Classes,
}

impl Targets {
    /// Those that a loss is made for.
    pub fn of(loss: Loss) -> Self {
        if loss.is_classification() { Self::Classes } else { Self::Numbers }
    }
}

/// Any loss, with any width between 0.1 and 1 where it has one.
pub fn losses() -> impl Strategy<Value = Loss> {
    prop_oneof![
        Just(Loss::Squared),
        (0.1..1.0).prop_map(|width| Loss::Huber { width }),
        Just(Loss::Logistic),
        Just(Loss::Hinge),
        (0.1..1.0).prop_map(|width| Loss::SmoothedHinge { width }),
    ]
}

/// Bounds between a tenth and ten.
pub fn bounds() -> impl Strategy<Value = RecordBounds> {
    let size = || (-1.0..=1.0).prop_map(|exponent| 10_f64.powf(exponent));
    (size(), size()).prop_filter_map("positive bounds", |(row_norm, target)| RecordBounds::new(row_norm, target).ok())
}

/// So many records of one party, with `dim` features; about every other row and target is as long as the bound allows.
///
/// `dim` must be at least 1.
pub fn shards(
    targets: Targets,
    bounds: RecordBounds,
    records: RangeInclusive<usize>,
    dim: usize,
) -> impl Strategy<Value = Shard> {
    // Rows as long as the bound in the root of the mean square; what is longer is clipped to it.
    let row = vec(-1.0..=1.0, dim);
    vec((row, -2.0..=2.0, any::<bool>()), records).prop_filter_map("records", move |records| {
        let scale = bounds.row_norm() / (dim as f64 / 3.0).sqrt();
        let x: Array1<f64> = records.iter().flat_map(|(row, ..)| row.iter().map(|x| x * scale)).collect();
        let x: Array2<f64> = x.into_shape_with_order((records.len(), dim)).ok()?;
        let target = |&(_, size, positive): &(_, f64, bool)| match targets {
            Targets::Numbers => size * bounds.target(),
            Targets::Classes if positive => bounds.target(),
            Targets::Classes => -bounds.target(),
        };
        Shard::clipped(x, records.iter().map(target).collect(), bounds).ok()
    })
}

#[cfg(test)]
mod tests {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    use super::*;

    /// 300 shards of a fixed sequence: some rows are at their bound and some are not, and both classes come up.
    #[test]
    fn rows_are_at_their_bound_and_below_it_and_targets_are_what_was_asked_for() {
        let (mut runner, bounds) = (TestRunner::deterministic(), RecordBounds::new(2.0, 0.5).unwrap());
        let mut share = |targets| {
            let mut counts = [0; 3];
            for _ in 0..300 {
                let shard = shards(targets, bounds, 2..=4, 3).new_tree(&mut runner).unwrap().current();
                counts[0] += shard.records();
                counts[1] += shard.x().rows().into_iter().filter(|row| row.dot(row) > 3.999).count();
                counts[2] += shard.y().iter().filter(|y| y.abs() > 0.499).count();
            }
            (counts[1] as f64 / counts[0] as f64, counts[2] as f64 / counts[0] as f64)
        };
        let (rows, targets) = share(Targets::Numbers);
        assert!((0.2..0.8).contains(&rows) && (0.3..0.7).contains(&targets), "{rows} {targets}");
        assert!(share(Targets::Classes).1 > 0.999);
    }
}
