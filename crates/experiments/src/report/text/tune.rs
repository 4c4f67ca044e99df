//! The candidates of `dido tune`.

use super::Page;
use crate::advice::{Kind, NOISE, START, STEP};
use crate::report::number::significant;
use crate::tune::{Candidate, Tuned};

/// The table of candidates, and how to run the best.
pub fn tuned(found: &Tuned) -> String {
    let kind = match found.kind {
        Kind::Bound => "bound",
        Kind::Estimate => "estimate",
    };
    let mut page = Page::titled(&format!("Tuning of {}", found.name));
    page.paragraph(&format!(
        "{} candidates of one budget, compared by a public number, so this costs no privacy: {} ({kind}). {}.",
        found.compared, found.quantity, found.basis
    ));
    page.heading("Candidates, the best first");
    let head = ["algorithm, rounds, step or weights", "predicted", "start", "steps", "noise"];
    let row = |mark: &str, candidate: &Candidate| {
        let name = format!("{mark}{}, {}, {}", candidate.algorithm, candidate.rounds, candidate.step);
        let prediction = &candidate.prediction;
        let terms = [START, STEP, NOISE].map(|term| significant(prediction.term(term)));
        [vec![name, significant(prediction.value)], terms.to_vec()].concat()
    };
    let mut rows = vec![row("as it is: ", &found.current)];
    rows.extend(found.candidates.iter().enumerate().map(|(k, other)| row(if k == 0 { "best: " } else { "" }, other)));
    page.table(&head, &rows);
    page.heading("To run the best");
    for set in found.candidates.first().map(|best| best.set.as_slice()).unwrap_or_default() {
        page.text += &format!("  --set \"{set}\"\n");
    }
    page.text
}
