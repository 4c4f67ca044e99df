//! `[data]`: from columns and bounds to a schema and what the parties declare.

use dido_optimizers::Declaration;
use dido_problems::table::{Classes, Feature, Numeric, OneHot, Schema, Svmlight, Target, TwoLevel};
use dido_problems::{Loss, RecordBounds, Weighting};

use super::At;
use crate::config::data::{DirichletConfig, SvmlightConfig};
use crate::config::{Config, DataConfig, FeatureConfig, NumericConfig, PartitionConfig, TargetConfig, WeightingConfig};
use crate::encoding::{Encoding, LABEL};
use crate::error::ExperimentError;
use crate::presets;
use crate::reading;
use crate::report::significant;
use crate::spelling::suggestion;
use crate::theory::mean_curvature;

/// Counts above this are not exact as floating-point numbers.
const MOST_RECORDS: usize = 1 << 53;

/// A vector of all parties and lanes has at most so many numbers, which take 2 GiB: algorithms hold several of them.
const MOST_NUMBERS: usize = 1 << 28;

pub(super) fn check(at: &At<'_>, data: &DataConfig) -> Result<(), ExperimentError> {
    sources(at, data)?;
    reading::options(data).map_err(|(key, message)| at.key(&format!("data.{key}"), message))?;
    let fraction = data.held_out.fraction;
    let inside = fraction > 0.0 && fraction < 1.0;
    at.require("data.held_out.fraction", inside, format!("{fraction} is not between 0 and 1"))?;
    at.require("data.records", !data.records.is_empty(), "there must be at least one party")?;
    for (party, &records) in data.records.iter().enumerate() {
        at.require("data.records", records > 0, format!("party {party} needs at least one record"))?;
    }
    let total = data.records.iter().try_fold(0_usize, |sum, &n| sum.checked_add(n)).filter(|&sum| sum <= MOST_RECORDS);
    at.require("data.records", total.is_some(), format!("there can be at most {MOST_RECORDS} records"))
}

/// One file that is cut into parties, or one file for each party.
fn sources(at: &At<'_>, data: &DataConfig) -> Result<(), ExperimentError> {
    let several = !data.sources.is_empty();
    at.require(
        "data",
        several || !data.source.is_empty(),
        "`source` must name a file, or `sources` one for each party",
    )?;
    at.require(
        "data.sources",
        !several || data.source.is_empty(),
        "leave `source` out: each party has a file of its own",
    )?;
    let path = if several { "data.sources" } else { "data.source" };
    for file in data.files() {
        at.require(path, !file.is_empty(), "must name a file")?;
        let known = file.strip_prefix("builtin:").is_none_or(|name| presets::data(name).is_some());
        let near = suggestion(file.strip_prefix("builtin:").unwrap_or_default(), presets::DATA);
        at.require(path, known, format!("there is no data set `{file}` in this program{near}"))?;
    }
    if several {
        let (files, parties) = (data.sources.len(), data.records.len());
        let message = format!("{files} files for the {parties} parties of data.records: each party has one");
        at.require(path, files == parties, message)?;
        return at.require(
            "data.partition",
            data.partition.is_files(),
            "leave it out: each party has the records of its own file",
        );
    }
    at.require("data", !data.partition.is_files(), "missing field `partition`")?;
    if let PartitionConfig::Dirichlet(DirichletConfig { alpha, .. }) = data.partition {
        let fits = alpha.is_finite() && alpha > 0.0;
        at.require("data.partition.alpha", fits, format!("{alpha} is not finite and positive"))?;
    }
    Ok(())
}

/// Whether memory may hold the points of all parties and lanes.
pub(super) fn size(at: &At<'_>, config: &Config, encoding: &Encoding) -> Result<(), ExperimentError> {
    let (parties, dim, lanes) = (config.data.records.len(), encoding.dim(), config.lanes);
    let fits = |lanes: usize| {
        [dim, lanes].into_iter().try_fold(parties, usize::checked_mul).is_some_and(|n| n <= MOST_NUMBERS)
    };
    let path = match config.data.svmlight {
        _ if fits(1) => "lanes",
        Some(_) => "data.svmlight.features",
        None => "data.features",
    };
    let message = format!(
        "{parties} parties, {dim} features and {lanes} lanes: a vector of all of them would have more than {MOST_NUMBERS} numbers"
    );
    at.require(path, fits(lanes), message)
}

pub(super) fn encoding(at: &At<'_>, config: &Config) -> Result<Encoding, ExperimentError> {
    let data = &config.data;
    let encoding = declared(at, &data.target, &data.features, data.svmlight, Loss::from(config.objective.loss))?;
    let partition_fits = match &data.partition {
        PartitionConfig::Sorted(by) | PartitionConfig::ByColumn(by) => data.svmlight.is_none() || by.column == LABEL,
        PartitionConfig::Files(_)
        | PartitionConfig::Contiguous(_)
        | PartitionConfig::Shuffled(_)
        | PartitionConfig::Dirichlet(_) => true,
    };
    let message = format!("an svmlight file has one column with a name, `{LABEL}`");
    at.require("data.partition.column", partition_fits, message)?;
    Ok(encoding)
}

