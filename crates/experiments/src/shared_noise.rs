//! Noise that the parties of an experiment share with their neighbours.

use std::collections::HashMap;

use dido_mechanisms::correlated::SharedNoise;
use dido_mechanisms::{Gate, Key};

use crate::config::Seed;
use crate::error::ExperimentError;
use crate::spec::Spec;

/// The gate with the shared noise of the algorithm, if it has some; a plan needs no keys for it.
///
/// # Errors
/// If the noise does not go with the experiment, or there are no keys to be had.
pub(crate) fn shared(spec: &Spec, gate: Gate) -> Result<Gate, ExperimentError> {
    let Some(ratio) = spec.method.shared_noise() else { return Ok(gate) };
    let nodes = spec.declaration.nodes();
    let neighbours = |i: usize| {
        let (columns, weights) = spec.weights.row(i);
        columns.iter().zip(weights).filter(move |&(&j, &weight)| j > i && weight != 0.0).map(move |(&j, _)| (i, j))
    };
    let edges: Vec<(usize, usize)> = (0..nodes).flat_map(neighbours).collect();
    let noise = SharedNoise::new(nodes, edges.iter().copied(), ratio)?;
    if gate.is_plan() {
        return Ok(gate.with_shared_noise(noise)?);
    }
    let lanes = spec.config.lanes;
    let mut keys = HashMap::new();
    for (i, j, lane) in edges.into_iter().flat_map(|(i, j)| (0..lanes).map(move |lane| (i, j, lane))) {
        let key = match spec.config.seed {
            Seed::Number(seed) => Key::derive_pair(seed, index(i), index(j), index(lane)),
            Seed::Os => Key::from_os()?,
        };
        keys.insert((i, j, lane), key);
    }
    Ok(gate.with_shared_noise(noise.with_keys(lanes, |i, j, lane| keys[&(i, j, lane)].clone()))?)
}

fn index(k: usize) -> u32 {
    u32::try_from(k).expect("fewer than 2^32 nodes and lanes")
}
