//! Paper A: how fast the error falls and epsilon grows, for noise that falls slower than the steps.

use dido_geometry::{L2Ball, Set};
use dido_mechanisms::Adjacency;
use dido_mechanisms::least_squares::{PublishedTheorem, published_epsilon, replaced};
use dido_optimizers::bounds::liu2020::rate;
use dido_optimizers::{Declaration, Noise, ProjectedDgd, Schedule, run};
use dido_problems::{RecordBounds, Shard, Weighting};
use dido_topology::{families, weights};
use ndarray::{Array1, Array2};

use super::fit::{Estimate, mean_curve, slope, slope_of_repeats};
use super::network::{Network, of_the_mean};
use super::wording::number;
use super::{Findings, Options, Study, Table};
use crate::error::ExperimentError;
use crate::report::plot::{Drawn, Figure, Quantity, Series};

pub(super) const STUDY: Study = Study {
    name: "liu2020-tradeoff",
    title: "Error against epsilon in decentralised private least squares (paper A)",
    question: "Steps fall as `alpha(t) = c/t^e_a`, Laplace noise as `v(t) = c'/t^e_v`. With `s = e_a - e_v`, theory says that epsilon \
               grows like `T^(1-s)` and the mean squared error falls like `T^-(e_a - 2s)`. Is that so, which `s` is the best, and how \
               far is the published epsilon from the true one?",
    set_up: "Twelve parties on an exponential graph with Metropolis weights, each with 300 records of three features, `||x|| <= 1` \
             and `|y| <= 1`; adjacency: one record of one party is replaced; the adversary sees all messages. Projected DGD on the ball \
             `||b|| <= 1`, `alpha(t) = (4/300)/(t+10)^0.7` for the sum over a party's records, `v(t) = 0.5/(t+9)^(0.7-s)`. The \
             error is the squared distance of the mean of all messages `f_i(t)` from `b*`. Errors are averaged over blocks of rounds that grow \
             geometrically; the slope over the last factor of 32 in `T` is fitted, and its standard error is that of eight groups of \
             lanes.",
    paper: "Liu, Zhang, Qin, Lei (arXiv 2004.07425) prove `epsilon = 4 dX (c/c') T sqrt(m n_M) (dX B sqrt(km) + dy)` and leave the \
            trade-off open; their Theorem 2 bounds the error by something that grows with `T`. The exponents are ours: see \
            [the corrected theory](../theory/liu2020.md). The published epsilon is an upper bound where `e_v <= e_a`, as here.",
    run: study,
};

/// `e_a`.
const STEP_DECAY: f64 = 0.7;
const DIM: usize = 3;
const NODES: usize = 12;
/// Records of a party.
const RECORDS: usize = 300;
/// `c`, for the sum over the records.
const STEP: f64 = 4.0 / RECORDS as f64;
/// `c'`.
const NOISE: f64 = 0.5;
/// A bound on the length of `x`, `y` and `b`.
const UNIT: f64 = 1.0;
/// The delta of the epsilon by zCDP.
const DELTA: f64 = 1e-5;
/// Blocks of rounds, each longer by this factor than the one before.
const GROWTH: f64 = 1.154_781_984_689_458_2;
/// Blocks in the fit: a factor of 32.
const FITTED: usize = 24;

/// What is known of one `s`.
struct Curve {
    s: f64,
    /// Rounds, and the mean squared error of each lane there.
    rounds: Vec<f64>,
    errors: Vec<Vec<f64>>,
    /// Epsilon after these rounds: pure, by zCDP at `DELTA`, and as published.
    pure: Vec<f64>,
    zcdp: Vec<f64>,
    published: Vec<f64>,
}

fn study(options: &Options, progress: &mut dyn FnMut(&str)) -> Result<Findings, ExperimentError> {
    let rounds = options.choose(100_000, 8_000);
    let lanes = options.choose(48, 16);
    let network = network()?;
    let optimum = network.optimum()?;
    let mut curves = vec![];
    for (k, s) in [(0, 0.0), (1, 0.1), (2, 0.2), (3, 0.3)] {
        progress(&format!("s = {s}: {rounds} rounds in {lanes} lanes"));
        // Fresh noise for each s.
        let seed = options.seed.wrapping_mul(1000).wrapping_add(k);
        curves.push(curve(&network, &optimum, s, (rounds, lanes), seed)?);
    }
    let slopes = slopes(&curves);
    let budgets = at_equal_epsilon(&curves);
    Ok(Findings {
        sentences: sentences(&curves, &slopes, &budgets),
        figures: vec![error_against_epsilon(&curves), error_against_rounds(&curves), published_against_tight(&curves)],
        tables: vec![slopes, budgets],
        ..Findings::default()
    })
}

