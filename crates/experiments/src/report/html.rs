//! The report as one page of HTML that opens from disk: style and pictures inside, nothing fetched, no script.
//!
//! The markup is also well-formed XML. All text is escaped; the pictures are taken as they are and must come from
//! [`plot`](super::plot).

use super::planned::rounds;
use super::plot::Picture;
use super::{
    number::{bound, count, score, significant},
    wording::{
        EXECUTION, HIDDEN_COUNTS, allowed, capitalised, escape, figures, finding, graph, held_out, lambda, lanes,
        model, objective, scored, sequence, steps, steps_name, uncertainty, units, update,
    },
};
use crate::config::Seed;
use crate::records::{Plan, Summary};

mod guide;
mod markup;
mod parties;
mod statement;
mod sweep;

use markup::{facts, figure, folded, list, table};
pub use sweep::sweep;

/// Beyond this many rows the ledger is folded.
const LONG_LEDGER: usize = 12;

/// So many rows of it are shown: a row for each round may be thousands.
const MOST_LEDGER: usize = 300;

/// Beyond this many rows the table of coefficients is folded.
const MANY_COEFFICIENTS: usize = 30;

/// A run of equal releases in the ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerRow {
    /// Whose releases: `all`, or a list of nodes.
    pub nodes: String,
    /// First and last round, from 0.
    pub rounds: (u32, u32),
    /// Releases of each of these nodes in these rounds.
    pub releases: u64,
    /// The mechanism, as the ledger names it.
    pub mechanism: String,
    /// Scale of its noise; none if there is no noise.
    pub scale: Option<f64>,
    /// Sensitivity of the released value; none if it has no bound.
    pub sensitivity: Option<f64>,
    /// Norm of the sensitivity, `L1` or `L2`.
    pub norm: String,
}

/// A picture of [`plot`](super::plot) in the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot<'a> {
    /// What it shows.
    pub caption: &'a str,
    /// As SVG.
    pub wide: String,
    /// As SVG for a narrow screen.
    pub narrow: String,
}

impl<'a> Plot<'a> {
    /// Both sizes of a picture.
    pub fn new(caption: &'a str, picture: &Picture) -> Self {
        Self { caption, wide: picture.svg(), narrow: picture.narrow_svg() }
    }
}

/// What a party contributed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Party {
    /// Its training records, as declared.
    pub records: Option<usize>,
    /// Its neighbours on the graph.
    pub degree: usize,
    /// Its releases in each lane.
    pub releases: u64,
}

/// All that a page shows.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The result. Its folder and its times are not shown: the page is the same wherever and whenever it is made.
    pub summary: &'a Summary,
    /// What was asked of which data, in a sentence.
    pub question: &'a str,
    /// The ledger.
    pub ledger: &'a [LedgerRow],
    /// The pictures; the first one illustrates the finding.
    pub plots: &'a [Plot<'a>],
    /// The graph as SVG, if it can be drawn.
    pub graph: Option<&'a str>,
    /// The parties in order.
    pub parties: &'a [Party],
    /// The specification as TOML.
    pub listing: &'a str,
}

/// The page of a run.
pub fn page(page: &Page<'_>) -> String {
    let Page { plan, summary, question, ledger, plots, graph, parties, listing } = *page;
    let name = escape(&summary.name);
    let sections = [
        computed(plan, summary, question),
        result(plan, summary, plots),
        statement::section(plan, summary),
        convergence(summary, plots),
        models(plan, summary),
        parties::section(plan, summary, parties, graph),
        set_up(plan, summary),
        ledger_table(ledger),
        guide::rerun(summary, listing),
        guide::files(summary, graph.is_some()),
        guide::reading(plan),
    ]
    .concat();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{name}: a {private}decentralised run{warned}</title>\n<style>\n{style}</style>\n</head>\n<body>\n\
         <header><h1>{name}</h1>\n<p class=\"quiet\">{who}; specification <code>{digest}</code></p>{warning}</header>\n\
         <main>\n{sections}</main>\n</body>\n</html>\n",
        private = if plan.not_private().is_some() { "" } else { "private " },
        warned = if plan.not_private().is_some() { ", NON-PRIVATE" } else { "" },
        warning = plan
            .not_private()
            .map_or_else(String::new, |reason| format!("\n<p class=\"warning\">{}</p>", escape(reason))),
        style = include_str!("style.css"),
        who = escape(&format!(
            "{} with {} over {}",
            plan.algorithm,
            count(summary.nodes as u64, "party", "parties"),
            count(u64::from(summary.rounds), "round", "rounds")
        )),
        digest = escape(&summary.digest),
    )
}

