//! Gradient tracking, EXTRA and linearised ADMM release gradients and nothing else: their ledger, and what a transcript shows.

mod common;

use common::{keys, problem};
use dido_geometry::{L2Ball, Set};
use dido_mechanisms::least_squares::worst_case_pair;
use dido_mechanisms::{Accountant, Adjacency, Adversary, Event, Norm, Pure};
use dido_optimizers::audit::{Audited, Pair, worst_case_pairs};
use dido_optimizers::{
    Algorithm, DIGing, Declaration, Extra, InProcess, LinearisedAdmm, Noise, OptimizerError, Parties, Schedule, Stop,
    plan, run,
};
use dido_problems::{RecordBounds, Shard, Weighting};
use dido_topology::{families, weights};
use ndarray::{Array1, Array2};

const DIM: usize = 3;
const X: f64 = 1.2;
const Y: f64 = 0.8;
const RADIUS: f64 = 0.9;
const ROUNDS: u32 = 6;
const ALL: [&str; 3] = ["DIGing", "EXTRA", "linearised ADMM"];

fn ball() -> Set {
    L2Ball::new(RADIUS).unwrap().into()
}

fn build(name: &str, set: Set, clip: Option<f64>, parties: &Parties, start: &[f64]) -> Box<dyn Algorithm> {
    let start = parties.start(start);
    match name {
        "DIGing" => {
            let diging = DIGing::new(set, Schedule::power(0.3, 1.0, 0.5), 0, start);
            Box::new(if let Some(clip) = clip { diging.clipped(clip) } else { diging })
        }
        "EXTRA" => {
            let extra = Extra::new(set, 0.3, 0, start).unwrap();
            Box::new(if let Some(clip) = clip { extra.clipped(clip) } else { extra })
        }
        _ => {
            let admm = LinearisedAdmm::new(set, 0.5, 1.0, 0, start).unwrap();
            Box::new(if let Some(clip) = clip { admm.clipped(clip) } else { admm })
        }
    }
}

/// The plan is the ledger of the run: one entry of `T` gradients at points of the set, or of clipped ones anywhere, whatever
/// the steps.
#[test]
fn the_ledger_is_that_of_the_gradients() {
    let problem = problem(3, 4, 6, DIM, Weighting::Pooled);
    let noise = Noise::Gaussian(Schedule::constant(0.7));
    for adjacency in [Adjacency::ReplaceRecord, Adjacency::ReplaceNode, Adjacency::AddRemoveRecord] {
        for (set, clip) in [(ball(), None), (Set::Whole, Some(0.05)), (ball(), Some(1e9))] {
            for name in ALL {
                let build = |parties: &Parties| build(name, set.clone(), clip, parties, &[0.0; DIM]);
                let declaration = &problem.declaration;
                let planned =
                    plan(declaration, adjacency, Adversary::AllMessages, None, &noise, ROUNDS, build).unwrap();
                let mut parties = problem.parties(1, adjacency, None, 1);
                let mut network = InProcess::new(weights::metropolis(&families::ring(4).unwrap()));
                let mut algorithm = build(&parties);
                run(algorithm.as_mut(), &mut parties, &mut network, &noise, 0..ROUNDS, |_, _, _| true).unwrap();
                assert_eq!(parties.gate().ledger(), &planned);
                let [entry] = &planned.classes[0].entries[..] else { panic!("equal releases are one entry") };
                let Event::Gaussian { sensitivity, .. } = entry.event else { panic!("there is Gaussian noise") };
                let expected = declaration.l2_by_class(adjacency, set.radius())[0].min(2.0 * clip.unwrap_or(f64::MAX));
                assert_eq!((entry.releases, sensitivity.norm), (u64::from(ROUNDS), Norm::L2));
                assert!((sensitivity.value / expected - 1.0).abs() < 1e-12, "{name}: {sensitivity:?}, {expected}");
            }
        }
    }
    // On the whole space, unclipped, gradients of squared loss have no sensitivity.
    for name in ALL {
        let refused =
            plan(&problem.declaration, Adjacency::ReplaceRecord, Adversary::AllMessages, None, &noise, 1, |p| {
                build(name, Set::Whole, None, p, &[0.0; DIM])
            });
        assert!(matches!(refused, Err(Stop::Unbounded { round: 0 })));
    }
}

/// The exact likelihood ratio of all messages, on the pair whose gradients are farthest apart where the run starts: within the
/// pure epsilon of the ledger in every one of 50 lanes for each attack, and near enough to it to show that the attack is one.
/// The inequality holds for every transcript, so the seed does not matter.
#[test]
fn no_transcript_exceeds_epsilon() {
    let bounds = RecordBounds::new(X, Y).unwrap();
    let records = [1, 2, 5, 2];
    let some = |node: usize, row: usize, k: usize| 0.6 * ((7 * node + 3 * row + 5 * k) as f64).sin();
    let shards: Vec<Shard> = records
        .iter()
        .enumerate()
        .map(|(node, &n)| {
            let x = Array2::from_shape_fn((n, DIM), |(row, k)| some(node, row, k));
            Shard::checked(x, Array1::from_shape_fn(n, |row| some(node, row, DIM)), bounds).unwrap()
        })
        .collect();
    let declaration = Declaration::least_squares(DIM, bounds, Weighting::NodeMean, records.to_vec()).unwrap();
    let start = worst_case_pair(X, Y, RADIUS, DIM).unwrap().point;
    let noise = Noise::Laplace(Schedule::constant(20.0));
    let adjacency = Adjacency::ReplaceRecord;
    for name in ALL {
        let algorithm = |parties: &Parties| build(name, ball(), None, parties, &start);
        let ledger = plan(&declaration, adjacency, Adversary::AllMessages, None, &noise, ROUNDS, algorithm).unwrap();
        let audited = Audited {
            declaration: &declaration,
            adjacency,
            noise: &noise,
            rounds: ROUNDS,
            algorithm: &algorithm,
            network: &|| Box::new(InProcess::new(weights::metropolis(&families::ring(4).unwrap()))),
        };
        for victim in 0..records.len() {
            let mut own = ledger.clone();
            own.classes.retain(|class| class.nodes.contains(&victim));
            let epsilon = Pure.bound(&own, 0.0).unwrap().epsilon;
            let pairs = worst_case_pairs(&declaration, adjacency, RADIUS, &shards, victim).unwrap();
            let largest = |pair: &Pair| -> Result<f64, OptimizerError> {
                let run = audited.record(&pair.one, 50, keys(victim as u64, 4, 50))?;
                let losses = audited.compare(&run.transcript, &pair.one, &pair.other)?.losses;
                Ok(losses.into_iter().fold(0.0, |m: f64, loss| m.max(loss.abs())))
            };
            let found = pairs.iter().map(|pair| largest(pair).unwrap()).fold(0.0, f64::max);
            assert!(found <= epsilon * (1.0 + 1e-12), "{name}, {victim}: {found} of {epsilon}");
            assert!(found > 0.25 * epsilon, "{name}, {victim}: {found} of {epsilon}");
        }
    }
}
