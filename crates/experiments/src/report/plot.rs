//! Pictures of a run as SVG and PNG: no files, no fonts, no colour that is needed to tell lines apart.
//!
//! Every picture is a pure function of its arguments: the same trace gives the same bytes.

mod canvas;
mod figure;
#[cfg(feature = "png")]
mod graph;
mod range;
mod size;
mod swept;

pub use canvas::Picture;
use canvas::{Chart, Line, Pen, Ribbon, Scale};
pub use figure::{Drawn, Figure, Quantity, Series};
#[cfg(feature = "png")]
pub(crate) use graph::png as graph_png;
use range::{Axis, bounds, scores};
pub(crate) use swept::swept;

use super::{
    ReportError,
    number::{bound, count, score, significant},
    wording::{figures, held_out, model},
};
use crate::records::{Band, Epsilons, ErrorBound, Plan, Score, Summary, TracePoint};

/// What the x axis of a run counts.
const ROUNDS: &str = "completed rounds";

/// R^2 or accuracy on held-out people against completed rounds: the mean of the parties' models, with the optimum, the best and the median
/// party alone and the constant as horizontal lines.
///
/// `bands` are those of the same figure over lanes; the ribbon goes from its 5th to its 95th percentile.
///
/// The axis shows what matters: values far from the references (a wild start) are cut, and the picture says so.
///
/// # Errors
/// If the trace is empty or a score is not finite.
pub fn error(
    trace: &[TracePoint],
    bands: &[(u32, Band)],
    plan: &Plan,
    summary: &Summary,
) -> Result<Picture, ReportError> {
    let points = observed(trace, "merit", |p| p.merit)?;
    let x = rounds(trace);
    let m = &summary.metrics;
    let (merit, _) = figures(m.private);
    let (last, lowest) = (points[points.len() - 1].1, bounds(&ys(&points)).0);
    let references = [
        (Pen::DASHED, "optimum, no privacy", m.optimum.merit()),
        (Pen::DASH_DOT, "best party alone, no privacy", m.best_alone.merit()),
        (Pen::SHORT, "median party alone, no privacy", m.median_alone.merit()),
        (Pen::DOTTED, "constant prediction", m.constant.merit()),
    ];
    for &(_, _, value) in &references {
        finite(trace[trace.len() - 1].round, "merit of a reference", value)?;
    }
    let mut anchors: Vec<f64> = references.iter().map(|r| r.2).collect();
    anchors.push(last);
    let y = scores(&anchors, &[anchors.as_slice(), &ys(&points)].concat());

    let private = match summary.lanes {
        0 | 1 => model(plan).to_owned(),
        n => format!("{}, mean of {n} lanes", model(plan)),
    };
    let label = |what: &str, value: f64| {
        let hidden = if y.shows(value) { "" } else { " (not in the picture)" };
        format!("{what}: {}{hidden}", score(value))
    };
    let mut lines = vec![Line { pen: Pen::BOLD, label: label(&private, last), points }];
    lines.extend(references.map(|(pen, what, value)| Line {
        pen,
        label: label(what, value),
        points: vec![(x.lower, value), (x.upper, value)],
    }));
    let cut = lines[0].points.iter().filter(|p| !y.shows(p.1)).count();
    let mut note = format!("higher is better; {}{}", held_out(summary), spread(bands));
    if cut > 0 {
        note += &format!(
            "; {cut} of {} lie outside the picture (lowest {merit} {})",
            count(trace.len() as u64, "observed round", "observed rounds"),
            significant(lowest)
        );
    }
    Ok(Picture(Chart {
        id: "dido-error",
        title: "How well the model predicts records it has not seen",
        description: describe(&lines, x, &note),
        note,
        x_label: ROUNDS.to_owned(),
        x_scale: Scale::Linear,
        y_label: match m.private {
            Score::Regression { .. } => "R\u{b2} on held-out records",
            Score::Classes { .. } => "Accuracy on held-out records",
        },
        x,
        y,
        scale: Scale::Linear,
        lines,
        marked: 0,
        ribbon: ribbon(bands, Some),
    }))
}

