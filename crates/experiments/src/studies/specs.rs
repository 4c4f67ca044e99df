//! Cells of a grid over an experiment file, run without a folder.

use crate::comparison::result;
use crate::error::ExperimentError;
use crate::file::load;
use crate::planning::Planned;
use crate::records::Summary;

/// The plan and the summary of a preset with some keys set; its files are thrown away.
///
/// # Errors
/// Those of the plan and of the run.
pub fn cell(preset: &str, keys: &[String]) -> Result<(Planned, Summary), ExperimentError> {
    result(load(preset, keys)?)
}

/// The keys of a run without noise and budget.
pub fn without_noise() -> Vec<String> {
    vec!["privacy={ adjacency = 'replace-record', noise = { kind = 'none' } }".to_owned()]
}

/// `records` training records in nearly equal parts, as the key of an experiment file.
pub fn records(records: usize, parties: usize) -> String {
    let (each, more) = (records / parties, records % parties);
    let counts: Vec<String> = (0..parties).map(|k| (each + usize::from(k < more)).to_string()).collect();
    format!("data.records=[{}]", counts.join(","))
}

/// The figure of which more is better, in each lane.
pub fn merits(summary: &Summary) -> Vec<f64> {
    summary.lane_scores.iter().map(|score| score.merit()).collect()
}
