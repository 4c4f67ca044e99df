//! What a run takes, in words.

use crate::report::number::significant;
use crate::resources::{Memory, Messages, Resources};

pub fn memory(resources: &Resources) -> String {
    let Memory { kept, within, vectors, weights, data, ledger, trace, program, total } = resources.memory;
    let [vectors, weights, data, ledger, trace, program, total] =
        [vectors, weights, data, ledger, trace, program, total].map(|bytes| size(bytes as f64));
    format!(
        "about {total}: {vectors} of vectors ({kept} kept and {within} besides, x parties x lanes x coordinates x 8), \
         weights {weights}, data {data}, ledger {ledger}, trace {trace}, program {program}"
    )
}

pub fn messages(resources: &Resources) -> String {
    let Messages { per_round, rounds, averaging, coordinates, bytes_per_round, bytes, sampled } = resources.messages;
    let [per_round, rounds, averaging] = [per_round, rounds, averaging].map(significant);
    let expected = sampled.map_or(String::new(), |looked_at| format!(", expected from {looked_at} rounds"));
    format!(
        "{per_round} in a round ({}), each of {coordinates} numbers a lane; {rounds} in all rounds and {averaging} of plain \
         averaging, {} in all{expected}",
        size(bytes_per_round),
        size(bytes)
    )
}

fn size(bytes: f64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB"];
    let mut value = bytes;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{} {}", significant(value), units[unit])
}
