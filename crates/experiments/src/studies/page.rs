//! The page of a study, and the index of all.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{ALL, Findings, Options, Study, Table};
use crate::error::ExperimentError;

/// What a study writes for programs.
#[derive(Serialize)]
struct Numbers<'a> {
    name: &'a str,
    seed: u64,
    quick: bool,
    tables: &'a [Table],
}

/// Writes the page of a study and what belongs to it into `folder`, and returns its files: `NAME.md`, `NAME.json` with all
/// numbers, `NAME-FIGURE.svg`, and `NAME.timing.md` where a clock had something to say.
///
/// # Errors
/// If a file cannot be written.
pub fn write(
    folder: &Path,
    study: &Study,
    options: &Options,
    findings: &Findings,
) -> Result<Vec<PathBuf>, ExperimentError> {
    let numbers = Numbers { name: study.name, seed: options.seed, quick: options.quick, tables: &findings.tables };
    let mut files = vec![
        (format!("{}.md", study.name), markdown(study, options, findings)),
        (format!("{}.json", study.name), crate::json(&numbers)),
    ];
    files.extend(findings.figures.iter().map(|figure| (picture(study, figure.name), figure.svg())));
    if !findings.timing.is_empty() {
        files.push((format!("{}.timing.md", study.name), timing(study, findings)));
    }
    files.into_iter().map(|(name, text)| store(folder.join(name), &text)).collect()
}

/// The page.
pub fn markdown(study: &Study, options: &Options, findings: &Findings) -> String {
    let Study { name, title, question, set_up, paper, .. } = study;
    let mut parts = vec![
        format!("# {title}"),
        "Written by the command at its end; do not edit. Errors, gaps and scores are computed from records: no guarantee \
         covers them."
            .to_owned(),
        format!("## Question\n\n{question}"),
        format!("## Set-up\n\n{set_up}"),
    ];
    if options.quick {
        parts.push("**The short form, for tests: the numbers are rough.**".to_owned());
    }
    parts.push("## What we found".to_owned());
    let sentences: Vec<String> = findings.sentences.iter().map(|sentence| format!("- {sentence}")).collect();
    parts.push(sentences.join("\n"));
    parts.extend(
        findings
            .figures
            .iter()
            .map(|figure| format!("![{}]({})", alternative(&figure.title), picture(study, figure.name))),
    );
    let tables = if findings.shown.is_empty() { &findings.tables } else { &findings.shown };
    parts.extend(tables.iter().map(|table| table.markdown().trim_end().to_owned()));
    if !findings.timing.is_empty() {
        parts.push(format!("What a clock said of one run: [{name}.timing.md]({name}.timing.md)."));
    }
    parts.push(format!("## What the papers say\n\n{paper}"));
    parts.push(format!("## Command\n\n```sh\n{}\n```", command(study, options)));
    parts.push(format!("All numbers: [{name}.json]({name}.json)."));
    parts.join("\n\n") + "\n"
}

/// What carries the study out again.
pub fn command(study: &Study, options: &Options) -> String {
    let Options { quick, seed } = *options;
    let seed = if seed == Options::default().seed { String::new() } else { format!(" --seed {seed}") };
    let quick = if quick { " --quick" } else { "" };
    format!("cargo xtask experiment {} --figures{seed}{quick}", study.name)
}

/// Writes `docs/experiments.md` for the pages in the folder `experiments` beside it: each with its question and key figure.
///
/// # Errors
/// If the file cannot be written.
pub fn write_index(file: PathBuf, folder: &Path) -> Result<PathBuf, ExperimentError> {
    store(file, &index(folder))
}

/// The index of the pages in `folder`, which stands beside it: all studies, the key figure of each that has been made.
fn index(folder: &Path) -> String {
    let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let mut parts = vec![
        "# Published experiments".to_owned(),
        "What the papers claim, measured. Written by `cargo xtask experiment --all --figures`, which makes all pages and figures \
         anew; `cargo xtask experiment --list` lists the experiments, `cargo xtask experiment NAME --figures` makes one page. What a page \
         says in numbers was filled in by the command. All together take about 13 minutes of processor time, by `time`, most of them for \
         `liu2024-svm`."
            .to_owned(),
    ];
    for study in ALL {
        parts.push(format!("## [{}]({name}/{}.md): {}", study.name, study.name, study.title));
        parts.push(study.question.to_owned());
        if let Some(figure) = key_figure(folder, study) {
            parts.push(format!("![{}]({name}/{figure})", alternative(study.title)));
        }
    }
    parts.join("\n\n") + "\n"
}

/// The first picture of a page that lies in the folder.
fn key_figure(folder: &Path, study: &Study) -> Option<String> {
    let page = fs::read_to_string(folder.join(format!("{}.md", study.name))).ok()?;
    let line = page.lines().find(|line| line.starts_with("!["))?;
    let (_, target) = line.rsplit_once('(')?;
    Some(target.trim_end_matches(')').to_owned())
}

fn timing(study: &Study, findings: &Findings) -> String {
    let tables: Vec<String> = findings.timing.iter().map(|table| table.markdown().trim_end().to_owned()).collect();
    let head = format!("# {}: what a clock said\n\nOne run on one machine; no two agree.", study.title);
    format!("{head}\n\n{}\n", tables.join("\n\n"))
}

fn picture(study: &Study, figure: &str) -> String {
    format!("{}-{figure}.svg", study.name)
}

/// The title of a picture between brackets.
fn alternative(title: &str) -> String {
    title.replace(['[', ']'], "")
}

fn store(path: PathBuf, text: &str) -> Result<PathBuf, ExperimentError> {
    let refuse =
        |path: &Path, e: std::io::Error| ExperimentError::File { path: path.to_owned(), reason: e.to_string() };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|e| refuse(folder, e))?;
    }
    fs::write(&path, text).map_err(|e| refuse(&path, e))?;
    Ok(path)
}
