//! From ten parties to a hundred thousand, with the same records.

use std::time::Instant;

use dido_geometry::{L2Ball, Set};
use dido_linalg::symmetric_eigenvalues;
use dido_mechanisms::Adjacency;
use dido_optimizers::{Declaration, Noise, ProjectedDgd, Schedule, run};
use dido_problems::{RecordBounds, Shard, Weighting};
use dido_topology::{families, weights};
use ndarray::{Array1, Array2};

use super::fit::{Estimate, slope_of_estimates};
use super::network::{Network, of_the_mean};
use super::wording::number;
use super::{Cell, Findings, Options, Study, Table};
use crate::error::ExperimentError;
use crate::report::plot::{Drawn, Figure, Quantity, Series};

pub(super) const STUDY: Study = Study {
    name: "scaling",
    title: "Scaling: ten to a hundred thousand parties with the same records",
    question: "The same million records belong to ten parties or to a hundred thousand. What does that cost in error at the same epsilon, in \
               messages, in memory and in time?",
    set_up: "Least squares with five features, made up, `||x|| <= 1`, `|y| <= 1`, weighted as if pooled; random 4-regular graphs (an exponential \
             graph for ten parties), Metropolis weights; 150 rounds of projected DGD with step 1 on the unit ball, Gaussian noise of one scale, epsilon = 1 at delta = 1e-5 by \
             zCDP for the replacement of a record; the adversary sees all messages. The error is the squared distance of the mean over parties \
             from the optimum.",
    paper: "Without a server every party hides its own records: the noise of a party is `n` times that of a server, and the variance of \
            the mean `n` times as large. Paper B states an error that falls with `n` at fixed records per party; at a fixed total \
            it is the same statement, and grows like `n`.",
    run: study,
};

const DIM: usize = 5;
/// The model behind the data; the optimum is close to it.
const MODEL: [f64; DIM] = [0.25, -0.15, 0.2, 0.1, -0.1];
const ROUNDS: u32 = 150;
const EPSILON: f64 = 1.0;
const DELTA: f64 = 1e-5;

/// What one number of parties costs.
struct Cost {
    parties: usize,
    error: Estimate,
    predicted: f64,
    /// Standard deviation of a party's noise in a coordinate.
    sigma: f64,
    /// Bytes that all parties send in a round.
    bytes: f64,
    /// Seconds of a round in one lane, and of the set-up; resident memory afterwards, in bytes, where the system tells it.
    clock: (f64, f64, Option<f64>),
}

fn study(options: &Options, progress: &mut dyn FnMut(&str)) -> Result<Findings, ExperimentError> {
    let sizes = options.choose([10, 30, 100, 300, 1000, 10_000, 100_000].as_slice(), &[10, 20, 40, 1000]);
    let records = options.choose(1_000_000, 100_000);
    let mut costs = vec![];
    for &parties in sizes {
        progress(&format!("{parties} parties"));
        costs.push(cost(options, parties, records)?);
    }
    let columns = [
        "parties",
        "records of each",
        "noise",
        "error",
        "+-",
        "predicted",
        "lanes",
        "bytes sent in a round",
        "bytes of state",
    ];
    let caption = format!(
        "{} records in all. `noise`: the standard deviation of a party's noise in a coordinate. `predicted`: the variance of the \
         mean if no projection cuts it off. Bytes: eight for a number, one lane; the state is one point for each party.",
        number(records as f64)
    );
    let mut table = Table::new("sizes", caption, columns);
    let mut clock = Table::new(
        "clock",
        "The time of a round is divided by the lanes.",
        ["parties", "seconds of a round and lane", "seconds of the set-up", "resident memory, MB"],
    );
    for cost in &costs {
        let cells: [Cell; 9] = [
            cost.parties.into(),
            (records / cost.parties).into(),
            cost.sigma.into(),
            cost.error.value.into(),
            cost.error.error.into(),
            cost.predicted.into(),
            lanes(options, cost.parties).into(),
            cost.bytes.into(),
            (cost.parties * DIM * 8).into(),
        ];
        table.push(cells);
        let (round, start, memory) = cost.clock;
        clock.push([cost.parties.into(), round.into(), start.into(), memory.map(|bytes| (bytes / 1e6).round()).into()]);
    }
    Ok(Findings {
        sentences: sentences(&costs),
        figures: vec![error_figure(&costs), bytes_figure(&costs)],
        tables: vec![table],
        timing: vec![clock],
        ..Findings::default()
    })
}

