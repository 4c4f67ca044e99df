//! Clipped DGD on a gate whose nodes share noise: the likelihood ratio of whole transcripts by the joint normal density of all
//! messages, and what is left of the noise in the mean.

mod common;

use common::{Spy, close, keys};
use dido_geometry::Rows;
use dido_mechanisms::correlated::{PairwiseNoise, SharedNoise};
use dido_mechanisms::{Accountant, Adjacency, Adversary, Gate, Gdp, Key, Ledger, MechanismError, Norm, Sensitivity};
use dido_optimizers::{Clip, ClippedDgd, Declaration, InProcess, Noise, Parties, Schedule, Stop, plan_on, run};
use dido_problems::{RecordBounds, Shard, Weighting};
use dido_topology::{Graph, weights};
use ndarray::{Array2, array};

const ADJACENCY: Adjacency = Adjacency::ReplaceRecord;
/// A triangle with a tail.
const KITE: [(usize, usize); 5] = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)];
const NODES: usize = 5;
const RATIO: f64 = 3.0;
const CLIP: f64 = 0.1;
const ROUNDS: u32 = 6;

fn sigma() -> Schedule {
    Schedule::power(0.02, 2.0, 0.3)
}

fn step() -> Schedule {
    Schedule::power(0.3, 2.0, 0.5)
}

fn kite() -> Graph {
    Graph::from_edges(NODES, KITE).unwrap()
}

/// One record for each node, of length 1 and with a target so far off that every gradient is longer than the clipping norm,
/// whatever the noise: it becomes `-+ CLIP` times the record.
fn record(node: usize, sign: f64) -> ([f64; 2], f64) {
    let angle = 1.1 * node as f64;
    ([angle.cos() * 0.999, angle.sin() * 0.999], sign)
}

fn shards(signs: [f64; NODES]) -> Vec<Shard> {
    let bounds = RecordBounds::new(1.0, 1.0).unwrap();
    let shard = |(node, sign)| {
        let (x, y) = record(node, sign);
        Shard::checked(array![[x[0], x[1]]], array![y], bounds).unwrap()
    };
    signs.into_iter().enumerate().map(shard).collect()
}

fn declaration() -> Declaration {
    let bounds = RecordBounds::new(1.0, 1.0).unwrap();
    // Nodes differ in what hides them: each has a ledger of its own.
    Declaration::least_squares(2, bounds, Weighting::Pooled, vec![1; NODES]).unwrap().by_node()
}

fn gate(lanes: usize, shared: bool) -> Gate {
    let id = |i: usize| u32::try_from(i).unwrap();
    let all = Adversary::AllMessages;
    let gate = Gate::simulated(ADJACENCY, all, declaration().class_of(), None, keys(9, NODES, lanes));
    if !shared {
        return gate;
    }
    let noise = SharedNoise::new(NODES, KITE, RATIO).unwrap();
    gate.with_shared_noise(noise.with_keys(lanes, |i, j, lane| Key::derive_pair(9, id(i), id(j), id(lane)))).unwrap()
}

fn algorithm(parties: &Parties) -> ClippedDgd {
    ClippedDgd::new(step(), Clip::Gradient(CLIP), 2, parties.start(&[0.1, -0.1]))
}

/// The messages of a run, its points, and its ledger.
fn sent(lanes: usize, shared: bool) -> (Vec<Rows>, Rows, Ledger) {
    let mut parties = Parties::new(declaration(), &shards([1.0; NODES]), lanes, gate(lanes, shared)).unwrap();
    let mut network = Spy::new(&weights::metropolis(&kite()));
    let mut dgd = algorithm(&parties);
    run(&mut dgd, &mut parties, &mut network, &Noise::Gaussian(sigma()), 0..ROUNDS, |_, _, _| true).unwrap();
    (network.sent, dgd.x().rows().clone(), parties.gate().ledger().clone())
}

fn mu_squared(ledger: &Ledger, node: usize) -> f64 {
    let entries = &ledger.classes[node].entries;
    let of = |event| match event {
        dido_mechanisms::Event::Gaussian { sensitivity, sigma } => (sensitivity.l2() / sigma).powi(2),
        _ => unreachable!("Gaussian noise"),
    };
    entries.iter().map(|entry| entry.releases as f64 * of(entry.event)).sum()
}

/// `ln p(messages | data) - ln p(messages | data of the other sign at victim)`, for one lane: means by plain loops, the density
/// of all five messages together with the covariance of the noise.
fn ratio(messages: &[Rows], lane: usize, victim: usize) -> f64 {
    let mixing = weights::metropolis(&kite());
    let mut x = [[0.1, -0.1]; NODES];
    let mut total = 0.0;
    for (t, message) in (0..).zip(messages) {
        let (alpha, sigma) = (step().at(t), sigma().at(t + 1));
        let covariance = PairwiseNoise::new(NODES, KITE, sigma, RATIO * sigma).unwrap().covariance();
        let precision = dido_linalg::inverse_positive_definite(covariance.view()).unwrap();
        let residual = |sign: f64| -> Array2<f64> {
            Array2::from_shape_fn((NODES, 2), |(i, k)| {
                let (row, target) = record(i, if i == victim { sign } else { 1.0 });
                let slope = row[0] * x[i][0] + row[1] * x[i][1] - target;
                let gradient = row.map(|v| slope * v);
                let length = (gradient[0].powi(2) + gradient[1].powi(2)).sqrt();
                assert!(length > CLIP, "every gradient is clipped: {length}");
                message.row(i, lane)[k] - (x[i][k] - alpha * gradient[k] * CLIP / length)
            })
        };
        let square = |r: &Array2<f64>| (r * &precision.dot(r)).sum();
        total += (square(&residual(-1.0)) - square(&residual(1.0))) / 2.0;
        for (i, x) in x.iter_mut().enumerate() {
            let (columns, entries) = mixing.row(i);
            let mixed = |k: usize| columns.iter().zip(entries).map(|(&j, w)| w * message.row(j, lane)[k]).sum();
            *x = [mixed(0), mixed(1)];
        }
    }
    total
}

