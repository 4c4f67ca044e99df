//! The command behind `cargo xtask theorems`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use dido_theorems::{CASES, Report, Theorem, TheoremError, all, named};

/// Check every bound of the papers on random problems, and write the verdicts.
#[derive(Parser)]
#[command(name = "theorems", bin_name = "cargo xtask theorems")]
struct Arguments {
    /// Cases of the cheapest kind; those that take longer are drawn less often, once at least.
    #[arg(long, value_name = "N", default_value_t = CASES)]
    cases: u32,
    /// Only the theorems of this name (A4 is A4 and A4-published, A is all of paper A); nothing is written then.
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Print the verdicts as JSON.
    #[arg(long)]
    json: bool,
    /// Compare the verdicts with the recorded ones in place of writing them.
    #[arg(long)]
    check: bool,
    /// Where verdicts.md and verdicts.json are.
    #[arg(long, value_name = "FOLDER", default_value = "docs/theory")]
    out: PathBuf,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("theorems: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether everything is as expected.
fn run(arguments: &Arguments) -> Result<bool, TheoremError> {
    let theorems: Vec<&Theorem> = match &arguments.only {
        Some(name) => named(name)?,
        None => all().collect(),
    };
    let mut report = Report { cases: arguments.cases, findings: vec![] };
    for theorem in theorems {
        let start = Instant::now();
        let finding = theorem.examine(arguments.cases);
        let seconds = start.elapsed().as_secs_f64();
        eprintln!(
            "{:<14}{:<20}{:>7} cases, worst {:<10.3}{seconds:>6.1} s",
            finding.name, finding.verdict, finding.cases, finding.worst
        );
        if let Some(detail) = &finding.detail {
            eprintln!("    {detail}");
        }
        report.findings.push(finding);
    }
    if arguments.json {
        println!("{}", json(&report));
    }
    let mut expected = report.is_expected();
    if arguments.only.is_none() {
        if arguments.check {
            let differences = report.differences(&recorded(&arguments.out)?);
            for line in &differences {
                eprintln!("verdicts.json is out of date: {line}");
            }
            expected &= differences.is_empty();
        } else {
            write(&arguments.out.join("verdicts.md"), &report.markdown())?;
            write(&arguments.out.join("verdicts.json"), &(json(&report) + "\n"))?;
        }
    }
    Ok(expected)
}

fn json(report: &Report) -> String {
    serde_json::to_string_pretty(report).expect("names, numbers and texts")
}

fn recorded(folder: &Path) -> Result<Report, TheoremError> {
    let path = folder.join("verdicts.json");
    let text = fs::read_to_string(&path).map_err(|source| TheoremError::File { path: path.clone(), source })?;
    serde_json::from_str(&text).map_err(|source| TheoremError::Json { path, source })
}

fn write(path: &Path, text: &str) -> Result<(), TheoremError> {
    fs::write(path, text).map_err(|source| TheoremError::File { path: path.to_owned(), source })
}
