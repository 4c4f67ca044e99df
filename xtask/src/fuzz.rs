//! Fuzzing of the loaders by libFuzzer, on the stable compiler.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::run::{Failure, Outcome, cargo, run};

/// The targets: a format each.
const TARGETS: [&str; 6] = ["csv", "libsvm", "npy", "npz", "parquet", "arrow"];

/// What cargo-fuzz passes as well: the coverage that libFuzzer is guided by, and all checks.
const FLAGS: [&str; 9] = [
    "--cfg=fuzzing",
    "-Cdebug-assertions",
    "-Ccodegen-units=1",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Coverflow-checks",
];

/// Megabytes that a target may take: inputs unpack to 16 at most.
const MEGABYTES: u32 = 1024;

/// One target, or all of them, for so many seconds each.
pub fn fuzz(arguments: &[OsString]) -> Outcome {
    let (targets, seconds) = chosen(arguments)?;
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let host = host()?;
    let manifest = package.join("Cargo.toml");
    // Build scripts and macros are not to be instrumented: flags reach only what is built for a named target.
    run(cargo(["build", "--release", "--locked", "--bins", "--target", &host, "--manifest-path"])
        .arg(&manifest)
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_TARGET_DIR", package.join("target"))
        .env_remove("RUSTFLAGS")
        .env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\x1f")))?;
    for target in targets {
        // Finds go to the first folder; the second is what the repository keeps.
        let finds = folder(package.join("target/corpus").join(target))?;
        let kept = folder(package.join("corpus").join(target))?;
        let mut crashes = folder(package.join("artifacts").join(target))?.into_os_string();
        crashes.push("/");
        let mut prefix = OsString::from("-artifact_prefix=");
        prefix.push(&crashes);
        let mut command = Command::new(package.join("target").join(&host).join("release").join(target));
        command.args([finds, kept]).arg(prefix);
        command.args([format!("-max_total_time={seconds}"), format!("-rss_limit_mb={MEGABYTES}")]);
        command.args(["-timeout=10", "-max_len=16384", "-print_final_stats=1"]);
        run(&mut command)?;
    }
    Ok(())
}

fn folder(path: PathBuf) -> Result<PathBuf, Failure> {
    match fs::create_dir_all(&path) {
        Ok(()) => Ok(path),
        Err(e) => Err(Failure::new(format!("{} cannot be made: {e}", path.display()))),
    }
}

fn chosen(arguments: &[OsString]) -> Result<(Vec<&'static str>, u32), Failure> {
    let (mut targets, mut seconds) = (TARGETS.to_vec(), 60);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if argument == "--seconds" {
            let value = arguments.next().and_then(|value| value.to_str()?.parse().ok()).filter(|value| *value > 0);
            seconds = value.ok_or_else(|| Failure::usage("`fuzz --seconds` needs a positive whole number"))?;
        } else if let Some(target) = TARGETS.iter().find(|target| argument == **target) {
            targets = vec![*target];
        } else {
            let names = TARGETS.join(", ");
            let message = format!("`fuzz` knows the targets {names} and --seconds N, not `{}`", argument.display());
            return Err(Failure::usage(message));
        }
    }
    Ok((targets, seconds))
}

/// The platform of the compiler.
fn host() -> Result<String, Failure> {
    let output = Command::new("rustc").arg("-vV").output();
    let output = output.map_err(|e| Failure::new(format!("`rustc -vV` cannot be started: {e}")))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failure::new("`rustc -vV` names no host"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(arguments: &[&str]) -> Result<(Vec<&'static str>, u32), Failure> {
        chosen(&arguments.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn targets_and_seconds_are_chosen() {
        assert_eq!(given(&[]).unwrap(), (TARGETS.to_vec(), 60));
        assert_eq!(given(&["csv", "--seconds", "5"]).unwrap(), (vec!["csv"], 5));
        for wrong in [&["xml"][..], &["--seconds"], &["--seconds", "0"], &["csv", "--fast"]] {
            assert_eq!(given(wrong).unwrap_err().code, 2);
        }
    }
}
