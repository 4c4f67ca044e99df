//! Dual averaging: who pays for what. The theorems about it are in the crate `dido-theorems`.

mod common;

use common::keys;
use dido_geometry::{L2Ball, Set, Simplex};
use dido_mechanisms::{Accountant, Adjacency, Adversary, ClassLedger, Event, Gate, Pld, Sampling as Scheme};
use dido_optimizers::{
    Algorithm, Declaration, DualAveraging, DualWeights, InProcess, Noise, Parties, Points, Sampling, Schedule, plan_on,
    run,
};
use dido_problems::{Distance, DualStep, Loss, RecordBounds, Regulariser, Shard, Weighting};
use dido_topology::sequence::NodeActivation;
use dido_topology::{MixingMatrix, Sequence, families, weights};
use ndarray::{Array1, Array2};

const DIM: usize = 4;
const NODES: usize = 6;
const RECORDS: usize = 10;

/// Two classes on either side of a plane, by formula.
fn shards() -> Vec<Shard> {
    let x = |node: usize| {
        Array2::from_shape_fn((RECORDS, DIM), |(r, k)| ((node * 53 + r * 29 + k * 17) % 31) as f64 / 31.0 - 0.5)
    };
    (0..NODES)
        .map(|node| {
            let x = x(node);
            let y: Array1<f64> =
                x.rows().into_iter().map(|row| if row[0] - row[2] > 0.0 { 1.0 } else { -1.0 }).collect();
            Shard::clipped(x, y, RecordBounds::new(1.0, 1.0).unwrap()).unwrap()
        })
        .collect()
}

fn declaration() -> Declaration {
    let bounds = RecordBounds::new(1.0, 1.0).unwrap();
    Declaration::new(Loss::Hinge, DIM, bounds, Weighting::NodeMean, vec![RECORDS; NODES]).unwrap()
}

fn parties(declaration: &Declaration, adjacency: Adjacency) -> Parties {
    let gate = Gate::simulated(adjacency, Adversary::AllMessages, declaration.class_of(), None, keys(11, NODES, 1));
    Parties::new(declaration.clone(), &shards(), 1, gate).unwrap()
}

fn ring() -> MixingMatrix {
    weights::metropolis(&families::ring(NODES).unwrap())
}

fn step(mu: f64) -> DualStep {
    let ball = Set::from(L2Ball::new(3.0).unwrap());
    DualStep::new(Regulariser::squared_l2(mu).unwrap(), ball, Distance::Euclidean).unwrap()
}

fn dda(parties: &Parties, weights: DualWeights, participation: f64, sampling: Sampling) -> DualAveraging {
    DualAveraging::new(step(0.1), weights, participation, sampling, parties.start(&[0.0; DIM])).unwrap()
}

fn awake(rounds: u32, active: usize) -> NodeActivation {
    assert!(rounds > 0);
    NodeActivation::fixed_size(families::ring(NODES).unwrap(), active, 5).unwrap()
}

/// Node by node, the ledger of a run is that of its plan, counts the rounds in which the node was awake, and says that
/// one of its records was drawn.
#[test]
fn every_node_pays_for_the_rounds_in_which_it_was_awake() {
    let declaration = declaration().by_node();
    let noise = Noise::Gaussian(Schedule::constant(2.0));
    let (coin, rounds) = (awake(60, 2), 60);
    let weights = DualWeights::GrowingDistance { gamma: 1.0 };
    let mut real = parties(&declaration, Adjacency::ReplaceRecord);
    let mut algorithm = dda(&real, weights, 1.0 / 3.0, Sampling::OneRecord);
    run(&mut algorithm, &mut real, &mut InProcess::varying(coin.clone()), &noise, 0..rounds, |_, _, _| true).unwrap();
    let gate = Gate::plan(Adjacency::ReplaceRecord, Adversary::AllMessages, declaration.class_of(), None);
    let planned = plan_on(&mut InProcess::varying(coin.clone()), &declaration, gate, &noise, rounds, |parties| {
        Box::new(dda(parties, weights, 1.0 / 3.0, Sampling::OneRecord))
    })
    .unwrap();
    assert_eq!(real.gate().ledger(), &planned);
    for (node, class) in planned.classes.iter().enumerate() {
        let rounds_awake = (0..rounds).filter(|&t| coin.round(t).unwrap().awake().contains(&node)).count();
        assert_eq!(class.nodes, [node]);
        assert_eq!(class.releases(), rounds_awake as u64);
        for entry in &class.entries {
            let Event::Sampled { sampling, base } = entry.event else { panic!("{:?}", entry.event) };
            assert_eq!(sampling, Scheme::OneOf { population: RECORDS as u64 });
            // 2 L: rows of norm 1, slopes up to 1, n_i s_i = 1.
            assert!(matches!(Event::from(base), Event::Gaussian { sensitivity, sigma }
                if (sensitivity.l2() - 2.0).abs() < 1e-12 && (sigma - 2.0).abs() < 1e-12));
        }
    }
    let bound = Pld.bound(&planned, 1e-5).unwrap();
    assert!(bound.epsilon.is_finite() && bound.epsilon > 0.0);
    let busiest = planned.classes.iter().map(ClassLedger::releases).max().unwrap();
    assert_eq!(planned.classes[bound.node].releases(), busiest);
}

