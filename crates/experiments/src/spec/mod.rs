//! From a [`Config`] to a [`Spec`]: after this, every value is valid.
//!
//! One module for each table of the file, as in [`crate::config`]; the algorithms check themselves.

mod data;
mod digest;
mod graph;
mod privacy;
mod sequence;

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dido_mechanisms::{Adjacency, Adversary, Budget};
use dido_optimizers::{Alone, Declaration, InProcess, Network};
use dido_topology::{MixingMatrix, Sequence};

use crate::algorithms::{self, Checks, Method};
use crate::config::privacy::{BudgetConfig, PaidRounds};
use crate::config::stop::StopWhen;
use crate::config::{Baseline, Config, NoiseConfig};
use crate::encoding::Encoding;
use crate::error::ExperimentError;
use crate::file::Loaded;
use crate::planning::largest;
use crate::records::PlannedGraph;
use crate::spelling::one_line;
use crate::topology::Topology;

pub(crate) use data::declared;
pub(crate) use digest::hexadecimal;

/// A valid experiment.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The file it comes from, with defaults filled in.
    pub config: Config,
    /// What messages call that file.
    pub file: String,
    /// Relative paths start here.
    pub folder: PathBuf,
    /// Twelve hexadecimal digits that stand for the whole specification.
    pub digest: String,
    /// How a line of the file becomes a record.
    pub schema: Encoding,
    /// What the parties declare.
    pub declaration: Declaration,
    /// Who talks to whom, in words.
    pub graph: PlannedGraph,
    /// The graph with its weights, as pictures show it; a baseline has none.
    pub topology: Option<Topology>,
    /// The mixing weights.
    pub weights: MixingMatrix,
    /// How the weights change from round to round, if they do.
    pub sequence: Option<Arc<dyn Sequence>>,
    /// The algorithm.
    pub method: Arc<dyn Method>,
    /// The budget.
    pub budget: Option<Budget>,
    /// The delta of the reported epsilon.
    pub delta: f64,
    /// The rounds of the file, where the budget pays for as many of them as it can: those of `config` are the ones it pays for.
    pub rounds_asked: Option<u32>,
}

/// More rounds than this are a slip of the keyboard.
const MOST_ROUNDS: u32 = 10_000_000;

impl Spec {
    /// Checks every value.
    ///
    /// # Errors
    /// Names the TOML path of the first value that is not valid. If the budget pays for as many rounds as it can, and not for
    /// one.
    pub fn new(loaded: Loaded) -> Result<Self, ExperimentError> {
        let Loaded { file, folder, config } = loaded;
        let at = At(&file);
        check_scalars(&at, &config)?;
        data::check(&at, &config.data)?;
        let schema = data::encoding(&at, &config)?;
        data::size(&at, &config, &schema)?;
        let declaration = data::declaration(&at, &config, &schema)?;
        let graph::Topology { shape, weights, sequence, described, files } = graph::topology(&at, &config, &folder)?;
        let baseline = config.baseline;
        let message = "a baseline has no network: leave the sequence out";
        at.require("graph.sequence", baseline.is_none() || sequence.is_none(), message)?;
        let declaration = if baseline == Some(Baseline::Centralised) { declaration.centralised() } else { declaration };
        let described = baseline.map_or(described, graph::without);
        // Nodes that sleep in different rounds release in different rounds: each has a ledger of its own.
        let declaration = if sequence.is_some() { declaration.by_node() } else { declaration };
        let checks = Checks { at: &at, config: &config, declaration: &declaration, weights: &weights };
        let method = algorithms::method(&checks)?;
        privacy::check(&at, &config, method.as_ref())?;
        privacy::bounded(&at, &config, method.as_ref(), &declaration)?;
        let budget = privacy::budget(&at, &config)?;
        let delta = privacy::delta(&at, &config, budget)?;
        stop(&at, &config)?;
        let spec = Self {
            digest: digest::digest(&config, &files),
            graph: described,
            topology: baseline.is_none().then_some(shape),
            weights,
            sequence,
            config,
            file,
            folder,
            schema,
            declaration,
            method,
            budget,
            delta,
            rounds_asked: None,
        };
        match spec.config.privacy.budget {
            Some(BudgetConfig { rounds: PaidRounds::Largest, .. }) => largest(&spec),
            _ => Ok(spec),
        }
    }

    /// The same experiment with fewer rounds, and the digest of the file.
    pub(crate) fn with_rounds(&self, rounds: u32) -> Result<Self, ExperimentError> {
        let mut spec = self.clone();
        spec.config.rounds = rounds;
        let (at, config) = (At(&self.file), &spec.config);
        let checks = Checks { at: &at, config, declaration: &self.declaration, weights: &self.weights };
        spec.method = algorithms::method(&checks)?;
        spec.rounds_asked = Some(self.config.rounds);
        Ok(spec)
    }

    /// Whether the budget is compared with the exact epsilon of the whole plan, which the run then keeps to, in place of
    /// being charged release by release: for Gaussian noise and sampled records, where that costs much less, and where the
    /// file names an accountant.
    pub(crate) fn is_accounted_as_a_whole(&self) -> bool {
        let gaussian = match &self.config.privacy.noise {
            NoiseConfig::Gaussian(_) | NoiseConfig::DiscreteGaussian(_) => true,
            NoiseConfig::Calibrated(calibrated) => calibrated.mechanism.is_gaussian(),
            NoiseConfig::Laplace(_) | NoiseConfig::DiscreteLaplace(_) | NoiseConfig::None(_) => false,
        };
        gaussian || self.method.is_sampled() || self.config.privacy.accountant.is_some()
    }

