//! A ledger of noise that was never drawn.

use dido_mechanisms::{Adjacency, Adversary, Base, Entry, Event, Ledger};

use super::sample::Sample;

/// One node's releases, equal or not, that look at samples or at everything.
#[derive(Clone, Debug)]
pub struct Run {
    pub adjacency: Adjacency,
    pub sampling: Option<Sample>,
    /// What is released, and how often.
    pub releases: Vec<(Base, u64)>,
}

impl Run {
    pub fn ledger(&self) -> Ledger {
        let mut ledger = Ledger::new(self.adjacency, Adversary::AllMessages, &[0]);
        let mut first: u32 = 0;
        for &(base, releases) in self.releases.iter().filter(|(_, releases)| *releases > 0) {
            let event = match self.sampling {
                Some(sample) => Event::Sampled { sampling: sample.sampling(), base },
                None => base.into(),
            };
            // Rounds only say where an entry stands: a run longer than their numbers stays at the last one.
            let last = u32::try_from(releases - 1).map_or(u32::MAX, |more| first.saturating_add(more));
            ledger.classes[0].entries.push(Entry { first, last, releases, event });
            first = last.saturating_add(1);
        }
        ledger
    }
}
