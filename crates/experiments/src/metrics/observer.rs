//! All metrics of all lanes at once: each product of records and models is computed once, for all lanes together.

use dido_geometry::Rows;
use dido_problems::{Features, Loss};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::catalogue::{self, Metric, Seen, Training};
use super::figures::{self, Undefined};
use super::{References, Scoring, finite_distance, is_plain};
use crate::data::Prepared;
use crate::records::{Band, Measured};
use crate::spec::Spec;

/// Measures models. What does not change between rounds is computed when it is made.
pub struct Observer<'a> {
    spec: &'a Spec,
    data: &'a Prepared,
    optimum: &'a Array1<f64>,
    scoring: Scoring,
    training: Objective,
    norm: f64,
}

/// What of the objective on the training records is computed once.
enum Objective {
    /// Least squares: `least + (b - b*)' gram (b - b*) / 2`. No record is looked at again, and there is no cancellation.
    Quadratic { gram: Array2<f64>, least: f64 },
    /// The objective at the optimum.
    Any { least: f64 },
}

/// The values of a metric in all lanes, or the reasons why it has none.
pub type Values = Vec<Result<f64, Undefined>>;

/// A Gram matrix of more features would take longer than what it saves.
const DENSE: usize = 512;

impl<'a> Observer<'a> {
    /// An observer of runs of `spec` on these data.
    pub fn new(spec: &'a Spec, data: &'a Prepared, references: &'a References) -> Self {
        let (optimum, scoring) = (&references.optimum, Scoring::of(spec));
        let norm = optimum.dot(optimum).sqrt();
        let alone = optimum.view().insert_axis(ndarray::Axis(0));
        let loss = mean_losses(data, scoring.loss, &alone)[0];
        let dense = data.parties.iter().all(|party| matches!(party.x, Features::Dense(_)));
        let training = if is_plain(spec) && dense && optimum.len() <= DENSE {
            Objective::Quadratic { gram: gram(data), least: loss }
        } else {
            Objective::Any { least: objective(spec, loss, &optimum.view()) }
        };
        Self { spec, data, optimum, scoring, training, norm }
    }

    /// The metrics there are.
    pub fn metrics(&self) -> impl Iterator<Item = &'static Metric> {
        catalogue::of(self.scoring.loss)
    }

    /// Every metric in every lane: of the models in the rows of `models` (`lanes x dim`), given `estimates` (`nodes x lanes x dim`)
    /// whose disagreement is measured.
    pub fn values(&self, models: &ArrayView2<'_, f64>, estimates: &Rows) -> Vec<Values> {
        let disagreement = super::disagreement(estimates);
        let training = self.training(models, &disagreement);
        let mut values: Vec<Values> = self.metrics().map(|_| Vec::with_capacity(models.nrows())).collect();
        let targets = self.data.held_out.y.to_vec();
        self.data.held_out.x.predictions(models.view(), |lane, predictions| {
            let Scoring { loss, unit } = self.scoring;
            let seen = Seen { loss, unit, predictions, targets: &targets, training: Some(training[lane]) };
            values.iter_mut().zip(self.metrics()).for_each(|(values, metric)| values.push((metric.value)(&seen)));
        });
        values
    }

    /// The same with bands over lanes.
    pub fn measured(&self, models: &ArrayView2<'_, f64>, estimates: &Rows) -> Vec<Measured> {
        let of = |(metric, values): (&Metric, Values)| measured(metric, &values);
        self.metrics().zip(self.values(models, estimates)).map(of).collect()
    }

    fn training(&self, models: &ArrayView2<'_, f64>, disagreement: &[f64]) -> Vec<Training> {
        let losses = match self.training {
            Objective::Quadratic { .. } => vec![],
            Objective::Any { .. } => mean_losses(self.data, self.scoring.loss, models),
        };
        let of = |(lane, model): (usize, ArrayView1<'_, f64>)| {
            let from_optimum = &model - self.optimum;
            let (loss, above) = match &self.training {
                Objective::Quadratic { gram, least } => {
                    let above = 0.5 * from_optimum.dot(&gram.dot(&from_optimum));
                    (least + above, above)
                }
                Objective::Any { least } => (losses[lane], objective(self.spec, losses[lane], &model) - least),
            };
            let [loss, above] = [loss, above].map(finite_distance);
            let away = finite_distance(from_optimum.dot(&from_optimum).sqrt());
            Training { loss, above, away, norm: self.norm, disagreement: disagreement[lane] }
        };
        models.outer_iter().enumerate().map(of).collect()
    }
}

/// A metric and what is said of its values.
pub fn measured(metric: &Metric, values: &[Result<f64, Undefined>]) -> Measured {
    let defined: Vec<f64> = values.iter().copied().filter_map(Result::ok).collect();
    let reason = values.iter().find_map(|value| value.err());
    Measured {
        metric: metric.name.to_owned(),
        better: metric.better,
        band: Band::of(&defined),
        values: values.iter().copied().map(Result::ok).collect(),
        undefined: reason.map(|Undefined(reason)| reason.to_owned()),
    }
}

/// The mean loss of all training records for each model.
pub fn mean_losses(data: &Prepared, loss: Loss, models: &ArrayView2<'_, f64>) -> Vec<f64> {
    let mut sums = vec![0.0; models.nrows()];
    let mut records = 0;
    for party in &data.parties {
        let targets = party.y.to_vec();
        party.x.predictions(models.view(), |lane, predictions| {
            sums[lane] += figures::sum_of_losses(loss, predictions, &targets);
        });
        records += targets.len();
    }
    sums.into_iter().map(|sum| sum / records as f64).collect()
}

/// What is minimised, from the mean loss.
pub fn objective(spec: &Spec, loss: f64, model: &ArrayView1<'_, f64>) -> f64 {
    loss + spec.config.objective.regulariser.value(&model.to_vec())
}

/// `X'X / N` over all training records.
fn gram(data: &Prepared) -> Array2<f64> {
    let records: usize = data.parties.iter().map(|party| party.y.len()).sum();
    let product = |x: &ndarray::CowArray<'_, f64, ndarray::Ix2>| x.t().dot(x);
    let sum = data.parties.iter().map(|party| product(&party.x.dense())).reduce(|sum, gram| sum + gram);
    sum.expect("a run has parties") / records as f64
}
