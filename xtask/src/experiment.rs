//! Running an experiment.

use std::ffi::OsString;

use crate::run::{Failure, Outcome, cargo, run};

/// `dido run` with all arguments, in the caller's directory, with its exit code. Built without Parquet, which takes long
/// to compile.
pub fn experiment(arguments: &[OsString]) -> Outcome {
    let mut command = cargo([
        "run",
        "--release",
        "--no-default-features",
        "--package",
        "dido-experiments",
        "--bin",
        "dido",
        "--",
        "run",
    ]);
    // The command explains its failures itself.
    run(command.args(arguments)).map_err(|failure| Failure { message: String::new(), ..failure })
}
