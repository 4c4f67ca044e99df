//! Transcripts of an algorithm, and what they say about two data sets.
//!
//! The algorithm that is audited is the one that runs: a [recording](dido_mechanisms::Gate::recording) gate keeps what
//! leaves, and then the same text runs again on either data set, answered by that transcript. The messages decide what
//! every node computes in public, so the two replays differ in what the attacked node's data contribute, and in nothing
//! else. See [`dido_mechanisms::audit`] for what such figures can show. They depend on data: they are not private.

use std::sync::Arc;

use dido_mechanisms::audit::{Comparison, Evidence, Transcript, compare};
use dido_mechanisms::least_squares::worst_case_pair;
use dido_mechanisms::{Adjacency, Adversary, Gate, Key, Public};
use dido_problems::{Loss, Shard};
use ndarray::{Array1, Array2};

use crate::{Algorithm, Declaration, Network, Noise, OptimizerError, Parties, run};

/// What is audited: everything public about a run.
pub struct Audited<'a> {
    /// What the parties declare.
    pub declaration: &'a Declaration,
    /// The neighbouring relation.
    pub adjacency: Adjacency,
    /// The noise.
    pub noise: &'a Noise,
    /// Rounds with a release.
    pub rounds: u32,
    /// Makes the algorithm at its starting point.
    pub algorithm: &'a dyn Fn(&Parties) -> Box<dyn Algorithm>,
    /// Makes the network.
    pub network: &'a dyn Fn() -> Box<dyn Network>,
}

/// Two adjacent data sets.
#[derive(Clone, Debug)]
pub struct Pair {
    /// In words.
    pub name: &'static str,
    /// The one: a shard for each party.
    pub one: Vec<Shard>,
    /// The other.
    pub other: Vec<Shard>,
}

/// What a simulated run leaves to an audit.
pub struct Recorded {
    /// Everything that was sent.
    pub transcript: Arc<Transcript>,
    /// The answer of every party.
    pub estimate: Public,
}

impl Audited<'_> {
    /// Runs on `shards` with the noise of `keys`, one for each (node, lane), and records what is sent.
    ///
    /// # Errors
    /// What stops a run, or data that are not what was declared.
    pub fn record(&self, shards: &[Shard], lanes: usize, keys: Vec<Key>) -> Result<Recorded, OptimizerError> {
        let class_of = self.declaration.class_of();
        let gate = Gate::simulated(self.adjacency, Adversary::AllMessages, class_of, None, keys).recording();
        let (mut parties, algorithm) = self.run(shards, lanes, gate)?;
        let transcript = Arc::new(parties.gate.take_transcript());
        Ok(Recorded { transcript, estimate: algorithm.estimate().clone() })
    }

    /// What a transcript of a run on `one` says about `one` and `other`.
    ///
    /// # Errors
    /// As [`record`](Self::record), or if the transcript is of another algorithm.
    pub fn compare(
        &self,
        transcript: &Arc<Transcript>,
        one: &[Shard],
        other: &[Shard],
    ) -> Result<Comparison, OptimizerError> {
        let lanes = transcript.messages().next().map_or(1, |message| message.shape().lanes);
        let replay = |shards: &[Shard]| {
            let class_of = self.declaration.class_of();
            let gate = Gate::replaying(self.adjacency, Adversary::AllMessages, class_of, Arc::clone(transcript));
            self.run(shards, lanes, gate).map(|(parties, _)| parties)
        };
        let (one, other) = (replay(one)?, replay(other)?);
        Ok(compare(one.gate(), other.gate())?)
    }

    /// Runs on both data sets of a pair, one for each lane, and compares them in both directions. `keys` gives each (world,
    /// node, lane) a key of its own: noise that the worlds share would show what is not there, or hide what is.
    ///
    /// # Errors
    /// As [`record`](Self::record).
    pub fn evidence(
        &self,
        pair: &Pair,
        lanes: usize,
        keys: impl Fn(u32, usize, usize) -> Key,
        evidence: &mut Evidence,
    ) -> Result<(), OptimizerError> {
        let of = |world: u32| {
            let lane = |node: usize| (0..lanes).map(move |lane| (node, lane));
            (0..self.declaration.nodes()).flat_map(lane).map(|(node, lane)| keys(world, node, lane)).collect()
        };
        let there = self.record(&pair.one, lanes, of(0))?.transcript;
        evidence.forward(self.compare(&there, &pair.one, &pair.other)?);
        let back = self.record(&pair.other, lanes, of(1))?.transcript;
        evidence.backward(self.compare(&back, &pair.other, &pair.one)?);
        Ok(())
    }

    fn run(&self, shards: &[Shard], lanes: usize, gate: Gate) -> Result<(Parties, Box<dyn Algorithm>), OptimizerError> {
        let mut parties = Parties::new(self.declaration.clone(), shards, lanes, gate)?;
        let mut algorithm = (self.algorithm)(&parties);
        let mut network = (self.network)();
        run(algorithm.as_mut(), &mut parties, network.as_mut(), self.noise, 0..self.rounds, |_, _, _| true)?;
        Ok((parties, algorithm))
    }
}

