//! The rounds of one party: the network that an algorithm sees.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dido_geometry::Rows;
use dido_mechanisms::{Key, Ledger};
use dido_optimizers::{Network, NetworkError};
use dido_topology::weighted_rows;

use crate::neighbour::Neighbour;
use crate::{
    CommittedFrame, Farewell, Halt, Input, Journal, Message, Mixture, PartyId, Patience, Point, Settings, Standing,
    Transport, Waiting,
};

type Watcher = Box<dyn FnMut(&Waiting) + Send>;
type Fuse = Box<dyn FnMut(Point) -> bool + Send>;

/// One party's view of the network: an average with its neighbours, one exchange at a time.
///
/// In each exchange the party writes its row down ([`Journal::commit`]), sends it, waits for the rows of all neighbours, and takes the
/// weighted sum in ascending order: the bits of the simulator. What is in the journal already is taken from there, so a party that
/// comes back repeats no exchange, and sends no second version of one.
pub struct PartyNetwork<T> {
    pub(crate) settings: Settings,
    pub(crate) journal: Journal,
    pub(crate) transport: T,
    pub(crate) neighbours: Vec<Neighbour>,
    /// The number of the next exchange.
    pub(crate) step: u64,
    /// What has been released up to now.
    ledger: Option<Ledger>,
    pub(crate) process: u64,
    stop: Arc<AtomicBool>,
    watch: Watcher,
    fuse: Fuse,
}

impl<T> fmt::Debug for PartyNetwork<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartyNetwork")
            .field("settings", &self.settings)
            .field("step", &self.step)
            .finish_non_exhaustive()
    }
}

impl<T: Transport> PartyNetwork<T> {
    /// A party that goes on where its journal ends.
    ///
    /// # Panics
    /// If the party is not in its own row.
    ///
    /// # Errors
    /// If the operating system has no random number to tell this process from others.
    pub fn new(settings: Settings, journal: Journal, transport: T) -> Result<Self, NetworkError> {
        let me = settings.me;
        assert!(settings.row.0.contains(&me.node()), "{me} is not in its own row");
        let others = settings.row.0.iter().filter(|node| **node != me.node());
        let id = |node: &usize| PartyId(u32::try_from(*node).expect("fewer than 2^32 parties"));
        let neighbours = others.map(|node| Neighbour::new(id(node), None)).collect();
        let random = Key::from_os()?;
        let process = u64::from_le_bytes(*random.as_bytes().first_chunk().expect("a key has 32 bytes"));
        let stop = Arc::new(AtomicBool::new(false));
        let (watch, fuse): (Watcher, Fuse) = (Box::new(|_| {}), Box::new(|_| false));
        Ok(Self { settings, journal, transport, neighbours, step: 0, ledger: None, process, stop, watch, fuse })
    }

    /// The same party, which stops in an orderly way as soon as `stop` is set.
    #[must_use]
    pub fn stopped_by(self, stop: Arc<AtomicBool>) -> Self {
        Self { stop, ..self }
    }

    /// The same party, which tells what it waits for.
    #[must_use]
    pub fn watched(self, watch: impl FnMut(&Waiting) + Send + 'static) -> Self {
        Self { watch: Box::new(watch), ..self }
    }

    /// The same party, which ends as if it were killed wherever `fuse` says so: for tests.
    #[must_use]
    pub fn with_fuse(self, fuse: impl FnMut(Point) -> bool + Send + 'static) -> Self {
        Self { fuse: Box::new(fuse), ..self }
    }

    /// The journal.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The neighbours and how they stand.
    pub fn standing(&self) -> impl Iterator<Item = (PartyId, &Standing)> {
        self.neighbours.iter().map(|neighbour| (neighbour.id, &neighbour.standing))
    }

    /// Writes down that the run is over, tells the neighbours, and stays for them until all are done, for `linger` at most. Returns who
    /// is not.
    ///
    /// # Errors
    /// If the journal cannot be written, or a neighbour knows more than it.
    pub fn finish(&mut self, ledger: &Ledger, linger: Duration) -> Result<Vec<PartyId>, Halt> {
        self.journal.finish(ledger)?;
        for k in 0..self.neighbours.len() {
            self.tell(k, Message::Bye(Farewell::Done));
        }
        let begun = Instant::now();
        let mut ask_at = begun + self.settings.ask_after;
        loop {
            let waiting = self.neighbours.iter().filter(|neighbour| neighbour.standing != Standing::Done);
            let missing: Vec<(PartyId, Standing)> = waiting.map(|n| (n.id, n.standing.clone())).collect();
            let waited = begun.elapsed();
            let left = linger.saturating_sub(waited);
            if missing.is_empty() || left.is_zero() || self.stop.load(Ordering::Relaxed) {
                self.transport.close();
                return Ok(missing.into_iter().map(|(id, _)| id).collect());
            }
            if let Some(event) = self.transport.next(left.min(ask_at.saturating_duration_since(Instant::now()))) {
                self.handle(event)?;
            }
            if Instant::now() >= ask_at {
                ask_at = Instant::now() + self.settings.ask_after;
                // There is no such frame, but an answer.
                for (id, _) in &missing {
                    self.place(*id).into_iter().for_each(|k| self.ask(k, self.step));
                }
                (self.watch)(&Waiting { step: self.step, missing, waited });
            }
        }
    }

