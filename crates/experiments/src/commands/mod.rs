//! The subcommands of `dido`, one file each. A new one is a file here, a line in this list and one in `main.rs`.

pub mod accounting;
pub mod audit;
pub mod compare;
pub mod data;
pub mod doctor;
pub mod explain;
pub mod init;
pub mod interrupt;
pub mod network_privacy;
pub mod output;
pub mod plan;
pub mod predict;
pub mod reading;
pub mod report;
pub mod run;
pub mod schema;
pub mod study;
pub mod sweep;
pub mod topology;
pub mod tune;

use clap::Args;
use dido_experiments::sweep::{self as sweeps, Sweep};
use dido_experiments::{ExperimentError, Spec, load};

/// What every command on an experiment takes.
#[derive(Args)]
pub struct Common {
    /// A preset (quickstart) or a TOML file.
    pub experiment: String,
    /// Override a key of the TOML, for example --set seed=3 or --set privacy.budget.epsilon=2.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
    /// Print one JSON object on the standard output, and everything else on the standard error.
    #[arg(long)]
    pub json: bool,
}

impl Common {
    /// The sweep of the experiment, if it has one.
    pub fn sweep(&self) -> Result<Option<Sweep>, ExperimentError> {
        sweeps::load(&self.experiment, &self.overrides)
    }

    /// The experiment with its overrides, checked.
    pub fn spec(&self) -> Result<Spec, ExperimentError> {
        Spec::new(load(&self.experiment, &self.overrides)?)
    }
}
