//! `model.json`: the released model with all that it takes to predict, and what is promised about it. It holds released values and
//! public declarations, nothing else.

use std::path::Path;

use dido_problems::Loss;
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use crate::config::data::SvmlightConfig;
use crate::config::{FeatureConfig, TargetConfig};
use crate::encoding::Encoding;
use crate::error::ExperimentError;
use crate::planning::Planned;
use crate::records::{Plan, PlannedSensitivity, Summary, Versions};
use crate::report::{self, Promise};
use crate::rounds::Outcome;
use crate::spec::{At, Spec, declared};
use crate::summary::PARTY;

/// What the file says it is.
const FORMAT: &str = "dido-model";

/// The version of the format that this program writes, and the latest that it reads.
const VERSION: u32 = 1;

/// The released models of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// `dido-model`.
    pub format: String,
    /// The version of the format: 1.
    pub version: u32,
    /// What made it.
    pub versions: Versions,
    /// The experiment.
    pub name: String,
    /// The digest of its specification.
    pub digest: String,
    /// Whose models these are.
    pub party: usize,
    /// The loss that was minimised.
    pub loss: Loss,
    /// What is declared of the columns.
    pub data: Declared,
    /// What each encoded coefficient multiplies.
    pub columns: Vec<String>,
    /// The coefficients of encoded columns, a list for each lane.
    pub encoded: Vec<Vec<f64>>,
    /// What each coefficient in original units multiplies: `intercept` is 1, a level is 1 where it holds.
    pub terms: Vec<String>,
    /// The coefficients in original units, a list for each lane: the sum of their products with the raw values, moved into their
    /// ranges, is the predicted target or, of classes, positive where the second one is predicted.
    pub coefficients: Vec<Vec<f64>>,
    /// What is promised.
    pub privacy: Statement,
}

/// What is declared of the columns, in the spelling of the experiment file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declared {
    /// What is predicted.
    pub target: TargetConfig,
    /// From what.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<FeatureConfig>,
    /// From what, if the file is one of svmlight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub svmlight: Option<SvmlightConfig>,
}

/// The privacy statement, in words and in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// Whether anything is promised.
    pub private: bool,
    /// The promise in words; it begins with `NON-PRIVATE` where there is none.
    pub statement: String,
    /// Who looks.
    pub adversary: String,
    /// Which data sets cannot be told apart.
    pub adjacency: String,
    /// How records came to their parties, and what a replaced record keeps.
    pub assignment: String,
    /// What is released.
    pub released: String,
    /// How often a node releases something, for each lane.
    pub releases_per_node: u64,
    /// The noise, or `none`.
    pub mechanism: String,
    /// The sensitivity of a release.
    pub sensitivity: PlannedSensitivity,
    /// Who adds up the releases.
    pub accountant: String,
    /// The privacy loss of all models of this file together; absent where it is infinite.
    pub epsilon: Option<f64>,
    /// The probability that it is larger.
    pub delta: f64,
    /// The models in this file: runs with noise of their own on the same data.
    pub lanes: usize,
    /// The privacy loss of a single one of them.
    pub epsilon_of_one_lane: Option<f64>,
    /// What the promise does not speak of.
    pub not_covered: Vec<String>,
}

