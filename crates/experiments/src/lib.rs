//! From a TOML file to a report.
#![doc = include_str!("../README.md")]
//!
//! The data flow of one run: [`load`] reads the file and its overrides into a `Config`, [`Spec::new`] checks every
//! value, [`plan`] makes the ledger without data, [`run()`] carries it out and writes the [`ResultFolder`].

pub mod accounting;
mod algorithms;
mod artefacts;
mod assignment;
pub mod audit;
mod calibration;
mod checkpoint;
pub mod comparison;
pub mod config;
mod data;
mod divergence;
mod encoding;
mod epsilons;
mod error;
mod file;
mod metrics;
pub mod network_privacy;
mod planning;
mod presets;
pub mod records;
pub mod report;
mod results;
mod rounds;
mod run;
mod sensitivity;
mod shared_noise;
mod spec;
pub mod studies;
mod summary;
mod theory;
pub mod topology;
mod trace;

pub use error::ExperimentError;
pub use file::{Loaded, load};
pub use planning::{Planned, plan};
pub use results::{ResultFolder, json};
pub use run::{Options, Progress, run};
pub use spec::Spec;