    /// One exchange: the weighted sum of this row and those of the neighbours.
    fn exchange(&mut self, row: &mut [f64]) -> Result<(), Halt> {
        let (step, largest) = (self.step, self.settings.largest);
        if row.len() > largest {
            return Err(Halt::Width { found: row.len(), largest });
        }
        let frame = self.commit(step, row)?;
        if let Some(mixture) = self.journal.mixture(step)? {
            row.copy_from_slice(&mixture.row);
            self.skip(step, &mixture);
            self.step += 1;
            return Ok(());
        }
        for k in 0..self.neighbours.len() {
            self.push(k, &frame);
        }
        self.burn(Point::AfterSend)?;
        self.collect(step)?;
        let inputs = self.mix(row)?;
        self.journal.note_mixture(step, &Mixture { inputs, row: row.to_vec() })?;
        self.burn(Point::AfterMixture)?;
        self.neighbours.iter_mut().for_each(Neighbour::advance);
        self.step += 1;
        Ok(())
    }

    /// The frame of the exchange: as it has left, or written down now.
    fn commit(&mut self, step: u64, row: &[f64]) -> Result<CommittedFrame, Halt> {
        if let Some(frame) = self.journal.frame_of(step, row)? {
            return Ok(frame);
        }
        self.burn(Point::BeforeCommit)?;
        let ledger = self.ledger.as_ref().expect("nodes tell what they released before they average");
        let frame = self.journal.commit(step, ledger, row)?;
        self.burn(Point::AfterCommit)?;
        Ok(frame)
    }

    /// Waits until the frames of all neighbours are here.
    fn collect(&mut self, step: u64) -> Result<(), Halt> {
        let begun = Instant::now();
        // At a fixed time: neighbours that talk all the time do not put it off.
        let mut ask_at = begun + self.settings.ask_after;
        loop {
            let missing: Vec<usize> =
                (0..self.neighbours.len()).filter(|&k| self.neighbours[k].current().is_none()).collect();
            if missing.is_empty() {
                return Ok(());
            }
            if self.stop.load(Ordering::Relaxed) {
                self.leave(&Farewell::Stopping);
                return Err(Halt::Stopped { step });
            }
            if let Some(event) = self.transport.next(ask_at.saturating_duration_since(Instant::now())) {
                self.handle(event)?;
                self.burn(Point::AfterReceive)?;
            }
            if Instant::now() < ask_at {
                continue;
            }
            ask_at = Instant::now() + self.settings.ask_after;
            let waited = begun.elapsed();
            let missing_ids = || missing.iter().map(|&k| self.neighbours[k].id).collect();
            let silent = missing.iter().map(|&k| self.neighbours[k].heard.elapsed()).min().unwrap_or_default();
            if let Patience::Stop(after) = self.settings.patience
                && silent.min(waited) >= after
            {
                let halt = Halt::Straggler { step, missing: missing_ids(), waited };
                self.leave(&Farewell::Stopping);
                return Err(halt);
            }
            let missing_now = missing.iter().map(|&k| (self.neighbours[k].id, self.neighbours[k].standing.clone()));
            (self.watch)(&Waiting { step, missing: missing_now.collect(), waited });
            for k in missing {
                self.ask(k, step);
            }
        }
    }

    /// `row <- sum_j w_j row_j`, in ascending order.
    fn mix(&self, row: &mut [f64]) -> Result<Vec<Input>, Halt> {
        let (nodes, weights) = &self.settings.row;
        let width = row.len();
        let mut rows = Vec::with_capacity(nodes.len() * width);
        let mut inputs = vec![];
        for &node in nodes {
            match self.neighbours.iter().find(|neighbour| neighbour.id.node() == node) {
                None => rows.extend_from_slice(row),
                Some(neighbour) => {
                    let frame = neighbour.current().expect("all frames are here");
                    if frame.row.len() != width {
                        let what = format!("a frame of {} numbers in an exchange of {width}", frame.row.len());
                        return Err(Halt::Protocol { from: neighbour.id, what });
                    }
                    rows.extend_from_slice(&frame.row);
                    inputs.push(Input { from: neighbour.id, hash: frame.hash });
                }
            }
        }
        let places: Vec<usize> = (0..nodes.len()).collect();
        weighted_rows(&places, weights, &rows, row);
        Ok(inputs)
    }

    fn skip(&mut self, step: u64, mixture: &Mixture) {
        for neighbour in &mut self.neighbours {
            if let Some(input) = mixture.inputs.iter().find(|input| input.from == neighbour.id) {
                neighbour.skip(step, input.hash);
            }
        }
    }

    pub(crate) fn place(&self, id: PartyId) -> Option<usize> {
        self.neighbours.iter().position(|neighbour| neighbour.id == id)
    }

    fn burn(&mut self, point: Point) -> Result<(), Halt> {
        if (self.fuse)(point) { Err(Halt::Killed) } else { Ok(()) }
    }
}

impl<T: Transport> Network for PartyNetwork<T> {
    fn average(&mut self, _round: u32, x: &mut Rows) -> Result<(), NetworkError> {
        Ok(self.exchange(x.as_mut_slice())?)
    }

    fn nodes(&self) -> usize {
        1
    }

    fn spent(&mut self, ledger: &Ledger) {
        self.ledger = Some(ledger.clone());
    }

    fn messages(&mut self, _round: u32) -> Result<u64, NetworkError> {
        Ok(self.neighbours.len() as u64)
    }
}
