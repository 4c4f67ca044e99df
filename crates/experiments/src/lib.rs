//! From a TOML file to a report.
#![doc = include_str!("../README.md")]
//!
//! The data flow of one run: [`load`] reads the file and its overrides into a `Config`, [`Spec::new`] checks every
//! value, [`plan`] makes the ledger without data, [`run()`] carries it out and writes the [`ResultFolder`].

pub mod accounting;
pub mod advice;
mod algorithms;
mod artefacts;
mod assignment;
pub mod audit;
mod calibration;
mod checkpoint;
mod clock;
pub mod comparison;
pub mod config;
mod data;
mod divergence;
pub mod doctor;
mod encoding;
mod epsilons;
mod error;
mod file;
pub mod init;
pub mod inspect;
mod metrics;
pub mod model;
pub mod network_privacy;
mod planning;
pub mod predict;
mod presets;
mod reading;
pub mod rebuild;
pub mod records;
pub mod report;
pub mod resources;
mod results;
mod rounds;
mod run;
pub mod schema;
mod sensitivity;
mod shared_noise;
mod spec;
mod spelling;
mod stopping;
pub mod studies;
mod summary;
pub mod sweep;
pub mod table;
mod theory;
pub mod topology;
mod trace;
mod traffic;
pub mod tune;

pub use error::ExperimentError;
pub use file::{Loaded, load};
pub use planning::{Planned, plan};
pub use results::{ResultFolder, json};
pub use run::{Options, Progress, run, run_until};
pub use spec::Spec;
