//! Any loss of a linear prediction, evaluated record by record.

#![allow(clippy::inline_always, reason = "a kernel compiles the loops inlined into it for each instruction set")]

use std::fmt;
use std::ops::Range;

use dido_geometry::kernel;

use super::records::add_records;
use super::{Loss, nodes_of_one_dimension};
use crate::features::{Features, Row};
use crate::{Objective, ProblemError, Shard};

/// `f_i(b) = s_i sum_r l(x_r'b, y_r)` over the records `(x_r, y_r)` of node `i`.
///
/// A gradient is one pass over the records of a node for each lane: `O(records * dim)`. For squared loss with more
/// records than coordinates [`LeastSquares`](super::LeastSquares) is faster.
///
/// ```
/// use dido_problems::{LinearModel, Loss, Objective, RecordBounds, Shard};
/// use ndarray::array;
///
/// let shard = Shard::checked(array![[1.0, 0.0], [0.0, 0.5]], array![1.0, -1.0], RecordBounds::new(1.0, 1.0)?)?;
/// let svm = LinearModel::new(Loss::Hinge, &[shard], vec![0.5], 1)?;
/// let mut gradient = [f64::NAN; 2];
/// svm.gradient(0..1, &[0.0, 0.0], &mut gradient);
/// assert_eq!(gradient, [-0.5, 0.25]);
/// assert_eq!(svm.value(0, &[0.0, 0.0]), 1.0);
/// # Ok::<(), dido_problems::ProblemError>(())
/// ```
pub struct LinearModel {
    loss: Loss,
    shards: Vec<Shard>,
    scales: Vec<f64>,
    lanes: usize,
}

impl LinearModel {
    /// The loss of the nodes that hold these shards, in the order given, with factors `s_i`, in `lanes` lanes.
    ///
    /// # Errors
    /// If the loss has a width that is not positive, there is no shard or no lane, the shards differ in dimension, or
    /// there are not as many factors as shards.
    pub fn new(loss: Loss, shards: &[Shard], scales: Vec<f64>, lanes: usize) -> Result<Self, ProblemError> {
        nodes_of_one_dimension(shards, &scales, lanes)?;
        Ok(Self { loss: loss.checked()?, shards: shards.to_vec(), scales, lanes })
    }

    /// The loss of one record.
    pub fn loss(&self) -> Loss {
        self.loss
    }
}

/// Sizes only: everything else is computed from records.
impl fmt::Debug for LinearModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LinearModel")
            .field("loss", &self.loss)
            .field("nodes", &self.nodes())
            .field("dim", &self.dim())
            .field("lanes", &self.lanes)
            .finish_non_exhaustive()
    }
}

impl Objective for LinearModel {
    fn nodes(&self) -> usize {
        self.shards.len()
    }

    fn dim(&self) -> usize {
        self.shards[0].dim()
    }

    fn lanes(&self) -> usize {
        self.lanes
    }

    fn gradient(&self, nodes: Range<usize>, x: &[f64], out: &mut [f64]) {
        let dim = self.dim();
        assert_eq!(x.len(), nodes.len() * self.lanes * dim, "one point per node and lane");
        assert_eq!(x.len(), out.len(), "as many gradients as points");
        let points = x.chunks_exact(dim).zip(out.chunks_exact_mut(dim));
        for (node, (x, out)) in nodes.flat_map(|node| std::iter::repeat_n(node, self.lanes)).zip(points) {
            out.fill(0.0);
            add_gradients(self.loss, self.scales[node], &self.shards[node], x, out);
        }
    }

    fn value(&self, node: usize, x: &[f64]) -> f64 {
        let shard = &self.shards[node];
        assert_eq!(x.len(), shard.dim(), "the point of node {node} has another dimension than its records");
        let losses = |record: usize, &y: &f64| self.loss.value(prediction(shard.row(record), x), y);
        self.scales[node] * shard.targets().iter().enumerate().map(|(record, y)| losses(record, y)).sum::<f64>()
    }

    fn scale(&self, node: usize) -> f64 {
        self.scales[node]
    }

    fn records(&self, node: usize) -> usize {
        self.shards[node].records()
    }

    fn record_gradient(&self, node: usize, record: usize, x: &[f64], out: &mut [f64]) {
        record_gradient(self.loss, &self.shards[node], record, self.scales[node], x, out);
    }

