//! The one driver of simulator, deployment and dry run.

use std::ops::Range;

use dido_mechanisms::{Adjacency, Adversary, Budget, Gate, Ledger, Public};

use crate::{Algorithm, LeastSquaresDeclaration, Network, Node, Noise, Parties, Stop};

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

/// A network that connects nobody: in a dry run there is nothing to average.
struct Silent {
    nodes: usize,
}

impl Network for Silent {
    fn average(
        &mut self,
        _round: u32,
        _x: &mut dido_geometry::Rows,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }

    fn nodes(&self) -> usize {
        self.nodes
    }
}

/// What a run with this algorithm will release: the same code on parties of the declared shape without data.
///
/// `build` makes the algorithm from its starting parties. The ledger returned is, entry by entry, the one that the
/// run will write (tested): the plan cannot disagree with the code, since it is the code.
///
/// # Errors
/// What would stop the run: above all a budget that is too small.
///
/// # Panics
/// Never: the gate is made from the declaration.
pub fn plan(
    declaration: &LeastSquaresDeclaration,
    adjacency: Adjacency,
    adversary: Adversary,
    budget: Option<Budget>,
    noise: &Noise,
    rounds: u32,
    build: impl FnOnce(&Parties) -> Box<dyn Algorithm>,
) -> Result<Ledger, Stop> {
    let gate = Gate::plan(adjacency, adversary, declaration.class_of(), budget);
    let mut parties =
        Parties::without_data(declaration.clone(), 1, gate).expect("the gate was made from this declaration");
    let mut algorithm = build(&parties);
    let mut silent = Silent { nodes: declaration.nodes() };
    run(algorithm.as_mut(), &mut parties, &mut silent, noise, 0..rounds, |_, _, _| true)?;
    Ok(parties.gate().ledger().clone())
}
