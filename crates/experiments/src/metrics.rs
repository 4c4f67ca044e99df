//! How good a model is. Everything here looks at records: none of it is covered by the guarantee.
//!
//! * [`figures`]: what follows from predictions and targets alone;
//! * [`catalogue`]: the metrics of a run, one function and one line of a table each;
//! * [`observer`]: all metrics of all lanes at once.
//!
//! The scores of the references, with which the models of a run are compared, are here.

pub mod catalogue;
pub mod figures;
pub mod observer;

use dido_geometry::Rows;
use dido_problems::reference::{self, Minimum};
use dido_problems::{Features, Loss, ProblemError, Regulariser};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, concatenate};

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
    let mut scores = scores(&model.insert_axis(Axis(0)), records, scoring)?;
    Ok(scores.swap_remove(0))
}

/// The same of several models, `models x dim`.
///
/// # Errors
/// As [`score`].
pub fn scores(
    models: &ArrayView2<'_, f64>,
    records: &Records,
    scoring: Scoring,
) -> Result<Vec<Score>, ExperimentError> {
    let Scoring { loss, unit } = scoring;
    let y = records.y.to_vec();
    let mut found = vec![];
    records.x.predictions(models.view(), |_, p| {
        found.push(if loss.is_classification() {
            let accuracy = figures::accuracy(p, &y);
            accuracy.and_then(|accuracy| Ok(Score::Classes { accuracy, loss: figures::mean_loss(loss, p, &y)? }))
        } else {
            let r2 = figures::r2(p, &y);
            r2.and_then(|r2| Ok(Score::Regression { r2, rmse: finite_distance(unit * figures::rmse(p, &y)?) }))
        });
    });
    let undefined = |_| ExperimentError::Data(ProblemError::ConstantTarget { records: y.len() });
    found.into_iter().map(|score| score.map_err(undefined)).collect()
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
    // Records of zeros have no target to average.
    let mean = all.y.sum() / all.y.len().saturating_sub(data.incomplete).max(1) as f64;
    let constant = if scoring.loss.is_classification() { 1.0_f64.copysign(mean) } else { mean };
    let ones = Records { x: Array2::ones((data.held_out.y.len(), 1)).into(), y: data.held_out.y.clone() };
    Ok(References {
        optimum_score: score(&optimum.beta.view(), &data.held_out, scoring)?,
        objective: if is_plain(spec) { None } else { Some(objectives(spec, data, &optimum, &own)) },
        optimum: optimum.beta,
        best_alone: alone[0],
        median_alone: median(&alone),
        constant: score(&Array1::from_elem(1, constant).view(), &ones, scoring)?,
    })
}

/// The objective on all records at the optimum and at the minimisers of the parties.
fn objectives(spec: &Spec, data: &Prepared, optimum: &Minimum, own: &[Array1<f64>]) -> ObjectiveValues {
    let mut alone: Vec<f64> = own.iter().map(|beta| value(spec, data, &beta.view().insert_axis(Axis(0)))[0]).collect();
    alone.sort_by(f64::total_cmp);
    let middle = f64::midpoint(alone[(alone.len() - 1) / 2], alone[alone.len() / 2]);
    let Minimum { objective, gap, .. } = *optimum;
    let (best_alone, median_alone) = (alone.first().copied(), Some(middle));
    ObjectiveValues { private: f64::MAX, optimum: objective, gap, best_alone, median_alone }
}

/// The mean loss of all training records and the regulariser, of several models.
fn value(spec: &Spec, data: &Prepared, models: &ArrayView2<'_, f64>) -> Vec<f64> {
    let losses = observer::mean_losses(data, spec.declaration.loss(), models);
    let whole = |(loss, model)| finite_distance(observer::objective(spec, loss, &model));
    losses.into_iter().zip(models.outer_iter()).map(whole).collect()
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
    let lanes = models.shape().lanes;
    let mut worst = vec![f64::MIN; lanes];
    for node in models.view().outer_iter() {
        worst.iter_mut().zip(value(spec, data, &node)).for_each(|(worst, value)| *worst = worst.max(value));
    }
    let private = finite_distance(worst.iter().sum::<f64>() / lanes as f64);
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

/// The largest Euclidean distance of a node's row from the mean row of its lane, for each lane. It saturates like a score.
pub fn disagreement(estimate: &Rows) -> Vec<f64> {
    let mean = mean_over_nodes(estimate);
    let mut largest = vec![0.0_f64; mean.nrows()];
    for node in estimate.view().outer_iter() {
        for ((row, mean), largest) in node.outer_iter().zip(mean.outer_iter()).zip(&mut largest) {
            let square = row.iter().zip(&mean).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
            *largest = largest.max(finite_distance(square.sqrt()));
        }
    }
    largest
}

/// The largest of them.
pub fn consensus_error(estimate: &Rows) -> f64 {
    disagreement(estimate).into_iter().fold(0.0, f64::max)
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

    /// Two nodes, two lanes, two coordinates: the nodes of lane 0 are 6 apart, those of lane 1 the same.
    #[test]
    fn disagreement_is_the_largest_distance_from_the_mean_of_a_lane() {
        let shape = dido_geometry::Shape { nodes: 2, lanes: 2, dim: 2 };
        let rows = Rows::from_vec(shape, vec![0.0, 1.0, 5.0, 5.0, 6.0, 1.0, 5.0, 5.0]);
        assert_eq!(disagreement(&rows), [3.0, 0.0]);
        let far = Rows::from_vec(shape, vec![f64::MAX, 0.0, 0.0, 0.0, -f64::MAX, 0.0, 0.0, 0.0]);
        assert_eq!(disagreement(&far)[0].to_bits(), f64::MAX.to_bits());
    }

    #[test]
    fn the_median_of_an_even_number_is_the_mean_of_the_middle_two() {
        let scores: Vec<Score> = [0.9, 0.5, 0.25, -7.0].map(|r2| Score::Regression { r2, rmse: 1.0 - r2 }).to_vec();
        assert_eq!(median(&scores), Score::Regression { r2: 0.375, rmse: 0.625 });
        assert_eq!(median(&scores[..3]), scores[1]);
        assert_eq!(median(&scores[..1]), scores[0]);
    }
}
