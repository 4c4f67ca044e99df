//! Paper C: four agents who agree on a meeting place.

use dido_geometry::{Box as Cuboid, L2Ball, Set, norm};
use dido_mechanisms::{Accountant, Adjacency, Adversary, Pure};
use dido_optimizers::bounds::huang2015::{Schedules, exact_mean_square, optimal_pure_decay};
use dido_optimizers::{Algorithm, At, Declaration, Noise, Pdop, plan, run};
use dido_problems::{RecordBounds, Shard, Weighting};
use dido_topology::{families, weights};
use ndarray::{Array1, Array2};

use super::fit::{Estimate, slope};
use super::network::{Network, of_the_mean};
use super::wording::number;
use super::{Findings, Options, Study, Table};
use crate::error::ExperimentError;
use crate::report::plot::{Drawn, Figure, Quantity, Series};

pub(super) const STUDY: Study = Study {
    name: "huang2015-rendezvous",
    title: "Private rendezvous: accuracy against epsilon, and the decay of the noise (paper C)",
    question: "How does the accuracy `d = E (xbar - x*)^2` depend on epsilon, and is it `O(1/epsilon^2)`? Which decay `p` of the noise \
               is the best for steps that decay as `q^t`? Does the published schedule keep its epsilon?",
    set_up: "Four agents at 0.1, 0.5, 0.4 and 0.2 with costs `(x - v_i)^2`, who all hear each other; steps `gamma_t = q^(t-1)`, `q = 0.6`, \
             Laplace noise `M_t = K p^(t-1)` with `p = 0.9`, 50 rounds, gradients up to `C = 3`, start at 0. Adjacency: the cost of one \
             agent is replaced; the adversary sees all messages. Once with the set `[-1, 1]` and once without a set, where \
             `E (xbar(T) - x*)^2 = pi_1^2 x*^2 + (2/N) sum_s M_s^2 pi_s^2` exactly, `pi_s` the product of `1 - 2 gamma_r` over `r >= s`.",
    paper: "Huang, Mitra, Vaidya (ICDCN 2015, arXiv 1401.2596) state epsilon-differential privacy for `M_t = K p^t` and any \
            `q < p < 1`, and an accuracy of `O(1/epsilon^2)`. The numbers of their Example 3 could not be recovered; the scenario is \
            that of public course material on the paper. What is wrong in the paper: [the corrected theory](../theory/huang2015.md).",
    run: study,
};

const CENTRES: [f64; 4] = [0.1, 0.5, 0.4, 0.2];
const OPTIMUM: f64 = 0.3;
/// `h` of costs `(h/2)(x - v)^2`.
const CURVATURE: f64 = 2.0;
const ROUNDS: u32 = 50;
const SCHEDULES: Schedules = Schedules { c: 1.0, q: 0.6, p: 0.9, gradient: 3.0, dim: 1, epsilon: 1.0 };

fn study(options: &Options, progress: &mut dyn FnMut(&str)) -> Result<Findings, ExperimentError> {
    let network = network()?;
    let lanes = options.choose(20_000, 2_000);
    progress(&format!("accuracy against epsilon, {lanes} lanes"));
    let accuracy = accuracy(&network, lanes, options.seed)?;
    progress("the decay of the noise");
    let (decays, best) = (decays(), best_decays());
    progress("what the schedules cost, and how far one update moves");
    let (costs, moves) = (costs(&network)?, moves()?);
    Ok(Findings {
        sentences: sentences(&accuracy, &decays, &best, &costs, &moves),
        figures: vec![accuracy_figure(&accuracy), decay_figure(&decays), best_figure(&best), moves_figure(&moves)],
        tables: vec![accuracy, best, costs, moves],
        ..Findings::default()
    })
}

