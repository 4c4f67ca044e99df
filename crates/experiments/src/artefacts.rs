//! The files of a result.

use std::path::Path;

use dido_mechanisms::Ledger;
use serde::Serialize;

use crate::error::ExperimentError;
use crate::model::Model;
use crate::planning::Planned;
use crate::records::{Plan, Score, Summary, Trace};
use crate::report::{
    self, ReportError,
    html::{Page, Party, Plot},
    plot::Picture,
};
use crate::results::{Unfinished, json};
use crate::rounds::Outcome;
use crate::spec::Spec;
use crate::topology::picture::Drawing;
use crate::trace::table;

mod ledger;

/// The ledger, and why it promises nothing, if it does not.
#[derive(Serialize)]
struct Noted<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
    #[serde(flatten)]
    ledger: &'a Ledger,
}

/// Writes all files of the result.
///
/// # Errors
/// If a picture cannot be drawn, or a file cannot be written.
pub fn write(
    spec: &Spec,
    planned: &Planned,
    unfinished: &Unfinished,
    outcome: &Outcome,
    summary: &mut Summary,
) -> Result<(), ExperimentError> {
    let model = Model::of(spec, planned, outcome, summary)?;
    let derived = derived(spec, &planned.plan, summary, &outcome.trace, &outcome.ledger)?;
    unfinished.write("spec.toml", spec.toml().as_bytes())?;
    let trace = table::columns(&outcome.trace);
    unfinished.write("trace.csv", table::csv(&trace).as_bytes())?;
    #[cfg(feature = "parquet")]
    unfinished.write("trace.parquet", &crate::trace::parquet::bytes(&trace)?)?;
    let noted = Noted { note: planned.plan.not_private(), ledger: &outcome.ledger };
    unfinished.write("ledger.json", json(&noted).as_bytes())?;
    unfinished.write("model.json", json(&model).as_bytes())?;
    for (name, contents) in &derived {
        unfinished.write(name, contents)?;
    }
    // Nothing is left to do: the time is what it takes.
    summary.timing = outcome.clock.read();
    unfinished.write("summary.json", json(summary).as_bytes())
}

/// The files that follow from the others, and their contents: pictures and page.
///
/// # Errors
/// If a picture cannot be drawn.
pub fn derived(
    spec: &Spec,
    plan: &Plan,
    summary: &Summary,
    trace: &Trace,
    ledger: &Ledger,
) -> Result<Vec<(String, Vec<u8>)>, ExperimentError> {
    let pictures = Pictures::of(spec, plan, summary, trace)?;
    let (captions, graph) = (captions(summary), pictures.graph.as_ref().map(Drawing::svg));
    let plots: Vec<Plot<'_>> =
        captions.iter().zip(&pictures.charts).map(|(caption, (_, chart))| Plot::new(caption, chart)).collect();
    let page = report::html::page(&Page {
        plan,
        summary,
        question: &question(spec),
        ledger: &ledger::rows(ledger),
        plots: &plots,
        graph: graph.as_deref(),
        parties: &parties(spec, summary, ledger),
        listing: &spec.listing(),
    });
    let mut files = vec![("report.html".to_owned(), page.into_bytes())];
    files.extend(
        plots.into_iter().zip(&pictures.charts).map(|(plot, (name, _))| (format!("{name}.svg"), plot.wide.into())),
    );
    files.extend(graph.map(|svg| ("graph.svg".to_owned(), svg.into())));
    #[cfg(feature = "png")]
    files.extend(pictures.pngs()?);
    Ok(files)
}

/// The pictures of a run, by the names of their files.
struct Pictures {
    charts: [(&'static str, Picture); 3],
    /// Who talks to whom, unless that is too much to see.
    graph: Option<Drawing>,
}

impl Pictures {
    fn of(spec: &Spec, plan: &Plan, summary: &Summary, trace: &Trace) -> Result<Self, ReportError> {
        let curve = trace.curve();
        let merit = match summary.metrics.private {
            Score::Regression { .. } => "held_out_r2",
            Score::Classes { .. } => "held_out_accuracy",
        };
        let distances = trace.bands("distance_to_optimum");
        let charts = [
            ("error", report::plot::error(&curve, &trace.bands(merit), plan, summary)?),
            ("distance", report::plot::distance(&curve, &distances, summary.bound.as_ref())?),
            ("epsilon", report::plot::spending(&curve, plan)?),
        ];
        let warn =
            |picture: Picture| if plan.not_private().is_some() { picture.warned("NON-PRIVATE") } else { picture };
        Ok(Self {
            charts: charts.map(|(name, picture)| (name, warn(picture))),
            graph: spec.topology.as_ref().and_then(Drawing::of),
        })
    }

    #[cfg(feature = "png")]
    fn pngs(&self) -> Result<Vec<(String, Vec<u8>)>, ReportError> {
        let chart = |(name, picture): &(&str, Picture)| Ok((format!("{name}.png"), picture.png()?));
        let mut files = self.charts.iter().map(chart).collect::<Result<Vec<_>, ReportError>>()?;
        if let Some(drawing) = &self.graph {
            files.push(("graph.png".to_owned(), report::plot::graph_png(drawing)?));
        }
        Ok(files)
    }
}

/// What the pictures of the trace show, in their order.
fn captions(summary: &Summary) -> [String; 3] {
    let (merit, _) = report::figures(summary.metrics.private);
    [
        format!(
            "{} of the mean of all parties' models on held-out records, round by round: not covered by the guarantee",
            report::capitalised(merit)
        ),
        "Distance to the optimum (not covered by the guarantee) and between the parties".to_owned(),
        "Epsilon spent".to_owned(),
    ]
}

/// What is predicted, and from which file.
fn question(spec: &Spec) -> String {
    let bare = |file: &str| Path::new(file).file_name().map_or(file.to_owned(), |name| name.to_string_lossy().into());
    let sources = match spec.config.data.files()[..] {
        [file] => format!("`{}`", bare(file)),
        ref files => format!("the files of {} parties", files.len()),
    };
    let target = spec.schema.target_column();
    format!("How well can `{target}` in {sources} be predicted from the other columns, without pooling the records?")
}

/// What every party contributed.
fn parties(spec: &Spec, summary: &Summary, ledger: &Ledger) -> Vec<Party> {
    let mut releases = vec![0; summary.nodes];
    for class in &ledger.classes {
        for &node in &class.nodes {
            if let Some(count) = releases.get_mut(node) {
                *count = class.releases();
            }
        }
    }
    let degree = |node: usize| spec.topology.as_ref().map_or(0, |topology| topology.graph.degree(node));
    let party =
        |(node, releases)| Party { records: summary.records.get(node).copied(), degree: degree(node), releases };
    releases.into_iter().enumerate().map(party).collect()
}
