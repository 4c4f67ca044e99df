//! The files of a result.

use std::path::Path;

use dido_mechanisms::{Entry, Event, Ledger, Sampling, Sensitivity};
use serde::Serialize;

use crate::error::ExperimentError;
use crate::model::Model;
use crate::planning::Planned;
use crate::records::{Plan, Score, Summary, Trace};
use crate::report::{
    self,
    html::{LedgerRow, Page, Party},
    significant,
};
use crate::results::{Unfinished, json};
use crate::rounds::Outcome;
use crate::spec::Spec;
use crate::topology::picture::Drawing;
use crate::trace::table;

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
    let curve = trace.curve();
    let merit = match summary.metrics.private {
        Score::Regression { .. } => "held_out_r2",
        Score::Classes { .. } => "held_out_accuracy",
    };
    let pictures = [
        ("error", report::plot::error(&curve, &trace.bands(merit), plan, summary)?),
        ("distance", report::plot::distance(&curve, &trace.bands("distance_to_optimum"), summary.bound.as_ref())?),
        ("epsilon", report::plot::spending(&curve, plan)?),
    ];
    let drawing = spec.topology.as_ref().and_then(Drawing::of);
    let graph = drawing.as_ref().map(Drawing::svg);
    let captions = captions(summary);
    let plots: Vec<(&str, String)> =
        captions.iter().map(String::as_str).zip(pictures.iter().map(|(_, picture)| picture.svg())).collect();
    let parties = parties(spec, summary, ledger);
    let (rows, listing, question) = (ledger_rows(ledger), spec.listing(), question(spec));
    let page = Page {
        plan,
        summary,
        question: &question,
        ledger: &rows,
        plots: &plots,
        graph: graph.as_deref(),
        parties: &parties,
        listing: &listing,
    };
    let mut files = vec![("report.html".to_owned(), report::html::page(&page).into_bytes())];
    files.extend(plots.into_iter().zip(&pictures).map(|((_, svg), (name, _))| (format!("{name}.svg"), svg.into())));
    files.extend(graph.map(|svg| ("graph.svg".to_owned(), svg.into())));
    #[cfg(feature = "png")]
    {
        for (name, picture) in &pictures {
            files.push((format!("{name}.png"), picture.png()?));
        }
        if let Some(drawing) = &drawing {
            files.push(("graph.png".to_owned(), report::plot::graph_png(drawing)?));
        }
    }
    Ok(files)
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

/// The ledger as the report shows it.
fn ledger_rows(ledger: &Ledger) -> Vec<LedgerRow> {
    let row = |nodes: &[usize], entry: &Entry| {
        let (mechanism, scale, sensitivity) = facts(entry.event);
        LedgerRow {
            nodes: nodes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
            rounds: (entry.first, entry.last),
            releases: entry.releases,
            mechanism,
            scale,
            sensitivity: sensitivity.map(|s| s.value),
            norm: sensitivity.map_or(String::new(), |s| format!("{:?}", s.norm)),
        }
    };
    ledger.classes.iter().flat_map(|class| class.entries.iter().map(move |entry| row(&class.nodes, entry))).collect()
}

/// A secret sample, in words.
fn sample(sampling: Sampling) -> String {
    match sampling {
        Sampling::OneOf { population } => format!("one of {population} records"),
        Sampling::WithoutReplacement { batch, population } => format!("{batch} of {population} records"),
        Sampling::Poisson { rate } => format!("records taken at a rate of {}", significant(rate)),
        Sampling::VisibleOneOf { activation, population } => {
            format!("one of {population} records, in a share of {} of the rounds", significant(activation))
        }
        Sampling::HiddenOneOf { activation, population } => {
            format!("one of {population} records, if a hidden coin of {} says so", significant(activation))
        }
    }
}

/// The mechanism of a release, its noise, and the sensitivity; of a sample, that of a record in it.
fn facts(event: Event) -> (String, Option<f64>, Option<Sensitivity>) {
    match event {
        Event::Laplace { sensitivity, scale, .. } => ("laplace".to_owned(), Some(scale), Some(sensitivity)),
        Event::Gaussian { sensitivity, sigma } => ("gaussian".to_owned(), Some(sigma), Some(sensitivity)),
        Event::DiscreteLaplace(noise) | Event::DiscreteGaussian(noise) => {
            let laplace = matches!(event, Event::DiscreteLaplace(_));
            let name = if laplace { "discrete-laplace" } else { "discrete-gaussian" };
            (name.to_owned(), Some(noise.scale as f64 * noise.grid.step()), Some(noise.in_units()))
        }
        Event::Sampled { sampling, base } => {
            let (mechanism, scale, sensitivity) = facts(base.into());
            (format!("{mechanism} on {}", sample(sampling)), scale, sensitivity)
        }
        Event::NonPrivate => ("none".to_owned(), None, None),
        other => (other.name().to_owned(), None, None),
    }
}
