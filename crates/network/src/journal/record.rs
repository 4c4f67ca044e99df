//! What the records of a journal say.

use dido_mechanisms::{Entry, Ledger};
use serde::{Deserialize, Serialize};

use crate::{Hash, PartyId, RunId};

/// A record. What is large stands behind it as bytes: see [`encode`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Record {
    /// The first one.
    Journal(Owner),
    /// A run begins.
    Run(RunFacts),
    /// A process takes the journal over.
    Start { incarnation: u64 },
    /// A frame may leave: its bytes follow. What was released since the last such record is in `spent`.
    Commit { step: u64, spent: Spent },
    /// All frames of an exchange are here and are averaged: the mixed row follows.
    Mixed { step: u64, inputs: Vec<Input> },
    /// A neighbour sent two frames for one exchange: the hash and the bytes of both follow.
    Equivocation { from: PartyId, step: u64, first: u64 },
    /// The run is over, and all exchanges are done.
    Done { spent: Spent },
}

/// Whose journal it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Owner {
    /// The name of the party.
    pub party: String,
    /// What the party calls its data: all runs on them are in one journal.
    pub data_set: String,
}

/// What a run is, of which nothing may change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunFacts {
    /// Its name.
    pub run: RunId,
    /// The party.
    pub from: PartyId,
    /// The hash of what all parties have to agree on.
    pub manifest: Hash,
    /// SHA-256 of the party's data, as hexadecimal digits. It stays in the journal.
    pub data: String,
}

/// The part of a ledger that has changed since the last record: its entries from number `from` on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Spent {
    from: usize,
    entries: Vec<Entry>,
}

/// A frame that went into an average.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Who sent it.
    pub from: PartyId,
    /// Its hash.
    pub hash: Hash,
}

impl Spent {
    /// What `now` has beyond `before`: both of the one class of a party.
    pub fn between(before: &[Entry], now: &[Entry]) -> Self {
        let from = before.iter().zip(now).take_while(|(before, now)| before == now).count();
        Self { from, entries: now[from..].to_vec() }
    }

    /// Adds it to what was known; nothing if it is no continuation.
    pub fn continues(&self, entries: &mut Vec<Entry>) -> Option<()> {
        // Only the last entry can grow: nothing that is spent can be taken back.
        let grows = |old: &Entry, new: &Entry| {
            (old.first, old.event) == (new.first, new.event) && old.last <= new.last && old.releases <= new.releases
        };
        match entries.len().checked_sub(self.from)? {
            0 => {}
            1 if grows(entries.last()?, self.entries.first()?) => {}
            _ => return None,
        }
        entries.truncate(self.from);
        entries.extend(&self.entries);
        Some(())
    }
}

/// The entries of the one class of a party.
pub(super) fn entries(ledger: &Ledger) -> &[Entry] {
    ledger.classes.first().map_or(&[], |class| &class.entries)
}

/// A record and its bytes as the body of a record of the chain.
pub(super) fn encode(record: &Record, bytes: &[&[u8]]) -> Vec<u8> {
    let text = serde_json::to_vec(record).expect("records have string keys and finite numbers");
    let length = u32::try_from(text.len()).expect("a record of less than 4 GiB");
    let mut body = Vec::with_capacity(4 + text.len() + bytes.iter().map(|part| part.len()).sum::<usize>());
    body.extend(length.to_le_bytes());
    body.extend(text);
    for part in bytes {
        body.extend_from_slice(part);
    }
    body
}

/// A body as its record and bytes.
pub(super) fn decode(body: &[u8]) -> Result<(Record, &[u8]), String> {
    let short = || "a record without its text".to_owned();
    let (length, rest) = body.split_first_chunk().ok_or_else(short)?;
    let (text, bytes) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(short)?;
    Ok((serde_json::from_slice(text).map_err(|error| error.to_string())?, bytes))
}