/// Few parties need many repeats.
fn lanes(options: &Options, parties: usize) -> u32 {
    match parties {
        0..=1000 => options.choose(256, 64),
        1001..=10_000 => 16,
        _ => 4,
    }
}

/// Records of a sequence that fills the cube evenly, the same for any number of parties.
fn network(parties: usize, records: usize, seed: u64) -> Result<Network, ExperimentError> {
    let each = records / parties;
    let bounds = RecordBounds::new(1.0, 1.0)?;
    let declaration = Declaration::least_squares(DIM, bounds, Weighting::Pooled, vec![each; parties])?;
    let roots = [2.0_f64, 3.0, 5.0, 7.0, 11.0].map(f64::sqrt);
    let model = MODEL;
    let scale = 2.0 / (DIM as f64).sqrt();
    let shard = |party: usize| {
        let value = |k: usize, root: f64| (((party + parties * k + 1) as f64 * root).fract() - 0.5) * scale;
        let x = Array2::from_shape_fn((each, DIM), |(k, column)| value(k, roots[column]));
        let y = x.dot(&Array1::from(model.to_vec())) + Array1::from_shape_fn(each, |k| 0.3 * value(k, 13.0_f64.sqrt()));
        Shard::clipped(x, y, bounds)
    };
    let graph = if parties > 10 {
        families::random_regular(parties, 4, seed)?.graph
    } else {
        families::exponential(parties, 2)?
    };
    Ok(Network {
        weights: weights::metropolis(&graph),
        declaration,
        shards: (0..parties).map(shard).collect::<Result<_, _>>()?,
    })
}

fn cost(options: &Options, parties: usize, records: usize) -> Result<Cost, ExperimentError> {
    let start = Instant::now();
    let network = network(parties, records, options.seed)?;
    let lanes = lanes(options, parties);
    let optimum = network.optimum()?;
    let adjacency = Adjacency::ReplaceRecord;
    let sensitivity = network.declaration.l2_by_class(adjacency, 1.0)[0];
    // rho + 2 sqrt(rho ln(1/delta)) = epsilon.
    let log = (1.0 / DELTA).ln();
    let rho = ((log + EPSILON).sqrt() - log.sqrt()).powi(2);
    let sigma = sensitivity * (f64::from(ROUNDS) / (2.0 * rho)).sqrt();
    // Fresh noise for each size.
    let mut all = network.parties(adjacency, lanes, options.seed.wrapping_mul(1000).wrapping_add(parties as u64))?;
    let first = all.start(&[0.0; DIM]);
    let mut pdgd = ProjectedDgd::new(Set::from(L2Ball::new(1.0)?), Schedule::constant(1.0), 0, first);
    let mut in_process = network.in_process();
    let (set_up, begun) = (start.elapsed().as_secs_f64(), Instant::now());
    let noise = Noise::Gaussian(Schedule::constant(sigma));
    run(&mut pdgd, &mut all, &mut in_process, &noise, 0..ROUNDS, |_, _, _| true)?;
    let round = begun.elapsed().as_secs_f64() / f64::from(ROUNDS) / f64::from(lanes);
    let degrees: usize = (0..parties).map(|node| network.weights.row(node).0.len() - 1).sum();
    Ok(Cost {
        parties,
        error: Estimate::mean(&of_the_mean(pdgd.released().rows(), &optimum)),
        predicted: variance(&network, sigma)?,
        sigma,
        bytes: (degrees * DIM * 8) as f64,
        clock: (round, set_up, resident()),
    })
}

