//! A journal as it is read: from its first record to its last.

use std::fs::File;
use std::io;
use std::path::Path;

use super::chain::{Chain, Place, Tail};
use super::record::{Record, Spent, decode};
use super::{JournalError, Owner, RecordedRun};
use crate::Hash;
use crate::frame::hash_of;

/// What the records say, in order.
#[derive(Default)]
pub(super) struct History {
    pub owner: Option<Owner>,
    pub incarnation: u64,
    pub runs: Vec<RecordedRun>,
    pub frames: Vec<Place>,
    pub mixtures: Vec<Place>,
}

impl History {
    /// Reads a journal that has been on disk up to its head, if that is `known`.
    pub fn read(
        &mut self,
        path: &Path,
        file: &File,
        known: Option<(u64, Hash)>,
    ) -> Result<(Chain, Tail), JournalError> {
        let damaged = |what: String| JournalError::Damaged { path: path.to_owned(), what };
        let mut reaches = known.is_none();
        let opened = Chain::open(file, |place, body, here| {
            reaches |= known == Some(here);
            self.note(place, body).map_err(|what| Stop::Wrong(format!("the record at byte {}: {what}", place.offset)))
        });
        let (chain, tail) = opened.map_err(|stop| match stop {
            Stop::Io(source) => JournalError::Io { path: path.to_owned(), source },
            Stop::Wrong(what) => damaged(what),
        })?;
        match known {
            Some((end, _)) if !reaches && tail.end < end => {
                Err(damaged(format!("it has {} bytes, and had {end}: it was cut short, or is an older copy", tail.end)))
            }
            _ if !reaches => {
                Err(damaged(format!("it is not as it was written, from byte {} on at the latest", tail.whole)))
            }
            _ => Ok((chain, tail)),
        }
    }

    fn note(&mut self, place: Place, body: &[u8]) -> Result<(), String> {
        let (record, bytes) = decode(body)?;
        if self.owner.is_none() != matches!(record, Record::Journal(_)) {
            return Err("it does not begin with its owner".to_owned());
        }
        let count = |places: &[Place]| places.len() as u64;
        match record {
            Record::Journal(owner) => self.owner = Some(owner),
            Record::Start { incarnation } => self.incarnation = incarnation,
            Record::Run(facts) => {
                self.runs.push(RecordedRun { facts, entries: vec![], committed: 0, done: false });
                (self.frames, self.mixtures) = (vec![], vec![]);
            }
            Record::Commit { step, spent } if step == count(&self.frames) => {
                spend(self.run()?, &spent)?;
                self.run()?.committed = step + 1;
                hash_of(bytes).ok_or("a frame without a hash")?;
                self.frames.push(place);
            }
            Record::Mixed { step, .. } if step == count(&self.mixtures) => self.mixtures.push(place),
            Record::Commit { step, .. } | Record::Mixed { step, .. } => {
                return Err(format!("exchange {step} is out of order"));
            }
            Record::Equivocation { .. } => {}
            Record::Done { spent } => {
                spend(self.run()?, &spent)?;
                self.run()?.done = true;
            }
        }
        Ok(())
    }

    fn run(&mut self) -> Result<&mut RecordedRun, String> {
        self.runs.last_mut().ok_or_else(|| "no run has begun".to_owned())
    }
}

fn spend(run: &mut RecordedRun, spent: &Spent) -> Result<(), String> {
    spent
        .continues(&mut run.entries)
        .ok_or_else(|| "what was spent does not go on from what was spent before".to_owned())
}

/// Why reading stops.
enum Stop {
    Io(io::Error),
    Wrong(String),
}

impl From<io::Error> for Stop {
    fn from(source: io::Error) -> Self {
        Self::Io(source)
    }
}
