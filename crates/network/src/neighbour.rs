//! What a party knows of one neighbour.

use std::sync::Arc;
use std::time::Instant;

use crate::frame::{Frame, FrameError};
use crate::{Hash, PartyId, RunId};

/// How a neighbour stands, for people who wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// No connection yet, or none any more; why, if that is known.
    Away(String),
    /// Connected, and not yet introduced.
    Connected,
    /// It takes part.
    Present,
    /// It was refused, or refuses us.
    Refused(String),
    /// It has all frames of the run.
    Done,
}

/// A frame that came, with its bytes: evidence, if another one comes.
#[derive(Clone, Debug)]
pub(crate) struct Arrived {
    pub frame: Frame,
    pub bytes: Arc<[u8]>,
}

/// One neighbour.
#[derive(Debug)]
pub(crate) struct Neighbour {
    pub id: PartyId,
    pub standing: Standing,
    /// The highest start that was seen, and its process.
    start: (u64, u64),
    /// The frames of the exchange that is under way, and of the next one.
    slots: [Option<Arrived>; 2],
    /// The latest frame that went into an average.
    used: Option<(u64, Hash)>,
    /// When something came from it.
    pub heard: Instant,
}

/// What a frame of a neighbour is.
#[derive(Debug)]
pub(crate) enum Receipt {
    /// New, and kept.
    New,
    /// Known.
    Duplicate,
    /// Of an exchange that is over: the journal knows which frame was used.
    Past(Frame),
    /// Another one than came before.
    Equivocation { step: u64, first: Arc<[u8]> },
    /// None, or of a future that cannot be.
    Wrong(String),
}

impl Neighbour {
    pub fn new(id: PartyId, used: Option<(u64, Hash)>) -> Self {
        let standing = Standing::Away("not yet connected".to_owned());
        Self { id, standing, start: (0, 0), slots: [None, None], used, heard: Instant::now() }
    }

    /// Whether frames go to it and are taken from it.
    pub fn is_present(&self) -> bool {
        matches!(self.standing, Standing::Present | Standing::Done)
    }

    /// Whether a start of it is not older than those that were seen.
    pub fn admits(&mut self, incarnation: u64, process: u64) -> bool {
        let (latest, known) = self.start;
        let admitted = incarnation > latest || (incarnation == latest && process == known);
        if admitted {
            self.start = (incarnation, process);
        }
        admitted
    }

    /// The latest frame of it that is here.
    pub fn latest(&self) -> Option<(u64, Hash)> {
        let arrived = self.slots.iter().rev().flatten().next();
        arrived.map(|arrived| (arrived.frame.step, arrived.frame.hash)).or(self.used)
    }

    /// Takes the bytes of a frame, in exchange `now`. No frame has more than `largest` numbers.
    pub fn take(&mut self, bytes: &Arc<[u8]>, run: RunId, now: u64, largest: usize) -> Receipt {
        self.heard = Instant::now();
        let frame = match count(bytes.len(), largest).and_then(|count| Frame::decode(bytes, run, self.id, count)) {
            Ok(frame) => frame,
            Err(error) => return Receipt::Wrong(error.to_string()),
        };
        let step = frame.step;
        if step < now {
            return Receipt::Past(frame);
        }
        let Some(slot) = usize::try_from(step - now).ok().and_then(|ahead| self.slots.get_mut(ahead)) else {
            return Receipt::Wrong(format!("a frame of exchange {step} in exchange {now}"));
        };
        match slot {
            None => {
                *slot = Some(Arrived { frame, bytes: Arc::clone(bytes) });
                Receipt::New
            }
            Some(known) if known.bytes == *bytes => Receipt::Duplicate,
            Some(known) => Receipt::Equivocation { step, first: Arc::clone(&known.bytes) },
        }
    }

    /// The frame of the exchange that is under way.
    pub fn current(&self) -> Option<&Frame> {
        self.slots[0].as_ref().map(|arrived| &arrived.frame)
    }

    /// The exchange is over: the frame went into the average.
    pub fn advance(&mut self) {
        self.used = self.slots[0].take().map(|arrived| (arrived.frame.step, arrived.frame.hash)).or(self.used);
        self.slots.swap(0, 1);
    }

    /// The exchange is over, and was before this process began.
    pub fn skip(&mut self, step: u64, hash: Hash) {
        self.used = Some((step, hash));
    }
}

/// The numbers in a frame of so many bytes.
fn count(bytes: usize, largest: usize) -> Result<usize, FrameError> {
    let empty = crate::frame::length(0).expect("a short frame");
    let count = bytes.saturating_sub(empty) / 8;
    if count > largest {
        let expected = crate::frame::length(largest).unwrap_or(usize::MAX);
        return Err(FrameError::Length { found: bytes, count: largest, expected });
    }
    Ok(count)
}