/// Epsilon by zCDP or Rényi divergences, or by what else covers the noise, at the plan's delta, spent after each observed
/// round; with the budget, if it is of that kind.
///
/// # Errors
/// If the trace is empty or an epsilon is not finite.
pub fn spending(trace: &[TracePoint], plan: &Plan) -> Result<Picture, ReportError> {
    let spent: Vec<TracePoint> = trace.iter().copied().filter(|p| p.epsilon.is_some()).collect();
    let Some(last) = trace.last() else {
        return Err(ReportError::EmptyTrace);
    };
    let points = if spent.is_empty() { Vec::new() } else { observed(&spent, "epsilon", |p| p.epsilon.unwrap_or(0.0))? };
    let x = rounds(trace);
    let label =
        last.epsilon.map_or_else(|| "infinite at the end: not private".to_owned(), |e| format!("spent: {}", bound(e)));
    let method = match &plan.epsilon {
        Epsilons { rdp: Some(_), .. } => "R\u{e9}nyi divergences",
        Epsilons { zcdp: None, best: Some(best), .. } => &best.method,
        _ => "zCDP",
    };
    let note = match trace.len() - spent.len() {
        0 => format!(
            "by {method} at delta = {}; of the mechanism, for one node and one lane{}",
            significant(plan.delta),
            // Every point would need a privacy loss distribution of its own.
            plan.epsilon.best.as_ref().filter(|_| exceeds(last, plan)).map_or(String::new(), |best| format!(
                "; the budget is kept by {}: {} in all",
                best.method,
                bound(best.epsilon)
            ))
        ),
        n => format!("infinite (not private) in {}", count(n as u64, "observed round", "observed rounds")),
    };
    let mut top = bounds(&ys(&points)).1.max(0.0);
    let mut lines = vec![Line { pen: Pen::BOLD, label, points }];
    if let Some(budget) = plan.budget.filter(|b| b.delta > 0.0) {
        top = top.max(budget.epsilon);
        let label = format!("budget: {} at delta = {}", significant(budget.epsilon), significant(budget.delta));
        let points = vec![(x.lower, budget.epsilon), (x.upper, budget.epsilon)];
        lines.push(Line { pen: Pen::DASHED, label, points });
    }
    let y = Axis::covering(0.0, if top > 0.0 { top } else { 1.0 });
    Ok(Picture(Chart {
        id: "dido-spending",
        title: "Privacy spent",
        description: describe(&lines, x, &note),
        note,
        x_label: ROUNDS.to_owned(),
        x_scale: Scale::Linear,
        y_label: "epsilon",
        x,
        y,
        scale: Scale::Linear,
        lines,
        marked: 0,
        ribbon: None,
    }))
}

/// Whether the curve ends above the budget, which a tighter accounting keeps then.
fn exceeds(last: &TracePoint, plan: &Plan) -> bool {
    plan.budget.is_some_and(|budget| last.epsilon.is_some_and(|epsilon| epsilon > budget.epsilon))
}

