//! `[graph.sequence]`: weights that change from round to round.

use std::path::Path;
use std::sync::Arc;

use dido_topology::sequence::{
    EdgeFailures, NodeActivation, NodeOutages, OnePeerExponential, Outage, PairwiseGossip, Periodic, Recorded,
    SequenceError, product_norm,
};
use dido_topology::{Graph, MixingMatrix, RoundMatrix, Sequence, TopologyError, sequence::Constant};

use super::At;
use crate::config::Config;
use crate::config::graph::{ActivationConfig, EdgeFailuresConfig, NodeOutagesConfig, PeriodicConfig, SequenceConfig};
use crate::error::ExperimentError;
use crate::records::PlannedGraph;

/// A sequence and what a plan says of it.
pub(super) struct Varying {
    pub sequence: Arc<dyn Sequence>,
    pub in_words: String,
    /// Whether the weights of the graph are of no use to it.
    pub own_weights: bool,
    /// By what a round shrinks disagreement, if that is known.
    pub lambda: Option<f64>,
    /// In which sense.
    pub meaning: &'static str,
    /// What the file of the sequence says.
    pub recording: String,
}

impl Varying {
    /// How fast it averages, on a graph with weights by this rule.
    pub(super) fn averages(&self, rule: &str) -> PlannedGraph {
        PlannedGraph {
            weights: if self.own_weights { "those of the sequence" } else { rule }.to_owned(),
            sequence: Some(self.in_words.clone()),
            lambda: self.lambda,
            gap: self.lambda.map(|lambda| 1.0 - lambda),
            lambda_in_words: self.meaning.to_owned(),
            ..PlannedGraph::default()
        }
    }
}

/// Sequences of more nodes have no lambda in a plan: it would take dense factorisations.
const DENSE: usize = 512;

/// So many outages are listed in a plan.
const SHOWN: usize = 4;

const MEAN_SQUARE: &str = "a round shrinks the mean square of disagreement at least by the square of this";
const PERIOD: &str = "the geometric mean, over a period from round 0, of what a round shrinks disagreement by";
const UNKNOWN: &str = "there is no closed form, or there are too many nodes for it";
const SLEEPERS: &str = "who sleeps keeps what it holds, looks at no data and releases nothing";

/// The sequence of `[graph.sequence]`, on this graph with these weights.
pub(super) fn sequence(
    at: &At<'_>,
    config: &Config,
    folder: &Path,
    graph: &Graph,
    weights: &MixingMatrix,
) -> Result<Option<Varying>, ExperimentError> {
    let Some(chosen) = &config.graph.sequence else { return Ok(None) };
    let varying = match chosen {
        SequenceConfig::Activation(activation) => awake(at, activation, graph)?,
        SequenceConfig::EdgeFailures(failures) => lossy(at, *failures, weights)?,
        SequenceConfig::NodeOutages(down) => outages(at, down, weights)?,
        SequenceConfig::PairwiseGossip(gossip) => {
            let seed = gossip.seed;
            let gossip = PairwiseGossip::new(graph.clone(), seed);
            let lambda = squared(at, graph.nodes(), || gossip.expected_contraction().map(Some))?;
            let in_words =
                format!("pairwise-gossip: the ends of one random edge take their mean (seed {seed}); {SLEEPERS}");
            varying(gossip, in_words, lambda, MEAN_SQUARE)
        }
        SequenceConfig::OnePeerExponential(_) => one_peer(at, config, graph)?,
        SequenceConfig::Periodic(rounds) => periodic(at, rounds, folder, graph)?,
        SequenceConfig::Recorded(once) => recorded(at, config, &once.file, folder, graph)?,
    };
    if varying.own_weights {
        let rule = &config.graph.weights;
        let message = format!("the sequence has weights of its own: {rule} would be of no use");
        at.require("graph.weights", rule == "metropolis", message)?;
    }
    Ok(Some(varying))
}

fn varying(sequence: impl Sequence + 'static, in_words: String, lambda: Option<f64>, meaning: &'static str) -> Varying {
    let meaning = if lambda.is_some() { meaning } else { UNKNOWN };
    Varying { sequence: Arc::new(sequence), in_words, own_weights: true, lambda, meaning, recording: String::new() }
}

