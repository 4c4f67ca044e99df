//! Hidden activation: every node sends in every round, and nobody can tell who looked at data.

mod common;

use common::{Peek, keys};
use dido_geometry::{L2Ball, Rows, Set};
use dido_mechanisms::subsampled_dda::{Activation, SubsampledDda};
use dido_mechanisms::{Accountant, Adjacency, Adversary, Best, Gate, Gaussian, MechanismError, Purpose, Stream};
use dido_optimizers::{
    Declaration, DualAveraging, DualWeights, InProcess, Noise, Parties, Sampling, Schedule, Stop, plan, run,
};
use dido_problems::{Distance, DualStep, Loss, RecordBounds, Regulariser, Shard, Weighting};
use dido_topology::{families, weights};
use ndarray::{Array1, Array2};

const DIM: usize = 4;
const NODES: usize = 6;
const RECORDS: usize = 10;
const IOTA: f64 = 0.25;
const SIGMA: f64 = 2.0;

fn declaration() -> Declaration {
    let bounds = RecordBounds::new(1.0, 1.0).unwrap();
    Declaration::new(Loss::Hinge, DIM, bounds, Weighting::NodeMean, vec![RECORDS; NODES]).unwrap()
}

fn parties(adversary: Adversary) -> Parties {
    let declaration = declaration();
    let shard = |node: usize| {
        let x = Array2::from_shape_fn((RECORDS, DIM), |(r, k)| ((node * 53 + r * 29 + k * 17) % 31) as f64 / 62.0);
        Shard::checked(x, Array1::ones(RECORDS), RecordBounds::new(1.0, 1.0).unwrap()).unwrap()
    };
    let shards: Vec<Shard> = (0..NODES).map(shard).collect();
    let gate = Gate::simulated(Adjacency::ReplaceRecord, adversary, declaration.class_of(), None, keys(4, NODES, 1));
    Parties::new(declaration, &shards, 1, gate).unwrap()
}

fn ring() -> InProcess {
    InProcess::new(weights::metropolis(&families::ring(NODES).unwrap()))
}

fn noise() -> Noise {
    Noise::Gaussian(Schedule::constant(SIGMA))
}

fn dda(parties: &Parties) -> DualAveraging {
    let ball = Set::from(L2Ball::new(3.0).unwrap());
    let step = DualStep::new(Regulariser::squared_l2(0.1).unwrap(), ball, Distance::Euclidean).unwrap();
    let weights = DualWeights::GrowingDistance { gamma: 1.0 };
    DualAveraging::new(step, weights, 1.0, Sampling::HiddenOneRecord(IOTA), parties.start(&[0.0; DIM])).unwrap()
}

/// The noise of a round, drawn again from the keys.
fn noise_of(round: u32) -> Rows {
    let mut rows = Rows::zeros(dido_geometry::Shape { nodes: NODES, lanes: 1, dim: DIM });
    let stream = Stream::new(round, Purpose::Noise, 0).unwrap();
    Gaussian::new(SIGMA).unwrap().add_simulated(&keys(4, NODES, 1), stream, &mut rows).unwrap();
    rows
}

/// In every round every node sends; an idle one sends its noise, to the bit, and an active one its noise around the gradient of
/// one of its records. The coins of the nodes are independent and fall with probability iota.
///
/// 6 x 1500 coins of 0.25: 2250 +- 41 are active; each of the 15 pairs is active together in 94 +- 9.4 of 1500 rounds. Five
/// standard deviations are allowed for, and the seed is fixed.
#[test]
fn idle_nodes_send_pure_noise() {
    let rounds = 1500;
    let mut parties = parties(Adversary::HiddenActivation);
    let mut peek = Peek::new(parties.start(&[0.0; DIM]), Sampling::HiddenOneRecord(IOTA), None);
    let mut active = vec![];
    run(&mut peek, &mut parties, &mut ring(), &noise(), 0..rounds, |round, peek, _| {
        let (sent, noise) = (peek.estimate().rows(), noise_of(round));
        active.push([0, 1, 2, 3, 4, 5].map(|node| {
            let (sent, noise) = (sent.row(node, 0), noise.row(node, 0));
            // Gradients at 0 are rows with a minus sign, of which none is zero.
            let active = sent != noise;
            let off = sent.iter().zip(noise).map(|(s, n)| (s - n).powi(2)).sum::<f64>().sqrt();
            assert_eq!(active, off > 1e-3, "{off}");
            active
        }));
        true
    })
    .unwrap();
    assert_eq!(parties.gate().ledger().releases_per_node(), u64::from(rounds), "every node, every round");
    let total = active.iter().flatten().filter(|active| **active).count();
    assert!((2045..2455).contains(&total), "{total}");
    for i in 0..NODES {
        for j in 0..i {
            let both = active.iter().filter(|active| active[i] && active[j]).count();
            assert!((46..142).contains(&both), "{i} and {j} are active together {both} times");
        }
    }
}

