//! How many rounds averaging takes.

use crate::{MixingMatrix, TopologyError};

/// Bounds on the total-variation mixing time; see [`MixingMatrix::mixing_time`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MixingTime {
    /// No fewer rounds are enough.
    pub at_least: u64,
    /// So many rounds are enough.
    pub at_most: u64,
}

impl MixingMatrix {
    /// The smallest `t` with `lambda^t <= factor`: so many rounds shrink the disagreement (the root mean square
    /// deviation from the mean) by that factor whatever the start, and for the worst start no fewer do.
    ///
    /// # Errors
    /// If `factor` is not strictly between 0 and 1, or the spectrum cannot be computed.
    pub fn rounds_to_shrink(&self, factor: f64) -> Result<u64, TopologyError> {
        check_factor(factor)?;
        Ok(rounds(self.second_largest_singular_value()?, factor))
    }

    /// Bounds on the mixing time of the Markov chain `W`: the smallest `t` at which every row of `W^t` is within
    /// `epsilon` of uniform in total variation, `max_i 1/2 sum_j |(W^t)_ij - 1/n| <= epsilon`.
    ///
    /// That distance `d(t)` obeys `lambda^t / 2 <= d(t) <= sqrt(n - 1) lambda^t / 2`: from below because the maximal
    /// row sum of `|W^t - J|` is at least its spectral radius, from above by Cauchy and Schwarz and
    /// `(W^2t)_ii - 1/n <= lambda^2t (1 - 1/n)` (Levin and Peres, *Markov Chains and Mixing Times*, 2017, chapter 12).
    /// Both hold for negative weights too.
    ///
    /// ```
    /// use dido_topology::{families, spectra::MixingTime, weights};
    ///
    /// // lambda = 0.949; the chain of 16 nodes is within 1/4 of uniform after 14 to 40 steps.
    /// let w = weights::metropolis(&families::ring(16)?);
    /// assert_eq!(w.mixing_time(0.25)?, MixingTime { at_least: 14, at_most: 40 });
    /// # Ok::<(), dido_topology::TopologyError>(())
    /// ```
    ///
    /// # Errors
    /// If `epsilon` is not strictly between 0 and 1, or the spectrum cannot be computed.
    pub fn mixing_time(&self, epsilon: f64) -> Result<MixingTime, TopologyError> {
        check_factor(epsilon)?;
        if self.nodes() == 1 {
            return Ok(MixingTime { at_least: 0, at_most: 0 });
        }
        let lambda = self.second_largest_singular_value()?;
        let spread = ((self.nodes() - 1) as f64).sqrt();
        Ok(MixingTime { at_least: rounds(lambda, 2.0 * epsilon), at_most: rounds(lambda, 2.0 * epsilon / spread) })
    }
}

pub(crate) fn check_factor(factor: f64) -> Result<(), TopologyError> {
    if factor > 0.0 && factor < 1.0 { Ok(()) } else { Err(TopologyError::Factor { factor }) }
}

/// The smallest `t` with `lambda^t <= factor`, `0 <= lambda < 1`.
pub(crate) fn rounds(lambda: f64, factor: f64) -> u64 {
    if factor >= 1.0 {
        return 0;
    }
    // A lambda of rounding errors is 0.
    if lambda < f64::EPSILON {
        return 1;
    }
    // ln(lambda) by ln_1p: a gap of 1e-10 keeps its digits. The 1e-12 forgives the rounding of an exact power.
    let exact = factor.ln() / (lambda - 1.0).ln_1p();
    whole(exact * (1.0 - 1e-12))
}

/// Up to the next whole number of rounds.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative; beyond 2^64 it saturates")]
pub(crate) fn whole(rounds: f64) -> u64 {
    rounds.ceil() as u64
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::{families, weights};

    /// The distance itself, from powers of W.
    fn exact(w: &MixingMatrix, epsilon: f64) -> u64 {
        let (dense, n) = (w.to_dense(), w.nodes());
        let mut power = Array2::eye(n);
        for t in 0.. {
            let distance = |i| power.row(i).iter().map(|p: &f64| (p - 1.0 / n as f64).abs()).sum::<f64>() / 2.0;
            if (0..n).map(distance).fold(0.0, f64::max) <= epsilon {
                return t;
            }
            power = power.dot(&dense);
        }
        unreachable!("the loop has no end")
    }

    #[test]
    fn bounds_enclose_the_mixing_time() {
        for n in [1, 2, 5, 16, 30] {
            for family in [families::ring, families::path, families::star, families::complete] {
                let w = weights::metropolis(&family(n).unwrap());
                for epsilon in [0.4, 0.25, 1e-3] {
                    let (bounds, exact) = (w.mixing_time(epsilon).unwrap(), exact(&w, epsilon));
                    assert!((bounds.at_least..=bounds.at_most).contains(&exact), "{n}: {bounds:?} {exact}");
                }
            }
        }
    }

    #[test]
    fn rounds_are_the_smallest_that_suffice() {
        for (lambda, factor, expected) in
            [(0.5, 0.125, 3), (0.5, 0.124, 4), (0.0, 0.1, 1), (0.9, 0.95, 1), (0.1, 0.001, 3)]
        {
            assert_eq!(rounds(lambda, factor), expected, "{lambda} {factor}");
        }
        let w = weights::metropolis(&families::ring(16).unwrap());
        let (lambda, t) = (w.second_largest_singular_value().unwrap(), w.rounds_to_shrink(1e-6).unwrap());
        assert!(lambda.powf(t as f64) <= 1e-6 && lambda.powf(t as f64 - 1.0) > 1e-6);
        for wrong in [0.0, 1.0, -1.0, 2.0, f64::NAN] {
            assert!(matches!(w.rounds_to_shrink(wrong), Err(TopologyError::Factor { .. })));
            assert!(matches!(w.mixing_time(wrong), Err(TopologyError::Factor { .. })));
        }
    }
}
