//! How good a model is. Everything here looks at records: none of it is covered by the guarantee.

use dido_geometry::Rows;
use dido_problems::reference::{self, Minimum};
use dido_problems::{Features, Loss, Regulariser};
use ndarray::{Array1, Array2, ArrayView1, Axis, concatenate};

use crate::data::{Prepared, Records, discreet};
use crate::error::ExperimentError;
use crate::records::{Metrics, ObjectiveValues, Score};
use crate::spec::Spec;

/// What a private model is compared with.
#[derive(Clone, Debug)]
pub struct References {
    /// The optimum on all training records.
    pub optimum: Array1<f64>,
    /// The objective there and at the minimisers of the parties, where it is not plain squared error; at the model that is
    /// compared, nothing yet.
    objective: Option<ObjectiveValues>,
    /// Scores of the optimum, of the parties alone and of the constant.
    optimum_score: Score,
    best_alone: Score,
    median_alone: Score,
    constant: Score,
}

/// How models are scored.
#[derive(Clone, Copy, Debug)]
pub struct Scoring {
    /// The loss of a record.
    pub loss: Loss,
    /// One unit of the encoded target in units of the original one.
    pub unit: f64,
}

impl Scoring {
    /// That of an experiment.
    pub fn of(spec: &Spec) -> Self {
        Self { loss: spec.declaration.loss(), unit: spec.config.data.target.scale }
    }
}

/// The score of a linear model on `records`.
///
/// It saturates: where the predictions are so far off that their squares overflow, R^2 is the least number there is and
/// the error the largest. A run whose noise drowns the model has spent its budget, and its files say so.
///
/// # Errors
/// If there are too few records for a score.
pub fn score(model: &ArrayView1<'_, f64>, records: &Records, scoring: Scoring) -> Result<Score, ExperimentError> {
    let Scoring { loss, unit } = scoring;
    let y = records.y.view();
    if loss.is_classification() {
        let predictions = records.x.dot(model);
        let right = predictions.iter().zip(y).filter(|&(p, y)| p * y > 0.0).count();
        let accuracy = right as f64 / y.len() as f64;
        return Ok(Score::Classes { accuracy, loss: finite_distance(mean_loss(loss, model, records)) });
    }
    let x = records.x.dense();
    Ok(saturated(reference::r2(x.view(), y, *model)?, unit * reference::rmse(x.view(), y, *model)?))
}

fn mean_loss(loss: Loss, model: &ArrayView1<'_, f64>, records: &Records) -> f64 {
    let losses = records.x.dot(model).iter().zip(&records.y).map(|(&p, &y)| loss.value(p, y)).sum::<f64>();
    losses / records.y.len() as f64
}

fn saturated(r2: f64, rmse: f64) -> Score {
    Score::Regression { r2: if r2.is_finite() { r2 } else { f64::MIN }, rmse: finite_distance(rmse) }
}

/// A distance, or the largest number where it is too large for one or undefined.
pub fn finite_distance(distance: f64) -> f64 {
    if distance.is_finite() { distance } else { f64::MAX }
}

/// Fits what the private model is compared with.
///
/// # Errors
/// If an optimum cannot be found.
pub fn references(spec: &Spec, data: &Prepared) -> Result<References, ExperimentError> {
    let scoring = Scoring::of(spec);
    let all = together(&data.parties);
    let optimum = minimum(spec, &all)?;
    let own =
        data.parties.iter().map(|party| Ok(minimum(spec, party)?.beta)).collect::<Result<Vec<_>, ExperimentError>>()?;
    let mut alone =
        own.iter().map(|beta| score(&beta.view(), &data.held_out, scoring)).collect::<Result<Vec<_>, _>>().map_err(
            |error| match error {
                ExperimentError::Data(error) => discreet(spec, error),
                other => other,
            },
        )?;
    alone.sort_by(|a, b| b.merit().total_cmp(&a.merit()));
    let mean = all.y.mean().unwrap_or(0.0);
    let constant = if scoring.loss.is_classification() { 1.0_f64.copysign(mean) } else { mean };
    let ones = Records { x: Array2::ones((data.held_out.y.len(), 1)).into(), y: data.held_out.y.clone() };
    Ok(References {
        optimum_score: score(&optimum.beta.view(), &data.held_out, scoring)?,
        objective: if is_plain(spec) { None } else { Some(objectives(spec, &all, &optimum, &own)) },
        optimum: optimum.beta,
        best_alone: alone[0],
        median_alone: median(&alone),
        constant: score(&Array1::from_elem(1, constant).view(), &ones, scoring)?,
    })
}

/// The objective on all records at the optimum and at the minimisers of the parties.
fn objectives(spec: &Spec, all: &Records, optimum: &Minimum, own: &[Array1<f64>]) -> ObjectiveValues {
    let mut alone: Vec<f64> = own.iter().map(|beta| value(spec, all, &beta.view())).collect();
    alone.sort_by(f64::total_cmp);
    let middle = f64::midpoint(alone[(alone.len() - 1) / 2], alone[alone.len() / 2]);
    let Minimum { objective, gap, .. } = *optimum;
    let (best_alone, median_alone) = (alone.first().copied(), Some(middle));
    ObjectiveValues { private: f64::MAX, optimum: objective, gap, best_alone, median_alone }
}

