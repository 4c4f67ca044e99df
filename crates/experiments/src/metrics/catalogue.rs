//! The metrics of a run. One function each, and a line of the table.

use dido_problems::Loss;

use super::figures::{self, Undefined};
use crate::records::Better;

/// What a metric looks at: the model of one lane, and what follows from it on the records.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The loss of a record.
    pub loss: Loss,
    /// One unit of the encoded target in units of the original one.
    pub unit: f64,
    /// Predictions for the held-out records.
    pub predictions: &'a [f64],
    /// Their encoded targets.
    pub targets: &'a [f64],
    /// What of the training records is known.
    pub training: Option<Training>,
}

/// What is known of a model beside its predictions for held-out records.
#[derive(Clone, Copy, Debug)]
pub struct Training {
    /// The mean loss of all training records.
    pub loss: f64,
    /// The objective minus that at the optimum.
    pub above: f64,
    /// The distance from the optimum.
    pub away: f64,
    /// The norm of the optimum.
    pub norm: f64,
    /// The largest distance of a party's model from the mean of all.
    pub disagreement: f64,
}

/// A metric.
pub struct Metric {
    /// Its name: that of its column of `trace.csv`.
    pub name: &'static str,
    /// Which values are good.
    pub better: Better,
    /// For which losses there is such a column.
    pub applies: fn(Loss) -> bool,
    /// Its value.
    pub value: fn(&Seen<'_>) -> Result<f64, Undefined>,
}

/// All metrics, in the order of their columns.
pub const METRICS: [Metric; 9] = [
    Metric { name: "suboptimality", better: Better::Lower, applies: always, value: suboptimality },
    Metric { name: "distance_to_optimum", better: Better::Lower, applies: always, value: distance_to_optimum },
    Metric { name: "consensus_error", better: Better::Lower, applies: always, value: consensus_error },
    Metric { name: "train_loss", better: Better::Lower, applies: always, value: train_loss },
    Metric { name: "held_out_loss", better: Better::Lower, applies: always, value: held_out_loss },
    Metric { name: "held_out_r2", better: Better::Higher, applies: of_numbers, value: held_out_r2 },
    Metric { name: "held_out_rmse", better: Better::Lower, applies: of_numbers, value: held_out_rmse },
    Metric { name: "held_out_accuracy", better: Better::Higher, applies: of_classes, value: held_out_accuracy },
    Metric { name: "held_out_auc", better: Better::Higher, applies: of_classes, value: held_out_auc },
];

/// What the names of metrics of held-out predictions begin with: these need no training records.
const HELD_OUT: &str = "held_out_";

impl Metric {
    /// The name without saying whose predictions these are; nothing if the metric takes more than predictions.
    pub fn of_predictions(&self) -> Option<&'static str> {
        self.name.strip_prefix(HELD_OUT)
    }
}

/// The metrics of a run with this loss.
pub fn of(loss: Loss) -> impl Iterator<Item = &'static Metric> {
    METRICS.iter().filter(move |metric| (metric.applies)(loss))
}

fn always(_: Loss) -> bool {
    true
}

fn of_classes(loss: Loss) -> bool {
    loss.is_classification()
}

fn of_numbers(loss: Loss) -> bool {
    !loss.is_classification()
}

impl Seen<'_> {
    fn training(&self) -> Result<Training, Undefined> {
        self.training.ok_or(Undefined("the training records are not at hand"))
    }
}

fn suboptimality(seen: &Seen<'_>) -> Result<f64, Undefined> {
    Ok(seen.training()?.above)
}

fn distance_to_optimum(seen: &Seen<'_>) -> Result<f64, Undefined> {
    let Training { away, norm, .. } = seen.training()?;
    if norm > 0.0 {
        Ok(super::finite_distance(away / norm))
    } else {
        Err(Undefined("the optimum is 0, and the distance is relative to its norm"))
    }
}

fn consensus_error(seen: &Seen<'_>) -> Result<f64, Undefined> {
    Ok(seen.training()?.disagreement)
}

fn train_loss(seen: &Seen<'_>) -> Result<f64, Undefined> {
    Ok(seen.training()?.loss)
}

fn held_out_loss(seen: &Seen<'_>) -> Result<f64, Undefined> {
    figures::mean_loss(seen.loss, seen.predictions, seen.targets)
}

fn held_out_r2(seen: &Seen<'_>) -> Result<f64, Undefined> {
    figures::r2(seen.predictions, seen.targets)
}

fn held_out_rmse(seen: &Seen<'_>) -> Result<f64, Undefined> {
    Ok(super::finite_distance(seen.unit * figures::rmse(seen.predictions, seen.targets)?))
}

fn held_out_accuracy(seen: &Seen<'_>) -> Result<f64, Undefined> {
    figures::accuracy(seen.predictions, seen.targets)
}

fn held_out_auc(seen: &Seen<'_>) -> Result<f64, Undefined> {
    figures::auc(seen.predictions, seen.targets)
}