/// Distance of the mean estimate from the optimum (relative) and the consensus error (absolute) against completed
/// rounds, on a logarithmic axis; with what a theorem allows the first of them, where one applies. `bands` are those of
/// the distance to the optimum over lanes.
///
/// # Errors
/// If the trace is empty or a distance is not finite.
pub fn distance(
    trace: &[TracePoint],
    bands: &[(u32, Band)],
    allowed: Option<&ErrorBound>,
) -> Result<Picture, ReportError> {
    let mut series = vec![
        (Pen::BOLD, "to the optimum, relative", observed(trace, "distance", |p| p.distance)?),
        (Pen::DASH_DOT, "largest, party to mean", observed(trace, "consensus_error", |p| p.consensus_error)?),
    ];
    if let Some(allowed) = allowed {
        let points = allowed.points.iter().map(|&(t, value)| Ok((f64::from(t), finite(t, "bound", value)?)));
        series.push((Pen::DASHED, "bound on the first (knows the data)", points.collect::<Result<Vec<_>, _>>()?));
    }
    let x = rounds(trace);
    let mut zeros = 0;
    let lines = series.into_iter().map(|(pen, what, points)| {
        let label = format!("{what}: {}", significant(points[points.len() - 1].1));
        let all = points.len();
        let points: Vec<_> = points.into_iter().filter(|p| p.1 > 0.0).map(|(x, y)| (x, y.log10())).collect();
        zeros += all - points.len();
        Line { pen, label, points }
    });
    let lines: Vec<Line> = lines.collect();
    let (low, high) = bounds(&lines.iter().flat_map(|line| ys(&line.points)).collect::<Vec<_>>());
    let y = decades(low, high);
    let note = match zeros {
        0 => format!("logarithmic axis; lower is better{}", spread(bands)),
        n => format!(
            "logarithmic axis; lower is better{}; {} not shown",
            spread(bands),
            count(n as u64, "value of zero is", "values of zero are")
        ),
    };
    Ok(Picture(Chart {
        id: "dido-distance",
        title: "Distance of the models from the optimum and from each other",
        description: describe(&lines, x, &note),
        note,
        x_label: ROUNDS.to_owned(),
        x_scale: Scale::Linear,
        y_label: "distance",
        x,
        y,
        scale: Scale::Decades,
        lines,
        marked: 0,
        ribbon: ribbon(bands, |value| (value > 0.0).then(|| value.log10())),
    }))
}

/// The ribbon of bands over lanes, in the values of the axis; none for a single lane.
fn ribbon(bands: &[(u32, Band)], on_axis: impl Fn(f64) -> Option<f64>) -> Option<Ribbon> {
    let several = bands.iter().any(|(_, band)| band.lanes > 1);
    let of = |(round, band): &(u32, Band)| Some((f64::from(*round), on_axis(band.q05)?, on_axis(band.q95)?));
    several.then(|| Ribbon { points: bands.iter().filter_map(of).collect() })
}

/// What the ribbon is, for the note under the title.
fn spread(bands: &[(u32, Band)]) -> &'static str {
    if bands.iter().any(|(_, band)| band.lanes > 1) { "; shaded: 5th to 95th percentile of the lanes" } else { "" }
}

/// At least one whole decade, at most eight ticks.
fn decades(low: f64, high: f64) -> Axis {
    if low > high {
        return Axis { lower: -1.0, upper: 0.0, step: 1.0 };
    }
    let (lower, upper) = ((low + 1e-9).floor(), (high - 1e-9).ceil());
    let step = ((upper - lower) / 8.0).ceil().max(1.0);
    let intervals = ((upper - lower) / step).ceil().max(1.0);
    Axis { lower, upper: lower + step * intervals, step }
}

fn rounds(trace: &[TracePoint]) -> Axis {
    let last = f64::from(trace.iter().map(|p| p.round).max().unwrap_or(0).max(1));
    let axis = Axis::covering(0.0, last);
    // Fractions of a round do not exist. A line ends where the run ends; a lone mark needs room.
    Axis { lower: 0.0, upper: if trace.len() > 1 { last } else { axis.upper }, step: axis.step.max(1.0) }
}

fn observed(
    trace: &[TracePoint],
    field: &'static str,
    value: impl Fn(&TracePoint) -> f64,
) -> Result<Vec<(f64, f64)>, ReportError> {
    if trace.is_empty() {
        return Err(ReportError::EmptyTrace);
    }
    trace.iter().map(|p| Ok((f64::from(p.round), finite(p.round, field, value(p))?))).collect()
}

fn finite(round: u32, field: &'static str, value: f64) -> Result<f64, ReportError> {
    if value.is_finite() { Ok(value) } else { Err(ReportError::NotFinite { round, field, value }) }
}

fn ys(points: &[(f64, f64)]) -> Vec<f64> {
    points.iter().map(|p| p.1).collect()
}

fn describe(lines: &[Line], x: Axis, note: &str) -> String {
    let values: Vec<&str> = lines.iter().map(|line| line.label.as_str()).collect();
    format!("Lines over {} completed rounds. At the end: {}. Note: {note}.", x.upper, values.join("; "))
}

#[cfg(test)]
mod tests;
