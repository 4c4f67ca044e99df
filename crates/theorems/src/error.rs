//! Why a check could not be made.

use std::path::PathBuf;

use dido_geometry::GeometryError;
use dido_linalg::LinalgError;
use dido_mechanisms::MechanismError;
use dido_optimizers::{OptimizerError, Stop};
use dido_problems::ProblemError;
use dido_topology::TopologyError;

/// The errors of this crate. A theorem that fails is no error, but a [`Verdict`](crate::Verdict).
#[derive(Debug, thiserror::Error)]
pub enum TheoremError {
    /// There is no such theorem.
    #[error("no theorem is called {name}; the names are {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// All there are.
        known: String,
    },
    /// Nothing could be drawn that meets the assumptions.
    #[error("{theorem}, case {case}: nothing can be drawn that meets the assumptions: {reason}")]
    Draw {
        /// The theorem.
        theorem: &'static str,
        /// The case.
        case: u32,
        /// What the strategy says.
        reason: String,
    },
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Recorded verdicts that are none.
    #[error("{path}: {source}")]
    Json {
        /// The file.
        path: PathBuf,
        /// Where it goes wrong.
        source: serde_json::Error,
    },
    /// A run, or its parties, are refused.
    #[error(transparent)]
    Optimizer(#[from] OptimizerError),
    /// A run stops.
    #[error(transparent)]
    Stop(#[from] Stop),
    /// The privacy crate refuses.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// A problem cannot be set up or solved.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// A graph or its weights cannot be had.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// A set cannot be had.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// A factorisation fails.
    #[error(transparent)]
    Linalg(#[from] LinalgError),
}