/// Records in directions that go round, so that the mean of `x x'` is near a multiple of the identity, and targets of a model of
/// length 0.6 with a disturbance.
fn network() -> Result<Network, ExperimentError> {
    let graph = families::exponential(NODES, 2)?;
    let bounds = RecordBounds::new(UNIT, UNIT)?;
    let declaration = Declaration::least_squares(DIM, bounds, Weighting::Sum, vec![RECORDS; NODES])?;
    let model = [0.4, -0.4, 0.2];
    let record = |k: usize| {
        let angle = k as f64;
        // Heights and angles of a spiral on the sphere.
        let height = (2.0 * angle + 1.0) / (NODES * RECORDS) as f64 - 1.0;
        let across = (1.0 - height * height).sqrt();
        let x = [across * (2.4 * angle).cos(), across * (2.4 * angle).sin(), height];
        let y: f64 = x.iter().zip(model).map(|(x, b)| x * b).sum::<f64>() + 0.2 * (1.7 * angle).sin();
        (x, y)
    };
    let shard = |node: usize| {
        // Every twelfth record, so that the parties are alike.
        let records: Vec<([f64; DIM], f64)> = (0..RECORDS).map(|k| record(NODES * k + node)).collect();
        let x = Array2::from_shape_fn((RECORDS, DIM), |(k, column)| records[k].0[column]);
        Shard::clipped(x, records.iter().map(|record| record.1).collect::<Array1<f64>>(), bounds)
    };
    let shards = (0..NODES).map(shard).collect::<Result<_, _>>()?;
    Ok(Network { weights: weights::metropolis(&graph), declaration, shards })
}

fn curve(
    network: &Network,
    optimum: &[f64],
    s: f64,
    (rounds, lanes): (u32, u32),
    seed: u64,
) -> Result<Curve, ExperimentError> {
    let (step, scale) = (Schedule::power(STEP, 10.0, STEP_DECAY), Schedule::power(NOISE, 9.0, STEP_DECAY - s));
    let mut parties = network.parties(Adjacency::ReplaceRecord, lanes, seed)?;
    let start = parties.start(&[0.0; DIM]);
    let mut pdgd = ProjectedDgd::new(Set::from(L2Ball::new(UNIT)?), step.clone(), 0, start);
    let noise = Noise::Laplace(scale.clone());
    let mut in_process = network.in_process();
    // The blocks end at the last round; the first ones, of a few rounds, are left out.
    let ends: Vec<f64> = (0..1000).map(|k| f64::from(rounds) / GROWTH.powi(k)).take_while(|end| *end > 100.0).collect();
    let ends: Vec<f64> = ends.into_iter().rev().collect();
    let mut found = Curve {
        s,
        rounds: vec![],
        errors: vec![vec![]; lanes as usize],
        pure: vec![],
        zcdp: vec![],
        published: vec![],
    };
    let largest = replaced(UNIT * UNIT * UNIT, UNIT * UNIT, DIM)?;
    let (mut ratios, mut squares, mut t) = (0.0, 0.0, 0);
    for block in ends.windows(2) {
        let (mut sums, mut observed) = (vec![0.0; lanes as usize], 0.0);
        while f64::from(t) < block[1].round() {
            run(&mut pdgd, &mut parties, &mut in_process, &noise, t..t + 1, |_, _, _| true)?;
            // After t + 1 rounds the messages f(0) ... f(t + 1) are out; the last of them hides a step of round t.
            let ratio = step.at(t) / scale.at(t + 1);
            (ratios, squares, t) = (ratios + ratio, squares + ratio * ratio, t + 1);
            if f64::from(t) > block[0].round() && t.is_multiple_of(4) {
                observed += 1.0;
                let now = of_the_mean(pdgd.released().rows(), optimum);
                sums.iter_mut().zip(now).for_each(|(sum, error)| *sum += error);
            }
        }
        found.rounds.push((block[0] * block[1]).sqrt());
        found.errors.iter_mut().zip(sums).for_each(|(curve, sum)| curve.push(sum / observed));
        found.pure.push((DIM as f64).sqrt() * largest * ratios);
        let rho = largest * largest / 2.0 * squares;
        found.zcdp.push(rho + 2.0 * (rho * (1.0 / DELTA).ln()).sqrt());
        found.published.push(published_epsilon(&PublishedTheorem {
            x_bound: UNIT,
            y_bound: UNIT,
            radius: UNIT,
            dim: DIM,
            nodes: NODES,
            rows: 1,
            step_over_noise: STEP / NOISE,
            rounds: t as usize,
        }));
    }
    Ok(found)
}