/// The root of what a round leaves of the expected square of disagreement, if it can be had.
fn squared(
    at: &At<'_>,
    nodes: usize,
    contraction: impl FnOnce() -> Result<Option<f64>, TopologyError>,
) -> Result<Option<f64>, ExperimentError> {
    if nodes > DENSE {
        return Ok(None);
    }
    Ok(at.check("graph.sequence", contraction())?.map(|square| square.max(0.0).sqrt()))
}

/// What a round shrinks disagreement by, over a period, if it can be had.
fn over_a_period(at: &At<'_>, sequence: &dyn Sequence, period: u32) -> Result<Option<f64>, ExperimentError> {
    if sequence.nodes() > DENSE {
        return Ok(None);
    }
    let norm = at.check("graph.sequence", product_norm(sequence, 0..period))?;
    // A norm of rounding errors is 0, and its root would not look like it.
    let norm = if norm < sequence.nodes() as f64 * f64::EPSILON { 0.0 } else { norm };
    Ok(Some(norm.powf(1.0 / f64::from(period))))
}

fn lossy(at: &At<'_>, failures: EdgeFailuresConfig, weights: &MixingMatrix) -> Result<Varying, ExperimentError> {
    let EdgeFailuresConfig { p, seed } = failures;
    let lossy = at.check("graph.sequence.p", EdgeFailures::new(weights.clone(), p, seed))?;
    at.require("graph.sequence.p", p < 1.0, "at 1 every edge always fails")?;
    let lambda = squared(at, weights.nodes(), || lossy.expected_contraction().map(Some))?;
    let in_words =
        format!("edge-failures: each edge fails with probability {p} (seed {seed}); both ends keep the lost weight");
    Ok(Varying { own_weights: false, ..varying(lossy, in_words, lambda, MEAN_SQUARE) })
}

fn awake(at: &At<'_>, activation: &ActivationConfig, graph: &Graph) -> Result<Varying, ExperimentError> {
    let (seed, nodes) = (activation.seed, graph.nodes());
    let (sequence, who) = match (activation.active, activation.p) {
        (Some(active), None) => {
            let alone = active == 1 && nodes > 1;
            at.require("graph.sequence.active", !alone, "a single node that is awake has nobody to average with")?;
            let sequence =
                at.check("graph.sequence.active", NodeActivation::fixed_size(graph.clone(), active, seed))?;
            (sequence, format!("{active} of {nodes} nodes are awake"))
        }
        (None, Some(p)) => {
            let sequence = at.check("graph.sequence.p", NodeActivation::bernoulli(graph.clone(), p, seed))?;
            (sequence, format!("each node is awake with probability {p}"))
        }
        _ => return Err(at.key("graph.sequence", "activation takes either active, a number of nodes, or p")),
    };
    let lambda = squared(at, nodes, || Ok(sequence.expected_contraction()))?;
    let in_words =
        format!("activation: {who} in a round (public coin, seed {seed}); those mix by Metropolis weights, {SLEEPERS}");
    Ok(varying(sequence, in_words, lambda, MEAN_SQUARE))
}

fn outages(at: &At<'_>, config: &NodeOutagesConfig, weights: &MixingMatrix) -> Result<Varying, ExperimentError> {
    for (outage, k) in config.outages.iter().zip(0..) {
        let (first, last) = (outage.first, outage.last);
        let message = format!("it ends in round {last}, before it begins in round {first}");
        at.require(&format!("graph.sequence.outages[{k}]"), first <= last, message)?;
    }
    let down = config.outages.iter();
    let down = down.map(|outage| Outage { node: outage.node, rounds: outage.first..outage.last.saturating_add(1) });
    let down = at.check("graph.sequence.outages", NodeOutages::new(Constant(weights.clone()), down))?;
    let mut shown: Vec<String> = config
        .outages
        .iter()
        .take(SHOWN)
        .map(|outage| format!("node {} in rounds {} to {}", outage.node, outage.first, outage.last))
        .collect();
    if let more @ 1.. = config.outages.len().saturating_sub(SHOWN) {
        shown.push(format!("{more} more"));
    }
    let in_words = format!("node-outages: down are {}; {SLEEPERS}", shown.join(", "));
    Ok(Varying { own_weights: false, ..varying(down, in_words, None, UNKNOWN) })
}

