//! What is promised, in plain words and in numbers, and what is not.

use super::markup::facts;
use crate::records::{Epsilons, Plan, PlannedBudget, Summary};
use crate::report::number::{bound, significant};
use crate::report::planned::marked;
use crate::report::wording::{
    NOT_COVERED, Promise, accountings, all_lanes, budget, caveats, escape, noise, plain_words, releases, sensitivity,
};

pub(super) fn section(plan: &Plan, summary: &Summary) -> String {
    let mut out = "<section>\n<h2>Privacy statement</h2>\n<h3>In plain words</h3>\n".to_owned();
    for paragraph in plain_words(plan, summary) {
        out += &format!("<p>{}</p>\n", escape(&paragraph));
    }
    out += &numbers(plan, summary);
    out += if plan.not_private().is_some() {
        "<h3>There is no guarantee</h3>\n"
    } else {
        "<h3>What the guarantee covers</h3>\n<p>Every release of every node, and whatever is computed from the \
         releases alone: the private model and its coefficients, the consensus error, this statement and the \
         ledger.</p>\n"
    };
    for caveat in caveats(summary, plan) {
        out += &format!("<p>{}</p>\n", escape(&caveat));
    }
    let limits: String = NOT_COVERED.map(|(what, why)| format!("<li>{what}: {why}.</li>\n")).concat();
    out + &format!(
        "<div class=\"limits\">\n<h3>Not covered by the guarantee</h3>\n<ul>\n{limits}</ul>\n</div>\n</section>\n"
    )
}

/// What the guarantee depends on, and epsilon by every accounting.
fn numbers(plan: &Plan, summary: &Summary) -> String {
    let mut out = "<h3>In numbers</h3>\n".to_owned();
    out += &facts(&[
        ("Released", plan.released.clone()),
        ("How often", releases(plan)),
        ("To whom", plan.recipients.clone()),
        ("Adjacency", format!("{}: {}", summary.adjacency, plan.adjacency_in_words)),
        ("Assignment", plan.assignment.clone()),
        ("Adversary", format!("{}: {}", summary.adversary, plan.adversary_in_words)),
        ("Sensitivity", format!("{}. Derivation: {}", sensitivity(plan), plan.sensitivity.derivation)),
        ("Noise", noise(plan)),
        ("Budget", budget(plan.budget)),
        ("Accountant", accountant(plan, summary)),
    ]);
    out += &epsilons(
        &format!("{}Epsilon of one lane, from the ledger of all planned rounds", warning(plan)),
        &summary.epsilon,
        summary,
        marked(plan),
    );
    if summary.lanes > 1 {
        let caption = format!("{}{}", warning(plan), all_lanes(summary.lanes));
        out += &epsilons(&caption, &summary.epsilon_all_lanes, summary, None);
    }
    out
}

/// Before figures that are no guarantee: they would be one if the bounds had been public.
fn warning(plan: &Plan) -> &'static str {
    if plan.not_private().is_some() { "NON-PRIVATE, these figures are no guarantee. " } else { "" }
}

/// Who adds up the releases, and to what.
fn accountant(plan: &Plan, summary: &Summary) -> String {
    let lanes = if summary.lanes > 1 { format!(" for all {} lanes together", summary.lanes) } else { String::new() };
    let chosen = plan.accountant.as_ref().map_or_else(String::new, |chosen| {
        format!("; the budget is compared with the epsilon of {chosen}, as the file asks")
    });
    match Promise::of_all_lanes(plan, summary) {
        Some(Promise { epsilon, delta, accountant }) => {
            let (epsilon, delta) = (bound(epsilon), significant(delta));
            format!("{accountant}: epsilon {epsilon} at delta {delta}{lanes}{chosen}")
        }
        None => "none has a guarantee: NON-PRIVATE".to_owned(),
    }
}

fn epsilons(caption: &str, epsilon: &Epsilons, summary: &Summary, budget: Option<PlannedBudget>) -> String {
    let rows: String = accountings(epsilon, summary.delta, budget)
        .iter()
        .map(|a| {
            let (class, mark) =
                if a.budgeted { (" class=\"budgeted\"", "; the budget is kept by this one") } else { ("", "") };
            format!(
                "<tr{class}><th scope=\"row\">{}</th><td class=\"number\">{}</td><td>{}{mark}</td></tr>\n",
                escape(&a.name),
                escape(&a.value),
                escape(&a.meaning)
            )
        })
        .collect();
    format!(
        "<div class=\"scroll\"><table>\n<caption>{}</caption>\n<thead><tr><th scope=\"col\">Accounting</th>\
         <th scope=\"col\" class=\"number\">Epsilon</th><th scope=\"col\">What it is</th></tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table></div>\n",
        escape(caption)
    )
}
