//! How good a model is. Everything here looks at records: none of it is covered by the guarantee.

use dido_geometry::Rows;
use dido_problems::reference;
use ndarray::{Array1, Array2, ArrayView1, Axis, concatenate};

use crate::data::{Prepared, Records};
use crate::error::ExperimentError;
use crate::records::{Metrics, Score};

/// What a private model is compared with.
#[derive(Clone, Debug)]
pub struct References {
    /// Least squares on all training records.
    pub optimum: Array1<f64>,
    /// Scores of the optimum, of the parties alone and of the constant.
    optimum_score: Score,
    best_alone: Score,
    median_alone: Score,
    constant: Score,
}

/// The score of a linear model on `records`; `unit` is one unit of the encoded target in units of the original one.
///
/// It saturates: where the predictions are so far off that their squares overflow, R^2 is the least number there is and
/// the error the largest. A run whose noise drowns the model has spent its budget, and its files say so.
///
/// # Errors
/// If there are too few records for a score.
pub fn score(model: &ArrayView1<'_, f64>, records: &Records, unit: f64) -> Result<Score, ExperimentError> {
    let (x, y) = (records.x.view(), records.y.view());
    Ok(saturated(reference::r2(x, y, *model)?, unit * reference::rmse(x, y, *model)?))
}

fn saturated(r2: f64, rmse: f64) -> Score {
    Score { r2: if r2.is_finite() { r2 } else { f64::MIN }, rmse: finite_distance(rmse) }
}

/// A distance, or the largest number where it is too large for one or undefined.
pub fn finite_distance(distance: f64) -> f64 {
    if distance.is_finite() { distance } else { f64::MAX }
}

/// Fits what the private model is compared with.
///
/// # Errors
/// If a least-squares problem cannot be solved.
pub fn references(data: &Prepared, unit: f64) -> Result<References, ExperimentError> {
    let rows: Vec<_> = data.parties.iter().map(|p| p.x.view()).collect();
    let targets: Vec<_> = data.parties.iter().map(|p| p.y.view()).collect();
    let x = concatenate(Axis(0), &rows).expect("all parties have rows of one length");
    let y = concatenate(Axis(0), &targets).expect("targets are vectors");
    let optimum = reference::least_squares(x.view(), y.view())?.beta;
    let mut alone = data
        .parties
        .iter()
        .map(|p| score(&reference::least_squares(p.x.view(), p.y.view())?.beta.view(), &data.held_out, unit))
        .collect::<Result<Vec<_>, ExperimentError>>()?;
    alone.sort_by(|a, b| b.r2.total_cmp(&a.r2));
    let mean = Array1::from_elem(1, y.mean().unwrap_or(0.0));
    let ones = Records { x: Array2::ones((data.held_out.y.len(), 1)), y: data.held_out.y.clone() };
    Ok(References {
        optimum_score: score(&optimum.view(), &data.held_out, unit)?,
        optimum,
        best_alone: alone[0],
        median_alone: median(&alone),
        constant: score(&mean.view(), &ones, unit)?,
    })
}

/// The middle one of sorted scores, or the mean of the middle two.
fn median(sorted: &[Score]) -> Score {
    mean_score(&sorted[(sorted.len() - 1) / 2..=sorted.len() / 2])
}

impl References {
    /// The scores beside that of a private model.
    pub fn beside(&self, private: Score) -> Metrics {
        Metrics {
            private,
            optimum: self.optimum_score,
            best_alone: self.best_alone,
            median_alone: self.median_alone,
            constant: self.constant,
        }
    }
}

/// The mean over nodes of each lane, `lanes x dim`.
pub fn mean_over_nodes(estimate: &Rows) -> Array2<f64> {
    estimate.view().mean_axis(Axis(0)).expect("a run has nodes")
}

/// The largest Euclidean distance of a node's row from the mean row of its lane. It saturates like a score.
pub fn consensus_error(estimate: &Rows) -> f64 {
    let mean = mean_over_nodes(estimate);
    let mut largest: f64 = 0.0;
    for node in estimate.view().outer_iter() {
        for (row, mean) in node.outer_iter().zip(mean.outer_iter()) {
            largest = largest.max(finite_distance((&row - &mean).mapv(|d| d * d).sum().sqrt()));
        }
    }
    largest
}

/// The mean of scores. It saturates like a score.
pub fn mean_score(scores: &[Score]) -> Score {
    let n = scores.len() as f64;
    saturated(scores.iter().map(|s| s.r2).sum::<f64>() / n, scores.iter().map(|s| s.rmse).sum::<f64>() / n)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn scores_saturate_instead_of_overflowing() {
        let records = Records { x: array![[1.0], [2.0]], y: array![0.0, 1.0] };
        let of = |model: f64| score(&array![model].view(), &records, 2.0).unwrap();
        let worst = Score { r2: f64::MIN, rmse: f64::MAX };
        for model in [1e200, -1e308, f64::INFINITY, f64::NAN] {
            assert_eq!(of(model), worst, "{model}");
        }
        // The residuals are 0.5 and 0; the mean target explains 0.5.
        assert_eq!(of(0.5), Score { r2: 0.5, rmse: 2.0 * 0.125_f64.sqrt() });
        assert_eq!(mean_score(&[worst; 3]), worst);
    }

    #[test]
    fn the_median_of_an_even_number_is_the_mean_of_the_middle_two() {
        let scores: Vec<Score> = [0.9, 0.5, 0.25, -7.0].map(|r2| Score { r2, rmse: 1.0 - r2 }).to_vec();
        assert_eq!(median(&scores), Score { r2: 0.375, rmse: 0.625 });
        assert_eq!(median(&scores[..3]), scores[1]);
        assert_eq!(median(&scores[..1]), scores[0]);
    }
}
