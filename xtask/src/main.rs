//! Automation of the workspace: `cargo xtask` lists the tasks.
//!
//! Every task calls other programs; this one has no dependencies, so that it compiles in a second.

mod ci;
mod experiment;
mod fuzz;
mod measure;
mod run;
mod test;

use std::{env, ffi::OsString, process::ExitCode};

use run::{Failure, Outcome};

/// A task: its name, its arguments, what it does, and the function that does it.
struct Task {
    name: &'static str,
    arguments: &'static str,
    purpose: &'static str,
    run: fn(&[OsString]) -> Outcome,
}

/// All tasks.
const TASKS: [Task; 7] = [
    Task {
        name: "experiment",
        arguments: "--list|--all|NAME|FILE [--figures] [ARGUMENTS]",
        purpose: "run a published experiment (dido study) or another one (dido run), built for release",
        run: experiment::experiment,
    },
    Task {
        name: "test",
        arguments: "",
        purpose: "all tests (by cargo-nextest where installed) and documentation examples",
        run: test::test,
    },
    Task {
        name: "theorems",
        arguments: "[--cases N] [--only NAME] [--json] [--check]",
        purpose: "check every bound on random problems, built for release, and write docs/theory/verdicts.*",
        run: test::theorems,
    },
    Task {
        name: "lapack",
        arguments: "",
        purpose: "test the linear algebra against the system's OpenBLAS",
        run: test::lapack,
    },
    Task {
        name: "fuzz",
        arguments: "[csv|libsvm|npy|npz|parquet|arrow] [--seconds N]",
        purpose: "feed the loaders of data files with what libFuzzer makes up, a minute each; needs a compiler of C++",
        run: fuzz::fuzz,
    },
    Task {
        name: "bench",
        arguments: "[FILTER]",
        purpose: "measure, and say where the report of the measurements lies",
        run: measure::bench,
    },
    Task { name: "ci", arguments: "", purpose: "everything that must hold before a change is merged", run: ci::ci },
];

fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.message.is_empty() {
                eprintln!("xtask: {}", failure.message);
            }
            ExitCode::from(failure.code)
        }
    }
}

fn dispatch(arguments: &[OsString]) -> Outcome {
    let Some((name, rest)) = arguments.split_first() else {
        print!("{}", listing());
        return Ok(());
    };
    if name == "--help" || name == "-h" {
        print!("{}", listing());
        return Ok(());
    }
    match TASKS.iter().find(|task| name == task.name) {
        Some(task) => (task.run)(rest),
        None => Err(Failure::usage(format!("unknown task `{}`; `cargo xtask` lists the tasks", name.display()))),
    }
}

fn listing() -> String {
    let line = |task: &Task| {
        let call = format!("{} {}", task.name, task.arguments);
        format!("  {call:<54}{}\n", task.purpose)
    };
    format!("Usage: cargo xtask TASK\n\n{}", TASKS.iter().map(line).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_task_is_one_line_and_code_two() {
        let failure = dispatch(&["deploy".into()]).unwrap_err();
        assert_eq!(failure.message, "unknown task `deploy`; `cargo xtask` lists the tasks");
        assert_eq!(failure.code, 2);
    }

    #[test]
    fn tasks_refuse_arguments_they_do_not_know() {
        for call in [["test", "topology"], ["lapack", "x"], ["ci", "--quick"]] {
            let failure = dispatch(&call.map(OsString::from)).unwrap_err();
            assert_eq!(failure.code, 2, "{}", failure.message);
            assert!(failure.message.contains(call[0]) && failure.message.contains(call[1]), "{}", failure.message);
        }
    }

    #[test]
    fn the_listing_names_every_task() {
        let text = listing();
        assert!(TASKS.iter().all(|task| text.contains(&format!("\n  {} ", task.name)) && text.contains(task.purpose)));
    }
}
