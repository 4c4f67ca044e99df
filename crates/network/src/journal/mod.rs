//! What a party has let out, written down before it leaves.
//!
//! [`Journal::commit`] is the only source of a [`CommittedFrame`], and only frames of that type can be sent: code that sends what has
//! not been written down does not compile. A frame that was committed is sent again as the same bytes, for ever; what was spent on
//! it stays spent, whether it arrived or not.
//!
//! There is one journal for each data set of a party. A new run is added behind the old ones, whose spending counts on.

mod chain;
mod error;
mod head;
mod history;
mod record;

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dido_mechanisms::{Entry, Ledger};

use crate::frame::{Frame, hash_of};
use crate::{Hash, PartyId};
use chain::{Chain, Place};
use head::Head;
use history::History;
use record::{Record, Spent, decode, encode, entries};

pub use error::JournalError;
pub use record::{Input, Owner, RunFacts};

const JOURNAL: &str = "journal";
const HEAD: &str = "head";
const LOCK: &str = "lock";

/// A frame that is on disk: what may be sent.
#[derive(Clone, Debug)]
pub struct CommittedFrame {
    step: u64,
    hash: Hash,
    bytes: Arc<[u8]>,
}

impl CommittedFrame {
    /// In which exchange it is sent.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The hash at its end.
    pub fn hash(&self) -> Hash {
        self.hash
    }

    /// What is sent.
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }
}

/// An average that was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    /// The frames of the neighbours in it.
    pub inputs: Vec<Input>,
    /// The mixed row.
    pub row: Vec<f64>,
}

/// A run in a journal, and what it spent.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedRun {
    /// What it is.
    pub facts: RunFacts,
    /// What was released.
    pub entries: Vec<Entry>,
    /// Frames that were committed.
    pub committed: u64,
    /// Whether it came to its end.
    pub done: bool,
}

/// The journal of one party and data set, open for one run. No other process can open it meanwhile.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    chain: Chain,
    head: Head,
    /// Held as long as this value lives.
    _lock: File,
    incarnation: u64,
    owner: Owner,
    runs: Vec<RecordedRun>,
    /// By exchange of the run: where its frame and its mixture lie.
    frames: Vec<Place>,
    mixtures: Vec<Place>,
}

impl Journal {
    /// Opens the journal in `folder`, which is made if there is none, and begins or continues the run of `facts`.
    ///
    /// # Errors
    /// If the journal is damaged, cut short or missing where there was one, if another process has it, if it belongs to another party
    /// or data set, if a fact of the run has changed, or a later run has begun.
    pub fn open(folder: &Path, owner: &Owner, facts: &RunFacts) -> Result<Self, JournalError> {
        let fault = |name: &str| {
            let path = folder.join(name);
            move |source| JournalError::Io { path, source }
        };
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(fault(""))?;
        let lock = lock(&folder.join(LOCK))?;
        let path = folder.join(JOURNAL);
        let is_new = is_new(folder)?;
        let head = Head::new(open(&folder.join(HEAD), is_new).map_err(fault(HEAD))?);
        let file = open(&path, is_new).map_err(fault(JOURNAL))?;
        let mut history = History::default();
        let known = head.read().map_err(fault(HEAD))?;
        let (chain, tail) = history.read(&path, &file, known)?;
        // Without a head the first start did not get so far as to send something.
        if known.is_none() && history.runs.iter().any(|run| run.committed > 0) {
            return Err(JournalError::Damaged { path: folder.join(HEAD), what: "it says nothing".to_owned() });
        }
        if tail.whole < tail.end {
            chain.cut_off_tail().map_err(fault(JOURNAL))?;
        }
        let is_unowned = history.owner.is_none();
        let mut journal = Self {
            path,
            chain,
            head,
            _lock: lock,
            incarnation: history.incarnation + 1,
            owner: history.owner.unwrap_or_else(|| owner.clone()),
            runs: history.runs,
            frames: history.frames,
            mixtures: history.mixtures,
        };
        if is_unowned {
            journal.append(&Record::Journal(owner.clone()), &[])?;
        }
        journal.belongs_to(owner)?;
        journal.enter(facts)?;
        journal.append(&Record::Start { incarnation: journal.incarnation }, &[])?;
        journal.sync()?;
        journal.head.sync().map_err(fault(HEAD))?;
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(fault(""))?;
        Ok(journal)
    }

    /// What the journal in `folder` says, without a change to it: of a run that has stopped, or still goes on.
    ///
    /// # Errors
    /// If there is none, or it is damaged.
    pub fn inspect(folder: &Path) -> Result<(Owner, Vec<RecordedRun>), JournalError> {
        let path = folder.join(JOURNAL);
        let fault = |name: &str| {
            let path = folder.join(name);
            move |source| JournalError::Io { path, source }
        };
        // First the head: the journal only grows meanwhile.
        let head = Head::new(File::open(folder.join(HEAD)).map_err(fault(HEAD))?);
        let known = head.read().map_err(fault(HEAD))?;
        let mut history = History::default();
        history.read(&path, &File::open(&path).map_err(fault(JOURNAL))?, known)?;
        let nothing = || JournalError::Damaged { path: path.clone(), what: "it is empty".to_owned() };
        Ok((history.owner.ok_or_else(nothing)?, history.runs))
    }