/// How a line becomes a record, from what is declared of the columns.
pub(crate) fn declared(
    at: &At<'_>,
    target_config: &TargetConfig,
    features: &[FeatureConfig],
    svmlight: Option<SvmlightConfig>,
    loss: Loss,
) -> Result<Encoding, ExperimentError> {
    let target = target(at, target_config, svmlight.is_some(), loss)?;
    let Some(SvmlightConfig { features: dim, scale, .. }) = svmlight else {
        at.require("data", !features.is_empty(), "missing field `features`")?;
        return at.check("data", Schema::new(target, columns(features)).map(Encoding::Columns));
    };
    let alone = features.is_empty();
    at.require("data.features", alone, "an svmlight file has no columns: data.svmlight says how many features it has")?;
    at.check("data.svmlight", Svmlight::new(target, dim, scale).map(Encoding::Svmlight))
}

fn columns(features: &[FeatureConfig]) -> Vec<Feature> {
    let numeric = |c: &NumericConfig| Numeric {
        column: c.column.clone(),
        min: c.min,
        max: c.max,
        center: c.center,
        scale: c.scale,
    };
    let feature = |feature: &FeatureConfig| match feature {
        FeatureConfig::Intercept(_) => Feature::Intercept,
        FeatureConfig::Numeric(c) => Feature::Numeric(numeric(c)),
        FeatureConfig::TwoLevel(c) => {
            Feature::TwoLevel(TwoLevel { column: c.column.clone(), levels: c.levels.clone() })
        }
        FeatureConfig::OneHot(c) => {
            Feature::OneHot(OneHot { column: c.column.clone(), levels: c.levels.clone(), value: c.value })
        }
    };
    features.iter().map(feature).collect()
}

fn target(at: &At<'_>, config: &TargetConfig, sparse: bool, loss: Loss) -> Result<Target, ExperimentError> {
    let TargetConfig { column, min, max, center, scale, levels } = config.clone();
    let column = match (column, sparse) {
        (Some(column), false) => column,
        (None, true) => LABEL.to_owned(),
        (None, false) => return Err(at.key("data.target", "missing field `column`")),
        (Some(_), true) => {
            return Err(at.key("data.target.column", "an svmlight file has one target and no name for it"));
        }
    };
    match (levels, min, max) {
        (Some(levels), None, None) => {
            let plain = center.abs() <= 0.0 && scale.to_bits() == 1.0_f64.to_bits();
            at.require("data.target", plain, "two classes have no center and no scale: they are -1 and +1")?;
            Ok(Classes { column, levels }.into())
        }
        (None, Some(min), Some(max)) => {
            let message =
                "the loss is one of classification: give the two levels of the target, in place of min and max";
            at.require("data.target", !loss.is_classification(), message)?;
            Ok(Numeric { column, min, max, center, scale }.into())
        }
        _ => Err(at.key("data.target", "give min and max of a number, or the two levels of a class")),
    }
}

pub(super) fn declaration(at: &At<'_>, config: &Config, schema: &Encoding) -> Result<Declaration, ExperimentError> {
    let bounds = at.check("data.row_norm", RecordBounds::new(config.data.row_norm, schema.target_bound()))?;
    let weighting = match config.objective.weighting {
        WeightingConfig::Pooled => Weighting::Pooled,
        WeightingConfig::NodeMean => Weighting::NodeMean,
        WeightingConfig::Sum => Weighting::Sum,
    };
    let records = config.data.records.clone();
    let loss = at.check("objective.loss", Loss::from(config.objective.loss).checked())?;
    let declaration = at.check("data.records", Declaration::new(loss, schema.dim(), bounds, weighting, records))?;
    assumed(at, config, &declaration)?;
    Ok(declaration)
}

/// Whether what is assumed makes sense. Some data within the declared bounds have to be as strongly convex: the least of `m` eigenvalues is at most their
/// mean.
fn assumed(at: &At<'_>, config: &Config, declaration: &Declaration) -> Result<(), ExperimentError> {
    if let Some(norm) = config.objective.optimum_norm {
        at.require("objective.optimum_norm", norm > 0.0, format!("{norm} is not positive"))?;
    }
    let Some(mu) = config.objective.strong_convexity else { return Ok(()) };
    let path = "objective.strong_convexity";
    at.require(path, mu > 0.0, format!("{mu} is not positive"))?;
    let most = mean_curvature(declaration) / declaration.dim() as f64;
    let message = format!("{mu} is more than data within the declared bounds can have, {}", significant(most));
    at.require(path, mu <= most, message)
}
