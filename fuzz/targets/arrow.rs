//! Arrow IPC: any bytes, refusing and dropping what is missing.
#![no_main]

use dido_data::{Format, Missing, Options};
use dido_fuzz::{attempt, options};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let strict = options(Format::Arrow);
    attempt(bytes, &strict);
    attempt(bytes, &Options { missing: Missing::Drop, ..strict });
});
