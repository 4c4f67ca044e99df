//! `dido epsilon` and `dido calibrate`: what noise is worth, and how much of it is needed. No data are read.
//!
//! Each question is a struct of options, which a program can fill as well; each answer serialises to the JSON of the
//! command and has a `text` for people.
//!
//! * [`epsilon`]: from noise to its privacy loss, by every method;
//! * [`subsampled_dda`]: the same for the algorithm of paper B, and its published claim;
//! * [`calibrate`]: from a budget to the least noise, or to the most rounds.

mod answer;
pub mod calibrate;
pub mod epsilon;
mod number;
mod run;
mod sample;
mod search;
pub mod subsampled_dda;
mod text;

pub use answer::{Answer, ClassAnswer, Figures, Interval, Least, LedgerAnswer, Loss};
pub use sample::{Sample, SampleOptions, Scheme};
