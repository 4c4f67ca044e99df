//! The file of a journal: records, each hashed together with all before it.
//!
//! A record is its length (4 bytes, little-endian), its body, and 32 bytes of BLAKE3 over the hash before and the body. So no
//! record can be changed, left out, doubled or moved without breaking all that follow. What a body means is not known here.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;

use crate::Hash;

/// Before the first record.
const START: &[u8] = b"dido journal 1";
const LENGTH: usize = 4;
const HASH: usize = 32;

/// An append-only file of chained records, read to its end.
#[derive(Debug)]
pub(super) struct Chain {
    file: File,
    hash: Hash,
    end: u64,
}

/// Where the file stops to make sense, and where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tail {
    /// The end of the last record that is whole.
    pub whole: u64,
    /// The end of the file.
    pub end: u64,
}

/// Where the body of a record lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub offset: u64,
    pub length: u32,
}

impl Chain {
    /// A chain without records.
    pub fn create(file: File) -> Self {
        Self { file, hash: Hash::of(START), end: 0 }
    }

    /// Reads the records in order, each with its place, the end and the hash after it, up to the first that is not whole.
    ///
    /// `each` may stop with a message.
    pub fn open<E: From<io::Error>>(
        file: &File,
        mut each: impl FnMut(Place, &[u8], (u64, Hash)) -> Result<(), E>,
    ) -> Result<(Self, Tail), E> {
        let size = file.metadata()?.len();
        let mut chain = Self::create(file.try_clone()?);
        let mut reader = BufReader::with_capacity(1 << 20, file);
        let mut body = vec![];
        while let Some(length) = next_length(&mut reader, size - chain.end)? {
            body.resize(length as usize, 0);
            let mut found = [0; HASH];
            reader.read_exact(&mut body)?;
            reader.read_exact(&mut found)?;
            let hash = chained(chain.hash, &body);
            if hash.0 != found {
                break;
            }
            let place = Place { offset: chain.end + LENGTH as u64, length };
            (chain.hash, chain.end) = (hash, place.offset + u64::from(length) + HASH as u64);
            each(place, &body, (chain.end, chain.hash))?;
        }
        let tail = Tail { whole: chain.end, end: size };
        Ok((chain, tail))
    }

    /// Forgets what is not whole.
    pub fn cut_off_tail(&self) -> io::Result<()> {
        self.file.set_len(self.end)?;
        self.file.sync_all()
    }

    /// Appends a record. It is on disk after [`sync`](Self::sync) only.
    pub fn append(&mut self, body: &[u8]) -> io::Result<Place> {
        let too_long = |_| io::Error::new(io::ErrorKind::FileTooLarge, "a record of 4 GiB");
        let length = u32::try_from(body.len()).map_err(too_long)?;
        let hash = chained(self.hash, body);
        let record = [&length.to_le_bytes()[..], body, &hash.0].concat();
        self.file.write_all_at(&record, self.end)?;
        let place = Place { offset: self.end + LENGTH as u64, length };
        (self.hash, self.end) = (hash, self.end + record.len() as u64);
        Ok(place)
    }

    /// Waits until all that was appended is on disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// The body of a record.
    pub fn read(&self, place: Place) -> io::Result<Vec<u8>> {
        let mut body = vec![0; place.length as usize];
        self.file.read_exact_at(&mut body, place.offset)?;
        Ok(body)
    }

    /// The end of the last record, and the hash of all.
    pub fn head(&self) -> (u64, Hash) {
        (self.end, self.hash)
    }
}

/// The length of the next body, if the file is long enough for the record.
fn next_length(reader: &mut impl Read, left: u64) -> io::Result<Option<u32>> {
    if left < LENGTH as u64 {
        return Ok(None);
    }
    let mut length = [0; LENGTH];
    reader.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    Ok(Some(length).filter(|&length| (LENGTH + HASH) as u64 + u64::from(length) <= left))
}

fn chained(before: Hash, body: &[u8]) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&before.0).update(body);
    Hash(*hasher.finalize().as_bytes())
}
