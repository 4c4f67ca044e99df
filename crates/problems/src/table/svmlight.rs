//! Files in the text format of svmlight and LIBSVM. Their rows stay sparse.
//!
//! ```text
//! +1 3:1 11:0.5 # a remark
//! -1 1:2
//! ```
//!
//! A line is a record: its target, and pairs of a feature and its value. Features are counted from 1 and ascend; what is left
//! out is 0. Blank lines and what follows a `#` say nothing. A file that starts with the magic bytes of gzip is unpacked.

use std::fmt;

use ndarray::Array1;
use sprs::CsMat;

use super::csv::fault;
use super::feature::Units;
use super::{Source, Target, Unlabelled};
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
/// that is 0, not declared, given twice or out of order; a value that is not a finite number.
pub fn load_svmlight(source: &Source, declared: &Svmlight) -> Result<SparseTable, ProblemError> {
    let Lines { x, y, clipped_targets, targets } = lines(source, declared, true)?;
    Ok(SparseTable { x, y: y.into(), clipped_targets, targets })
}

/// Loads a file to predict for: its lines may lack the target, if all do.
///
/// # Errors
/// As [`load_svmlight`]; a line without a target after one that has it, and the other way round.
pub fn load_svmlight_unlabelled(source: &Source, declared: &Svmlight) -> Result<Unlabelled, ProblemError> {
    let Lines { x, y, clipped_targets, .. } = lines(source, declared, false)?;
    let labelled = !y.is_empty();
    let clipped = labelled.then(|| (declared.target.column().to_owned(), clipped_targets));
    Ok(Unlabelled { x: x.into(), y: labelled.then(|| y.into()), clipped: clipped.into_iter().collect() })
}

/// What the loaders read; without targets there are none.
struct Lines {
    x: CsMat<f64>,
    y: Vec<f64>,
    clipped_targets: usize,
    targets: Vec<String>,
}

fn lines(source: &Source, declared: &Svmlight, labelled: bool) -> Result<Lines, ProblemError> {
    let bytes = source.read()?;
    let (mut y, mut targets, mut clipped_targets) = (vec![], vec![], 0);
    let (mut starts, mut columns, mut values) = (vec![0], vec![], vec![]);
    for (bytes, line) in bytes.split(|&byte| byte == b'\n').zip(1..) {
        let file = || source.name().to_owned();
        let text = std::str::from_utf8(bytes).map_err(|_| ProblemError::NotUtf8 { file: file(), line })?;
        let mut cells = text.split('#').next().unwrap_or_default().split_ascii_whitespace().peekable();
        let Some(&first) = cells.peek() else { continue };
        if labelled || !first.contains(':') {
            cells.next();
            if y.len() + 1 < starts.len() {
                let problem = "is a target, and earlier lines have none";
                return Err(ProblemError::Pair { file: file(), line, cell: excerpt(first), problem });
            }
            let encoder = declared.target.encoder();
            let clipped = encoder.encode(first, &mut y);
            clipped_targets += usize::from(clipped.map_err(|why| fault(file(), line, encoder, first, &why))?);
            targets.push(first.to_owned());
        } else if !y.is_empty() {
            let problem = "is no target, and earlier lines have one";
            return Err(ProblemError::Pair { file: file(), line, cell: excerpt(first), problem });
        }
        let mut last = 0;
        for cell in cells {
            let refuse = |problem| ProblemError::Pair { file: file(), line, cell: excerpt(cell), problem };
            let (feature, value) = pair(cell, last, declared.features).map_err(refuse)?;
            last = feature;
            if value != 0.0 {
                columns.push(feature - 1);
                values.push(value / declared.scale);
            }
        }
        starts.push(values.len());
    }
    if starts.len() == 1 {
        return Err(ProblemError::NoRecords { file: source.name().to_owned() });
    }
    let x = CsMat::new((starts.len() - 1, declared.features), starts, columns, values);
    Ok(Lines { x, y, clipped_targets, targets })
}

/// A feature, from 1, and its value; `last` is the feature before it, or 0.
fn pair(cell: &str, last: usize, features: usize) -> Result<(usize, f64), &'static str> {
    let (feature, value) = cell.split_once(':').ok_or("is not a feature and its value, as 3:0.5")?;
    let feature: usize = feature.parse().map_err(|_| "the feature is no whole number")?;
    let value: f64 = value.parse().map_err(|_| "the value is no number")?;
    match feature {
        0 => Err("features are counted from 1"),
        _ if feature > features => Err("there are fewer features declared"),
        _ if feature == last => Err("the feature is given twice"),
        _ if feature < last => Err("features must ascend"),
        _ if !value.is_finite() => Err("the value is not finite"),
        _ => Ok((feature, value)),
    }
}

/// The beginning of a cell, for a message.
fn excerpt(cell: &str) -> String {
    const SHOWN: usize = 40;
    match cell.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &cell[..end]),
        None => cell.to_owned(),
    }
}
