//! What the terminal shows: aligned, at most 100 columns (a longer word, such as a path, stays whole), the privacy
//! first.

mod advice;
mod audit;
mod comparison;
mod doctor;
mod predictions;
mod resources;
mod sweep;
mod table;
mod tune;

use super::planned::{marked, rounds};
use super::{
    number::{score, significant},
    wording::{
        EXECUTION, HIDDEN_COUNTS, accountings, all_lanes, allowed, budget, caveats, figures, finding, graph, lambda,
        lanes, model, noise, objective, releases, scored, sensitivity, sequence, steps, steps_name,
    },
};
use crate::records::{Epsilons, Plan, PlannedBudget, PlannedGraph, Score, Summary};

pub use advice::explained;
pub use audit::audit;
pub use comparison::comparison;
pub use doctor::doctor;
pub use predictions::predictions;
use resources::{memory, messages};
pub(crate) use sweep::{all_cells, loss, measures};
pub use sweep::{sweep, sweep_plan};
pub use table::table;
pub use tune::tuned;

const WIDTH: usize = 100;
/// Column at which the text of an item starts.
const INDENT: usize = 20;

/// The plan: what is released, how often and to whom; the sensitivity, the noise and epsilon; the rest.
pub fn plan(plan: &Plan) -> String {
    let mut page = Page::titled(&format!("Plan of {} ({})", plan.name, plan.digest));
    page.refused(plan);
    page.heading("Privacy");
    page.item("released", &plan.released);
    page.item("how often", &releases(plan));
    page.item("to whom", &plan.recipients);
    page.item("adjacency", &format!("{}: {}", plan.adjacency, plan.adjacency_in_words));
    page.item("assignment", &plan.assignment);
    page.item("adversary", &format!("{}: {}", plan.adversary, plan.adversary_in_words));
    page.item("sensitivity", &sensitivity(plan));
    for step in plan.sensitivity.derivation.split("; ") {
        page.item("", step);
    }
    page.item("noise", &noise(plan));
    page.item("budget", &budget(plan.budget));
    if let Some(accountant) = &plan.accountant {
        page.item("", &format!("compared with the epsilon of {accountant}, as the file asks"));
    }
    page.heading(if plan.lanes > 1 { "Epsilon of one lane" } else { "Epsilon" });
    page.epsilons(&plan.epsilon, plan.delta, marked(plan));
    if plan.lanes > 1 {
        page.heading(&all_lanes(plan.lanes));
        page.epsilons(&plan.epsilon_all_lanes, plan.delta, None);
    }
    page.heading("Run");
    page.item("algorithm", &plan.algorithm);
    page.item("parties", &plan.nodes.to_string());
    page.graph(&plan.graph);
    page.item("rounds", &rounds(plan));
    page.item(&steps_name(plan), &steps(plan));
    if let Some(objective) = &plan.objective {
        page.item("objective", objective);
    }
    page.item("lanes", &plan.lanes.to_string());
    if let Some(resources) = &plan.resources {
        page.item("memory", &memory(resources));
        page.item("messages", &messages(resources));
    }
    page.list("Warnings", &plan.warnings);
    page.list("Remarks", &plan.remarks);
    page.text
}

/// The result of a run, with the guarantee of its plan and what that does not cover.
pub fn summary(summary: &Summary, plan: &Plan) -> String {
    let mut page = Page::titled(&format!("Result of {} ({})", summary.name, summary.digest));
    page.refused(plan);
    page.paragraph(&ascii(&finding(summary, plan)));
    page.scores(summary, plan);
    page.guarantee(summary, plan);
    page.models(summary, plan);
    page.run(summary);
    page.list("Notes", &caveats(summary, plan));
    page.text
}

/// The sections of a result.
impl Page {
    fn scores(&mut self, summary: &Summary, plan: &Plan) {
        let m = &summary.metrics;
        let of = |name: &str, s: Score| vec![name.to_owned(), score(s.merit()), significant(s.error())];
        let (merit, error) = figures(m.private);
        let head = ["", &ascii(merit), error];
        self.heading("Scores: computed from held-out records, not covered by the guarantee");
        self.table(
            &head,
            &[
                of(model(plan), m.private),
                of("optimum, no privacy", m.optimum),
                of("best party alone", m.best_alone),
                of("median party alone", m.median_alone),
                of("constant", m.constant),
            ],
        );
        self.paragraph(&scored(plan));
        for more in [objective(summary, plan), allowed(summary)].into_iter().flatten() {
            self.paragraph(&more);
        }
        if summary.lanes > 1 {
            let [low, high] = lanes(&summary.lane_scores);
            self.heading(&format!("The {} over {} lanes: not covered by the guarantee", model(plan), summary.lanes));
            self.table(&head, &[of("mean", m.private), of("min", low), of("max", high)]);
        }
    }

    fn guarantee(&mut self, summary: &Summary, plan: &Plan) {
        self.heading(if plan.not_private().is_some() { "NON-PRIVATE: no guarantee" } else { "Guarantee" });
        self.item("adjacency", &format!("{}: {}", summary.adjacency, plan.adjacency_in_words));
        self.item("assignment", &plan.assignment);
        self.item("adversary", &format!("{}: {}", summary.adversary, plan.adversary_in_words));
        self.item("budget", &budget(plan.budget));
        self.heading("Epsilon of one lane, from the ledger of all planned rounds");
        self.epsilons(&summary.epsilon, summary.delta, marked(plan));
        if summary.lanes > 1 {
            self.heading(&all_lanes(summary.lanes));
            self.epsilons(&summary.epsilon_all_lanes, summary.delta, None);
        }
    }

