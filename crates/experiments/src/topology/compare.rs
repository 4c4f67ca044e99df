//! All families of one size, side by side.

use std::fmt::Write;

use dido_topology::families::{ALL, FamilyInfo, Options};
use dido_topology::weights;
use serde::Serialize;

use super::{Description, SHRINK, Topology};
use crate::error::ExperimentError;
use crate::report::significant;

/// More nodes than this are not compared: the complete graph among them has two million edges.
pub const MOST_COMPARED: usize = 2000;

/// The table.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Number of nodes of every graph.
    pub nodes: usize,
    /// The weight rule.
    pub weights: String,
    /// One row for each family, but for those that are read from a file.
    pub families: Vec<Row>,
}

/// A row of the table.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The family.
    #[serde(skip)]
    pub family: &'static str,
    /// The same where there is no description, which says it as well.
    #[serde(rename = "family", skip_serializing_if = "Option::is_none")]
    pub undescribed: Option<&'static str>,
    /// The options chosen for it, besides nodes and seed, as the command line takes them.
    pub options: String,
    /// The graph, or nothing if the family has none of this size or the rule does not serve it.
    #[serde(flatten)]
    pub description: Option<Description>,
    /// Why there is no graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// Builds a graph of every family with `nodes` nodes, random ones from `seed` and at most as dense as connectivity asks.
///
/// # Errors
/// If there is no such rule, or there are no or too many nodes.
pub fn compare(nodes: usize, rule: &str, seed: u64) -> Result<Comparison, ExperimentError> {
    if !(1..=MOST_COMPARED).contains(&nodes) {
        return Err(ExperimentError::Usage(format!(
            "--nodes {nodes}: families are compared for 1 to {MOST_COMPARED} nodes"
        )));
    }
    weights::rule(rule)?;
    let families = ALL.iter().filter(|family| !family.options.contains(&"file"));
    let families = families.map(|family| row(family, nodes, rule, seed)).collect();
    Ok(Comparison { nodes, weights: rule.to_owned(), families })
}

fn row(family: &FamilyInfo, nodes: usize, rule: &str, seed: u64) -> Row {
    let (mut options, text) = usual(family.name, nodes);
    options.nodes = Some(nodes);
    options.seed = family.is_random().then_some(seed);
    let built = Topology::new(family.name, options, rule).and_then(|topology| Ok(topology.describe()?));
    let (description, refused) = match built {
        Ok(description) => (Some(description), None),
        Err(error) => (None, Some(error.to_string())),
    };
    let undescribed = refused.is_some().then_some(family.name);
    Row { family: family.name, undescribed, options: text, description, refused }
}

/// Options of a family that has to be given some, for `n` nodes, and how they are written.
fn usual(family: &str, n: usize) -> (Options, String) {
    let none = Options::default();
    let nodes = n as f64;
    // Random graphs connect at ln n / n and its counterparts; twice that does it at the first attempts.
    let threshold = nodes.ln() / nodes;
    let degree = 4.min(n.saturating_sub(1));
    match family {
        "erdos-renyi" => {
            let p = short(2.0 * threshold).min(1.0);
            (Options { p: Some(p), ..none }, format!("--p {p}"))
        }
        "random-regular" => (Options { degree: Some(degree), ..none }, format!("--degree {degree}")),
        "watts-strogatz" => (Options { degree: Some(4), p: Some(0.1), ..none }, "--degree 4 --p 0.1".to_owned()),
        "barabasi-albert" => (Options { degree: Some(2), ..none }, "--degree 2".to_owned()),
        "geometric" => {
            let radius = short((2.0 * threshold / std::f64::consts::PI).sqrt()).max(0.01);
            (Options { radius: Some(radius), ..none }, format!("--radius {radius}"))
        }
        "block-model" => {
            let (blocks, p_in) = (2.min(n), short(4.0 * threshold).min(1.0));
            let p_out = short(p_in / 10.0);
            let options = Options { blocks: Some(blocks), p_in: Some(p_in), p_out: Some(p_out), ..none };
            (options, format!("--blocks {blocks} --p-in {p_in} --p-out {p_out}"))
        }
        _ => (none, String::new()),
    }
}

/// Three decimals, rounded up: short enough to be typed again.
fn short(x: f64) -> f64 {
    (x * 1000.0).ceil() / 1000.0
}

impl Comparison {
    /// Aligned columns.
    pub fn text(&self) -> String {
        let messages = format!("to {SHRINK:e}");
        let mut rows: Vec<[String; 8]> = vec![
            ["family", "edges", "degree", "lambda", "gap", "rounds", "messages", "options"].map(str::to_owned),
            ["", "", "", "", "", &messages, &messages, ""].map(str::to_owned),
        ];
        let mut refused = Vec::new();
        for row in &self.families {
            match (&row.description, &row.refused) {
                (Some(description), _) => rows.push(cells(row, description)),
                (None, Some(reason)) => refused.push(reason_line(row.family, reason)),
                (None, None) => {}
            }
        }
        let mut lines = vec![format!("{} nodes, {} weights", self.nodes, self.weights), String::new()];
        let width = |k: usize| rows.iter().map(|row| row[k].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..8).map(width).collect();
        for row in &rows {
            let mut line = format!("{:<1$}", row[0], widths[0]);
            for k in 1..7 {
                // Writing into a string does not fail.
                let _ = write!(line, "  {:>1$}", row[k], widths[k]);
            }
            lines.push(format!("{line}  {}", row[7]).trim_end().to_owned());
        }
        if !refused.is_empty() {
            lines.push(String::new());
            lines.push("Not here:".to_owned());
            lines.extend(refused.iter().map(|reason| format!("  {reason}")));
        }
        lines.join("\n")
    }
}

/// Most reasons begin with the name of the family already.
fn reason_line(family: &str, reason: &str) -> String {
    let named = format!("{family}: ");
    if reason.starts_with(&named) { reason.to_owned() } else { named + reason }
}

fn cells(row: &Row, description: &Description) -> [String; 8] {
    let degrees = description.degrees;
    let degree =
        if degrees.min == degrees.max { degrees.min.to_string() } else { format!("{}-{}", degrees.min, degrees.max) };
    let or = |value: Option<String>| value.unwrap_or_else(|| "?".to_owned());
    let rounds = description.rounds.map(|rounds| rounds.plain);
    [
        row.family.to_owned(),
        description.edges.to_string(),
        degree,
        or(description.lambda.map(|lambda| format!("{lambda:.6}"))),
        or(description.gap.map(significant)),
        or(rounds.map(|rounds| rounds.to_string())),
        or(rounds.map(|rounds| significant(2.0 * description.edges as f64 * rounds as f64))),
        row.options.clone(),
    ]
}
