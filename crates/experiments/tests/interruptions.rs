//! Sweeps that are killed, stopped politely, or begun twice.
#![cfg(unix)]

mod common;

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::sweeps::{assert_same_bytes, rows, set_aside, sweep_folder};
use common::{Bench, TOML, clinics, stderr};

/// Six cells, of which one fails, of some tenths of a second each. The answer is the mean of all releases, so that a run that goes on
/// from a wrong state ends elsewhere.
const SWEEP: &str = "
[sweep]
\"privacy.budget.epsilon\" = [2, 8, -1]
graph.kind = [\"ring\", \"star\"]
";

fn bench(rounds: &str) -> Bench {
    let toml = TOML
        .replace("rounds = 40", &format!("repeat = 8\nrounds = {rounds}"))
        .replace("kind = \"projected-dgd\"", "kind = \"projected-dgd\"\naverage_from = 0");
    Bench::with(&format!("{toml}{SWEEP}"), &clinics())
}

const RUN: [&str; 4] = ["run", "experiment.toml", "--threads", "2"];

fn started(bench: &Bench, arguments: &[&str]) -> Child {
    let mut command = bench.command(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until there is what `ready` looks for.
fn wait(child: &mut Child, ready: impl Fn() -> bool) {
    let begun = Instant::now();
    while !ready() {
        assert!(child.try_wait().unwrap().is_none(), "the run ended too early");
        assert!(begun.elapsed() < Duration::from_mins(1), "the run did not begin");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Whether the rounds of some cell have begun.
fn begun(bench: &Bench) -> bool {
    let entries = fs::read_dir(bench.path("results/clinics")).into_iter().flatten();
    entries.flatten().any(|entry| entry.path().join("local.json").exists())
}

/// Numbers between 0 and 1 of a fixed seed.
fn uniform(seed: u64) -> impl Iterator<Item = f64> {
    let next =
        |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    std::iter::successors(Some(seed), next).skip(1).map(|state| (state >> 11) as f64 / (1_u64 << 53) as f64)
}

/// The moments are random shares of the time of an undisturbed run, so that they fall anywhere in it, however fast the machine
/// is. Nothing depends on when exactly.
#[test]
fn a_sweep_killed_at_ten_random_moments_ends_with_the_same_bytes() {
    let bench = bench("15000");
    let start = Instant::now();
    bench.json(&RUN);
    let whole = start.elapsed();
    set_aside(&bench, "whole");
    let mut killed = 0;
    for share in uniform(5).take(10) {
        let mut child = started(&bench, &[&RUN[..], &["--checkpoint-seconds", "0.02"]].concat());
        std::thread::sleep(whole.mul_f64(0.2 * share));
        child.kill().unwrap();
        killed += u32::from(!child.wait().unwrap().success());
    }
    assert!(killed >= 3, "the sweep ended after {killed} interruptions");
    bench.json(&RUN);
    assert_same_bytes(&bench.path("results"), &bench.path("whole"));
}

/// A file takes the place of another in one step. What a process that was killed before that step leaves is part of no result.
#[test]
fn what_was_being_written_is_not_part_of_a_result() {
    let bench = bench("60000");
    let run = ["run", "experiment.toml", "--set", "sweep={}"];
    let mut child = started(&bench, &run);
    wait(&mut child, || begun(&bench));
    assert_eq!(stopped(child, "-TERM").status.code(), Some(130));
    let entries = fs::read_dir(bench.path("results/clinics")).unwrap().map(|entry| entry.unwrap().path());
    for partial in entries {
        fs::write(partial.join("checkpoint.json.new"), "{").unwrap();
        fs::write(partial.join("local.json.new"), "{").unwrap();
    }
    bench.json(&run);
    let mut files = fs::read_dir(bench.result("results")).unwrap().map(|entry| entry.unwrap().path());
    assert!(files.all(|file| file.extension().unwrap() != "new"));
}

/// No checkpoint is due for a quarter of an hour: that there is one is due to the signal.
#[test]
fn a_stopped_sweep_says_how_to_go_on_and_ends_with_the_same_bytes() {
    let bench = bench("15000");
    bench.json(&RUN);
    set_aside(&bench, "whole");
    for signal in ["-INT", "-TERM"] {
        let mut child = started(&bench, &[&RUN[..], &["--checkpoint-seconds", "1000"]].concat());
        wait(&mut child, || begun(&bench) && sweep_folder(&bench, "results").join("lock").exists());
        let output = stopped(child, signal);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(130), "{text}");
        let last = text.lines().last().unwrap();
        assert!(
            last.starts_with("dido: stopped after ")
                && last.ends_with(" of 6 cells; the same command goes on from there"),
            "{text}"
        );
        assert!(output.stdout.is_empty());
        let entries = fs::read_dir(bench.path("results/clinics")).unwrap().map(|entry| entry.unwrap().path());
        assert!(entries.into_iter().any(|path| path.join("checkpoint.json").exists()));
        assert!(!sweep_folder(&bench, "results").join("lock").exists());
    }
    bench.json(&RUN);
    assert_same_bytes(&bench.path("results"), &bench.path("whole"));
}

#[test]
fn a_stopped_run_goes_on_to_the_same_bytes() {
    let bench = bench("60000");
    let run = ["run", "experiment.toml", "--set", "sweep={}"];
    let mut child = started(&bench, &[&run[..], &["--checkpoint-seconds", "1000"]].concat());
    wait(&mut child, || begun(&bench));
    let output = stopped(child, "-INT");
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(130), "{text}");
    let (round, rest) = text.strip_prefix("dido: stopped after round ").unwrap().split_once(' ').unwrap();
    assert_eq!(rest, "of 60000; the same command goes on from there\n");
    let resumed = bench.dido(&[&run[..], &["--json"]].concat());
    assert!(stderr(&resumed).contains(&format!("resumed at round {round}\n")), "{}", stderr(&resumed));
    set_aside(&bench, "resumed");
    bench.json(&run);
    assert_same_bytes(&bench.path("results"), &bench.path("resumed"));
}

/// A key of the operating system is stored nowhere, not for a stop either.
#[test]
fn a_stopped_run_with_a_key_of_the_operating_system_starts_afresh() {
    let bench = bench("60000");
    let mut child = started(&bench, &["run", "experiment.toml", "--set", "sweep={}", "--set", "seed=os"]);
    wait(&mut child, || begun(&bench));
    let output = stopped(child, "-INT");
    assert_eq!(output.status.code(), Some(130));
    assert!(
        stderr(&output).ends_with("a key of the operating system is not stored, so the same command starts afresh\n")
    );
    let mut entries = fs::read_dir(bench.path("results/clinics")).unwrap().map(|entry| entry.unwrap().path());
    assert!(entries.all(|path| !path.join("checkpoint.json").exists()));
}

/// The plan of so many rounds takes seconds, in which the first signal waits and the second does not.
#[test]
#[cfg(target_os = "linux")]
fn a_second_signal_ends_at_once() {
    let bench = bench("10000000");
    let mut child = started(&bench, &["run", "experiment.toml", "--set", "sweep={}"]);
    // The mask of the signals that a process handles; signal 2 is its second bit.
    let handled = || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
        u64::from_str_radix(mask.trim(), 16).unwrap_or(0) & 2 != 0
    };
    let begun = Instant::now();
    while !handled() {
        assert!(begun.elapsed() < Duration::from_mins(1), "signals are not handled");
        std::thread::sleep(Duration::from_millis(1));
    }
    signal(&child, "-INT");
    std::thread::sleep(Duration::from_millis(100));
    assert!(child.try_wait().unwrap().is_none(), "the first signal ended the run at once");
    let output = stopped(child, "-INT");
    assert_eq!(output.status.code(), Some(130));
    assert!(output.stderr.is_empty(), "{}", stderr(&output));
    assert!(!bench.path("results").exists());
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

fn stopped(child: Child, name: &str) -> std::process::Output {
    signal(&child, name);
    child.wait_with_output().unwrap()
}

#[test]
fn two_processes_do_not_work_on_one_sweep() {
    let bench = bench("15000");
    let mut child = started(&bench, &RUN);
    wait(&mut child, || begun(&bench));
    let second = bench.dido(&RUN);
    assert_eq!(second.status.code(), Some(1));
    assert!(second.stdout.is_empty());
    let text = stderr(&second);
    assert!(text.contains("sweep-") && text.ends_with(": another process is running this experiment\n"), "{text}");
    let first = child.wait_with_output().unwrap();
    assert!(first.status.success(), "{}", stderr(&first));
    set_aside(&bench, "disturbed");
    bench.json(&RUN);
    assert_same_bytes(&bench.path("results"), &bench.path("disturbed"));
}

/// One of its cells is run by hand meanwhile: that one is a row with its reason, and the next time it is there.
#[test]
fn a_cell_that_somebody_else_runs_is_found_the_next_time() {
    let bench = bench("60000");
    let cell = ["run", "experiment.toml", "--set", "sweep={}", "--set", "privacy.budget.epsilon=8"];
    let mut child = started(&bench, &cell);
    wait(&mut child, || begun(&bench));
    let sweep = [
        "run",
        "experiment.toml",
        "--set",
        "sweep.graph.kind=[\"ring\"]",
        "--set",
        "sweep.privacy.budget.epsilon=[8, -1]",
    ];
    let output = bench.dido(&sweep);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(rows(&bench, "results")[0]["reason"].contains("another process is running this experiment"));
    assert!(child.wait_with_output().unwrap().status.success());
    let output = bench.dido(&sweep);
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("is already there"));
    assert_eq!(rows(&bench, "results")[0]["status"], "done");
}
