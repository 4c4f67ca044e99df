//! Sentences that the printed text and the page share, so that they cannot disagree.
//!
//! * `finding`: what came out; `promise`: what is guaranteed and what is not; `accountings`: epsilon;
//! * `update`: the algorithms; here: what the plan says of itself.

use super::number::{bound, count, schedule, significant};
use crate::records::{Plan, PlannedBudget, PlannedGraph};

mod accountings;
mod finding;
mod promise;
mod update;

pub(super) use accountings::accountings;
pub(crate) use finding::figures;
pub(super) use finding::{allowed, finding, held_out, lanes, objective, scored, uncertainty, units};
pub(super) use promise::{NOT_COVERED, plain_words};
pub(crate) use promise::{Promise, caveats, not_covered};
pub(super) use update::update;

/// Why the counts of a file are left out.
pub(super) const HIDDEN_COUNTS: &str = "the true counts are protected and not shown";

/// The same with a capital letter, for the beginning of a sentence.
pub(crate) fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The step sizes, or what takes their place.
pub(super) fn steps(plan: &Plan) -> String {
    plan.dual_weights.clone().unwrap_or_else(|| schedule(&plan.step))
}

/// What the step sizes are called, or what takes their place: that belongs to the algorithm.
pub(super) fn steps_name(plan: &Plan) -> String {
    if plan.dual_weights.is_some() { plan.algorithm.replace('-', " ") } else { "step size".to_owned() }
}

/// The heading of the epsilon that covers all lanes.
pub(super) fn all_lanes(lanes: usize) -> String {
    format!("Epsilon of all {lanes} lanes, which model.json holds: it covers them together")
}

/// What the model of a run is called: without noise it is not private.
pub(super) fn model(plan: &Plan) -> &'static str {
    if plan.not_private().is_some() { "model (no privacy)" } else { "private model" }
}

/// Where the rounds took place.
pub(super) const EXECUTION: &str = "a simulation: all parties ran in one process";

/// How often a node releases something.
pub(super) fn releases(plan: &Plan) -> String {
    format!(
        "{} per node in {}, by {}",
        count(plan.releases_per_node, "release", "releases"),
        count(u64::from(plan.rounds), "round", "rounds"),
        count(plan.nodes as u64, "party", "parties")
    )
}

/// Who talks to whom.
pub(super) fn graph(graph: &PlannedGraph) -> String {
    let options = if graph.options.is_empty() { String::new() } else { format!(" ({})", graph.options) };
    let family = if graph.family == "matrix" { "where the matrix is not 0" } else { &graph.family };
    format!("{family}{options}, {}", count(graph.edges as u64, "edge", "edges"))
}

/// How the weights change from round to round.
pub(super) fn sequence(graph: &PlannedGraph) -> String {
    graph.sequence.clone().unwrap_or_else(|| "the same weights in every round".to_owned())
}

/// How fast the nodes average.
pub(super) fn lambda(graph: &PlannedGraph) -> String {
    match (graph.lambda, graph.gap) {
        (Some(lambda), Some(gap)) => format!("{lambda:.6}, gap {}: {}", significant(gap), graph.lambda_in_words),
        _ => format!("not known: {}", graph.lambda_in_words),
    }
}

/// The sensitivity of a release.
pub(super) fn sensitivity(plan: &Plan) -> String {
    let s = &plan.sensitivity;
    match (s.value, s.l1) {
        (Some(value), Some(l1)) if s.norm != "L1" => {
            format!("{} in {} ({} in L1), the largest over rounds and nodes", bound(value), s.norm, bound(l1))
        }
        (Some(value), _) => format!("{} in {}, the largest over rounds and nodes", bound(value), s.norm),
        (None, _) if plan.noise_in_words.is_some() => "that of the objective, not of what is released".to_owned(),
        (None, _) => "no bound exists".to_owned(),
    }
}

/// The noise of the releases.
pub(super) fn noise(plan: &Plan) -> String {
    if plan.mechanism == "none" {
        return "none is added: the run is not private".to_owned();
    }
    if let Some(words) = &plan.noise_in_words {
        return format!("{}, scale: {}: {words}", plan.mechanism, schedule(&plan.noise));
    }
    let grid = plan.grid.map_or(String::new(), |grid| format!(" on the grid of step 2^{}", grid.exponent()));
    format!("{} on every coordinate{grid}, scale: {}", plan.mechanism, schedule(&plan.noise))
}

/// The total budget.
pub(super) fn budget(budget: Option<PlannedBudget>) -> String {
    budget.map_or_else(
        || "none: nothing is refused".to_owned(),
        |b| format!("epsilon {} at delta {}", significant(b.epsilon), significant(b.delta)),
    )
}

/// Text for HTML and SVG, also inside quoted attributes: names come from users' files. Characters that XML
/// forbids become U+FFFD.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            '\t' | '\n' | '\r' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped() {
        assert_eq!(escape("a<b> & \"c\" 'd'\u{7}"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;\u{fffd}");
    }
}
