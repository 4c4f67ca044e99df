//! `dido doctor`: what this program is, what the machine is, and whether together they compute what they should.
//!
//! The checks take about a second and need no data. Each compares with something known by other means: a mean, a rate, the moments
//! of a distribution, the same computation on one thread, the bits of another machine.

mod checks;
mod machine;

use std::path::Path;

use serde::Serialize;

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Program and machine.
    pub facts: Vec<Fact>,
    /// What was tried.
    pub checks: Vec<Check>,
    /// What is missing or odd, but no failure.
    pub remarks: Vec<String>,
    /// Whether every check passed.
    pub healthy: bool,
}

/// Something that is so.
#[derive(Clone, Debug, Serialize)]
pub struct Fact {
    /// What.
    pub name: &'static str,
    /// How it is.
    pub value: String,
}

/// Something that was tried.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// What.
    pub name: &'static str,
    /// Whether it went well.
    pub passed: bool,
    /// The numbers.
    pub detail: String,
}

/// Looks at the program, the machine and the folder that is to hold results.
pub fn examine(results: &Path) -> Report {
    let (mut facts, mut remarks) = (program(), vec![]);
    machine::facts(&mut facts, &mut remarks);
    if env!("DIDO_PROFILE") != "release" {
        remarks.push("this is a debug build, which checks more and runs slower: build with --release".to_owned());
    }
    let mut checks = vec![machine::clock(), machine::folder(results, &mut facts, &mut remarks)];
    checks.extend(checks::all());
    let healthy = checks.iter().all(|check| check.passed);
    Report { facts, checks, remarks, healthy }
}

fn program() -> Vec<Fact> {
    let features = match env!("DIDO_FEATURES") {
        "" => "none",
        features => features,
    };
    let fact = |name, value: &str| Fact { name, value: value.to_owned() };
    vec![
        fact("dido", env!("CARGO_PKG_VERSION")),
        fact("built with", env!("DIDO_RUSTC")),
        fact("target", env!("DIDO_TARGET")),
        fact("profile", env!("DIDO_PROFILE")),
        fact("features", features),
        fact("lapack", if cfg!(feature = "lapack") { "on" } else { "off: faer factorises" }),
        fact("parquet", if features.split(',').any(|feature| feature == "parquet") { "on" } else { "off" }),
        fact("instructions", dido_geometry::simd::level()),
    ]
}
