//! The records of one party and the public bounds they are guaranteed to meet.

use std::fmt;

use ndarray::{ArcArray1, Array1, ArrayView1, CowArray, Ix2};

use crate::ProblemError;
use crate::features::{Features, Row};

/// Public declarations about every record: `||x||_2 <= row_norm` and `|y| <= target`.
///
/// They are declared, never measured: a bound read off the data would itself have to be kept private.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordBounds {
    row_norm: f64,
    target: f64,
}

impl RecordBounds {
    /// Bounds on the Euclidean norm of a row and on the size of a target.
    ///
    /// # Errors
    /// If one of them is not finite and positive.
    pub fn new(row_norm: f64, target: f64) -> Result<Self, ProblemError> {
        for (name, value) in [("row_norm", row_norm), ("target", target)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(ProblemError::Bound { name, value });
            }
        }
        Ok(Self { row_norm, target })
    }

    /// The bound on `||x||_2`.
    pub fn row_norm(self) -> f64 {
        self.row_norm
    }

    /// The bound on `|y|`.
    pub fn target(self) -> f64 {
        self.target
    }
}

/// One party's records: rows `x` (records x features, dense or sparse), targets `y`, and the bounds they meet.
///
/// Copies share the records. `Debug` shows the shape and the bounds, never a record.
///
/// # Precision
/// A row that was scaled down to the bound ends below it by a relative `(m + 8) 2^-52` (`m` features), so that
/// rounding does not put it above. A row that was let pass has a computed norm within the bound, and a true norm above
/// it by at most the rounding of that norm, a relative `(m/2 + 3) 2^-53`.
#[derive(Clone)]
pub struct Shard {
    x: Features,
    y: ArcArray1<f64>,
    bounds: RecordBounds,
    clipped: usize,
}

impl Shard {
    /// Makes the records meet the bounds: scales longer rows down to the norm and clamps targets.
    ///
    /// # Errors
    /// If there is no record or no feature, rows and targets differ in number, or a number is not finite.
    pub fn clipped(x: impl Into<Features>, y: Array1<f64>, bounds: RecordBounds) -> Result<Self, ProblemError> {
        let (mut x, mut y) = (x.into(), y);
        check_numbers(&x, &y)?;
        let mut clipped = 0;
        let dim = x.dim();
        x.change_rows(|record, row| {
            let shortened = clip_row(row, dim, bounds.row_norm);
            let target = &mut y[record];
            clipped += usize::from(shortened || target.abs() > bounds.target);
            *target = target.clamp(-bounds.target, bounds.target);
        });
        Ok(Self::new(x, y, bounds, clipped))
    }

    /// Takes records that already meet the bounds.
    ///
    /// # Errors
    /// As [`Shard::clipped`], and if a record exceeds a bound; the message names it.
    pub fn checked(x: impl Into<Features>, y: Array1<f64>, bounds: RecordBounds) -> Result<Self, ProblemError> {
        let x = x.into();
        check_numbers(&x, &y)?;
        for (record, &value) in y.iter().enumerate() {
            let norm = Norm::of(x.row(record).values()).value();
            if norm > bounds.row_norm {
                return Err(ProblemError::RowNorm { record, norm, bound: bounds.row_norm });
            }
            if value.abs() > bounds.target {
                return Err(ProblemError::Target { record, value, bound: bounds.target });
            }
        }
        Ok(Self::new(x, y, bounds, 0))
    }

    /// The records of several parties as those of one, in the order given: for baselines that see everything.
    ///
    /// # Errors
    /// If there is no shard, or they differ in dimension or bounds.
    pub fn joined(shards: &[Self]) -> Result<Self, ProblemError> {
        let Some(first) = shards.first() else { return Err(ProblemError::Empty { records: 0, dim: 0 }) };
        if let Some((node, other)) = shards.iter().enumerate().find(|(_, shard)| shard.dim() != first.dim()) {
            return Err(ProblemError::Dimension { node, dim: other.dim(), expected: first.dim() });
        }
        if let Some((node, other)) = shards.iter().enumerate().find(|(_, shard)| shard.bounds != first.bounds) {
            return Err(ProblemError::OtherBounds { node, got: other.bounds, expected: first.bounds });
        }
        let x = Features::joined(shards.iter().map(Self::features));
        let y: Array1<f64> = shards.iter().flat_map(Self::targets).copied().collect();
        Ok(Self::new(x, y, first.bounds, shards.iter().map(|shard| shard.clipped).sum()))
    }

