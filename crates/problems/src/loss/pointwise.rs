//! Losses of one record: convex functions of the prediction `p = x'b` and the target `y`.

use serde::{Deserialize, Serialize};

use crate::ProblemError;

/// A convex loss `l(p, y)` of a linear prediction `p = x'b`.
///
/// | loss | `l(p, y)` | targets | slope at most | curvature at most |
/// |---|---|---|---|---|
/// | squared | `(p - y)^2 / 2` | numbers | no bound | 1 |
/// | Huber | `r^2 / 2` if `abs(r) <= width`, else `width (abs(r) - width / 2)`; `r = p - y` | numbers | `width` | 1 |
/// | logistic | `ln(1 + exp(-y p))` | -1 or 1 | 1 | 1/4 |
/// | hinge | `max(0, 1 - y p)` | -1 or 1 | 1 | no bound |
/// | smoothed hinge | 0 if `m <= 0`, `m^2 / (2 width)` if `m <= width`, else `m - width / 2`; `m = 1 - y p` | -1 or 1 | 1 | `1 / width` |
///
/// The slope is `dl/dp`, so a record has the gradient `slope * x`. Where a target of a margin loss is smaller than 1 in
/// size, the slope is at most its size and the curvature at most its square.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Loss {
    /// Least squares.
    Squared,
    /// Squares near the target, absolute values far away.
    Huber {
        /// Where the one becomes the other.
        width: f64,
    },
    /// Logistic regression.
    Logistic,
    /// The support vector machine.
    Hinge,
    /// The hinge with its corner rounded off over `width`.
    SmoothedHinge {
        /// The margin over which the slope grows to 1.
        width: f64,
    },
}

impl Loss {
    /// The loss, if its parameters make sense.
    ///
    /// # Errors
    /// If a width is not finite and positive.
    pub fn checked(self) -> Result<Self, ProblemError> {
        match self {
            Self::Huber { width } | Self::SmoothedHinge { width } if !(width.is_finite() && width > 0.0) => {
                Err(ProblemError::LossWidth(width))
            }
            loss => Ok(loss),
        }
    }

    /// Whether the targets are the classes -1 and 1.
    pub fn is_classification(self) -> bool {
        matches!(self, Self::Logistic | Self::Hinge | Self::SmoothedHinge { .. })
    }

    /// `l(p, y)`.
    pub fn value(self, p: f64, y: f64) -> f64 {
        match self {
            Self::Squared => 0.5 * (p - y) * (p - y),
            Self::Huber { width } => {
                let r = (p - y).abs();
                if r <= width { 0.5 * r * r } else { width * (r - 0.5 * width) }
            }
            // ln(1 + e^-m) without overflow, and without cancellation for large m.
            Self::Logistic => {
                let margin = y * p;
                (-margin).max(0.0) + (-margin.abs()).exp().ln_1p()
            }
            Self::Hinge => (1.0 - y * p).max(0.0),
            Self::SmoothedHinge { width } => {
                let missing = 1.0 - y * p;
                if missing <= 0.0 {
                    0.0
                } else if missing <= width {
                    0.5 * missing * missing / width
                } else {
                    missing - 0.5 * width
                }
            }
        }
    }

