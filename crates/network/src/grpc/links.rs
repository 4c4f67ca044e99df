//! The live connections: at most one for each neighbour.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, mpsc};

use super::wire::Envelope;
use crate::PartyId;

/// Messages that wait for one connection.
pub(super) const QUEUE: usize = 32;

/// The connections of one party.
#[derive(Debug)]
pub(super) struct Links {
    live: Mutex<Live>,
    /// Whenever a connection ends.
    pub ended: Notify,
}

#[derive(Debug, Default)]
struct Live {
    /// Connections up to now, and those that have not been given back.
    count: u64,
    open: u64,
    /// No more are taken.
    closed: bool,
    links: BTreeMap<PartyId, Link>,
}

#[derive(Debug)]
struct Link {
    number: u64,
    dialler: PartyId,
    outgoing: mpsc::Sender<Envelope>,
    /// Ends the task that reads from it.
    over: Arc<Notify>,
}

/// A connection that was taken.
#[derive(Debug)]
pub(super) struct Taken {
    /// Its number, to give it back.
    pub number: u64,
    /// What is to be sent.
    pub outgoing: mpsc::Receiver<Envelope>,
    /// Another one has taken its place.
    pub over: Arc<Notify>,
}

impl Links {
    pub fn new() -> Arc<Self> {
        Arc::new(Self { live: Mutex::default(), ended: Notify::new() })
    }

    /// Takes a connection to `peer` that `dialler` has opened.
    ///
    /// If there is one already, that of the party with the lower number stays; a second one of the same dialler takes the place of
    /// the first, which must be dead, since nobody dials twice.
    pub fn take(&self, peer: PartyId, dialler: PartyId) -> Option<Taken> {
        let mut live = self.lock();
        if live.closed {
            return None;
        }
        if let Some(link) = live.links.get(&peer) {
            if dialler > link.dialler {
                return None;
            }
            link.over.notify_one();
        }
        live.count += 1;
        live.open += 1;
        let (number, over) = (live.count, Arc::new(Notify::new()));
        let (sender, outgoing) = mpsc::channel(QUEUE);
        live.links.insert(peer, Link { number, dialler, outgoing: sender, over: Arc::clone(&over) });
        Some(Taken { number, outgoing, over })
    }

    /// Gives a connection back. Whether it was still the one to `peer`.
    pub fn give_back(&self, peer: PartyId, number: u64) -> bool {
        let mut live = self.lock();
        let current = live.links.get(&peer).is_some_and(|link| link.number == number);
        if current {
            live.links.remove(&peer);
        }
        live.open -= 1;
        drop(live);
        self.ended.notify_waiters();
        current
    }

    pub fn is_connected(&self, peer: PartyId) -> bool {
        self.lock().links.contains_key(&peer)
    }

    /// Queues a message. If the queue is full, or nobody is there, it is lost.
    pub fn send(&self, peer: PartyId, envelope: Envelope) {
        if let Some(link) = self.lock().links.get(&peer) {
            // What is lost is asked for again.
            let _ = link.outgoing.try_send(envelope);
        }
    }

    /// Ends all connections as soon as what is queued has been sent, and the other side has heard it.
    pub async fn close(&self) {
        let mut ended = pin!(self.ended.notified());
        {
            let mut live = self.lock();
            live.closed = true;
            live.links.clear();
        }
        loop {
            ended.as_mut().enable();
            if self.lock().open == 0 {
                return;
            }
            ended.as_mut().await;
            ended.set(self.ended.notified());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_connection_stays_and_both_sides_choose_the_same() {
        let (low, high) = (PartyId(1), PartyId(5));
        for peer in [high, low] {
            let links = Links::new();
            let first = links.take(peer, high).unwrap();
            let second = links.take(peer, low).unwrap();
            assert!(links.take(peer, high).is_none());
            assert!(!links.give_back(peer, first.number) && links.is_connected(peer));
            // The same dialler has come back.
            let third = links.take(peer, low).unwrap();
            assert!(!links.give_back(peer, second.number));
            assert!(links.give_back(peer, third.number) && !links.is_connected(peer));
            assert!(links.take(peer, high).is_some());
        }
    }

    #[test]
    fn a_full_queue_loses_messages_and_nothing_waits() {
        let links = Links::new();
        let mut taken = links.take(PartyId(1), PartyId(0)).unwrap();
        (0..3 * QUEUE).for_each(|_| links.send(PartyId(1), Envelope::default()));
        links.send(PartyId(2), Envelope::default());
        let mut received = 0;
        while taken.outgoing.try_recv().is_ok() {
            received += 1;
        }
        assert_eq!(received, QUEUE);
    }
}
