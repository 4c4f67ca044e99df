//! `dido compare`: several algorithms on one problem at two budgets, as one table.
//!
//! What noise costs is the objective at the model minus that of the same run without noise. How it grows as epsilon falls is
//! measured from the two budgets, and stands beside the order that a paper states. All gaps are computed from records: nothing
//! in the table is covered by a guarantee but epsilon.

use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{Empty, NoiseConfig};
use crate::error::ExperimentError;
use crate::file::{Loaded, load, parsed, read};
use crate::presets;
use crate::records::Summary;
use crate::{Options, Planned, ResultFolder, Spec, plan, run};

/// The file of a comparison.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ComparisonConfig {
    name: String,
    /// A preset, or an experiment file beside this one.
    base: String,
    /// Keys of the base that all entries share.
    #[serde(default)]
    set: Vec<String>,
    /// The two budgets, in epsilon.
    epsilons: [f64; 2],
    entries: Vec<EntryConfig>,
    #[serde(default)]
    remarks: Vec<String>,
}

/// One algorithm.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EntryConfig {
    name: String,
    /// Keys of the base.
    set: Vec<String>,
    /// What a paper says of its utility, if one does.
    order: Option<String>,
    /// The `k` of `1 / epsilon^k` in that.
    exponent: Option<f64>,
}

/// The table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Its name.
    pub name: String,
    /// The two budgets.
    pub epsilons: [f64; 2],
    /// Remarks.
    pub remarks: Vec<String>,
    /// A row for each entry.
    pub rows: Vec<Row>,
    /// The keys that are computed from records: the guarantee does not cover them.
    pub not_covered: [&'static str; 3],
}

/// One algorithm at both budgets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The entry.
    pub name: String,
    /// The algorithm.
    pub algorithm: String,
    /// What is released.
    pub released: String,
    /// The largest scale of the noise, at both budgets.
    pub noise: [f64; 2],
    /// Its distribution.
    pub mechanism: String,
    /// The gap of the objective without noise.
    pub gap_without_noise: f64,
    /// The gap at both budgets, in the mean over lanes.
    pub gap: [f64; 2],
    /// The measured `k` of `1 / epsilon^k` in what noise adds to the gap; absent where it adds nothing.
    pub exponent: Option<f64>,
    /// What a paper says of it, if one does.
    pub order: Option<String>,
    /// The `k` in that.
    pub stated_exponent: Option<f64>,
    /// Rounds.
    pub rounds: u32,
    /// Messages along an edge, one way, that a lane takes.
    pub messages: u64,
}

/// Runs all entries of the preset or file `name`, with more keys that all of them share; nothing of their results is kept.
///
/// # Errors
/// If the file or one of its experiments is refused, or a run stops.
pub fn compare(name: &str, overrides: &[String]) -> Result<Comparison, ExperimentError> {
    let (file, folder, text) = read(name, presets::comparison, &presets::COMPARISONS)?;
    let config: ComparisonConfig = parsed(&file, &text)?;
    let ComparisonConfig { name, base, set, epsilons, entries, remarks } = config;
    let set = [set.as_slice(), overrides].concat();
    let [low, high] = epsilons;
    if !(low > 0.0 && high > low && high.is_finite()) {
        let message = format!("two budgets in ascending order, not {low} and {high}");
        return Err(ExperimentError::Key { file, path: "epsilons".to_owned(), message });
    }
    let base = if presets::find(&base).is_some() { base } else { folder.join(base).display().to_string() };
    let rows = entries.into_iter().map(|entry| row(&file, &base, &set, epsilons, entry)).collect::<Result<_, _>>()?;
    Ok(Comparison { name, epsilons, remarks, rows, not_covered: ["gap", "gap_without_noise", "exponent"] })
}

fn row(
    file: &str,
    base: &str,
    shared: &[String],
    epsilons: [f64; 2],
    entry: EntryConfig,
) -> Result<Row, ExperimentError> {
    let EntryConfig { name, set, order, exponent } = entry;
    let keys = |budget: &[String]| [shared, &set, budget].concat();
    let gap = |summary: &Summary| match summary.metrics.objective {
        Some(found) => Ok(found.private - found.optimum),
        None => Err(ExperimentError::Usage(format!("{file}: plain squared loss has no gap here: set objective.loss"))),
    };
    let [quiet, low, high] = [
        without_noise(base, &keys(&[]))?,
        result(load(base, &keys(&[format!("privacy.budget.epsilon={}", epsilons[0])]))?)?,
        result(load(base, &keys(&[format!("privacy.budget.epsilon={}", epsilons[1])]))?)?,
    ];
    let (gap_without_noise, gap) = (gap(&quiet.1)?, [gap(&low.1)?, gap(&high.1)?]);
    let added = gap.map(|gap| gap - gap_without_noise);
    let largest = |planned: &Planned| planned.plan.noise.iter().copied().fold(0.0, f64::max);
    let plan = &low.0.plan;
    Ok(Row {
        name,
        algorithm: plan.algorithm.clone(),
        released: plan.released.clone(),
        noise: [largest(&low.0), largest(&high.0)],
        mechanism: plan.mechanism.clone(),
        gap_without_noise,
        gap,
        exponent: (added[0] > 0.0 && added[1] > 0.0)
            .then(|| (added[0] / added[1]).ln() / (epsilons[1] / epsilons[0]).ln()),
        order,
        stated_exponent: exponent,
        rounds: plan.rounds,
        messages: 2 * plan.graph.edges as u64 * (u64::from(plan.rounds) + u64::from(plan.averaging_rounds)),
    })
}

/// The same run without noise and budget.
fn without_noise(base: &str, keys: &[String]) -> Result<(Planned, Summary), ExperimentError> {
    let mut loaded = load(base, keys)?;
    loaded.config.privacy.budget = None;
    loaded.config.privacy.noise = NoiseConfig::None(Empty {});
    result(loaded)
}

/// The plan and the summary of a run whose files are thrown away.
pub(crate) fn result(loaded: Loaded) -> Result<(Planned, Summary), ExperimentError> {
    let spec = Spec::new(loaded)?;
    let folder =
        tempfile::tempdir().map_err(|e| ExperimentError::File { path: std::env::temp_dir(), reason: e.to_string() })?;
    let planned = plan(&spec)?;
    let options = Options { force: false, checkpoint_every: Duration::MAX };
    let results = ResultFolder::new(Path::new(folder.path()), &spec.config.name, &spec.digest);
    let summary = run(&spec, &planned, &results, options, |_| {})?;
    Ok((planned, summary))
}
