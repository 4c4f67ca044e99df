//! A transport within one process, with faults: for simulations of a network, and for tests of what has to survive it.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dido_mechanisms::{Key, Purpose, Stream};
use rand::RngExt;

use crate::{Event, Message, PartyId, Transport};

/// What goes wrong with a message, each with its probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Faults {
    /// It is lost.
    pub lost: f64,
    /// It comes twice.
    pub doubled: f64,
    /// It waits for up to so many looks of its receiver, and others overtake it.
    pub late: u32,
}

impl Faults {
    /// None.
    pub const NONE: Self = Self { lost: 0.0, doubled: 0.0, late: 0 };
}

/// Where the parties of one process meet.
#[derive(Debug)]
pub struct Hub {
    state: Mutex<State>,
    arrived: Condvar,
    faults: Faults,
    coins: Key,
}

#[derive(Debug, Default)]
struct State {
    desks: BTreeMap<PartyId, Desk>,
    /// Of all connections up to now.
    epoch: u64,
    /// Messages up to now.
    sent: u32,
}

/// The place of a party that is there.
#[derive(Debug)]
struct Desk {
    epoch: u64,
    neighbours: Vec<PartyId>,
    looks: u64,
    queue: Vec<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    /// The look that finds it.
    due: u64,
    /// The connection, at the other end.
    sender: Option<(PartyId, u64)>,
    event: Event,
}

impl Hub {
    /// A place with faults that follow from `seed` and the order of the messages.
    pub fn new(faults: Faults, seed: u64) -> Arc<Self> {
        let coins = Key::derive(seed, 0, 0);
        Arc::new(Self { state: Mutex::default(), arrived: Condvar::new(), faults, coins })
    }

    /// A party comes, or comes back: its neighbours that are there are told.
    pub fn join(self: &Arc<Self>, me: PartyId, neighbours: &[PartyId]) -> Memory {
        let mut state = self.lock();
        state.epoch += 1;
        let epoch = state.epoch;
        let mut queue = vec![];
        for id in neighbours {
            if let Some(desk) = state.desks.get_mut(id) {
                desk.queue.push(Waiting { due: 0, sender: None, event: Event::Up(me) });
                queue.push(Waiting { due: 0, sender: None, event: Event::Up(*id) });
            }
        }
        state.desks.insert(me, Desk { epoch, neighbours: neighbours.to_vec(), looks: 0, queue });
        self.arrived.notify_all();
        Memory { hub: Arc::clone(self), me, epoch }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One party's place at a [`Hub`]. It leaves when this is dropped.
#[derive(Debug)]
pub struct Memory {
    hub: Arc<Hub>,
    me: PartyId,
    epoch: u64,
}

/// How long a look waits before the next one.
const LOOK: Duration = Duration::from_micros(200);

impl Transport for Memory {
    fn send(&mut self, to: PartyId, message: Message) {
        let Faults { lost, doubled, late } = self.hub.faults;
        let mut state = self.hub.lock();
        state.sent = state.sent.wrapping_add(1);
        let stream = Stream::new(state.sent, Purpose::PublicCoin, 0).expect("the first draw");
        let mut rng = self.hub.coins.rng(stream);
        let copies = if rng.random_bool(lost) { 0 } else { 1 + usize::from(rng.random_bool(doubled)) };
        let (me, epoch) = (self.me, self.epoch);
        if let Some(desk) = state.desks.get_mut(&to) {
            for _ in 0..copies {
                let due = desk.looks + u64::from(rng.random_range(0..=late));
                let event = Event::Message(me, message.clone());
                desk.queue.push(Waiting { due, sender: Some((me, epoch)), event });
            }
        }
        self.hub.arrived.notify_all();
    }

    fn next(&mut self, wait: Duration) -> Option<Event> {
        let begun = Instant::now();
        let mut state = self.hub.lock();
        loop {
            let State { desks, .. } = &mut *state;
            let epochs: BTreeMap<PartyId, u64> = desks.iter().map(|(id, desk)| (*id, desk.epoch)).collect();
            let desk = desks.get_mut(&self.me).filter(|desk| desk.epoch == self.epoch)?;
            desk.looks += 1;
            // What was sent before its sender went has arrived; what it sent on an older connection than the present one has not.
            let alive = |waiting: &Waiting| {
                waiting.sender.is_none_or(|(id, epoch)| epochs.get(&id).is_none_or(|now| *now == epoch))
            };
            desk.queue.retain(alive);
            let looks = desk.looks;
            if let Some(place) = desk.queue.iter().position(|waiting| waiting.due <= looks) {
                return Some(desk.queue.remove(place).event);
            }
            let left = wait.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return None;
            }
            let waited = self.hub.arrived.wait_timeout(state, left.min(LOOK));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn close(&mut self) {}
}

impl Drop for Memory {
    fn drop(&mut self) {
        let mut state = self.hub.lock();
        let is_mine = |desk: &Desk| desk.epoch == self.epoch;
        if let Some(desk) = state.desks.get(&self.me).filter(|desk| is_mine(desk)) {
            let neighbours = desk.neighbours.clone();
            state.desks.remove(&self.me);
            for id in neighbours {
                if let Some(desk) = state.desks.get_mut(&id) {
                    let event = Event::Down(self.me, "it went away".to_owned());
                    desk.queue.push(Waiting { due: 0, sender: None, event });
                }
            }
        }
    }
}
