//! Which polynomial of the mixing matrix is applied.

use crate::spectra::{check_factor, rounds, whole};
use crate::{MixingMatrix, TopologyError};

/// How values are averaged. Either way a round is one exchange with the neighbours, and the mean is kept every round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `x(t) = W x(t-1)`: the disagreement shrinks by `lambda` a round.
    Plain,
    /// `x(t) = T_t(W / lambda) x(0) / T_t(1 / lambda)` with the Chebyshev polynomial `T_t`, of all polynomials of that
    /// degree that keep the mean the one that shrinks the worst disagreement most, by `1 / T_t(1 / lambda)`: about
    /// `sqrt(1 - lambda)` as many rounds as the plain ones. A three-term recurrence from `x(1) = W x(0)`; see
    /// [`Averaging::step`](super::Averaging::step) (Golub and Varga, *Chebyshev semi-iterative methods*, 1961; in
    /// decentralised optimisation Scaman et al., *Optimal algorithms for smooth and strongly convex distributed
    /// optimization in networks*, 2017).
    Chebyshev,
}

impl Method {
    /// The smallest number of rounds that shrinks every disagreement by `factor` (0 < `factor` < 1), from the second
    /// largest singular value of `W`.
    ///
    /// Plain: `lambda^t <= factor`, tight for the worst start. Chebyshev: `T_t(1 / lambda) >= 1 / factor`, tight when
    /// both `lambda` and `-lambda` are eigenvalues, else fewer rounds may do.
    ///
    /// # Errors
    /// If `factor` is out of range, or the spectrum cannot be computed.
    pub fn rounds(self, weights: &MixingMatrix, factor: f64) -> Result<u64, TopologyError> {
        check_factor(factor)?;
        self.rounds_at(weights.second_largest_singular_value()?, factor)
    }

    /// As [`rounds`](Self::rounds), from a second largest singular value that is known already.
    ///
    /// # Errors
    /// If `lambda` is not in `[0, 1)` or `factor` is out of range.
    pub fn rounds_at(self, lambda: f64, factor: f64) -> Result<u64, TopologyError> {
        check_factor(factor)?;
        if !(0.0..1.0).contains(&lambda) {
            return Err(TopologyError::Lambda { lambda });
        }
        Ok(match self {
            Self::Plain => rounds(lambda, factor),
            Self::Chebyshev if lambda < f64::EPSILON => 1,
            // T_t(z) = cosh(t acosh z).
            Self::Chebyshev => whole((1.0 / factor).acosh() / (1.0 / lambda).acosh() * (1.0 - 1e-12)),
        })
    }

    /// By which factor, at most, `rounds` rounds shrink a disagreement when the second largest singular value is
    /// `lambda`: `lambda^rounds`, or `1 / T_rounds(1 / lambda)`.
    pub fn factor(self, lambda: f64, rounds: u32) -> f64 {
        match self {
            Self::Plain => lambda.powf(f64::from(rounds)),
            Self::Chebyshev => 1.0 / (f64::from(rounds) * (1.0 / lambda).acosh()).cosh(),
        }
    }
}
