//! How far the journal has been on disk for certain: a small file beside it, which is written after every wait for the disk.
//!
//! A journal that ends before its head has been cut short or replaced by an older copy. Two slots take turns, so that a power cut
//! in the middle of a write leaves the other one.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::Hash;

/// Offset, hash of the chain there, and the first eight bytes of the hash of both.
const SLOT: usize = 48;

/// The head file.
#[derive(Debug)]
pub(super) struct Head {
    file: File,
    written: u64,
}

impl Head {
    pub fn new(file: File) -> Self {
        Self { file, written: 0 }
    }

    /// The later of the slots that are whole.
    pub fn read(&self) -> io::Result<Option<(u64, Hash)>> {
        let mut bytes = [0; 2 * SLOT];
        let mut length = 0;
        while length < bytes.len() {
            match self.file.read_at(&mut bytes[length..], length as u64)? {
                0 => break,
                more => length += more,
            }
        }
        let slots = bytes[..length].as_chunks::<SLOT>().0.iter();
        Ok(slots.filter_map(decode).max_by_key(|(end, _)| *end))
    }

    /// Says that the journal is on disk up to here.
    pub fn write(&mut self, end: u64, hash: Hash) -> io::Result<()> {
        self.file.write_all_at(&encode(end, hash), (self.written % 2) * SLOT as u64)?;
        self.written += 1;
        Ok(())
    }

    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}

fn encode(end: u64, hash: Hash) -> [u8; SLOT] {
    let mut slot = [0; SLOT];
    slot[..8].copy_from_slice(&end.to_le_bytes());
    slot[8..40].copy_from_slice(&hash.0);
    let check = Hash::of(&slot[..40]);
    slot[40..].copy_from_slice(&check.0[..8]);
    slot
}

fn decode(slot: &[u8; SLOT]) -> Option<(u64, Hash)> {
    let end = u64::from_le_bytes(slot[..8].try_into().ok()?);
    let hash = Hash(slot[8..40].try_into().ok()?);
    (encode(end, hash) == *slot).then_some((end, hash))
}
