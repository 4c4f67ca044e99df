//! The run as a curve: one point for each observed round. All but epsilon is computed from records.

use std::fmt::Write;

use dido_geometry::Rows;
use dido_mechanisms::Ledger;
use ndarray::Array1;

use crate::data::Prepared;
use crate::epsilons;
use crate::error::ExperimentError;
use crate::metrics::{self, References, Scoring};
use crate::records::{Score, Summary, TracePoint};
use crate::spec::Spec;

/// The point after `round` completed rounds, at `estimate` (`nodes x lanes x dim`) and with `ledger` spent.
///
/// # Errors
/// If a model cannot be scored, or an accountant does not understand an event.
pub fn point(
    spec: &Spec,
    data: &Prepared,
    references: &References,
    round: u32,
    estimate: &Rows,
    ledger: &Ledger,
) -> Result<TracePoint, ExperimentError> {
    let means = metrics::mean_over_nodes(estimate);
    let scoring = Scoring::of(spec);
    let scores =
        means.outer_iter().map(|mean| metrics::score(&mean, &data.held_out, scoring)).collect::<Result<Vec<_>, _>>()?;
    let optimum = &references.optimum;
    let away: f64 = means.outer_iter().map(|mean| norm(&(&mean - optimum))).sum();
    Ok(TracePoint {
        round,
        epsilon: epsilons::spent(spec, ledger)?,
        merit: metrics::mean_score(&scores).merit(),
        distance: metrics::finite_distance(away / (means.nrows() as f64 * norm(optimum))),
        consensus_error: metrics::consensus_error(estimate),
    })
}

fn norm(x: &Array1<f64>) -> f64 {
    x.dot(x).sqrt()
}

/// The trace as a table; an infinite epsilon is `inf`.
pub fn csv(trace: &[TracePoint], summary: &Summary) -> String {
    let merit = match summary.metrics.private {
        Score::Regression { .. } => "held_out_r2",
        Score::Classes { .. } => "held_out_accuracy",
    };
    let mut text = format!("round,epsilon,{merit},distance_to_optimum,consensus_error\n");
    for point in trace {
        let epsilon = point.epsilon.map_or("inf".to_owned(), |e| e.to_string());
        let TracePoint { round, merit, distance, consensus_error, .. } = point;
        writeln!(text, "{round},{epsilon},{merit},{distance},{consensus_error}")
            .expect("a string takes all that is written");
    }
    text
}