fn network() -> Result<Network, ExperimentError> {
    let graph = families::complete(CENTRES.len())?;
    let root = CURVATURE.sqrt();
    let bounds = RecordBounds::new(root, root)?;
    let declaration = Declaration::least_squares(1, bounds, Weighting::Sum, vec![1; CENTRES.len()])?;
    let shard = |v: &f64| Shard::clipped(Array2::from_elem((1, 1), root), Array1::from_elem(1, root * v), bounds);
    let shards = CENTRES.iter().map(shard).collect::<Result<_, _>>()?;
    Ok(Network { weights: weights::metropolis(&graph), declaration, shards })
}

/// `[-1, 1]`, or a set that no point leaves.
fn set(bounded: bool) -> Result<Set, ExperimentError> {
    Ok(if bounded { Cuboid::new(vec![-1.0], vec![1.0])?.into() } else { L2Ball::new(1e9)?.into() })
}

/// The squared error of each lane.
fn errors(
    network: &Network,
    schedules: &Schedules,
    bounded: bool,
    (lanes, seed): (u32, u64),
) -> Result<Vec<f64>, ExperimentError> {
    let mut parties = network.parties(Adjacency::ReplaceNode, lanes, seed)?;
    let start = parties.start(&[0.0]);
    let mut pdop = Pdop::new(set(bounded)?, schedules.step(), At::Projected, start);
    let noise = Noise::Laplace(schedules.noise());
    run(&mut pdop, &mut parties, &mut network.in_process(), &noise, 0..ROUNDS, |_, _, _| true)?;
    Ok(of_the_mean(pdop.estimate().rows(), &[OPTIMUM]))
}

/// The exact law after [`ROUNDS`] rounds: the last noise hides a point that is not stepped from any more.
fn law(schedules: &Schedules) -> f64 {
    let steps: Vec<f64> = (0..ROUNDS).map(|t| schedules.step().at(t)).chain([0.0]).collect();
    let scales: Vec<f64> = (1..=ROUNDS).map(|t| schedules.noise().at(t)).collect();
    exact_mean_square(CURVATURE, OPTIMUM * OPTIMUM, &steps, &scales, 1, CENTRES.len())
}

/// What infinite epsilon leaves.
fn bias() -> f64 {
    law(&Schedules { epsilon: 1e12, ..SCHEDULES })
}

fn accuracy(network: &Network, lanes: u32, seed: u64) -> Result<Table, ExperimentError> {
    let columns = ["epsilon", "measured", "+-", "exact law", "measured in [-1, 1]", "+- there"];
    let caption = format!("Accuracy `d`: the mean of {} repeats and its standard error.", number(lanes.into()));
    let mut table = Table::new("accuracy", caption, columns);
    for k in 0..=14_u32 {
        let epsilon = 10_f64.powf(-1.0 + 0.5 * f64::from(k));
        let schedules = Schedules { epsilon, ..SCHEDULES };
        // Fresh noise for each point, so that their errors are independent.
        let fresh = |part: u64| (lanes, seed.wrapping_mul(1000).wrapping_add(2 * u64::from(k) + part));
        let free = Estimate::mean(&errors(network, &schedules, false, fresh(0))?);
        let bounded = Estimate::mean(&errors(network, &schedules, true, fresh(1))?);
        let cells = [epsilon, free.value, free.error, law(&schedules), bounded.value, bounded.error];
        table.push(cells.map(Into::into));
    }
    Ok(table)
}

/// For the shown `q` the decays `p` and the law there, at epsilon 1.
fn decays() -> Vec<(f64, Vec<(f64, f64)>)> {
    let curve = |q: f64| {
        let p = (1..200).map(move |k| q + (1.0 - q) * f64::from(k) / 200.0);
        p.map(move |p| (p, law(&Schedules { q, p, ..SCHEDULES }))).collect()
    };
    [0.3, 0.6, 0.8].map(|q| (q, curve(q))).to_vec()
}

