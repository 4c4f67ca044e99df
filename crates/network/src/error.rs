//! Why a party stops.

use std::time::Duration;

use crate::journal::JournalError;
use crate::{Hash, PartyId};

/// What ends a run, or this process of it. Nothing in a message depends on records.
#[derive(Debug, thiserror::Error)]
pub enum Halt {
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A neighbour says two things.
    #[error(
        "{from} sent two different frames for exchange {step} ({first} and {second}): both are kept in the journal, and the run is over"
    )]
    Equivocation {
        /// The neighbour.
        from: PartyId,
        /// The exchange.
        step: u64,
        /// The hash of the first frame.
        first: Hash,
        /// The hash of the second.
        second: Hash,
    },
    /// This party has forgotten something.
    #[error(
        "{by} holds frame {step} of this party ({hash}), of which the journal here does not know: it is an older copy, or another process \
         goes on with this run; nothing is sent any more"
    )]
    RolledBack {
        /// The neighbour.
        by: PartyId,
        /// Its latest frame.
        step: u64,
        /// The hash of that.
        hash: Hash,
    },
    /// There is another process.
    #[error("{by} knows of a later start of this party: another process goes on with this run, and this one stops")]
    Replaced {
        /// The neighbour.
        by: PartyId,
    },
    /// A neighbour broke the rules.
    #[error("{from} sent what no party sends: {what}")]
    Protocol {
        /// The neighbour.
        from: PartyId,
        /// What it did.
        what: String,
    },
    /// Somebody is missing for too long.
    #[error("exchange {step}: nothing from {} for {} s; the same command goes on from there", list(missing), waited.as_secs())]
    Straggler {
        /// The exchange.
        step: u64,
        /// Who is missing.
        missing: Vec<PartyId>,
        /// For how long.
        waited: Duration,
    },
    /// Somebody asked for it.
    #[error("stopped before exchange {step}; the same command goes on from there")]
    Stopped {
        /// The exchange that was not completed.
        step: u64,
    },
    /// A row that is not of the declared length.
    #[error("a row of {found} numbers, where {largest} are the most that parties send")]
    Width {
        /// Its length.
        found: usize,
        /// The longest.
        largest: usize,
    },
    /// A fail-point of a test.
    #[error("killed by a test")]
    Killed,
}

/// Parties in words.
pub(crate) fn list(parties: &[PartyId]) -> String {
    parties.iter().map(PartyId::to_string).collect::<Vec<_>>().join(", ")
}