/// The mean loss of these records and the regulariser.
fn value(spec: &Spec, records: &Records, model: &ArrayView1<'_, f64>) -> f64 {
    let regulariser = spec.config.objective.regulariser.value(&model.to_vec());
    finite_distance(mean_loss(spec.declaration.loss(), model, records) + regulariser)
}

/// The records of all parties.
fn together(parties: &[Records]) -> Records {
    let targets: Vec<_> = parties.iter().map(|p| p.y.view()).collect();
    let x = Features::joined(parties.iter().map(|p| &p.x));
    Records { x, y: concatenate(Axis(0), &targets).expect("targets are vectors") }
}

/// Whether the objective is plain squared error.
fn is_plain(spec: &Spec) -> bool {
    spec.declaration.loss() == Loss::Squared && spec.config.objective.regulariser == Regulariser::none()
}

/// Classes that a plane separates have no best one without a regulariser; this one hardly moves the others.
pub const LEAST_MU: f64 = 1e-6;

/// The optimum on these records, every record counting the same, without a set.
fn minimum(spec: &Spec, records: &Records) -> Result<Minimum, ExperimentError> {
    if is_plain(spec) {
        let found = reference::least_squares(records.x.dense().view(), records.y.view())?;
        let reference::Optimum { beta, objective, gradient_norm } = found;
        return Ok(Minimum { beta, objective, gap: None, gradient_norm });
    }
    let loss = spec.declaration.loss();
    let mut regulariser = spec.config.objective.regulariser.clone();
    if loss.is_classification() && regulariser == Regulariser::none() {
        regulariser = Regulariser::squared_l2(LEAST_MU)?;
    }
    Ok(reference::regularised(loss, &records.x, &records.y.to_vec(), &regulariser)?)
}

/// The objective of each lane at the model of the party that fares worst, in the mean over lanes; nothing for plain
/// squared error.
pub fn objective(spec: &Spec, data: &Prepared, references: &References, models: &Rows) -> Option<ObjectiveValues> {
    let known = references.objective?;
    let all = together(&data.parties);
    let shape = models.shape();
    let value = |node: usize, lane: usize| value(spec, &all, &ArrayView1::from(models.row(node, lane)));
    let worst = |lane: usize| (0..shape.nodes).map(|node| value(node, lane)).fold(f64::MIN, f64::max);
    let private = finite_distance((0..shape.lanes).map(worst).sum::<f64>() / shape.lanes as f64);
    Some(ObjectiveValues { private, ..known })
}

/// The middle one of sorted scores, or the mean of the middle two.
fn median(sorted: &[Score]) -> Score {
    mean_score(&sorted[(sorted.len() - 1) / 2..=sorted.len() / 2])
}

impl References {
    /// The scores beside that of a private model.
    pub fn beside(&self, private: Score, objective: Option<ObjectiveValues>) -> Metrics {
        Metrics {
            private,
            optimum: self.optimum_score,
            best_alone: self.best_alone,
            median_alone: self.median_alone,
            constant: self.constant,
            objective,
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

/// The mean of scores of one kind. It saturates like a score.
///
/// # Panics
/// If there is none.
pub fn mean_score(scores: &[Score]) -> Score {
    let n = scores.len() as f64;
    let merit = scores.iter().map(|s| s.merit()).sum::<f64>() / n;
    let error = finite_distance(scores.iter().map(|s| s.error()).sum::<f64>() / n);
    scores[0].with(if merit.is_finite() { merit } else { f64::MIN }, error)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn scores_saturate_instead_of_overflowing() {
        let records = Records { x: array![[1.0], [2.0]].into(), y: array![0.0, 1.0] };
        let of =
            |model: f64| score(&array![model].view(), &records, Scoring { loss: Loss::Squared, unit: 2.0 }).unwrap();
        let worst = Score::Regression { r2: f64::MIN, rmse: f64::MAX };
        for model in [1e200, -1e308, f64::INFINITY, f64::NAN] {
            assert_eq!(of(model), worst, "{model}");
        }
        // The residuals are 0.5 and 0; the mean target explains 0.5.
        assert_eq!(of(0.5), Score::Regression { r2: 0.5, rmse: 2.0 * 0.125_f64.sqrt() });
        assert_eq!(mean_score(&[worst; 3]), worst);
    }

    #[test]
    fn classes_are_scored_by_their_share_and_the_loss() {
        let records = Records { x: array![[1.0], [-2.0], [0.5], [0.0]].into(), y: array![1.0, 1.0, -1.0, 1.0] };
        let scoring = Scoring { loss: Loss::Hinge, unit: 1.0 };
        // Margins 3, -6, -1.5 and 0: losses 0, 7, 2.5 and 1.
        let found = score(&array![3.0].view(), &records, scoring).unwrap();
        assert_eq!(found, Score::Classes { accuracy: 0.25, loss: 10.5 / 4.0 });
        let drowned = score(&array![f64::NAN].view(), &records, scoring).unwrap();
        assert_eq!(drowned.merit().to_bits(), 0.0_f64.to_bits());
    }

    #[test]
    fn the_median_of_an_even_number_is_the_mean_of_the_middle_two() {
        let scores: Vec<Score> = [0.9, 0.5, 0.25, -7.0].map(|r2| Score::Regression { r2, rmse: 1.0 - r2 }).to_vec();
        assert_eq!(median(&scores), Score::Regression { r2: 0.375, rmse: 0.625 });
        assert_eq!(median(&scores[..3]), scores[1]);
        assert_eq!(median(&scores[..1]), scores[0]);
    }
}
