//! One experiment from its data to its result folder.

use std::fmt::Write;
use std::time::{Duration, Instant};

use dido_mechanisms::{Entry, Event, Gate, Key, Ledger};
use dido_optimizers::{Algorithm, InProcess, Parties, agree, run as drive};
use ndarray::{Array1, ArrayView1};
use serde::Serialize;

use crate::data::{self, Prepared};
use crate::error::ExperimentError;
use crate::metrics::{self, References};
use crate::planning::{self, Planned};
use crate::records::{Coefficient, Summary, TracePoint};
use crate::report::{self, html::LedgerRow};
use crate::results::{Checkpoint, Local, ResultFolder, json};
use crate::spec::Spec;

/// How to run, as far as it does not change the result.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Run again where a complete result lies.
    pub force: bool,
    /// Time between two checkpoints.
    pub checkpoint_every: Duration,
}

/// Points of the trace when nothing is said.
const TRACE_POINTS: u32 = 200;

/// Runs `spec` as planned, or finds the result of an earlier run. `progress` hears the number of completed rounds.
///
/// # Errors
/// If the data cannot be used, a round is refused, or a file cannot be written. There is no result folder then.
pub fn run(
    spec: &Spec,
    planned: &Planned,
    folder: &ResultFolder,
    options: Options,
    progress: impl FnMut(u32),
) -> Result<Summary, ExperimentError> {
    let data = data::prepare(spec)?;
    let local = Local::new(&data.sha256);
    let same_data = folder.local()?.is_none_or(|known| known.data_sha256 == data.sha256);
    if options.force {
        folder.discard_partial()?;
    } else if !same_data {
        return Err(ExperimentError::OtherData {
            path: folder.path().to_owned(),
            source_name: spec.config.data.source.clone(),
        });
    } else if let Some(summary) = folder.summary()? {
        return Ok(summary);
    }
    let references = metrics::references(&data, unit(spec))?;
    let outcome =
        Rounds { spec, planned, data: &data, references: &references, folder, local: &local, options }.run(progress)?;
    let summary = summarise(spec, planned, &data, &references, folder, &outcome)?;
    write(spec, planned, folder, &local, &outcome, &summary)?;
    Ok(summary)
}

/// One unit of the encoded target in units of the original one.
fn unit(spec: &Spec) -> f64 {
    spec.config.data.target.scale
}

/// What the rounds leave behind.
struct Outcome {
    /// The models of the parties, after they agreed: `nodes x lanes x dim`.
    models: dido_geometry::Rows,
    ledger: Ledger,
    trace: Vec<TracePoint>,
    seconds: f64,
}

struct Rounds<'a> {
    spec: &'a Spec,
    planned: &'a Planned,
    data: &'a Prepared,
    references: &'a References,
    folder: &'a ResultFolder,
    local: &'a Local,
    options: Options,
}

