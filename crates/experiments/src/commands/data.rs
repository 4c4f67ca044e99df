//! `dido data`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use dido_data::{Header, Kind, Missing, Options};
use dido_experiments::inspect::{Question, Task, inspect};
use dido_experiments::{ExperimentError, json};

use super::output::{print, tell};
use super::reading::ReadingArgs;

#[derive(Args)]
pub struct DataArgs {
    #[command(subcommand)]
    command: Data,
}

#[derive(Subcommand)]
enum Data {
    /// Say what is in a data file: rows, columns, kinds, ranges, missing values, classes. Not private.
    Inspect(InspectArgs),
}

#[derive(Args)]
#[command(after_help = "What is printed is computed from the records without noise: it is for the owner of the data.")]
struct InspectArgs {
    /// A data file, or a folder with a file for each node.
    file: PathBuf,
    /// The target: a column by name or by number from 1 [default: the last column; of NPZ archives y]
    #[arg(long, value_name = "NAME|INDEX")]
    target: Option<String>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// What becomes of rows with missing values.
    #[arg(long, value_enum, default_value_t = MissingArg::Error)]
    missing: MissingArg,
    /// The index of the first feature of a LIBSVM file: 0 or 1.
    #[arg(long, value_name = "N", default_value_t = 1)]
    index_base: u8,
    /// The number of features of a LIBSVM file [default: the largest index]
    #[arg(long, value_name = "N")]
    features: Option<usize>,
    /// Leave out a column; may be given several times.
    #[arg(long, value_name = "COLUMN")]
    drop: Vec<String>,
    /// Read a column of a CSV file as text, whatever it looks like; may be given several times.
    #[arg(long, value_name = "COLUMN")]
    text: Vec<String>,
    /// What the target is for; a binary one has two classes, which become -1 and +1.
    #[arg(long, value_enum)]
    task: Option<TaskArg>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Print the encoded values as well.
    #[arg(long)]
    values: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum MissingArg {
    /// Refuse the file.
    Error,
    /// Drop the rows and count them.
    Drop,
}

#[derive(Clone, Copy, ValueEnum)]
enum TaskArg {
    /// Numbers.
    Regression,
    /// Two classes.
    Binary,
}

/// What is to be printed; warnings go to the standard error.
pub fn run(args: &DataArgs) -> Result<(), ExperimentError> {
    let Data::Inspect(args) = &args.command;
    let found = inspect(&args.question())?;
    for warning in &found.warnings {
        tell(&format!("dido: warning: {warning}"));
    }
    print(&if args.json { json(&found) } else { found.text() })
}

impl InspectArgs {
    fn question(&self) -> Question {
        let options = Options {
            missing: match self.missing {
                MissingArg::Error => Missing::Error,
                MissingArg::Drop => Missing::Drop,
            },
            kinds: self.text.iter().map(|column| (column.clone(), Kind::Text)).collect(),
            drop: self.drop.clone(),
            index_base: self.index_base,
            features: self.features,
            ..self.reading.options(Header::Auto)
        };
        let task = self.task.map(|task| match task {
            TaskArg::Regression => Task::Regression,
            TaskArg::Binary => Task::Binary,
        });
        Question { path: self.file.clone(), options, target: self.target.clone(), task, values: self.values }
    }
}
