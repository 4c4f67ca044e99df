//! Files in the text format of svmlight and LIBSVM. Their rows stay sparse.
//!
//! ```text
//! +1 3:1 11:0.5 # a remark
//! -1 1:2
//! ```
//!
//! A line is a record: its target, and pairs of a feature and its value. Features are counted from 1 and ascend; what is left
//! out is 0. Blank lines and what follows a `#` say nothing. A file that starts with the magic bytes of gzip is unpacked.

use std::borrow::Cow;
use std::fmt;

use dido_data::{Data, Format, Options, Sparse};
use ndarray::Array1;
use sprs::CsMat;

use super::feature::{Cell, Units};
use super::{Source, Target, Unlabelled, fault};
use crate::ProblemError;

/// What is public about such a file. No bound of a value is declared: rows are shortened to their declared norm later, by
/// [`Shard::clipped`](crate::Shard::clipped).
#[derive(Clone, Debug, PartialEq)]
pub struct Svmlight {
    target: Target,
    features: usize,
    scale: f64,
}

impl Svmlight {
    /// A file of so many features, whose values are divided by `scale`. The column of the target has a name for messages
    /// only.
    ///
    /// # Errors
    /// If there is no feature, the scale is not finite and positive, or the target makes no sense.
    pub fn new(target: impl Into<Target>, features: usize, scale: f64) -> Result<Self, ProblemError> {
        let target = target.into();
        let declared = |column: &str, problem| Err(ProblemError::Declaration { column: column.to_owned(), problem });
        if let Err(problem) = target.encoder().check() {
            return declared(target.column(), problem);
        }
        if features == 0 {
            return declared("features", "there must be at least one");
        }
        if !(scale.is_finite() && scale > 0.0) {
            return declared("scale", "must be finite and positive");
        }
        Ok(Self { target, features, scale })
    }

    /// The declared target.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Number of features.
    pub fn dim(&self) -> usize {
        self.features
    }

    /// The names of the features: their numbers, from 1.
    pub fn names(&self) -> Vec<String> {
        (1..=self.features).map(|k| k.to_string()).collect()
    }

    /// The predictor in original units, as [`Schema::original_units`](super::Schema::original_units).
    ///
    /// # Errors
    /// If there are not as many coefficients as features.
    pub fn original_units(&self, beta: &[f64]) -> Result<Vec<(String, f64)>, ProblemError> {
        if beta.len() != self.features {
            return Err(ProblemError::Coefficients { got: beta.len(), expected: self.features });
        }
        let coefficients = self.names().into_iter().zip(beta).map(|(name, b)| (name, b / self.scale)).collect();
        Ok(self.target.in_original_units(Units { intercept: 0.0, coefficients }))
    }
}

/// The records of a file, in its order. `Debug` shows their number, never a record.
#[derive(Clone)]
pub struct SparseTable {
    /// Scaled features, records x features, in compressed rows.
    pub x: CsMat<f64>,
    /// Encoded targets.
    pub y: Array1<f64>,
    /// How many targets were outside the declared range. Computed from the records: not covered by any privacy guarantee.
    pub clipped_targets: usize,
    /// The targets as text.
    pub targets: Vec<String>,
}

impl fmt::Debug for SparseTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (records, dim) = (self.x.rows(), self.x.cols());
        f.debug_struct("SparseTable").field("records", &records).field("dim", &dim).finish_non_exhaustive()
    }
}

/// Loads a file in the format of svmlight.
///
/// # Errors
/// In one line, with file and line: an unreadable file; no record; a target that is missing or not what was declared; a feature
/// that is below the first, not declared, given twice or out of order; a value that is not a finite number.
pub fn load_svmlight(source: &Source, declared: &Svmlight) -> Result<SparseTable, ProblemError> {
    let (rows, targets, clipped_targets) = lines(source, declared, false)?;
    Ok(SparseTable {
        y: targets.into(),
        clipped_targets,
        targets: rows.label_texts.iter().map(str::to_owned).collect(),
        x: scaled(rows, declared),
    })
}

/// Loads a file to predict for: its lines may lack the target, if all do.
///
/// # Errors
/// As [`load_svmlight`]; a line without a target after one that has it, and the other way round.
pub fn load_svmlight_unlabelled(source: &Source, declared: &Svmlight) -> Result<Unlabelled, ProblemError> {
    let (rows, targets, clipped_targets) = lines(source, declared, true)?;
    let labelled = !targets.is_empty();
    let clipped = labelled.then(|| (declared.target.column().to_owned(), clipped_targets));
    let y = labelled.then(|| targets.into());
    Ok(Unlabelled { x: scaled(rows, declared).into(), y, clipped: clipped.into_iter().collect() })
}

/// The rows as they are in the file, their encoded targets, and how many of these were outside their range.
fn lines(source: &Source, declared: &Svmlight, unlabelled: bool) -> Result<(Sparse, Vec<f64>, usize), ProblemError> {
    let (format, features) = (Some(Format::Libsvm), Some(declared.features));
    let options = Options { format, features, unlabelled, ..source.options().clone() };
    let Data::Sparse(rows) = source.data(&options)? else {
        return Err(source.refuse("it is no LIBSVM file"));
    };
    let (mut targets, mut clipped) = (Vec::with_capacity(rows.records()), 0);
    let encoder = declared.target.encoder();
    for (text, line) in rows.label_texts.iter().zip(&rows.lines) {
        let encoded = encoder.encode(&Cell::Text(Cow::Borrowed(text), b'.'), &mut targets);
        let refused = |why| fault(source.name(), format!("line {line}"), encoder, text, &why);
        clipped += usize::from(encoded.map_err(refused)?);
    }
    Ok((rows, targets, clipped))
}

fn scaled(rows: Sparse, declared: &Svmlight) -> CsMat<f64> {
    let shape = (rows.records(), declared.features);
    let columns = rows.indices.into_iter().map(|index| index as usize).collect();
    let values = rows.values.into_iter().map(|value| value / declared.scale).collect();
    CsMat::new(shape, rows.starts, columns, values)
}
