//! A number, clipped, centred and scaled.

use super::{Cell, Encode, Fault, Units};

/// A number `v` becomes `(clamp(v, min, max) - center) / scale`.
///
/// | field | unit | range | meaning |
/// |---|---|---|---|
/// | `min`, `max` | of the column | finite, in order | smaller and larger numbers are set to the end they exceed |
/// | `center` | of the column | finite | what becomes 0 |
/// | `scale` | of the column | finite, positive | what becomes a step of 1 |
#[derive(Clone, Debug, PartialEq)]
pub struct Numeric {
    /// The column of the file.
    pub column: String,
    /// Smallest number.
    pub min: f64,
    /// Largest number.
    pub max: f64,
    /// The number that becomes 0.
    pub center: f64,
    /// The distance that becomes 1.
    pub scale: f64,
}

impl Numeric {
    fn scaled(&self, v: f64) -> f64 {
        (v - self.center) / self.scale
    }

    /// The largest encoded value in size.
    pub(in crate::table) fn bound(&self) -> f64 {
        self.scaled(self.min).abs().max(self.scaled(self.max).abs())
    }

    /// The encoded value, and whether it was clipped.
    fn value(&self, cell: &Cell<'_>) -> Result<(f64, bool), Fault> {
        let v = cell.number()?;
        Ok((self.scaled(v.clamp(self.min, self.max)), v < self.min || v > self.max))
    }
}

impl Encode for Numeric {
    fn column(&self) -> &str {
        &self.column
    }

    fn names(&self) -> Vec<String> {
        vec![self.column.clone()]
    }

    fn check(&self) -> Result<(), &'static str> {
        if !(self.min.is_finite() && self.max.is_finite() && self.min < self.max) {
            return Err("min and max must be finite and in order");
        }
        if !(self.center.is_finite() && self.scale.is_finite() && self.scale > 0.0) {
            return Err("the centre must be finite, the scale finite and positive");
        }
        if !self.square_bound().is_finite() {
            return Err("the scale is too small for the range: the scaled ends overflow");
        }
        Ok(())
    }

    fn square_bound(&self) -> f64 {
        self.bound().powi(2)
    }

    fn encode(&self, cell: &Cell<'_>, row: &mut Vec<f64>) -> Result<bool, Fault> {
        let (value, clipped) = self.value(cell)?;
        row.push(value);
        Ok(clipped)
    }

    fn original_units(&self, beta: &[f64], units: &mut Units) {
        let slope = beta[0] / self.scale;
        units.intercept -= slope * self.center;
        units.coefficients.push((self.column.clone(), slope));
    }

    fn levels(&self) -> &[String] {
        &[]
    }
}