impl Curve {
    fn error(&self) -> Vec<(f64, f64)> {
        mean_curve(&self.rounds, &self.errors)
    }

    fn error_slope(&self) -> Estimate {
        let repeats: Vec<Vec<f64>> = self.errors.iter().map(|lane| last(lane).to_vec()).collect();
        slope_of_repeats(last(&self.rounds), &repeats, 8)
    }

    fn epsilon_slope(&self, epsilon: &[f64]) -> Estimate {
        let points: Vec<(f64, f64)> = self.rounds.iter().copied().zip(epsilon.iter().copied()).collect();
        slope(last(&points))
    }

    /// Error and pure epsilon.
    fn against(&self, epsilon: &[f64]) -> Vec<(f64, f64)> {
        epsilon.iter().copied().zip(self.error().into_iter().map(|p| p.1)).collect()
    }
}

/// The blocks of the fit.
fn last<T>(values: &[T]) -> &[T] {
    &values[values.len().saturating_sub(FITTED)..]
}

fn slopes(curves: &[Curve]) -> Table {
    let columns = ["s", "error", "+-", "theory", "epsilon", "its theory", "epsilon by zCDP", "theory of zCDP"];
    let caption = "Exponents of `T`: fitted over the last factor of 32, and in theory. By zCDP `sqrt(rho)` dominates for small rho, \
                   so the exponent lies between that of `sqrt(rho)`, which is given, and twice that.";
    let mut table = Table::new("slopes", caption, columns);
    for curve in curves {
        let error = curve.error_slope();
        table.push([
            curve.s.into(),
            error.value.into(),
            error.error.into(),
            (-rate(STEP_DECAY, STEP_DECAY - curve.s)).into(),
            curve.epsilon_slope(&curve.pure).value.into(),
            (1.0 - curve.s).into(),
            curve.epsilon_slope(&curve.zcdp).value.into(),
            (0.5 - curve.s).max(0.0).into(),
        ]);
    }
    table
}

/// The error of each `s` at the same pure epsilon, between the points of its curve.
fn at_equal_epsilon(curves: &[Curve]) -> Table {
    let most = curves.iter().map(|curve| curve.pure[curve.pure.len() - 1]).fold(f64::INFINITY, f64::min);
    let least = curves.iter().map(|curve| curve.pure[0]).fold(0.0, f64::max);
    let caption = "Mean squared error at the same epsilon (pure), each `s` at the number of rounds that spends it.";
    let mut table = Table::new("equal epsilon", caption, ["epsilon", "s = 0", "s = 0.1", "s = 0.2", "s = 0.3"]);
    for epsilon in [least, (least * most).sqrt(), most] {
        let mut row = vec![epsilon.into()];
        row.extend(curves.iter().map(|curve| interpolated(&curve.against(&curve.pure), epsilon).into()));
        table.rows.push(row);
    }
    table
}

/// The value at `x` of a curve that is a power law between its points.
fn interpolated(points: &[(f64, f64)], x: f64) -> Option<f64> {
    points.windows(2).find(|w| w[0].0 <= x && x <= w[1].0).map(|w| {
        let share = (x / w[0].0).ln() / (w[1].0 / w[0].0).ln();
        w[0].1 * (w[1].1 / w[0].1).powf(share)
    })
}

