//! `dido init`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use dido_data::{Header, Kind, Options};
use dido_experiments::ExperimentError;
use dido_experiments::init::{Question, Task, init, write};

use super::output::print;
use super::reading::ReadingArgs;

#[derive(Args)]
#[command(
    after_help = "Column names and kinds are read off the file; bounds, levels and counts are left to be declared."
)]
pub struct InitArgs {
    /// A data file with columns: CSV, NPY, NPZ, Parquet or Arrow.
    file: PathBuf,
    /// The column that is predicted.
    #[arg(long, value_name = "COLUMN")]
    target: String,
    /// The column whose values are the parties.
    #[arg(long, value_name = "COLUMN")]
    site: Option<String>,
    /// What the target is [default: a number, or two classes where it is text]
    #[arg(long, value_enum)]
    task: Option<TaskArg>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Read a column of a CSV file as text, whatever it looks like; may be given several times.
    #[arg(long, value_name = "COLUMN")]
    text: Vec<String>,
    /// The experiment file to write [default: the name of the data with the ending toml, in this folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Read bounds, levels and counts off the data: the experiment is NON-PRIVATE and says so everywhere.
    #[arg(long)]
    from_data: bool,
    /// Replace an existing file.
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum TaskArg {
    /// Numbers.
    Regression,
    /// Two classes.
    Binary,
}

/// What was written, and what to do next.
pub fn run(args: &InitArgs) -> Result<(), ExperimentError> {
    let InitArgs { file, target, site, task, reading, text, out, from_data, force } = args;
    let out = out.clone().unwrap_or_else(|| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        PathBuf::from(format!("{}.toml", name.split('.').next().unwrap_or("experiment")))
    });
    let task = task.map(|task| match task {
        TaskArg::Regression => Task::Regression,
        TaskArg::Binary => Task::Binary,
    });
    let (target, site) = (target.clone(), site.clone());
    let kinds = text.iter().map(|column| (column.clone(), Kind::Text)).collect();
    let (file, options) = (file.clone(), Options { kinds, ..reading.options(Header::Auto) });
    let question = Question { file, options, out: out.clone(), target, site, task, from_data: *from_data };
    let text = init(&question)?;
    write(&out, &text, *force)?;
    let out = out.display();
    print(&if *from_data {
        format!("{out} is NON-PRIVATE: its bounds were read off the data\ndido run {out}\n")
    } else {
        format!("{out}: declare what says \"DECLARE\" in it, then\ndido run {out}\n")
    })
}