    fn belongs_to(&self, owner: &Owner) -> Result<(), JournalError> {
        self.same("party", &self.owner.party, &owner.party)?;
        self.same("data set", &self.owner.data_set, &owner.data_set)
    }

    /// Begins the run, or finds it as the last one.
    fn enter(&mut self, facts: &RunFacts) -> Result<(), JournalError> {
        let known = self.runs.iter().position(|run| run.facts.run == facts.run);
        match known {
            None => {
                self.append(&Record::Run(facts.clone()), &[])?;
                self.runs.push(RecordedRun { facts: facts.clone(), entries: vec![], committed: 0, done: false });
                (self.frames, self.mixtures) = (vec![], vec![]);
            }
            Some(k) if k + 1 < self.runs.len() => {
                let last = self.runs.last().map_or(String::new(), |run| run.facts.run.to_string());
                return Err(self.other("run", last, facts.run.to_string()));
            }
            Some(k) => {
                let found = self.runs[k].facts.clone();
                self.same("node", &found.from, &facts.from)?;
                self.same("a manifest with hash", &found.manifest, &facts.manifest)?;
                self.same("data with SHA-256", &found.data, &facts.data)?;
            }
        }
        Ok(())
    }

    fn same<T: PartialEq + ToString>(&self, field: &'static str, found: &T, asked: &T) -> Result<(), JournalError> {
        if found == asked { Ok(()) } else { Err(self.other(field, found.to_string(), asked.to_string())) }
    }

    fn other(&self, field: &'static str, found: String, asked: String) -> JournalError {
        JournalError::Other { path: self.path.clone(), field, found, asked }
    }

    fn append(&mut self, record: &Record, bytes: &[&[u8]]) -> Result<Place, JournalError> {
        let appended = self.chain.append(&encode(record, bytes));
        appended.map_err(|source| JournalError::Io { path: self.path.clone(), source })
    }

    /// Waits for the disk, and remembers how far.
    fn sync(&mut self) -> Result<(), JournalError> {
        let (end, hash) = self.chain.head();
        let synced = self.chain.sync().and_then(|()| self.head.write(end, hash));
        synced.map_err(|source| JournalError::Io { path: self.path.clone(), source })
    }

    fn current(&self) -> &RecordedRun {
        self.runs.last().expect("a run was entered")
    }

    fn current_mut(&mut self) -> &mut RecordedRun {
        self.runs.last_mut().expect("a run was entered")
    }

    /// How often this run was started, on this data set and all others before it.
    pub fn incarnation(&self) -> u64 {
        self.incarnation
    }

    /// All runs on the data set, this one last.
    pub fn runs(&self) -> &[RecordedRun] {
        &self.runs
    }

    /// Frames of this run that were committed.
    pub fn committed(&self) -> u64 {
        self.frames.len() as u64
    }

    /// Whether this run came to its end.
    pub fn is_done(&self) -> bool {
        self.current().done
    }

    /// Writes the frame of `row` down, with what was released up to now, and waits until it is on disk.
    ///
    /// # Errors
    /// If `step` is not the next one, or the disk does not take it. Nothing may leave then.
    ///
    /// # Panics
    /// Never: a frame ends with its hash.
    pub fn commit(&mut self, step: u64, ledger: &Ledger, row: &[f64]) -> Result<CommittedFrame, JournalError> {
        let committed = self.committed();
        if step != committed || self.is_done() {
            return Err(JournalError::OutOfOrder { step, committed });
        }
        let RunFacts { run, from, .. } = self.current().facts;
        let bytes = Frame::encode(run, from, step, row);
        let spent = self.spent(ledger);
        let place = self.append(&Record::Commit { step, spent }, &[&bytes])?;
        self.sync()?;
        self.current_mut().entries = entries(ledger).to_vec();
        self.current_mut().committed = step + 1;
        self.frames.push(place);
        let hash = hash_of(&bytes).expect("a frame ends with its hash");
        Ok(CommittedFrame { step, hash, bytes: bytes.into() })
    }

    fn spent(&self, ledger: &Ledger) -> Spent {
        Spent::between(&self.current().entries, entries(ledger))
    }

