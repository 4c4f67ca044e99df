//! Calling other programs.

use std::{
    env,
    ffi::{OsStr, OsString},
    process::{Command, Stdio},
};

/// Why a task ended early.
#[derive(Debug)]
pub struct Failure {
    /// One line; empty if the called program has already said it.
    pub message: String,
    /// The exit code.
    pub code: u8,
}

/// What a task returns.
pub type Outcome = Result<(), Failure>;

impl Failure {
    /// The task failed.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 1 }
    }

    /// The task was called wrongly.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 2 }
    }
}

/// The cargo that runs this program, with arguments.
pub fn cargo(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}

/// Shows the command, runs it and waits. A failure carries its exit code.
pub fn run(command: &mut Command) -> Outcome {
    let call = words(command);
    eprintln!("+ {call}");
    let status = command.status().map_err(|e| Failure::new(format!("`{call}` cannot be started: {e}")))?;
    if status.success() {
        return Ok(());
    }
    let code = status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(1);
    Err(Failure { message: format!("`{call}` failed ({status})"), code })
}

/// Whether a command exists and succeeds; its output is dropped.
pub fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Refuses arguments beyond the `known` ones.
pub fn only(task: &str, known: &[&str], arguments: &[OsString]) -> Outcome {
    match arguments.iter().find(|a| !known.iter().any(|k| a == k)) {
        None => Ok(()),
        Some(a) if known.is_empty() => {
            Err(Failure::usage(format!("`{task}` takes no arguments, got `{}`", a.display())))
        }
        Some(a) => Err(Failure::usage(format!("`{task}` knows {}, not `{}`", known.join(" "), a.display()))),
    }
}

fn words(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let mut words = vec![program.file_name().unwrap_or(program.as_os_str())];
    words.extend(command.get_args());
    words.iter().map(|word| word.display().to_string()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_pass_through() {
        // Cargo refuses an unknown command with code 101.
        let failure = run(&mut cargo(["no-such-command-of-cargo"])).unwrap_err();
        assert_eq!(failure.code, 101);
        assert!(failure.message.contains("no-such-command-of-cargo"), "{}", failure.message);
        assert!(run(&mut cargo(["--version"])).is_ok());
    }

    #[test]
    fn a_missing_program_is_named() {
        let mut missing = Command::new("no-such-program-anywhere");
        assert!(run(&mut missing).unwrap_err().message.contains("no-such-program-anywhere"));
        assert!(!succeeds(&mut missing));
    }
}
