//! Answers for people. Bounds are rounded to their safe side; noise is printed with all its digits, to be copied.

use dido_mechanisms::{Adjacency, Adversary};

use super::answer::{Answer, Figures, LedgerAnswer, Loss};
use super::calibrate::{Calibrated, Found};
use super::subsampled_dda::{Against, DdaAnswer};
use crate::planning::kebab;
use crate::report::{at_least, bound, significant};

impl Answer {
    /// The mechanism, the guarantee it is for, and epsilon by every method.
    pub fn text(&self) -> String {
        let Self { mechanism, releases, adjacency, adversary, delta, figures, .. } = self;
        let head = [mechanism.clone(), item("releases", &releases.to_string()), whom(*adjacency, *adversary)];
        [&head[..], &[format!("Epsilon at delta = {}", significant(*delta)), figures.text()]].concat().join("\n")
    }
}

impl LedgerAnswer {
    /// The guarantee of the run, then that of each class of nodes if there are several.
    pub fn text(&self) -> String {
        let Self { adjacency, adversary, delta, figures, classes } = self;
        let nodes: usize = classes.iter().map(|class| class.nodes.len()).sum();
        let mut lines = vec![
            format!("Ledger of {nodes} nodes in {} classes, of one lane", classes.len()),
            whom(*adjacency, *adversary),
            format!("Epsilon at delta = {}, of the worst nodes", significant(*delta)),
            figures.text(),
        ];
        if classes.len() > 1 {
            for class in classes {
                lines.push(format!("Nodes {}: {} releases each", ranges(&class.nodes), class.releases));
                lines.push(class.figures.text());
            }
        }
        lines.join("\n")
    }
}

impl DdaAnswer {
    /// The guarantee against each adversary, and the published claim.
    pub fn text(&self) -> String {
        let Self { mechanism, noise_multiplier, adjacency, delta, visible, hidden, published } = self;
        let against = |Against { adversary, figures }: &Against| {
            let title = format!("Epsilon at delta = {}, against an adversary who {adversary}", significant(*delta));
            [title, figures.text()]
        };
        let claim = &published.claim;
        let head = [
            mechanism.clone(),
            item("noise multiplier", &format!("{} = sigma / 2L", significant(*noise_multiplier))),
            item("adjacency", &format!("{}: {adjacency}", kebab(adjacency))),
        ];
        let tail = [
            "Published closed form: not a guarantee".to_owned(),
            item("claimed", &format!("{} with the constant {}", significant(claim.epsilon), claim.constant)),
            item("reason", &published.reason),
        ];
        [&head[..], &against(visible), &against(hidden), &tail].concat().join("\n")
    }
}

impl Calibrated {
    /// The noise, and the guarantee that it gives.
    pub fn text(&self) -> String {
        let found = match &self.found {
            Found::Sigma { sigma, noise_multiplier } => {
                vec![item("sigma", &sigma.to_string()), item("noise multiplier", &noise_multiplier.to_string())]
            }
            Found::Scale { scale } => vec![item("scale", &scale.to_string())],
            Found::Sigmas { sigmas } => vec![item("sigmas", &list(sigmas))],
            Found::Scales { scales } => vec![item("scales", &list(scales))],
            Found::Rounds { rounds } => vec![item("rounds", &rounds.to_string())],
        };
        let Self { mechanism, releases, epsilon, target, delta, method, adjacency, .. } = self;
        let guarantee = format!("{} of {target}, at delta = {}, by {method}", loss(*epsilon), significant(*delta));
        let rest = [item("epsilon", &guarantee), whom(*adjacency, Adversary::AllMessages)];
        let title = if matches!(self.found, Found::Rounds { .. }) || *releases == 1 {
            mechanism.clone()
        } else {
            format!("{mechanism}, {releases} times")
        };
        [&[title], &found[..], &rest].concat().join("\n")
    }
}

impl Figures {
    fn text(&self) -> String {
        let single = [
            ("pure", self.pure),
            ("advanced", self.advanced),
            ("zcdp", self.zcdp),
            ("rdp", self.rdp),
            ("gdp", self.gdp),
            ("pld", self.pld.map(|pld| pld.upper)),
        ];
        let remark = |method: &str| match (method, self.pld.and_then(|pld| pld.lower)) {
            ("pure", _) if self.pure.is_some() => "at delta = 0".to_owned(),
            ("pld", Some(lower)) => format!("and no less than {}", at_least(lower)),
            _ => self.reasons.get(method).cloned().unwrap_or_default(),
        };
        let row = |method: &str, value: String, remark: &str| {
            format!("  {method:<18}{value:>10}  {remark}").trim_end().to_owned()
        };
        let mut lines: Vec<String> = single
            .iter()
            .map(|&(method, found)| row(method, found.map_or_else(|| "-".to_owned(), loss), &remark(method)))
            .collect();
        lines.push(row("best", loss(self.best.epsilon), &format!("by {}", self.best.method)));
        lines.join("\n")
    }
}

fn item(name: &str, value: &str) -> String {
    format!("  {name:<18}{value}")
}

fn whom(adjacency: Adjacency, adversary: Adversary) -> String {
    let adjacency = item("adjacency", &format!("{}: {adjacency}", kebab(&adjacency)));
    format!("{adjacency}\n{}", item("adversary", &adversary.to_string()))
}

fn loss(loss: Loss) -> String {
    if loss.0.is_finite() { bound(loss.0) } else { "infinite".to_owned() }
}

fn list(values: &[f64]) -> String {
    values.iter().map(f64::to_string).collect::<Vec<_>>().join(",")
}

/// Ascending numbers, neighbours together.
fn ranges(nodes: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = vec![];
    for &node in nodes {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(node) => *last = node,
            _ => runs.push((node, node)),
        }
    }
    let run = |&(first, last): &(usize, usize)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    runs.iter().map(run).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_a_range() {
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0-2, 5, 7-8");
        assert_eq!(ranges(&[]), "");
    }
}
