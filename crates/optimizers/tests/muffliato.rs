//! Muffliato: a round against plain loops, what gossip does to disagreement, and who pays for it.

mod common;

use common::{Spy, keys, problem};
use dido_geometry::{L2Ball, Rows, Set, Shape};
use dido_mechanisms::{Adjacency, Adversary, Laplace, Purpose, Stream, network};
use dido_optimizers::{Algorithm, Gossip, Muffliato, Noise, OptimizerError, Schedule, plan, run};
use dido_problems::{Shard, Weighting};
use dido_topology::consensus::{Averaging, ChebyshevFactors, Method};
use dido_topology::{MixingMatrix, families, weights};
use ndarray::{Array1, Array2};

const RECORD: Adjacency = Adjacency::ReplaceRecord;

fn ball(radius: f64) -> Set {
    L2Ball::new(radius).unwrap().into()
}

fn chebyshev(weights: &MixingMatrix) -> Gossip {
    Gossip::Chebyshev { lambda: weights.second_largest_singular_value().unwrap() }
}

fn dense(weights: &MixingMatrix) -> Array2<f64> {
    let mut w = Array2::zeros((weights.nodes(), weights.nodes()));
    for i in 0..weights.nodes() {
        let (columns, entries) = weights.row(i);
        columns.iter().zip(entries).for_each(|(&j, &value)| w[[i, j]] = value);
    }
    w
}

/// Three rounds: the gradient step by plain loops, the noise that the keys give, and powers of the dense matrix, or the averaging of
/// the topology crate.
#[test]
fn a_round_is_a_step_and_a_power_of_the_weights() {
    let (nodes, dim, radius, rounds) = (6, 3, 0.6, 3);
    let problem = problem(5, nodes, 4, dim, Weighting::NodeMean);
    let mixing = weights::metropolis(&families::path(nodes).unwrap());
    let shape = Shape { nodes, lanes: 1, dim };
    let (step, scale) = (Schedule::power(0.8, 1.0, 0.5), Schedule::constant(0.3));
    for (gossip, steps) in
        [(Gossip::Plain, 0), (Gossip::Plain, 1), (Gossip::Plain, 4), (chebyshev(&mixing), 1), (chebyshev(&mixing), 5)]
    {
        let mut parties = problem.parties(1, RECORD, None, 3);
        let start = parties.start(&[0.4, 0.5, -0.3]);
        let mut x = Array2::from_shape_vec((nodes, dim), start.rows().as_slice().to_vec()).unwrap();
        let mut found = Muffliato::new(ball(radius), step.clone(), (gossip, steps), 1, start).unwrap();
        let mut network = Spy::new(&mixing);
        let mut answers = vec![];
        for t in 0..rounds {
            let noise = Noise::Laplace(scale.clone());
            run(&mut found, &mut parties, &mut network, &noise, t..t + 1, |_, _, _| true).unwrap();
            let mut zeta = Rows::zeros(shape);
            let stream = Stream::new(t, Purpose::Noise, 0).unwrap();
            Laplace::new(0.3).unwrap().add_simulated(&keys(3, nodes, 1), stream, &mut zeta).unwrap();
            let mut y = Array2::zeros((nodes, dim));
            for i in 0..nodes {
                let length = x.row(i).dot(&x.row(i)).sqrt();
                let p: Array1<f64> = x.row(i).map(|v| v * (radius / length).min(1.0));
                let shard = &problem.shards[i];
                let gradient = shard.x().t().dot(&(shard.x().dot(&p) - shard.y())) / 4.0;
                let row = &p - &(step.at(t) * gradient) + &Array1::from(zeta.row(i, 0).to_vec());
                y.row_mut(i).assign(&row);
            }
            x = match gossip {
                Gossip::Plain => (0..steps).fold(y, |y, _| dense(&mixing).dot(&y)),
                Gossip::Chebyshev { lambda } => {
                    let y = y.into_raw_vec_and_offset().0;
                    let mut averaging = Averaging::chebyshev(&mixing, lambda, dim, y).unwrap();
                    (0..steps).for_each(|_| averaging.step());
                    Array2::from_shape_vec((nodes, dim), averaging.into_values()).unwrap()
                }
            };
            for (a, b) in found.x().rows().as_slice().iter().zip(&x) {
                assert!((a - b).abs() < 1e-12, "{gossip:?}, {steps} steps, round {t}: {a} {b}");
            }
            answers.push(x.clone());
        }
        assert_eq!(network.sent.len(), (rounds * steps) as usize);
        let mean = (&answers[1] + &answers[2]) / 2.0;
        assert!(found.estimate().rows().as_slice().iter().zip(&mean).all(|(a, b)| (a - b).abs() < 1e-12));
    }
}