    fn add_record_gradients(
        &self,
        node: usize,
        records: &mut dyn Iterator<Item = usize>,
        weight: f64,
        clip: f64,
        x: &[f64],
        out: &mut [f64],
    ) {
        add_records(self.loss, &self.shards[node], records, self.scales[node] * weight, clip, x, out);
    }
}

/// `n_i s_i` times the gradient of the loss of one record: its mean over the records is the gradient of `f_i`.
pub(super) fn record_gradient(loss: Loss, shard: &Shard, record: usize, scale: f64, x: &[f64], out: &mut [f64]) {
    let dim = shard.dim();
    assert_eq!((x.len(), out.len()), (dim, dim), "points and gradients of {dim} coordinates");
    out.fill(0.0);
    let target = &shard.targets()[record..=record];
    let scale = scale * shard.records() as f64;
    match shard.row(record) {
        Row::Dense(row) => add_dense(loss, scale, row, target, x, out),
        row @ Row::Sparse { .. } => add_row(loss, scale, row, target[0], x, out),
    }
}

/// `out += scale * sum_r slope_r x_r`, record after record.
fn add_gradients(loss: Loss, scale: f64, shard: &Shard, b: &[f64], out: &mut [f64]) {
    match shard.features() {
        Features::Dense(x) => {
            add_dense(loss, scale, x.as_slice().expect("rows are stored in standard layout"), shard.targets(), b, out);
        }
        Features::Sparse(_) => {
            for (record, &y) in shard.targets().iter().enumerate() {
                add_row(loss, scale, shard.row(record), y, b, out);
            }
        }
    }
}

fn add_row(loss: Loss, scale: f64, row: Row<'_>, y: f64, b: &[f64], out: &mut [f64]) {
    let weight = scale * loss.slope(prediction(row, b), y);
    match row {
        _ if weight == 0.0 => {}
        Row::Dense(row) => row.iter().zip(out).for_each(|(x, out)| *out += weight * x),
        Row::Sparse { columns, values } => {
            for (&k, x) in columns.iter().zip(values) {
                out[k] += weight * x;
            }
        }
    }
}

/// `x'b`.
pub(super) fn prediction(row: Row<'_>, b: &[f64]) -> f64 {
    match row {
        Row::Dense(row) => dot(row, b),
        Row::Sparse { columns, values } => columns.iter().zip(values).map(|(&k, x)| x * b[k]).sum(),
    }
}

kernel! {
    /// The same for dense rows, one after the other.
    fn add_dense(loss: Loss, scale: f64, rows: &[f64], targets: &[f64], b: &[f64], out: &mut [f64]) = add_dense_loop;
}

#[inline(always)]
fn add_dense_loop(loss: Loss, scale: f64, rows: &[f64], targets: &[f64], b: &[f64], out: &mut [f64]) {
    for (row, &y) in rows.chunks_exact(b.len()).zip(targets) {
        let weight = scale * loss.slope(dot(row, b), y);
        // Records that are already right have no say in a hinge: they are many.
        if weight != 0.0 {
            for (out, x) in out.iter_mut().zip(row) {
                *out += weight * x;
            }
        }
    }
}

