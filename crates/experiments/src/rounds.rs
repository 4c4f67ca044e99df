//! The rounds of a run, observed and stored from time to time.

use std::time::{Duration, Instant};

use dido_geometry::Rows;
use dido_mechanisms::{Gate, Key, Ledger};
use dido_optimizers::{Algorithm, Parties, agree, run as drive};

use crate::algorithms;
use crate::checkpoint::Checkpoint;
use crate::config::Seed;
use crate::data::Prepared;
use crate::error::ExperimentError;
use crate::metrics::References;
use crate::planning::Planned;
use crate::records::TracePoint;
use crate::results::Unfinished;
use crate::run::Progress;
use crate::shared_noise::shared;
use crate::spec::Spec;
use crate::stopping::StopRule;
use crate::trace;

/// Points of the trace when nothing is said.
const TRACE_POINTS: u32 = 200;

/// What the rounds leave behind.
pub struct Outcome {
    /// The models of the parties, after they agreed: `nodes x lanes x dim`.
    pub models: Rows,
    /// What was released.
    pub ledger: Ledger,
    /// Rounds that were run.
    pub rounds: u32,
    /// The observed rounds.
    pub trace: Vec<TracePoint>,
    /// Time in the rounds, without observing and storing.
    pub seconds: f64,
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
        let mut network = spec.network();
        let (first, mut trace, mut seconds, calm) = self.resume(&mut parties, algorithm.as_mut())?;
        let mut rule = spec.config.stop.map(|config| StopRule::new(config, algorithm.estimate().rows(), calm));
        progress(Progress::Started);
        if first > 0 {
            progress(Progress::Resumed(first));
        }
        let rounds = spec.config.rounds;
        let every = spec.config.observe_every.unwrap_or(rounds.div_ceil(TRACE_POINTS));
        let (mut failure, mut done) = (Ok(()), first);
        // A run that was interrupted when its rule held has come to its end.
        let settled = |rule: &Option<StopRule>| rule.as_ref().is_some_and(StopRule::holds);
        let last = if settled(&rule) { first } else { rounds };
        let (mut stored, mut started) = (Instant::now(), Instant::now());
        drive(
            algorithm.as_mut(),
            &mut parties,
            network.as_mut(),
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
                let store = spec.config.seed != Seed::Os && stored.elapsed() >= self.checkpoint_every;
                if observe || store {
                    seconds += started.elapsed().as_secs_f64();
                }
                if observe {
                    failure = self.observe(completed, algorithm, parties).map(|point| trace.push(point));
                    progress(Progress::Completed(completed));
                }
                if store && failure.is_ok() {
                    failure = self.store(completed, algorithm, parties, &trace, (seconds, &rule));
                    stored = Instant::now();
                }
                if observe || store {
                    started = Instant::now();
                }
                failure.is_ok() && !settled(&rule)
            },
        )?;
        failure?;
        let models = agree(algorithm.estimate().clone(), network.as_mut(), done, spec.config.averaging_rounds)?;
        let ledger = parties.gate().ledger().clone();
        Ok(Outcome { models: models.rows().clone(), ledger, rounds: done, trace, seconds })
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

    /// The first round to run, the trace up to it, the seconds it took, and for how long the stopping rule was content.
    fn resume(
        &self,
        parties: &mut Parties,
        algorithm: &mut dyn Algorithm,
    ) -> Result<(u32, Vec<TracePoint>, f64, u32), ExperimentError> {
        let Some(checkpoint) = self.unfinished.checkpoint()?.filter(|_| self.spec.config.seed != Seed::Os) else {
            return Ok((0, vec![], 0.0, 0));
        };
        let damaged = |reason: String| self.unfinished.damaged_checkpoint(reason);
        let mut state = algorithm.state();
        let lengths: Vec<usize> = state.iter().map(|value| value.rows().as_slice().len()).collect();
        checkpoint.check(self.spec.config.rounds, &lengths).map_err(damaged)?;
        // What was released cannot be talked out of the ledger.
        if checkpoint.ledger != self.planned.ledger_after(self.spec, checkpoint.round)? {
            return Err(damaged(format!("its ledger is not the planned one of round {}", checkpoint.round)));
        }
        for (value, stored) in state.iter_mut().zip(&checkpoint.state) {
            value.rows_mut().as_mut_slice().copy_from_slice(stored);
        }
        parties.resume(checkpoint.ledger, checkpoint.round).map_err(|e| damaged(e.to_string()))?;
        Ok((checkpoint.round, checkpoint.trace, checkpoint.seconds, checkpoint.calm))
    }

    fn observe(
        &self,
        round: u32,
        algorithm: &mut dyn Algorithm,
        parties: &Parties,
    ) -> Result<TracePoint, ExperimentError> {
        let Self { spec, data, references, .. } = self;
        trace::point(spec, data, references, round, algorithm.estimate().rows(), parties.gate().ledger())
    }

    fn store(
        &self,
        round: u32,
        algorithm: &mut dyn Algorithm,
        parties: &Parties,
        trace: &[TracePoint],
        (seconds, rule): (f64, &Option<StopRule>),
    ) -> Result<(), ExperimentError> {
        let calm = rule.as_ref().map_or(0, StopRule::calm);
        let state = algorithm.state().into_iter().map(|value| value.rows().as_slice().to_vec()).collect();
        let ledger = parties.gate().ledger().clone();
        self.unfinished.store(&Checkpoint { round, state, ledger, trace: trace.to_vec(), calm, seconds })
    }
}

fn index(k: usize) -> u32 {
    u32::try_from(k).expect("fewer than 2^32 nodes and lanes")
}
