//! Tests of all kinds.

use std::{ffi::OsString, path::Path};

use crate::run::{Failure, Outcome, cargo, only, run, succeeds};

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

/// Every bound of the papers on random problems, with all arguments, in their long form unless these say otherwise.
pub fn theorems(arguments: &[OsString]) -> Outcome {
    let documents = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/theory");
    let mut command = cargo(["run", "--release", "--package", "dido-theorems", "--", "--out"]);
    // The command explains its failures itself.
    run(command.arg(documents).args(arguments)).map_err(|failure| Failure { message: String::new(), ..failure })
}

/// Both backends of the linear algebra against each other.
pub fn lapack(arguments: &[OsString]) -> Outcome {
    only("lapack", &[], arguments)?;
    run(&mut cargo(["test", "--package", "dido-linalg", "--features", "openblas-system"]))
}
