//! Tests of all kinds.

use std::ffi::OsString;

use crate::run::{Outcome, cargo, only, run, succeeds};

/// All tests, then all examples in the documentation (which nextest cannot run).
pub fn test(arguments: &[OsString]) -> Outcome {
    only("test", &[], arguments)?;
    if succeeds(&mut cargo(["nextest", "--version"])) {
        run(&mut cargo(["nextest", "run", "--workspace"]))?;
    } else {
        run(&mut cargo(["test", "--workspace", "--lib", "--bins", "--tests"]))?;
    }
    run(&mut cargo(["test", "--workspace", "--doc"]))
}

/// The bounds of the theorems against runs; `--short` leaves out the long form.
pub fn theorems(arguments: &[OsString]) -> Outcome {
    only("theorems", &["--short"], arguments)?;
    // Of the whole workspace, so that dependencies are built with the features they have in all other tests.
    let mut command = cargo(["test", "--workspace"]);
    command.args(["theorems", "pdop", "dual_averaging", "rates"].iter().flat_map(|name| ["--test", name]));
    if arguments.is_empty() {
        command.arg("--release").env("DIDO_THEOREMS", "full");
    } else {
        command.env_remove("DIDO_THEOREMS");
    }
    run(&mut command)
}

/// Both backends of the linear algebra against each other.
pub fn lapack(arguments: &[OsString]) -> Outcome {
    only("lapack", &[], arguments)?;
    run(&mut cargo(["test", "--package", "dido-linalg", "--features", "openblas-system"]))
}