/// Ledger of the run, plan and paper agree: `T` releases at a rate of `iota / q`, and their epsilon.
#[test]
fn it_is_accounted_at_the_rate_of_record_and_node() {
    let rounds = 300;
    let mut parties = parties(Adversary::HiddenActivation);
    let mut algorithm = dda(&parties);
    run(&mut algorithm, &mut parties, &mut ring(), &noise(), 0..rounds, |_, _, _| true).unwrap();
    let (adjacency, adversary) = (Adjacency::ReplaceRecord, Adversary::HiddenActivation);
    let planned =
        plan(&declaration(), adjacency, adversary, None, &noise(), rounds, |parties| Box::new(dda(parties))).unwrap();
    assert_eq!(parties.gate().ledger(), &planned);

    // 2 L = 2: rows of norm 1, slopes up to 1, n_i s_i = 1.
    let paper =
        SubsampledDda { nodes: NODES, iota: IOTA, records: RECORDS as u64, sigma: SIGMA, lipschitz: 1.0, rounds };
    assert_eq!(paper.ledger(Activation::Hidden).unwrap(), planned);
    let epsilon = Best.bound(&planned, 1e-5).unwrap().epsilon;
    assert!((epsilon / paper.hidden(1e-5).unwrap().epsilon - 1.0).abs() < 1e-12);
    // As if everybody saw who is active, and as if everybody were.
    let everybody = SubsampledDda { iota: 1.0, ..paper };
    assert!(epsilon < 0.6 * paper.visible(1e-5).unwrap().epsilon, "{epsilon}");
    assert!(epsilon < 0.3 * everybody.visible(1e-5).unwrap().epsilon, "{epsilon}");
}

/// Whoever sees who is active is not fooled: such a gate refuses, before anything leaves, in plan and run.
#[test]
fn the_adversary_must_not_see_who_is_active() {
    for adversary in [Adversary::AllMessages, Adversary::Neighbour(2), Adversary::Colluders(2)] {
        let refused = plan(&declaration(), Adjacency::ReplaceRecord, adversary, None, &noise(), 1, |parties| {
            Box::new(dda(parties))
        });
        assert!(matches!(refused, Err(Stop::Mechanism(MechanismError::ActivationSeen(_)))), "{adversary:?}");
        let mut parties = parties(adversary);
        let mut algorithm = dda(&parties);
        let stopped = run(&mut algorithm, &mut parties, &mut ring(), &noise(), 0..1, |_, _, _| true);
        assert!(matches!(stopped, Err(Stop::Mechanism(MechanismError::ActivationSeen(_)))));
        assert_eq!(parties.gate().ledger().releases_per_node(), 0);
    }
}

/// `z` collects `iota` times the gradient, so the regulariser counts `iota` times: one node with one record and no noise, whose
/// coin has fallen in the same rounds, by hand.
#[test]
fn the_regulariser_counts_as_often_as_the_gradient() {
    let bounds = RecordBounds::new(1.0, 1.0).unwrap();
    let shard = Shard::checked(Array2::from_elem((1, 1), 0.8), Array1::ones(1), bounds).unwrap();
    let declaration = Declaration::new(Loss::Hinge, 1, bounds, Weighting::NodeMean, vec![1]).unwrap();
    let gate = Gate::simulated(
        Adjacency::ReplaceRecord,
        Adversary::HiddenActivation,
        declaration.class_of(),
        None,
        keys(4, 1, 1),
    );
    let mut parties = Parties::new(declaration, &[shard], 1, gate).unwrap();
    let (mu, gamma) = (0.2, 0.7);
    let step = DualStep::new(Regulariser::squared_l2(mu).unwrap(), Set::Whole, Distance::Euclidean).unwrap();
    let weights = DualWeights::GrowingDistance { gamma };
    let start = parties.start(&[0.0]);
    let mut algorithm = DualAveraging::new(step, weights, 1.0, Sampling::HiddenOneRecord(IOTA), start).unwrap();
    let mut network = InProcess::new(weights::metropolis(&families::complete(1).unwrap()));
    let (mut z, mut seen) = (0.0, 0);
    for t in 0..60 {
        let x = algorithm.x().rows().as_slice()[0];
        run(&mut algorithm, &mut parties, &mut network, &Noise::None, t..t + 1, |_, _, _| true).unwrap();
        let after = algorithm.z().rows().as_slice()[0];
        if after.to_bits() != f64::to_bits(z) {
            // The gradient of the hinge: -x while the margin is short of 1.
            assert!((after - (z - 0.8)).abs() < 1e-12 && 0.8 * x < 1.0);
            seen += 1;
        }
        z = after;
        let t = f64::from(t + 1);
        let expected = -z / (IOTA * mu * t + gamma * (t + 1.0).sqrt());
        assert!((algorithm.x().rows().as_slice()[0] - expected).abs() < 1e-12);
    }
    assert!((5..30).contains(&seen), "{seen}");
}
