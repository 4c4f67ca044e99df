//! Sums of records in integers, whose sensitivity has no floating-point caveat.

use rand::CryptoRng;

use super::{ExactNoise, Grid};
use crate::{Adjacency, MechanismError, Norm, Sensitivity};

/// The sum of one vector per record, each truncated towards zero on a grid and no longer than a cap.
///
/// Both are done in integers: the cap is checked on the numbers that are summed, and the order of the records does not
/// matter. So the sensitivity is the cap (twice the cap for a replaced record), without inflation.
///
/// `Debug` shows the cap, never the sum.
#[derive(Clone)]
pub struct RecordSum {
    grid: Grid,
    norm: Norm,
    /// In steps.
    cap: u64,
    /// In steps: of fewer than `2^64` records of at most `2^52` steps, so it does not overflow.
    sum: Vec<i128>,
}

impl RecordSum {
    /// The empty sum of records of `dim` coordinates, each of length at most `clip` in `norm` (rounded down to a
    /// multiple of the step).
    ///
    /// # Errors
    /// If `clip` is below one step, above `2^52` steps, or not a number.
    pub fn new(grid: Grid, dim: usize, norm: Norm, clip: f64) -> Result<Self, MechanismError> {
        let cap = u64::try_from(grid.toward_zero(clip)).unwrap_or(0);
        if (1..=Grid::WIDEST).contains(&cap) {
            Ok(Self { grid, norm, cap, sum: vec![0; dim] })
        } else {
            Err(MechanismError::Bound { name: "clip", value: clip })
        }
    }

    /// Adds a record, truncated towards zero on the grid.
    ///
    /// # Errors
    /// If it has another number of coordinates, a number that is not finite, or is longer than the cap. The sum is as
    /// it was then. Note that a refusal that is seen by others tells them about the record: use
    /// [`add_clipped`](Self::add_clipped) where that can happen.
    pub fn add(&mut self, record: &[f64]) -> Result<(), MechanismError> {
        self.check(record)?;
        let steps = self.truncated(record.iter().copied());
        if !self.fits(&steps) {
            return Err(MechanismError::OverCap { cap: self.cap, norm: self.norm });
        }
        self.accumulate(&steps);
        Ok(())
    }

    /// Adds a record, shortened to the cap if it is longer.
    ///
    /// # Errors
    /// If it has another number of coordinates, or a number that is not finite.
    pub fn add_clipped(&mut self, record: &[f64]) -> Result<(), MechanismError> {
        self.check(record)?;
        let mut steps = self.truncated(record.iter().copied());
        if !self.fits(&steps) {
            // Relative to the largest number, so that nothing overflows; only the check below is relied upon.
            let largest = record.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
            let relative: Vec<f64> = record.iter().map(|x| x / largest).collect();
            let length = match self.norm {
                Norm::L1 => relative.iter().map(|x| x.abs()).sum::<f64>(),
                Norm::L2 => relative.iter().map(|x| x * x).sum::<f64>().sqrt(),
            };
            let mut factor = self.grid.value(self.cap.cast_signed()) / length;
            // Floating point may leave it too long by a little: a doubling margin ends within 53 turns, at 0.
            let mut margin = f64::EPSILON;
            steps = self.truncated(relative.iter().map(|x| x * factor));
            while !self.fits(&steps) {
                factor *= 1.0 - margin;
                margin = (2.0 * margin).min(1.0);
                steps = self.truncated(relative.iter().map(|x| x * factor));
            }
        }
        self.accumulate(&steps);
        Ok(())
    }

    /// What the sum can move by.
    ///
    /// # Errors
    /// If all records of a node are replaced: nothing bounds their number here.
    pub fn sensitivity(&self, adjacency: Adjacency) -> Result<Sensitivity, MechanismError> {
        let records = match adjacency {
            Adjacency::AddRemoveRecord => 1,
            Adjacency::ReplaceRecord => 2,
            Adjacency::ReplaceNode => {
                return Err(MechanismError::Adjacency { expected: Adjacency::ReplaceRecord, found: adjacency });
            }
        };
        Sensitivity::new((records * self.cap) as f64 * self.grid.step(), self.norm, adjacency)
    }

