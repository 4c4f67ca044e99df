//! The exact privacy test: the likelihood ratio of whole transcripts under two adjacent data sets.
//!
//! The adversary sees every message. Given the messages before, message `f_i(t+1)` of a node has a Laplace density
//! around `sum_j w_ij p_j(t) - alpha(t) grad f_i(p_i(t))`, so the log-likelihood ratio of a transcript is a sum of
//! known terms. Pure differential privacy bounds it for every transcript: no statistics, no tolerance but rounding.
//! The means are recomputed here from the records, by plain loops: nothing of the code under test is used.

mod common;

use common::{close, parties};
use dido_geometry::{L2Ball, Rows, Set, Shape};
use dido_mechanisms::least_squares::worst_case_pair;
use dido_mechanisms::{Accountant, Adjacency, Adversary, Budget, Ledger, Public, Pure};
use dido_optimizers::{Algorithm, Declaration, InProcess, Noise, ProjectedDgd, Schedule, Stop, plan, run};
use dido_problems::{RecordBounds, Shard, Weighting};
use dido_topology::{MixingMatrix, families, weights};
use ndarray::{Array1, Array2};

/// Public facts of a run.
struct Public0 {
    weights: MixingMatrix,
    set: Set,
    step: Schedule,
    scale: Schedule,
    objective_scale: f64,
    dim: usize,
}

type Record = (Vec<f64>, f64);

impl Public0 {
    /// `log p(messages | records) - log p(messages | others)` of the messages of `node`; `messages[t]` is `f(t)` of
    /// all nodes.
    fn log_likelihood_ratio(
        &self,
        node: usize,
        messages: &[Vec<Vec<f64>>],
        records: &[Record],
        others: &[Record],
    ) -> f64 {
        let mut ratio = 0.0;
        for t in 0..messages.len() - 1 {
            let p: Vec<Vec<f64>> = messages[t].iter().map(|f| self.projected(f)).collect();
            let step = self.step.at(u32::try_from(t).unwrap());
            let b = self.scale.at(u32::try_from(t).unwrap() + 1);
            let (g, h) = (self.gradient(records, &p[node]), self.gradient(others, &p[node]));
            let (columns, entries) = self.weights.row(node);
            for k in 0..self.dim {
                let mixed: f64 = columns.iter().zip(entries).map(|(&j, w)| w * p[j][k]).sum();
                let seen = messages[t + 1][node][k];
                ratio += ((seen - (mixed - step * h[k])).abs() - (seen - (mixed - step * g[k])).abs()) / b;
            }
        }
        ratio
    }

    fn projected(&self, f: &[f64]) -> Vec<f64> {
        let mut p = f.to_vec();
        self.set.project_row(&mut p);
        p
    }

    fn gradient(&self, records: &[Record], point: &[f64]) -> Vec<f64> {
        let mut g = vec![0.0; self.dim];
        for (x, y) in records {
            let residual = x.iter().zip(point).map(|(a, b)| a * b).sum::<f64>() - y;
            g.iter_mut().zip(x).for_each(|(g, x)| *g += self.objective_scale * residual * x);
        }
        g
    }

    fn pdgd(&self, start: Public) -> ProjectedDgd {
        ProjectedDgd::new(self.set.clone(), self.step.clone(), 0, start)
    }
}

fn shard(records: &[Record], bounds: RecordBounds) -> Shard {
    let dim = records[0].0.len();
    let x = Array2::from_shape_vec((records.len(), dim), records.iter().flat_map(|r| r.0.clone()).collect()).unwrap();
    Shard::checked(x, records.iter().map(|r| r.1).collect::<Array1<f64>>(), bounds).unwrap()
}

fn pure(ledger: &Ledger) -> f64 {
    Pure.bound(ledger, 0.0).unwrap().epsilon
}

fn nodes_of(rows: &Rows) -> Vec<Vec<f64>> {
    (0..rows.shape().nodes).map(|node| rows.row(node, 0).to_vec()).collect()
}

const X: f64 = 1.2;
const Y: f64 = 0.8;
const RADIUS: f64 = 0.9;

