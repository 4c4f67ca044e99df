//! The table of a sweep, of its plan or of its results.

use super::Page;
use crate::records::Epsilons;
use crate::report::{bound, significant};
use crate::sweep::{Accounting, PlanFigures, Row, SweepPlan, SweepSummary, Total};

/// One line for each cell: what its plan costs, or why it is refused.
pub fn sweep_plan(name: &str, plan: &SweepPlan) -> String {
    let mut page = Page::titled(&format!("Plan of the sweep {name}: {} cells", plan.rows.len()));
    let rows: Vec<Vec<String>> = plan
        .rows
        .iter()
        .map(|row| match &row.plan {
            Some(plan) => vec![
                line(row),
                loss(plan, &plan.epsilon),
                loss(plan, &plan.epsilon_all_lanes),
                plan.rounds.to_string(),
                noise(plan),
            ],
            None => failure(row),
        })
        .collect();
    page.table(&["cell", "epsilon", "all lanes", "rounds", "noise"], &rows);
    page.warnings(&plan.rows);
    page.heading("Epsilon of all cells");
    page.paragraph(&all_cells(&plan.total));
    page.text
}

/// One line for each cell: what came out, or why it failed.
pub fn sweep(summary: &SweepSummary) -> String {
    let title = format!("Sweep {} ({}): {} cells", summary.name, summary.digest, summary.cells.len());
    let mut page = Page::titled(&title);
    let [merit, error] = measures(&summary.cells);
    let rows: Vec<Vec<String>> = summary
        .cells
        .iter()
        .map(|row| match (&row.plan, &row.result) {
            (Some(plan), Some(found)) => {
                let figures = [found.merit, found.error, found.consensus_error].map(significant);
                [vec![line(row), loss(plan, &plan.epsilon), loss(plan, &plan.epsilon_all_lanes)], figures.to_vec()]
                    .concat()
            }
            _ => failure(row),
        })
        .collect();
    page.heading("Scores are computed from held-out records: not covered by the guarantee");
    page.table(&["cell", "epsilon", "all lanes", merit, error, "consensus"], &rows);
    page.warnings(&summary.cells);
    page.heading("Epsilon of all cells");
    page.paragraph(&all_cells(&summary.epsilon_all_cells));
    page.text
}

impl Page {
    fn warnings(&mut self, rows: &[Row]) {
        let of = |row: &Row, plan: &PlanFigures| -> Vec<String> {
            plan.warnings.iter().map(|warning| format!("cell {}: {warning}", row.cell)).collect()
        };
        let all: Vec<String> = rows.iter().filter_map(|row| Some(of(row, row.plan.as_ref()?))).flatten().collect();
        self.list("Warnings", &all);
    }
}

/// What merit and error are, if that is the same in all cells.
pub(crate) fn measures(rows: &[Row]) -> [&'static str; 2] {
    let mut all = rows.iter().filter_map(|row| Some(row.result.as_ref()?.measure));
    all.next().filter(|&first| all.all(|other| other == first)).unwrap_or(["merit", "error"])
}

fn line(row: &Row) -> String {
    format!("{:>3}  {}", row.cell, row.setting())
}

fn failure(row: &Row) -> Vec<String> {
    vec![line(row), format!("  failed: {}", row.reason.as_deref().unwrap_or_default())]
}

/// The least epsilon, if it is a guarantee.
pub(crate) fn loss(plan: &PlanFigures, epsilon: &Epsilons) -> String {
    if plan.non_private {
        return "NON-PRIVATE".to_owned();
    }
    epsilon.least().map_or("unbounded".to_owned(), bound)
}

fn noise(plan: &PlanFigures) -> String {
    match plan.noise {
        Some(scale) => format!("{} {}", plan.mechanism, significant(scale)),
        None => plan.mechanism.clone(),
    }
}

/// What all cells together cost, in one line.
pub(crate) fn all_cells(total: &Total) -> String {
    let cells = |numbers: &[usize]| match numbers {
        [only] => format!("cell {only}"),
        [others @ .., last] => {
            let others: Vec<String> = others.iter().map(ToString::to_string).collect();
            format!("cells {} and {last}", others.join(", "))
        }
        [] => "no cell".to_owned(),
    };
    let found = match (&total.reason, total.delta) {
        (None, Some(delta)) => {
            let figure = |of: &Accounting| {
                let value = of.epsilon.map_or_else(|| of.reason.clone().unwrap_or_default(), bound);
                format!("{} {value}", of.accountant)
            };
            let (pure, others): (Vec<&Accounting>, Vec<_>) =
                total.epsilon.iter().partition(|of| of.accountant == "pure");
            let [pure, others] = [pure, others].map(|all| all.into_iter().map(figure).collect::<Vec<_>>().join(", "));
            format!("at delta 0 {pure}; at delta {} {others}", significant(delta))
        }
        (reason, _) => format!("none, since {}", reason.as_deref().unwrap_or("no cell succeeded")),
    };
    let counted = match total.cells.len() {
        0 => "all cells".to_owned(),
        1 => cells(&total.cells),
        count => format!("{count} cells"),
    };
    let mut text = format!("epsilon if {counted} are published, all computed from the same data: {found}.");
    if !total.without_noise.is_empty() {
        text += &format!(" Nothing bounds what {} without noise tell.", cells(&total.without_noise));
    }
    if total.shares_noise {
        text += " Cells with one seed share their noise, and this is for noise that each draws afresh, as with seed = \"os\".";
    }
    text
}