/// The decay with the least value of `of`, by golden section between `q` and 1.
fn least(q: f64, of: impl Fn(f64) -> f64) -> f64 {
    let golden = (5_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (q + 1e-6, 1.0 - 1e-6);
    for _ in 0..100 {
        let (a, b) = (high - golden * (high - low), low + golden * (high - low));
        if of(a) < of(b) { high = b } else { low = a }
    }
    f64::midpoint(low, high)
}

fn best_decays() -> Table {
    let caption = "The best decay `p` at a fixed pure epsilon: of the total variance of the noise, and of the accuracy that it leaves \
                   after 50 rounds. `loss`: the accuracy at `p = q^(1/3)` over the best.";
    let columns = ["q", "q^(1/3)", "least variance", "best accuracy", "loss"];
    let mut table = Table::new("decay", caption, columns);
    for q in [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] {
        let of = |p: f64| Schedules { q, p, ..SCHEDULES };
        let accuracy = least(q, |p| law(&of(p)));
        let cells = [
            q,
            optimal_pure_decay(q),
            least(q, |p| of(p).total_variance()),
            accuracy,
            law(&of(optimal_pure_decay(q))) / law(&of(accuracy)),
        ];
        table.push(cells.map(Into::into));
    }
    table
}

/// The epsilon of the schedules, from the ledger of the plan of so many rounds that the rest does not count.
fn costs(network: &Network) -> Result<Table, ExperimentError> {
    let caption = "Epsilon of the schedules that aim at epsilon = 1, from the ledger of the algorithm (C-E1).";
    let mut table = Table::new("cost", caption, ["p", "published, K p^t", "1/p", "corrected, K p^(t-1)"]);
    for p in [0.65, 0.7, 0.8, 0.9, 0.95] {
        let schedules = Schedules { p, ..SCHEDULES };
        let spent = |noise| -> Result<f64, ExperimentError> {
            let build = |parties: &dido_optimizers::Parties| -> std::boxed::Box<dyn Algorithm> {
                let start = parties.start(&[0.0]);
                let set = set(true).expect("an interval");
                std::boxed::Box::new(Pdop::new(set, schedules.step(), At::Projected, start))
            };
            let noise = Noise::Laplace(noise);
            let (adjacency, adversary) = (Adjacency::ReplaceNode, Adversary::AllMessages);
            let ledger = plan(&network.declaration, adjacency, adversary, None, &noise, 400, build)?;
            Ok(Pure.bound(&ledger, 0.0)?.epsilon)
        };
        // The declared records allow gradients of another length than C: what counts is the ratio to the aim.
        let aimed = spent(schedules.noise())? / pure_sum(&schedules);
        let cells = [p, spent(schedules.published_noise())? / aimed, 1.0 / p, spent(schedules.noise())? / aimed];
        table.push(cells.map(Into::into));
    }
    Ok(table)
}

/// `sum 2 C gamma_t / M(t+1)` of the corrected schedule: what 400 rounds cost if gradients have the length `C`.
fn pure_sum(schedules: &Schedules) -> f64 {
    (0..400).map(|t| 2.0 * schedules.gradient * schedules.step().at(t) / schedules.noise().at(t + 1)).sum()
}

/// How far the updates of two adjacent costs are apart, with the gradient at `z` as published and at the projected `z`.
fn moves() -> Result<Table, ExperimentError> {
    let caption = "`||x - x'||_1` after one step of 0.05 from `z = (z_1, 0)` with the costs `x'Ax/2` on `[-1, 1]^2`, off-diagonal entries +0.9 \
                   and -0.9 (C-E2). Lemma 4 of the paper allows 0.38.";
    let mut table = Table::new("moves", caption, ["z_1", "published", "at the projected z", "allowed"]);
    let square = Set::from(Cuboid::new(vec![-1.0; 2], vec![1.0; 2])?);
    let gamma = 0.05;
    let longest = norm(&[1.9, 1.9]);
    let allowed = 2.0 * longest * 2_f64.sqrt() * gamma;
    for z in [0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0] {
        let moved = |projected: bool| {
            let update = |a: f64| {
                let mut at = [z, 0.0];
                if projected {
                    square.project_row(&mut at);
                }
                let mut x = [at[0] - gamma * (at[0] + a * at[1]), at[1] - gamma * (a * at[0] + at[1])];
                square.project_row(&mut x);
                x
            };
            let (one, other) = (update(0.9), update(-0.9));
            (one[0] - other[0]).abs() + (one[1] - other[1]).abs()
        };
        table.push([z, moved(false), moved(true), allowed].map(Into::into));
    }
    Ok(table)
}

/// The slope of what noise adds to the measured accuracy, where noise is most of it.
fn noise_slope(accuracy: &Table) -> Estimate {
    let bias = bias();
    let points = accuracy.numbers("epsilon").into_iter().zip(accuracy.numbers("measured"));
    slope(&points.filter(|(_, d)| *d > 3.0 * bias).map(|(epsilon, d)| (epsilon, d - bias)).collect::<Vec<_>>())
}

/// How many standard errors measured and law are apart, at most.
fn standard_errors(accuracy: &Table) -> f64 {
    let columns = ["measured", "exact law", "+-"].map(|name| accuracy.numbers(name));
    (0..columns[0].len()).map(|k| (columns[0][k] - columns[1][k]).abs() / columns[2][k]).fold(0.0, f64::max)
}

fn sentences(
    accuracy: &Table,
    decays: &[(f64, Vec<(f64, f64)>)],
    best: &Table,
    costs: &Table,
    moves: &Table,
) -> Vec<String> {
    let largest = |values: Vec<f64>| values.into_iter().fold(0.0, f64::max);
    let bounded = accuracy.numbers("measured in [-1, 1]");
    let worse = accuracy.numbers("epsilon").into_iter().zip(bounded.iter().copied());
    let useless = largest(worse.filter(|(_, d)| *d > OPTIMUM * OPTIMUM).map(|p| p.0).collect());
    let exponent = slope(&best.numbers("q").into_iter().zip(best.numbers("best accuracy")).collect::<Vec<_>>());
    let of_variance = slope(&best.numbers("q").into_iter().zip(best.numbers("least variance")).collect::<Vec<_>>());
    let row = decays.iter().find(|(q, _)| (q - 0.6).abs() < 1e-9);
    let cheapest = row.map_or(f64::NAN, |(_, curve)| curve.iter().map(|p| p.1).fold(f64::INFINITY, f64::min));
    let crossing = moves.numbers("z_1").into_iter().zip(moves.numbers("published")).find(|p| p.1 > 0.38).map(|p| p.0);
    vec![
        format!(
            "Without a set, what noise adds to `d` falls as epsilon^({}); at all epsilons the measured `d` is at most {:.1} standard errors away \
             from the exact law.",
            noise_slope(accuracy).text(),
            standard_errors(accuracy)
        ),
        format!(
            "No epsilon removes the rest: the steps add up to a finite number, and {:.2} % of the first distance stays for ever, \
             `d = {}`.",
            100.0 * bias().sqrt() / OPTIMUM,
            number(bias())
        ),
        format!(
            "In `[-1, 1]` the noise is cut off: `d` was {} at most, and cannot grow as `1/epsilon^2` for ever. The answer 0, \
             which looks at nothing, has `d = {}`: up to epsilon = {} it is better than the algorithm.",
            number(largest(bounded.clone())),
            number(OPTIMUM * OPTIMUM),
            number(useless)
        ),
        format!(
            "The decay that adds the least noise is `p = q^(1/3)` (fitted exponent {:.4}). The decay that is best for the accuracy is another \
             one (fitted exponent {}): a faster one, since the steps make the early noise partly forgotten and the late noise stays in full. \
             `q^(1/3)` loses a factor of up to {}; at `q = 0.6` the best `d` at epsilon 1 is {} without a set.",
            of_variance.value,
            exponent.text(),
            number(largest(best.numbers("loss"))),
            number(cheapest)
        ),
        format!(
            "C-E1: the published `M_t = K p^t` costs `epsilon/p`: {} for p = 0.8 where 1 is claimed. `x(t)` is hidden by the noise of round \
             `t + 1`. With `K p^(t-1)` the claim holds.",
            number(costs.numbers("published, K p^t")[2])
        ),
        format!(
            "C-E2: with the gradient at `z`, as published, two adjacent costs move the point by up to {}, where Lemma 4 allows 0.38; \
             it is exceeded from `z_1` = {} on, which noise reaches. With the gradient at the projected point it is {}.",
            number(largest(moves.numbers("published"))),
            crossing.map_or("nowhere".to_owned(), number),
            number(largest(moves.numbers("at the projected z")))
        ),
    ]
}

fn accuracy_figure(accuracy: &Table) -> Figure {
    let epsilon = accuracy.numbers("epsilon");
    let column = |name: &str| epsilon.iter().copied().zip(accuracy.numbers(name)).collect::<Vec<_>>();
    let ends = [epsilon[0], epsilon[epsilon.len() - 1]];
    Figure {
        name: "accuracy",
        title: "Accuracy against epsilon".to_owned(),
        note: format!("what noise adds has slope {}", noise_slope(accuracy).text()),
        x: Quantity::log("epsilon"),
        y: Quantity::log("d = E (xbar - x*)^2"),
        series: vec![
            Series::new("without a set, measured", Drawn::Markers, column("measured")),
            Series::new("without a set, exact law", Drawn::Dashed, column("exact law")),
            Series::new("in [-1, 1], measured", Drawn::Joined, column("measured in [-1, 1]")),
            Series::new("without noise", Drawn::Dotted, ends.map(|epsilon| (epsilon, bias())).to_vec()),
        ],
    }
}

fn decay_figure(decays: &[(f64, Vec<(f64, f64)>)]) -> Figure {
    let mut series = vec![];
    for (q, curve) in decays {
        let third = optimal_pure_decay(*q);
        let at = law(&Schedules { q: *q, p: third, ..SCHEDULES });
        series.push(Series::new(format!("q = {q}: p = q^(1/3)"), Drawn::Markers, vec![(third, at)]));
        series.push(Series::new(format!("q = {q}: exact law"), Drawn::Dashed, curve.clone()));
    }
    Figure {
        name: "decay",
        title: "Accuracy against the decay of the noise, at epsilon 1".to_owned(),
        note: "without a set, 50 rounds".to_owned(),
        x: Quantity::linear("p"),
        y: Quantity::log("d = E (xbar - x*)^2"),
        series,
    }
}

fn best_figure(best: &Table) -> Figure {
    let q = best.numbers("q");
    let column = |name: &str| q.iter().copied().zip(best.numbers(name)).collect::<Vec<_>>();
    Figure {
        name: "best-decay",
        title: "The best decay of the noise against that of the steps".to_owned(),
        note: String::new(),
        x: Quantity::log("q"),
        y: Quantity::log("p"),
        series: vec![
            Series::new("least noise", Drawn::Markers, column("least variance")),
            Series::new("q^(1/3)", Drawn::Dashed, column("q^(1/3)")),
            Series::new("best accuracy after 50 rounds", Drawn::Joined, column("best accuracy")),
        ],
    }
}

fn moves_figure(moves: &Table) -> Figure {
    let z = moves.numbers("z_1");
    let column = |name: &str| z.iter().copied().zip(moves.numbers(name)).collect::<Vec<_>>();
    Figure {
        name: "moves",
        title: "How far one replaced cost moves an update".to_owned(),
        note: "noise carries z out of the set".to_owned(),
        x: Quantity::log("z_1"),
        y: Quantity::log("||x - x'||_1"),
        series: vec![
            Series::new("gradient at z, as published", Drawn::Joined, column("published")),
            Series::new("gradient at the projected z", Drawn::Joined, column("at the projected z")),
            Series::new("allowed by Lemma 4", Drawn::Dotted, column("allowed")),
        ],
    }
}
