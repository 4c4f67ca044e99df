//! The parties and their graph.

use super::Party;
use super::markup::{folded, table};
use crate::records::{Plan, Summary};
use crate::report::{number::bound, wording::HIDDEN_COUNTS};

/// Beyond this many rows the table is folded.
const MANY_PARTIES: usize = 20;

/// The graph and a row for each party.
pub(super) fn section(plan: &Plan, summary: &Summary, parties: &[Party], graph: Option<&str>) -> String {
    let epsilon = summary.epsilon.least().filter(|_| plan.not_private().is_none());
    let epsilon = epsilon.map_or_else(|| "unbounded".to_owned(), bound);
    let rows: Vec<Vec<String>> = parties
        .iter()
        .enumerate()
        .map(|(node, party)| {
            let records = party.records.map_or_else(|| "-".to_owned(), |records| records.to_string());
            let silent = party.releases == 0 && plan.not_private().is_none();
            let epsilon = if silent { "0".to_owned() } else { epsilon.clone() };
            vec![node.to_string(), records, party.degree.to_string(), party.releases.to_string(), epsilon]
        })
        .collect();
    let counts =
        if summary.held_out.is_some() { String::new() } else { format!(" Records are declared: {HIDDEN_COUNTS}.") };
    let caption = format!(
        "Epsilon bounds what the releases of a party tell about one of its records, in one lane; it is that of the party \
         that loses most.{counts}"
    );
    let table = table(&caption, &["Party", "Training records", "Neighbours", "Releases", "Epsilon at most"], &rows);
    let table = folded(parties.len(), MANY_PARTIES, "parties", table);
    let picture = graph.map_or_else(String::new, |svg| {
        format!(
            "<figure class=\"graph\">\n<div class=\"picture\">{svg}</div><figcaption>Who talks to whom: dots are parties, \
             lines carry messages both ways.</figcaption>\n</figure>\n"
        )
    });
    format!("<section>\n<h2>Parties</h2>\n{picture}{table}</section>\n")
}
