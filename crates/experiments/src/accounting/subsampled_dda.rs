//! `dido epsilon subsampled-dda`: what subsampled dual averaging (paper B) is worth, and what is claimed for it.

use clap::Args;
use dido_mechanisms::subsampled_dda::{Activation, Claim, SubsampledDda};
use dido_mechanisms::{Adjacency, Adversary};
use serde::Serialize;

use super::answer::Figures;
use super::number;
use super::sample::usage;
use crate::error::ExperimentError;

/// A run of subsampled dual averaging.
#[derive(Args, Clone, Debug)]
#[command(allow_negative_numbers = true)]
pub struct Dda {
    /// Number of nodes. Nothing depends on it: each node protects its own records.
    #[arg(long, value_name = "N", value_parser = number::positive_count)]
    pub nodes: u64,
    /// The probability of a node to be active in a round; above 0.
    #[arg(long, value_name = "I", value_parser = number::positive_rate)]
    pub iota: f64,
    /// Records of each node, of which an active one draws one.
    #[arg(long, value_name = "Q", value_parser = number::positive_count)]
    pub records: u64,
    /// Standard deviation of the noise on each coordinate, in the units of a gradient.
    #[arg(long, value_name = "S", value_parser = number::positive)]
    pub sigma: f64,
    /// No gradient is longer.
    #[arg(long, value_name = "L", value_parser = number::positive)]
    pub lipschitz: f64,
    /// Number of rounds.
    #[arg(long, value_name = "T", value_parser = number::count)]
    pub rounds: u64,
    /// The probability that the loss is larger than epsilon; above 0.
    #[arg(long, value_name = "D", value_parser = number::delta)]
    pub delta: f64,
}

/// An answer of `dido epsilon subsampled-dda`.
#[derive(Clone, Debug, Serialize)]
pub struct DdaAnswer {
    /// What is released each time, in words.
    pub mechanism: String,
    /// Standard deviation of the noise divided by `2 L`, by which a replaced record can move a gradient.
    pub noise_multiplier: f64,
    /// The data sets that cannot be told apart.
    pub adjacency: Adjacency,
    /// At which failure probability.
    pub delta: f64,
    /// The guarantee of the published algorithm: everybody sees who is active.
    pub visible: Against,
    /// The guarantee if nobody can tell who is active, which takes secret coins and dummy messages.
    pub hidden: Against,
    /// What the paper's closed form says.
    pub published: Published,
}

/// A guarantee against one adversary.
#[derive(Clone, Debug, Serialize)]
pub struct Against {
    /// Who looks.
    pub adversary: Adversary,
    /// Epsilon.
    #[serde(flatten)]
    pub figures: Figures,
}

/// A claim, to be compared.
#[derive(Clone, Debug, Serialize)]
pub struct Published {
    /// Always false.
    pub guarantee: bool,
    /// Why.
    pub reason: String,
    /// The closed form, its constant and the range that it is claimed for.
    #[serde(flatten)]
    pub claim: Claim,
}

/// What subsampled dual averaging is worth.
///
/// # Errors
/// If a number is out of its range.
pub fn answer(question: &Dda) -> Result<DdaAnswer, ExperimentError> {
    let Dda { iota, records, sigma, lipschitz, rounds, delta, .. } = *question;
    if delta <= 0.0 {
        return Err(usage(format!("--delta {delta}: Gaussian noise needs a delta above 0")));
    }
    let rounds = u32::try_from(rounds).map_err(|_| usage(format!("--rounds {rounds}: must be below 2^32")))?;
    // One node stands for all, which are alike: a ledger lists its nodes.
    let run = SubsampledDda { nodes: 1, iota, records, sigma, lipschitz, rounds };
    let against = |activation| -> Result<Against, ExperimentError> {
        let ledger = run.ledger(activation)?;
        Ok(Against { adversary: ledger.adversary, figures: Figures::of(&ledger, delta)? })
    };
    let claim = run.published(delta)?;
    Ok(DdaAnswer {
        mechanism: format!(
            "a gradient of length up to {lipschitz} at one of {records} records, with Gaussian noise of standard deviation \
             {sigma}, in each of {rounds} rounds with probability {iota}"
        ),
        noise_multiplier: 0.5 * sigma / lipschitz,
        adjacency: Adjacency::ReplaceRecord,
        delta,
        visible: against(Activation::Visible)?,
        hidden: against(Activation::Hidden)?,
        published: Published { guarantee: false, reason: claim.refusal().to_string(), claim },
    })
}
