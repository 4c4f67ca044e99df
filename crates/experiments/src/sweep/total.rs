//! What all cells of a sweep cost together: they are computed from the same data, so their ledgers compose.
//!
//! A record is exposed by its own party in every cell. The parties are told apart by what they release in all cells, and each
//! kind of party has one ledger, the releases of all cells one after the other. That needs the records of a party to be the
//! same in all cells, and one adjacency and one adversary. The noise has to be drawn afresh in each cell: cells that share the
//! number of a seed share their noise, and a difference of their messages may have none.

use std::collections::{BTreeMap, HashSet};

use dido_mechanisms::{Accountant, Bound, ClassLedger, Ledger, MechanismError, Pure, Rdp, Zcdp};
use serde::{Deserialize, Serialize};

use crate::config::{Config, Seed};
use crate::epsilons::{dominating, repeated, tightest};
use crate::error::ExperimentError;
use crate::planning::Planned;
use crate::spec::Spec;

/// Epsilon of all cells together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Total {
    /// The cells that are counted, each with all its lanes; equal experiments count once.
    pub cells: Vec<usize>,
    /// The cells that add no noise: nothing bounds what they tell.
    pub without_noise: Vec<usize>,
    /// Whether cells share the number of a seed, and so their noise: the figures hold for noise drawn afresh.
    pub shares_noise: bool,
    /// The smallest delta of the cells.
    pub delta: Option<f64>,
    /// Epsilon by every accountant that is asked.
    pub epsilon: Vec<Accounting>,
    /// Why there is none at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// One epsilon, or why an accountant has none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Accounting {
    /// The accountant; `best` is the least of all.
    pub accountant: String,
    /// Epsilon, if it is bounded.
    pub epsilon: Option<f64>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What is kept of a cell to account for it.
pub struct Counted {
    cell: usize,
    digest: String,
    /// Decides which records a party holds.
    placement: String,
    parties: usize,
    is_private: bool,
    seed: Seed,
    delta: f64,
    /// Of all lanes.
    ledger: Ledger,
}

impl Counted {
    /// The part of cell number `cell`.
    pub fn new(cell: usize, spec: &Spec, planned: &Planned) -> Self {
        let Spec { config, digest, .. } = spec;
        Self {
            cell,
            digest: digest.clone(),
            placement: placement(config),
            parties: config.data.records.len(),
            is_private: planned.plan.not_private().is_none(),
            seed: config.seed,
            delta: spec.delta,
            ledger: repeated(&planned.ledger, config.lanes),
        }
    }

    /// For each party the class of the ledger that tells of its records. A centralised cell has one node, and so one class.
    fn class_of(&self) -> Vec<usize> {
        let mut class_of = vec![0; self.parties];
        for (k, class) in self.ledger.classes.iter().enumerate() {
            class.nodes.iter().for_each(|&node| class_of[node] = k);
        }
        class_of
    }
}

/// All of `[data]` but the bound of a row, which moves no record.
fn placement(config: &Config) -> String {
    let mut data = config.data.clone();
    data.row_norm = 0.0;
    toml::to_string(&data).expect("a checked configuration has a TOML form")
}

/// What these cells cost together.
///
/// # Errors
/// If an event makes no sense.
pub fn total(all: &[Counted]) -> Result<Total, ExperimentError> {
    let mut known = HashSet::new();
    let distinct: Vec<&Counted> = all.iter().filter(|cell| known.insert(cell.digest.as_str())).collect();
    let (private, without): (Vec<&Counted>, Vec<&Counted>) = distinct.into_iter().partition(|cell| cell.is_private);
    let mut seeds = HashSet::new();
    let shares_noise = private.iter().any(|cell| match cell.seed {
        Seed::Number(seed) => !seeds.insert(seed),
        Seed::Os => false,
    });
    let mut total = Total {
        cells: private.iter().map(|cell| cell.cell).collect(),
        without_noise: without.iter().map(|cell| cell.cell).collect(),
        shares_noise,
        delta: private.iter().map(|cell| cell.delta).reduce(f64::min),
        epsilon: vec![],
        reason: None,
    };
    match composed(&private) {
        Ok(ledger) => total.epsilon = accountings(&dominating(&ledger), total.delta.unwrap_or_default())?,
        Err(reason) => total.reason = Some(reason),
    }
    Ok(total)
}

/// The ledger of all cells one after the other, or why there is none.
fn composed(cells: &[&Counted]) -> Result<Ledger, String> {
    let Some((first, others)) = cells.split_first() else {
        return Err("no cell adds noise".to_owned());
    };
    for other in others {
        let differs = |what: &str| format!("cells {} and {} differ in {what}", first.cell, other.cell);
        if other.ledger.adjacency != first.ledger.adjacency {
            return Err(differs("what adjacent data are"));
        }
        if other.ledger.adversary != first.ledger.adversary {
            return Err(differs("who looks"));
        }
        if other.placement != first.placement {
            return Err(differs("their data, so a record may be with another party in each"));
        }
    }
    // Parties with the same classes in all cells have the same releases.
    let classes: Vec<Vec<usize>> = cells.iter().map(|cell| cell.class_of()).collect();
    let mut kinds: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
    for party in 0..first.parties {
        kinds.entry(classes.iter().map(|class_of| class_of[party]).collect()).or_default().push(party);
    }
    let class = |(kind, nodes): (Vec<usize>, Vec<usize>)| {
        let of = |(cell, class): (&&Counted, usize)| cell.ledger.classes[class].entries.clone();
        ClassLedger { nodes, entries: cells.iter().zip(kind).flat_map(of).collect() }
    };
    Ok(Ledger { classes: kinds.into_iter().map(class).collect(), ..first.ledger.clone() })
}

fn accountings(ledger: &Ledger, delta: f64) -> Result<Vec<Accounting>, ExperimentError> {
    let accounting = |accountant: &str, epsilon: Result<f64, String>| Accounting {
        accountant: accountant.to_owned(),
        epsilon: epsilon.clone().ok(),
        reason: epsilon.err(),
    };
    let bounded =
        |found: Bound| if found.epsilon.is_finite() { Ok(found.epsilon) } else { Err("unbounded".to_owned()) };
    let mut all = vec![];
    let accountants: [(&dyn Accountant, f64); 3] = [(&Pure, 0.0), (&Zcdp::default(), delta), (&Rdp::default(), delta)];
    for (accountant, delta) in accountants {
        let found = match accountant.bound(ledger, delta) {
            Err(error @ MechanismError::Unsupported { .. }) => Err(error.to_string()),
            found => bounded(found?),
        };
        all.push(accounting(accountant.name(), found));
    }
    let (name, least) = match tightest(ledger, delta) {
        Err(error @ MechanismError::Unsupported { .. }) => ("best".to_owned(), Err(error.to_string())),
        found => match found? {
            Some(found) => (format!("best ({})", found.method), bounded(found)),
            None => ("best".to_owned(), Err("too many different releases".to_owned())),
        },
    };
    all.push(accounting(&name, least));
    Ok(all)
}
