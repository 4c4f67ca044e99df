//! What is wrong with an experiment, in one line that names the place.

use std::path::PathBuf;

use crate::spelling::{one_line, suggestion};

/// The errors of this crate.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// Neither a preset nor a file.
    #[error("no experiment `{name}`{meant}: it is neither a preset ({presets}) nor a readable file ({reason})")]
    NoSuchExperiment {
        /// What was asked for.
        name: String,
        /// The preset whose name is near, as the end of a sentence; empty if there is none.
        meant: String,
        /// The presets there are.
        presets: String,
        /// Why the file cannot be read.
        reason: String,
    },
    /// The file is no TOML.
    #[error("{file}, line {line}: {message}")]
    Syntax {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What the parser says.
        message: String,
    },
    /// A key has a wrong name, type or value.
    #[error("{file}: {}{message}", place(path))]
    Key {
        /// The file.
        file: String,
        /// The path of the key in the TOML; empty for the whole file.
        path: String,
        /// What is wrong with it.
        message: String,
    },
    /// An override is not of the form KEY=VALUE, or its key leads nowhere.
    #[error("--set {argument}: {message}")]
    Override {
        /// The argument.
        argument: String,
        /// What is wrong with it.
        message: String,
    },
    /// A graph or its weights cannot be had.
    #[error(transparent)]
    Topology(#[from] dido_topology::TopologyError),
    /// Arguments of the command line that do not go together.
    #[error("{0}")]
    Usage(String),
    /// The data cannot be used.
    #[error("{}{}", .0, near_column(.0))]
    Data(#[from] dido_problems::ProblemError),
    /// A data file cannot be read.
    #[error(transparent)]
    DataFile(#[from] dido_data::DataError),
    /// A set does not exist.
    #[error(transparent)]
    Geometry(#[from] dido_geometry::GeometryError),
    /// A system of equations has no solution.
    #[error(transparent)]
    Linalg(#[from] dido_linalg::LinalgError),
    /// The optimisers refuse.
    #[error(transparent)]
    Optimizer(#[from] dido_optimizers::OptimizerError),
    /// The plan or the run was stopped.
    #[error(transparent)]
    Stop(#[from] dido_optimizers::Stop),
    /// The values are valid one by one, but not together.
    #[error("{file}: this cannot be planned: {reason}")]
    NoPlan {
        /// The file.
        file: String,
        /// Why.
        reason: String,
    },
    /// The budget does not pay for all rounds.
    #[error(
        "{file}: the budget (epsilon {epsilon}, delta {delta}) is too small for {rounds} rounds: in round {round} {reason}"
    )]
    OverBudget {
        /// The file.
        file: String,
        /// Epsilon of the budget.
        epsilon: f64,
        /// Delta of the budget.
        delta: f64,
        /// The first round refused, from 0.
        round: u32,
        /// The rounds asked for.
        rounds: u32,
        /// What was spent, asked for and allowed.
        reason: dido_mechanisms::MechanismError,
    },
    /// The budget does not pay for a run that is accounted as a whole.
    #[error(
        "{file}: the budget (epsilon {epsilon}, delta {delta}) is too small for {rounds} rounds: they cost epsilon {found} \
         ({method})"
    )]
    PlanOverBudget {
        /// The file.
        file: String,
        /// Epsilon of the budget.
        epsilon: f64,
        /// Delta of the budget.
        delta: f64,
        /// The rounds asked for.
        rounds: u32,
        /// Their epsilon.
        found: f64,
        /// The accountant that found it.
        method: String,
    },
    /// The privacy crate refuses.
    #[error(transparent)]
    Mechanism(#[from] dido_mechanisms::MechanismError),
    /// An argument of the command line has no meaning.
    #[error("{argument} {value}: out of range, which is {range}")]
    Argument {
        /// The argument.
        argument: &'static str,
        /// Its value.
        value: String,
        /// The values that it can have.
        range: String,
    },
    /// A file that is given cannot be read, or does not hold what it should.
    #[error("{}: {reason}", path.display())]
    Input {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A file of the results cannot be written or read.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The results are of other data.
    #[error(
        "{}: these results were made from other data than `{source_name}` holds now; run with --force to replace them",
        path.display()
    )]
    OtherData {
        /// The result folder.
        path: PathBuf,
        /// The data source.
        source_name: String,
    },
    /// A stored file of the results does not make sense.
    #[error("{}: damaged ({reason}); run with --force to replace it", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file of a result that is read again does not make sense.
    #[error("{}: damaged ({reason})", path.display())]
    Spoilt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Another process works on the same result.
    #[error("{}: another process is running this experiment", path.display())]
    Busy {
        /// The folder of the unfinished result.
        path: PathBuf,
    },
    /// The sweep of a file makes no sense, or none of its cells does.
    #[error("{file}: {message}")]
    Sweep {
        /// The file.
        file: String,
        /// What is wrong with it.
        message: String,
    },
    /// Every cell of a sweep failed.
    #[error("{file}: none of the {cells} cells of the sweep succeeded; the first: {reason}")]
    NoCell {
        /// The file.
        file: String,
        /// The number of cells.
        cells: usize,
        /// Why the first failed.
        reason: String,
    },
    /// Somebody asked a run to stop.
    #[error("stopped after {done}; {next}")]
    Interrupted {
        /// How far it came.
        done: String,
        /// How it goes on.
        next: &'static str,
    },
    /// A picture cannot be drawn.
    #[error("report: {0}")]
    Report(#[from] crate::report::ReportError),
}

impl ExperimentError {
    /// The message in one line without control characters, which names of files and columns may have.
    pub fn line(&self) -> String {
        one_line(&self.to_string())
    }

    /// Whether it follows from what was asked for and given, before any run: another call would be needed. The rest are
    /// failures: of the disk, of a run, or of a result that is in the way.
    pub fn is_bad_input(&self) -> bool {
        match self {
            Self::NoSuchExperiment { .. }
            | Self::Syntax { .. }
            | Self::Key { .. }
            | Self::Override { .. }
            | Self::Topology(_)
            | Self::Usage(_)
            | Self::Data(_)
            | Self::Optimizer(_)
            | Self::NoPlan { .. }
            | Self::OverBudget { .. }
            | Self::PlanOverBudget { .. }
            | Self::Mechanism(_)
            | Self::Argument { .. }
            | Self::Input { .. }
            | Self::Sweep { .. }
            | Self::Spoilt { .. }
            | Self::DataFile(_) => true,
            Self::Stop(_)
            | Self::Geometry(_)
            | Self::Linalg(_)
            | Self::File { .. }
            | Self::OtherData { .. }
            | Self::Damaged { .. }
            | Self::Busy { .. }
            | Self::NoCell { .. }
            | Self::Interrupted { .. }
            | Self::Report(_) => false,
        }
    }
}

/// The column that was meant, as the end of a message.
fn near_column(error: &dido_problems::ProblemError) -> String {
    match error {
        dido_problems::ProblemError::MissingColumn { column, present, .. } => suggestion(column, present.split(", ")),
        _ => String::new(),
    }
}

fn place(path: &str) -> String {
    if path.is_empty() || path == "." { String::new() } else { format!("`{path}`: ") }
}