fn sentences(curves: &[Curve], slopes: &Table, budgets: &Table) -> Vec<String> {
    let off = |found: &str, theory: &str| {
        let pairs = slopes.numbers(found).into_iter().zip(slopes.numbers(theory));
        pairs.map(|(found, theory)| (found - theory).abs()).fold(0.0, f64::max)
    };
    let ratios: Vec<f64> = curves
        .iter()
        .map(|curve| curve.published[curve.published.len() - 1] / curve.pure[curve.pure.len() - 1])
        .collect();
    let listed: Vec<String> =
        curves.iter().map(|curve| format!("{} for s = {}", curve.error_slope().text(), curve.s)).collect();
    let best: Vec<String> = budgets
        .rows
        .iter()
        .filter_map(|row| {
            let numbers: Vec<f64> =
                row.iter().filter_map(|cell| if let super::Cell::Number(x) = cell { Some(*x) } else { None }).collect();
            let (place, _) = numbers[1..].iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1))?;
            Some(format!("s = {} at epsilon {}", curves[place].s, number(numbers[0])))
        })
        .collect();
    vec![
        format!(
            "The error falls with the exponents {}; theory says -0.7, -0.5, -0.3 and -0.1. The largest difference is {:.3}.",
            listed.join(", "),
            off("error", "theory")
        ),
        format!("The exponents of epsilon differ from those of theory by at most {:.3}.", off("epsilon", "its theory")),
        format!(
            "At equal epsilon the least error has {}. In theory the error falls per factor of epsilon with the exponent `(e_a - 2s)/(1 - s)`, \
             0.7 at s = 0 and 0.143 at s = 0.3: noise that falls as fast as the steps wins in the end; where it loses, it is a \
             matter of constants.",
            best.join(", ")
        ),
        format!(
            "The published epsilon is {} to {} times the true one at the end{}, since it takes `alpha(t)/v(t+1)` for constant.",
            number(ratios.iter().copied().fold(f64::INFINITY, f64::min)),
            number(ratios.iter().copied().fold(0.0, f64::max)),
            if ratios.is_sorted() { ", more for larger `s`" } else { "" }
        ),
        format!(
            "Epsilon is large here, {} after the last round at s = 0: an error that falls over many rounds is paid for in every one of \
             them. By zCDP, at delta = {DELTA:e}, it is {}. The exponents do not depend on the constants.",
            number(curves[0].pure[curves[0].pure.len() - 1]),
            number(curves[0].zcdp[curves[0].zcdp.len() - 1])
        ),
    ]
}

fn error_against_epsilon(curves: &[Curve]) -> Figure {
    let series =
        curves.iter().map(|curve| Series::new(format!("s = {}", curve.s), Drawn::Joined, curve.against(&curve.pure)));
    Figure {
        name: "error-epsilon",
        title: "Error against epsilon".to_owned(),
        note: "along each line the number of rounds grows; lower and further left is better".to_owned(),
        x: Quantity::log("epsilon, pure, exact"),
        y: Quantity::log("mean squared error"),
        series: series.collect(),
    }
}

fn error_against_rounds(curves: &[Curve]) -> Figure {
    let mut series = vec![];
    for curve in curves {
        let points = curve.error();
        let exponent = -rate(STEP_DECAY, STEP_DECAY - curve.s);
        let (first, last) = (points[points.len().saturating_sub(FITTED)], points[points.len() - 1]);
        let label = format!("s = {}: slope {}", curve.s, curve.error_slope().text());
        series.push(Series::new(label, Drawn::Markers, points.clone()));
        let theory = vec![(first.0, last.1 * (first.0 / last.0).powf(exponent)), last];
        series.push(Series::new(format!("theory: {exponent:.1}"), Drawn::Dashed, theory));
    }
    Figure {
        name: "error-rounds",
        title: "Error against rounds".to_owned(),
        note: String::new(),
        x: Quantity::log("rounds T"),
        y: Quantity::log("mean squared error"),
        series,
    }
}

fn published_against_tight(curves: &[Curve]) -> Figure {
    let zip =
        |curve: &Curve, values: &[f64]| curve.rounds.iter().copied().zip(values.iter().copied()).collect::<Vec<_>>();
    let mut series = vec![Series::new("published, any s", Drawn::Dotted, zip(&curves[0], &curves[0].published))];
    series.extend(
        curves
            .iter()
            .map(|curve| Series::new(format!("s = {}: exact", curve.s), Drawn::Joined, zip(curve, &curve.pure))),
    );
    series.push(Series::new(format!("s = 0: zCDP, delta {DELTA:e}"), Drawn::Joined, zip(&curves[0], &curves[0].zcdp)));
    Figure {
        name: "epsilon-rounds",
        title: "Published and true epsilon against rounds".to_owned(),
        note: String::new(),
        x: Quantity::log("rounds T"),
        y: Quantity::log("epsilon"),
        series,
    }
}