/// What was asked, and how it was answered.
fn computed(plan: &Plan, summary: &Summary, question: &str) -> String {
    let who = count(summary.nodes as u64, "party", "parties");
    let mut rows = vec![
        ("Question", question.to_owned()),
        ("Parties", format!("{who}; graph: {}", graph(&summary.graph))),
        (
            "Objective",
            plan.objective.clone().unwrap_or_else(|| "mean squared error, on a bounded set of models".into()),
        ),
        ("Algorithm", plan.algorithm.clone()),
    ];
    if let Some(update) = update(&plan.algorithm) {
        rows.push(("One round", update.to_owned()));
    }
    rows.push(("Rounds", format!("{} of {} planned", summary.rounds, summary.planned_rounds)));
    format!("<section>\n<h2>What was computed</h2>\n{}</section>\n", facts(&rows))
}

fn result(plan: &Plan, summary: &Summary, plots: &[Plot<'_>]) -> String {
    let first = plots.first().map_or_else(String::new, figure);
    let m = &summary.metrics;
    let (merit, error) = figures(m.private);
    let (merit, error) = (capitalised(merit), capitalised(error));
    let scores = [
        (model(plan), m.private),
        ("optimum, no privacy", m.optimum),
        ("best party alone, no privacy", m.best_alone),
        ("median party alone, no privacy", m.median_alone),
        ("constant prediction", m.constant),
    ]
    .map(|(who, s)| vec![who.to_owned(), score(s.merit()), significant(s.error())]);
    let mut out = format!(
        "<section>\n<h2>Result</h2>\n<p class=\"finding\">{}</p>\n<p>{}</p>\n{}{}",
        escape(&finding(summary, plan)),
        escape(&uncertainty(summary)),
        first,
        table(
            &format!(
                "Scores on {}, {}. {} Not covered by the guarantee.",
                held_out(summary),
                units(m.private),
                scored(plan)
            ),
            &["Model", &merit, &error],
            &scores,
        )
    );
    if let Some(more) = objective(summary, plan) {
        out += &format!("<p>{}</p>\n", escape(&more));
    }
    if summary.lanes > 1 {
        out += &spread(plan, summary, [&merit, &error]);
    }
    out + "</section>\n"
}

/// The scores of all lanes.
fn spread(plan: &Plan, summary: &Summary, [merit, error]: [&str; 2]) -> String {
    let [low, high] = lanes(&summary.lane_scores);
    let rows = [("Mean", summary.metrics.private), ("Lowest", low), ("Highest", high)]
        .map(|(which, s)| vec![which.to_owned(), score(s.merit()), significant(s.error())]);
    let caption = format!(
        "The {} over {} lanes (repetitions with fresh noise on the same data), each figure by itself. Not covered by the guarantee.",
        model(plan),
        summary.lanes
    );
    table(&caption, &["Lane", merit, error], &rows)
}

/// How the rounds went: the pictures that do not illustrate the finding, and what a theorem allows.
fn convergence(summary: &Summary, plots: &[Plot<'_>]) -> String {
    let allowed = allowed(summary).map_or_else(String::new, |words| format!("<p>{}</p>\n", escape(&words)));
    let pictures: String = plots.iter().skip(1).map(figure).collect();
    format!(
        "<section>\n<h2>Convergence</h2>\n{allowed}<p>Largest distance of a party's model from the mean of all models after the \
         last round (consensus error): {}.</p>\n{pictures}</section>\n",
        significant(summary.consensus_error)
    )
}

fn models(plan: &Plan, summary: &Summary) -> String {
    let rows: Vec<_> = summary
        .coefficients
        .iter()
        .map(|c| vec![c.name.clone(), significant(c.private), significant(c.optimum)])
        .collect();
    let caption =
        "Coefficients in original units. The optimum is computed without privacy and not covered by the guarantee.";
    let private = if plan.not_private().is_some() { "Model" } else { "Private" };
    let table = table(caption, &["Coefficient", private, "Optimum"], &rows);
    let table = folded(rows.len(), MANY_COEFFICIENTS, "coefficients", table);
    format!("<section>\n<h2>Models</h2>\n{table}</section>\n")
}

fn set_up(plan: &Plan, summary: &Summary) -> String {
    let mut records = summary.records.clone();
    records.sort_unstable();
    let spread = match (records.first(), records.get(records.len() / 2), records.last()) {
        (Some(min), Some(median), Some(max)) => {
            format!("; per party at least {min}, median {median}, at most {max}")
        }
        _ => String::new(),
    };
    let training = if summary.held_out.is_some() { "Training records" } else { "Declared training records" };
    let seed = match summary.seeds.noise {
        Seed::Os => "a key of the operating system, not stored".to_owned(),
        Seed::Number(seed) => seed.to_string(),
    };
    let mut out = "<section>\n<h2>Set-up</h2>\n".to_owned();
    out += &facts(&[
        ("Execution", EXECUTION.to_owned()),
        ("Algorithm", plan.algorithm.clone()),
        ("Parties", summary.nodes.to_string()),
        ("Graph", graph(&summary.graph)),
        ("Weights", summary.graph.weights.clone()),
        ("Sequence", sequence(&summary.graph)),
        ("Lambda", lambda(&summary.graph)),
        (training, format!("{}{spread}", records.iter().sum::<usize>())),
        ("Held-out records", summary.held_out.map_or_else(|| HIDDEN_COUNTS.to_owned(), |count| count.to_string())),
        ("Rounds", rounds(plan)),
        (&capitalised(&steps_name(plan)), steps(plan)),
        ("Lanes", summary.lanes.to_string()),
        ("Seed of the noise", seed),
        ("Digest of the specification", summary.digest.clone()),
    ]);
    let clipped: Vec<_> =
        summary.clipped.iter().filter(|c| c.count > 0).map(|c| vec![c.column.clone(), c.count.to_string()]).collect();
    if !clipped.is_empty() {
        let caption = "Values moved to their public bounds. Local, not private: not covered by the guarantee.";
        out += &table(caption, &["Column", "Values"], &clipped);
    }
    out += &list("Warnings", &plan.warnings);
    out += &list("Remarks", &plan.remarks);
    out + "</section>\n"
}

fn ledger_table(ledger: &[LedgerRow]) -> String {
    let rows: Vec<_> = ledger
        .iter()
        .take(MOST_LEDGER)
        .map(|row| {
            vec![
                row.nodes.clone(),
                if row.rounds.0 == row.rounds.1 {
                    row.rounds.0.to_string()
                } else {
                    format!("{} to {}", row.rounds.0, row.rounds.1)
                },
                row.releases.to_string(),
                row.mechanism.clone(),
                match row.scale {
                    Some(scale) => significant(scale),
                    None if row.mechanism == "none" => "none".to_owned(),
                    None => "not of the release".to_owned(),
                },
                match row.sensitivity {
                    Some(s) => format!("{} ({})", bound(s), row.norm),
                    None if row.mechanism == "none" => "no bound".to_owned(),
                    None => "not of the release".to_owned(),
                },
            ]
        })
        .collect();
    let head = ["Nodes", "Rounds", "Releases", "Mechanism", "Scale", "Sensitivity"];
    let caption = "Releases in order, equal ones together; counts are per node and lane.";
    let table = table(caption, &head, &rows);
    let body = if ledger.len() > LONG_LEDGER {
        format!("<details><summary>{}</summary>\n{table}</details>\n", folded_rows(ledger.len()))
    } else {
        table
    };
    format!("<section>\n<h2>Ledger</h2>\n{body}</section>\n")
}

/// What is folded, and where the rest is.
fn folded_rows(all: usize) -> String {
    if all > MOST_LEDGER {
        format!("The first {MOST_LEDGER} of {all} rows; ledger.json has all")
    } else {
        format!("{all} rows")
    }
}

#[cfg(test)]
mod tests;