impl Model {
    /// The models that a run has released.
    ///
    /// # Errors
    /// If there are not as many coefficients as columns.
    pub fn of(spec: &Spec, planned: &Planned, outcome: &Outcome, summary: &Summary) -> Result<Self, ExperimentError> {
        let data = &spec.config.data;
        let encoded: Vec<Vec<f64>> =
            (0..outcome.models.shape().lanes).map(|lane| outcome.models.row(PARTY, lane).to_vec()).collect();
        let original = encoded.iter().map(|lane| spec.schema.original_units(lane)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            versions: summary.versions.clone(),
            name: summary.name.clone(),
            digest: summary.digest.clone(),
            party: PARTY,
            loss: spec.declaration.loss(),
            data: Declared { target: data.target.clone(), features: data.features.clone(), svmlight: data.svmlight },
            columns: spec.schema.names(),
            encoded,
            terms: original[0].iter().map(|(name, _)| name.clone()).collect(),
            coefficients: original.iter().map(|lane| lane.iter().map(|(_, value)| *value).collect()).collect(),
            privacy: Statement::of(&planned.plan, summary),
        })
    }

    /// Reads a `model.json`.
    ///
    /// # Errors
    /// In one line with file and place: what is no model, or one of a later format.
    pub fn read(path: &Path) -> Result<Self, ExperimentError> {
        let refuse = |reason: String| ExperimentError::File { path: path.to_owned(), reason };
        let text = std::fs::read_to_string(path).map_err(|e| refuse(e.to_string()))?;
        let file = path.display().to_string();
        let known: Known = parse(&file, &text)?;
        if known.format.as_deref() != Some(FORMAT) {
            return Err(At(&file).key("format", format!("this is no model: a model says \"{FORMAT}\" here")));
        }
        if known.version != Some(VERSION) {
            let found = known.version.map_or("none".to_owned(), |version| version.to_string());
            return Err(
                At(&file).key("version", format!("this program reads version {VERSION} of a model, not {found}"))
            );
        }
        let model: Self = parse(&file, &text)?;
        let dim = model.encoding(&file)?.dim();
        let wrong = model.encoded.iter().position(|lane| lane.len() != dim);
        if let Some(lane) = wrong {
            let message = format!("{} coefficients for {dim} columns", model.encoded[lane].len());
            return Err(At(&file).key(&format!("encoded[{lane}]"), message));
        }
        if model.encoded.is_empty() {
            return Err(At(&file).key("encoded", "there is no model"));
        }
        Ok(model)
    }

    /// How a line of a file becomes what the model multiplies.
    ///
    /// # Errors
    /// If a declaration makes no sense.
    pub(crate) fn encoding(&self, file: &str) -> Result<Encoding, ExperimentError> {
        let Declared { target, features, svmlight } = &self.data;
        declared(&At(file), target, features, *svmlight, self.loss)
    }

    /// The coefficients of one lane as a single row.
    pub(crate) fn row(&self, lane: usize) -> Option<Array2<f64>> {
        let row = ArrayView2::from_shape((1, self.columns.len()), self.encoded.get(lane)?);
        Some(row.ok()?.to_owned())
    }
}

/// What tells a model from other files.
#[derive(Deserialize)]
struct Known {
    format: Option<String>,
    version: Option<u32>,
}

fn parse<T: serde::de::DeserializeOwned>(file: &str, text: &str) -> Result<T, ExperimentError> {
    let mut source = serde_json::Deserializer::from_str(text);
    let value: T = serde_path_to_error::deserialize(&mut source).map_err(|error| {
        let path = error.path().to_string();
        let reason = error.into_inner();
        // The parser ends with the place, which has a name of its own here.
        let message = reason.to_string();
        let message = message.split(" at line ").next().unwrap_or_default().to_owned();
        if reason.is_data() {
            ExperimentError::Key { file: file.to_owned(), path, message }
        } else {
            ExperimentError::Syntax { file: file.to_owned(), line: reason.line(), message }
        }
    })?;
    let end = |reason: serde_json::Error| ExperimentError::Syntax {
        file: file.to_owned(),
        line: reason.line(),
        message: "there is more after the model".to_owned(),
    };
    source.end().map(|()| value).map_err(end)
}

impl Statement {
    fn of(plan: &Plan, summary: &Summary) -> Self {
        let private = plan.not_private().is_none();
        let promise = Promise::of_all_lanes(plan, summary);
        let (epsilon, delta) =
            (promise.map(|promise| promise.epsilon), promise.map_or(plan.delta, |promise| promise.delta));
        let of_one = Promise::of(&summary.epsilon, plan).filter(|_| private).map(|promise| promise.epsilon);
        let caveats = report::caveats(summary, plan).join(" ");
        let statement = match epsilon {
            Some(epsilon) => format!(
                "Adversary: {}. Adjacency: {}. For every set of outcomes, of all messages and the models of this file together, the \
                 probability on one of two adjacent data sets is at most exp({}) times that on the other, plus {}. {caveats}",
                plan.adversary_in_words,
                plan.adjacency_in_words,
                report::bound(epsilon),
                report::significant(delta),
            ),
            None if private => format!("NON-PRIVATE: no accountant bounds what is released. {caveats}"),
            None => format!("NON-PRIVATE: {}", caveats.trim_start_matches("NON-PRIVATE: ")),
        };
        Self {
            private: private && epsilon.is_some(),
            statement,
            adversary: plan.adversary.clone(),
            adjacency: plan.adjacency.clone(),
            assignment: plan.assignment.clone(),
            released: plan.released.clone(),
            releases_per_node: plan.releases_per_node,
            mechanism: plan.mechanism.clone(),
            sensitivity: plan.sensitivity.clone(),
            accountant: promise.map_or("none", |promise| promise.accountant).to_owned(),
            epsilon,
            delta,
            lanes: plan.lanes,
            epsilon_of_one_lane: of_one,
            not_covered: report::not_covered().map(str::to_owned).collect(),
        }
    }
}