    /// The sum with noise, in the units of the records: each number a multiple of the step, cut off at
    /// [`Grid::FARTHEST`] steps before the noise.
    ///
    /// # Errors
    /// If the noise is on another grid, or `rng` is broken.
    pub fn release<R: CryptoRng>(self, noise: &impl ExactNoise, rng: &mut R) -> Result<Vec<f64>, MechanismError> {
        if noise.grid() != self.grid {
            return Err(MechanismError::OtherGrid { expected: self.grid.exponent(), found: noise.grid().exponent() });
        }
        let farthest = i128::from(Grid::FARTHEST);
        let cut = |x: i128| i64::try_from(x.clamp(-farthest, farthest)).unwrap_or(Grid::FARTHEST);
        let mut steps: Vec<i64> = self.sum.into_iter().map(cut).collect();
        noise.add_to_steps(rng, &mut steps)?;
        Ok(steps.into_iter().map(|steps| self.grid.value(steps)).collect())
    }

    fn check(&self, record: &[f64]) -> Result<(), MechanismError> {
        if record.len() != self.sum.len() {
            return Err(MechanismError::Coordinates { expected: self.sum.len(), found: record.len() });
        }
        match record.iter().position(|x| !x.is_finite()) {
            Some(position) => Err(MechanismError::NotFinite { position }),
            None => Ok(()),
        }
    }

    fn truncated(&self, record: impl Iterator<Item = f64>) -> Vec<i64> {
        record.map(|x| self.grid.toward_zero(x)).collect()
    }

    /// Whether the length in steps is at most the cap; in integers that do not overflow.
    fn fits(&self, steps: &[i64]) -> bool {
        let sizes = steps.iter().map(|x| u128::from(x.unsigned_abs()));
        let cap = u128::from(self.cap);
        match self.norm {
            Norm::L1 => sizes.fold(0, u128::saturating_add) <= cap,
            Norm::L2 => sizes.map(|x| x * x).fold(0, u128::saturating_add) <= cap * cap,
        }
    }

    fn accumulate(&mut self, steps: &[i64]) {
        for (sum, steps) in self.sum.iter_mut().zip(steps) {
            *sum += i128::from(*steps);
        }
    }
}

