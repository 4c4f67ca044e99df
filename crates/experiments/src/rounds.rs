//! The rounds of a run, observed and stored from time to time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dido_geometry::Rows;
use dido_mechanisms::{Gate, Key, Ledger};
use dido_optimizers::{Algorithm, Parties, agree, run as drive};

use crate::algorithms;
use crate::checkpoint::Checkpoint;
use crate::clock::Clock;
use crate::config::{Config, Seed};
use crate::data::Prepared;
use crate::error::ExperimentError;
use crate::metrics::References;
use crate::metrics::observer::Observer;
use crate::planning::Planned;
use crate::records::{Timing, Trace};
use crate::results::Unfinished;
use crate::run::Progress;
use crate::shared_noise::shared;
use crate::spec::Spec;
use crate::stopping::StopRule;
use crate::trace;
use crate::traffic::{Counted, Traffic};

/// Points of the trace when nothing is said.
const TRACE_POINTS: u32 = 200;

/// Completed rounds between two points of the trace.
pub fn observed_every(config: &Config) -> u32 {
    config.observe_every.unwrap_or(config.rounds.div_ceil(TRACE_POINTS))
}

/// What the rounds leave behind.
pub struct Outcome {
    /// The models of the parties, after they agreed: `nodes x lanes x dim`.
    pub models: Rows,
    /// What was released.
    pub ledger: Ledger,
    /// The observed rounds.
    pub trace: Trace,
    /// Completed rounds.
    pub rounds: u32,
    /// What was sent, in them and to agree.
    pub traffic: Traffic,
    /// How long it takes, from the first round on.
    pub clock: Clock,
}

/// All that the rounds of a run need.
pub struct Rounds<'a> {
    /// The experiment.
    pub spec: &'a Spec,
    /// Its plan.
    pub planned: &'a Planned,
    /// Its data.
    pub data: &'a Prepared,
    /// What the trace compares with.
    pub references: &'a References,
    /// Where checkpoints are stored.
    pub unfinished: &'a Unfinished,
    /// Time between two checkpoints.
    pub checkpoint_every: Duration,
    /// Whether to stop after this round.
    pub stop: &'a AtomicBool,
}

