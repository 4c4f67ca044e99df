//! The table of a comparison.

use super::Page;
use crate::comparison::Comparison;
use crate::report::significant;

/// One row for each algorithm, and below what they release and what is said of them.
pub fn comparison(found: &Comparison) -> String {
    let [low, high] = found.epsilons.map(significant);
    let mut page = Page::titled(&format!("Comparison {}: epsilon {low} and {high}", found.name));
    page.paragraph(
        "Gaps of the objective are computed from records: not covered by a guarantee. The exponent is the k of 1/epsilon^k in what \
         noise adds to the gap.",
    );
    let gap = |epsilon: &str| format!("gap, {epsilon}");
    let head = ["", "no noise", &gap(&low), &gap(&high), "exponent", "stated"];
    let rows: Vec<Vec<String>> = found
        .rows
        .iter()
        .map(|row| {
            let exponent = row.exponent.map_or("-".to_owned(), |k| format!("{k:.2}"));
            let gaps = [row.gap_without_noise, row.gap[0], row.gap[1]].map(significant);
            let stated = row.stated_exponent.map_or("-".to_owned(), significant);
            [vec![row.name.clone()], gaps.to_vec(), vec![exponent, stated]].concat()
        })
        .collect();
    page.table(&head, &rows);
    for row in &found.rows {
        page.heading(&row.name);
        page.item("algorithm", &row.algorithm);
        page.item("released", &row.released);
        let [low, high] = row.noise.map(significant);
        page.item("noise", &format!("{}, the largest scale {low} and {high}", row.mechanism));
        page.item("rounds", &format!("{}, with {} messages along edges", row.rounds, row.messages));
        if let Some(order) = &row.order {
            page.item("stated", order);
        }
    }
    page.list("Remarks", &found.remarks);
    page.text
}
