//! The two sequences of dual averaging.

use serde::{Deserialize, Serialize};

use crate::OptimizerError;

/// The weights `a_t` of the gradients and `gamma_t` of the distance, `t = 1, 2, ...`
///
/// | weights | `a_t` | `gamma_t` | for |
/// |---|---|---|---|
/// | growing distance | 1 | `gamma sqrt(t + 1)` | convex regularisers: `O(1/sqrt(T))` |
/// | growing gradients | `t` | `gamma` | strongly convex regularisers, with `gamma = iota mu`: `O(1/T)` |
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum DualWeights {
    /// `a_t = 1`, `gamma_t = gamma sqrt(t + 1)`.
    GrowingDistance {
        /// `gamma`.
        gamma: f64,
    },
    /// `a_t = t`, `gamma_t = gamma`.
    GrowingGradients {
        /// `gamma`.
        gamma: f64,
    },
}

impl DualWeights {
    /// The weights, if they make sense.
    ///
    /// # Errors
    /// If `gamma` is not finite and positive.
    pub fn checked(self) -> Result<Self, OptimizerError> {
        let (Self::GrowingDistance { gamma: value } | Self::GrowingGradients { gamma: value }) = self;
        if value.is_finite() && value > 0.0 {
            Ok(self)
        } else {
            Err(OptimizerError::ScheduleParameter { name: "gamma", value })
        }
    }

    /// `a_t`.
    pub fn a(self, t: u32) -> f64 {
        match self {
            Self::GrowingDistance { .. } => 1.0,
            Self::GrowingGradients { .. } => f64::from(t),
        }
    }

    /// `A_t = a_1 + ... + a_t`, exact up to `2^53`.
    pub fn sum(self, t: u32) -> f64 {
        let t = f64::from(t);
        match self {
            Self::GrowingDistance { .. } => t,
            Self::GrowingGradients { .. } => 0.5 * t * (t + 1.0),
        }
    }

    /// `gamma_t`; `gamma_0` is `gamma_1`.
    pub fn gamma(self, t: u32) -> f64 {
        match self {
            Self::GrowingDistance { gamma } => gamma * (f64::from(t.max(1)) + 1.0).sqrt(),
            Self::GrowingGradients { gamma } => gamma,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_the_sum() {
        for weights in [DualWeights::GrowingDistance { gamma: 2.0 }, DualWeights::GrowingGradients { gamma: 2.0 }] {
            let mut sum = 0.0;
            for t in 1..100 {
                sum += weights.a(t);
                assert!((weights.sum(t) - sum).abs() < 1e-12);
                assert!(weights.gamma(t) >= weights.gamma(t - 1) && weights.a(t) >= weights.a(t - 1) || t == 1);
            }
            assert_eq!(weights.gamma(0).to_bits(), weights.gamma(1).to_bits());
        }
    }

    #[test]
    fn gamma_must_be_positive() {
        for gamma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(DualWeights::GrowingDistance { gamma }.checked().is_err());
            assert!(DualWeights::GrowingGradients { gamma }.checked().is_err());
        }
    }
}
