//! What parties say to each other.

use std::sync::Arc;

use crate::manifest::Manifest;
use crate::{Hash, RunId};

/// The version of these messages: parties of other versions are refused.
pub const PROTOCOL: u32 = 1;

/// A message to a neighbour. Each is idempotent: it may be sent, and may come, any number of times.
#[derive(Clone, Debug)]
pub enum Message {
    /// The first one, from both sides, on every new connection.
    Hello(Arc<Hello>),
    /// A committed frame.
    Push(Arc<[u8]>),
    /// Asks for the frame of an exchange once more.
    Pull(u64),
    /// The last one.
    Bye(Farewell),
}

/// Who is there, and how far.
#[derive(Clone, Debug, PartialEq)]
pub struct Hello {
    /// [`PROTOCOL`].
    pub version: u32,
    /// The run.
    pub run: RunId,
    /// What its files say.
    pub manifest: Manifest,
    /// How often it was started, this time included.
    pub incarnation: u64,
    /// Drawn by each process when it starts: two that share it are one.
    pub process: u64,
    /// The latest frame of the receiver that the sender holds, and its hash. What it does not fit into has forgotten something.
    pub seen: Option<(u64, Hash)>,
}

/// Why a party goes. A short list: nothing in it depends on data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Farewell {
    /// It holds all frames of the run.
    Done,
    /// It was told to stop, and will come back.
    Stopping,
    /// It speaks another version.
    Version(u32),
    /// It takes part in another run.
    Run,
    /// Its files differ in this field.
    Manifest(String),
    /// A later start of the receiver, or another process with the same number, is known.
    Stale,
    /// The receiver, or another neighbour, sent two frames for one exchange.
    Equivocation,
    /// A message that no party sends.
    Protocol,
}
