//! Sparse files.

use std::collections::BTreeMap;

use dido_data::{Fault, Format, Sparse, Values};

use super::encoded::{self, Encoded};
use super::target::Target;
use super::{Inspection, NOT_PRIVATE, Question, Summary, summary, target};

/// What there is in sparse rows.
pub(super) fn inspect(rows: &Sparse, question: &Question) -> Result<Inspection, Fault> {
    if question.target.is_some() || !question.options.drop.is_empty() {
        let what = "the target of a LIBSVM file is its label, and its features have no names: no --target, no --drop";
        return Err(Fault::Option(what.to_owned()));
    }
    let labels = Values::Numbers(rows.labels.clone());
    let (coding, mut notes) = target::target(Some(&labels), question.task)?;
    let mut warnings = rows.notes.clone();
    let mut used: Vec<u32> = rows.indices.clone();
    used.sort_unstable();
    used.dedup();
    let unused = rows.features - used.len();
    if unused > 0 {
        warnings.push(format!("{unused} of {} features are 0 in every row", rows.features));
    }
    if question.options.features.is_none() {
        warnings.push(format!(
            "the number of features, {}, is that of the largest index; say it with --features if other files have more",
            rows.features
        ));
    }
    warnings.append(&mut notes);
    let (min, max) = summary::range(&rows.values);
    let entries = Summary {
        number: 1,
        name: "entries that are not 0".to_owned(),
        kind: "number".to_owned(),
        min,
        max,
        trues: None,
        levels: None,
    };
    Ok(Inspection {
        file: String::new(),
        privacy: NOT_PRIVATE,
        format: Format::Libsvm.to_string(),
        files: vec![],
        rows: rows.records(),
        columns: vec![],
        target: Some("label".to_owned()),
        n_features: rows.features,
        nnz: Some(rows.values.len()),
        summaries: vec![entries],
        classes: summary::classes(&labels),
        missing_by_column: BTreeMap::new(),
        dropped_rows: vec![],
        warnings,
        values: question.values.then(|| values(rows, coding)).transpose()?,
    })
}

fn values(rows: &Sparse, y: Target) -> Result<Encoded, Fault> {
    encoded::printable(rows.records(), rows.features)?;
    let row = |record| {
        let mut row = vec![0.0; rows.features];
        rows.row(record).for_each(|(k, value)| row[k] = value);
        row
    };
    Ok(Encoded { columns: vec![], x: (0..rows.records()).map(row).collect(), y: y.values()? })
}