/// The variance of the mean over parties after all rounds: in the direction of curvature `h` the noise of `t` rounds ago is left
/// to the share `(1 - h)^t`.
fn variance(network: &Network, sigma: f64) -> Result<f64, ExperimentError> {
    let records: usize = network.declaration.records().iter().sum();
    let mut gram = Array2::zeros((DIM, DIM));
    for shard in &network.shards {
        gram += &shard.x().t().dot(&shard.x());
    }
    let curvatures = symmetric_eigenvalues((gram / records as f64).view())?;
    let left = |h: &f64| (0..ROUNDS).map(|t| (1.0 - h).powf(2.0 * f64::from(t))).sum::<f64>();
    Ok(sigma * sigma / network.declaration.nodes() as f64 * curvatures.iter().map(left).sum::<f64>())
}

/// Resident memory of this process, in bytes, where the system tells it.
fn resident() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<f64>().ok()? * 1024.0)
}

/// Whether the noise of a point, and so the point, is far inside the ball.
fn is_free(cost: &Cost) -> bool {
    cost.sigma * (DIM as f64).sqrt() < 0.4
}

fn free(costs: &[Cost]) -> Vec<&Cost> {
    costs.iter().filter(|cost| is_free(cost)).collect()
}

fn sentences(costs: &[Cost]) -> Vec<String> {
    let inside = free(costs);
    let fit = slope_of_estimates(&inside.iter().map(|cost| (cost.parties as f64, cost.error)).collect::<Vec<_>>());
    let cut: Vec<String> = costs
        .iter()
        .filter(|cost| !is_free(cost))
        .map(|cost| format!("at {} parties the noise of a party has {} times the radius of the ball, and the error is {} where {} was predicted", number(cost.parties as f64), number(cost.sigma), number(cost.error.value), number(cost.predicted)))
        .collect();
    let off =
        inside.iter().map(|cost| (cost.error.value - cost.predicted).abs() / cost.error.error).fold(0.0, f64::max);
    let mut found = vec![format!(
        "The error grows as n^({}) while the noise stays inside the ball, and is at most {:.1} standard errors from the predicted variance, \
         by which ten times the parties with the same records have ten times the error.",
        fit.text(),
        off
    )];
    if !cut.is_empty() {
        found.push(format!(
            "Beyond, projections cut the noise off and bias the mean: {}. The answer 0, which looks at nothing, has the error {}.",
            cut.join("; "),
            number(MODEL.iter().map(|b| b * b).sum())
        ));
    }
    found.push(format!(
        "A round sends {} bytes for {} parties and {} for {}: what a party sends depends on its neighbours alone.",
        number(costs[0].bytes),
        number(costs[0].parties as f64),
        number(costs[costs.len() - 1].bytes),
        number(costs[costs.len() - 1].parties as f64)
    ));
    found
}

fn error_figure(costs: &[Cost]) -> Figure {
    let points = |of: fn(&Cost) -> f64| costs.iter().map(|cost| (cost.parties as f64, of(cost))).collect::<Vec<_>>();
    Figure {
        name: "error",
        title: "Error against the number of parties, the same records and epsilon".to_owned(),
        note: String::new(),
        x: Quantity::log("parties"),
        y: Quantity::log("E ||mean - optimum||\u{b2}"),
        series: vec![
            Series::new("measured", Drawn::Markers, points(|cost| cost.error.value)),
            Series::new("predicted, if nothing is cut off", Drawn::Dashed, points(|cost| cost.predicted)),
        ],
    }
}

fn bytes_figure(costs: &[Cost]) -> Figure {
    let points = |of: fn(&Cost) -> f64| costs.iter().map(|cost| (cost.parties as f64, of(cost))).collect::<Vec<_>>();
    Figure {
        name: "bytes",
        title: "Bytes sent in a round, and state of all parties".to_owned(),
        note: "one lane, five coordinates, eight bytes each".to_owned(),
        x: Quantity::log("parties"),
        y: Quantity::log("bytes"),
        series: vec![
            Series::new("sent in a round", Drawn::Joined, points(|cost| cost.bytes)),
            Series::new("state", Drawn::Joined, points(|cost| (cost.parties * DIM * 8) as f64)),
        ],
    }
}
