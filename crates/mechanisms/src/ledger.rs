//! What every node has released, in order: the only input of an accountant.

use serde::{Deserialize, Serialize};

use crate::{Adjacency, Adversary, Event};

/// A run of equal releases, one in each round from `first` to `last`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The first round of the run.
    pub first: u32,
    /// Its last round.
    pub last: u32,
    /// How often the event took place.
    pub releases: u64,
    /// What was released.
    pub event: Event,
}

/// The releases of a class of nodes with equal declarations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassLedger {
    /// The nodes of the class, ascending.
    pub nodes: Vec<usize>,
    /// Their releases, run-length encoded, in order.
    pub entries: Vec<Entry>,
}

impl ClassLedger {
    /// Records one more release.
    pub(crate) fn record(&mut self, round: u32, event: Event) {
        match self.entries.last_mut() {
            Some(run) if run.event == event && (run.last == round || run.last + 1 == round) => {
                run.last = round;
                run.releases += 1;
            }
            _ => self.entries.push(Entry { first: round, last: round, releases: 1, event }),
        }
    }

    /// How many releases one node of the class has made.
    pub fn releases(&self) -> u64 {
        self.entries.iter().map(|e| e.releases).sum()
    }
}

/// The releases of all nodes of one lane. Nodes hold disjoint records, so a record is exposed by its own node alone:
/// the guarantee of a run is that of its worst class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// The neighbouring relation all sensitivities speak of.
    pub adjacency: Adjacency,
    /// Who is assumed to look.
    pub adversary: Adversary,
    /// The classes; every node is in exactly one.
    pub classes: Vec<ClassLedger>,
}

impl Ledger {
    /// An empty ledger for nodes of the given classes: node `i` belongs to class `class_of[i]`.
    pub fn new(adjacency: Adjacency, adversary: Adversary, class_of: &[usize]) -> Self {
        let count = class_of.iter().max().map_or(0, |last| last + 1);
        let mut classes = vec![ClassLedger { nodes: vec![], entries: vec![] }; count];
        for (node, &class) in class_of.iter().enumerate() {
            classes[class].nodes.push(node);
        }
        Self { adjacency, adversary, classes }
    }

    /// The most releases any node has made.
    pub fn releases_per_node(&self) -> u64 {
        self.classes.iter().map(ClassLedger::releases).max().unwrap_or(0)
    }
}