    /// The frame of an exchange, if it was committed: the bytes that have left.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub fn frame(&self, step: u64) -> Result<Option<CommittedFrame>, JournalError> {
        let Some(place) = of_step(&self.frames, step) else { return Ok(None) };
        let (_, bytes) = self.read(place)?;
        let hash = hash_of(&bytes).ok_or_else(|| self.damaged("a frame without a hash"))?;
        Ok(Some(CommittedFrame { step, hash, bytes: bytes.into() }))
    }

    /// The frame of an exchange if `row` is in it.
    ///
    /// # Errors
    /// If other numbers are: what has left is never computed anew.
    pub fn frame_of(&self, step: u64, row: &[f64]) -> Result<Option<CommittedFrame>, JournalError> {
        let Some(frame) = self.frame(step)? else { return Ok(None) };
        let RunFacts { run, from, .. } = self.current().facts;
        let same = *Frame::encode(run, from, step, row) == **frame.bytes();
        if same { Ok(Some(frame)) } else { Err(JournalError::Recomputed { step }) }
    }

    /// Writes an average down. It is on disk when the next frame is.
    ///
    /// # Errors
    /// If it is not that of the latest frame, or the disk does not take it.
    pub fn note_mixture(&mut self, step: u64, mixture: &Mixture) -> Result<(), JournalError> {
        let mixed = self.mixtures.len() as u64;
        if step != mixed || step + 1 != self.committed() {
            return Err(JournalError::OutOfOrder { step, committed: mixed });
        }
        let bytes: Vec<u8> = mixture.row.iter().flat_map(|number| number.to_le_bytes()).collect();
        let place = self.append(&Record::Mixed { step, inputs: mixture.inputs.clone() }, &[&bytes])?;
        self.mixtures.push(place);
        Ok(())
    }

    /// The average of an exchange, if it was taken.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub fn mixture(&self, step: u64) -> Result<Option<Mixture>, JournalError> {
        let Some(place) = of_step(&self.mixtures, step) else { return Ok(None) };
        let (Record::Mixed { inputs, .. }, bytes) = self.read(place)? else {
            return Err(self.damaged("no average where one was"));
        };
        let row = bytes.as_chunks::<8>().0.iter().map(|number| f64::from_le_bytes(*number)).collect();
        Ok(Some(Mixture { inputs, row }))
    }

    /// Keeps two frames that one neighbour sent for one exchange, as evidence.
    ///
    /// # Errors
    /// If the disk does not take it.
    pub fn note_equivocation(
        &mut self,
        from: PartyId,
        step: u64,
        first: &[u8],
        second: &[u8],
    ) -> Result<(), JournalError> {
        self.append(&Record::Equivocation { from, step, first: first.len() as u64 }, &[first, second])?;
        self.sync()
    }

    /// Writes down that the run is over, with what was released after the last frame: before its model is shown.
    ///
    /// # Errors
    /// If the disk does not take it.
    pub fn finish(&mut self, ledger: &Ledger) -> Result<(), JournalError> {
        if self.is_done() {
            return Ok(());
        }
        let spent = self.spent(ledger);
        self.append(&Record::Done { spent }, &[])?;
        self.sync()?;
        let run = self.current_mut();
        (run.entries, run.done) = (entries(ledger).to_vec(), true);
        Ok(())
    }

    /// Bytes of the journal in `folder` that are on disk for certain: what a power cut leaves at least.
    ///
    /// # Errors
    /// If its head cannot be read.
    pub fn durable(folder: &Path) -> Result<u64, JournalError> {
        let path = folder.join(HEAD);
        let head = File::open(&path).and_then(|file| Head::new(file).read());
        Ok(head.map_err(|source| JournalError::Io { path, source })?.map_or(0, |(end, _)| end))
    }

    fn read(&self, place: Place) -> Result<(Record, Vec<u8>), JournalError> {
        let body = self.chain.read(place).map_err(|source| JournalError::Io { path: self.path.clone(), source })?;
        let (record, bytes) = decode(&body).map_err(|what| self.damaged(&what))?;
        Ok((record, bytes.to_vec()))
    }

    pub(crate) fn damaged(&self, what: &str) -> JournalError {
        JournalError::Damaged { path: self.path.clone(), what: what.to_owned() }
    }
}

fn of_step(places: &[Place], step: u64) -> Option<Place> {
    usize::try_from(step).ok().and_then(|step| places.get(step)).copied()
}

fn lock(path: &Path) -> Result<File, JournalError> {
    let io = |source| JournalError::Io { path: path.to_owned(), source };
    let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path).map_err(io)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(JournalError::Locked { path: path.to_owned() }),
        Err(TryLockError::Error(source)) => Err(io(source)),
    }
}

/// Whether there is no journal yet; one file without the other is a loss. The head comes first, and is empty until something is on
/// disk: a first start that did not get further is none.
fn is_new(folder: &Path) -> Result<bool, JournalError> {
    let head = fs::metadata(folder.join(HEAD)).ok().map(|head| head.len());
    let missing = match (fs::exists(folder.join(JOURNAL)).unwrap_or(true), head) {
        (false, None | Some(0)) => return Ok(true),
        (true, Some(_)) => return Ok(false),
        (true, None) => HEAD,
        (false, Some(_)) => JOURNAL,
    };
    Err(JournalError::Damaged { path: folder.join(missing), what: "it is missing".to_owned() })
}

fn open(path: &Path, create: bool) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(create).truncate(false).mode(0o600).open(path)
}
