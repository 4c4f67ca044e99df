//! DP-SGD: its published accounting, the published algorithm on one node, and what it reduces to.

mod common;

use common::{close, keys, parties, problem};
use dido_geometry::{L2Ball, Set};
use dido_mechanisms::{Accountant, Adjacency, Adversary, Gate, Gaussian, Key, Pld, Purpose, Stream};
use dido_optimizers::{
    Algorithm, Clip, Declaration, Dgd, DpSgd, InProcess, Noise, Parties, Perturbed, Sampling, Schedule, plan, run,
};
use dido_problems::{Loss, RecordBounds, Shard, Weighting};
use dido_topology::{families, weights};
use ndarray::{Array1, Array2};
use rand::RngExt;

const DIM: usize = 3;

fn network(nodes: usize) -> InProcess {
    InProcess::new(weights::metropolis(&families::ring(nodes).unwrap()))
}

/// Noise multiplier 0.8, rate 0.01, 10 000 steps, delta 1e-5: 10.0537 by privacy loss distributions, between 10.0528 and
/// 10.0541, from what the run itself has written. The multiplier is the sigma of the sum in units of the clip: with a weight of
/// `1 / (n rate)` the noise in the mean is `0.8 C / (n rate)`.
#[test]
fn the_ledger_of_a_run_gives_the_published_epsilon() {
    let (n, rate, clip) = (100, 0.01, 0.7);
    let bounds = RecordBounds::new(1.0, 1.0).unwrap();
    let x = Array2::from_shape_fn((n, DIM), |(r, k)| ((r * 31 + k * 17) % 23) as f64 / 46.0);
    let y: Array1<f64> = (0..n).map(|r| if r % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let shard = Shard::checked(x, y, bounds).unwrap();
    let declaration = Declaration::new(Loss::Logistic, DIM, bounds, Weighting::NodeMean, vec![n]).unwrap();
    let mut parties = parties(&declaration, &[shard], 1, Adjacency::AddRemoveRecord, None, 2);
    let noise = Noise::Gaussian(Schedule::constant(0.8 * clip / (n as f64 * rate)));
    let start = parties.start(&[0.0; DIM]);
    let step = Schedule::constant(0.01);
    let mut sgd = DpSgd::new(Set::Whole, step, Sampling::Poisson(rate), clip, 5000, start);
    run(&mut sgd, &mut parties, &mut network(1), &noise, 0..10_000, |_, _, _| true).unwrap();
    let ledger = parties.gate().ledger();
    assert_eq!((ledger.classes[0].entries.len(), ledger.releases_per_node()), (1, 10_000));
    let epsilon = Pld.bound(ledger, 1e-5).unwrap().epsilon;
    assert!((10.0528..10.0545).contains(&epsilon), "{epsilon}");
}

/// The same coins and noise in a naive loop: Algorithm 1 of Abadi et al., for squared loss, with the gradients of the batch
/// clipped one by one, summed, made noisy and divided by the expected size of the batch.
#[test]
fn on_one_node_it_is_the_published_algorithm() {
    let (n, rate, clip, sigma, alpha) = (20, 0.3, 0.02, 0.05, 0.4);
    let problem = problem(3, 1, n, DIM, Weighting::NodeMean);
    let mut parties = problem.parties(1, Adjacency::AddRemoveRecord, None, 9);
    let start = parties.start(&[0.1; DIM]);
    let noise = Noise::Gaussian(Schedule::constant(sigma));
    let (step, sampling) = (Schedule::constant(alpha), Sampling::Poisson(rate));
    let mut sgd = DpSgd::new(Set::Whole, step, sampling, clip, 0, start);
    run(&mut sgd, &mut parties, &mut network(1), &noise, 0..40, |_, _, _| true).unwrap();

    let key = Key::derive(9, 0, 0);
    let (x, y) = (problem.shards[0].x(), problem.shards[0].y());
    let mut b = [0.1; DIM];
    let mut shortened = 0;
    for t in 0..40 {
        let mut coins = key.strong_rng(Stream::new(t, Purpose::Sampling, 0).unwrap());
        let mut sum = [0.0; DIM];
        for r in (0..n).filter(|_| coins.random_bool(rate)) {
            let residual: f64 = (0..DIM).map(|k| x[[r, k]] * b[k]).sum::<f64>() - y[r];
            let g: Vec<f64> = (0..DIM).map(|k| residual * x[[r, k]]).collect();
            let length = g.iter().map(|g| g * g).sum::<f64>().sqrt();
            shortened += usize::from(length > clip);
            sum.iter_mut().zip(&g).for_each(|(sum, g)| *sum += g / (length / clip).max(1.0));
        }
        let mut draws = dido_geometry::Rows::zeros(dido_geometry::Shape { nodes: 1, lanes: 1, dim: DIM });
        let stream = Stream::new(t, Purpose::Noise, 0).unwrap();
        Gaussian::new(sigma).unwrap().add_simulated(std::slice::from_ref(&key), stream, &mut draws).unwrap();
        for k in 0..DIM {
            b[k] -= alpha * (sum[k] / (n as f64 * rate) + draws.as_slice()[k]);
        }
    }
    assert!(shortened > 20, "{shortened} gradients were clipped: the test must see some");
    assert!(sgd.x().rows().as_slice().iter().zip(b).all(|(x, b)| close(*x, b, 1e-12)), "{b:?}");
}

/// All records and a clip beyond all gradients: gradient-perturbed decentralised gradient descent with the same noise.
#[test]
fn with_all_records_it_is_decentralised_gradient_descent() {
    let problem = problem(4, 5, 8, DIM, Weighting::Pooled);
    let noise = Noise::Gaussian(Schedule::constant(0.1));
    let step = Schedule::power(0.5, 2.0, 0.3);
    let run_of = |sampling: Option<Sampling>| {
        let mut parties = problem.parties(2, Adjacency::AddRemoveRecord, None, 6);
        let start = parties.start(&[0.0; DIM]);
        let mut algorithm: Box<dyn Algorithm> = if let Some(sampling) = sampling {
            Box::new(DpSgd::new(Set::Whole, step.clone(), sampling, 1e3, 3, start))
        } else {
            let dgd = Dgd::new(step.clone(), 3, start).with_noise_in(Perturbed::Gradient);
            Box::new(dgd.with_clip(Clip::Record(1e3)))
        };
        run(algorithm.as_mut(), &mut parties, &mut network(5), &noise, 0..30, |_, _, _| true).unwrap();
        algorithm.estimate().rows().as_slice().to_vec()
    };
    let dgd = run_of(None);
    assert_eq!(run_of(Some(Sampling::All)), dgd);
    assert!(run_of(Some(Sampling::Poisson(1.0))).iter().zip(&dgd).all(|(a, b)| close(*a, *b, 1e-12)));
}

/// A step of zero leaves the averages of the network, and the points stay in the set.
#[test]
fn steps_of_zero_average_and_points_stay_in_the_set() {
    let problem = problem(5, 4, 6, DIM, Weighting::Pooled);
    let noise = Noise::Gaussian(Schedule::constant(5.0));
    let ball = Set::from(L2Ball::new(0.3).unwrap());
    let mut parties = problem.parties(1, Adjacency::ReplaceRecord, None, 6);
    let start = parties.start(&[0.1; DIM]);
    let mut still = DpSgd::new(Set::Whole, Schedule::constant(0.0), Sampling::Records(2), 0.5, 0, start.clone());
    run(&mut still, &mut parties, &mut network(4), &noise, 0..20, |_, _, _| true).unwrap();
    assert!(still.x().rows().as_slice().iter().all(|x| close(*x, 0.1, 1e-15)));
    let mut parties = problem.parties(1, Adjacency::ReplaceRecord, None, 6);
    let mut inside = DpSgd::new(ball, Schedule::constant(0.5), Sampling::Records(2), 0.5, 0, start);
    run(&mut inside, &mut parties, &mut network(4), &noise, 0..20, |_, inside, _| {
        let rows = inside.estimate().rows();
        (0..4).all(|node| rows.row(node, 0).iter().map(|x| x * x).sum::<f64>().sqrt() <= 0.3 * (1.0 + 1e-14))
    })
    .unwrap();
    assert_eq!(parties.gate().ledger().releases_per_node(), 20, "all points were inside");
}

/// Clipping admits noise at any point; on a network every node has the ledger of its own releases.
#[test]
fn on_a_network_the_plan_is_the_ledger_of_the_run() {
    let problem = problem(5, 4, 6, DIM, Weighting::Pooled);
    let noise = Noise::Laplace(Schedule::constant(1.0));
    let build = |parties: &Parties| {
        let start = parties.start(&[0.0; DIM]);
        DpSgd::new(Set::Whole, Schedule::constant(0.2), Sampling::Records(3), 0.5, 0, start)
    };
    let (adjacency, adversary) = (Adjacency::ReplaceRecord, Adversary::AllMessages);
    let planned =
        plan(&problem.declaration, adjacency, adversary, None, &noise, 7, |parties| Box::new(build(parties))).unwrap();
    let gate = Gate::simulated(adjacency, adversary, problem.declaration.class_of(), None, keys(1, 4, 1));
    let mut parties = Parties::new(problem.declaration.clone(), &problem.shards, 1, gate).unwrap();
    let mut sgd = build(&parties);
    run(&mut sgd, &mut parties, &mut network(4), &noise, 0..7, |_, _, _| true).unwrap();
    assert_eq!(parties.gate().ledger(), &planned);
}
