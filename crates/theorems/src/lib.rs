//! Every bound of the papers, and of this project, as a check on random graphs, data, schedules and seeds.
#![doc = include_str!("../README.md")]

// What a theorem is, and what becomes of it.
mod case;
mod error;
mod report;
mod tally;
mod theorem;

// What cases are made of.
mod sample;

// Theorems, one folder or file for each paper.
mod huang2015;
mod liu2020;
mod liu2024;
mod network;

pub use case::{Case, ERRORS, ROUNDING};
pub use error::TheoremError;
pub use report::{Finding, Report, Verdict};
pub use theorem::{Expected, Theorem};

/// Cases of the cheapest kind in a full run.
pub const CASES: u32 = 20_000;

/// All theorems, paper by paper.
pub fn all() -> impl Iterator<Item = &'static Theorem> {
    [liu2020::THEOREMS, liu2024::THEOREMS, huang2015::THEOREMS, network::THEOREMS].into_iter().flatten()
}

/// The theorems called `name`, or `name-...`: `A4` is `A4` and `A4-published`, `A` is all of paper A.
///
/// # Errors
/// If there is none.
pub fn named(name: &str) -> Result<Vec<&'static Theorem>, TheoremError> {
    let matches = |theorem: &&Theorem| {
        let rest = theorem.name.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-') || name.len() == 1)
    };
    let found: Vec<_> = all().filter(matches).collect();
    if name.is_empty() || found.is_empty() {
        let known = all().map(|theorem| theorem.name).collect::<Vec<_>>().join(", ");
        return Err(TheoremError::Unknown { name: name.to_owned(), known });
    }
    Ok(found)
}
