//! The page of a sweep.

use super::markup::{facts, figure, folded, list, table};
use super::{Plot, escape};
use crate::report::text::{all_cells, loss, measures};
use crate::report::wording::NOT_COVERED;
use crate::report::{ReportError, number::count, plot::swept, significant};
use crate::sweep::{PlanFigures, Row, SweepSummary};

/// Beyond this many rows the table of cells is folded.
const MANY_CELLS: usize = 60;

/// What all cells are, a curve where there is one, a table of the cells, and what they cost together.
///
/// # Errors
/// If the curve cannot be drawn.
pub fn sweep(summary: &SweepSummary) -> Result<String, ReportError> {
    let open = summary.cells.iter().filter(|row| row.plan.as_ref().is_some_and(|plan| plan.non_private)).count();
    let warning = if open > 0 {
        let words = "no epsilon is a guarantee where no noise was added or bounds were read off the data.";
        format!("\n<p class=\"warning\">NON-PRIVATE: {}; {words}</p>", count(open as u64, "cell", "cells"))
    } else {
        String::new()
    };
    let sections = [computed(summary), result(summary, open > 0)?, privacy(summary), warnings(summary), rerun(summary)];
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{name}: a sweep{warned}</title>\n<style>\n{style}</style>\n</head>\n<body>\n\
         <header><h1>{name}</h1>\n<p class=\"quiet\">a sweep of {cells}; <code>{digest}</code></p>{warning}</header>\n\
         <main>\n{sections}</main>\n</body>\n</html>\n",
        name = escape(&summary.name),
        warned = if open > 0 { ", NON-PRIVATE" } else { "" },
        style = include_str!("../style.css"),
        cells = count(summary.cells.len() as u64, "cell", "cells"),
        digest = escape(&summary.digest),
        sections = sections.concat(),
    ))
}

/// What the cells have in common, and in what they differ.
fn computed(summary: &SweepSummary) -> String {
    let all = |of: &dyn Fn(&PlanFigures) -> String| {
        let mut known: Vec<String> = vec![];
        for plan in summary.cells.iter().filter_map(|row| row.plan.as_ref()) {
            let value = of(plan);
            if !known.contains(&value) {
                known.push(value);
            }
        }
        let more = if known.len() > 8 { format!(" and {} more", known.len() - 8) } else { String::new() };
        known.truncate(8);
        known.join(", ") + &more
    };
    let done = summary.cells.iter().filter(|row| row.result.is_some()).count();
    let rows = [
        ("Swept keys", summary.keys.join(", ")),
        ("Cells", format!("{done} done, {} failed", summary.cells.len() - done)),
        ("Algorithm", all(&|plan| plan.algorithm.clone())),
        ("Rounds", all(&|plan| plan.rounds.to_string())),
        ("Lanes", all(&|plan| plan.lanes.to_string())),
        ("Noise", all(&|plan| plan.mechanism.clone())),
        ("Delta", all(&|plan| significant(plan.delta))),
    ];
    format!("<section>\n<h2>What was computed</h2>\n{}</section>\n", facts(&rows))
}

/// What the curve shows.
const CURVE: &str = "Merit against the first swept key that has numbers, the mean over lanes; one line for each setting of the \
    others. Computed from held-out records: not covered by the guarantee.";

fn result(summary: &SweepSummary, open: bool) -> Result<String, ReportError> {
    let picture =
        swept(summary)?.map(|picture| if open { picture.warned("NON-PRIVATE cells among these") } else { picture });
    let curve = picture.map_or_else(String::new, |picture| figure(&Plot::new(CURVE, &picture)));
    let [merit, error] = measures(&summary.cells).map(in_words);
    let head = ["Cell", "Epsilon", "All lanes", merit, "5 % to 95 %", error, "Consensus"];
    let rows: Vec<Vec<String>> = summary.cells.iter().filter_map(done).collect();
    let caption = "Epsilon is that of one lane. Scores are those of the party that fares worst, in the mean over lanes, with \
        percentiles of the lanes; they are computed from held-out records: not covered by the guarantee.";
    let failed: Vec<Vec<String>> = summary.cells.iter().filter_map(failed).collect();
    let failed =
        if failed.is_empty() { String::new() } else { table("Cells that failed", &["Cell", "Reason"], &failed) };
    let cells = folded(rows.len(), MANY_CELLS, "cells", table(caption, &head, &rows));
    Ok(format!("<section class=\"cells\">\n<h2>Result</h2>\n{curve}{cells}{failed}</section>\n"))
}