impl Rounds<'_> {
    /// Runs all rounds that no checkpoint holds.
    ///
    /// # Errors
    /// If a round is refused, or a checkpoint is damaged or cannot be written.
    pub fn run(&self, mut progress: impl FnMut(Progress)) -> Result<Outcome, ExperimentError> {
        let spec = self.spec;
        let mut parties = Parties::new(spec.declaration.clone(), &self.data.shards, spec.config.lanes, self.gate()?)?;
        let mut algorithm = algorithms::build(spec, &parties);
        let observer = Observer::new(spec, self.data, self.references);
        let Resumed { first, mut trace, calm, traffic, timing } =
            self.resume(&observer, &mut parties, algorithm.as_mut())?;
        let (mut network, traffic) = Counted::new(spec.network(), traffic);
        let clock = Clock::starting_at(timing);
        let mut rule = spec.config.stop.map(|config| StopRule::new(config, algorithm.estimate().rows(), calm));
        progress(Progress::Started);
        if first > 0 {
            progress(Progress::Resumed(first));
        }
        let rounds = spec.config.rounds;
        let every = observed_every(&spec.config);
        let (mut failure, mut done) = (Ok(()), first);
        // A run that was interrupted when its rule held has come to its end.
        let settled = |rule: &Option<StopRule>| rule.as_ref().is_some_and(StopRule::holds);
        let last = if settled(&rule) { first } else { rounds };
        let mut stored = Instant::now();
        drive(
            algorithm.as_mut(),
            &mut parties,
            &mut network,
            &self.planned.noise,
            first..last,
            |t, algorithm, parties| {
                let completed = t + 1;
                done = completed;
                if let Some(rule) = &mut rule {
                    rule.see(algorithm.estimate().rows());
                }
                let observe = completed.is_multiple_of(every) || completed == rounds || settled(&rule);
                // A key of the operating system is not stored, so such a run cannot be resumed.
                let stop = completed < rounds && self.stop.load(Ordering::Relaxed);
                let store = spec.config.seed != Seed::Os && (stop || stored.elapsed() >= self.checkpoint_every);
                if observe {
                    let (estimate, ledger) = (algorithm.estimate().rows(), parties.gate().ledger());
                    failure = trace::observe(spec, &observer, &trace, completed, estimate, ledger, traffic.get())
                        .map(|seen| trace.observed.push(seen));
                    progress(Progress::Completed(completed));
                }
                if store && failure.is_ok() {
                    let progress = Resumed {
                        first: completed,
                        trace: trace.clone(),
                        calm: rule.as_ref().map_or(0, StopRule::calm),
                        traffic: traffic.get(),
                        timing: clock.read(),
                    };
                    failure = self.store(algorithm, parties, progress);
                    stored = Instant::now();
                }
                if stop && failure.is_ok() {
                    failure = Err(self.interrupted(completed));
                }
                failure.is_ok() && !settled(&rule)
            },
        )?;
        failure?;
        let models = agree(algorithm.estimate().clone(), &mut network, done, spec.config.averaging_rounds)?;
        let ledger = parties.gate().ledger().clone();
        Ok(Outcome { models: models.rows().clone(), ledger, trace, rounds: done, traffic: traffic.get(), clock })
    }

    fn interrupted(&self, completed: u32) -> ExperimentError {
        let done = format!("round {completed} of {}", self.spec.config.rounds);
        let next = match self.spec.config.seed {
            Seed::Number(_) => "the same command goes on from there",
            Seed::Os => "a key of the operating system is not stored, so the same command starts afresh",
        };
        ExperimentError::Interrupted { done, next }
    }

    fn gate(&self) -> Result<Gate, ExperimentError> {
        let Spec { declaration, config, .. } = self.spec;
        let keys = (0..declaration.nodes())
            .flat_map(|node| (0..config.lanes).map(move |lane| (node, lane)))
            .map(|(node, lane)| match config.seed {
                Seed::Number(seed) => Ok(Key::derive(seed, index(node), index(lane))),
                Seed::Os => Key::from_os(),
            })
            .collect::<Result<Vec<_>, _>>()?;
        let privacy = &config.privacy;
        let budget = self.spec.charged_budget();
        // With noise on a grid it is the gate that a deployed party has, which lets out nothing else.
        let exact = self.planned.noise.grid().is_some() && config.lanes == 1;
        let make = if exact { Gate::exact } else { Gate::simulated };
        let gate = make(privacy.adjacency, privacy.adversary, declaration.class_of(), budget, keys);
        Ok(shared(self.spec, gate)?.with_plan(self.planned.ledger.clone())?)
    }

    /// Where the run begins, or goes on.
    fn resume(
        &self,
        observer: &Observer<'_>,
        parties: &mut Parties,
        algorithm: &mut dyn Algorithm,
    ) -> Result<Resumed, ExperimentError> {
        let begun = trace::begin(self.spec, &self.planned.ledger, observer)?;
        let Some(checkpoint) = self.unfinished.checkpoint()?.filter(|_| self.spec.config.seed != Seed::Os) else {
            return Ok(Resumed {
                first: 0,
                trace: begun,
                calm: 0,
                traffic: Traffic::default(),
                timing: Timing::default(),
            });
        };
        let damaged = |reason: String| self.unfinished.damaged_checkpoint(reason);
        let mut state = algorithm.state();
        let lengths: Vec<usize> = state.iter().map(|value| value.rows().as_slice().len()).collect();
        checkpoint.check(self.spec.config.rounds, &lengths).map_err(damaged)?;
        checkpoint.check_trace(&begun, self.spec.config.lanes).map_err(damaged)?;
        // What was released cannot be talked out of the ledger.
        if checkpoint.ledger != self.planned.ledger_after(self.spec, checkpoint.round)? {
            return Err(damaged(format!("its ledger is not the planned one of round {}", checkpoint.round)));
        }
        for (value, stored) in state.iter_mut().zip(&checkpoint.state) {
            value.rows_mut().as_mut_slice().copy_from_slice(stored);
        }
        parties.resume(checkpoint.ledger, checkpoint.round).map_err(|e| damaged(e.to_string()))?;
        let Checkpoint { round, trace, calm, traffic, timing, .. } = checkpoint;
        Ok(Resumed { first: round, trace, calm, traffic, timing })
    }

    fn store(&self, algorithm: &mut dyn Algorithm, parties: &Parties, so_far: Resumed) -> Result<(), ExperimentError> {
        let state = algorithm.state().into_iter().map(|value| value.rows().as_slice().to_vec()).collect();
        let ledger = parties.gate().ledger().clone();
        let Resumed { first: round, trace, calm, traffic, timing } = so_far;
        self.unfinished.store(&Checkpoint { round, state, ledger, trace, calm, traffic, timing })
    }
}

/// What is known of a run between two rounds, beside the state of its algorithm and its ledger.
struct Resumed {
    /// The next round.
    first: u32,
    trace: Trace,
    /// Rounds in a row, up to now, in which the stopping rule was content.
    calm: u32,
    traffic: Traffic,
    timing: Timing,
}

fn index(k: usize) -> u32 {
    u32::try_from(k).expect("fewer than 2^32 nodes and lanes")
}
