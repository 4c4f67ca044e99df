//! What every method says of a ledger.

use std::collections::BTreeMap;

use dido_mechanisms::{Accountant, Adjacency, Adversary, Best, Bound, ClassLedger, Ledger, MechanismError};
use serde::{Serialize, Serializer};

use super::sample::{Sample, usage};
use crate::error::ExperimentError;

/// A privacy loss in nats. JSON has no infinity: without a guarantee it is the string `"inf"`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Loss(pub f64);

impl Serialize for Loss {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() { serializer.serialize_f64(self.0) } else { serializer.serialize_str("inf") }
    }
}

/// The bounds of an accountant that is exact up to its arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// No smaller epsilon can be proved from the events; nothing where it is not known.
    pub lower: Option<f64>,
    /// The guarantee.
    pub upper: Loss,
}

/// The least of the guarantees.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Least {
    /// The privacy loss.
    pub epsilon: Loss,
    /// Who found it.
    pub method: String,
}

/// Epsilon by every method; nothing where a method does not apply, for the reason that is given.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// Basic composition, at delta 0.
    pub pure: Option<Loss>,
    /// Advanced composition, the better of its theorems.
    pub advanced: Option<Loss>,
    /// Zero-concentrated privacy.
    pub zcdp: Option<Loss>,
    /// Rényi privacy.
    pub rdp: Option<Loss>,
    /// Gaussian privacy.
    pub gdp: Option<Loss>,
    /// The distribution of the privacy loss.
    pub pld: Option<Interval>,
    /// The least of them.
    pub best: Least,
    /// Why a method does not apply, by its name.
    pub reasons: BTreeMap<&'static str, String>,
}

/// An answer of `dido epsilon`.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// What is released each time, in words.
    pub mechanism: String,
    /// How the records of a release are drawn, if not all are looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Sample>,
    /// How often.
    pub releases: u64,
    /// The data sets that cannot be told apart.
    pub adjacency: Adjacency,
    /// By whom.
    pub adversary: Adversary,
    /// At which failure probability.
    pub delta: f64,
    /// Epsilon.
    #[serde(flatten)]
    pub figures: Figures,
}

/// An answer of `dido epsilon ledger`.
#[derive(Clone, Debug, Serialize)]
pub struct LedgerAnswer {
    /// The data sets that cannot be told apart.
    pub adjacency: Adjacency,
    /// By whom.
    pub adversary: Adversary,
    /// At which failure probability.
    pub delta: f64,
    /// Epsilon of the run: by each method that of the class where it is largest.
    #[serde(flatten)]
    pub figures: Figures,
    /// Epsilon of the nodes with equal declarations.
    pub classes: Vec<ClassAnswer>,
}

/// Epsilon of a class of nodes.
#[derive(Clone, Debug, Serialize)]
pub struct ClassAnswer {
    /// Its nodes.
    pub nodes: Vec<usize>,
    /// How often each of them has released something.
    pub releases: u64,
    /// Epsilon.
    #[serde(flatten)]
    pub figures: Figures,
}

impl Figures {
    /// What every method says of a ledger.
    ///
    /// # Errors
    /// If an event makes no sense, or no method covers the ledger at this delta.
    pub fn of(ledger: &Ledger, delta: f64) -> Result<Self, ExperimentError> {
        let best = match Best.bound(ledger, delta) {
            Err(error @ MechanismError::Unsupported { .. }) if delta <= 0.0 => {
                return Err(usage(format!("--delta {delta}: {error}, which has no guarantee without a delta above 0")));
            }
            found => found?,
        };
        let mut found = BTreeMap::new();
        let mut reasons = BTreeMap::new();
        for (method, bound) in Best::all(ledger, delta) {
            let method = if method.starts_with(ADVANCED) { ADVANCED } else { method };
            match bound {
                Ok(bound) => {
                    let least = found.entry(method).or_insert_with(|| bound.clone());
                    if bound.epsilon < least.epsilon {
                        *least = bound;
                    }
                }
                Err(error) => {
                    reasons.insert(method, reason(error)?);
                }
            }
        }
        let loss = |method: &str| found.get(method).map(|bound: &Bound| Loss(bound.epsilon));
        Ok(Self {
            pure: loss("pure"),
            advanced: loss(ADVANCED),
            zcdp: loss("zcdp"),
            rdp: loss("rdp"),
            gdp: loss("gdp"),
            pld: found.get("pld").map(|bound| Interval { lower: bound.lower, upper: Loss(bound.epsilon) }),
            best: Least { epsilon: Loss(best.epsilon), method: best.method },
            reasons,
        })
    }

    /// What holds for two classes of nodes: by each method the larger one.
    fn or_worse(self, other: Self) -> Self {
        let larger = |a: Option<Loss>, b: Option<Loss>| Some(if a? >= b? { a? } else { b? });
        let mut reasons = other.reasons;
        reasons.extend(self.reasons);
        Self {
            pure: larger(self.pure, other.pure),
            advanced: larger(self.advanced, other.advanced),
            zcdp: larger(self.zcdp, other.zcdp),
            rdp: larger(self.rdp, other.rdp),
            gdp: larger(self.gdp, other.gdp),
            pld: self.pld.zip(other.pld).map(|(a, b)| if a.upper >= b.upper { a } else { b }),
            best: if self.best.epsilon >= other.best.epsilon { self.best } else { other.best },
            reasons,
        }
    }
}

/// Both theorems begin their names with it.
const ADVANCED: &str = "advanced";

/// Why a method does not apply; an error if the ledger makes no sense to any.
fn reason(error: MechanismError) -> Result<String, MechanismError> {
    match error {
        MechanismError::Delta(_) => Ok("it needs a delta above 0".to_owned()),
        MechanismError::Unsupported { event, .. } => Ok(format!("it does not cover {event}")),
        error => Err(error),
    }
}

impl LedgerAnswer {
    /// What every method says of each class of nodes.
    ///
    /// # Errors
    /// As [`Figures::of`]; if there are no nodes.
    pub fn of(ledger: &Ledger, delta: f64) -> Result<Self, ExperimentError> {
        let of_class = |class: &ClassLedger| -> Result<ClassAnswer, ExperimentError> {
            let alone = Ledger { classes: vec![class.clone()], ..ledger.clone() };
            // The numbers of a file may be any.
            let releases = class.entries.iter().fold(0_u64, |sum, entry| sum.saturating_add(entry.releases));
            Ok(ClassAnswer { nodes: class.nodes.clone(), releases, figures: Figures::of(&alone, delta)? })
        };
        let inhabited = ledger.classes.iter().filter(|class| !class.nodes.is_empty());
        let classes = inhabited.map(of_class).collect::<Result<Vec<_>, _>>()?;
        let figures = classes.iter().map(|class| class.figures.clone()).reduce(Figures::or_worse);
        let figures = figures.ok_or(MechanismError::NoNodes)?;
        let Ledger { adjacency, adversary, .. } = *ledger;
        Ok(Self { adjacency, adversary, delta, figures, classes })
    }
}
