//! How far one change of the data can move a value: always with its norm and its relation of neighbouring data sets.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::MechanismError;

/// Which pairs of data sets the guarantee makes indistinguishable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Adjacency {
    /// The whole data set of one node is replaced by another one (paper A).
    ReplaceNode,
    /// One record of one node is replaced by another one; the number of records is public.
    ReplaceRecord,
    /// One record of one node is added or removed; divisors must then be declared constants.
    AddRemoveRecord,
}

impl fmt::Display for Adjacency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ReplaceNode => "the data set of one node replaced",
            Self::ReplaceRecord => "one record replaced",
            Self::AddRemoveRecord => "one record added or removed",
        })
    }
}

/// The norm in which a sensitivity is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Norm {
    /// Sum of absolute values.
    L1,
    /// Euclidean length.
    L2,
}

/// A bound on the distance between the values of two adjacent data sets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sensitivity {
    /// The bound, finite and not negative, in the units of the value.
    pub value: f64,
    /// The norm of the bound.
    pub norm: Norm,
    /// The pairs of data sets it speaks of.
    pub adjacency: Adjacency,
}

impl Sensitivity {
    /// A checked sensitivity.
    ///
    /// # Errors
    /// If `value` is negative or not finite: a value whose sensitivity is unbounded cannot be released with noise.
    pub fn new(value: f64, norm: Norm, adjacency: Adjacency) -> Result<Self, MechanismError> {
        if value.is_finite() && value >= 0.0 {
            Ok(Self { value, norm, adjacency })
        } else {
            Err(MechanismError::Sensitivity(value))
        }
    }

    /// The L1 bound for vectors of dimension `dim`: an L2 bound costs a factor `sqrt(dim)` (Cauchy-Schwarz).
    pub fn l1(self, dim: usize) -> f64 {
        match self.norm {
            Norm::L1 => self.value,
            Norm::L2 => self.value * (dim as f64).sqrt(),
        }
    }

    /// The L2 bound. An L1 bound is one as it stands (`||d||_2 <= ||d||_1`); no factor may be taken off.
    pub fn l2(self) -> f64 {
        self.value
    }

    /// The sensitivity of `factor` times the value.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self { value: self.value * factor.abs(), ..self }
    }
}

/// `value`, if it is finite and not negative.
pub(crate) fn bound(name: &'static str, value: f64) -> Result<f64, MechanismError> {
    if value.is_finite() && value >= 0.0 { Ok(value) } else { Err(MechanismError::Bound { name, value }) }
}
