//! The command `dido` in a temporary folder, and a small made-up data set.
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod page;
pub mod sweeps;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// A folder with an experiment: `experiment.toml` and `clinics.csv`.
pub struct Bench {
    folder: TempDir,
}

/// Three clinics with 40, 50 and 60 records, of which the split leaves these for training.
pub const RECORDS: [usize; 3] = [33, 39, 48];

/// An experiment on [`clinics`]: quick, private, resumable.
pub const TOML: &str = r#"
name = "clinics"
seed = 7
rounds = 40
averaging_rounds = 60

[data]
source = "clinics.csv"
row_norm = 1.8
records = [33, 39, 48]
held_out = { fraction = 0.2, seed = 1 }
partition = { kind = "by-column", column = "site" }
target = { column = "days", min = 0, max = 20, center = 10, scale = 10 }
features = [
  { kind = "intercept" },
  { kind = "numeric", column = "age", min = 20, max = 80, center = 50, scale = 30 },
  { kind = "two-level", column = "sex", levels = ["m", "f"] },
]

[graph]
kind = "ring"

[algorithm]
kind = "projected-dgd"
set = { kind = "l2-ball", radius = 1.5 }
step = { kind = "constant", c = 0.2 }

[privacy]
adjacency = "replace-record"
budget = { epsilon = 8, delta = 1e-5 }
noise = { kind = "calibrated", mechanism = "laplace" }
"#;

/// Made-up records: `days` depends on age and sex, with a deterministic disturbance.
pub fn clinics() -> String {
    let mut text = "site,age,sex,days\n".to_owned();
    let mut k: u32 = 0;
    for (site, records) in [("east", 40), ("north", 50), ("west", 60)] {
        for _ in 0..records {
            k += 1;
            let age = 20 + k * 37 % 61;
            let sex = if (k * 29 % 7) < 3 { "f" } else { "m" };
            let days = 2.0 + 0.12 * f64::from(age) + if sex == "f" { 2.0 } else { 0.0 } + f64::from(k * 17 % 11) / 5.0;
            writeln!(text, "{site},{age},{sex},{days:.2}").unwrap();
        }
    }
    text
}

impl Bench {
    /// The experiment as it is.
    pub fn new() -> Self {
        Self::with(TOML, &clinics())
    }

    /// An experiment of this TOML on this file.
    pub fn with(toml: &str, csv: &str) -> Self {
        let bench = Self { folder: tempfile::tempdir().unwrap() };
        bench.write("experiment.toml", toml);
        bench.write("clinics.csv", csv);
        bench
    }

    /// A path in the folder.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: impl AsRef<Path>, contents: &str) {
        fs::write(self.path(name), contents).unwrap();
    }

    /// `dido ARGUMENTS` in the folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dido"));
        command.current_dir(self.folder.path()).args(arguments);
        command
    }

    /// Runs `dido ARGUMENTS` to its end.
    pub fn dido(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs `dido ARGUMENTS --json`, which must succeed, and parses the whole standard output.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let output = self.dido(&[arguments, &["--json"]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Runs `dido ARGUMENTS`, which must be refused as bad input with one clear line and nothing else. Returns the line.
    pub fn refusal(&self, arguments: &[&str]) -> String {
        self.ends_with(2, arguments)
    }

    /// The same for what is no fault of the input.
    pub fn failure(&self, arguments: &[&str]) -> String {
        self.ends_with(1, arguments)
    }

    fn ends_with(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.dido(arguments);
        let text = stderr(&output);
        assert!(!output.status.success(), "{arguments:?} succeeded");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
        assert!(!text.contains("panicked"), "{text}");
        assert!(output.stdout.is_empty(), "{arguments:?} printed something");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 1, "{arguments:?}: not one line:\n{text}");
        lines[0].strip_prefix("dido: ").expect("errors begin with the name of the command").to_owned()
    }

    /// Starts `dido ARGUMENTS`, which stores a checkpoint after each round, kills it (a signal that cannot be caught) once
    /// there is one, and returns the folder it leaves. The run has to be too long to end before.
    pub fn interrupted(&self, arguments: &[&str]) -> PathBuf {
        let mut command = self.command(arguments);
        command.args(["--checkpoint-seconds", "0"]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let begun = Instant::now();
        let partial = loop {
            let entries = fs::read_dir(self.path("results/clinics")).into_iter().flatten();
            if let Some(folder) = entries.map(|e| e.unwrap().path()).find(|p| p.join("checkpoint.json").exists()) {
                break folder;
            }
            assert!(child.try_wait().unwrap().is_none(), "the run ended before it stored a checkpoint");
            assert!(begun.elapsed() < Duration::from_mins(1), "no checkpoint was stored");
            std::thread::sleep(Duration::from_millis(1));
        };
        // Some rounds more, so that the interruption falls anywhere.
        std::thread::sleep(Duration::from_millis(5));
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success(), "the run ended before it was killed");
        partial
    }

    /// A run of `dido ARGUMENTS` that is killed after some checkpoint goes on to the same bits as one that is not.
    pub fn resumes_to_the_same_bits(&self, arguments: &[&str]) {
        self.interrupted(arguments);
        let resumed = self.dido(&[arguments, &["--json"]].concat());
        let text = stderr(&resumed);
        assert!(resumed.status.success() && text.contains("resumed at round "), "{text}");
        self.json(&[arguments, &["--out", "whole"]].concat());
        assert_equal_results(&self.result("results"), &self.result("whole"));
    }

    /// The only result folder of the experiment below `out`.
    pub fn result(&self, out: &str) -> PathBuf {
        let name = self.path(out).join("clinics");
        let all: Vec<PathBuf> = fs::read_dir(name).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(all.len(), 1, "{all:?}");
        all[0].clone()
    }
}

/// What a program said on its standard error.
pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Equal runs leave equal folders, byte for byte, but for what a clock says: the key `timing` of `summary.json`.
pub fn assert_equal_results(a: &Path, b: &Path) {
    let names = |folder: &Path| {
        let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names(a), names(b));
    for name in names(a) {
        let read = |folder: &Path| {
            let bytes = fs::read(folder.join(&name)).unwrap();
            if name == "summary.json" { without_timing(str::from_utf8(&bytes).unwrap()).into_bytes() } else { bytes }
        };
        assert!(read(a) == read(b), "{} differs between {} and {}", name.display(), a.display(), b.display());
    }
}

/// A summary without what a clock says.
pub fn without_timing(summary: &str) -> String {
    let mut summary: Value = serde_json::from_str(summary).unwrap();
    let timing = summary.as_object_mut().unwrap().remove("timing").expect("a summary has a time");
    assert!(
        timing["wall_seconds"].as_f64().unwrap() > 0.0 && timing["cpu_seconds"].as_f64().unwrap() > 0.0,
        "{timing}"
    );
    summary.to_string()
}
