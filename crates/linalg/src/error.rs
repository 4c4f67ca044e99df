//! What can be wrong with a matrix, and the checks every entry point makes.

use ndarray::{ArrayView1, ArrayView2};

/// Two mirrored entries of a symmetric matrix may differ by this much, relative to the largest entry.
pub(crate) const SYMMETRY: f64 = 1e-12;

/// Why a factorisation was refused or failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LinalgError {
    /// A matrix needs at least one row and one column.
    #[error("the matrix is {rows} x {columns}; it needs at least one row and one column")]
    Empty {
        /// Its rows.
        rows: usize,
        /// Its columns.
        columns: usize,
    },
    /// Spectra of symmetric matrices and Cholesky need a square matrix.
    #[error("the matrix is {rows} x {columns}; it must be square")]
    NotSquare {
        /// Its rows.
        rows: usize,
        /// Its columns.
        columns: usize,
    },
    /// The right-hand side has one entry per row of the matrix.
    #[error("the right-hand side has {entries} entries for a matrix of {rows} rows")]
    RightHandSide {
        /// Rows of the matrix.
        rows: usize,
        /// Entries of the right-hand side.
        entries: usize,
    },
    /// A NaN or an infinity in the matrix.
    #[error("entry ({row}, {column}) of the matrix is {value}; it must be finite")]
    NonFinite {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// What stands there.
        value: f64,
    },
    /// A NaN or an infinity in the right-hand side.
    #[error("entry {row} of the right-hand side is {value}; it must be finite")]
    NonFiniteRightHandSide {
        /// Row, from 0.
        row: usize,
        /// What stands there.
        value: f64,
    },
    /// Mirrored entries differ by more than `1e-12` of the largest entry.
    #[error("entries ({row}, {column}) and ({column}, {row}) are {value} and {mirrored}; the matrix must be symmetric")]
    NotSymmetric {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// Entry (row, column).
        value: f64,
        /// Entry (column, row).
        mirrored: f64,
    },
    /// The Cholesky factorisation met a pivot that is not positive.
    #[error("the matrix is not positive definite to working precision")]
    NotPositiveDefinite,
    /// The iteration inside a factorisation did not converge.
    #[error("the {factorisation} did not converge")]
    NotConverged {
        /// Which one.
        factorisation: &'static str,
    },
    /// The answer does not fit into the range of `f64`.
    #[error("the {factorisation} left the range of floating-point numbers; scale the problem")]
    OutOfRange {
        /// Which one.
        factorisation: &'static str,
    },
}

/// A non-empty matrix of finite numbers.
pub(crate) fn check_matrix(a: ArrayView2<'_, f64>) -> Result<(), LinalgError> {
    let (rows, columns) = a.dim();
    if rows == 0 || columns == 0 {
        return Err(LinalgError::Empty { rows, columns });
    }
    match a.indexed_iter().find(|(_, v)| !v.is_finite()) {
        Some(((row, column), &value)) => Err(LinalgError::NonFinite { row, column, value }),
        None => Ok(()),
    }
}

/// A non-empty symmetric matrix of finite numbers.
pub(crate) fn check_symmetric(a: ArrayView2<'_, f64>) -> Result<(), LinalgError> {
    let (rows, columns) = a.dim();
    if rows != columns {
        return Err(LinalgError::NotSquare { rows, columns });
    }
    check_matrix(a)?;
    let largest = a.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for row in 0..rows {
        for column in 0..row {
            let (value, mirrored) = (a[[row, column]], a[[column, row]]);
            if (value - mirrored).abs() > SYMMETRY * largest {
                return Err(LinalgError::NotSymmetric { row, column, value, mirrored });
            }
        }
    }
    Ok(())
}

/// A right-hand side of finite numbers, one per row.
pub(crate) fn check_right_hand_side(b: ArrayView1<'_, f64>, rows: usize) -> Result<(), LinalgError> {
    if b.len() != rows {
        return Err(LinalgError::RightHandSide { rows, entries: b.len() });
    }
    match b.indexed_iter().find(|(_, v)| !v.is_finite()) {
        Some((row, &value)) => Err(LinalgError::NonFiniteRightHandSide { row, value }),
        None => Ok(()),
    }
}
