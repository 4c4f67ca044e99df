//! The rows of a party, dense or sparse.

use std::ops::Range;
use std::sync::Arc;

use ndarray::{ArcArray2, Array1, Array2, ArrayView1, ArrayView2, Axis, CowArray, Ix2};
use sprs::CsMat;

/// Models whose predictions are computed side by side.
const PANEL: usize = 16;

#[inline(always)]
#[allow(clippy::inline_always, reason = "it is compiled inside the dispatch on the instruction set")]
fn multiply_loop(x: &Features, panel: &[[f64; PANEL]], sums: &mut [[f64; PANEL]]) {
    for (record, sums) in sums.iter_mut().enumerate() {
        let mut sum = [0.0; PANEL];
        x.row(record).for_each(|k, x| sum.iter_mut().zip(&panel[k]).for_each(|(sum, b)| *sum += x * b));
        *sums = sum;
    }
}

dido_geometry::kernel! {
    /// Writes the predictions of a panel of models, `panel` with a line for each feature, for every row.
    fn multiply(x: &Features, panel: &[[f64; PANEL]], sums: &mut [[f64; PANEL]]) = multiply_loop;
}

/// Rows of features, records x features. Copies share the numbers.
#[derive(Clone)]
pub enum Features {
    /// Every number is stored, row after row.
    Dense(ArcArray2<f64>),
    /// The numbers that are not zero are stored, in compressed rows.
    Sparse(Arc<CsMat<f64>>),
}

impl From<Array2<f64>> for Features {
    fn from(x: Array2<f64>) -> Self {
        let standard = if x.is_standard_layout() { x } else { x.as_standard_layout().into_owned() };
        Self::Dense(standard.into_shared())
    }
}

impl From<CsMat<f64>> for Features {
    fn from(x: CsMat<f64>) -> Self {
        Self::Sparse(Arc::new(if x.is_csr() { x } else { x.to_csr() }))
    }
}

/// The stored numbers of one row, and where they belong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Row<'a> {
    Dense(&'a [f64]),
    Sparse { columns: &'a [usize], values: &'a [f64] },
}

impl<'a> Row<'a> {
    /// Calls `f` with the position and the value of every stored number.
    pub(crate) fn for_each(self, mut f: impl FnMut(usize, f64)) {
        match self {
            Self::Dense(row) => row.iter().enumerate().for_each(|(k, &x)| f(k, x)),
            Self::Sparse { columns, values } => columns.iter().zip(values).for_each(|(&k, &x)| f(k, x)),
        }
    }

    /// As [`for_each`](Self::for_each), up to position `last`.
    pub(crate) fn up_to(self, last: usize, mut f: impl FnMut(usize, f64)) {
        match self {
            Self::Dense(row) => row[..=last].iter().enumerate().for_each(|(k, &x)| f(k, x)),
            Self::Sparse { columns, values } => {
                columns.iter().zip(values).take_while(|(k, _)| **k <= last).for_each(|(&k, &x)| f(k, x));
            }
        }
    }

    /// `x'b`, in ascending order.
    pub(crate) fn dot(self, b: &[f64]) -> f64 {
        let mut sum = 0.0;
        self.for_each(|k, x| sum += x * b[k]);
        sum
    }

    /// The stored numbers.
    pub(crate) fn values(self) -> &'a [f64] {
        match self {
            Self::Dense(values) | Self::Sparse { values, .. } => values,
        }
    }
}

impl Features {
    /// Number of rows.
    pub fn records(&self) -> usize {
        match self {
            Self::Dense(x) => x.nrows(),
            Self::Sparse(x) => x.rows(),
        }
    }

    /// Number of features.
    pub fn dim(&self) -> usize {
        match self {
            Self::Dense(x) => x.ncols(),
            Self::Sparse(x) => x.cols(),
        }
    }

    /// Numbers that are stored.
    pub fn stored(&self) -> usize {
        match self {
            Self::Dense(x) => x.len(),
            Self::Sparse(x) => x.nnz(),
        }
    }

