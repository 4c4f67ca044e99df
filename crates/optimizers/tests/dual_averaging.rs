//! Dual averaging: what it reduces to, who pays, and what is drawn.

mod common;

use common::keys;
use dido_geometry::{L2Ball, Set};
use dido_mechanisms::{Accountant, Adjacency, Adversary, ClassLedger, Event, Gate, Pld, Public, Sampling as Scheme};
use dido_optimizers::{
    Algorithm, Declaration, DualAveraging, DualWeights, InProcess, Node, Noise, Parties, Points, Sampling, Schedule,
    Stop, plan_on, run,
};
use dido_problems::{Distance, DualStep, LinearModel, Loss, Objective, RecordBounds, Regulariser, Shard, Weighting};
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

/// Everyone awake, all records, no noise: the method of Duchi, Agarwal and Wainwright, bit for bit.
#[test]
fn it_reduces_to_plain_dual_averaging() {
    let declaration = declaration();
    let mut parties = parties(&declaration, Adjacency::ReplaceRecord);
    let gamma = 0.7;
    let mut algorithm = dda(&parties, DualWeights::GrowingDistance { gamma }, 1.0, Sampling::All);
    run(&mut algorithm, &mut parties, &mut InProcess::new(ring()), &Noise::None, 0..30, |_, _, _| true).unwrap();

    let model = LinearModel::new(Loss::Hinge, &shards(), vec![1.0 / RECORDS as f64; NODES], 1).unwrap();
    let (w, ball) = (ring(), L2Ball::new(3.0).unwrap());
    let (mut z, mut x) = (vec![0.0; NODES * DIM], vec![0.0; NODES * DIM]);
    for t in 1..=30_u32 {
        let mut g = vec![0.0; NODES * DIM];
        model.gradient(0..NODES, &x, &mut g);
        let sum: Vec<f64> = z.iter().zip(&g).map(|(z, g)| z + g).collect();
        w.mix(DIM, &sum, &mut z);
        let s = f64::from(t) * 0.1 + gamma * (f64::from(t) + 1.0).sqrt();
        x = z.clone();
        for x in x.chunks_exact_mut(DIM) {
            for x in x.iter_mut() {
                *x = -*x / s;
            }
            Set::from(ball).project_row(x);
        }
    }
    assert_eq!(algorithm.z().rows().as_slice(), z);
    assert_eq!(algorithm.x().rows().as_slice(), x);
}

fn awake(rounds: u32, active: usize) -> NodeActivation {
    assert!(rounds > 0);
    NodeActivation::fixed_size(families::ring(NODES).unwrap(), active, 5).unwrap()
}

/// A sleeping node keeps its sums to the bit, and the mean of all sums moves by the gradients of those awake.
#[test]
fn sleeping_nodes_keep_still_and_the_mean_moves_by_the_others() {
    let declaration = declaration();
    let mut parties = parties(&declaration, Adjacency::ReplaceRecord);
    let coin = awake(40, 3);
    let mut network = InProcess::varying(coin.clone());
    let weights = DualWeights::GrowingGradients { gamma: 0.5 };
    let mut algorithm = dda(&parties, weights, 0.5, Sampling::All);
    let model = LinearModel::new(Loss::Hinge, &shards(), vec![1.0 / RECORDS as f64; NODES], 1).unwrap();
    for t in 0..40 {
        let (z, x) = (algorithm.z().rows().as_slice().to_vec(), algorithm.x().rows().as_slice().to_vec());
        run(&mut algorithm, &mut parties, &mut network, &Noise::None, t..t + 1, |_, _, _| true).unwrap();
        let after = algorithm.z().rows().as_slice();
        let mut g = vec![0.0; NODES * DIM];
        model.gradient(0..NODES, &x, &mut g);
        let round = coin.round(t).unwrap();
        for node in (0..NODES).filter(|node| !round.awake().contains(node)) {
            assert_eq!(after[node * DIM..][..DIM], z[node * DIM..][..DIM], "node {node} slept in round {t}");
        }
        for k in 0..DIM {
            let column = |v: &[f64]| v.iter().skip(k).step_by(DIM).sum::<f64>();
            let moved: f64 = round.awake().iter().map(|node| g[node * DIM + k]).sum();
            let a = weights.a(t + 1);
            assert!((column(after) - column(&z) - a * moved).abs() < 1e-12 * f64::from(t + 1).powi(2));
        }
    }
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

/// Looks at one record in each round and releases its gradient as it is.
struct Peek {
    point: Public,
    seen: Public,
}

impl Algorithm for Peek {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        let one = node.sample(Sampling::OneRecord)?;
        let g = node.gradient(&self.point, one)?;
        self.seen = node.release(g)?;
        Ok(())
    }

    fn estimate(&self) -> &Public {
        &self.seen
    }

    fn state(&mut self) -> Vec<&mut Public> {
        vec![&mut self.seen]
    }
}

/// 8 records per node that can be told apart, 2000 rounds, 3 nodes: chi-square with 7 degrees of freedom is above 35
/// with probability 1e-5; the seed is fixed, so it cannot flake. The mean over the records is the gradient.
#[test]
fn records_are_drawn_uniformly_and_afresh() {
    let bounds = RecordBounds::new(1.0, 1.0).unwrap();
    let shard = Shard::checked(Array2::eye(8), Array1::ones(8), bounds).unwrap();
    let declaration = Declaration::least_squares(8, bounds, Weighting::NodeMean, vec![8; 3]).unwrap();
    let gate =
        Gate::simulated(Adjacency::ReplaceRecord, Adversary::AllMessages, declaration.class_of(), None, keys(3, 3, 1));
    let mut parties = Parties::new(declaration, &[shard.clone(), shard.clone(), shard], 1, gate).unwrap();
    let start = parties.start(&[0.0; 8]);
    let mut peek = Peek { point: start.clone(), seen: start };
    let mut network = InProcess::new(weights::metropolis(&families::complete(3).unwrap()));
    let (mut counts, mut repeats, mut last) = ([[0_u32; 8]; 3], 0, [9; 3]);
    run(&mut peek, &mut parties, &mut network, &Noise::None, 0..2000, |_, algorithm, _| {
        for node in 0..3 {
            let row = algorithm.estimate().rows().row(node, 0);
            // n_i s_i = 1, and the gradient of (x_k - 1)^2 / 2 at 0 is -e_k.
            let drawn = row.iter().position(|g| *g != 0.0).unwrap();
            assert!(row.iter().enumerate().all(|(k, g)| (g + f64::from(u8::from(k == drawn))).abs() < 1e-15));
            counts[node][drawn] += 1;
            repeats += u32::from(last[node] == drawn);
            last[node] = drawn;
        }
        true
    })
    .unwrap();
    for counts in counts {
        let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - 250.0).powi(2) / 250.0).sum();
        assert!(chi2 < 35.0, "{counts:?}");
    }
    // 6000 pairs of rounds, equal with probability 1/8: 750 +- 26.
    assert!((620..880).contains(&repeats), "{repeats}");
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
