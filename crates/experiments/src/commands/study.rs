//! `dido study`.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use dido_experiments::ExperimentError;
use dido_experiments::studies::{ALL, Options, Study, find, page};

use super::output::{print, tell};

#[derive(Args)]
pub struct StudyArgs {
    /// The experiment; --list names them.
    #[arg(required_unless_present_any = ["list", "all"])]
    name: Option<String>,
    /// List all experiments, one line each.
    #[arg(long, conflicts_with_all = ["name", "all"])]
    list: bool,
    /// Carry out all of them, one after the other, and write the index too.
    #[arg(long, conflicts_with = "name")]
    all: bool,
    /// The folder of the pages; the index, experiments.md, lies beside it.
    #[arg(long, value_name = "DIR", default_value = "docs/experiments")]
    out: PathBuf,
    /// A short form with rough numbers.
    #[arg(long)]
    quick: bool,
    /// The seed of the noise.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

pub fn run(args: &StudyArgs) -> Result<(), ExperimentError> {
    if args.list {
        let mut lines: Vec<String> = ALL.iter().map(|study| format!("{:<22}{}\n", study.name, study.title)).collect();
        lines.push(format!("\nPages with figures: {}\n", args.out.with_extension("md").display()));
        return print(&lines.concat());
    }
    let options = Options { quick: args.quick, seed: args.seed };
    match &args.name {
        Some(name) => carry_out(find(name)?, options, args)?,
        None => ALL.iter().try_for_each(|study| carry_out(study, options, args))?,
    }
    let index = args.out.with_extension("md");
    print(&format!("{}\n", page::write_index(index, &args.out)?.display()))
}

fn carry_out(study: &Study, options: Options, args: &StudyArgs) -> Result<(), ExperimentError> {
    let start = Instant::now();
    let findings = (study.run)(&options, &mut |part| tell(&format!("{}: {part}", study.name)))?;
    let files = page::write(&args.out, study, &options, &findings)?;
    tell(&format!("{}: {:.1} s", study.name, start.elapsed().as_secs_f64()));
    files.iter().try_for_each(|file| print(&format!("{}\n", file.display())))
}
