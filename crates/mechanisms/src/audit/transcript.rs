//! What was sent, and the gate that answers with it again.

use std::fmt;
use std::sync::Arc;

use dido_geometry::{Rows, Shape};

use crate::carry::{Carry, kept};
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

    /// Keeps `value`, less the noise that it carries on, and puts the message of the transcript in its place.
    pub(crate) fn answer(
        &mut self,
        round: u32,
        mechanism: Mechanism,
        carry: Option<&Carry>,
        value: &mut Rows,
    ) -> Result<(), MechanismError> {
        let release = self.values.len();
        let other = MechanismError::OtherTranscript { release, round };
        let Some(recorded) = self.transcript.releases.get(release) else { return Err(other) };
        let same = recorded.round == round && recorded.mechanism == mechanism;
        if !same || recorded.rows.shape() != value.shape() {
            return Err(other);
        }
        if let Some(carry) = carry {
            self.take_out(carry, value);
        }
        let mut answer = recorded.rows.clone();
        std::mem::swap(value, &mut answer);
        answer.set_secret(true);
        self.values.push(answer);
        Ok(())
    }

    /// Here the noise of a message is what is between it and the value that was kept.
    fn take_out(&self, carry: &Carry, value: &mut Rows) {
        let Shape { nodes, lanes, dim } = value.shape();
        let awake = |release: usize, node: usize| {
            self.transcript.releases[release].awake.as_ref().is_none_or(|awake| awake[node])
        };
        for node in (0..nodes).filter(|&node| awake(self.values.len(), node)) {
            let Some((keep, latest)) = carry.of(node) else { continue };
            let Some(before) = (0..self.values.len()).rev().find(|&release| awake(release, node)) else { continue };
            for lane in 0..lanes {
                let message = self.transcript.releases[before].rows.row(node, lane);
                let mean = self.values[before].row(node, lane);
                let row = &mut value.as_mut_slice()[(node * lanes + lane) * dim..][..dim];
                for ((x, message), mean) in row.iter_mut().zip(message).zip(mean) {
                    *x = match latest.mechanism.grid() {
                        None => *x - keep * (message - mean),
                        Some(grid) => {
                            let noise = grid.nearest(*message).saturating_sub(grid.nearest(*mean));
                            grid.value(grid.nearest(*x).saturating_sub(kept(keep, noise)))
                        }
                    };
                }
            }
        }
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
