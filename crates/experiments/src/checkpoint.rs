//! Where an interrupted run goes on.

use dido_mechanisms::Ledger;
use serde::{Deserialize, Serialize};

use crate::records::{Timing, Trace};
use crate::traffic::Traffic;

/// The state of a run between two rounds. The values of the algorithm are released ones; the trace is not private.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The next round.
    pub round: u32,
    /// What the algorithm keeps between rounds.
    pub state: Vec<Vec<f64>>,
    /// What has been released.
    pub ledger: Ledger,
    /// The trace so far.
    pub trace: Trace,
    /// What has been sent.
    pub traffic: Traffic,
    /// How long that took.
    pub timing: Timing,
}

impl Checkpoint {
    /// Checks that a run of `rounds` rounds, whose algorithm keeps values of these lengths, can go on from here.
    ///
    /// # Errors
    /// Says what does not fit.
    pub fn check(&self, rounds: u32, lengths: &[usize]) -> Result<(), String> {
        let round = self.round;
        if round == 0 || round > rounds {
            return Err(format!("it is of round {round}, the run has {rounds}"));
        }
        let found: Vec<usize> = self.state.iter().map(Vec::len).collect();
        if found != lengths {
            return Err(format!("it holds values of {found:?} numbers, the algorithm keeps {lengths:?}"));
        }
        let observed = &self.trace.observed;
        let ascending = observed.windows(2).all(|pair| pair[0].round < pair[1].round);
        if !ascending || observed.last().is_some_and(|point| point.round > round) {
            return Err(format!("its trace does not end before round {round}"));
        }
        Ok(())
    }

    /// Checks that the trace is one of this run, which has observed nothing yet in `begun`.
    ///
    /// # Errors
    /// Says what does not fit.
    pub fn check_trace(&self, begun: &Trace, lanes: usize) -> Result<(), String> {
        let Trace { accountants, metrics, observed } = &self.trace;
        let shaped = observed.iter().all(|seen| {
            seen.epsilon.len() == accountants.len()
                && seen.metrics.len() == metrics.len()
                && seen.metrics.iter().all(|values| values.len() == lanes)
        });
        if shaped && *accountants == begun.accountants && *metrics == begun.metrics {
            Ok(())
        } else {
            Err("its trace has other columns than this run".to_owned())
        }
    }
}