/// A measure as people write it.
fn in_words(measure: &'static str) -> &'static str {
    match measure {
        "r2" => "R\u{b2}",
        "rmse" => "RMSE",
        "accuracy" => "Accuracy",
        "loss" => "Mean loss",
        other => other,
    }
}

fn named(row: &Row) -> String {
    format!("{}: {}", row.cell, row.setting())
}

fn done(row: &Row) -> Option<Vec<String>> {
    let (plan, found) = (row.plan.as_ref()?, row.result.as_ref()?);
    let band = found.band.filter(|band| band.lanes > 1);
    let spread =
        band.map_or_else(|| "-".to_owned(), |band| format!("{} to {}", significant(band.q05), significant(band.q95)));
    let [merit, error, consensus] = [found.merit, found.error, found.consensus_error].map(significant);
    let [one, all] = [&plan.epsilon, &plan.epsilon_all_lanes].map(|epsilon| loss(plan, epsilon));
    Some(vec![named(row), one, all, merit, spread, error, consensus])
}

fn failed(row: &Row) -> Option<Vec<String>> {
    Some(vec![named(row), row.reason.clone()?])
}

/// What the cells cost, each and together.
fn privacy(summary: &SweepSummary) -> String {
    let limits: String = NOT_COVERED.map(|(what, why)| format!("<li>{what}: {why}.</li>\n")).concat();
    format!(
        "<section>\n<h2>Privacy statement</h2>\n<p>Each cell is a run of its own on the same data. Whoever sees one cell is faced \
         with its epsilon, whoever sees several with more: the releases add up.</p>\n<p class=\"finding\">{}</p>\n\
         <p>Adversary, adjacency, mechanism, sensitivity and number of releases stand in the report of each cell.</p>\n\
         <div class=\"limits\">\n<h3>Not covered by the guarantee</h3>\n<ul>\n{limits}<li>The choice of a cell by its score: it looks at \
         the held-out records.</li>\n</ul>\n</div>\n</section>\n",
        escape(&super::capitalised(&all_cells(&summary.epsilon_all_cells)))
    )
}

fn warnings(summary: &SweepSummary) -> String {
    let of = |row: &Row| -> Vec<String> {
        let plan = row.plan.iter().flat_map(|plan| &plan.warnings);
        plan.map(|warning| format!("Cell {}: {warning}", row.cell)).collect()
    };
    let all: Vec<String> = summary.cells.iter().flat_map(of).collect();
    if all.is_empty() { String::new() } else { format!("<section>\n{}</section>\n", list("Warnings", &all)) }
}

/// The commands, and where the report of each cell lies.
fn rerun(summary: &SweepSummary) -> String {
    let link = |row: &Row| {
        let digest = row.digest.as_ref().filter(|_| row.result.is_some())?;
        Some(format!("<a href=\"../{}/report.html\">{}</a>", escape(digest), row.cell))
    };
    let links: Vec<String> = summary.cells.iter().filter_map(link).collect();
    format!(
        "<section>\n<h2>How to rerun</h2>\n<p>In the folder of this page:</p>\n\
         <pre><code># what all cells release and cost; reads no data\n\
         dido plan sweep.toml\n\
         # all cells again, into the folder again\n\
         dido run sweep.toml --out again\n\
         # this page again, from cells.json\n\
         dido report .\n\
         # a table of the cells, with all keys in which they differ\n\
         dido compare .</code></pre>\n\
         <p>Reports of the cells, in the folders beside this one: {}.</p>\n\
         <p>cells.csv and cells.json have the numbers of this page.</p>\n</section>\n",
        if links.is_empty() { "none".to_owned() } else { links.join(", ") }
    )
}
