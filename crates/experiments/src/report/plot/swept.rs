//! The curve of a sweep.

use super::canvas::{Chart, Line, Pen, Picture, Ribbon, Scale};
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

/// What a cell sets `key` to, if that is a number.
fn number(row: &Row, key: &str) -> Option<f64> {
    let value = row.values.get(key)?;
    value.as_float().or_else(|| value.to_string().parse().ok()).filter(|value: &f64| value.is_finite())
}

/// What a cell sets beside `key`.
fn others(row: &Row, key: &str) -> String {
    let set = row.values.iter().filter(|(path, _)| *path != key);
    set.map(|(path, value)| format!("{}={}", path.rsplit('.').next().unwrap_or(path), plain(value)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The key whose curve is the price of privacy.
const BUDGET: &str = "privacy.budget.epsilon";

fn chart(key: &str, done: &[&Row], groups: Vec<(String, Vec<(f64, f64)>)>) -> Chart {
    let all = || groups.iter().flat_map(|(_, points)| points);
    let xs: Vec<f64> = all().map(|point| point.0).collect();
    let merits: Vec<f64> = all().map(|point| point.1).collect();
    let (x, x_scale) = horizontal(&xs);
    let place = |value: f64| if x_scale == Scale::Decades { value.log10() } else { value };
    let measure = measure(done);
    let marked = groups.len();
    let beside = if marked == 1 { references(done, x) } else { vec![] };
    let ribbon = if marked == 1 { ribbon(key, done, place) } else { None };
    let line = |((setting, mut points), pen): ((String, Vec<(f64, f64)>), Pen)| {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ends = [points.first(), points.last()].map(|point| score(point.map_or(0.0, |point| point.1)));
        let named = if setting.is_empty() { format!("{measure} of the run") } else { setting };
        for point in &mut points {
            point.0 = place(point.0);
        }
        Line { pen, label: format!("{named}: from {} to {}", ends[0], ends[1]), points }
    };
    let lines: Vec<Line> = groups.into_iter().zip(PENS).map(line).chain(beside).collect();
    let values: Vec<&str> = lines.iter().map(|line| line.label.as_str()).collect();
    let anchors = [merits, lines[marked..].iter().map(|line| line.points[0].1).collect()].concat();
    let shaded: Vec<f64> =
        ribbon.iter().flat_map(|ribbon| &ribbon.points).flat_map(|&(_, low, high)| [low, high]).collect();
    Chart {
        id: "dido-swept",
        title: if key == BUDGET { "What privacy costs" } else { "What the swept key changes" },
        note: note(done, ribbon.is_some()),
        description: format!("Lines over {key}. {}.", values.join("; ")),
        x_label: if key == BUDGET { "epsilon of one lane".to_owned() } else { key.to_owned() },
        x_scale,
        y_label: if measure == "accuracy" { "Accuracy on held-out records" } else { "R\u{b2} on held-out records" },
        x,
        y: scores(&anchors, &[anchors.as_slice(), &shaded].concat()),
        scale: Scale::Linear,
        lines,
        marked,
        ribbon,
    }
}

/// The axis of these values: budgets are chosen by factors, not by steps.
fn horizontal(values: &[f64]) -> (Axis, Scale) {
    let (low, high) = bounds(values);
    if low > 0.0 && high / low >= 8.0 {
        (decades(low.log10(), high.log10()), Scale::Decades)
    } else {
        (Axis::covering(low, high), Scale::Linear)
    }
}

fn note(done: &[&Row], is_shaded: bool) -> String {
    let several = done.iter().any(|row| row.plan.as_ref().is_some_and(|plan| plan.lanes > 1));
    let lanes = if several { "the mean over lanes" } else { "one lane" };
    let shaded = if is_shaded { "; shaded: 5th to 95th percentile of the lanes" } else { "" };
    format!("higher is better; {lanes}{shaded}")
}

/// What is on the vertical axis.
fn measure(done: &[&Row]) -> &'static str {
    let is_r2 = done.first().and_then(|row| row.result.as_ref()).is_some_and(|found| found.measure[0] == "r2");
    if is_r2 { "R\u{b2}" } else { "accuracy" }
}

/// What all cells are compared with, where that is the same for all.
fn references(done: &[&Row], x: Axis) -> Vec<Line> {
    let mut all = done.iter().map(|row| row.result.as_ref().and_then(|found| found.beside));
    let Some(Some(first)) = all.next() else { return vec![] };
    if all.any(|other| other != Some(first)) {
        return vec![];
    }
    let line = |(pen, what, value): (Pen, &str, f64)| {
        let points = vec![(x.lower, value), (x.upper, value)];
        value.is_finite().then(|| Line { pen, label: format!("{what}: {}", score(value)), points })
    };
    [
        (Pen::DASHED, "optimum, no privacy", first.optimum),
        (Pen::DASH_DOT, "best party alone, no privacy", first.best_alone),
        (Pen::DOTTED, "constant prediction", first.constant),
    ]
    .into_iter()
    .filter_map(line)
    .collect()
}

/// Where most lanes of each cell lie; nothing if there is one lane.
fn ribbon(key: &str, done: &[&Row], place: impl Fn(f64) -> f64) -> Option<Ribbon> {
    let of = |row: &&Row| {
        let band = row.result.as_ref()?.band.filter(|band| band.lanes > 1)?;
        Some((place(number(row, key)?), band.q05, band.q95))
    };
    let mut points = done.iter().map(of).collect::<Option<Vec<_>>>()?;
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some(Ribbon { points })
}
