//! What is predicted.

use super::feature::Encode;
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

    /// The number that is encoded as 0, and the distance that is encoded as 1.
    pub(super) fn units(&self) -> (f64, f64) {
        match self {
            Self::Numeric(numeric) => (numeric.center, numeric.scale),
            Self::Classes(_) => (0.0, 1.0),
        }
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
