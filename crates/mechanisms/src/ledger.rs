//! What every node has released, in order: the only input of an accountant.

use serde::{Deserialize, Serialize};

use crate::{Adjacency, Adversary, Event, MechanismError};

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

    /// Adds releases of one event, a round for each, after those there are. For ledgers that no [`Gate`](crate::Gate)
    /// writes.
    pub fn push(&mut self, event: Event, releases: u64) {
        if releases > 0 {
            let first = self.entries.last().map_or(0, |entry| entry.last.saturating_add(1));
            let last = first.saturating_add(u32::try_from(releases - 1).unwrap_or(u32::MAX));
            self.entries.push(Entry { first, last, releases, event });
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

    /// The ledger of one node that released `events` in this order, each as often as it says.
    pub fn of(adjacency: Adjacency, adversary: Adversary, events: impl IntoIterator<Item = (Event, u64)>) -> Self {
        let mut ledger = Self::new(adjacency, adversary, &[0]);
        for (event, releases) in events {
            ledger.classes[0].push(event, releases);
        }
        ledger
    }

    /// The two ledgers side by side: of **disjoint** records, each of which is exposed by one of them only. What is
    /// worse counts, not the sum (parallel composition). The nodes of `other` are numbered after those of `self`.
    ///
    /// # Errors
    /// If the ledgers speak of other adjacencies or adversaries.
    pub fn beside(mut self, other: Self) -> Result<Self, MechanismError> {
        self.same_relation(&other)?;
        let nodes = self.classes.iter().flat_map(|class| &class.nodes).max().map_or(0, |last| last + 1);
        self.classes.extend(
            other.classes.into_iter().map(|class| ClassLedger {
                nodes: class.nodes.into_iter().map(|node| nodes + node).collect(),
                ..class
            }),
        );
        Ok(self)
    }

    /// The ledger of the same nodes that released what `self` says, and then `repeats` times what `other` says.
    ///
    /// # Errors
    /// If the ledgers are of other nodes, adjacencies or adversaries.
    pub fn then(mut self, other: &Self, repeats: u64) -> Result<Self, MechanismError> {
        self.same_relation(other)?;
        if !self.classes.iter().map(|c| &c.nodes).eq(other.classes.iter().map(|c| &c.nodes)) {
            return Err(MechanismError::OtherLedger);
        }
        for (class, more) in self.classes.iter_mut().zip(&other.classes) {
            for entry in &more.entries {
                class.push(entry.event, entry.releases.saturating_mul(repeats));
            }
        }
        Ok(self)
    }

    fn same_relation(&self, other: &Self) -> Result<(), MechanismError> {
        let same = self.adjacency == other.adjacency && self.adversary == other.adversary;
        if same { Ok(()) } else { Err(MechanismError::OtherLedger) }
    }

    /// The most releases any node has made.
    pub fn releases_per_node(&self) -> u64 {
        self.classes.iter().map(ClassLedger::releases).max().unwrap_or(0)
    }
}
