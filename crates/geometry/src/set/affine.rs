//! The affine subspace.

use serde::{Deserialize, Serialize};

use crate::sums::dot;
use crate::{GeometryError, kernel, norm};

/// What is left of a row of length 1 that counts as independent of the rows before it. Rows that pass lose at most 8 of
/// the 16 digits of their right-hand sides.
const INDEPENDENT: f64 = 1e-8;

/// The affine subspace `{x : <a_i, x> = b_i for all i}` of linearly independent rows `a_i`.
///
/// The rows are made orthonormal once, so a projection costs two products with them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw")]
pub struct Affine {
    rows: Vec<Vec<f64>>,
    offsets: Vec<f64>,
    /// Orthonormal rows with the same span, one after the other, and the right-hand sides that belong to them.
    #[serde(skip_serializing)]
    basis: (Vec<f64>, Vec<f64>),
}

/// The equations as a file gives them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    rows: Vec<Vec<f64>>,
    offsets: Vec<f64>,
}

impl Affine {
    /// The solutions `x` of the equations `<rows[i], x> = offsets[i]`.
    ///
    /// # Errors
    /// If there is no equation, their numbers of coefficients or of right-hand sides differ, one has a norm that is
    /// zero or not finite, its right-hand side divided by its norm is not finite, or it depends on the equations
    /// before it: less than `1e-8` of its length is not in their span.
    pub fn new(rows: Vec<Vec<f64>>, offsets: Vec<f64>) -> Result<Self, GeometryError> {
        let (Some(first), true) = (rows.first(), rows.len() == offsets.len()) else {
            return Err(GeometryError::Equations { rows: rows.len(), offsets: offsets.len() });
        };
        let expected = first.len();
        if let Some((row, dim)) = rows.iter().map(Vec::len).enumerate().find(|(_, dim)| *dim != expected) {
            return Err(GeometryError::Coefficients { row, dim, expected });
        }
        let basis = orthonormal(&rows, &offsets)?;
        Ok(Self { rows, offsets, basis })
    }

    pub(super) fn dim(&self) -> usize {
        self.rows[0].len()
    }

    pub(super) fn project(&self, rows: &mut [f64]) {
        let (basis, offsets) = &self.basis;
        project_on_affine(basis, offsets, rows);
    }
}

impl TryFrom<Raw> for Affine {
    type Error = GeometryError;

    fn try_from(raw: Raw) -> Result<Self, GeometryError> {
        Self::new(raw.rows, raw.offsets)
    }
}

/// The equation `<a, x> = b` scaled so that `a` has length 1.
pub(super) fn unit(row: usize, a: &[f64], b: f64) -> Result<(Vec<f64>, f64), GeometryError> {
    let norm = norm(a);
    if !(norm > 0.0 && norm.is_finite()) {
        return Err(GeometryError::Normal { row, norm });
    }
    let offset = b / norm;
    if !offset.is_finite() {
        return Err(GeometryError::Offset { row, offset: b });
    }
    Ok((a.iter().map(|a| a / norm).collect(), offset))
}

/// Gram-Schmidt, twice for each row: what the first pass leaves by rounding, the second takes away.
fn orthonormal(rows: &[Vec<f64>], offsets: &[f64]) -> Result<(Vec<f64>, Vec<f64>), GeometryError> {
    let dim = rows[0].len();
    let (mut basis, mut levels) = (Vec::with_capacity(rows.len() * dim), Vec::with_capacity(rows.len()));
    for (row, (a, &b)) in rows.iter().zip(offsets).enumerate() {
        let (mut a, mut b) = unit(row, a, b)?;
        for _ in 0..2 {
            for (q, level) in basis.chunks_exact(dim).zip(&levels) {
                let along = dot(q, &a);
                a.iter_mut().zip(q).for_each(|(a, q)| *a -= along * q);
                b -= along * level;
            }
        }
        let rest = norm(&a);
        if rest < INDEPENDENT {
            return Err(GeometryError::Dependent { row });
        }
        let level = b / rest;
        if !level.is_finite() {
            return Err(GeometryError::Offset { row, offset: offsets[row] });
        }
        basis.extend(a.iter().map(|a| a / rest));
        levels.push(level);
    }
    Ok((basis, levels))
}

kernel! {
    fn project_on_affine(basis: &[f64], levels: &[f64], rows: &mut [f64]) = project_on_affine_loop;
}

/// Twice: the second time takes away what the first left of a point far away by rounding.
#[inline(always)]
#[expect(clippy::inline_always, reason = "the body of a kernel is inlined into each instruction set")]
fn project_on_affine_loop(basis: &[f64], levels: &[f64], rows: &mut [f64]) {
    let dim = basis.len() / levels.len();
    for row in rows.chunks_exact_mut(dim) {
        for _ in 0..2 {
            for (q, level) in basis.chunks_exact(dim).zip(levels) {
                let excess = dot(q, row) - level;
                for (x, q) in row.iter_mut().zip(q) {
                    *x -= excess * q;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::tests::{DIMS, same_bits};

    #[test]
    fn the_kernel_computes_the_bits_of_the_plain_loop() {
        for dim in DIMS {
            let rows = vec![(1..=dim).map(|k| k as f64).collect(), vec![1.0; dim]];
            let rows = rows.into_iter().take(dim).collect::<Vec<_>>();
            let affine = Affine::new(rows.clone(), vec![1.0; rows.len()]).unwrap();
            let (basis, levels) = affine.basis.clone();
            same_bits(affine, dim, |rows| project_on_affine_loop(&basis, &levels, rows));
        }
    }
}
