//! What a party is told before it begins, and what it tells while it waits.

use std::time::Duration;

use crate::manifest::Manifest;
use crate::{PartyId, RunId, Standing};

/// How long a party waits for its neighbours. Waiting releases nothing, so it costs no privacy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// For ever.
    Wait,
    /// So long without a word of those that are missing; the run can be resumed.
    Stop(Duration),
}

/// A party, beside its journal and transport.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The run.
    pub run: RunId,
    /// The party.
    pub me: PartyId,
    /// The parties in its row of the mixing matrix, itself included, ascending, and their weights.
    pub row: (Vec<usize>, Vec<f64>),
    /// What all parties have to agree on.
    pub manifest: Manifest,
    /// The most numbers that a frame has.
    pub largest: usize,
    /// How long it waits.
    pub patience: Patience,
    /// After how long without a word it asks again for what is missing.
    pub ask_after: Duration,
}

/// Places where a process can be killed by a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// The numbers are computed, nothing is written down.
    BeforeCommit,
    /// The frame is on disk, and has not been sent.
    AfterCommit,
    /// It has been sent.
    AfterSend,
    /// A message was taken.
    AfterReceive,
    /// The average is written down, perhaps not yet on disk.
    AfterMixture,
}

/// What a party waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The exchange.
    pub step: u64,
    /// Who is missing, and how they stand.
    pub missing: Vec<(PartyId, Standing)>,
    /// For how long.
    pub waited: Duration,
}