/// Pairs of data sets that differ in the data of party `victim`: the data as they are against either of two extreme
/// records within the declared bounds, and these against each other.
///
/// The extremes are those whose gradients are farthest apart at some point within `radius`, in both norms
/// ([`worst_case_pair`]). A replaced record is the first of the party; a replaced party holds copies of the extreme.
/// Pairs that are drawn at random are close together and show nothing.
///
/// # Errors
/// If there is no such party, the relation is none of replacement, or the radius is not finite.
pub fn worst_case_pairs(
    declaration: &Declaration,
    adjacency: Adjacency,
    radius: f64,
    shards: &[Shard],
    victim: usize,
) -> Result<Vec<Pair>, OptimizerError> {
    let with = |record: &Record| replaced(adjacency, shards, victim, record);
    let (high, low) = extremes(declaration, radius)?;
    let (high, low) = (with(&high)?, with(&low)?);
    let data = shards.to_vec();
    Ok(vec![
        Pair { name: "data and one extreme", one: data.clone(), other: high.clone() },
        Pair { name: "data and other extreme", one: data, other: low.clone() },
        Pair { name: "both extremes", one: high, other: low },
    ])
}

type Record = (Vec<f64>, f64);

/// The records whose gradients are farthest apart: of other losses than the squared one, the longest row with either target.
fn extremes(declaration: &Declaration, radius: f64) -> Result<(Record, Record), OptimizerError> {
    let (bounds, dim) = (declaration.bounds(), declaration.dim());
    if declaration.loss() == Loss::Squared {
        let worst = worst_case_pair(bounds.row_norm(), bounds.target(), radius, dim)?;
        return Ok((worst.record, worst.other));
    }
    let inside = 1.0 - (dim as f64 + 4.0) * f64::EPSILON;
    let row = vec![bounds.row_norm() * inside / (dim as f64).sqrt(); dim];
    Ok(((row.clone(), bounds.target()), (row, -bounds.target())))
}

/// The shards after the first record of `victim`, or all of them, became `record`.
fn replaced(
    adjacency: Adjacency,
    shards: &[Shard],
    victim: usize,
    record: &Record,
) -> Result<Vec<Shard>, OptimizerError> {
    let Some(shard) = shards.get(victim) else {
        return Err(OptimizerError::Count { what: "victim", found: victim, declared: shards.len() });
    };
    let rows = match adjacency {
        Adjacency::ReplaceRecord => 0..1,
        Adjacency::ReplaceNode => 0..shard.records(),
        Adjacency::AddRemoveRecord => return Err(OptimizerError::Unaudited(adjacency)),
    };
    let mut all = shards.to_vec();
    all[victim] = with_records(shard, rows.map(|row| (row, record.clone())))?;
    Ok(all)
}

/// A copy of a shard with other records in some places.
///
/// # Errors
/// If there is no such place, or a record exceeds the bounds of the shard or has other coordinates.
pub fn with_records(
    shard: &Shard,
    records: impl IntoIterator<Item = (usize, (Vec<f64>, f64))>,
) -> Result<Shard, OptimizerError> {
    let (mut x, mut y): (Array2<f64>, Array1<f64>) = (shard.x().to_owned(), shard.y().to_owned());
    for (row, (features, target)) in records {
        if row >= shard.records() {
            return Err(OptimizerError::Count { what: "record", found: row, declared: shard.records() });
        }
        if features.len() != shard.dim() {
            return Err(OptimizerError::Count { what: "coordinates", found: features.len(), declared: shard.dim() });
        }
        x.row_mut(row).assign(&Array1::from(features));
        y[row] = target;
    }
    Ok(Shard::checked(x, y, shard.bounds())?)
}
