//! What carries messages.

use std::time::Duration;

use crate::{Message, PartyId};

/// A way to the neighbours of one party, on which faults are normal: messages may be lost, doubled, late or out of order, and
/// connections end and come back. What it must not do is to invent: a message is one that this neighbour sent, as its certificate
/// proves, and its bytes are whole.
///
/// The calls come from one thread. Nothing is answered while that computes: messages wait in a queue of bounded size.
pub trait Transport: Send {
    /// Sends, if there is a connection; otherwise the message is lost.
    fn send(&mut self, to: PartyId, message: Message);

    /// What happens next, if it happens within `wait`.
    fn next(&mut self, wait: Duration) -> Option<Event>;

    /// Sends what is under way, and ends all connections.
    fn close(&mut self);
}

/// What a transport has to tell.
#[derive(Clone, Debug)]
pub enum Event {
    /// There is a connection: a new one, even if there was one before.
    Up(PartyId),
    /// There is none any more.
    Down(PartyId, String),
    /// A message.
    Message(PartyId, Message),
    /// Somebody was turned away: who, as far as it is known, and why.
    Refused(String, String),
}
