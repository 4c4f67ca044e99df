//! A party on its own machine.
#![doc = include_str!("../README.md")]

mod conversation;
mod error;
mod frame;
#[cfg(feature = "grpc")]
pub mod grpc;
mod identity;
mod journal;
mod manifest;
mod memory;
mod message;
mod neighbour;
mod party;
mod settings;
mod transport;

pub use error::Halt;
pub use frame::{Frame, FrameError, length};
pub use identity::{Hash, PartyId, RunId};
pub use journal::{CommittedFrame, Input, Journal, JournalError, Mixture, Owner, RecordedRun, RunFacts};
pub use manifest::{Field, Manifest};
pub use memory::{Faults, Hub, Memory};
pub use message::{Farewell, Hello, Message, PROTOCOL};
pub use neighbour::Standing;
pub use party::PartyNetwork;
pub use settings::{Patience, Point, Settings, Waiting};
pub use transport::{Event, Transport};
