//! Measurements.

use std::{env, ffi::OsString, path::PathBuf};

use crate::run::{Outcome, cargo, run};

/// The benchmarks whose name contains the filter; without one, all.
pub fn bench(arguments: &[OsString]) -> Outcome {
    run(cargo(["bench", "--package", "dido-benches", "--"]).args(arguments))?;
    let report = target().join("criterion/report/index.html");
    if report.exists() {
        println!("report: {}", report.display());
    }
    Ok(())
}

/// Where cargo puts what it builds.
fn target() -> PathBuf {
    let workspace = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    env::var_os("CARGO_TARGET_DIR").map_or_else(
        || workspace.canonicalize().unwrap_or(workspace).join("target"),
        |directory| env::current_dir().unwrap_or_default().join(directory),
    )
}
