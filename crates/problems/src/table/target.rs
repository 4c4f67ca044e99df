//! What is predicted.

use super::feature::{Encode, Units};
use super::{Classes, Numeric};

/// The declared target of a schema.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A number, clipped, centred and scaled.
    Numeric(Numeric),
    /// One of two classes, -1 and +1.
    Classes(Classes),
}

impl Target {
    /// The column of the file.
    pub fn column(&self) -> &str {
        self.encoder().column()
    }

    /// The largest size an encoded target can have.
    pub fn bound(&self) -> f64 {
        match self {
            Self::Numeric(numeric) => numeric.bound(),
            Self::Classes(_) => 1.0,
        }
    }

    /// The intercept and the coefficients of a predictor of the encoded target, for the original one.
    pub(super) fn in_original_units(&self, units: Units) -> Vec<(String, f64)> {
        let (center, scale) = match self {
            Self::Numeric(numeric) => (numeric.center, numeric.scale),
            Self::Classes(_) => (0.0, 1.0),
        };
        let intercept = ("intercept".to_owned(), center + scale * units.intercept);
        [intercept].into_iter().chain(units.coefficients.into_iter().map(|(name, b)| (name, scale * b))).collect()
    }

    pub(super) fn encoder(&self) -> &dyn Encode {
        match self {
            Self::Numeric(numeric) => numeric,
            Self::Classes(classes) => classes,
        }
    }
}

impl From<Numeric> for Target {
    fn from(numeric: Numeric) -> Self {
        Self::Numeric(numeric)
    }
}

impl From<Classes> for Target {
    fn from(classes: Classes) -> Self {
        Self::Classes(classes)
    }
}