    fn models(&mut self, summary: &Summary, plan: &Plan) {
        self.heading("Coefficients in original units; the optimum is not covered by the guarantee");
        let coefficients = summary.coefficients.iter();
        let rows: Vec<_> =
            coefficients.map(|c| vec![c.name.clone(), significant(c.private), significant(c.optimum)]).collect();
        self.table(&["", if plan.not_private().is_some() { "model" } else { "private" }, "optimum"], &rows);

        self.heading("Values moved to their public bounds: local, not private");
        let clipped = summary.clipped.iter().filter(|c| c.count > 0);
        let rows: Vec<_> = clipped.map(|c| vec![c.column.clone(), c.count.to_string()]).collect();
        if rows.is_empty() {
            self.paragraph("none");
        } else {
            self.table(&["", "count"], &rows);
        }
    }

    fn run(&mut self, summary: &Summary) {
        let consensus = significant(summary.consensus_error);
        let records: usize = summary.records.iter().sum();
        self.heading("Run");
        self.item("consensus", &format!("{consensus}, largest distance of a model from the mean"));
        let counts = match summary.held_out {
            Some(held_out) => format!("{records} for training, {held_out} held out"),
            None => format!("{records} declared; {HIDDEN_COUNTS}"),
        };
        self.item("records", &counts);
        self.item(
            "rounds",
            &format!(
                "{} of {} in {} s ({} s of CPU)",
                summary.rounds,
                summary.planned_rounds,
                significant(summary.timing.wall_seconds),
                significant(summary.timing.cpu_seconds)
            ),
        );
        self.graph(&summary.graph);
        self.item("execution", EXECUTION);
        self.item("results", &summary.results);
        self.item("report", &format!("{}/report.html", summary.results.trim_end_matches('/')));
    }
}

/// Text under construction.
struct Page {
    text: String,
}

impl Page {
    fn titled(title: &str) -> Self {
        let title = plain(title);
        Self { text: format!("{title}\n{}\n", "=".repeat(title.chars().count().min(WIDTH))) }
    }

    fn heading(&mut self, heading: &str) {
        self.text += &format!("\n{}\n", plain(heading));
    }

    /// A label and its text, wrapped beside it.
    fn item(&mut self, label: &str, text: &str) {
        self.wrapped(&format!("  {label}"), INDENT, text);
    }

    fn bullets(&mut self, texts: &[String]) {
        for text in texts {
            self.wrapped("  *", 4, text);
        }
    }

    /// That nothing is promised, where the figures below might be taken for a promise.
    fn refused(&mut self, plan: &Plan) {
        if let Some(reason) = plan.not_private() {
            self.paragraph(reason);
        }
    }

    /// Bullets below a heading, if there are any.
    fn list(&mut self, heading: &str, texts: &[String]) {
        if !texts.is_empty() {
            self.heading(heading);
            self.bullets(texts);
        }
    }

    fn paragraph(&mut self, text: &str) {
        self.wrapped("", 2, text);
    }

    fn wrapped(&mut self, first: &str, indent: usize, text: &str) {
        let start = indent.max(first.chars().count() + 1);
        let mut line = format!("{first:<start$}");
        let mut fresh = true;
        for word in plain(text).split_whitespace() {
            if !fresh && line.chars().count() + 1 + word.chars().count() > WIDTH {
                self.text += &line;
                self.text.push('\n');
                line = " ".repeat(indent);
                fresh = true;
            }
            if !fresh {
                line.push(' ');
            }
            line += word;
            fresh = false;
        }
        self.text += line.trim_end();
        self.text.push('\n');
    }

    fn graph(&mut self, planned: &PlannedGraph) {
        self.item("graph", &graph(planned));
        self.item("weights", &planned.weights);
        self.item("sequence", &sequence(planned));
        self.item("lambda", &lambda(planned));
    }

    fn epsilons(&mut self, epsilon: &Epsilons, delta: f64, budget: Option<PlannedBudget>) {
        let rows = accountings(epsilon, delta, budget);
        let width = rows.iter().map(|a| a.value.len()).max().unwrap_or(0).max(8);
        for a in rows {
            let mark = if a.budgeted { " <- budget" } else { "" };
            self.text += &format!("  {:<22} {:>width$}  {}{mark}\n", a.name, a.value, a.meaning);
        }
    }

    /// A first column of names and right-aligned numbers. A row that is shorter than its head is a remark and may be longer.
    fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        const NAME: usize = 48;
        let names: Vec<String> = rows.iter().map(|row| shortened(&plain(&row[0]), NAME)).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(INDENT - 2);
        let whole = || rows.iter().filter(|row| row.len() == head.len());
        let widths: Vec<usize> = (1..head.len())
            .map(|k| whole().map(|row| row[k].chars().count()).max().unwrap_or(0).max(head[k].chars().count()))
            .map(|longest| (longest + 2).max(14))
            .collect();
        let mut line = |name: &str, cells: &mut dyn Iterator<Item = &str>| {
            let cells: String = cells.zip(&widths).map(|(cell, &width)| format!("{cell:>width$}")).collect();
            self.text += &format!("  {name:<width$}{cells}\n");
        };
        line(head[0], &mut head[1..].iter().copied());
        for (name, row) in names.iter().zip(rows) {
            line(name, &mut row[1..].iter().map(String::as_str));
        }
    }
}

fn shortened(name: &str, width: usize) -> String {
    if name.chars().count() <= width {
        return name.to_owned();
    }
    name.chars().take(width - 3).chain("...".chars()).collect()
}

/// Not every terminal has a raised two.
fn ascii(text: &str) -> String {
    text.replace('\u{b2}', "^2")
}

/// Names come from users' files: a control character could command the terminal.
fn plain(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_whitespace() {
                ' '
            } else if c.is_control() {
                '?'
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests;
