//! Sums over some of the records of a node, with a bound on what each of them contributes.

use super::Loss;
use super::linear_model::prediction;
use crate::Shard;
use crate::features::Row;
use crate::shard::Norm;

/// `out += scale * sum_r min(1, clip / |g_r|) g_r`, `g_r = slope_r x_r`, over the records given, one after the other.
///
/// # Panics
/// If point, sum and records differ in dimension, or there is no such record.
pub(super) fn add_records(
    loss: Loss,
    shard: &Shard,
    records: &mut dyn Iterator<Item = usize>,
    scale: f64,
    clip: f64,
    x: &[f64],
    out: &mut [f64],
) {
    let dim = shard.dim();
    assert_eq!((x.len(), out.len()), (dim, dim), "points and gradients of {dim} coordinates");
    for record in records {
        let row = shard.row(record);
        let slope = loss.slope(prediction(row, x), shard.targets()[record]);
        let weight = scale * if clip.is_finite() { clipped(slope, row, dim, clip) } else { slope };
        if weight == 0.0 {
            continue;
        }
        match row {
            Row::Dense(row) => row.iter().zip(&mut *out).for_each(|(x, out)| *out += weight * x),
            Row::Sparse { columns, values } => columns.iter().zip(values).for_each(|(&k, x)| out[k] += weight * x),
        }
    }
}

/// The slope with which a row of `dim` features has a gradient of length `clip` at most.
fn clipped(slope: f64, row: Row<'_>, dim: usize, clip: f64) -> f64 {
    let norm = length(row.values());
    if slope.abs() * norm <= clip {
        return slope;
    }
    let margin = (dim as f64 + 8.0) * f64::EPSILON;
    // Finite: the product was more than the clip.
    (clip * (1.0 - margin) / norm).copysign(slope)
}

/// The Euclidean norm. Sums of squares that may have lost something to underflow or overflow are made with care.
fn length(row: &[f64]) -> f64 {
    let squares: f64 = row.iter().map(|x| x * x).sum();
    if (1e-280..1e280).contains(&squares) { squares.sqrt() } else { Norm::of(row).value() }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::*;
    use crate::{LeastSquares, LinearModel, Objective, RecordBounds};

    const LOSSES: [Loss; 5] =
        [Loss::Squared, Loss::Huber { width: 0.4 }, Loss::Logistic, Loss::Hinge, Loss::SmoothedHinge { width: 0.5 }];
    const CLIP: f64 = 0.3;

    /// Dense and sparse copies of the same five records, some of whose gradients are longer than the bound.
    fn shards() -> [Shard; 2] {
        let x = array![[0.9, 0.0, -0.3], [0.0, 0.0, 0.05], [0.0, -0.7, 0.6], [0.2, 0.1, 0.0], [0.0, 0.0, 0.0]];
        let y = array![1.0, -1.0, 1.0, -1.0, 1.0];
        let bounds = RecordBounds::new(1.0, 1.0).unwrap();
        let sparse = sprs::CsMat::csr_from_dense(x.view(), 0.0);
        [Shard::checked(x, y.clone(), bounds).unwrap(), Shard::checked(sparse, y, bounds).unwrap()]
    }

    /// The naive way: every gradient in full, then its length, then the sum.
    fn naive(loss: Loss, shard: &Shard, records: &[usize], scale: f64, clip: f64, b: &[f64; 3]) -> Vec<f64> {
        let mut sum = vec![0.0; 3];
        for &record in records {
            let row = shard.x().row(record).to_vec();
            let p: f64 = row.iter().zip(b).map(|(x, b)| x * b).sum();
            let g: Vec<f64> = row.iter().map(|x| loss.slope(p, shard.y()[record]) * x).collect();
            let length = g.iter().map(|g| g * g).sum::<f64>().sqrt();
            let shrink = if length > clip { clip / length } else { 1.0 };
            sum.iter_mut().zip(&g).for_each(|(sum, g)| *sum += scale * shrink * g);
        }
        sum
    }

    #[test]
    fn the_sum_is_that_of_clipped_gradients() {
        let b = [0.4, -1.1, 0.7];
        for loss in LOSSES {
            for shard in shards() {
                for records in [&[0, 1, 2, 3, 4][..], &[2], &[3, 0], &[]] {
                    for clip in [CLIP, 0.01, f64::INFINITY] {
                        let mut out = [0.5; 3];
                        add_records(loss, &shard, &mut records.iter().copied(), 1.7, clip, &b, &mut out);
                        let expected = naive(loss, &shard, records, 1.7, clip, &b);
                        for (out, expected) in out.iter().zip(&expected) {
                            assert!((out - 0.5 - expected).abs() < 1e-14, "{loss:?}: {out} {expected}");
                        }
                    }
                }
            }
        }
    }

    /// Whatever the point and however extreme the row: no record is longer than the bound, not by a rounding error.
    #[test]
    fn no_record_passes_the_bound() {
        let bounds = RecordBounds::new(1e300, 1e10).unwrap();
        let rows = [[1e-150, 2e-150, 0.0], [3e-9, -1e-9, 1e-3], [1.0, 1.0 / 3.0, 0.1], [1e200, -3e200, 1e150]];
        for (row, b) in rows.iter().zip([[1e300, 1e300, 0.0], [1e9, 1e9, 1e5], [7.0, 1e4, 0.3], [1.0, 1.0, 1.0]]) {
            let x = Array2::from_shape_vec((1, 3), row.to_vec()).unwrap();
            let shard = Shard::checked(x, array![1e10], bounds).unwrap();
            let mut out = [0.0; 3];
            add_records(Loss::Squared, &shard, &mut [0].into_iter(), 1.0, CLIP, &b, &mut out);
            let length = Norm::of(&out).value();
            assert!(length <= CLIP && length > CLIP * (1.0 - 1e-14), "{length}");
        }
    }

    /// All records without a bound are the gradient; both objectives agree.
    #[test]
    fn all_records_give_the_gradient() {
        let [dense, _] = shards();
        let b = [0.2, 0.1, -0.4];
        let by_matrix = LeastSquares::scaled(std::slice::from_ref(&dense), vec![0.3], 1).unwrap();
        let by_record = LinearModel::new(Loss::Squared, &[dense], vec![0.3], 1).unwrap();
        let mut gradient = [f64::NAN; 3];
        by_matrix.gradient(0..1, &b, &mut gradient);
        for objective in [&by_matrix as &dyn Objective, &by_record] {
            let mut sum = [0.0; 3];
            objective.add_record_gradients(0, &mut (0..5), 2.0, f64::INFINITY, &b, &mut sum);
            assert!(sum.iter().zip(gradient).all(|(sum, g)| (sum - 2.0 * g).abs() < 1e-15));
        }
    }
}
