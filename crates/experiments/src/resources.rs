//! What a run takes: memory, and messages between parties. Both follow from public numbers.

use dido_mechanisms::{Gate, Ledger};
use dido_optimizers::Parties;
use dido_topology::RoundMatrix;
use serde::{Deserialize, Serialize};

use crate::algorithms;
use crate::error::ExperimentError;
use crate::rounds::observed_every;
use crate::spec::Spec;

/// What a run takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resources {
    /// Memory of the process that simulates all parties.
    pub memory: Memory,
    /// What goes along the edges.
    pub messages: Messages,
}

/// Memory, in bytes, as expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// Vectors that the algorithm keeps from round to round.
    pub kept: usize,
    /// The room of so many vectors that a round and the results take besides.
    pub within: usize,
    /// All these: vectors x parties x lanes x coordinates x 8.
    pub vectors: u64,
    /// The mixing weights.
    pub weights: u64,
    /// The records: numbers x 8 x copies.
    pub data: u64,
    /// The ledger.
    pub ledger: u64,
    /// What is observed: rounds x lanes x columns, as numbers and as text.
    pub trace: u64,
    /// The program itself, and the picture that it draws.
    pub program: u64,
    /// All together.
    pub total: u64,
}

/// Messages, each along one edge in one direction; a party sends one to each neighbour in each exchange.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Messages {
    /// In a round, in the mean.
    pub per_round: f64,
    /// In all rounds.
    pub rounds: f64,
    /// In the rounds of plain averaging.
    pub averaging: f64,
    /// Numbers in a message of a round, for each lane 8 bytes.
    pub coordinates: usize,
    /// Bytes in a round.
    pub bytes_per_round: f64,
    /// Bytes in all, with plain averaging.
    pub bytes: f64,
    /// Whether the number of messages follows from so many rounds that were looked at, and not from all.
    pub sampled: Option<u32>,
}

/// Gradient, noise, mixed values, keys, and the answers of all lanes as they are written: as measured.
const WITHIN: usize = 14;
/// A sparse row is taken to hold so many numbers.
const SPARSE: usize = 16;
/// The text of a file, the table, what the parties hold, their shards, and all together for the optimum.
const COPIES: u64 = 4;
/// A trace has about so many columns for each lane.
const COLUMNS: u64 = 10;
/// A cell of it as a number, as text, and in the tables that are made of it.
const CELL: u64 = 40;
/// Code, threads and the libraries' own; a PNG is painted whole, at twice the size of the page: as measured.
const PROGRAM: u64 = if cfg!(feature = "png") { 44 << 20 } else { 16 << 20 };
/// A number.
const NUMBER: u64 = 8;
/// So many rounds of a sequence are looked at.
const LOOKED_AT: u32 = 1000;

/// What a run with this ledger takes.
///
/// # Errors
/// If the sequence of weights does not reach the last round.
pub fn resources(spec: &Spec, ledger: &Ledger) -> Result<Resources, ExperimentError> {
    Ok(Resources { memory: memory(spec, ledger)?, messages: messages(spec)? })
}

fn memory(spec: &Spec, ledger: &Ledger) -> Result<Memory, ExperimentError> {
    let (declaration, privacy) = (&spec.declaration, &spec.config.privacy);
    let gate = Gate::plan(privacy.adjacency, privacy.adversary, declaration.class_of(), None);
    let parties = Parties::without_data(declaration.clone(), 1, gate)?;
    let kept = algorithms::build(spec, &parties).state().len();
    let numbers = |count: usize| count as u64 * NUMBER;
    let dim = declaration.dim().max(spec.method.released_coordinates(declaration.dim()));
    let vectors = numbers((kept + WITHIN) * declaration.nodes() * spec.config.lanes * dim);
    let entries: usize = (0..spec.weights.nodes()).map(|i| spec.weights.row(i).0.len()).sum();
    // A weight has a place.
    let weights = 2 * numbers(entries);
    let train: usize = declaration.records().iter().sum();
    let held_out = train as f64 * spec.config.data.held_out.fraction / (1.0 - spec.config.data.held_out.fraction);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count, rounded")]
    let records = train + held_out as usize;
    // A number of a sparse row has a place; how many there are only the file knows.
    let row = match spec.config.data.svmlight {
        Some(_) => declaration.dim().min(SPARSE) * 3 / 2,
        None => declaration.dim() + 1,
    };
    let data = numbers(records * row) * COPIES;
    let entries: usize = ledger.classes.iter().map(|class| class.entries.len()).sum();
    let ledger = (entries * size_of::<dido_mechanisms::Entry>()) as u64;
    let observed = spec.config.rounds.div_ceil(observed_every(&spec.config).max(1));
    let trace = u64::from(observed) * spec.config.lanes as u64 * COLUMNS * CELL;
    let total = vectors + weights + data + ledger + trace + PROGRAM;
    Ok(Memory { kept, within: WITHIN, vectors, weights, data, ledger, trace, program: PROGRAM, total })
}

