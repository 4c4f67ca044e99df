//! The facts of one release, and nothing but facts: accountants interpret them.

use serde::{Deserialize, Serialize};

use crate::Sensitivity;

/// What left a node.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Event {
    /// A vector with independent Laplace noise in each coordinate.
    Laplace {
        /// Of the vector before the noise.
        sensitivity: Sensitivity,
        /// Coordinates of the vector.
        dim: usize,
        /// The scale `b` of the noise: density `exp(-|x|/b) / 2b`, variance `2 b^2`.
        scale: f64,
    },
    /// A value that has looked at data and left without noise: no guarantee is left.
    NonPrivate,
}
