//! What was sent, and the gate that answers with it again.

use std::fmt;
use std::sync::Arc;

use dido_geometry::Rows;

use crate::{Mechanism, MechanismError};

/// Everything that left a gate, release by release: what an adversary who sees all messages has.
///
/// Made by a gate that is [recording](crate::Gate::recording), or by [`record`](Self::record) from messages that were
/// stored otherwise. It holds public values only.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    releases: Vec<Release>,
}

/// One release of all nodes and lanes.
#[derive(Clone, Debug)]
pub(super) struct Release {
    pub round: u32,
    pub mechanism: Mechanism,
    pub rows: Rows,
    /// Which nodes released; nothing if all did.
    pub awake: Option<Arc<[bool]>>,
}

impl Transcript {
    /// Adds what left in `round`, and the mechanism that it is said to have gone through. Releases come in order.
    pub fn record(&mut self, round: u32, mechanism: Mechanism, rows: Rows) {
        self.record_of_nodes(round, mechanism, rows, None);
    }

    /// The same, where some nodes slept: their rows are what they hold.
    pub(crate) fn record_of_nodes(&mut self, round: u32, mechanism: Mechanism, rows: Rows, awake: Option<Arc<[bool]>>) {
        self.releases.push(Release { round, mechanism, rows, awake });
    }

    /// How many releases there are.
    pub fn len(&self) -> usize {
        self.releases.len()
    }

    /// Whether nothing was released.
    pub fn is_empty(&self) -> bool {
        self.releases.is_empty()
    }

    /// The messages of the releases, in order: each `nodes x lanes x dim`.
    pub fn messages(&self) -> impl Iterator<Item = &Rows> {
        self.releases.iter().map(|release| &release.rows)
    }

    pub(super) fn releases(&self) -> &[Release] {
        &self.releases
    }
}

/// The inside of a gate that answers with a transcript: it keeps what would have been released before the noise.
pub(crate) struct Replay {
    transcript: Arc<Transcript>,
    /// Secret: they are wiped when the gate is dropped.
    values: Vec<Rows>,
}

impl Replay {
    pub(crate) fn new(transcript: Arc<Transcript>) -> Self {
        Self { transcript, values: vec![] }
    }

    /// Keeps `value` and puts the message of the transcript in its place.
    pub(crate) fn answer(&mut self, round: u32, mechanism: Mechanism, value: &mut Rows) -> Result<(), MechanismError> {
        let release = self.values.len();
        let other = MechanismError::OtherTranscript { release, round };
        let Some(recorded) = self.transcript.releases.get(release) else { return Err(other) };
        let same = recorded.round == round && recorded.mechanism == mechanism;
        if !same || recorded.rows.shape() != value.shape() {
            return Err(other);
        }
        let mut answer = recorded.rows.clone();
        std::mem::swap(value, &mut answer);
        answer.set_secret(true);
        self.values.push(answer);
        Ok(())
    }

    pub(super) fn transcript(&self) -> &Arc<Transcript> {
        &self.transcript
    }

    pub(super) fn values(&self) -> &[Rows] {
        &self.values
    }
}

/// Shows how far the replay is, never a value.
impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Replay({} of {} releases)", self.values.len(), self.transcript.len())
    }
}