/// The transcripts of real runs on the worst-case pair, for each adjacency and node that can be attacked: the ratio
/// never exceeds epsilon, and comes close enough to show that the pair is not harmless.
#[test]
fn no_transcript_of_a_run_exceeds_the_pure_epsilon() {
    let (dim, rounds) = (3, 12);
    let bounds = RecordBounds::new(X, Y).unwrap();
    let worst = worst_case_pair(X, Y, RADIUS, dim).unwrap();
    let bystander: Vec<Record> = vec![(vec![0.3, -0.2, 0.5], 0.1), (vec![-0.4, 0.6, 0.1], -0.3)];
    for adjacency in [Adjacency::ReplaceRecord, Adjacency::ReplaceNode] {
        // Under node replacement a node has one record, so that the pair differs in the whole node.
        let common: &[Record] = if adjacency == Adjacency::ReplaceNode { &[] } else { &bystander[..1] };
        let with = |record: &Record| [std::slice::from_ref(record), common].concat();
        let (records, others) = (with(&worst.record), with(&worst.other));
        let counts = vec![records.len(), 2, 2, 2];
        let declaration = Declaration::least_squares(dim, bounds, Weighting::Pooled, counts).unwrap();
        let public = Public0 {
            weights: weights::metropolis(&families::ring(4).unwrap()),
            set: L2Ball::new(RADIUS).unwrap().into(),
            step: Schedule::power(0.5, 3.0, 0.4),
            scale: Schedule::power(1.0, 2.0, 0.3),
            objective_scale: declaration.scale(records.len()),
            dim,
        };
        let shards = [&records, &bystander, &bystander, &bystander].map(|r| shard(r, bounds));
        let noise = Noise::Laplace(public.scale.clone());
        let mut largest: f64 = 0.0;
        let mut epsilon = f64::NAN;
        for seed in 0..200 {
            let mut parties = parties(&declaration, &shards, 1, adjacency, None, seed);
            // Start at the point where the gradients of the pair are farthest apart.
            let mut pdgd = public.pdgd(parties.start(&worst.point));
            let mut network = InProcess::new(public.weights.clone());
            let mut messages = vec![nodes_of(pdgd.released().rows())];
            for t in 0..rounds {
                run(&mut pdgd, &mut parties, &mut network, &noise, t..t + 1, |_, _, _| true).unwrap();
                messages.push(nodes_of(pdgd.released().rows()));
            }
            let ratio = public.log_likelihood_ratio(0, &messages, &records, &others);
            epsilon = pure(parties.gate().ledger());
            assert!(ratio.abs() <= epsilon * (1.0 + 1e-9), "{adjacency}, seed {seed}: {ratio} > {epsilon}");
            largest = largest.max(ratio.abs());
        }
        assert!(
            largest > 0.05 * epsilon,
            "{adjacency}: the pair is too harmless to test anything: {largest} {epsilon}"
        );
    }
}

/// The bound is attained: `f(0)` far out along `u` is projected on the worst point, `f(1)` lies beyond both means in
/// every coordinate, and the ratio is one step's share of the pure epsilon.
#[test]
fn an_adversary_attains_the_share_of_one_step() {
    for dim in 2..=8 {
        let worst = worst_case_pair(X, Y, RADIUS, dim).unwrap();
        let declaration =
            Declaration::least_squares(dim, RecordBounds::new(X, Y).unwrap(), Weighting::Sum, vec![1]).unwrap();
        let public = Public0 {
            weights: weights::metropolis(&families::ring(1).unwrap()),
            set: L2Ball::new(RADIUS).unwrap().into(),
            step: Schedule::constant(0.3),
            scale: Schedule::constant(0.7),
            objective_scale: 1.0,
            dim,
        };
        let far: Vec<f64> = worst.point.iter().map(|u| 1e3 * u).collect();
        let beyond = vec![-1e3; dim];
        let messages = [vec![far], vec![beyond]];
        let ratio = public.log_likelihood_ratio(
            0,
            &messages,
            std::slice::from_ref(&worst.record),
            std::slice::from_ref(&worst.other),
        );
        let noise = Noise::Laplace(public.scale.clone());
        for adjacency in [Adjacency::ReplaceNode, Adjacency::ReplaceRecord] {
            let ledger = plan(&declaration, adjacency, Adversary::AllMessages, None, &noise, 1, |parties| {
                Box::new(public.pdgd(parties.start(&vec![0.0; dim])))
            })
            .unwrap();
            assert!(close(ratio.abs(), pure(&ledger), 1e-6), "dim {dim}: {ratio} {}", pure(&ledger));
        }
    }
}

