//! The published experiments: what the papers claim, measured, with a page for each.
//!
//! A [`Study`] asks one question and answers it with [`Findings`]; [`page`] turns both into Markdown and SVG. A new one is a file
//! here and a line in [`ALL`].
//!
//! Everything but what a clock says is a function of the [`Options`]: the same options give the same bytes.

mod findings;
pub mod fit;
mod network;
pub mod page;
mod specs;
mod wording;

mod correlated_noise;
mod huang2015_rendezvous;
mod liu2020_tradeoff;
mod liu2024_svm;
mod network_dp;
mod quickstart;
mod scaling;
mod table1;
mod topologies;

pub use findings::{Cell, Findings, Table};

use crate::error::ExperimentError;

/// What carries a study out: it is told how, and whom to tell of each part as it begins.
pub type Run = fn(&Options, &mut dyn FnMut(&str)) -> Result<Findings, ExperimentError>;

/// A published experiment.
pub struct Study {
    /// Its name on the command line, and of its page.
    pub name: &'static str,
    /// One line.
    pub title: &'static str,
    /// What is asked: a paragraph.
    pub question: &'static str,
    /// Data, graph, algorithm, privacy: a paragraph.
    pub set_up: &'static str,
    /// What the papers say of it: a paragraph.
    pub paper: &'static str,
    /// Carries it out.
    pub run: Run,
}

/// How a study is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// A short form with fewer lanes, rounds and points: for tests. The pages are made by the long one.
    pub quick: bool,
    /// Of the noise.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { quick: false, seed: 1 }
    }
}

impl Options {
    /// The value of the long form, or that of the short one.
    fn choose<T>(&self, long: T, quick: T) -> T {
        if self.quick { quick } else { long }
    }
}

/// All of them.
pub const ALL: &[Study] = &[
    quickstart::STUDY,
    liu2020_tradeoff::STUDY,
    huang2015_rendezvous::STUDY,
    liu2024_svm::STUDY,
    table1::STUDY,
    topologies::STUDY,
    network_dp::STUDY,
    correlated_noise::STUDY,
    scaling::STUDY,
];

/// The study of this name.
///
/// # Errors
/// If there is none; the error lists them.
pub fn find(name: &str) -> Result<&'static Study, ExperimentError> {
    ALL.iter().find(|study| study.name == name).ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|study| study.name).collect();
        ExperimentError::Usage(format!("no experiment `{name}`: there are {}", names.join(", ")))
    })
}
