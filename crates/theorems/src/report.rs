//! Verdicts, written down.

use std::fmt;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// What became of a theorem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It should hold, and no case breaks it.
    Holds,
    /// A published claim that is false, and a case breaks it.
    FailsAsItShould,
    /// It should hold and does not; or a number known beforehand came out otherwise.
    Fails,
    /// A published claim that is false, and no case shows it.
    DoesNotFail,
}

impl Verdict {
    /// Whether it is as expected.
    pub fn is_expected(self) -> bool {
        matches!(self, Self::Holds | Self::FailsAsItShould)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Holds => "holds",
            Self::FailsAsItShould => "fails as it should",
            Self::Fails => "FAILS",
            Self::DoesNotFail => "DOES NOT FAIL",
        })
    }
}

/// A theorem and its verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Its name.
    pub name: String,
    /// What it says.
    pub statement: String,
    /// Paper, theorem, equation.
    pub source: String,
    /// What was drawn.
    pub assumptions: String,
    /// How many cases were.
    pub cases: u32,
    /// The largest ratio of what was measured to its bound; of an equation, of error to tolerance. Three digits of it are written down.
    #[serde(with = "digits")]
    pub worst: f64,
    /// What became of it.
    pub verdict: Verdict,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// All verdicts of one call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Cases of the cheapest kind.
    pub cases: u32,
    /// One for each theorem.
    pub findings: Vec<Finding>,
}

/// The groups of names, and what they are called.
const GROUPS: [(char, &str); 4] = [
    ('A', "Paper A: Liu, Zhang, Qin, Lei (2020), [liu2020.md](liu2020.md)"),
    ('B', "Paper B: Liu, Johansson, Shi (2024), [liu2024.md](liu2024.md)"),
    ('C', "Paper C: Huang, Mitra, Vaidya (2015), [huang2015.md](huang2015.md)"),
    ('P', "Network privacy, [network-privacy.md](network-privacy.md)"),
];

impl Report {
    /// Whether every verdict is as expected.
    pub fn is_expected(&self) -> bool {
        self.findings.iter().all(|finding| finding.verdict.is_expected())
    }

    /// The page `verdicts.md`.
    pub fn markdown(&self) -> String {
        let mut page = format!(
            "# Verdicts\n\nWritten by `cargo xtask theorems --cases {}`; do not edit. What the columns mean: [README.md](README.md).\n",
            self.cases
        );
        for (group, title) in GROUPS {
            let findings: Vec<&Finding> = self.findings.iter().filter(|f| f.name.starts_with(group)).collect();
            if findings.is_empty() {
                continue;
            }
            let header =
                "| name | statement | source | drawn | cases | worst | verdict |\n|---|---|---|---|---|---|---|\n";
            write!(page, "\n## {title}\n\n{header}").expect("a string takes everything");
            for f in findings {
                let cells = [
                    &f.name,
                    &f.statement,
                    &f.source,
                    &f.assumptions,
                    &f.cases.to_string(),
                    &digits::text(f.worst),
                    &f.verdict.to_string(),
                ];
                let cells = cells.map(|cell| cell.replace('|', "\\|"));
                writeln!(page, "| {} |", cells.join(" | ")).expect("a string takes everything");
            }
        }
        page
    }

    /// What a recorded report says otherwise, a line each: another verdict or statement, a theorem more or less. Numbers of cases
    /// and ratios may differ.
    pub fn differences(&self, recorded: &Self) -> Vec<String> {
        let said = |f: &Finding| (f.statement.clone(), f.source.clone(), f.assumptions.clone());
        let mut lines = vec![];
        for f in &self.findings {
            match recorded.findings.iter().find(|other| other.name == f.name) {
                None => lines.push(format!("{} is not recorded", f.name)),
                Some(other) if other.verdict != f.verdict => {
                    lines.push(format!("{}: {}, recorded is: {}", f.name, f.verdict, other.verdict));
                }
                Some(other) if said(other) != said(f) => lines.push(format!("{} is recorded in other words", f.name)),
                Some(_) => {}
            }
        }
        let gone = recorded.findings.iter().filter(|f| !self.findings.iter().any(|other| other.name == f.name));
        lines.extend(gone.map(|f| format!("{} is recorded and is no theorem", f.name)));
        lines
    }
}

/// Ratios with three digits: more would differ between mathematical libraries.
mod digits {
    use serde::{Deserialize, Deserializer, Serializer};

    fn rounded(value: f64) -> f64 {
        format!("{value:.2e}").parse().unwrap_or(value)
    }

    pub fn text(value: f64) -> String {
        let value = rounded(value);
        if value == 0.0 || (1e-3..1e4).contains(&value) { value.to_string() } else { format!("{value:e}") }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(rounded(*value))
    }

    /// What is not finite is written as `null`.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
    }
}