    fn new(x: Features, y: Array1<f64>, bounds: RecordBounds, clipped: usize) -> Self {
        let y = if y.is_standard_layout() { y } else { y.as_standard_layout().into_owned() };
        Self { x, y: y.into_shared(), bounds, clipped }
    }

    /// The rows, records x features, all numbers of them.
    pub fn x(&self) -> CowArray<'_, f64, Ix2> {
        self.x.dense()
    }

    /// The rows as they are stored.
    pub fn features(&self) -> &Features {
        &self.x
    }

    /// The targets, one per record.
    pub fn y(&self) -> ArrayView1<'_, f64> {
        self.y.view()
    }

    pub(crate) fn row(&self, record: usize) -> Row<'_> {
        self.x.row(record)
    }

    /// The targets.
    pub(crate) fn targets(&self) -> &[f64] {
        self.y.as_slice().expect("targets are stored in standard layout")
    }

    /// The declared bounds.
    pub fn bounds(&self) -> RecordBounds {
        self.bounds
    }

    /// Number of records.
    pub fn records(&self) -> usize {
        self.x.records()
    }

    /// Number of features, `m`.
    pub fn dim(&self) -> usize {
        self.x.dim()
    }

    /// How many records were changed to meet the bounds. This number is computed from the records and is **not**
    /// covered by any privacy guarantee.
    pub fn clipped_records(&self) -> usize {
        self.clipped
    }
}

impl fmt::Debug for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (records, dim) = (self.records(), self.dim());
        f.debug_struct("Shard")
            .field("records", &records)
            .field("dim", &dim)
            .field("bounds", &self.bounds)
            .finish_non_exhaustive()
    }
}

fn check_numbers(x: &Features, y: &Array1<f64>) -> Result<(), ProblemError> {
    let (records, dim) = (x.records(), x.dim());
    if records != y.len() {
        return Err(ProblemError::Targets { rows: records, targets: y.len() });
    }
    if records == 0 || dim == 0 {
        return Err(ProblemError::Empty { records, dim });
    }
    for record in 0..records {
        let row = x.row(record);
        if let Some((k, &value)) = row.values().iter().enumerate().find(|(_, v)| !v.is_finite()) {
            let feature = match row {
                Row::Dense(_) => k,
                Row::Sparse { columns, .. } => columns[k],
            };
            return Err(ProblemError::NonFiniteFeature { record, feature, value });
        }
    }
    match y.iter().enumerate().find(|(_, v)| !v.is_finite()) {
        Some((record, &value)) => Err(ProblemError::NonFiniteTarget { record, value }),
        None => Ok(()),
    }
}

/// A Euclidean norm as `largest * root`, which neither overflows nor underflows on the way.
pub(crate) struct Norm {
    largest: f64,
    root: f64,
}

impl Norm {
    pub(crate) fn of(row: &[f64]) -> Self {
        let largest = row.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        if largest == 0.0 {
            return Self { largest, root: 0.0 };
        }
        Self { largest, root: row.iter().map(|v| (v / largest).powi(2)).sum::<f64>().sqrt() }
    }

    pub(crate) fn value(&self) -> f64 {
        self.largest * self.root
    }
}

