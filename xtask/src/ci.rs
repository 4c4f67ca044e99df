//! What must hold before a change is merged.

use std::{
    env,
    ffi::OsString,
    fs,
    process::{self, Command},
    time::Instant,
};

use crate::{
    experiment,
    run::{Failure, Outcome, cargo, only, run, succeeds},
    test,
};

/// A step: its name and what it does.
type Step = (&'static str, fn() -> Outcome);

/// The steps, the quickest to fail first.
const STEPS: [Step; 8] = [
    ("format", || run(&mut cargo(["fmt", "--all", "--check"]))),
    ("clippy", || run(&mut cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))),
    ("documentation", || run(cargo(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))),
    ("test", || test::test(&[])),
    ("theorems", || test::theorems(&["--check", "--cases", "500"].map(Into::into))),
    ("lapack", lapack),
    ("benchmarks run", || run(&mut cargo(["bench", "--package", "dido-benches", "--", "--test"]))),
    ("quickstart", quickstart),
];

/// All steps in order; the first failure ends the task.
pub fn ci(arguments: &[OsString]) -> Outcome {
    only("ci", &[], arguments)?;
    for (name, step) in STEPS {
        println!("== {name}");
        let start = Instant::now();
        let outcome = step();
        let seconds = start.elapsed().as_secs_f64();
        println!("== {name}: {} after {seconds:.1} s", if outcome.is_ok() { "passed" } else { "failed" });
        outcome.map_err(|failure| Failure { message: format!("step `{name}`: {}", failure.message), ..failure })?;
    }
    Ok(())
}

/// A developer may do without `OpenBLAS`; continuous integration may not.
fn lapack() -> Outcome {
    if succeeds(Command::new("pkg-config").args(["--exists", "openblas"])) {
        return test::lapack(&[]);
    }
    let absent = "pkg-config finds no OpenBLAS (Debian: apt-get install pkg-config libopenblas-dev)";
    if env::var_os("CI").is_some() {
        return Err(Failure::new(absent));
    }
    println!("skipped: {absent}");
    Ok(())
}

/// The first example of the README, into a folder that is removed again.
fn quickstart() -> Outcome {
    let folder = env::temp_dir().join(format!("dido-quickstart-{}", process::id()));
    let outcome =
        experiment::experiment(&["quickstart".into(), "--out".into(), folder.clone().into(), "--json".into()])
            .map_err(|failure| Failure { message: "the quickstart failed".to_owned(), ..failure });
    let written = fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some());
    let removed = fs::remove_dir_all(&folder);
    outcome?;
    if !written {
        return Err(Failure::new(format!("the quickstart wrote nothing into {}", folder.display())));
    }
    removed.map_err(|e| Failure::new(format!("{} cannot be removed: {e}", folder.display())))
}