    /// `dl/dp`; of the hinge at its corner the subgradient 0.
    pub fn slope(self, p: f64, y: f64) -> f64 {
        match self {
            Self::Squared => p - y,
            Self::Huber { width } => (p - y).clamp(-width, width),
            Self::Logistic => {
                let e = (-(y * p).abs()).exp();
                let of_the_other_class = if y * p >= 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) };
                -y * of_the_other_class
            }
            Self::Hinge => {
                if y * p < 1.0 {
                    -y
                } else {
                    0.0
                }
            }
            Self::SmoothedHinge { width } => -y * ((1.0 - y * p) / width).clamp(0.0, 1.0),
        }
    }

    /// The least bound of `|dl/dp|` for `|p| <= prediction` and `|y| <= target`; the first may be infinite.
    pub fn largest_slope(self, prediction: f64, target: f64) -> f64 {
        match self {
            Self::Squared => prediction + target,
            Self::Huber { width } => width.min(prediction + target),
            Self::Logistic => target / (1.0 + (-prediction * target).exp()),
            // Reached where the prediction is on the wrong side, or not far enough on the right one.
            Self::Hinge => target,
            Self::SmoothedHinge { width } => target * ((1.0 + prediction * target) / width).min(1.0),
        }
    }

    /// The least bound of the second derivative in `p` for `|y| <= target`: infinite for the hinge.
    pub fn largest_curvature(self, target: f64) -> f64 {
        match self {
            Self::Squared | Self::Huber { .. } => 1.0,
            Self::Logistic => 0.25 * target * target,
            Self::Hinge => f64::INFINITY,
            Self::SmoothedHinge { width } => target * target / width,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Loss; 5] =
        [Loss::Squared, Loss::Huber { width: 0.7 }, Loss::Logistic, Loss::Hinge, Loss::SmoothedHinge { width: 0.5 }];

    fn grid() -> impl Iterator<Item = (f64, f64)> {
        // Shifted, so that no point lies on a corner.
        (-40..40).flat_map(|i| [-1.0, 1.0, 0.6, -0.3].map(|y| (f64::from(i) / 9.5 + 0.0123, y)))
    }

    #[test]
    fn the_slope_is_the_derivative_and_within_its_bound() {
        for loss in ALL {
            for (p, y) in grid() {
                let h = 1e-6;
                let difference = (loss.value(p + h, y) - loss.value(p - h, y)) / (2.0 * h);
                let slope = loss.slope(p, y);
                assert!((slope - difference).abs() < 1e-8, "{loss:?} at {p}, {y}: {slope} and {difference}");
                assert!(slope.abs() <= loss.largest_slope(p.abs(), y.abs()) * (1.0 + 1e-15));
                let curvature = (loss.slope(p + h, y) - loss.slope(p - h, y)) / (2.0 * h);
                assert!(curvature <= loss.largest_curvature(y.abs()) * (1.0 + 1e-8), "{loss:?}: {curvature}");
            }
        }
    }

    /// The bound of the slope is reached by some prediction and target within the sizes.
    #[test]
    fn the_bound_of_the_slope_is_the_least() {
        for loss in ALL {
            for (prediction, target) in [(0.0, 1.0), (0.3, 1.0), (2.0, 0.8), (9.0, 1.0)] {
                let reached = [-prediction, prediction]
                    .into_iter()
                    .flat_map(|p| [-target, target].map(|y| loss.slope(p, y).abs()))
                    .fold(0.0, f64::max);
                let bound = loss.largest_slope(prediction, target);
                assert!((reached - bound).abs() < 1e-12, "{loss:?}, {prediction}, {target}: {reached} of {bound}");
            }
        }
    }

    #[test]
    fn far_predictions_give_finite_numbers() {
        for loss in [Loss::Huber { width: 1.0 }, Loss::Logistic, Loss::Hinge, Loss::SmoothedHinge { width: 1.0 }] {
            for p in [-1e300, -800.0, 800.0, 1e300] {
                assert!(loss.value(p, 1.0).is_finite() && loss.slope(p, 1.0).abs() <= 1.0, "{loss:?} at {p}");
            }
        }
        assert_eq!((Loss::Logistic.value(800.0, 1.0), Loss::Logistic.value(-800.0, 1.0)), (0.0, 800.0));
    }

    #[test]
    fn a_width_must_be_positive() {
        for width in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Loss::Huber { width }.checked().is_err() && Loss::SmoothedHinge { width }.checked().is_err());
        }
        assert!(ALL.iter().all(|loss| loss.checked().is_ok()));
    }
}
