//! What a command tells: results on the standard output, everything else on the standard error.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use dido_experiments::{ExperimentError, Planned};

use super::accounting::BAD_INPUT;
use super::interrupt::INTERRUPTED;

/// Text for people goes to the standard output, unless that is kept for JSON.
pub fn say(json: bool, text: &str) -> Result<(), ExperimentError> {
    if json {
        tell(text);
        Ok(())
    } else {
        print(&format!("{text}\n"))
    }
}

/// Whoever reads may stop reading, as `head` does: that is no error, where `println!` would panic. A full disk is one.
pub fn print(text: &str) -> Result<(), ExperimentError> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            Err(ExperimentError::File { path: "standard output".into(), reason: e.to_string() })
        }
        _ => Ok(()),
    }
}

/// The standard error is the last resort: where it fails, there is nobody to tell.
pub fn tell(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// What may go wrong, as the plan shows.
pub fn warn(planned: &Planned) {
    for warning in &planned.plan.warnings {
        tell(&format!("dido: warning: {warning}"));
    }
}

/// Success, or the error in one line.
pub fn ended(result: Result<(), ExperimentError>) -> ExitCode {
    result.map_or_else(|error| failed(&error), |()| ExitCode::SUCCESS)
}

/// The error in one line, and the exit code of its kind.
pub fn failed(error: &ExperimentError) -> ExitCode {
    tell(&format!("dido: {error}"));
    match error {
        ExperimentError::Sweep { .. } => ExitCode::from(BAD_INPUT),
        ExperimentError::Interrupted { .. } => ExitCode::from(INTERRUPTED),
        _ => ExitCode::FAILURE,
    }
}
