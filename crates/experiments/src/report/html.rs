//! The report as one page of HTML that opens from disk: style and pictures inside, nothing fetched, no script.
//!
//! The markup is also well-formed XML. All text is escaped; the pictures are taken as they are and must come from
//! [`plot`](super::plot).

use super::{
    number::{bound, count, score, significant},
    wording::{
        EXECUTION, HIDDEN_COUNTS, NOT_COVERED, accountings, all_lanes, allowed, budget, capitalised, caveats, escape,
        figures, finding, graph, held_out, lambda, lanes, model, noise, objective, releases, scored, sensitivity,
        sequence, steps, steps_name, units,
    },
};
use crate::config::Seed;
use crate::records::{Epsilons, Plan, PlannedBudget, Summary};

mod markup;
mod sweep;

use markup::{facts, list, table};
pub use sweep::sweep;

/// Beyond this many rows the ledger is folded.
const LONG_LEDGER: usize = 12;

/// A run of equal releases in the ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerRow {
    /// Whose releases: `all`, or a list of nodes.
    pub nodes: String,
    /// First and last round, from 0.
    pub rounds: (u32, u32),
    /// Releases of each of these nodes in these rounds.
    pub releases: u64,
    /// The mechanism, as the ledger names it.
    pub mechanism: String,
    /// Scale of its noise; none if there is no noise.
    pub scale: Option<f64>,
    /// Sensitivity of the released value; none if it has no bound.
    pub sensitivity: Option<f64>,
    /// Norm of the sensitivity, `L1` or `L2`.
    pub norm: String,
}

/// The page of a run.
///
/// `plots` are pairs of a caption and an SVG of [`plot`](super::plot); the first one illustrates the finding.
pub fn page(plan: &Plan, summary: &Summary, ledger: &[LedgerRow], plots: &[(&str, String)]) -> String {
    let name = escape(&summary.name);
    let sections = [
        result(plan, summary, plots),
        privacy(plan, summary),
        models(plan, summary),
        set_up(plan, summary),
        ledger_table(ledger),
        files(summary),
    ]
    .concat();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{name}: a {private}decentralised run</title>\n<style>\n{style}</style>\n</head>\n<body>\n\
         <header><h1>{name}</h1>\n<p class=\"quiet\">{who}; specification <code>{digest}</code></p></header>\n\
         <main>\n{sections}</main>\n</body>\n</html>\n",
        private = if plan.not_private().is_some() { "" } else { "private " },
        style = include_str!("style.css"),
        who = escape(&format!(
            "{} with {} over {}",
            plan.algorithm,
            count(summary.nodes as u64, "party", "parties"),
            count(u64::from(summary.rounds), "round", "rounds")
        )),
        digest = escape(&summary.digest),
    )
}

fn result(plan: &Plan, summary: &Summary, plots: &[(&str, String)]) -> String {
    let pictures: Vec<String> = plots
        .iter()
        .map(|(caption, svg)| format!("<figure>\n{svg}<figcaption>{}</figcaption>\n</figure>\n", escape(caption)))
        .collect();
    let (first, others) = pictures.split_at(pictures.len().min(1));
    let m = &summary.metrics;
    let (merit, error) = figures(m.private);
    let (merit, error) = (capitalised(merit), capitalised(error));
    let scores = [
        (model(plan), m.private),
        ("optimum, no privacy", m.optimum),
        ("best party alone, no privacy", m.best_alone),
        ("median party alone, no privacy", m.median_alone),
        ("constant prediction", m.constant),
    ]
    .map(|(who, s)| vec![who.to_owned(), score(s.merit()), significant(s.error())]);
    let mut out = format!(
        "<section>\n<h2>Result</h2>\n<p class=\"finding\">{}</p>\n{}{}",
        escape(&finding(summary, plan)),
        first.concat(),
        table(
            &format!(
                "Scores on {}, {}. {} Not covered by the guarantee.",
                held_out(summary),
                units(m.private),
                scored(plan)
            ),
            &["Model", &merit, &error],
            &scores,
        )
    );
    for more in [objective(summary, plan), allowed(summary)].into_iter().flatten() {
        out += &format!("<p>{}</p>\n", escape(&more));
    }
    if summary.lanes > 1 {
        let [low, high] = lanes(&summary.lane_scores);
        let rows = [("Mean", m.private), ("Lowest", low), ("Highest", high)]
            .map(|(which, s)| vec![which.to_owned(), score(s.merit()), significant(s.error())]);
        let caption = format!(
            "The {} over {} lanes (repetitions with fresh noise on the same data). Not covered by the guarantee.",
            model(plan),
            summary.lanes
        );
        out += &table(&caption, &["Lane", &merit, &error], &rows);
    }
    out + &others.concat() + "</section>\n"
}

