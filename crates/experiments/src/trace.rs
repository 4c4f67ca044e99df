//! The run as curves: one observation for each observed round. All but epsilon and traffic is computed from records.

#[cfg(feature = "parquet")]
pub mod parquet;
pub mod table;

use dido_geometry::Rows;
use dido_mechanisms::Ledger;

use crate::epsilons;
use crate::error::ExperimentError;
use crate::metrics::{self, observer::Observer};
use crate::records::{Observation, Trace};
use crate::spec::Spec;
use crate::traffic::Traffic;

/// The trace of a run that will write `ledger`, before its first round.
///
/// # Errors
/// If an accountant does not understand an event.
pub fn begin(spec: &Spec, ledger: &Ledger, observer: &Observer<'_>) -> Result<Trace, ExperimentError> {
    let metrics = observer.metrics().map(|metric| metric.name.to_owned()).collect();
    Ok(Trace { accountants: epsilons::traced(spec, ledger)?, metrics, observed: vec![] })
}

/// What is seen after `round` completed rounds, at `estimate` (`nodes x lanes x dim`) and with `ledger` spent.
///
/// # Errors
/// If an accountant does not understand an event.
pub fn observe(
    spec: &Spec,
    observer: &Observer<'_>,
    trace: &Trace,
    round: u32,
    estimate: &Rows,
    ledger: &Ledger,
    traffic: Traffic,
) -> Result<Observation, ExperimentError> {
    let values = observer.values(&metrics::mean_over_nodes(estimate).view(), estimate);
    Ok(Observation {
        round,
        epsilon: epsilons::so_far(spec, ledger, &trace.accountants)?,
        messages: traffic.messages,
        bytes: traffic.bytes,
        metrics: values.into_iter().map(|lanes| lanes.into_iter().map(Result::ok).collect()).collect(),
    })
}