/// The slowest wave of a ring shrinks exactly as the theory says, and the mean stays; what a noisy run sends shrinks no
/// less.
#[test]
fn disagreement_shrinks_by_the_factor_of_the_method() {
    let n = 12;
    let mixing = weights::metropolis(&families::ring(n).unwrap());
    let lambda = mixing.second_largest_singular_value().unwrap();
    let problem = problem(6, n, 4, 1, Weighting::Pooled);
    let wave = |i: usize| (std::f64::consts::TAU * i as f64 / n as f64).cos();
    for (gossip, method) in [(Gossip::Plain, Method::Plain), (chebyshev(&mixing), Method::Chebyshev)] {
        for steps in [1, 3, 10] {
            let factor = method.factor(lambda, steps);
            // A step too small to be seen, no noise, and a start that differs between the nodes.
            let mut parties = problem.parties(1, RECORD, None, 0);
            let start = parties.start(&[0.0]);
            let step = Schedule::constant(1e-300);
            let mut found = Muffliato::new(ball(10.0), step, (gossip, steps), 0, start).unwrap();
            for (i, x) in found.state()[0].rows_mut().as_mut_slice().iter_mut().enumerate() {
                *x = 2.0 + wave(i);
            }
            run(&mut found, &mut parties, &mut Spy::new(&mixing), &Noise::None, 0..1, |_, _, _| true).unwrap();
            for (i, &x) in found.x().rows().as_slice().iter().enumerate() {
                let (shrunk, plain) = (2.0 + factor * wave(i), 2.0 + lambda.powf(f64::from(steps)) * wave(i));
                assert!((x - shrunk).abs() < 1e-12, "{gossip:?}, {steps}: {x} {shrunk}");
                assert!(method == Method::Chebyshev || (x - plain).abs() < 1e-12);
            }
            let mut parties = problem.parties(1, RECORD, None, 4);
            let start = parties.start(&[0.3]);
            let step = Schedule::constant(0.5);
            let mut found = Muffliato::new(ball(1.0), step, (gossip, steps), 0, start).unwrap();
            let mut network = Spy::new(&mixing);
            for t in 0..4 {
                network.sent.clear();
                let noise = Noise::Laplace(Schedule::constant(1.0));
                run(&mut found, &mut parties, &mut network, &noise, t..t + 1, |_, _, _| true).unwrap();
                let (before, after) = (spread(&network.sent[0]), spread(found.x().rows()));
                assert!(after <= factor * before * (1.0 + 1e-9), "{gossip:?}, {steps}: {after} {before}");
            }
        }
    }
}

