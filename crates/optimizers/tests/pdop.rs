//! Paper C: the exact law, the sensitivity, and the published claims that fail.

mod common;

use common::keys;
use dido_geometry::{Box as Cuboid, L2Ball, Set};
use dido_mechanisms::{Accountant, Adjacency, Adversary, Event, Gate, Pure};
use dido_optimizers::bounds::huang2015::{Problem, Schedules, exact_mean_square};
use dido_optimizers::{Algorithm, At, Declaration, InProcess, Noise, Parties, Pdop, Schedule, Stop, plan, run};
use dido_problems::{RecordBounds, Shard, Weighting};
use dido_topology::{MixingMatrix, families, weights};
use ndarray::{Array1, Array2};

/// `f_i(x) = ||x - v_i||^2 / 2`: one record per coordinate.
fn quadratics(points: &[&[f64]], most: f64) -> (Declaration, Vec<Shard>) {
    let dim = points[0].len();
    let bounds = RecordBounds::new(1.0, most).unwrap();
    let shards: Vec<Shard> =
        points.iter().map(|v| Shard::checked(Array2::eye(dim), Array1::from(v.to_vec()), bounds).unwrap()).collect();
    let declaration = Declaration::least_squares(dim, bounds, Weighting::Sum, vec![dim; points.len()]).unwrap();
    (declaration, shards)
}

fn simulated(declaration: &Declaration, shards: &[Shard], lanes: usize, seed: u64) -> Parties {
    let keys = keys(seed, shards.len(), lanes);
    let gate = Gate::simulated(Adjacency::ReplaceNode, Adversary::AllMessages, declaration.class_of(), None, keys);
    Parties::new(declaration.clone(), shards, lanes, gate).unwrap()
}

fn ring(nodes: usize) -> MixingMatrix {
    weights::metropolis(&families::ring(nodes).unwrap())
}

/// Without projections the mean over the nodes obeys `E ||xbar(T) - x*||^2` exactly; 20 000 repeats as lanes,
/// 5 standard errors. The set is so large that no projection ever bites (noise of scale 100 would have to reach 1e9).
#[test]
fn the_mean_square_error_is_the_law() {
    let points: Vec<[f64; 2]> = (0..6).map(|i| [f64::from(i) / 5.0 - 0.5, f64::from(i * i % 5) / 5.0 - 0.4]).collect();
    let points: Vec<&[f64]> = points.iter().map(|v| &v[..]).collect();
    let (declaration, shards) = quadratics(&points, 1.0);
    let schedules = Schedules { c: 0.5, q: 0.8, p: 0.9, gradient: 2.0, dim: 2, epsilon: 5.0 }.checked().unwrap();
    let (rounds, lanes) = (60_u32, 20_000);
    let mut parties = simulated(&declaration, &shards, lanes, 21);
    let everywhere = Set::from(L2Ball::new(1e9).unwrap());
    let mut pdop = Pdop::new(everywhere, schedules.step(), At::Projected, parties.start(&[0.3, 0.3]));
    // Round T would add the noise that hides x(T): its law has one more term, T + 1 with a step of 0.
    let noise = Noise::Laplace(schedules.noise());
    run(&mut pdop, &mut parties, &mut InProcess::new(ring(6)), &noise, 0..rounds, |_, _, _| true).unwrap();

    let mean = |k: usize| points.iter().map(|v| v[k]).sum::<f64>() / 6.0;
    let errors: Vec<f64> = (0..lanes)
        .map(|lane| {
            (0..2)
                .map(|k| {
                    let bar = (0..6).map(|node| pdop.estimate().rows().row(node, lane)[k]).sum::<f64>() / 6.0;
                    (bar - mean(k)).powi(2)
                })
                .sum()
        })
        .collect();
    let average = errors.iter().sum::<f64>() / lanes as f64;
    let variance = errors.iter().map(|e| (e - average).powi(2)).sum::<f64>() / (lanes as f64 - 1.0);
    let start = (0..2).map(|k| (0.3 - mean(k)).powi(2)).sum();
    let steps: Vec<f64> = (0..rounds).map(|t| schedules.step().at(t)).chain([0.0]).collect();
    let scales: Vec<f64> = (1..=rounds).map(|t| schedules.noise().at(t)).collect();
    let law = exact_mean_square(1.0, start, &steps, &scales, 2, 6);
    let standard_error = (variance / lanes as f64).sqrt();
    assert!((average - law).abs() < 5.0 * standard_error, "{average} +- {standard_error}, law {law}");
}