fn one_peer(at: &At<'_>, config: &Config, graph: &Graph) -> Result<Varying, ExperimentError> {
    let family = config.graph.kind.as_deref().unwrap_or("a matrix");
    at.require(
        "graph.sequence",
        family == "one-peer-exponential",
        format!("one-peer-exponential is a sequence on the family of that name, not on {family}"),
    )?;
    let sequence = at.check("graph.sequence", OnePeerExponential::new(graph.nodes()))?;
    let lambda = over_a_period(at, &sequence, sequence.period())?;
    let in_words = "one-peer-exponential: every node takes the mean with one peer, i xor 2^k".to_owned();
    Ok(varying(sequence, in_words, lambda, PERIOD))
}

fn periodic(at: &At<'_>, config: &PeriodicConfig, folder: &Path, graph: &Graph) -> Result<Varying, ExperimentError> {
    let (rounds, key) = match (&config.rounds, &config.file) {
        (Some(rounds), None) => {
            let key = "graph.sequence.rounds";
            (at.check(key, Recorded::metropolis(graph.nodes(), rounds))?, key)
        }
        (None, Some(file)) => (read(at, file, folder)?, "graph.sequence.file"),
        _ => return Err(at.key("graph.sequence", "periodic takes either rounds, a list of lists of edges, or a file")),
    };
    on_graph(at, key, &rounds, graph)?;
    let recording = if config.file.is_some() { rounds.to_string() } else { String::new() };
    let (period, window) = (rounds.rounds(), config.window.unwrap_or(rounds.rounds()));
    let sequence = Periodic::new(rounds, window, config.eta).map_err(|error| {
        let path = match error {
            TopologyError::Sequence(SequenceError::Parameter { .. }) => "graph.sequence.eta",
            TopologyError::Sequence(SequenceError::Window { .. }) => "graph.sequence.window",
            _ => key,
        };
        at.key(path, error)
    })?;
    let lambda = over_a_period(at, &sequence, period)?;
    let in_words = format!(
        "periodic: {period} rounds over and over; any {window} in a row connect the nodes by weights of at least {}",
        config.eta
    );
    Ok(Varying { recording, ..varying(sequence, in_words, lambda, PERIOD) })
}

/// The averaging rounds go on with the numbers of the others.
fn recorded(
    at: &At<'_>,
    config: &Config,
    file: &Path,
    folder: &Path,
    graph: &Graph,
) -> Result<Varying, ExperimentError> {
    let (recorded, key) = (read(at, file, folder)?, "graph.sequence.file");
    on_graph(at, key, &recorded, graph)?;
    let (rounds, needed) = (recorded.rounds(), u64::from(config.rounds) + u64::from(config.averaging_rounds));
    let message = format!("it has {rounds} rounds, and rounds and averaging_rounds ask for {needed}");
    at.require(key, u64::from(rounds) >= needed, message)?;
    let in_words = format!("recorded: {rounds} rounds of {}; {SLEEPERS}", file.display());
    Ok(Varying { recording: recorded.to_string(), ..varying(recorded, in_words, None, UNKNOWN) })
}

fn read(at: &At<'_>, file: &Path, folder: &Path) -> Result<Recorded, ExperimentError> {
    at.check("graph.sequence.file", Recorded::read(folder.join(file)))
}

/// Refuses rounds in which nodes meet that are no neighbours in the graph.
fn on_graph(at: &At<'_>, key: &str, rounds: &Recorded, graph: &Graph) -> Result<(), ExperimentError> {
    let (found, nodes) = (rounds.nodes(), graph.nodes());
    at.require(key, found == nodes, format!("it has {found} nodes and the graph {nodes}"))?;
    let mut round = RoundMatrix::identity(nodes);
    for t in 0..rounds.rounds() {
        at.check(key, rounds.fill(t, &mut round))?;
        if let Some((i, j, _)) = round.edges().find(|&(i, j, _)| graph.neighbours(i).binary_search(&j).is_err()) {
            return Err(at.key(key, format!("round {t} joins {i} and {j}, who are no neighbours in the graph")));
        }
    }
    Ok(())
}