fn messages(spec: &Spec) -> Result<Messages, ExperimentError> {
    let (config, declaration) = (&spec.config, &spec.declaration);
    let (rounds, averaging) = (config.rounds, config.averaging_rounds);
    let looked_at = (rounds + averaging).min(LOOKED_AT);
    let (in_a_round, in_averaging, sampled) = match &spec.sequence {
        _ if config.baseline.is_some() => (0.0, 0.0, None),
        None => {
            let edges = (2 * spec.graph.edges) as f64;
            (edges, edges, None)
        }
        Some(sequence) => {
            let mut round = RoundMatrix::identity(sequence.nodes());
            let mut found = Vec::with_capacity(looked_at as usize);
            for t in 0..looked_at {
                sequence.fill(t, &mut round)?;
                let entries = |i: usize| round.row(i).0.iter().filter(|&&j| j != i).count();
                found.push((0..round.nodes()).map(entries).sum::<usize>() as f64);
            }
            let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
            if looked_at == rounds + averaging {
                let (first, last) = found.split_at(rounds as usize);
                (mean(first), mean(last), None)
            } else {
                (mean(&found), mean(&found), Some(looked_at))
            }
        }
    };
    let per_round = in_a_round * f64::from(spec.method.exchanges());
    let (rounds, averaging) = (per_round * f64::from(rounds), in_averaging * f64::from(averaging));
    let coordinates = spec.method.released_coordinates(declaration.dim());
    let bytes = |messages: f64, coordinates: usize| messages * (coordinates * config.lanes) as f64 * NUMBER as f64;
    Ok(Messages {
        per_round,
        rounds,
        averaging,
        coordinates,
        bytes_per_round: bytes(per_round, coordinates),
        bytes: bytes(rounds, coordinates) + bytes(averaging, declaration.dim()),
        sampled,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{load, plan};
    use dido_geometry::Rows;
    use dido_optimizers::{Network, NetworkError, Noise, agree, run};
    use std::sync::Arc;

    /// A network that counts: whoever has a weight for another has heard from it.
    struct Counting {
        inner: Box<dyn Network>,
        edges: Box<dyn Fn(u32) -> usize>,
        messages: usize,
        numbers: usize,
    }

    impl Network for Counting {
        fn average(&mut self, round: u32, x: &mut Rows) -> Result<(), NetworkError> {
            let edges = (self.edges)(round);
            self.messages += edges;
            self.numbers += edges * x.shape().dim * x.shape().lanes;
            self.inner.average(round, x)
        }
        fn nodes(&self) -> usize {
            self.inner.nodes()
        }
        fn awake(&mut self, round: u32) -> Result<Option<Arc<[bool]>>, NetworkError> {
            self.inner.awake(round)
        }
        fn varies(&self) -> bool {
            self.inner.varies()
        }
    }

    /// Parties without data, three lanes, and noise that is left out: what is sent depends on neither.
    #[test]
    fn messages_are_those_that_a_network_counts() {
        let ball = "set = { kind = 'l2-ball', radius = 0.7 }";
        let step = "step = { kind = 'constant', c = 0.1 }";
        for keys in [
            vec!["seed=1".to_owned()],
            vec![format!("algorithm={{ kind = 'diging', {ball}, {step} }}")],
            vec![format!("algorithm={{ kind = 'muffliato', {ball}, {step}, exchanges = 3 }}")],
            vec![format!("algorithm={{ kind = 'pdop', {ball}, {step} }}")],
            vec![format!("algorithm={{ kind = 'sufficient-statistics', {ball} }}")],
            vec!["graph.sequence={ kind = 'activation', active = 2 }".to_owned()],
            vec!["graph.sequence={ kind = 'edge-failures', p = 0.3 }".to_owned()],
        ] {
            let fixed = ["rounds=12", "averaging_rounds=5", "lanes=3", "privacy.budget.epsilon=100"].map(str::to_owned);
            let keys = [&fixed[..], &keys].concat();
            let spec = Spec::new(load("quickstart", &keys).unwrap()).unwrap();
            let planned = plan(&spec).unwrap();
            let expected = planned.plan.resources.unwrap().messages;
            let matrices = spec.sequence.clone();
            let fixed_edges = 2 * spec.graph.edges;
            let edges = move |round: u32| {
                let Some(sequence) = &matrices else { return fixed_edges };
                let matrix = sequence.round(round).unwrap();
                (0..matrix.nodes()).map(|i| matrix.row(i).0.len() - 1).sum()
            };
            let mut network = Counting { inner: spec.network(), edges: Box::new(edges), messages: 0, numbers: 0 };
            let privacy = &spec.config.privacy;
            let gate = Gate::plan(privacy.adjacency, privacy.adversary, spec.declaration.class_of(), None);
            let mut parties = Parties::without_data(spec.declaration.clone(), 3, gate).unwrap();
            let mut algorithm = algorithms::build(&spec, &parties);
            run(algorithm.as_mut(), &mut parties, &mut network, &Noise::None, 0..12, |_, _, _| true).unwrap();
            let near = |a: f64, b: usize| (a - b as f64).abs() < 1e-6 * (1.0 + a);
            assert!(near(expected.rounds, network.messages), "{keys:?}: {expected:?} {}", network.messages);
            agree(algorithm.estimate().clone(), &mut network, 12, 5).unwrap();
            assert!(near(expected.rounds + expected.averaging, network.messages), "{keys:?}");
            assert!(near(expected.bytes, 8 * network.numbers), "{keys:?}: {} {}", expected.bytes, 8 * network.numbers);
        }
    }
}