impl Rounds<'_> {
    fn run(&self, mut progress: impl FnMut(u32)) -> Result<Outcome, ExperimentError> {
        let spec = self.spec;
        let mut parties = Parties::new(spec.declaration.clone(), &self.data.shards, spec.config.lanes, self.gate()?)?;
        let mut algorithm = planning::algorithm(spec, &parties);
        let mut network = InProcess::new(spec.weights.clone());
        let (first, mut trace, mut seconds) = self.resume(&mut parties, algorithm.as_mut())?;
        progress(first);
        let rounds = spec.config.rounds;
        let every = spec.config.observe_every.unwrap_or(rounds.div_ceil(TRACE_POINTS));
        let mut failure = Ok(());
        let mut stored = Instant::now();
        let mut started = Instant::now();
        drive(
            algorithm.as_mut(),
            &mut parties,
            &mut network,
            &self.planned.noise,
            first..rounds,
            |t, algorithm, parties| {
                let completed = t + 1;
                if completed.is_multiple_of(every) || completed == rounds {
                    seconds += started.elapsed().as_secs_f64();
                    failure = self.observe(completed, algorithm, parties, &mut trace);
                    progress(completed);
                    if failure.is_ok() && spec.seed.is_some() && stored.elapsed() >= self.options.checkpoint_every {
                        failure = self.store(completed, algorithm, parties, &trace, seconds);
                        stored = Instant::now();
                    }
                    started = Instant::now();
                }
                failure.is_ok()
            },
        )?;
        failure?;
        let models = agree(algorithm.estimate().clone(), &mut network, rounds, spec.config.averaging_rounds)?;
        Ok(Outcome { models: models.rows().clone(), ledger: parties.gate().ledger().clone(), trace, seconds })
    }

    fn gate(&self) -> Result<Gate, ExperimentError> {
        let Spec { declaration, config, budget, seed, .. } = self.spec;
        let keys = (0..declaration.nodes())
            .flat_map(|node| (0..config.lanes).map(move |lane| (node, lane)))
            .map(|(node, lane)| match seed {
                Some(seed) => Ok(Key::derive(*seed, index(node), index(lane))),
                None => Key::from_os(),
            })
            .collect::<Result<Vec<_>, _>>()?;
        let privacy = &config.privacy;
        Ok(Gate::simulated(privacy.adjacency, privacy.adversary, declaration.class_of(), *budget, keys))
    }

    /// The first round to run, the trace up to it and the seconds it took.
    fn resume(
        &self,
        parties: &mut Parties,
        algorithm: &mut dyn Algorithm,
    ) -> Result<(u32, Vec<TracePoint>, f64), ExperimentError> {
        // Without a stored key an interrupted run cannot go on: it starts afresh with another key.
        let Some(checkpoint) = self.folder.checkpoint()?.filter(|_| self.spec.seed.is_some()) else {
            return Ok((0, vec![], 0.0));
        };
        parties.gate_mut().resume(checkpoint.ledger, checkpoint.round)?;
        for (value, stored) in algorithm.state().into_iter().zip(&checkpoint.state) {
            value.rows_mut().as_mut_slice().copy_from_slice(stored);
        }
        Ok((checkpoint.round, checkpoint.trace, checkpoint.seconds))
    }

    fn observe(
        &self,
        round: u32,
        algorithm: &mut dyn Algorithm,
        parties: &Parties,
        trace: &mut Vec<TracePoint>,
    ) -> Result<(), ExperimentError> {
        let estimate = algorithm.estimate().rows();
        let means = metrics::mean_over_nodes(estimate);
        let lanes = means.nrows() as f64;
        let optimum = &self.references.optimum;
        let length = norm(optimum);
        let scores =
            means.outer_iter().map(|m| metrics::score(&m, &self.data.held_out, 1.0)).collect::<Result<Vec<_>, _>>()?;
        let distance = means.outer_iter().map(|m| norm(&(&m - optimum))).sum::<f64>() / (lanes * length);
        let spent = planning::epsilons(self.spec, parties.gate().ledger(), &self.planned.noise, 1)?;
        let consensus_error = metrics::consensus_error(estimate);
        let r2 = metrics::mean_score(&scores).r2;
        trace.push(TracePoint { round, epsilon: spent.zcdp, r2, distance, consensus_error });
        Ok(())
    }

    fn store(
        &self,
        round: u32,
        algorithm: &mut dyn Algorithm,
        parties: &Parties,
        trace: &[TracePoint],
        seconds: f64,
    ) -> Result<(), ExperimentError> {
        let state = algorithm.state().into_iter().map(|value| value.rows().as_slice().to_vec()).collect();
        let ledger = parties.gate().ledger().clone();
        self.folder.store(&Checkpoint { round, state, ledger, trace: trace.to_vec(), seconds }, self.local)
    }
}

fn norm(x: &Array1<f64>) -> f64 {
    x.dot(x).sqrt()
}

fn index(k: usize) -> u32 {
    u32::try_from(k).expect("fewer than 2^32 nodes and lanes")
}

