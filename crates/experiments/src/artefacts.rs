//! The files of a result.

use dido_mechanisms::{Entry, Event, Ledger, Sampling, Sensitivity};
use serde::Serialize;

use crate::error::ExperimentError;
use crate::model::Model;
use crate::planning::Planned;
use crate::records::Summary;
use crate::report::{self, html::LedgerRow, significant};
use crate::results::{Unfinished, json};
use crate::rounds::Outcome;
use crate::spec::Spec;
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
    let curve = outcome.trace.curve();
    let picture = report::plot::error(&curve, &planned.plan, summary)?;
    let (merit, _) = report::figures(summary.metrics.private);
    let error = format!(
        "{} of the mean of all parties' models on held-out records, round by round: not covered by the guarantee",
        report::capitalised(merit)
    );
    let plots = [
        (error.as_str(), picture.clone()),
        (
            "Distance to the optimum (not covered by the guarantee) and between the parties",
            report::plot::distance(&curve, summary.bound.as_ref())?,
        ),
        ("Epsilon spent", report::plot::spending(&curve, &planned.plan)?),
    ];
    let page = report::html::page(&planned.plan, summary, &ledger_rows(&outcome.ledger), &plots);
    unfinished.write("spec.toml", &spec.toml())?;
    unfinished.write("trace.csv", &table::csv(&table::columns(&outcome.trace)))?;
    unfinished.write("ledger.json", &json(&Noted { note: planned.plan.not_private(), ledger: &outcome.ledger }))?;
    unfinished.write("model.json", &json(&model))?;
    unfinished.write("error.svg", &picture)?;
    unfinished.write("report.html", &page)?;
    // Nothing is left to do: the time is what it takes.
    summary.timing = outcome.clock.read();
    unfinished.write("summary.json", &json(summary))
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
