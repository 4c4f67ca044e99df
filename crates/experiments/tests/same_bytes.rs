//! A result folder is a function of its specification and the data: whatever interrupts a run, all files come out the same, byte
//! for byte, but for the time in `summary.json`.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Duration;

use common::assert_equal_results;
use dido_experiments::{Options, Planned, Progress, ResultFolder, Spec, load, plan, run};
use tempfile::TempDir;

struct Experiment {
    spec: Spec,
    planned: Planned,
    root: TempDir,
}

impl Experiment {
    fn new(preset: &str, set: &[&str]) -> Self {
        let set: Vec<String> = set.iter().map(|&key| key.to_owned()).collect();
        let spec = Spec::new(load(preset, &set).unwrap()).unwrap();
        Self { planned: plan(&spec).unwrap(), spec, root: tempfile::tempdir().unwrap() }
    }

    /// Runs in the folder `name`; it dies in the first observed round from each of `deaths` on, and is started again. A checkpoint
    /// is stored every so often.
    fn result(&self, name: &str, checkpoint_every: Duration, deaths: &[u32]) -> PathBuf {
        let folder = ResultFolder::new(&self.root.path().join(name), &self.spec.config.name, &self.spec.digest);
        let options = Options { force: false, checkpoint_every };
        for &death in deaths {
            let dies = |progress| {
                if matches!(progress, Progress::Completed(round) if round >= death) {
                    // What a signal does, without the message of a panic: nothing that comes after is done.
                    std::panic::resume_unwind(Box::new("dies"));
                }
            };
            let killed = catch_unwind(AssertUnwindSafe(|| run(&self.spec, &self.planned, &folder, options, dies)));
            assert!(killed.is_err() && !folder.path().exists(), "it died in round {death}");
        }
        let mut resumed = 0;
        let seen = |progress| {
            if let Progress::Resumed(round) = progress {
                resumed = round;
            }
        };
        run(&self.spec, &self.planned, &folder, options, seen).unwrap();
        assert_eq!(resumed > 0, !deaths.is_empty(), "resumed at {resumed}");
        folder.path().to_owned()
    }

    fn is_the_same_after(&self, checkpoint_every: Duration, deaths: &[u32]) {
        let whole = self.result("whole", Duration::MAX, &[]);
        assert_equal_results(&whole, &self.result("killed", checkpoint_every, deaths));
    }
}

#[test]
fn quickstart_with_lanes() {
    Experiment::new("quickstart", &["lanes=3"]).is_the_same_after(Duration::ZERO, &[58, 301]);
}

#[test]
fn svm() {
    // Its rounds are quick: the first hundreds of them take longer than this.
    Experiment::new("svm", &[]).is_the_same_after(Duration::from_millis(2), &[701]);
}

#[test]
fn a9a() {
    Experiment::new("a9a", &["rounds=300"]).is_the_same_after(Duration::from_millis(20), &[169]);
}
