//! A threshold on one score of each run, chosen on half of the runs and counted on the other half.
//!
//! Whoever sees all messages scores a run by its likelihood ratio, which no other score beats. Otherwise the score is
//! linear in what is seen (the mean message of each party in view, or the models at the end), in the direction that tells the
//! two data sets apart best on the first half of the runs, coordinate by coordinate.

use dido_mechanisms::audit::Scores;
use dido_mechanisms::{Adversary, Key};
use dido_optimizers::agree;
use dido_optimizers::audit::{Pair, Recorded};
use dido_problems::Shard;

use super::{Audit, AuditReport, PairThreshold, View, largest, overall, transcript};
use crate::error::ExperimentError;

pub(super) fn audit(audit: &Audit<'_>, report: AuditReport) -> Result<AuditReport, ExperimentError> {
    let pairs = audit.pairs()?;
    let confidence = audit.confidence_of_each(pairs.len());
    let claimed = report.claimed;
    let mut thresholds = vec![];
    for (number, pair) in pairs.iter().enumerate() {
        let (one, other) = scores(audit, number, pair)?;
        let found = Scores { one: &one, other: &other }.audit(claimed.epsilon, claimed.delta, confidence)?;
        thresholds.push(PairThreshold { pair: pair.name.to_owned(), audit: found });
    }
    let audits = || thresholds.iter().map(|pair| &pair.audit);
    let verdict = overall(audits().map(|audit| audit.verdict));
    let ceiling = largest(audits().map(|audit| audit.ceiling));
    let beyond = thresholds.iter().filter(|pair| pair.audit.epsilon_lower > claimed.epsilon);
    let mut reasons: Vec<String> = beyond
        .map(|pair| {
            format!("{}: epsilon is above {}, {} is claimed", pair.pair, pair.audit.epsilon_lower, claimed.epsilon)
        })
        .collect();
    if let Some(ceiling) = ceiling.filter(|&ceiling| ceiling <= claimed.epsilon) {
        reasons.push(format!("so many runs cannot show more than {ceiling}, {} is claimed", claimed.epsilon));
    }
    let epsilon_lower = largest(audits().map(|audit| audit.epsilon_lower));
    Ok(AuditReport { epsilon_lower, ceiling, thresholds, verdict, reasons, ..report })
}

type WorldScores = (Vec<f64>, Vec<f64>);

fn scores(audit: &Audit<'_>, number: usize, pair: &Pair) -> Result<WorldScores, ExperimentError> {
    if audit.options.view == View::All {
        let evidence = transcript::evidence(audit, number, pair)?;
        let one = evidence.forward_losses().iter().map(|loss| -loss).collect();
        return Ok((one, evidence.backward_losses().to_vec()));
    }
    let one = features(audit, 2 * number, &pair.one)?;
    let other = features(audit, 2 * number + 1, &pair.other)?;
    let direction = direction(&one[..one.len() / 2], &other[..other.len() / 2]);
    let score = |x: &Vec<f64>| x.iter().zip(&direction).map(|(x, w)| x * w).sum();
    Ok((one.iter().map(score).collect(), other.iter().map(score).collect()))
}

/// What the adversary sees of each run on `shards`.
fn features(audit: &Audit<'_>, world: usize, shards: &[Shard]) -> Result<Vec<Vec<f64>>, ExperimentError> {
    let nodes = audit.spec.declaration.nodes();
    let mut all = vec![];
    for (first, lanes) in audit.batches() {
        let of = |node: usize| (0..lanes).map(move |lane| (node, lane));
        let keys: Vec<Key> = (0..nodes).flat_map(of).map(|(node, lane)| audit.key(world, node, first + lane)).collect();
        let recorded = audit.with(|audited| audited.record(shards, lanes, keys))?;
        match audit.options.view {
            View::Final => all.extend(models(audit, recorded, lanes)?),
            View::Neighbour | View::All => all.extend(messages(&in_view(audit)?, &recorded, lanes)),
        }
    }
    Ok(all)
}

/// The models of all parties after they agreed, lane by lane.
fn models(audit: &Audit<'_>, recorded: Recorded, lanes: usize) -> Result<Vec<Vec<f64>>, ExperimentError> {
    let config = &audit.spec.config;
    let mut network = audit.spec.network();
    let agreed = agree(recorded.estimate, network.as_mut(), config.rounds, config.averaging_rounds)?;
    let nodes = audit.spec.declaration.nodes();
    let of = |lane| (0..nodes).flat_map(|node| agreed.rows().row(node, lane)).copied().collect();
    Ok((0..lanes).map(of).collect())
}

/// The sum of the messages of each party in view, lane by lane.
fn messages(in_view: &[usize], recorded: &Recorded, lanes: usize) -> Vec<Vec<f64>> {
    let of = |lane| {
        let mut sums: Vec<f64> = vec![];
        for message in recorded.transcript.messages() {
            let seen = in_view.iter().flat_map(|&node| message.row(node, lane));
            let seen: Vec<f64> = seen.copied().collect();
            sums.resize(seen.len(), 0.0);
            sums.iter_mut().zip(seen).for_each(|(sum, x)| *sum += x);
        }
        sums
    };
    (0..lanes).map(of).collect()
}

/// The adversary of the experiment if it is a party, otherwise the first neighbour of the victim; and its neighbours.
fn in_view(audit: &Audit<'_>) -> Result<Vec<usize>, ExperimentError> {
    let weights = &audit.spec.weights;
    let neighbour = weights.row(audit.victim).0.iter().copied().find(|&node| node != audit.victim);
    let viewer = match audit.spec.config.privacy.adversary {
        Adversary::Neighbour(party) => Some(party),
        Adversary::AllMessages | Adversary::Colluders(_) | Adversary::HiddenActivation => neighbour,
    };
    match viewer.filter(|&viewer| viewer != audit.victim) {
        Some(viewer) => Ok(weights.row(viewer).0.to_vec()),
        None => {
            Err(ExperimentError::Usage(format!("party {} has no neighbour other than itself that looks", audit.victim)))
        }
    }
}

/// The difference of the means over the variance, for each coordinate.
fn direction(one: &[Vec<f64>], other: &[Vec<f64>]) -> Vec<f64> {
    let width = one.first().map_or(0, Vec::len);
    let mean = |runs: &[Vec<f64>], k: usize| runs.iter().map(|x| x[k]).sum::<f64>() / runs.len() as f64;
    (0..width)
        .map(|k| {
            let (a, b) = (mean(one, k), mean(other, k));
            let square = |runs: &[Vec<f64>], m: f64| runs.iter().map(|x| (x[k] - m) * (x[k] - m)).sum::<f64>();
            let variance = (square(one, a) + square(other, b)) / (one.len() + other.len()) as f64;
            if variance > 0.0 { (b - a) / variance } else { 0.0 }
        })
        .collect()
}