/// As published, a node that sleeps keeps the point it had; fresh points move with the growing weights.
#[test]
fn stale_points_are_those_of_the_last_waking() {
    let declaration = declaration();
    let mut parties = parties(&declaration, Adjacency::ReplaceRecord);
    let coin = awake(30, 2);
    let mut network = InProcess::varying(coin.clone());
    let mut algorithm =
        dda(&parties, DualWeights::GrowingDistance { gamma: 0.4 }, 1.0 / 3.0, Sampling::All).with_points(Points::Stale);
    let mut before = algorithm.x().rows().as_slice().to_vec();
    let mut moved = 0;
    for t in 0..30 {
        run(&mut algorithm, &mut parties, &mut network, &Noise::None, t..t + 1, |_, _, _| true).unwrap();
        let after = algorithm.x().rows().as_slice();
        for node in 0..NODES {
            let still = after[node * DIM..][..DIM] == before[node * DIM..][..DIM];
            let awake = coin.round(t).unwrap().awake().contains(&node);
            assert!(awake || still, "node {node} slept in round {t}");
            moved += u32::from(!still);
        }
        before = after.to_vec();
    }
    assert!(moved > 40, "{moved}");
}

/// All records of a node are replaced: no sampling hides that.
#[test]
fn sampling_does_not_help_a_whole_node() {
    let declaration = declaration();
    let mut real = parties(&declaration, Adjacency::ReplaceNode);
    let noise = Noise::Gaussian(Schedule::constant(1.0));
    let mut algorithm = dda(&real, DualWeights::GrowingDistance { gamma: 1.0 }, 1.0, Sampling::OneRecord);
    run(&mut algorithm, &mut real, &mut InProcess::new(ring()), &noise, 0..3, |_, _, _| true).unwrap();
    let event = real.gate().ledger().classes[0].entries[0].event;
    assert!(matches!(event, Event::Gaussian { sensitivity, .. } if (sensitivity.l2() - 2.0).abs() < 1e-12));
}

/// On the simplex with entropy a point is the softmax of `-z / gamma_t`, and the answer comes near the least value on a
/// grid of the simplex. Nothing is random.
#[test]
fn entropy_on_the_simplex_minimises_by_softmax() {
    let declaration = declaration();
    let shards = shards();
    let mut parties = parties(&declaration, Adjacency::ReplaceRecord);
    let objective = declaration.objective(Adjacency::ReplaceRecord, &shards, 1).unwrap();
    let simplex = Set::from(Simplex::new(1.0).unwrap());
    let step = DualStep::new(Regulariser::none(), simplex, Distance::Entropy).unwrap();
    let (gamma, rounds) = (0.2, 2000);
    let weights = DualWeights::GrowingDistance { gamma };
    let zero = parties.start(&[0.0; DIM]);
    let mut algorithm = DualAveraging::new(step, weights, 1.0, Sampling::All, zero).unwrap();
    let mut network = InProcess::new(ring());
    let uniform = algorithm.x().rows().as_slice().iter().all(|x| (x - 0.25).abs() < 1e-15);
    assert!(uniform, "it starts where the entropy is largest");
    let value = |x: &[f64]| (0..NODES).map(|node| objective.value(node, x)).sum::<f64>() / NODES as f64;
    let at_start = value(&[0.25; DIM]);
    for t in 0..rounds {
        run(&mut algorithm, &mut parties, &mut network, &Noise::None, t..t + 1, |_, _, _| true).unwrap();
        let scale = gamma * f64::from(t + 2).sqrt();
        let (x, z) = (algorithm.x().rows().as_slice(), algorithm.z().rows().as_slice());
        for (x, z) in x.chunks(DIM).zip(z.chunks(DIM)) {
            let shares: Vec<f64> = z.iter().map(|z| (-z / scale).exp()).collect();
            let total: f64 = shares.iter().sum();
            assert!(x.iter().zip(&shares).all(|(x, share)| (x - share / total).abs() < 1e-12), "round {t}: {x:?}");
        }
    }
    let answer = &algorithm.estimate().rows().as_slice()[..DIM];
    assert!((answer.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let grid = |n: usize| (0..=n).flat_map(move |a| (0..=n - a).map(move |b| (a, b)));
    let least = grid(30)
        .flat_map(|(a, b)| (0..=30 - a - b).map(move |c| [a, b, c, 30 - a - b - c].map(|k| k as f64 / 30.0)))
        .map(|x| value(&x))
        .fold(f64::INFINITY, f64::min);
    let gap = value(answer) - least;
    assert!(gap < 0.01 && gap < 0.1 * (at_start - least), "{gap} of {}", at_start - least);
}
