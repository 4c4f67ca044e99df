//! The page of a sweep.

use super::{escape, significant, table};
use crate::report::text::{all_cells, least, measures};
use crate::sweep::{Row, SweepSummary};

/// A table of all cells.
pub fn sweep(summary: &SweepSummary) -> String {
    let name = escape(&summary.name);
    let [merit, error] = measures(&summary.cells);
    let head = ["Cell", "Epsilon", "All lanes", merit, error, "Consensus"];
    let rows: Vec<Vec<String>> = summary.cells.iter().filter_map(done).collect();
    let caption =
        "Epsilon is that of one lane. Scores are computed from held-out records: not covered by the guarantee.";
    let failed: Vec<Vec<String>> = summary.cells.iter().filter_map(failed).collect();
    let failed =
        if failed.is_empty() { String::new() } else { table("Cells that failed", &["Cell", "Reason"], &failed) };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{name}: a sweep</title>\n<style>\n{style}</style>\n</head>\n<body>\n\
         <header><h1>{name}</h1>\n<p class=\"quiet\">a sweep of {cells} cells; <code>{digest}</code></p></header>\n\
         <main>\n<section>\n<h2>Result</h2>\n<p class=\"finding\">{total}</p>\n{done}{failed}</section>\n</main>\n\
         </body>\n</html>\n",
        style = include_str!("../style.css"),
        cells = summary.cells.len(),
        digest = escape(&summary.digest),
        total = escape(&all_cells(&summary.epsilon_all_cells)),
        done = table(caption, &head, &rows),
    )
}

fn named(row: &Row) -> String {
    format!("{}: {}", row.cell, row.setting())
}

fn done(row: &Row) -> Option<Vec<String>> {
    let (plan, found) = (row.plan.as_ref()?, row.result.as_ref()?);
    let figures = [found.merit, found.error, found.consensus_error].map(significant);
    Some([vec![named(row), least(&plan.epsilon), least(&plan.epsilon_all_lanes)], figures.to_vec()].concat())
}

fn failed(row: &Row) -> Option<Vec<String>> {
    Some(vec![named(row), row.reason.clone()?])
}