    /// The budget that gates charge release by release.
    pub(crate) fn charged_budget(&self) -> Option<Budget> {
        self.budget.filter(|_| !self.is_accounted_as_a_whole())
    }

    /// Whether the record counts of the file may be shown: not where a record is added or removed, which changes them.
    pub(crate) fn counts_are_public(&self) -> bool {
        self.config.privacy.adjacency != Adjacency::AddRemoveRecord
    }

    /// How many parties take part in an average, in the long run.
    pub(crate) fn connected_parties(&self) -> usize {
        if self.config.baseline.is_some() { 1 } else { self.declaration.nodes() }
    }

    /// The network of a simulated run.
    pub(crate) fn network(&self) -> Box<dyn Network> {
        match &self.sequence {
            _ if self.config.baseline.is_some() => Box::new(Alone::new(self.declaration.nodes())),
            None => Box::new(InProcess::new(self.weights.clone())),
            Some(sequence) => Box::new(InProcess::varying(sequence.clone())),
        }
    }

    /// Where a path of the file leads.
    pub(crate) fn resolve(&self, path: impl AsRef<Path>) -> PathBuf {
        self.folder.join(path)
    }

    /// The specification as a file that can be run again from anywhere: its paths are absolute.
    ///
    /// # Panics
    /// Never: a checked configuration has a TOML form.
    pub fn toml(&self) -> String {
        let absolute = |path: &Path| std::path::absolute(self.resolve(path)).unwrap_or_else(|_| self.resolve(path));
        let mut config = self.config.clone();
        config.rounds = self.rounds_asked.unwrap_or(config.rounds);
        for file in config.data.files_mut() {
            *file = absolute(Path::new(&*file)).display().to_string();
        }
        for file in config.graph.files_mut() {
            *file = absolute(file).display().to_string().into();
        }
        toml::to_string(&config).expect("a checked configuration has a TOML form")
    }

    /// The specification as a page shows it: files have their names alone, since where they lie is nobody's business.
    ///
    /// # Panics
    /// Never: a checked configuration has a TOML form.
    pub(crate) fn listing(&self) -> String {
        let bare = |path: &Path| path.file_name().map_or_else(PathBuf::new, PathBuf::from);
        let mut config = self.config.clone();
        for file in config.data.files_mut() {
            *file = bare(Path::new(&*file)).display().to_string();
        }
        for file in config.graph.files_mut() {
            *file = bare(file);
        }
        toml::to_string(&config).expect("a checked configuration has a TOML form")
    }
}

/// Makes errors that name a key of the file.
pub struct At<'a>(pub(crate) &'a str);

impl At<'_> {
    pub(crate) fn key(&self, path: &str, message: impl Display) -> ExperimentError {
        ExperimentError::Key { file: self.0.to_owned(), path: path.to_owned(), message: one_line(&message.to_string()) }
    }

    pub(crate) fn check<T, E: Display>(&self, path: &str, result: Result<T, E>) -> Result<T, ExperimentError> {
        result.map_err(|e| self.key(path, e))
    }

    pub(crate) fn require(&self, path: &str, holds: bool, message: impl Display) -> Result<(), ExperimentError> {
        if holds { Ok(()) } else { Err(self.key(path, message)) }
    }
}

fn check_scalars(at: &At<'_>, config: &Config) -> Result<(), ExperimentError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let name_fits =
        (1..=100).contains(&config.name.len()) && config.name.chars().all(plain) && !config.name.starts_with('.');
    at.require(
        "name",
        name_fits,
        "a name has 1 to 100 letters, digits, `-`, `_` and `.`, and does not start with `.`: it names a folder",
    )?;
    let in_range = |rounds: u32, least: u32| (least..=MOST_ROUNDS).contains(&rounds);
    at.require("rounds", in_range(config.rounds, 1), format!("there can be 1 to {MOST_ROUNDS} rounds"))?;
    let averaging = in_range(config.averaging_rounds, 0);
    at.require("averaging_rounds", averaging, format!("there can be at most {MOST_ROUNDS} rounds"))?;
    at.require("lanes", (1..=10_000).contains(&config.lanes), "there can be 1 to 10000 lanes")?;
    at.require("observe_every", config.observe_every != Some(0), "must be at least 1")
}

/// A rule that could never hold, or that tells an adversary what it does not see, is refused.
fn stop(at: &At<'_>, config: &Config) -> Result<(), ExperimentError> {
    let Some(stop) = config.stop else { return Ok(()) };
    let (StopWhen { below, rounds }, most) = (stop.when(), config.rounds);
    at.require("stop.below", below > 0.0 && below.is_finite(), format!("{below} is not finite and positive"))?;
    let fits = (1..=most).contains(&rounds);
    at.require("stop.rounds", fits, format!("{rounds} is not in 1 to {most}, the rounds of the run"))?;
    let sees_all = !matches!(config.privacy.adversary, Adversary::Neighbour(_));
    let message =
        "a stopping rule looks at the estimates of all parties, of which a neighbour sees some only: use all-messages";
    at.require("stop", sees_all, message)
}
