//! `dido data`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use dido_data::{Format, Header, Kind, Missing, Options};
use dido_experiments::inspect::{Question, Task, inspect};
use dido_experiments::{ExperimentError, json};

use super::output::{print, tell};

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
    /// The format: csv, libsvm, npy, npz, parquet or arrow [default: found by content and name]
    #[arg(long)]
    format: Option<Format>,
    /// The separator of a CSV file, as ';', tab or space [default: found]
    #[arg(long, value_name = "C", value_parser = separator)]
    separator: Option<u8>,
    /// The decimal mark of a CSV file: . or ,
    #[arg(long, value_name = "C", default_value = ".", value_parser = byte)]
    decimal: u8,
    /// Whether the first line of a CSV file names the columns.
    #[arg(long, value_enum, default_value_t = HeaderArg::Auto)]
    header: HeaderArg,
    /// Lines of a CSV file that start with this say nothing.
    #[arg(long, value_name = "C", value_parser = byte)]
    comment: Option<u8>,
    /// What becomes of rows with missing values.
    #[arg(long, value_enum, default_value_t = MissingArg::Error)]
    missing: MissingArg,
    /// The cells that mean "missing" [default: nothing, NA, ?, nan, NaN, NULL]
    #[arg(long, value_name = "A,B,..", value_delimiter = ',')]
    na: Option<Vec<String>>,
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
enum HeaderArg {
    /// Tell it from the lines below.
    Auto,
    /// It does.
    Yes,
    /// It does not.
    No,
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
            format: self.format,
            separator: self.separator,
            decimal: self.decimal,
            header: match self.header {
                HeaderArg::Auto => Header::Auto,
                HeaderArg::Yes => Header::Yes,
                HeaderArg::No => Header::No,
            },
            comment: self.comment,
            missing: match self.missing {
                MissingArg::Error => Missing::Error,
                MissingArg::Drop => Missing::Drop,
            },
            na: self.na.clone().unwrap_or_else(|| Options::default().na),
            kinds: self.text.iter().map(|column| (column.clone(), Kind::Text)).collect(),
            drop: self.drop.clone(),
            index_base: self.index_base,
            features: self.features,
            ..Options::default()
        };
        let task = self.task.map(|task| match task {
            TaskArg::Regression => Task::Regression,
            TaskArg::Binary => Task::Binary,
        });
        Question { path: self.file.clone(), options, target: self.target.clone(), task, values: self.values }
    }
}

/// One byte, or the name of one that a shell makes hard to write.
fn separator(text: &str) -> Result<u8, String> {
    match text {
        "tab" | "\\t" => Ok(b'\t'),
        "space" => Ok(b' '),
        text => byte(text),
    }
}

fn byte(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err("one character of ASCII is needed".to_owned()),
    }
}
