//! An orthonormal basis of a view, built round by round.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView1, ArrayView2, Axis, Slice};

use super::Gossip;

/// A new direction counts if at least this part of its length is outside the directions found so far.
pub const TOLERANCE: f64 = 1e-10;

/// Orthonormal rows that span what a viewer has seen.
pub(super) struct Basis {
    rows: Array2<f64>,
    /// How many of them, at the end, came in the last round.
    fresh: usize,
    /// The smallest part of a direction that counted, and the largest that did not.
    pub kept: f64,
    pub dropped: f64,
}

impl Basis {
    /// The values of these different `nodes`.
    pub fn new(nodes: usize, of: &[usize]) -> Self {
        let mut rows = Array2::zeros((of.len(), nodes));
        of.iter().enumerate().for_each(|(k, &node)| rows[[k, node]] = 1.0);
        Self { rows, fresh: of.len(), kept: 1.0, dropped: 0.0 }
    }

    /// Dimension of the space.
    pub fn dimension(&self) -> usize {
        self.rows.nrows()
    }

    /// The diagonal of the projector on the space.
    pub fn diagonal(&self) -> Vec<f64> {
        self.rows.columns().into_iter().map(|column| column.dot(&column).min(1.0)).collect()
    }

    /// Adds the messages of one more round. False if they bring nothing new: then later ones do not either.
    ///
    /// The space of `t + 1` rounds is that of `t` rounds and its image under `W`, of which only the image of what the last
    /// round brought is new. Products with powers of `W`, whose rows are all alike soon, never come up.
    pub fn extend(&mut self, gossip: &Gossip) -> bool {
        let last = self.rows.slice_axis(Axis(0), Slice::from(self.dimension() - self.fresh..));
        let mut candidates = Array2::zeros(last.dim());
        for (x, mut out) in last.rows().into_iter().zip(candidates.rows_mut()) {
            gossip.one_round_back(x, out.view_mut());
        }
        let lengths: Vec<f64> = candidates.rows().into_iter().map(length).collect();
        remove(&mut candidates, self.rows.view());
        let count = self.independent(&mut candidates, lengths);
        let mut found = candidates.slice_axis(Axis(0), Slice::from(..count)).to_owned();
        // What was short has been stretched, and the rounding errors in it: out with them.
        remove(&mut found, self.rows.view());
        orthonormalise(&mut found);
        self.fresh = count;
        // The widths agree.
        self.rows.append(Axis(0), found.view()).is_ok() && count > 0
    }

    /// Moves rows that are linearly independent to the front, orthonormal, and returns their number: the one of which the
    /// largest part of its original length is left comes next, until that part is within the tolerance.
    fn independent(&mut self, rows: &mut Array2<f64>, mut lengths: Vec<f64>) -> usize {
        for k in 0..lengths.len() {
            let part = |i: usize| if lengths[i] > 0.0 { length(rows.row(i)) / lengths[i] } else { 0.0 };
            let Some((next, left)) = (k..lengths.len()).map(|i| (i, part(i))).max_by(|a, b| a.1.total_cmp(&b.1)) else {
                return k;
            };
            if left.is_nan() || left <= TOLERANCE {
                self.dropped = self.dropped.max(left);
                return k;
            }
            self.kept = self.kept.min(left);
            lengths.swap(k, next);
            swap_rows(rows, k, next);
            let (mut row, mut rest) = rows.view_mut().split_at(Axis(0), k + 1);
            let mut row = row.row_mut(k);
            row /= length(row.view());
            for mut other in rest.rows_mut() {
                let along = other.dot(&row);
                other.scaled_add(-along, &row);
            }
        }
        lengths.len()
    }
}

/// Subtracts from the rows their projections on an orthonormal basis.
fn remove(rows: &mut Array2<f64>, basis: ArrayView2<'_, f64>) {
    let along = rows.dot(&basis.t());
    general_mat_mul(-1.0, &along, &basis, 1.0, rows);
}

/// Gram and Schmidt, for rows that are nearly orthonormal.
fn orthonormalise(rows: &mut Array2<f64>) {
    for k in 0..rows.nrows() {
        let (before, mut from) = rows.view_mut().split_at(Axis(0), k);
        let mut row = from.row_mut(0);
        for other in before.rows() {
            let along = other.dot(&row);
            row.scaled_add(-along, &other);
        }
        row /= length(row.view());
    }
}

fn swap_rows(rows: &mut Array2<f64>, i: usize, j: usize) {
    if i != j {
        let (first, mut rest) = rows.view_mut().split_at(Axis(0), i.max(j));
        let (mut first, mut second) = (first, rest.row_mut(0));
        ndarray::Zip::from(first.row_mut(i.min(j))).and(&mut second).for_each(std::mem::swap);
    }
}

fn length(x: ArrayView1<'_, f64>) -> f64 {
    x.dot(&x).sqrt()
}
