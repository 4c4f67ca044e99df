//! The rounds of one party: the network that an algorithm sees.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dido_geometry::Rows;
use dido_mechanisms::{Key, Ledger};
use dido_optimizers::{Network, NetworkError};
use dido_topology::weighted_rows;

use crate::manifest::Manifest;
use crate::neighbour::{Neighbour, Receipt};
use crate::{
    CommittedFrame, Event, Farewell, Halt, Hello, Input, Journal, Message, Mixture, PROTOCOL, PartyId, RunId, Standing,
    Transport,
};

/// How long a party waits for its neighbours. Waiting releases nothing, so it costs no privacy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// For ever.
    Wait,
    /// So long without a word of those that are missing; the run can be resumed.
    Stop(Duration),
}

/// A party, beside its journal and transport.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The run.
    pub run: RunId,
    /// The party.
    pub me: PartyId,
    /// The parties in its row of the mixing matrix, itself included, ascending, and their weights.
    pub row: (Vec<usize>, Vec<f64>),
    /// What all parties have to agree on.
    pub manifest: Manifest,
    /// The most numbers that a frame has.
    pub largest: usize,
    /// How long it waits.
    pub patience: Patience,
    /// After how long without a word it asks again for what is missing.
    pub ask_after: Duration,
}

/// Places where a process can be killed by a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// The numbers are computed, nothing is written down.
    BeforeCommit,
    /// The frame is on disk, and has not been sent.
    AfterCommit,
    /// It has been sent.
    AfterSend,
    /// A message was taken.
    AfterReceive,
    /// The average is written down, perhaps not yet on disk.
    AfterMixture,
}

/// What a party waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The exchange.
    pub step: u64,
    /// Who is missing, and how they stand.
    pub missing: Vec<(PartyId, Standing)>,
    /// For how long.
    pub waited: Duration,
}

type Watcher = Box<dyn FnMut(&Waiting) + Send>;
type Fuse = Box<dyn FnMut(Point) -> bool + Send>;

/// One party's view of the network: an average with its neighbours, one exchange at a time.
///
/// In each exchange the party writes its row down ([`Journal::commit`]), sends it, waits for the rows of all neighbours, and takes the
/// weighted sum in ascending order: the bits of the simulator. What is in the journal already is taken from there, so a party that
/// comes back repeats no exchange, and sends no second version of one.
pub struct PartyNetwork<T> {
    settings: Settings,
    journal: Journal,
    transport: T,
    neighbours: Vec<Neighbour>,
    /// The number of the next exchange.
    step: u64,
    /// What has been released up to now.
    ledger: Option<Ledger>,
    process: u64,
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

    /// Exchanges that are over.
    pub fn completed(&self) -> u64 {
        self.step
    }

