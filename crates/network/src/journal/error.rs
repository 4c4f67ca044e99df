//! Why a journal cannot be used.

use std::io;
use std::path::PathBuf;

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// From the operating system.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What it says.
        source: io::Error,
    },
    /// Another process writes it.
    #[error("{path}: another process is running this party on this data set")]
    Locked {
        /// The lock.
        path: PathBuf,
    },
    /// What was written is not there any more, or not as it was written. There is nothing to be repaired: what has left cannot be
    /// known any more.
    #[error(
        "{path}: {what}; this run cannot go on, since what has left is not known: begin a new run, under a new name, with a new key"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The journal is that of something else.
    #[error("{path}: the journal is for {field} {found}, not {asked}")]
    Other {
        /// The file.
        path: PathBuf,
        /// What differs.
        field: &'static str,
        /// What the journal says.
        found: String,
        /// What was asked for.
        asked: String,
    },
    /// A frame that is no next one.
    #[error("exchange {step} cannot be written down: {committed} are")]
    OutOfOrder {
        /// Its number.
        step: u64,
        /// How many there are.
        committed: u64,
    },
    /// What is computed again differs from what has left.
    #[error(
        "exchange {step} was sent with other numbers than are computed now: data, program or machine have changed since; begin a new run"
    )]
    Recomputed {
        /// Its number.
        step: u64,
    },
}