/// The root of the sum of squared deviations from the mean.
fn spread(rows: &Rows) -> f64 {
    let x = rows.as_slice();
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    x.iter().map(|x| (x - mean).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn gossip_costs_nothing_in_the_ledger() {
    let problem = problem(7, 5, 4, 2, Weighting::Pooled);
    let mixing = weights::metropolis(&families::star(5).unwrap());
    let noise = Noise::Gaussian(Schedule::constant(0.7));
    let ledgers: Vec<_> = [(Gossip::Plain, 0), (Gossip::Plain, 7), (chebyshev(&mixing), 20)]
        .into_iter()
        .map(|gossip| {
            let build = |start| Muffliato::new(ball(1.0), Schedule::constant(0.3), gossip, 0, start).unwrap();
            let all = Adversary::AllMessages;
            let planned =
                plan(&problem.declaration, RECORD, all, None, &noise, 9, |p| Box::new(build(p.start(&[0.0; 2]))))
                    .unwrap();
            let mut parties = problem.parties(1, RECORD, None, 1);
            let mut found = build(parties.start(&[0.0; 2]));
            run(&mut found, &mut parties, &mut Spy::new(&mixing), &noise, 0..9, |_, _, _| true).unwrap();
            assert_eq!(parties.gate().ledger(), &planned);
            planned
        })
        .collect();
    assert_eq!(ledgers[0].releases_per_node(), 9);
    assert!(ledgers.iter().all(|ledger| ledger == &ledgers[0]));
}

/// What one party can compute from the messages of Chebyshev's gossip, orthonormalised here, is what it can compute from
/// those of plain gossip: the projector of the privacy crate is for both.
#[test]
fn chebyshev_gossip_shows_a_party_what_plain_gossip_shows() {
    let n = 12;
    let mixing = weights::metropolis(&families::ring(n).unwrap());
    let w = dense(&mixing);
    let gossip = network::Gossip::from_rows((0..n).map(|i| mixing.row(i))).unwrap();
    let lambda = mixing.second_largest_singular_value().unwrap();
    for steps in 1..=5 {
        let view = gossip.view(&[0], steps).unwrap();
        let mut rows: Vec<Array1<f64>> = vec![Array2::eye(n).row(0).to_owned()];
        let (mut before, mut q) = (Array2::<f64>::eye(n), Array2::<f64>::eye(n));
        for (t, omega) in ChebyshevFactors::new(lambda).unwrap().take(steps).enumerate() {
            rows.extend([q.row(1).to_owned(), q.row(n - 1).to_owned()]);
            let next = if t == 0 { w.dot(&q) } else { omega * w.dot(&q) + (1.0 - omega) * &before };
            before = std::mem::replace(&mut q, next);
        }
        let mut basis: Vec<Array1<f64>> = vec![];
        for mut row in rows {
            for _ in 0..2 {
                for b in &basis {
                    row = &row - &(b.dot(&row) * b);
                }
            }
            let length = row.dot(&row).sqrt();
            if length > 1e-7 {
                basis.push(row / length);
            }
        }
        assert_eq!(basis.len(), view.dimension);
        for u in 0..n {
            let isolated: f64 = basis.iter().map(|b| b[u] * b[u]).sum();
            assert!((isolated - view.isolated[u]).abs() < 1e-8, "{steps} steps, node {u}: {isolated}");
        }
    }
}

/// Node 6 of a ring of twelve has other data: with four steps of gossip nothing that reaches node 0 in the first round has changed, with
/// six it has. That is the guarantee of a view: nothing beyond its reach.
#[test]
fn what_is_out_of_reach_does_not_come_to_a_party() {
    let n = 12;
    let mixing = weights::metropolis(&families::ring(n).unwrap());
    let problem = problem(8, n, 4, 2, Weighting::Pooled);
    let gossip = network::Gossip::from_rows((0..n).map(|i| mixing.row(i))).unwrap();
    let mut others = problem.shards.clone();
    let flipped = Shard::checked(others[6].x().to_owned(), -&others[6].y(), others[6].bounds()).unwrap();
    others[6] = flipped;
    for (kind, steps) in [(Gossip::Plain, 4), (Gossip::Plain, 6), (chebyshev(&mixing), 4), (chebyshev(&mixing), 6)] {
        let seen = |shards: &[Shard]| {
            let mut parties = common::parties(&problem.declaration, shards, 1, RECORD, None, 2);
            let start = parties.start(&[0.1; 2]);
            let mut found = Muffliato::new(ball(1.0), Schedule::constant(0.5), (kind, steps), 0, start).unwrap();
            let mut network = Spy::new(&mixing);
            let noise = Noise::Laplace(Schedule::constant(0.1));
            run(&mut found, &mut parties, &mut network, &noise, 0..1, |_, _, _| true).unwrap();
            network.sent.iter().flat_map(|rows| [rows.row(1, 0).to_vec(), rows.row(11, 0).to_vec()]).collect::<Vec<_>>()
        };
        let reached = gossip.view(&[0], steps as usize).unwrap().distances[6].is_some();
        assert_eq!(reached, steps == 6);
        assert_eq!(seen(&problem.shards) != seen(&others), reached, "{kind:?}, {steps} steps");
    }
}

#[test]
fn a_bound_on_the_weights_that_is_none_is_refused() {
    let parties = problem(1, 3, 4, 2, Weighting::Pooled).parties(1, RECORD, None, 0);
    for lambda in [1.0, -0.1, f64::NAN] {
        let start = parties.start(&[0.0; 2]);
        let found = Muffliato::new(ball(1.0), Schedule::constant(0.1), (Gossip::Chebyshev { lambda }, 3), 0, start);
        assert!(matches!(found, Err(OptimizerError::Topology(_))));
    }
}
