//! From a [`Config`] to a [`Spec`]: after this, every value is valid.

use std::fmt::Display;
use std::path::PathBuf;

use dido_geometry::{Box as BoxSet, L2Ball, Set};
use dido_mechanisms::Budget;
use dido_optimizers::{LeastSquaresDeclaration, Schedule};
use dido_problems::table::{Feature, Numeric, OneHot, Schema, TwoLevel};
use dido_problems::{RecordBounds, Weighting};
use dido_topology::{Graph, MixingMatrix, families, weights};
use sha2::{Digest, Sha256};

use crate::config::{
    AlgorithmConfig, Config, FeatureConfig, GraphConfig, NoiseConfig, NumericConfig, Seed, SetConfig, WeightingConfig,
};
use crate::error::ExperimentError;
use crate::file::Loaded;

/// A valid experiment.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The file it comes from, with defaults filled in.
    pub config: Config,
    /// Relative paths start here.
    pub folder: PathBuf,
    /// Twelve hexadecimal digits that stand for the whole specification.
    pub digest: String,
    /// How a line of the file becomes a record.
    pub schema: Schema,
    /// What the parties declare.
    pub declaration: LeastSquaresDeclaration,
    /// The mixing weights.
    pub weights: MixingMatrix,
    /// The set of the algorithm: the whole space where it has none.
    pub set: Set,
    /// The step sizes.
    pub step: Schedule,
    /// The round whose release is the first to enter the answer.
    pub average_from: u32,
    /// The budget.
    pub budget: Option<Budget>,
    /// The delta of the reported epsilon.
    pub delta: f64,
    /// The seed of the noise; `None` for a key of the operating system.
    pub seed: Option<u64>,
}

/// The delta at which epsilon is reported when nothing is said.
const DEFAULT_DELTA: f64 = 1e-5;

impl Spec {
    /// Checks every value.
    ///
    /// # Errors
    /// Names the TOML path of the first value that is not valid.
    pub fn new(loaded: Loaded) -> Result<Self, ExperimentError> {
        let Loaded { file, folder, config } = loaded;
        let at = At(&file);
        check_scalars(&at, &config)?;
        let schema = schema(&at, &config)?;
        let declaration = declaration(&at, &config, &schema)?;
        let graph = graph(&at, &config, &folder)?;
        let (set, step, average_from) = algorithm(&at, &config, declaration.dim())?;
        let budget = budget(&at, &config)?;
        let delta = delta(&at, &config, budget)?;
        let seed = match &config.seed {
            Seed::Number(seed) => Some(*seed),
            Seed::Word(word) if word == "os" => None,
            Seed::Word(word) => return Err(at.key("seed", format!("`{word}` is neither a number nor \"os\""))),
        };
        Ok(Self {
            digest: digest(&config),
            weights: weights::metropolis(&graph),
            config,
            folder,
            schema,
            declaration,
            set,
            step,
            average_from,
            budget,
            delta,
            seed,
        })
    }

    /// The seed as a report names it.
    pub fn seed_name(&self) -> String {
        self.seed.map_or("os".to_owned(), |seed| seed.to_string())
    }

    /// The specification as a file that can be run again.
    ///
    /// # Panics
    /// Never: a checked configuration has a TOML form.
    pub fn toml(&self) -> String {
        toml::to_string(&self.config).expect("a checked configuration has a TOML form")
    }
}

/// Makes errors that name a key of the file.
struct At<'a>(&'a str);

impl At<'_> {
    fn key(&self, path: &str, message: impl Display) -> ExperimentError {
        ExperimentError::Key { file: self.0.to_owned(), path: path.to_owned(), message: message.to_string() }
    }

    fn check<T, E: Display>(&self, path: &str, result: Result<T, E>) -> Result<T, ExperimentError> {
        result.map_err(|e| self.key(path, e))
    }

    fn require(&self, path: &str, holds: bool, message: impl Display) -> Result<(), ExperimentError> {
        if holds { Ok(()) } else { Err(self.key(path, message)) }
    }
}

/// The first twelve hexadecimal digits of the SHA-256 of the specification and the version of this program.
///
/// The data are not part of it: the name of a result folder is public.
fn digest(config: &Config) -> String {
    let text = toml::to_string(config).expect("a parsed configuration has a TOML form");
    let hash = Sha256::new().chain_update(env!("CARGO_PKG_VERSION")).chain_update(text).finalize();
    hexadecimal(&hash[..6])
}

/// The digits of a hash.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}

fn check_scalars(at: &At<'_>, config: &Config) -> Result<(), ExperimentError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let name_fits = !config.name.is_empty() && config.name.chars().all(plain) && !config.name.starts_with('.');
    at.require("name", name_fits, "a name is made of letters, digits, `-`, `_` and `.`, and names a folder")?;
    at.require("rounds", config.rounds > 0, "there must be at least one round")?;
    at.require("lanes", (1..=10_000).contains(&config.lanes), "there can be 1 to 10000 lanes")?;
    at.require("observe_every", config.observe_every != Some(0), "must be at least 1")?;
    let fraction = config.data.held_out.fraction;
    at.require(
        "data.held_out.fraction",
        fraction > 0.0 && fraction < 1.0,
        format!("{fraction} is not between 0 and 1"),
    )?;
    at.require("data.separator", config.data.separator.is_ascii(), "must be an ASCII character")
}

