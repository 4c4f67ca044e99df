//! The algorithms of a file: one module each, which is all that the rest of this crate knows of them.
//!
//! # Adding one
//! 1. Its algorithm in `dido_optimizers`.
//! 2. Here a file with its name, for which `dgd.rs` is the shortest model: the struct of its keys, which is read from the file
//!    and implements [`Kind`]: what kinds of experiments it takes, and its checks; and the struct of the checked values, which
//!    implements [`Method`]: how it is built, and what plan, calibration and report ask it. What has a default there needs
//!    no mention if the default is right; what [`Takes`] does not mention is refused.
//! 3. Its module and its line in the table below.
//! 4. Its keys in the README, a run and its refusals in `tests/algorithms.rs`.

mod checks;
mod clipped_dgd;
mod dgd;
mod diging;
mod dp_sgd;
mod dual_averaging;
mod extra;
mod linearised_admm;
mod method;
mod muffliato;
mod objective_perturbation;
mod output_perturbation;
mod pdop;
mod projected_dgd;
mod sufficient_statistics;
mod wang_nedic;

use std::sync::Arc;

use dido_optimizers::{Algorithm, Parties};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use checks::Checks;
pub use dual_averaging::PointsConfig;
pub(crate) use dual_averaging::expected_share;
pub use method::{Descent, Enters, Kind, Method, Sequences, Takes};
pub use pdop::AtConfig;

use crate::error::ExperimentError;
use crate::spec::Spec;

/// Makes the enum of the kinds, and what is asked of a kind before it is checked.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:literal => $kind:ident($keys:ty),)+) => {
        /// `[algorithm]`
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind")]
        pub enum AlgorithmConfig {
            $($(#[$doc])* #[serde(rename = $name)] $kind($keys),)+
        }

        /// Every kind by its name in the file, and what it takes.
        const KINDS: &[(&str, Takes)] = &[$(($name, <$keys as Kind>::TAKES),)+];

        impl AlgorithmConfig {
            /// The name of its kind.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$kind(_) => $name,)+ }
            }

            /// What kinds of experiments it takes.
            pub fn takes(&self) -> Takes {
                match self { $(Self::$kind(_) => <$keys as Kind>::TAKES,)+ }
            }

            fn check(&self, checks: &Checks<'_>) -> Result<Arc<dyn Method>, ExperimentError> {
                match self { $(Self::$kind(keys) => keys.check(checks),)+ }
            }
        }
    };
}

kinds! {
    /// Decentralised gradient descent; non-private.
    "dgd" => Dgd(dgd::DgdConfig),
    /// Paper A, Algorithm 1.
    "projected-dgd" => ProjectedDgd(projected_dgd::ProjectedDgdConfig),
    /// Paper C.
    "pdop" => Pdop(pdop::PdopConfig),
    /// DP-SGD, on one party or decentralised.
    "dp-sgd" => DpSgd(dp_sgd::DpSgdConfig),
    /// DGD on clipped gradients, with noise that neighbours share.
    "clipped-dgd" => ClippedDgd(clipped_dgd::ClippedDgdConfig),
    /// One release, then gossip.
    "muffliato" => Muffliato(muffliato::MuffliatoConfig),
    /// Weakening coupling.
    "wang-nedic" => WangNedic(wang_nedic::WangNedicConfig),
    /// Paper B, Algorithm 1.
    "dual-averaging" => DualAveraging(dual_averaging::DualAveragingConfig),
    /// Gradient tracking.
    "diging" => DIGing(diging::DIGingConfig),
    /// EXTRA.
    "extra" => Extra(extra::ExtraConfig),
    /// Decentralised linearised ADMM.
    "linearised-admm" => LinearisedAdmm(linearised_admm::LinearisedAdmmConfig),
    /// The normal equations, released once.
    "sufficient-statistics" => SufficientStatistics(sufficient_statistics::SufficientStatisticsConfig),
    /// Every party's own minimiser, released once.
    "output-perturbation" => OutputPerturbation(output_perturbation::OutputPerturbationConfig),
    /// Every party's own minimiser of a randomly tilted objective, released once.
    "objective-perturbation" => ObjectivePerturbation(objective_perturbation::ObjectivePerturbationConfig),
}

/// What those algorithms release that release gradients and nothing else.
const GRADIENT: &str =
    "g_i(t) + noise_i(t): the gradient of f_i at x_i(t); all else is computed from what was released";

/// From `[algorithm]` to checked values.
///
/// # Errors
/// Names the first key at fault; also where the algorithm does not take the rest of the experiment.
pub fn method(checks: &Checks<'_>) -> Result<Arc<dyn Method>, ExperimentError> {
    checks.fits()?;
    checks.config.algorithm.check(checks)
}

/// The algorithm of a specification, at its starting point.
pub fn build(spec: &Spec, parties: &Parties) -> Box<dyn Algorithm> {
    spec.method.build(spec, parties.start(&vec![0.0; spec.declaration.dim()]))
}

/// The names of the kinds that take something, as a list in words.
pub(crate) fn those_that(take: impl Fn(Takes) -> bool) -> String {
    let names: Vec<&str> = KINDS.iter().filter(|(_, takes)| take(*takes)).map(|(name, _)| *name).collect();
    match names.split_last() {
        Some((last, others @ [_, ..])) => format!("{} and {last}", others.join(", ")),
        Some((only, _)) => (*only).to_owned(),
        None => "no algorithm".to_owned(),
    }
}