/// Without noise `xbar(T) - x*` is the product of `1 - gamma_t` times the start, whatever the graph.
#[test]
fn without_noise_the_mean_shrinks_by_the_product() {
    let (declaration, shards) = quadratics(&[&[0.1], &[0.5], &[0.4], &[0.2]], 1.0);
    let mut parties = simulated(&declaration, &shards, 1, 1);
    let step = Schedule::geometric(0.7, 0.6);
    let set = Set::from(L2Ball::new(1e6).unwrap());
    let mut pdop = Pdop::new(set, step.clone(), At::Projected, parties.start(&[-0.9]));
    run(&mut pdop, &mut parties, &mut InProcess::new(ring(4)), &Noise::None, 0..50, |_, _, _| true).unwrap();
    let bar = pdop.estimate().rows().as_slice().iter().sum::<f64>() / 4.0;
    let product: f64 = (0..50).map(|t| 1.0 - step.at(t)).product();
    assert!((bar - 0.3 - product * (-0.9 - 0.3)).abs() < 1e-12, "{bar}");
}

/// The budget of the schedules: exactly epsilon when corrected, epsilon / p as published.
#[test]
fn the_published_schedule_overspends() {
    let (declaration, _) = quadratics(&[&[0.1, 0.2], &[0.5, -0.2], &[0.4, 0.0]], 1.0);
    let set = Set::from(L2Ball::new(1.0).unwrap());
    // What the paper calls 2 C sqrt(n) is the L1 sensitivity of the gradient; here it is exact, so take C from it.
    let gradient = declaration.l2_by_class(Adjacency::ReplaceNode, 1.0)[0] / 2.0;
    let schedules = Schedules { c: 0.3, q: 0.6, p: 0.8, gradient, dim: 2, epsilon: 1.5 }.checked().unwrap();
    let epsilon = |noise: Schedule| {
        let ledger = plan(
            &declaration,
            Adjacency::ReplaceNode,
            Adversary::AllMessages,
            None,
            &Noise::Laplace(noise),
            120,
            |parties| Box::new(Pdop::new(set.clone(), schedules.step(), At::Projected, parties.start(&[0.0, 0.0]))),
        )
        .unwrap();
        let rho: f64 = ledger.classes[0]
            .entries
            .iter()
            .map(|entry| match entry.event {
                Event::Laplace { sensitivity, scale, .. } => (sensitivity.l2() / scale).powi(2) / 2.0,
                other => panic!("{}", other.name()),
            })
            .sum();
        (Pure.bound(&ledger, 0.0).unwrap().epsilon, rho)
    };
    let (corrected, rho) = epsilon(schedules.noise());
    assert!((corrected - 1.5).abs() < 1e-9, "{corrected}");
    assert!((rho - schedules.rho()).abs() < 1e-9, "{rho} {}", schedules.rho());
    let (published, _) = epsilon(schedules.published_noise());
    assert!((published - 1.5 / 0.8).abs() < 1e-9 && (published - schedules.published_noise_epsilon()).abs() < 1e-9);
}

/// The published update takes the gradient outside the set. Two quadratics whose gradients are no longer than
/// `C = 1.9 sqrt(2)` on the box move it by 0.9 where the lemma allows `2 C sqrt(2) gamma = 0.38`.
#[test]
fn the_published_lemma_fails_outside_the_set() {
    let square = Set::from(Cuboid::new(vec![-1.0; 2], vec![1.0; 2]).unwrap());
    let (gamma, z) = (0.05, [10.0, 0.0]);
    let update = |a: f64, at: [f64; 2]| {
        let gradient = [at[0] + a * at[1], a * at[0] + at[1]];
        let mut x = [at[0] - gamma * gradient[0], at[1] - gamma * gradient[1]];
        square.project_row(&mut x);
        x
    };
    let distance = |at: [f64; 2]| {
        let (x, y) = (update(0.9, at), update(-0.9, at));
        (x[0] - y[0]).abs() + (x[1] - y[1]).abs()
    };
    let longest = 1.9 * 2.0_f64.sqrt();
    let allowed = 2.0 * longest * 2.0_f64.sqrt() * gamma;
    assert!((allowed - 0.38).abs() < 1e-12);
    assert!((distance(z) - 0.9).abs() < 1e-12 && distance(z) > 2.0 * allowed);
    let mut projected = z;
    square.project_row(&mut projected);
    assert!(distance(projected) <= allowed);
}

