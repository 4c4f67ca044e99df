//! What is promised, in plain words and in numbers, and what is not.

use super::markup::facts;
use crate::records::{Epsilons, Plan, PlannedBudget, Summary};
use crate::report::planned::marked;
use crate::report::wording::{
    NOT_COVERED, accountings, all_lanes, budget, caveats, escape, noise, plain_words, releases, sensitivity,
};

pub(super) fn section(plan: &Plan, summary: &Summary) -> String {
    let mut out = "<section>\n<h2>Privacy statement</h2>\n<h3>In plain words</h3>\n".to_owned();
    for paragraph in plain_words(plan, summary) {
        out += &format!("<p>{}</p>\n", escape(&paragraph));
    }
    out += "<h3>In numbers</h3>\n";
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
    ]);
    out += &epsilons(
        "Epsilon of one lane, from the ledger of all planned rounds",
        &summary.epsilon,
        summary,
        marked(plan),
    );
    if summary.lanes > 1 {
        out += &epsilons(&all_lanes(summary.lanes), &summary.epsilon_all_lanes, summary, None);
    }
    out += if plan.mechanism == "none" {
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
