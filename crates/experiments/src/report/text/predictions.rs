//! What is said of predictions beside them.

use crate::predict::{Predictions, Values};
use crate::report::number::{count, significant};

/// How many records there are, what was moved into its range, and the scores.
pub fn predictions(found: &Predictions) -> String {
    let records = match &found.values {
        Values::Numbers { predictions } => predictions.len(),
        Values::Classes { predictions, .. } => predictions.len(),
    };
    let records = count(records as u64, "record", "records");
    let mut lines =
        vec![format!("{records}: `{}` by {} ({}), lane {}", found.target, found.name, found.digest, found.lane)];
    for moved in found.moved.iter().filter(|moved| moved.count > 0) {
        let values = count(moved.count as u64, "value", "values");
        lines.push(format!("{values} of `{}` moved into the declared range", moved.column));
    }
    for score in &found.scores {
        let value = match (&score.band, &score.undefined) {
            (Some(band), _) => significant(band.mean),
            (None, reason) => format!("undefined: {}", reason.as_deref().unwrap_or_default()),
        };
        lines.push(format!("{}: {value}", score.metric));
    }
    if !found.scores.is_empty() {
        lines.push("These scores are computed from the records of the file: not private.".to_owned());
    }
    lines.join("\n")
}