fn privacy(plan: &Plan, summary: &Summary) -> String {
    let mut out = "<section>\n<h2>Privacy statement</h2>\n".to_owned();
    if let Some(reason) = plan.not_private() {
        out += &format!("<p class=\"finding\"><strong>{}</strong></p>\n", escape(reason));
    }
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
    out += &epsilons("Epsilon of one lane, from the ledger of the run", &summary.epsilon, summary, plan.budget);
    if summary.lanes > 1 {
        out += &epsilons(&all_lanes(summary.lanes), &summary.epsilon_all_lanes, summary, None);
    }
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

fn models(plan: &Plan, summary: &Summary) -> String {
    let rows: Vec<_> = summary
        .coefficients
        .iter()
        .map(|c| vec![c.name.clone(), significant(c.private), significant(c.optimum)])
        .collect();
    let caption =
        "Coefficients in original units. The optimum is computed without privacy and not covered by the guarantee.";
    let private = if plan.not_private().is_some() { "Model" } else { "Private" };
    let consensus = significant(summary.consensus_error);
    format!(
        "<section>\n<h2>Models</h2>\n{}<p>Largest distance of a party's model from the mean of all models \
         (consensus error): {consensus}.</p>\n</section>\n",
        table(caption, &["Coefficient", private, "Optimum"], &rows)
    )
}

fn set_up(plan: &Plan, summary: &Summary) -> String {
    let mut records = summary.records.clone();
    records.sort_unstable();
    let spread = match (records.first(), records.get(records.len() / 2), records.last()) {
        (Some(min), Some(median), Some(max)) => {
            format!("; per party at least {min}, median {median}, at most {max}")
        }
        _ => String::new(),
    };
    let training = if summary.held_out.is_some() { "Training records" } else { "Declared training records" };
    let seed = match summary.seeds.noise {
        Seed::Os => "a key of the operating system, not stored".to_owned(),
        Seed::Number(seed) => seed.to_string(),
    };
    let mut out = "<section>\n<h2>Set-up</h2>\n".to_owned();
    out += &facts(&[
        ("Execution", EXECUTION.to_owned()),
        ("Algorithm", plan.algorithm.clone()),
        ("Parties", summary.nodes.to_string()),
        ("Graph", graph(&summary.graph)),
        ("Weights", summary.graph.weights.clone()),
        ("Sequence", sequence(&summary.graph)),
        ("Lambda", lambda(&summary.graph)),
        (training, format!("{}{spread}", records.iter().sum::<usize>())),
        ("Held-out records", summary.held_out.map_or_else(|| HIDDEN_COUNTS.to_owned(), |count| count.to_string())),
        ("Rounds", format!("{}, then {} of plain averaging (no cost)", summary.rounds, plan.averaging_rounds)),
        (&capitalised(&steps_name(plan)), steps(plan)),
        ("Lanes", summary.lanes.to_string()),
        ("Seed of the noise", seed),
        ("Digest of the specification", summary.digest.clone()),
    ]);
    if let Some(objective) = &plan.objective {
        out += &facts(&[("Objective", objective.clone())]);
    }
    let clipped: Vec<_> =
        summary.clipped.iter().filter(|c| c.count > 0).map(|c| vec![c.column.clone(), c.count.to_string()]).collect();
    if !clipped.is_empty() {
        let caption = "Values moved to their public bounds. Local, not private: not covered by the guarantee.";
        out += &table(caption, &["Column", "Values"], &clipped);
    }
    out += &list("Warnings", &plan.warnings);
    out += &list("Remarks", &plan.remarks);
    out + "</section>\n"
}

fn ledger_table(ledger: &[LedgerRow]) -> String {
    let rows: Vec<_> = ledger
        .iter()
        .map(|row| {
            vec![
                row.nodes.clone(),
                if row.rounds.0 == row.rounds.1 {
                    row.rounds.0.to_string()
                } else {
                    format!("{} to {}", row.rounds.0, row.rounds.1)
                },
                row.releases.to_string(),
                row.mechanism.clone(),
                match row.scale {
                    Some(scale) => significant(scale),
                    None if row.mechanism == "none" => "none".to_owned(),
                    None => "not of the release".to_owned(),
                },
                match row.sensitivity {
                    Some(s) => format!("{} ({})", bound(s), row.norm),
                    None if row.mechanism == "none" => "no bound".to_owned(),
                    None => "not of the release".to_owned(),
                },
            ]
        })
        .collect();
    let head = ["Nodes", "Rounds", "Releases", "Mechanism", "Scale", "Sensitivity"];
    let caption = "Releases in order, equal ones together; counts are per node and lane.";
    let table = table(caption, &head, &rows);
    let body = if ledger.len() > LONG_LEDGER {
        format!("<details><summary>{} rows</summary>\n{table}</details>\n", ledger.len())
    } else {
        table
    };
    format!("<section>\n<h2>Ledger</h2>\n{body}</section>\n")
}

/// What stands beside the page in the folder of results.
fn files(summary: &Summary) -> String {
    let again = match summary.seeds.noise {
        Seed::Number(_) => "The specification: on the same data it gives the same model, ledger and trace again.",
        Seed::Os => "The specification: running it again draws fresh noise and spends epsilon anew on the same data.",
    };
    let rows = [
        ("spec.toml", again),
        (
            "summary.json",
            "The numbers of this page. Its key not_covered lists the keys that the guarantee does not cover.",
        ),
        ("model.json", "The model, in every lane."),
        ("ledger.json", "Every release: the input of all accountings."),
        ("trace.csv", "Observed rounds. Scores and distances in it are not covered by the guarantee."),
        ("error.svg", "The first picture of this page: not covered by the guarantee."),
        ("local.json", "The SHA-256 of the data, to notice other data. Not private: keep it to yourself."),
    ]
    .map(|(file, what)| format!("<tr><th scope=\"row\"><code>{file}</code></th><td>{what}</td></tr>\n"))
    .concat();
    format!("<section>\n<h2>Files</h2>\n<table class=\"facts\"><tbody>\n{rows}</tbody></table>\n</section>\n")
}

#[cfg(test)]
mod tests;