/// Eight sums, of the products with equal index modulo 8, keep eight additions going at once; they are added pairwise
/// at the end, always in this order.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    for ((sum, a), b) in sums.iter_mut().zip(a_rest).zip(b_rest) {
        *sum += a * b;
    }
    ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2};

    use super::*;
    use crate::{LeastSquares, RecordBounds};

    const LOSSES: [Loss; 5] =
        [Loss::Squared, Loss::Huber { width: 0.3 }, Loss::Logistic, Loss::Hinge, Loss::SmoothedHinge { width: 0.5 }];

    fn shard(records: usize, dim: usize, salt: usize) -> Shard {
        let x = Array2::from_shape_fn((records, dim), |(i, j)| ((i * 31 + j * 17 + salt) % 23) as f64 / 23.0 - 0.47);
        let y = Array1::from_shape_fn(records, |i| if (i * 7 + salt).is_multiple_of(3) { 1.0 } else { -1.0 });
        Shard::clipped(x, y, RecordBounds::new(1.0, 1.0).unwrap()).unwrap()
    }

    #[test]
    fn the_gradient_is_the_derivative_of_the_value() {
        for loss in LOSSES {
            let model = LinearModel::new(loss, &[shard(9, 4, 0), shard(5, 4, 1)], vec![0.5, 2.0], 2).unwrap();
            let points: Vec<f64> = (0..16).map(|k| f64::from(k * 5 % 11) / 7.0 - 0.6).collect();
            let mut gradients = vec![f64::NAN; 16];
            model.gradient(0..2, &points, &mut gradients);
            for (row, (point, gradient)) in points.chunks(4).zip(gradients.chunks(4)).enumerate() {
                for k in 0..4 {
                    let at = |h: f64| {
                        let mut moved = point.to_vec();
                        moved[k] += h;
                        model.value(row / 2, &moved)
                    };
                    let difference = (at(1e-6) - at(-1e-6)) / 2e-6;
                    assert!((gradient[k] - difference).abs() < 1e-7, "{loss:?}: {} and {difference}", gradient[k]);
                }
            }
        }
    }

    #[test]
    fn the_gradients_of_the_records_have_the_gradient_as_their_mean() {
        for loss in LOSSES {
            let model = LinearModel::new(loss, &[shard(7, 3, 2)], vec![0.3], 1).unwrap();
            let point = [0.2, -0.7, 0.4];
            let (mut whole, mut one, mut mean) = ([0.0; 3], [0.0; 3], [0.0; 3]);
            model.gradient(0..1, &point, &mut whole);
            for record in 0..model.records(0) {
                model.record_gradient(0, record, &point, &mut one);
                mean.iter_mut().zip(one).for_each(|(m, g)| *m += g / 7.0);
            }
            assert!(whole.iter().zip(mean).all(|(a, b)| (a - b).abs() < 1e-14), "{loss:?}: {whole:?}, {mean:?}");
        }
    }

    #[test]
    fn squared_loss_agrees_with_the_gram_matrices() {
        let shards = [shard(20, 5, 0), shard(11, 5, 3)];
        let (by_record, by_matrix) = (
            LinearModel::new(Loss::Squared, &shards, vec![0.1, 0.2], 1).unwrap(),
            LeastSquares::scaled(&shards, vec![0.1, 0.2], 1).unwrap(),
        );
        let points: Vec<f64> = (0..10).map(|k| f64::from(k) / 5.0 - 1.0).collect();
        let (mut a, mut b) = (vec![0.0; 10], vec![0.0; 10]);
        by_record.gradient(0..2, &points, &mut a);
        by_matrix.gradient(0..2, &points, &mut b);
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-14), "{a:?}, {b:?}");
        by_record.record_gradient(1, 4, &points[..5], &mut a[..5]);
        by_matrix.record_gradient(1, 4, &points[..5], &mut b[..5]);
        assert_eq!(a[..5], b[..5]);
    }

    /// Rows with and without their zeros: gradients, values and gradients of a record.
    #[test]
    fn sparse_rows_give_what_dense_rows_give() {
        let dense = shard(12, 6, 4);
        let x = dense.x().mapv(|v| if v > 0.1 { v } else { 0.0 });
        let bounds = RecordBounds::new(1.0, 1.0).unwrap();
        let dense = Shard::clipped(x.clone(), dense.y().to_owned(), bounds).unwrap();
        let sparse = Shard::clipped(sprs::CsMat::csr_from_dense(x.view(), 0.0), dense.y().to_owned(), bounds).unwrap();
        let point = [0.3, -0.2, 0.8, 0.1, -0.9, 0.4];
        for loss in LOSSES {
            let [a, b] = [&dense, &sparse].map(|shard| {
                let model = LinearModel::new(loss, std::slice::from_ref(shard), vec![0.2], 1).unwrap();
                let (mut whole, mut one) = (vec![0.0; 6], vec![0.0; 6]);
                model.gradient(0..1, &point, &mut whole);
                model.record_gradient(0, 5, &point, &mut one);
                [whole, one, vec![model.value(0, &point)]].concat()
            });
            assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-14), "{loss:?}: {a:?} {b:?}");
        }
    }

    /// The loops called directly are compiled for the baseline of the target, the kernels for this machine.
    #[test]
    fn the_bits_do_not_depend_on_the_instruction_set() {
        let shard = shard(13, 11, 5);
        let b: Vec<f64> = (0..11).map(|k| f64::from(k) / 3.0 - 1.5).collect();
        for loss in LOSSES {
            let (mut fast, mut plain) = (vec![0.1; 11], vec![0.1; 11]);
            let Features::Dense(rows) = shard.features() else { unreachable!() };
            let rows = rows.as_slice().unwrap();
            add_dense(loss, 0.7, rows, shard.targets(), &b, &mut fast);
            add_dense_loop(loss, 0.7, rows, shard.targets(), &b, &mut plain);
            assert_eq!(fast, plain);
        }
    }
}