fn schema(at: &At<'_>, config: &Config) -> Result<Schema, ExperimentError> {
    let numeric = |c: &NumericConfig| Numeric {
        column: c.column.clone(),
        min: c.min,
        max: c.max,
        center: c.center,
        scale: c.scale,
    };
    let features = config.data.features.iter().map(|feature| match feature {
        FeatureConfig::Intercept(_) => Feature::Intercept,
        FeatureConfig::Numeric(c) => Feature::Numeric(numeric(c)),
        FeatureConfig::TwoLevel(c) => {
            Feature::TwoLevel(TwoLevel { column: c.column.clone(), levels: c.levels.clone() })
        }
        FeatureConfig::OneHot(c) => {
            Feature::OneHot(OneHot { column: c.column.clone(), levels: c.levels.clone(), value: c.value })
        }
    });
    at.check("data", Schema::new(numeric(&config.data.target), features.collect()))
}

fn declaration(at: &At<'_>, config: &Config, schema: &Schema) -> Result<LeastSquaresDeclaration, ExperimentError> {
    let bounds = at.check("data.row_norm", RecordBounds::new(config.data.row_norm, schema.target_bound()))?;
    let weighting = match config.objective.weighting {
        WeightingConfig::Pooled => Weighting::Pooled,
        WeightingConfig::NodeMean => Weighting::NodeMean,
        WeightingConfig::Sum => Weighting::Sum,
    };
    let records = config.data.records.clone();
    at.check("data.records", LeastSquaresDeclaration::new(schema.dim(), bounds, weighting, records))
}

fn graph(at: &At<'_>, config: &Config, folder: &std::path::Path) -> Result<Graph, ExperimentError> {
    let nodes = config.data.records.len();
    let graph = match &config.graph {
        GraphConfig::Ring(_) => families::ring(nodes),
        GraphConfig::Path(_) => families::path(nodes),
        GraphConfig::Star(_) => families::star(nodes),
        GraphConfig::Complete(_) => families::complete(nodes),
        GraphConfig::ErdosRenyi(er) => families::erdos_renyi(nodes, er.p, er.seed).map(|sample| sample.graph),
        GraphConfig::EdgeList(list) => families::edge_list::read(folder.join(&list.file)),
    };
    let graph = at.check("graph", graph)?;
    let found = graph.nodes();
    at.require("graph", found == nodes, format!("it has {found} nodes, data.records declares {nodes} parties"))?;
    Ok(graph)
}

fn algorithm(at: &At<'_>, config: &Config, dim: usize) -> Result<(Set, Schedule, u32), ExperimentError> {
    let (set, step, fraction) = match &config.algorithm {
        AlgorithmConfig::Dgd(dgd) => (Set::Whole, &dgd.step, dgd.average_from),
        AlgorithmConfig::ProjectedDgd(projected) => {
            let set = match projected.set.clone() {
                SetConfig::L2Ball(ball) => at.check("algorithm.set.radius", L2Ball::new(ball.radius))?.into(),
                SetConfig::Box(b) => at.check("algorithm.set", BoxSet::new(b.lower, b.upper))?.into(),
            };
            (set, &projected.step, projected.average_from)
        }
    };
    let fits = set.dim().is_none_or(|d| d == dim);
    at.require("algorithm.set", fits, format!("the box has {:?} bounds, a row has {dim} coordinates", set.dim()))?;
    at.check("algorithm.step", step.check(config.rounds))?;
    let in_range = (0.0..1.0).contains(&fraction);
    at.require("algorithm.average_from", in_range, format!("{fraction} is not in [0, 1)"))?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a fraction of the rounds")]
    let average_from = (fraction * f64::from(config.rounds)).floor() as u32;
    Ok((set, step.clone(), average_from))
}

fn budget(at: &At<'_>, config: &Config) -> Result<Option<Budget>, ExperimentError> {
    let budget =
        config.privacy.budget.map(|b| at.check("privacy.budget", Budget::new(b.epsilon, b.delta))).transpose()?;
    match &config.privacy.noise {
        NoiseConfig::Laplace(laplace) => {
            at.check("privacy.noise.scale", laplace.scale.check(config.rounds + 1))?;
        }
        NoiseConfig::Calibrated(_) => {
            at.require("privacy.budget", budget.is_some(), "calibrated noise needs a budget")?;
        }
        NoiseConfig::None(_) => {
            at.require("privacy.budget", budget.is_none(), "a run without noise meets no budget: leave it out")?;
        }
    }
    let noisy = !matches!(config.privacy.noise, NoiseConfig::None(_));
    let unbounded = matches!(config.algorithm, AlgorithmConfig::Dgd(_));
    at.require(
        "algorithm.kind",
        !(noisy && unbounded),
        "dgd has no bounded set, so its gradients have no finite sensitivity: use projected-dgd, or noise.kind = \"none\"",
    )?;
    Ok(budget)
}

fn delta(at: &At<'_>, config: &Config, budget: Option<Budget>) -> Result<f64, ExperimentError> {
    match (config.privacy.delta, budget) {
        (Some(_), Some(_)) => Err(at.key("privacy.delta", "delta is part of the budget; give it once")),
        (Some(delta), None) => {
            at.require("privacy.delta", delta > 0.0 && delta < 1.0, format!("{delta} is not between 0 and 1"))?;
            Ok(delta)
        }
        (None, Some(budget)) if budget.delta() > 0.0 => Ok(budget.delta()),
        (None, _) => Ok(DEFAULT_DELTA),
    }
}
