//! The decoders of Parquet and Arrow panic on some damaged files. Here such a panic is an error like any other.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use crate::Fault;
use crate::error::At;

thread_local! {
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Calls a decoder. Nothing of what it was doing is kept after a panic, so nothing can be seen half done.
pub(super) fn guarded<T>(format: &str, decode: impl FnOnce() -> Result<T, At>) -> Result<T, At> {
    silence();
    DECODING.set(true);
    let decoded = panic::catch_unwind(AssertUnwindSafe(decode));
    DECODING.set(false);
    decoded.unwrap_or_else(|_| {
        Err(Fault::Damaged(format!("the {format} data are damaged: the decoder gave up on them")).into())
    })
}

/// Lets panics of decoders pass without a message, from the first file on. All others are told as before.
fn silence() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let tell = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !DECODING.get() {
                tell(panic);
            }
        }));
    });
}