impl std::fmt::Debug for RecordSum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { grid, norm, cap, sum } = self;
        write!(f, "RecordSum({} coordinates, at most {cap} steps of 2^{} in {norm:?})", sum.len(), grid.exponent())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DiscreteLaplace;
    use Norm::{L1, L2};
    use chacha20::ChaCha20Rng;
    use rand::{RngExt, SeedableRng};

    fn sum(norm: Norm, clip: f64, dim: usize) -> RecordSum {
        RecordSum::new(Grid::new(-4).unwrap(), dim, norm, clip).unwrap()
    }

    /// In steps of 1/16, with a cap of 16 of them: (9, 12, 5) has the length 15.8, (10, 12, 5) that of 16.4.
    #[test]
    fn a_record_over_the_cap_is_refused_in_integers() {
        let mut l2 = sum(L2, 1.0, 3);
        let record = |steps: [f64; 3]| steps.map(|x| x / 16.0);
        assert_eq!(l2.add(&record([9.0, -12.99, 5.0])), Ok(()));
        assert_eq!(l2.add(&record([10.0, 12.0, 5.0])), Err(MechanismError::OverCap { cap: 16, norm: L2 }));
        assert_eq!(l2.add(&record([16.0, 0.0, 0.0])), Ok(()));
        assert_eq!(l2.add(&record([16.0, 1.0, 0.0])), Err(MechanismError::OverCap { cap: 16, norm: L2 }));
        assert_eq!(l2.sum, [25, -12, 5]);
        let mut l1 = sum(L1, 1.0, 3);
        assert_eq!(l1.add(&record([5.0, -6.0, 5.99])), Ok(()));
        assert_eq!(l1.add(&record([5.0, -6.0, 6.0])), Err(MechanismError::OverCap { cap: 16, norm: L1 }));
        assert_eq!(l1.add(&[f64::MAX; 3]), Err(MechanismError::OverCap { cap: 16, norm: L1 }));
        assert_eq!(l1.add(&[0.0, f64::NAN, 0.0]), Err(MechanismError::NotFinite { position: 1 }));
        assert_eq!(l1.add(&[0.0]), Err(MechanismError::Coordinates { expected: 3, found: 1 }));
        assert_eq!(l1.sum, [5, -6, 5]);
    }

    /// 2000 random records from tiny to huge, at random scales: never over the cap, and at most a little below what
    /// was possible. Seeded.
    #[test]
    fn clipped_records_fit_and_waste_little() {
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        for norm in [L1, L2] {
            for _ in 0..1000 {
                let dim = rng.random_range(1..20);
                let mut sum = RecordSum::new(Grid::new(-30).unwrap(), dim, norm, 0.7).unwrap();
                let size = rng.random_range(-20.0..1000.0_f64).exp2();
                let record: Vec<f64> = (0..dim).map(|_| size * rng.random_range(-1.0..1.0)).collect();
                let fits = sum.clone().add(&record).is_ok();
                sum.add_clipped(&record).unwrap();
                let steps: Vec<i64> = sum.sum.iter().map(|x| i64::try_from(*x).unwrap()).collect();
                assert!(sum.fits(&steps));
                let length = match norm {
                    L1 => steps.iter().map(|x| x.abs() as f64).sum(),
                    L2 => steps.iter().map(|x| (*x as f64).powi(2)).sum::<f64>().sqrt(),
                };
                if fits {
                    assert_eq!(steps, sum.truncated(record.iter().copied()));
                } else {
                    assert!(length > 0.9999 * sum.cap as f64, "{length}");
                }
            }
        }
    }

    /// In steps these are 2^53 + 1 + 1 - 2^53, which in floating point is 0 in this order and 2 in the other.
    #[test]
    fn the_order_does_not_matter() {
        let large = 48_f64.exp2();
        let records = [large, large, 0.0625, 0.0625, -large, -large];
        assert!(records.iter().sum::<f64>().abs() <= 0.0);
        let mut sums = [sum(L1, large, 1), sum(L1, large, 1)];
        for i in 0..records.len() {
            sums[0].add(&[records[i]]).unwrap();
            sums[1].add(&[records[(i + 2) % records.len()]]).unwrap();
        }
        assert!(sums.iter().all(|s| s.sum == [2]));
    }

    #[test]
    fn the_sensitivity_is_the_cap_or_twice_the_cap() {
        let sum = sum(L2, 1.03, 3); // 16.48 steps
        let value = |adjacency| sum.sensitivity(adjacency).map(|s| s.value);
        assert_eq!(value(Adjacency::AddRemoveRecord), Ok(1.0));
        assert_eq!(value(Adjacency::ReplaceRecord), Ok(2.0));
        assert!(value(Adjacency::ReplaceNode).is_err());
        assert_eq!(format!("{sum:?}"), "RecordSum(3 coordinates, at most 16 steps of 2^-4 in L2)");
        for clip in [0.0, -1.0, 0.05, f64::NAN, f64::INFINITY] {
            assert!(RecordSum::new(Grid::new(-4).unwrap(), 1, L1, clip).is_err());
        }
    }

    /// The released numbers are the sum and the draws of the same generator, and saturate.
    #[test]
    fn a_release_is_the_sum_and_the_noise() {
        let grid = Grid::new(-4).unwrap();
        let noise = DiscreteLaplace::new(3.0, grid).unwrap();
        let mut records = sum(L1, 2.0, 2);
        records.add(&[1.0, -0.5]).unwrap();
        records.add_clipped(&[0.0, 30.0]).unwrap();
        let other = DiscreteLaplace::new(3.0, Grid::new(0).unwrap()).unwrap();
        let mut rng = ChaCha20Rng::seed_from_u64(2);
        let refused = records.clone().release(&other, &mut rng);
        assert_eq!(refused, Err(MechanismError::OtherGrid { expected: -4, found: 0 }));

        let mut same = ChaCha20Rng::seed_from_u64(2);
        let expected = [16, 24].map(|steps| grid.value(steps + noise.draw(&mut same).unwrap()));
        let released = records.clone().release(&noise, &mut rng).unwrap();
        assert!(released.iter().zip(expected).all(|(x, y)| x.to_bits() == y.to_bits()));

        records.sum = vec![i128::MAX, i128::MIN];
        let far = records.release(&noise, &mut rng).unwrap();
        let farthest = grid.value(Grid::FARTHEST);
        assert!((far[0] / farthest - 1.0).abs() < 1e-12 && (far[1] / farthest + 1.0).abs() < 1e-12);
    }
}