    /// Goes on with exchange `step`: the state of the algorithm is that after all before it.
    ///
    /// # Errors
    /// If the journal does not know the exchange before.
    pub fn resume_at(&mut self, step: u64) -> Result<(), Halt> {
        if let Some(before) = step.checked_sub(1) {
            let mixture = self.journal.mixture(before)?;
            let mixture = mixture.ok_or_else(|| self.journal.damaged("a checkpoint is ahead of it"))?;
            self.skip(before, &mixture);
        }
        self.step = step;
        Ok(())
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
        loop {
            let waiting = self.neighbours.iter().filter(|neighbour| neighbour.standing != Standing::Done);
            let missing: Vec<(PartyId, Standing)> = waiting.map(|n| (n.id, n.standing.clone())).collect();
            let waited = begun.elapsed();
            let left = linger.saturating_sub(waited);
            if missing.is_empty() || left.is_zero() || self.stop.load(Ordering::Relaxed) {
                self.transport.close();
                return Ok(missing.into_iter().map(|(id, _)| id).collect());
            }
            (self.watch)(&Waiting { step: self.step, missing, waited });
            match self.transport.next(left.min(self.settings.ask_after)) {
                Some(event) => self.handle(event)?,
                // There is no such frame, but an answer.
                None => (0..self.neighbours.len()).for_each(|k| self.ask(k, self.step)),
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
            if let Some(event) = self.transport.next(self.settings.ask_after) {
                self.handle(event)?;
                self.burn(Point::AfterReceive)?;
                continue;
            }
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

    fn handle(&mut self, event: Event) -> Result<(), Halt> {
        match event {
            Event::Refused(..) => Ok(()),
            Event::Up(id) => {
                let Some(k) = self.place(id) else { return Ok(()) };
                self.neighbours[k].standing = Standing::Connected;
                let hello = Message::Hello(Arc::new(self.hello(k)));
                self.transport.send(id, hello);
                Ok(())
            }
            Event::Down(id, why) => {
                if let Some(k) = self.place(id)
                    && !matches!(self.neighbours[k].standing, Standing::Refused(_) | Standing::Done)
                {
                    self.neighbours[k].standing = Standing::Away(why);
                }
                Ok(())
            }
            Event::Message(id, message) => match self.place(id) {
                Some(k) => self.hear(k, message),
                None => Ok(()),
            },
        }
    }

    fn hear(&mut self, k: usize, message: Message) -> Result<(), Halt> {
        match message {
            Message::Hello(hello) => self.meet(k, &hello),
            Message::Bye(farewell) => self.part(k, farewell),
            // Whoever has not been introduced is not heard.
            _ if !self.neighbours[k].is_present() => Ok(()),
            Message::Push(bytes) => self.receive(k, &bytes),
            Message::Pull(step) => {
                // Whoever asks again may have missed the first message, too.
                let hello = Message::Hello(Arc::new(self.hello(k)));
                self.tell(k, hello);
                if let Some(frame) = self.journal.frame(step)? {
                    self.push(k, &frame);
                }
                self.tell_if_done(k);
                Ok(())
            }
        }
    }

    fn hello(&self, k: usize) -> Hello {
        let (run, manifest) = (self.settings.run, self.settings.manifest.clone());
        let (incarnation, seen) = (self.journal.incarnation(), self.neighbours[k].latest());
        Hello { version: PROTOCOL, run, manifest, incarnation, process: self.process, seen }
    }

    /// A neighbour introduces itself.
    fn meet(&mut self, k: usize, hello: &Hello) -> Result<(), Halt> {
        let (id, run) = (self.neighbours[k].id, self.settings.run);
        if hello.version != PROTOCOL {
            let what = format!("it speaks version {} of the protocol, this party {PROTOCOL}", hello.version);
            self.refuse(k, Farewell::Version(PROTOCOL), what);
            return Ok(());
        }
        if hello.run != run {
            self.refuse(k, Farewell::Run, format!("it takes part in run {}, this party in {run}", hello.run));
            return Ok(());
        }
        if let Some(field) = self.settings.manifest.differs(&hello.manifest).map(str::to_owned) {
            let what = format!("its files differ from those of this party in {field}");
            self.refuse(k, Farewell::Manifest(field), what);
            return Ok(());
        }
        if !self.neighbours[k].admits(hello.incarnation, hello.process) {
            self.transport.send(id, Message::Bye(Farewell::Stale));
            return Ok(());
        }
        let committed = self.journal.committed();
        if let Some((step, hash)) = hello.seen {
            let known = self.journal.frame(step)?;
            if known.is_none_or(|frame| frame.hash() != hash) {
                self.leave(&Farewell::Stopping);
                return Err(Halt::RolledBack { by: id, step, hash });
            }
        }
        let neighbour = &mut self.neighbours[k];
        if neighbour.standing != Standing::Done {
            neighbour.standing = Standing::Present;
        }
        neighbour.heard = Instant::now();
        let next = hello.seen.map_or(0, |(step, _)| step + 1);
        // A neighbour is behind by one exchange at most; what else it lacks it asks for.
        for step in next.max(committed.saturating_sub(2))..committed {
            if let Some(frame) = self.journal.frame(step)? {
                self.push(k, &frame);
            }
        }
        self.tell_if_done(k);
        Ok(())
    }

    fn tell_if_done(&mut self, k: usize) {
        if self.journal.is_done() {
            self.tell(k, Message::Bye(Farewell::Done));
        }
    }

    fn refuse(&mut self, k: usize, farewell: Farewell, what: String) {
        self.transport.send(self.neighbours[k].id, Message::Bye(farewell));
        self.neighbours[k].standing = Standing::Refused(what);
    }

    /// A neighbour goes.
    fn part(&mut self, k: usize, farewell: Farewell) -> Result<(), Halt> {
        let neighbour = &mut self.neighbours[k];
        neighbour.standing = match farewell {
            Farewell::Stale => return Err(Halt::Replaced { by: neighbour.id }),
            Farewell::Done => Standing::Done,
            Farewell::Stopping => Standing::Away("it was stopped".to_owned()),
            Farewell::Version(theirs) => {
                Standing::Refused(format!("it speaks version {theirs} of the protocol, this party {PROTOCOL}"))
            }
            Farewell::Run => Standing::Refused("it takes part in another run".to_owned()),
            Farewell::Manifest(field) => {
                Standing::Refused(format!("its files differ from those of this party in {field}"))
            }
            Farewell::Equivocation => Standing::Refused("it saw two frames for one exchange".to_owned()),
            Farewell::Protocol => Standing::Refused("it saw a message that no party sends".to_owned()),
        };
        Ok(())
    }

    fn receive(&mut self, k: usize, bytes: &Arc<[u8]>) -> Result<(), Halt> {
        let Settings { run, largest, .. } = self.settings;
        let step = self.step;
        let neighbour = &mut self.neighbours[k];
        let from = neighbour.id;
        match neighbour.take(bytes, run, step, largest) {
            Receipt::New | Receipt::Duplicate => Ok(()),
            Receipt::Past(frame) => {
                let used = self.journal.mixture(frame.step)?;
                let used = used.and_then(|mixture| mixture.inputs.into_iter().find(|input| input.from == from));
                match used {
                    Some(input) if input.hash == frame.hash => Ok(()),
                    // Of the first one there is the hash only.
                    Some(input) => self.equivocation(from, frame.step, &input.hash.0, bytes, input.hash),
                    None => self.protocol(from, format!("a frame of exchange {}, of which it was no part", frame.step)),
                }
            }
            Receipt::Equivocation { step, first } => {
                let hash = crate::frame::hash_of(&first).expect("a frame ends with its hash");
                self.equivocation(from, step, &first, bytes, hash)
            }
            Receipt::Wrong(what) => self.protocol(from, what),
        }
    }

    fn equivocation(
        &mut self,
        from: PartyId,
        step: u64,
        first: &[u8],
        second: &[u8],
        hash: crate::Hash,
    ) -> Result<(), Halt> {
        self.journal.note_equivocation(from, step, first, second)?;
        self.leave(&Farewell::Equivocation);
        let other = crate::frame::hash_of(second).expect("a frame ends with its hash");
        Err(Halt::Equivocation { from, step, first: hash, second: other })
    }

    fn protocol(&mut self, from: PartyId, what: String) -> Result<(), Halt> {
        self.transport.send(from, Message::Bye(Farewell::Protocol));
        Err(Halt::Protocol { from, what })
    }

    /// Says the same to all, and closes.
    fn leave(&mut self, farewell: &Farewell) {
        for k in 0..self.neighbours.len() {
            self.tell(k, Message::Bye(farewell.clone()));
        }
        self.transport.close();
    }

    /// Asks for a frame once more, of a neighbour that is connected and has not said that it is done.
    fn ask(&mut self, k: usize, step: u64) {
        match self.neighbours[k].standing {
            Standing::Connected | Standing::Present => {
                let hello = Message::Hello(Arc::new(self.hello(k)));
                self.transport.send(self.neighbours[k].id, hello);
                self.tell(k, Message::Pull(step));
            }
            Standing::Away(_) | Standing::Refused(_) | Standing::Done => {}
        }
    }

    fn push(&mut self, k: usize, frame: &CommittedFrame) {
        self.tell(k, Message::Push(Arc::clone(frame.bytes())));
    }

    fn tell(&mut self, k: usize, message: Message) {
        if self.neighbours[k].is_present() {
            self.transport.send(self.neighbours[k].id, message);
        }
    }

    fn place(&self, id: PartyId) -> Option<usize> {
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
