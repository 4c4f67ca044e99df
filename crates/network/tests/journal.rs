//! A journal that is not as it was written is refused: whatever has left is known, or nothing more leaves.

mod common;

use std::fs;
use std::path::Path;

use common::{RUN, World};
use dido_mechanisms::{Adjacency, Adversary, Event, Ledger, Norm, Sensitivity};
use dido_network::{Hash, Input, Journal, JournalError, Mixture, Owner, PartyId, RunFacts, RunId};
use tempfile::TempDir;

const ME: PartyId = PartyId(2);

/// What has been spent after so many releases.
fn ledger(releases: u64) -> Ledger {
    let sensitivity = Sensitivity::new(0.5, Norm::L1, Adjacency::ReplaceRecord).unwrap();
    let event = Event::Laplace { scale: 2.0, sensitivity, dim: 1 };
    Ledger::of(Adjacency::ReplaceRecord, Adversary::AllMessages, [(event, releases)])
}

fn mixture(step: u64) -> Mixture {
    let input = Input { from: PartyId(1), hash: Hash::of(&step.to_le_bytes()) };
    Mixture { inputs: vec![input], row: vec![0.5 * step as f64, -1.0] }
}

/// A folder with a journal of three exchanges, of which the last is not averaged.
fn written() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = World::journal(ME, folder.path());
    for step in 0..3 {
        journal.commit(step, &ledger(step + 1), &[step as f64, 2.0]).unwrap();
        if step < 2 {
            journal.note_mixture(step, &mixture(step)).unwrap();
        }
    }
    folder
}

fn reopen(folder: &Path) -> Result<Journal, JournalError> {
    Journal::open(folder, &World::owner(ME), &World::facts(ME))
}

fn copy(from: &Path) -> TempDir {
    let to = tempfile::tempdir().unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.path().join(file.file_name())).unwrap();
    }
    to
}

#[test]
fn a_journal_gives_back_what_was_written() {
    let folder = written();
    let mut journal = reopen(folder.path()).unwrap();
    assert_eq!((journal.incarnation(), journal.committed(), journal.is_done()), (2, 3, false));
    assert_eq!(journal.runs()[0].entries, ledger(3).classes[0].entries);
    assert_eq!(journal.mixture(1).unwrap(), Some(mixture(1)));
    assert_eq!(journal.mixture(2).unwrap(), None);
    let frame = journal.frame_of(1, &[1.0, 2.0]).unwrap().unwrap();
    assert_eq!(frame.bytes(), journal.frame(1).unwrap().unwrap().bytes());
    assert!(matches!(journal.frame_of(1, &[1.0, 2.5]), Err(JournalError::Recomputed { step: 1 })));
    assert!(journal.frame(3).unwrap().is_none());
    // One exchange after the other, and none after the end.
    assert!(matches!(journal.commit(4, &ledger(4), &[0.0]), Err(JournalError::OutOfOrder { .. })));
    assert!(matches!(journal.commit(2, &ledger(4), &[0.0]), Err(JournalError::OutOfOrder { .. })));
    journal.finish(&ledger(5)).unwrap();
    assert!(matches!(journal.commit(3, &ledger(6), &[0.0]), Err(JournalError::OutOfOrder { .. })));
    let (owner, runs) = Journal::inspect(folder.path()).unwrap();
    assert_eq!((owner, runs[0].done, runs[0].committed), (World::owner(ME), true, 3));
    assert_eq!(runs[0].entries, ledger(5).classes[0].entries);
}

/// All bytes, not a sample: each of them is covered by a hash.
#[test]
fn every_changed_byte_is_found() {
    let folder = written();
    let whole = fs::read(folder.path().join("journal")).unwrap();
    let durable = usize::try_from(Journal::durable(folder.path()).unwrap()).unwrap();
    assert_eq!(durable, whole.len());
    for at in 0..durable {
        let damaged = copy(folder.path());
        let mut bytes = whole.clone();
        bytes[at] ^= 0x40;
        fs::write(damaged.path().join("journal"), &bytes).unwrap();
        let error = reopen(damaged.path()).unwrap_err();
        assert!(matches!(error, JournalError::Damaged { .. }), "byte {at}: {error}");
        assert_eq!(fs::read(damaged.path().join("journal")).unwrap(), bytes, "nothing is repaired");
    }
}

#[test]
fn a_journal_that_was_cut_short_is_refused_at_every_length() {
    let folder = written();
    let whole = fs::read(folder.path().join("journal")).unwrap();
    for length in 0..whole.len() {
        let damaged = copy(folder.path());
        fs::write(damaged.path().join("journal"), &whole[..length]).unwrap();
        assert!(matches!(reopen(damaged.path()), Err(JournalError::Damaged { .. })), "{length} bytes");
    }
}

