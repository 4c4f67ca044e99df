//! The coefficients of Chebyshev's averaging.

use crate::TopologyError;

/// `omega_1, omega_2, ...` of `x(t) = omega_t W x(t-1) + (1 - omega_t) x(t-2)`, the three-term recurrence of
/// [`Method::Chebyshev`](super::Method::Chebyshev): for those who talk to their neighbours themselves. It never ends.
#[derive(Clone, Debug, PartialEq)]
pub struct ChebyshevFactors {
    /// `lambda^2 / 4`.
    quarter: f64,
    /// The latest one, once there is one.
    omega: Option<f64>,
    /// Whether the latest one is the first.
    first: bool,
}

impl ChebyshevFactors {
    /// For a known bound `lambda >= ||W - J||_2`. A looser bound costs rounds; one that is too small may let the
    /// disagreement grow.
    ///
    /// # Errors
    /// If `lambda` is not in `[0, 1)`.
    pub fn new(lambda: f64) -> Result<Self, TopologyError> {
        if !(0.0..1.0).contains(&lambda) {
            return Err(TopologyError::Lambda { lambda });
        }
        Ok(Self { quarter: lambda * lambda / 4.0, omega: None, first: false })
    }
}

impl Iterator for ChebyshevFactors {
    type Item = f64;

    /// `omega_1 = 1`, `omega_2 = 1 / (1 - lambda^2 / 2)` and `omega_t = 1 / (1 - lambda^2 omega_(t-1) / 4)` from then on.
    fn next(&mut self) -> Option<f64> {
        let next = match self.omega {
            None => 1.0,
            Some(_) if self.first => 1.0 / (1.0 - 2.0 * self.quarter),
            Some(omega) => 1.0 / (1.0 - self.quarter * omega),
        };
        (self.first, self.omega) = (self.omega.is_none(), Some(next));
        self.omega
    }
}
