//! The one driver of simulator, deployment and dry run.

use std::ops::Range;
use std::sync::Arc;

use dido_geometry::Rows;
use dido_mechanisms::{Adjacency, Adversary, Budget, Gate, Ledger, Public};

use crate::{Algorithm, Declaration, Network, NetworkError, Node, Noise, Parties, Stop};

/// Runs `rounds` of `algorithm`, and tells `observe` of each completed one.
///
/// `observe(round, algorithm, parties)` returns whether to go on; a run that it ends is resumed by calling `run`
/// again with the rest of the rounds.
///
/// # Errors
/// What stops an algorithm: see [`Stop`]. Nothing of the round that stopped has left.
pub fn run(
    algorithm: &mut dyn Algorithm,
    parties: &mut Parties,
    network: &mut dyn Network,
    noise: &Noise,
    rounds: Range<u32>,
    mut observe: impl FnMut(u32, &mut dyn Algorithm, &Parties) -> bool,
) -> Result<(), Stop> {
    if network.nodes() != parties.shape().nodes {
        return Err(Stop::Nodes { network: network.nodes(), parties: parties.shape().nodes });
    }
    for round in rounds {
        algorithm.round(&mut Node { round, parties, network, noise })?;
        network.spent(parties.gate().ledger());
        if !observe(round, algorithm, parties) {
            break;
        }
    }
    Ok(())
}

/// Lets the nodes agree: `times` averages of a public value, numbered on from `round`. Nothing is released, so
/// nothing is spent.
///
/// # Errors
/// If the network fails.
pub fn agree(mut value: Public, network: &mut dyn Network, round: u32, times: u32) -> Result<Public, Stop> {
    for round in round..round + times {
        network.average(round, value.rows_mut()).map_err(|source| Stop::Network { round, source })?;
    }
    Ok(value)
}

/// A network of a dry run: it knows who is awake, and there is nothing to average.
struct Silent<'n> {
    nodes: usize,
    awake: Option<&'n mut dyn Network>,
}

impl Network for Silent<'_> {
    fn average(&mut self, _round: u32, _x: &mut Rows) -> Result<(), NetworkError> {
        Ok(())
    }

    fn nodes(&self) -> usize {
        self.nodes
    }

    fn awake(&mut self, round: u32) -> Result<Option<Arc<[bool]>>, NetworkError> {
        self.awake.as_mut().map_or(Ok(None), |network| network.awake(round))
    }

    fn varies(&self) -> bool {
        self.awake.as_ref().is_some_and(|network| network.varies())
    }
}

/// What a run with this algorithm will release: the same code on parties of the declared shape without data.
///
/// `build` makes the algorithm from its starting parties. The ledger returned is, entry by entry, the one that the
/// run will write (tested): the plan cannot disagree with the code, since it is the code. All nodes are awake in every
/// round; see [`plan_on`] for networks where they are not.
///
/// # Errors
/// What would stop the run: above all a budget that is too small.
pub fn plan(
    declaration: &Declaration,
    adjacency: Adjacency,
    adversary: Adversary,
    budget: Option<Budget>,
    noise: &Noise,
    rounds: u32,
    build: impl FnOnce(&Parties) -> Box<dyn Algorithm>,
) -> Result<Ledger, Stop> {
    let gate = Gate::plan(adjacency, adversary, declaration.class_of(), budget);
    dry_run(declaration, gate, noise, Silent { nodes: declaration.nodes(), awake: None }, rounds, build)
}

/// As [`plan`], on a network that says who is awake in which round; `gate` is a [`Gate::plan`].
///
/// # Errors
/// As [`plan`]; if the gate is for other nodes, or is none of a plan; if the network does not reach a round.
pub fn plan_on(
    network: &mut dyn Network,
    declaration: &Declaration,
    gate: Gate,
    noise: &Noise,
    rounds: u32,
    build: impl FnOnce(&Parties) -> Box<dyn Algorithm>,
) -> Result<Ledger, Stop> {
    let silent = Silent { nodes: network.nodes(), awake: Some(network) };
    dry_run(declaration, gate, noise, silent, rounds, build)
}

fn dry_run(
    declaration: &Declaration,
    gate: Gate,
    noise: &Noise,
    mut network: Silent<'_>,
    rounds: u32,
    build: impl FnOnce(&Parties) -> Box<dyn Algorithm>,
) -> Result<Ledger, Stop> {
    if !gate.is_plan() {
        return Err(Stop::NotAPlan);
    }
    let mut parties =
        Parties::without_data(declaration.clone(), 1, gate).map_err(|error| Stop::Parties(error.into()))?;
    let mut algorithm = build(&parties);
    run(algorithm.as_mut(), &mut parties, &mut network, noise, 0..rounds, |_, _, _| true)?;
    Ok(parties.gate().ledger().clone())
}
