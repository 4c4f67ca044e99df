//! The curve of a sweep.

use super::canvas::{Chart, Line, Pen, Picture, Scale};
use super::decades;
use super::range::{Axis, bounds, scores};
use crate::report::{ReportError, number::score};
use crate::sweep::{Row, SweepSummary, plain};

/// More lines than there are pens cannot be told apart.
const PENS: [Pen; 5] = [Pen::BOLD, Pen::DASH_DOT, Pen::SHORT, Pen::DASHED, Pen::DOTTED];

/// R^2 or accuracy against the first swept key with two numbers or more, one line for each setting of the others; nothing if
/// there is no such key, or more settings than can be told apart.
///
/// # Errors
/// If a score is not finite.
pub(crate) fn swept(summary: &SweepSummary) -> Result<Option<Picture>, ReportError> {
    let number = |row: &Row, key: &String| {
        let value = row.values.get(key)?;
        value.as_float().or_else(|| value.to_string().parse().ok()).filter(|value: &f64| value.is_finite())
    };
    let done: Vec<&Row> = summary.cells.iter().filter(|row| row.result.is_some()).collect();
    let several = |key: &&String| {
        let mut values: Vec<f64> = done.iter().filter_map(|row| number(row, key)).collect();
        let all = values.len() == done.len();
        values.sort_by(f64::total_cmp);
        values.dedup();
        all && values.len() > 1
    };
    let Some(key) = summary.keys.iter().find(several) else { return Ok(None) };
    let mut groups: Vec<(String, Vec<(f64, f64)>)> = vec![];
    for row in &done {
        let (Some(x), Some(found)) = (number(row, key), &row.result) else { continue };
        if !found.merit.is_finite() {
            return Err(ReportError::NotFinite { round: 0, field: "merit", value: found.merit });
        }
        let setting = others(row, key);
        match groups.iter_mut().find(|(known, _)| *known == setting) {
            Some((_, points)) => points.push((x, found.merit)),
            None => groups.push((setting, vec![(x, found.merit)])),
        }
    }
    Ok((groups.len() <= PENS.len()).then(|| Picture(chart(key, &done, groups))))
}

/// What a cell sets beside `key`.
fn others(row: &Row, key: &str) -> String {
    let set = row.values.iter().filter(|(path, _)| *path != key);
    set.map(|(path, value)| format!("{}={}", path.rsplit('.').next().unwrap_or(path), plain(value)))
        .collect::<Vec<_>>()
        .join(", ")
}

fn chart(key: &str, done: &[&Row], groups: Vec<(String, Vec<(f64, f64)>)>) -> Chart {
    let all = || groups.iter().flat_map(|(_, points)| points);
    let xs: Vec<f64> = all().map(|point| point.0).collect();
    let merits: Vec<f64> = all().map(|point| point.1).collect();
    let (low, high) = bounds(&xs);
    // Budgets are chosen by factors, not by steps.
    let logarithmic = low > 0.0 && high / low >= 8.0;
    let (x, x_scale) = if logarithmic {
        (decades(low.log10(), high.log10()), Scale::Decades)
    } else {
        (Axis::covering(low, high), Scale::Linear)
    };
    let is_r2 = done.first().and_then(|row| row.result.as_ref()).is_some_and(|found| found.measure[0] == "r2");
    let line = |((setting, mut points), pen): ((String, Vec<(f64, f64)>), Pen)| {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let last = points.last().map_or(0.0, |point| point.1);
        let named = if setting.is_empty() { "merit".to_owned() } else { setting };
        if logarithmic {
            points.iter_mut().for_each(|point| point.0 = point.0.log10());
        }
        Line { pen, label: format!("{named}: {} at the end", score(last)), points }
    };
    let lines: Vec<Line> = groups.into_iter().zip(PENS).map(line).collect();
    let values: Vec<&str> = lines.iter().map(|line| line.label.as_str()).collect();
    Chart {
        id: "dido-swept",
        title: "What the swept key changes",
        note: "higher is better; the mean over lanes".to_owned(),
        description: format!("Lines over {key}. {}.", values.join("; ")),
        x_label: key.to_owned(),
        x_scale,
        y_label: if is_r2 { "R\u{b2} on held-out records" } else { "Accuracy on held-out records" },
        x,
        y: scores(&merits, &merits),
        scale: Scale::Linear,
        lines,
        ribbon: None,
    }
}
