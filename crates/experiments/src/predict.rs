//! `dido predict`: a released model applied to a file.

use std::path::Path;

use dido_data::Options;
use dido_problems::table::Source;
use serde::Serialize;

use crate::config::TargetConfig;
use crate::error::ExperimentError;
use crate::metrics::catalogue::{self, Seen};
use crate::metrics::figures::{Undefined, class_of};
use crate::metrics::observer::measured;
use crate::model::Model;
use crate::records::{Clipped, Measured};

/// What a model says of the records of a file, in its order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Predictions {
    /// The model.
    pub name: String,
    /// The digest of its specification.
    pub digest: String,
    /// Which of its lanes.
    pub lane: usize,
    /// What is predicted.
    pub target: String,
    /// Values that were moved into their declared ranges, by column. Computed from the records of the file.
    pub moved: Vec<Clipped>,
    /// The predictions.
    #[serde(flatten)]
    pub values: Values,
    /// How good they are, if the file has the target. Computed from the records of the file.
    pub scores: Vec<Measured>,
}

/// Predicted values.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Values {
    /// Numbers, in the units of the target.
    Numbers {
        /// One for each record.
        predictions: Vec<f64>,
    },
    /// Classes.
    Classes {
        /// One for each record: the second level where the score is above 0, otherwise the first.
        predictions: Vec<String>,
        /// The linear predictor.
        linear: Vec<f64>,
    },
}

/// Predicts the target of every record of `file`, which is read with `options`, by the model of `lane`. Columns go by name; those
/// that the model does not know are ignored. The target may be missing. The features of an svmlight file are counted as in the
/// data of the run, whatever `options` say.
///
/// # Errors
/// If the model cannot be read or has no such lane; in one line with file, line and column, if a record is not what the model
/// declares.
pub fn predict(model: &Path, file: &Path, options: Options, lane: usize) -> Result<Predictions, ExperimentError> {
    let name = model.display().to_string();
    let model = Model::read(model)?;
    let coefficients = model.row(lane).ok_or_else(|| {
        ExperimentError::Usage(format!(
            "{name} has {} lanes, counted from 0: there is no lane {lane}",
            model.encoded.len()
        ))
    })?;
    let encoding = model.encoding(&name)?;
    let index_base = model.data.svmlight.map_or(options.index_base, |svmlight| svmlight.index_base);
    let source = Source::file(file).read_with(Options { index_base, ..options });
    let records = encoding.load_unlabelled(&source)?;
    let TargetConfig { center, scale, ref levels, .. } = model.data.target;
    let mut encoded = vec![];
    records.x.predictions(coefficients.view(), |_, predictions| encoded = predictions.to_vec());
    let scores = records.y.map_or(vec![], |y| {
        let targets = y.to_vec();
        let seen = Seen { loss: model.loss, unit: scale, predictions: &encoded, targets: &targets, training: None };
        scores(&seen)
    });
    let values = match levels {
        None => Values::Numbers { predictions: encoded.iter().map(|p| center + scale * p).collect() },
        Some([first, second]) => {
            let class = |p: &f64| if class_of(*p) > 0.0 { second.clone() } else { first.clone() };
            Values::Classes { predictions: encoded.iter().map(class).collect(), linear: encoded }
        }
    };
    let moved = records.clipped.into_iter().map(|(column, count)| Clipped { column, count }).collect();
    let target = encoding.target_column().to_owned();
    Ok(Predictions { name: model.name, digest: model.digest, lane, target, moved, values, scores })
}

/// The metrics that take predictions and targets alone.
fn scores(seen: &Seen<'_>) -> Vec<Measured> {
    let of = |metric: &'static catalogue::Metric| {
        let values: [Result<f64, Undefined>; 1] = [(metric.value)(seen)];
        metric.of_predictions().map(|name| Measured { metric: name.to_owned(), ..measured(metric, &values) })
    };
    catalogue::of(seen.loss).filter_map(of).collect()
}

impl Predictions {
    /// A table of a line for each record: `prediction`, and of classes the `score`, which is positive for the second one.
    pub fn csv(&self) -> String {
        match &self.values {
            Values::Numbers { predictions } => {
                let lines = predictions.iter().map(|p| format!("{p:?}\n"));
                ["prediction\n".to_owned()].into_iter().chain(lines).collect()
            }
            Values::Classes { predictions, linear } => {
                let lines =
                    predictions.iter().zip(linear).map(|(class, score)| format!("{},{score:?}\n", quoted(class)));
                ["prediction,score\n".to_owned()].into_iter().chain(lines).collect()
            }
        }
    }
}

/// A cell of a table: in quotes, if it would be read as something else.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}
