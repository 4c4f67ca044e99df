//! What the sets around the origin that are given by a radius share.

use serde::Deserialize;

use crate::GeometryError;

/// The radius as a file gives it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Raw {
    pub(super) radius: f64,
}

/// The radius, if it is one.
pub(super) fn checked(radius: f64) -> Result<f64, GeometryError> {
    if radius.is_finite() && radius > 0.0 { Ok(radius) } else { Err(GeometryError::Radius(radius)) }
}
