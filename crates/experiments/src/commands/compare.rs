//! `dido compare`.

use std::path::PathBuf;

use clap::Args;
use dido_experiments::{ExperimentError, comparison::compare, report, table::table};

use super::output::{print, tell};

#[derive(Args)]
pub struct CompareArgs {
    /// A preset (table1) or a TOML file, whose runs are carried out; or the folders of results or sweeps, which are read.
    #[arg(required = true, value_name = "NAME|FILE|DIR")]
    compared: Vec<String>,
    /// Print one JSON object on the standard output.
    #[arg(long)]
    json: bool,
    /// Print the results in folders as CSV.
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

pub fn run(args: &CompareArgs) -> Result<(), ExperimentError> {
    let folders: Vec<PathBuf> = args.compared.iter().map(PathBuf::from).collect();
    match &args.compared[..] {
        [name] if !folders[0].is_dir() => {
            if args.csv {
                return Err(ExperimentError::Usage(format!("--csv is for folders of results, and {name} is none")));
            }
            let found = compare(name, &[])?;
            print(&if args.json { dido_experiments::json(&found) } else { report::text::comparison(&found) + "\n" })
        }
        _ => {
            let found = table(&folders)?;
            if args.json {
                return print(&dido_experiments::json(&found));
            }
            if args.csv {
                found.warnings.iter().for_each(|warning| tell(&format!("dido: warning: {warning}")));
                return print(&found.csv());
            }
            print(&(report::text::table(&found) + "\n"))
        }
    }
}