/// Scales a row of `dim` features down to the bound if it is longer; says whether it was.
fn clip_row(row: &mut [f64], dim: usize, bound: f64) -> bool {
    let norm = Norm::of(row);
    let longer = norm.value() > bound;
    if longer {
        let margin = (dim as f64 + 8.0) * f64::EPSILON;
        let shrink = bound * (1.0 - margin) / norm.root;
        for v in row {
            *v = *v / norm.largest * shrink;
        }
    }
    longer
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn a_longer_row_keeps_its_direction_and_a_shorter_one_its_bits() {
        let bounds = RecordBounds::new(1.0, 2.0).unwrap();
        let x = array![[3.0, 4.0], [0.3, 0.1], [0.0, 0.0]];
        let shard = Shard::clipped(x.clone(), array![0.5, -3.0, 2.0], bounds).unwrap();
        assert!((shard.x()[[0, 0]] - 0.6).abs() < 1e-14 && (shard.x()[[0, 1]] - 0.8).abs() < 1e-14);
        assert_eq!(shard.x().rows().into_iter().skip(1).flatten().collect::<Vec<_>>(), [&0.3, &0.1, &0.0, &0.0]);
        assert_eq!(shard.y(), array![0.5, -2.0, 2.0]);
        assert_eq!(shard.clipped_records(), 2);
    }

    #[test]
    fn rows_at_the_ends_of_the_range_of_numbers_are_clipped_too() {
        let bounds = RecordBounds::new(1e-10, 1.0).unwrap();
        let x = array![[f64::MAX, f64::MAX], [1e-200, 1e-200]];
        let shard = Shard::clipped(x, array![0.0, 0.0], bounds).unwrap();
        assert!((shard.x()[[0, 0]] / (1e-10 / 2.0_f64.sqrt()) - 1.0).abs() < 1e-14);
        assert_eq!(shard.clipped_records(), 1);
    }

    /// Zeros that are not stored change nothing: neither bounds, nor what is refused, nor the numbers.
    #[test]
    fn sparse_rows_are_clipped_and_refused_as_dense_ones() {
        let bounds = RecordBounds::new(1.0, 2.0).unwrap();
        let dense = array![[0.0, 3.0, 0.0, 4.0], [0.3, 0.0, 0.1, 0.0], [0.0, 0.0, 0.0, 0.0]];
        let sparse = || sprs::CsMat::csr_from_dense(dense.view(), 0.0);
        let y = array![0.5, -3.0, 2.0];
        let (a, b) = (
            Shard::clipped(dense.clone(), y.clone(), bounds).unwrap(),
            Shard::clipped(sparse(), y.clone(), bounds).unwrap(),
        );
        assert_eq!((a.x(), a.y(), a.clipped_records()), (b.x(), b.y(), b.clipped_records()));
        assert_eq!((b.features().stored(), b.records(), b.dim()), (4, 3, 4));
        let refused = Shard::checked(sparse(), y.clone(), bounds);
        assert!(matches!(refused, Err(ProblemError::RowNorm { record: 0, .. })));
        let bad = sprs::CsMat::new((3, 4), vec![0, 0, 1, 1], vec![2], vec![f64::NAN]);
        let refused = Shard::clipped(bad, y, bounds);
        assert!(matches!(refused, Err(ProblemError::NonFiniteFeature { record: 1, feature: 2, .. })));
        let columns = sparse().to_csc();
        assert_eq!(Shard::clipped(columns, array![0.5, -3.0, 2.0], bounds).unwrap().x(), b.x());
    }

    #[test]
    fn debug_output_holds_no_record() {
        let bounds = RecordBounds::new(1.0, 1.0).unwrap();
        let shard = Shard::checked(array![[0.123]], array![0.456], bounds).unwrap();
        let text = format!("{shard:?}");
        assert!(text.contains("records: 1") && !text.contains("0.123") && !text.contains("0.456"));
    }

    #[test]
    fn joined_records_are_those_of_all_in_their_order() {
        let bounds = RecordBounds::new(2.0, 1.0).unwrap();
        let dense = Shard::checked(array![[1.0, 0.0], [0.5, -1.0]], array![0.1, 0.2], bounds).unwrap();
        let sparse = sprs::CsMat::new((1, 2), vec![0, 1], vec![1], vec![-1.5]);
        let sparse = Shard::clipped(sparse, array![7.0], bounds).unwrap();
        let all = Shard::joined(&[dense.clone(), sparse.clone()]).unwrap();
        assert_eq!(all.x(), array![[1.0, 0.0], [0.5, -1.0], [0.0, -1.5]]);
        assert_eq!((all.y(), all.clipped_records()), (array![0.1, 0.2, 1.0].view(), 1));
        assert!(matches!(all.features(), Features::Sparse(_)));
        let twice = Shard::joined(&[dense.clone(), dense.clone()]).unwrap();
        assert!(matches!(twice.features(), Features::Dense(_)) && twice.records() == 4);
        let other = Shard::checked(array![[1.0]], array![0.1], bounds).unwrap();
        let two = Shard::joined(&[dense.clone(), other]);
        assert!(matches!(two, Err(ProblemError::Dimension { node: 1, dim: 1, expected: 2 })));
        let wider = Shard::checked(array![[1.0, 0.0]], array![0.1], RecordBounds::new(3.0, 1.0).unwrap()).unwrap();
        assert!(matches!(Shard::joined(&[dense, wider]), Err(ProblemError::OtherBounds { node: 1, .. })));
        assert!(matches!(Shard::joined(&[]), Err(ProblemError::Empty { .. })));
    }
}
