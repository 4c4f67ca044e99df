//! Running an experiment.

use std::{ffi::OsString, path::Path};

use crate::run::{Failure, Outcome, cargo, run};

/// The published experiments that are no presets too: a preset is run, unless its figures are asked for.
const STUDIES: [&str; 8] = [
    "liu2020-tradeoff",
    "huang2015-rendezvous",
    "liu2024-svm",
    "table1",
    "topologies",
    "network-dp",
    "correlated-noise",
    "scaling",
];

/// `dido study` for the published experiments, which writes their pages into `docs/experiments`, and `dido run` for everything
/// else; with all arguments, in the caller's directory, with its exit code. Built without Parquet, which takes long to compile.
pub fn experiment(arguments: &[OsString]) -> Outcome {
    let mut command = cargo(["run", "--release", "--package", "dido-experiments", "--bin", "dido"]);
    command.args(["--no-default-features", "--features", "png", "--"]);
    if published(arguments) {
        let documents = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/experiments");
        command.arg("study").args(arguments.iter().filter(|argument| *argument != "--figures"));
        if !arguments.iter().any(|argument| argument == "--list" || argument == "--out") {
            command.arg("--out").arg(documents);
        }
    } else {
        command.arg("run").args(arguments);
    }
    // The command explains its failures itself.
    run(&mut command).map_err(|failure| Failure { message: String::new(), ..failure })
}

/// Whether the arguments ask for a published experiment, or for all of them.
fn published(arguments: &[OsString]) -> bool {
    let asks = |argument: &OsString| argument == "--figures" || argument == "--all" || argument == "--list";
    arguments.iter().any(asks) || arguments.first().is_some_and(|name| STUDIES.iter().any(|study| name == study))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_experiments_and_presets_are_told_apart() {
        let of = |arguments: &[&str]| published(&arguments.iter().map(Into::into).collect::<Vec<_>>());
        assert!(of(&["scaling"]) && of(&["--list"]) && of(&["--all", "--figures"]) && of(&["quickstart", "--figures"]));
        assert!(!of(&["quickstart", "--json"]) && !of(&["svm"]) && !of(&["my.toml", "--set", "name=scaling"]));
    }
}