/// What leaves a node carries the noise of the plan: without it every test above would still pass.
///
/// 40 000 draws with a fixed seed: the mean of `|noise| / b` is 1 with a standard deviation of 1/200, that of
/// `(noise / b)^2` is 2 with one of 1/45; the tolerances are four of them, and a fixed seed cannot flake.
#[test]
fn what_leaves_carries_the_planned_noise() {
    let (lanes, nodes, dim) = (2000, 5, 4);
    let problem = common::problem(3, nodes, 6, dim, Weighting::Pooled);
    let weights = weights::metropolis(&families::ring(nodes).unwrap());
    let scale = Schedule::power(0.4, 1.0, 0.5);
    let step = Schedule::constant(0.2);
    let after = |noise: Noise, rounds: std::ops::Range<u32>, start: Option<&Rows>| {
        let mut parties = problem.parties(lanes, Adjacency::ReplaceRecord, None, 77);
        let mut pdgd = ProjectedDgd::new(problem.ball.clone(), step.clone(), 0, parties.start(&vec![0.0; dim]));
        if let Some(rows) = start {
            pdgd.state()[0].rows_mut().as_mut_slice().copy_from_slice(rows.as_slice());
        }
        run(&mut pdgd, &mut parties, &mut InProcess::new(weights.clone()), &noise, rounds, |_, _, _| true).unwrap();
        pdgd.released().rows().clone()
    };
    let noise = Noise::Laplace(scale.clone());
    let before = after(noise.clone(), 0..4, None);
    for (round, start) in [(0, None), (4, Some(&before))] {
        let noisy = after(noise.clone(), round..round + 1, start);
        let quiet = after(Noise::None, round..round + 1, start);
        let b = scale.at(round + 1);
        let scaled: Vec<f64> = noisy.as_slice().iter().zip(quiet.as_slice()).map(|(n, q)| (n - q) / b).collect();
        let n = scaled.len() as f64;
        let mean_abs = scaled.iter().map(|x| x.abs()).sum::<f64>() / n;
        let mean_sq = scaled.iter().map(|x| x * x).sum::<f64>() / n;
        assert!((mean_abs - 1.0).abs() < 4.0 / n.sqrt(), "round {round}: {mean_abs}");
        assert!((mean_sq - 2.0).abs() < 4.0 * 20_f64.sqrt() / n.sqrt(), "round {round}: {mean_sq}");
    }
}

/// The budget stops before the release that would overspend: the ledger has no entry of it, and the message did not
/// change.
#[test]
fn the_budget_stops_before_anything_leaves() {
    let problem = common::problem(5, 4, 6, 3, Weighting::Pooled);
    let noise = Noise::Laplace(Schedule::constant(2.0));
    let step = Schedule::constant(0.3);
    let unlimited =
        plan(&problem.declaration, Adjacency::ReplaceRecord, Adversary::AllMessages, None, &noise, 10, |parties| {
            Box::new(ProjectedDgd::new(problem.ball.clone(), step.clone(), 0, parties.start(&[0.0; 3])))
        })
        .unwrap();
    // Room for seven rounds and a half.
    let budget = Budget::new(pure(&unlimited) * 0.75, 0.0).unwrap();
    let mut parties = problem.parties(1, Adjacency::ReplaceRecord, Some(budget), 1);
    let mut network = InProcess::new(weights::metropolis(&families::ring(4).unwrap()));
    let mut pdgd = ProjectedDgd::new(problem.ball.clone(), step, 0, parties.start(&[0.0; 3]));
    let mut last = vec![];
    let stop = run(&mut pdgd, &mut parties, &mut network, &noise, 0..10, |_, algorithm, _| {
        last = algorithm.state()[0].rows().as_slice().to_vec();
        true
    });
    assert!(matches!(stop, Err(Stop::Mechanism(_))), "{stop:?}");
    assert_eq!(parties.gate().ledger().releases_per_node(), 7);
    assert!(pure(parties.gate().ledger()) <= budget.epsilon());
    assert_eq!(pdgd.released().rows().as_slice(), last, "the refused release has not left");
    assert_eq!(pdgd.released().rows().shape(), Shape { nodes: 4, lanes: 1, dim: 3 });
}