/// The loss of a transcript is normal with mean `mu^2 / 2` and variance `mu^2`, where `mu^2` is the sum of the ledger: the gradients of the
/// two data sets are `2 CLIP` apart in every round, so that nothing is left out. 1500 lanes: the mean has a standard error of `mu
/// / sqrt(1500)`, the variance one of `mu^2 sqrt(2 / 1500)`; five of each, with fixed seeds.
#[test]
fn the_loss_of_a_transcript_is_the_one_of_the_ledger_by_the_joint_density() {
    let lanes = 1500;
    let (messages, _, ledger) = sent(lanes, true);
    for victim in 0..NODES {
        let losses: Vec<f64> = (0..lanes).map(|lane| ratio(&messages, lane, victim)).collect();
        let n = lanes as f64;
        let mean = losses.iter().sum::<f64>() / n;
        let variance = losses.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let mu = mu_squared(&ledger, victim).sqrt();
        assert!((mean - mu * mu / 2.0).abs() < 5.0 * mu / n.sqrt(), "{victim}: {mean} {mu}");
        assert!((variance / (mu * mu) - 1.0).abs() < 5.0 * (2.0 / n).sqrt(), "{victim}: {variance} {mu}");
        // Independent noise of the same own width would cost much more: the test can tell.
        let alone: f64 = (0..ROUNDS).map(|t| (2.0 * CLIP * step().at(t) / sigma().at(t + 1)).powi(2)).sum();
        assert!(alone > 1.5 * mu * mu, "{victim}: {alone} {mu}");
    }
}

/// The ledger is that of `exposure`, release by release; a plan writes the same.
#[test]
fn the_ledger_is_that_of_the_exposure() {
    let (_, _, ledger) = sent(1, true);
    let shared = SharedNoise::new(NODES, KITE, RATIO).unwrap();
    let all = Adversary::AllMessages;
    let gate = Gate::plan(ADJACENCY, all, declaration().class_of(), None).with_shared_noise(shared).unwrap();
    let noise = Noise::Gaussian(sigma());
    let mut network = InProcess::new(weights::metropolis(&kite()));
    let planned = plan_on(&mut network, &declaration(), gate, &noise, ROUNDS, |p| Box::new(algorithm(p))).unwrap();
    assert_eq!(planned, ledger);
    let mut mu = [0.0; NODES];
    for t in 0..ROUNDS {
        let sensitivity = Sensitivity::new(2.0 * CLIP * step().at(t), Norm::L2, ADJACENCY).unwrap();
        let sigma = sigma().at(t + 1);
        for (node, worth) in
            PairwiseNoise::new(NODES, KITE, sigma, RATIO * sigma).unwrap().exposure(&[]).unwrap().sigmas
        {
            mu[node] += (sensitivity.l2() / worth).powi(2);
        }
    }
    for (node, mu) in mu.into_iter().enumerate() {
        assert!(close(mu_squared(&ledger, node), mu, 1e-12));
    }
    let worst = mu.into_iter().fold(0.0, f64::max).sqrt();
    let expected = dido_mechanisms::accountants::epsilon_of_mu(worst, 1e-5).unwrap();
    assert!(close(Gdp.bound(&ledger, 1e-5).unwrap().epsilon, expected, 1e-9));
}

/// All gradients are clipped and so the same in both runs: the mean of the nodes is that of a run with the same own noise and none
/// that is shared, to rounding. No node by itself is.
#[test]
fn shared_noise_leaves_the_mean_and_only_the_mean() {
    let lanes = 3;
    let ((_, together, _), (_, alone, _)) = (sent(lanes, true), sent(lanes, false));
    for lane in 0..lanes {
        for k in 0..2 {
            let mean = |rows: &Rows| (0..NODES).map(|i| rows.row(i, lane)[k]).sum::<f64>() / NODES as f64;
            assert!((mean(&together) - mean(&alone)).abs() < 1e-13);
            for i in 0..NODES {
                assert!((together.row(i, lane)[k] - alone.row(i, lane)[k]).abs() > 1e-6);
            }
        }
    }
}

#[test]
fn a_clipping_norm_that_is_none_stops_the_run() {
    for clip in [0.0, -1.0, f64::NAN].into_iter().flat_map(|norm| [Clip::Gradient(norm), Clip::Record(norm)]) {
        let mut parties = Parties::new(declaration(), &shards([1.0; NODES]), 1, gate(1, false)).unwrap();
        let mut dgd = ClippedDgd::new(step(), clip, 0, parties.start(&[0.0; 2]));
        let mut network = InProcess::new(weights::metropolis(&kite()));
        let stop = run(&mut dgd, &mut parties, &mut network, &Noise::Gaussian(sigma()), 0..1, |_, _, _| true);
        assert!(matches!(stop, Err(Stop::Mechanism(MechanismError::Bound { .. }))), "{clip:?}");
    }
}