/// After the last wait for the disk a record may be torn: nothing of it has left, and it is forgotten.
#[test]
fn what_was_torn_before_it_could_leave_is_forgotten() {
    let folder = written();
    let before = fs::read(folder.path().join("journal")).unwrap();
    let mut journal = reopen(folder.path()).unwrap();
    let start = Journal::durable(folder.path()).unwrap();
    journal.note_mixture(2, &mixture(2)).unwrap();
    drop(journal);
    let whole = fs::read(folder.path().join("journal")).unwrap();
    for length in usize::try_from(start).unwrap()..whole.len() {
        let torn = copy(folder.path());
        fs::write(torn.path().join("journal"), &whole[..length]).unwrap();
        let journal = reopen(torn.path()).unwrap();
        assert_eq!((journal.committed(), journal.mixture(2).unwrap()), (3, None), "{length} bytes");
    }
    assert!(whole.starts_with(&before));
    assert_eq!(reopen(folder.path()).unwrap().mixture(2).unwrap(), Some(mixture(2)));
}

#[test]
fn missing_files_and_older_copies_are_refused() {
    for gone in ["journal", "head"] {
        let folder = written();
        fs::remove_file(folder.path().join(gone)).unwrap();
        let error = reopen(folder.path()).unwrap_err().to_string();
        assert!(error.contains(gone) && error.contains("is missing") && error.contains("new run"), "{error}");
        let folder = written();
        fs::write(folder.path().join(gone), "").unwrap();
        assert!(matches!(reopen(folder.path()), Err(JournalError::Damaged { .. })), "empty {gone}");
    }
    let folder = written();
    let older = copy(folder.path());
    let mut journal = reopen(folder.path()).unwrap();
    journal.note_mixture(2, &mixture(2)).unwrap();
    journal.commit(3, &ledger(4), &[3.0, 3.0]).unwrap();
    drop(journal);
    fs::copy(older.path().join("journal"), folder.path().join("journal")).unwrap();
    let error = reopen(folder.path()).unwrap_err().to_string();
    assert!(error.contains("older copy"), "{error}");
}

/// A first start that was killed between its files has sent nothing: the next one begins.
#[test]
fn a_first_start_that_did_not_get_far_is_none() {
    for files in [&["head"][..], &["head", "journal"]] {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            fs::write(folder.path().join(file), "").unwrap();
        }
        let journal = reopen(folder.path()).unwrap();
        assert_eq!((journal.incarnation(), journal.committed()), (1, 0), "{files:?}");
    }
}

#[test]
fn a_second_process_is_refused() {
    let folder = written();
    let journal = reopen(folder.path()).unwrap();
    let error = reopen(folder.path()).unwrap_err();
    assert!(matches!(error, JournalError::Locked { .. }), "{error}");
    // Looking is not writing.
    assert_eq!(Journal::inspect(folder.path()).unwrap().1[0].committed, 3);
    drop(journal);
    assert_eq!(reopen(folder.path()).unwrap().incarnation(), 3);
}

#[test]
fn a_run_keeps_its_facts_and_a_new_one_counts_on() {
    let folder = written();
    let (owner, facts) = (World::owner(ME), World::facts(ME));
    let refused = |owner: &Owner, facts: &RunFacts| {
        Journal::open(folder.path(), owner, facts).map(|_| ()).unwrap_err().to_string()
    };
    let other = |what: &str, error: String| assert!(error.contains(what), "{what}: {error}");
    other("node party 2, not party 3", refused(&owner, &RunFacts { from: PartyId(3), ..facts.clone() }));
    other(
        "data with SHA-256 data, not other",
        refused(&owner, &RunFacts { data: "other".to_owned(), ..facts.clone() }),
    );
    other("a manifest with hash", refused(&owner, &RunFacts { manifest: Hash::of(b"other"), ..facts.clone() }));
    other("data set records, not x", refused(&Owner { data_set: "x".to_owned(), ..owner.clone() }, &facts));
    other("party party 2, not me", refused(&Owner { party: "me".to_owned(), ..owner.clone() }, &facts));

    let later = RunFacts { run: RunId([9; 16]), ..facts.clone() };
    let mut journal = Journal::open(folder.path(), &owner, &later).unwrap();
    assert_eq!((journal.committed(), journal.runs().len()), (0, 2));
    assert_eq!(journal.runs()[0].entries, ledger(3).classes[0].entries);
    journal.commit(0, &ledger(1), &[1.0]).unwrap();
    drop(journal);
    let journal = Journal::open(folder.path(), &owner, &later).unwrap();
    assert_eq!((journal.committed(), journal.runs()[1].entries.clone()), (1, ledger(1).classes[0].entries.clone()));
    drop(journal);
    // The older run cannot go on beside it.
    other("run 09090909", refused(&owner, &facts));
    assert_eq!(facts.run, RUN);
}
