//! What a file may decide on the number of rounds and on the accounting of a budget, in words.

use crate::records::{Plan, PlannedBudget, Summary};

/// The budget whose accounting is marked in a list of all; an accountant of the file's choice has a line of its own.
pub(super) fn marked(plan: &Plan) -> Option<PlannedBudget> {
    plan.budget.filter(|_| plan.accountant.is_none())
}

/// What a stopping rule means for the guarantee.
pub(super) fn stopped(summary: &Summary) -> Option<String> {
    let (run, planned) = (summary.rounds, summary.planned_rounds);
    (run < planned).then(|| {
        format!(
        "The stopping rule ended the run after {run} of {planned} planned rounds. When it does depends on the noise, so epsilon is \
         that of all planned rounds; ledger.json says what was released."
    )})
}

/// The planned rounds, and what may make them fewer.
pub(super) fn rounds(plan: &Plan) -> String {
    let asked =
        plan.rounds_asked.map_or_else(String::new, |asked| format!(", the most of {asked} that the budget pays for"));
    let stop = plan.stop.as_ref().map_or_else(String::new, |rule| format!(", fewer if {rule} holds"));
    format!("{}{asked}{stop}, then {} of plain averaging (no cost)", plan.rounds, plan.averaging_rounds)
}
