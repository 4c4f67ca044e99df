//! A plan that a gate keeps to.

use crate::{ClassLedger, Entry, Event, Ledger, MechanismError};

/// The ledger that a run was planned to write: what has left is always a beginning of it.
#[derive(Clone, Debug)]
pub(crate) struct Plan(Ledger);

impl Plan {
    /// A plan for the nodes of `ledger`, which has to be a beginning of it.
    pub(crate) fn new(plan: Ledger, ledger: &Ledger) -> Result<Self, MechanismError> {
        let plan = Self(plan);
        plan.begins_with(ledger)?;
        Ok(plan)
    }

    /// Whether `ledger` is a beginning of the plan.
    pub(crate) fn begins_with(&self, ledger: &Ledger) -> Result<(), MechanismError> {
        let Self(plan) = self;
        let same_nodes = ledger.classes.iter().map(|c| &c.nodes).eq(plan.classes.iter().map(|c| &c.nodes));
        if !same_nodes || ledger.adjacency != plan.adjacency || ledger.adversary != plan.adversary {
            return Err(MechanismError::OtherLedger);
        }
        for (class, (found, planned)) in ledger.classes.iter().zip(&plan.classes).enumerate() {
            for (number, entry) in found.entries.iter().enumerate() {
                let planned = planned.entries.get(number).filter(|planned| begins(planned, entry));
                let Some(planned) = planned else { return Err(self.off(class, entry.last)) };
                // A run that another one follows has to be over.
                if let Some(next) = found.entries.get(number + 1).filter(|_| planned != entry) {
                    return Err(self.off(class, next.first));
                }
            }
        }
        Ok(())
    }

    /// Whether `event` of class number `class` in `round` is the next one after `ledger`, which is a beginning of the
    /// plan.
    pub(crate) fn allows(
        &self,
        class: usize,
        ledger: &ClassLedger,
        round: u32,
        event: Event,
    ) -> Result<(), MechanismError> {
        let mut next = ClassLedger { nodes: vec![], entries: ledger.entries.last().copied().into_iter().collect() };
        next.record(round, event);
        // A run that ends here has to be over in the plan too.
        let before = ledger.entries.len().saturating_sub(1);
        let planned = self.0.classes[class].entries.get(before..).unwrap_or_default();
        let fits = match (next.entries.as_slice(), planned) {
            ([entry], [p, ..]) => begins(p, entry),
            ([over, entry], [p, q, ..]) => over == p && begins(q, entry),
            _ => false,
        };
        if fits { Ok(()) } else { Err(self.off(class, round)) }
    }

    fn off(&self, class: usize, round: u32) -> MechanismError {
        MechanismError::OffPlan { round, node: self.0.classes[class].nodes.first().copied().unwrap_or_default() }
    }
}

/// Whether a run of equal releases that goes on as planned can be `entry` now: every planned round has at least one.
fn begins(planned: &Entry, entry: &Entry) -> bool {
    let rounds_left = planned.last.checked_sub(entry.last).map(u64::from);
    let releases_left = planned.releases.checked_sub(entry.releases);
    let ends_in_time = match (rounds_left, releases_left) {
        (Some(rounds), Some(releases)) => releases >= rounds,
        _ => false,
    };
    planned.event == entry.event && planned.first == entry.first && ends_in_time
}