    /// Some of the rows, in the order asked for.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn select(&self, records: &[usize]) -> Self {
        match self {
            Self::Dense(x) => x.select(Axis(0), records).into(),
            Self::Sparse(x) => {
                let rows: Vec<Range<usize>> = records.iter().map(|&r| x.indptr().outer_inds_sz(r)).collect();
                let starts = [0].into_iter().chain(rows.iter().scan(0, |stored, row| {
                    *stored += row.len();
                    Some(*stored)
                }));
                let columns = rows.iter().flat_map(|row| &x.indices()[row.clone()]).copied().collect();
                let values = rows.iter().flat_map(|row| &x.data()[row.clone()]).copied().collect();
                CsMat::new((records.len(), x.cols()), starts.collect(), columns, values).into()
            }
        }
    }

    /// The predictions `x'b` of all rows.
    ///
    /// # Panics
    /// If `b` has another dimension.
    pub fn dot(&self, b: &ArrayView1<'_, f64>) -> Array1<f64> {
        match self {
            Self::Dense(x) => x.dot(b),
            Self::Sparse(x) => {
                assert_eq!(b.len(), x.cols(), "one coefficient for each feature");
                let b = b.to_vec();
                (0..x.rows()).map(|record| self.row(record).dot(&b)).collect()
            }
        }
    }

    /// Calls `each` with the number of every model and its predictions `x'b` of all rows. `models` has a model in each row.
    ///
    /// Products are added in the order of features, so a model has the same bits beside any others, and on every CPU.
    ///
    /// # Panics
    /// If the models have another dimension.
    pub fn predictions(&self, models: ArrayView2<'_, f64>, mut each: impl FnMut(usize, &[f64])) {
        assert_eq!(models.ncols(), self.dim(), "one coefficient for each feature");
        let (mut sums, mut own) = (vec![], vec![0.0; self.records()]);
        for (first, group) in (0..).step_by(PANEL).zip(models.axis_chunks_iter(Axis(0), PANEL)) {
            if group.nrows() == 1 {
                let model = group.row(0).to_vec();
                own.iter_mut().enumerate().for_each(|(record, own)| *own = self.row(record).dot(&model));
                each(first, &own);
                continue;
            }
            let mut panel = vec![[0.0; PANEL]; self.dim()];
            for (place, model) in group.outer_iter().enumerate() {
                panel.iter_mut().zip(model).for_each(|(feature, &b)| feature[place] = b);
            }
            sums.resize(self.records(), [0.0; PANEL]);
            multiply(self, &panel, &mut sums);
            for place in 0..group.nrows() {
                own.iter_mut().zip(&sums).for_each(|(own, sums)| *own = sums[place]);
                each(first + place, &own);
            }
        }
    }

    /// All numbers, those that are zero as well.
    pub fn dense(&self) -> CowArray<'_, f64, Ix2> {
        match self {
            Self::Dense(x) => x.view().into(),
            Self::Sparse(x) => x.to_dense().into(),
        }
    }

    /// The rows of all, one after the other; sparse if any of them are. All have the same number of features.
    ///
    /// # Panics
    /// If they have not.
    pub fn joined<'a>(parts: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let dim = parts.clone().next().map_or(0, Self::dim);
        if parts.clone().all(|part| matches!(part, Self::Dense(_))) {
            let rows: Vec<f64> = parts.flat_map(|part| part.dense().into_owned()).collect();
            return Array2::from_shape_vec((rows.len() / dim, dim), rows).expect("rows of one length").into();
        }
        let (mut starts, mut columns, mut values) = (vec![0], vec![], vec![]);
        for part in parts {
            for record in 0..part.records() {
                part.row(record).for_each(|k, x| {
                    columns.push(k);
                    values.push(x);
                });
                starts.push(columns.len());
            }
        }
        CsMat::new((starts.len() - 1, dim), starts, columns, values).into()
    }

    pub(crate) fn row(&self, record: usize) -> Row<'_> {
        match self {
            Self::Dense(x) => {
                let dim = x.ncols();
                Row::Dense(&x.as_slice().expect("rows are stored in standard layout")[record * dim..][..dim])
            }
            Self::Sparse(x) => {
                let range = x.indptr().outer_inds_sz(record);
                Row::Sparse { columns: &x.indices()[range.clone()], values: &x.data()[range] }
            }
        }
    }

    /// Calls `change` with the stored numbers of every row.
    pub(crate) fn change_rows(&mut self, mut change: impl FnMut(usize, &mut [f64])) {
        match self {
            Self::Dense(x) => {
                for (record, mut row) in x.rows_mut().into_iter().enumerate() {
                    change(record, row.as_slice_mut().expect("rows are stored in standard layout"));
                }
            }
            Self::Sparse(x) => {
                let x = Arc::make_mut(x);
                for record in 0..x.rows() {
                    let range = x.indptr().outer_inds_sz(record);
                    change(record, &mut x.data_mut()[range]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dense and sparse rows, in panels of any size: each sum is that of a plain loop, to the bit.
    #[test]
    fn predictions_are_plain_sums_whatever_stands_beside_them() {
        let entry = |i: usize, j: usize| if (i + j).is_multiple_of(3) { 0.0 } else { ((7 * i + 11 * j) as f64).sin() };
        let dense = Features::from(Array2::from_shape_fn((5, 4), |(i, j)| entry(i, j)));
        let sparse = Features::from(CsMat::csr_from_dense(dense.dense().view(), 0.0));
        let models = Array2::from_shape_fn((37, 4), |(i, j)| ((3 * i + j) as f64).cos());
        for features in [&dense, &sparse] {
            for count in [1, 16, 17, 37] {
                let mut seen = vec![];
                features.predictions(models.view().split_at(Axis(0), count).0, |k, predicted| {
                    for (i, p) in predicted.iter().enumerate() {
                        let plain = (0..4).fold(0.0, |sum, j| sum + entry(i, j) * models[[k, j]]);
                        assert_eq!(p.to_bits(), plain.to_bits(), "model {k} of {count}, record {i}");
                    }
                    seen.push(k);
                });
                assert_eq!(seen, (0..count).collect::<Vec<_>>());
            }
        }
    }
}
