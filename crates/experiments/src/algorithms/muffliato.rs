//! `muffliato`: one private gradient step, then many steps of gossip.

use std::sync::Arc;

use dido_geometry::Set;
use dido_mechanisms::Public;
use dido_optimizers::{Algorithm, Gossip, Schedule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Checks, Descent, Enters, Kind, Method, Sequences, Takes};
use crate::config::SetConfig;
use crate::config::algorithm::half;
use crate::error::ExperimentError;
use crate::spec::Spec;

/// Muffliato.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MuffliatoConfig {
    /// The set within which gradients are taken.
    pub set: SetConfig,
    /// The step size of each round.
    pub step: Schedule,
    /// Exchanges with the neighbours in a round.
    pub exchanges: u32,
    /// How they mix.
    #[serde(default)]
    pub gossip: GossipConfig,
    /// The fraction of the rounds before averaging begins.
    #[serde(default = "half")]
    pub average_from: f64,
}

/// `gossip`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GossipConfig {
    /// With the weights, again and again.
    #[default]
    Plain,
    /// With the polynomial of the weights that agrees soonest.
    Chebyshev,
}

/// More exchanges than this are a slip of the keyboard.
const MOST_EXCHANGES: u32 = 100_000;

impl Kind for MuffliatoConfig {
    const TAKES: Takes = Takes { sequences: Sequences::Any, ..Takes::LEAST };

    fn check(&self, checks: &Checks<'_>) -> Result<Arc<dyn Method>, ExperimentError> {
        let Checks { at, config, .. } = checks;
        let message = format!("{} is not 1 to {MOST_EXCHANGES}", self.exchanges);
        at.require("algorithm.exchanges", (1..=MOST_EXCHANGES).contains(&self.exchanges), message)?;
        let gossip = match self.gossip {
            GossipConfig::Plain => Gossip::Plain,
            GossipConfig::Chebyshev => {
                let message = "chebyshev gossip is for the same weights in every round: use plain, or leave it out";
                at.require("graph.sequence", config.graph.sequence.is_none(), message)?;
                let lambda = at.check("algorithm.gossip", checks.weights.second_largest_singular_value())?;
                let message = "chebyshev gossip needs weights with which all parties come to agree";
                at.require("algorithm.gossip", lambda < 1.0, message)?;
                Gossip::Chebyshev { lambda }
            }
        };
        let set = checks.set(&self.set)?;
        let average_from = checks.average_from(self.average_from)?;
        Ok(Arc::new(Muffliato { set, step: checks.step(&self.step)?, gossip: (gossip, self.exchanges), average_from }))
    }
}

#[derive(Clone, Debug)]
struct Muffliato {
    set: Set,
    step: Schedule,
    gossip: (Gossip, u32),
    average_from: u32,
}

impl Method for Muffliato {
    fn build(&self, _spec: &Spec, zeros: Public) -> Box<dyn Algorithm> {
        let Self { set, step, gossip, average_from } = self.clone();
        let built = dido_optimizers::Muffliato::new(set, step, gossip, average_from, zeros);
        Box::new(built.expect("the weights were checked"))
    }

    fn released(&self) -> String {
        let (gossip, exchanges) = self.gossip;
        let kind = if gossip == Gossip::Plain { "plain" } else { "Chebyshev" };
        format!(
            "y_i(t) = p_i(t) - step(t) grad f_i(p_i(t)) + noise_i(t+1), where p_i(t) is b_i(t) projected; b_i(t+1) is what \
             {exchanges} exchanges of {kind} gossip make of all y_j(t), without further noise"
        )
    }

    fn step(&self) -> Option<&Schedule> {
        Some(&self.step)
    }

    fn set(&self) -> &Set {
        &self.set
    }

    fn descent(&self) -> Option<Descent<'_>> {
        Some(Descent { step: &self.step, enters: Enters::Point, average_from: Some(self.average_from) })
    }

    fn exchanges(&self) -> u32 {
        self.gossip.1
    }
}
