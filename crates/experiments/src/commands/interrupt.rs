//! A polite request to stop.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use dido_experiments::ExperimentError;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown};

/// What a shell reports of a program that was interrupted.
pub const INTERRUPTED: u8 = 130;

/// Set by the first Ctrl-C or `kill`; the second ends the program at once.
pub fn requested() -> Result<Arc<AtomicBool>, ExperimentError> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // Handlers run in this order: the first one sees what an earlier signal has set.
        register_conditional_shutdown(signal, INTERRUPTED.into(), stop.clone())
            .and_then(|_| register(signal, stop.clone()))
            .map_err(|error| ExperimentError::Usage(format!("signals cannot be handled: {error}")))?;
    }
    Ok(stop)
}