fn summarise(
    spec: &Spec,
    planned: &Planned,
    data: &Prepared,
    references: &References,
    folder: &ResultFolder,
    outcome: &Outcome,
) -> Result<Summary, ExperimentError> {
    let models = &outcome.models;
    let shape = models.shape();
    // Each lane is scored by the party that fares worst with it.
    let lane_scores = (0..shape.lanes)
        .map(|lane| {
            let scores = (0..shape.nodes)
                .map(|node| metrics::score(&ArrayView1::from(models.row(node, lane)), &data.held_out, unit(spec)))
                .collect::<Result<Vec<_>, _>>()?;
            Ok(scores.into_iter().min_by(|a, b| a.r2.total_cmp(&b.r2)).expect("a run has nodes"))
        })
        .collect::<Result<Vec<_>, ExperimentError>>()?;
    let private = spec.schema.original_units(models.row(0, 0))?;
    let optimum = spec.schema.original_units(&references.optimum.to_vec())?;
    let plan = &planned.plan;
    Ok(Summary {
        name: plan.name.clone(),
        digest: plan.digest.clone(),
        results: folder.path().display().to_string(),
        nodes: plan.nodes,
        rounds: plan.rounds,
        lanes: plan.lanes,
        seed: spec.seed_name(),
        adjacency: plan.adjacency.clone(),
        adversary: plan.adversary.clone(),
        delta: plan.delta,
        epsilon: planning::epsilons(spec, &outcome.ledger, &planned.noise, 1)?,
        epsilon_all_lanes: planning::epsilons(spec, &outcome.ledger, &planned.noise, plan.lanes)?,
        metrics: references.beside(metrics::mean_score(&lane_scores)),
        lane_scores,
        consensus_error: metrics::consensus_error(models),
        coefficients: private
            .into_iter()
            .zip(optimum)
            .map(|((name, private), (_, optimum))| Coefficient { name, private, optimum })
            .collect(),
        records: spec.declaration.records().to_vec(),
        held_out: data.held_out.y.len(),
        clipped: data.clipped.clone(),
        seconds: outcome.seconds,
    })
}

/// The released model: nothing in it but what the guarantee covers.
#[derive(Serialize)]
struct Model {
    name: String,
    digest: String,
    /// What each encoded coefficient multiplies.
    columns: Vec<String>,
    /// Encoded coefficients of party 0, one list per lane.
    encoded: Vec<Vec<f64>>,
    /// Coefficients in original units (lane 0): predicted target = intercept + sum of coefficient times value.
    original_units: Vec<(String, f64)>,
}

fn write(
    spec: &Spec,
    planned: &Planned,
    folder: &ResultFolder,
    local: &Local,
    outcome: &Outcome,
    summary: &Summary,
) -> Result<(), ExperimentError> {
    let models = &outcome.models;
    let encoded: Vec<Vec<f64>> = (0..models.shape().lanes).map(|lane| models.row(0, lane).to_vec()).collect();
    let model = Model {
        name: summary.name.clone(),
        digest: summary.digest.clone(),
        columns: spec.schema.names(),
        original_units: spec.schema.original_units(&encoded[0])?,
        encoded,
    };
    let picture = report::plot::error(&outcome.trace, summary)?;
    let plots = [
        ("R² on held-out people, round by round", picture.clone()),
        ("Distance to the optimum and between the parties", report::plot::distance(&outcome.trace)?),
        ("Epsilon spent", report::plot::spending(&outcome.trace, &planned.plan)?),
    ];
    let page = report::html::page(&planned.plan, summary, &ledger_rows(&outcome.ledger), &plots);
    folder.write("spec.toml", &spec.toml())?;
    folder.write("summary.json", &json(summary))?;
    folder.write("trace.csv", &trace_csv(&outcome.trace))?;
    folder.write("ledger.json", &json(&outcome.ledger))?;
    folder.write("model.json", &json(&model))?;
    folder.write("local.json", &json(local))?;
    folder.write("error.svg", &picture)?;
    folder.write("report.html", &page)?;
    folder.complete()
}

/// The ledger as the report shows it.
fn ledger_rows(ledger: &Ledger) -> Vec<LedgerRow> {
    let row = |nodes: &[usize], entry: &Entry| {
        let (mechanism, scale, sensitivity) = match entry.event {
            Event::Laplace { sensitivity, scale, .. } => ("laplace", Some(scale), Some(sensitivity)),
            Event::NonPrivate => ("none", None, None),
        };
        LedgerRow {
            nodes: nodes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
            rounds: (entry.first, entry.last),
            releases: entry.releases,
            mechanism: mechanism.to_owned(),
            scale,
            sensitivity: sensitivity.map(|s| s.value),
            norm: sensitivity.map_or(String::new(), |s| format!("{:?}", s.norm)),
        }
    };
    ledger.classes.iter().flat_map(|class| class.entries.iter().map(move |entry| row(&class.nodes, entry))).collect()
}

fn trace_csv(trace: &[TracePoint]) -> String {
    let mut text = "round,epsilon,held_out_r2,distance_to_optimum,consensus_error\n".to_owned();
    for point in trace {
        let epsilon = point.epsilon.map_or("inf".to_owned(), |e| e.to_string());
        let TracePoint { round, r2, distance, consensus_error, .. } = point;
        writeln!(text, "{round},{epsilon},{r2},{distance},{consensus_error}")
            .expect("a string takes all that is written");
    }
    text
}