/// Clipping bounds the sensitivity at any point, also outside of every set.
#[test]
fn a_clipped_gradient_moves_by_twice_the_norm() {
    let (declaration, _) = quadratics(&[&[0.1, 0.2], &[0.5, -0.2], &[0.4, 0.0]], 1.0);
    let noise = Noise::Laplace(Schedule::constant(3.0));
    let ledger = |at: At| {
        plan(&declaration, Adjacency::ReplaceNode, Adversary::AllMessages, None, &noise, 2, |parties| {
            let set = Set::from(L2Ball::new(1.0).unwrap());
            Box::new(Pdop::new(set, Schedule::constant(0.5), at, parties.start(&[0.0, 0.0])))
        })
    };
    let clipped = ledger(At::Clipped(0.7)).unwrap();
    let Event::Laplace { sensitivity, .. } = clipped.classes[0].entries[0].event else { panic!() };
    assert!((sensitivity.l2() - 0.5 * 2.0 * 0.7).abs() < 1e-12);
    assert!((sensitivity.l1(2) - 2.0_f64.sqrt() * 0.7).abs() < 1e-12);
    assert!(matches!(ledger(At::Clipped(0.0)), Err(Stop::Mechanism(_))));
}

/// On quadratics of different curvature, projected on a small ball, `V(t) = E sum_i ||x_i(t) - x*||^2` stays below
/// the recursion in every round. `x(t)` is seen in `y(t+1)` under noise of known variance; 4000 repeats, and what is
/// allowed beyond the bound is 5 standard errors of a mean of squares, so that only a wrong constant can fail.
#[test]
fn the_error_stays_below_the_recursion() {
    let (nodes, dim, radius) = (5, 2, 1.0);
    let curvature = |i: usize| 0.4 + 0.15 * i as f64;
    let centre = |i: usize, k: usize| ((i * 3 + k * 2) % 5) as f64 / 8.0 - 0.25;
    let bounds = RecordBounds::new(1.0, 1.0).unwrap();
    let shards: Vec<Shard> = (0..nodes)
        .map(|i| {
            let root = curvature(i).sqrt();
            let y: Array1<f64> = (0..dim).map(|k| root * centre(i, k)).collect();
            Shard::checked(Array2::eye(dim) * root, y, bounds).unwrap()
        })
        .collect();
    let declaration = Declaration::least_squares(dim, bounds, Weighting::Sum, vec![dim; nodes]).unwrap();
    let total: f64 = (0..nodes).map(curvature).sum();
    let optimum: Vec<f64> =
        (0..dim).map(|k| (0..nodes).map(|i| curvature(i) * centre(i, k)).sum::<f64>() / total).collect();
    let norm = |i: usize| (0..dim).map(|k| centre(i, k).powi(2)).sum::<f64>().sqrt();
    let w = ring(nodes);
    let problem = Problem {
        dim,
        nodes,
        strong_convexity: total,
        smoothness: curvature(nodes - 1),
        gradient: (0..nodes).map(|i| curvature(i) * (radius + norm(i))).fold(0.0, f64::max),
        diameter: 2.0 * radius,
        lambda: w.second_largest_singular_value().unwrap(),
        frobenius_squared: w.to_dense().iter().map(|x| x * x).sum(),
    };
    let schedules =
        Schedules { c: problem.largest_step(), q: 0.9, p: 0.95, gradient: problem.gradient, dim, epsilon: 400.0 };
    let (rounds, lanes) = (60, 4000);
    let mut parties = simulated(&declaration, &shards, lanes, 8);
    let ball = Set::from(L2Ball::new(radius).unwrap());
    let mut pdop = Pdop::new(ball, schedules.step(), At::Projected, parties.start(&[0.6, -0.6]));
    let start: f64 = optimum.iter().zip([0.6, -0.6]).map(|(b, x)| (x - b).powi(2)).sum();
    let (mut bound, mut closest) = (nodes as f64 * start, f64::INFINITY);
    let noise = Noise::Laplace(schedules.noise());
    run(&mut pdop, &mut parties, &mut InProcess::new(w), &noise, 0..rounds, |t, algorithm, _| {
        // The start is sent as it is; message t + 1, t > 0, was made with scale number t.
        bound = problem.next(bound, schedules.step().at(t), if t > 0 { schedules.noise().at(t) } else { 0.0 });
        let fresh = 2.0 * (dim * nodes) as f64 * schedules.noise().at(t + 1).powi(2);
        let squares: Vec<f64> = (0..lanes)
            .map(|lane| {
                let node = |i| algorithm.estimate().rows().row(i, lane).iter().zip(&optimum);
                (0..nodes).map(|i| node(i).map(|(y, b)| (y - b).powi(2)).sum::<f64>()).sum::<f64>() - fresh
            })
            .collect();
        let mean = squares.iter().sum::<f64>() / lanes as f64;
        let variance = squares.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / lanes as f64;
        assert!(mean - 5.0 * (variance / lanes as f64).sqrt() <= bound, "round {t}: {mean} above {bound}");
        closest = closest.min(bound / mean);
        true
    })
    .unwrap();
    assert!(closest < 20.0, "the bound is within a factor of 20 in some round, not {closest}");
}
