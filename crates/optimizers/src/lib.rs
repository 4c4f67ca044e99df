//! Private decentralised optimisation: the node, the algorithms, their schedules, bounds and driver.
#![doc = include_str!("../README.md")]

// What a run is made of.
mod algorithm;
mod declaration;
mod driver;
mod error;
mod look;
mod network;
mod node;
mod once;
mod parties;
mod perturbed;
mod sampling;
mod varying;

// What algorithms are made of.
mod average;
mod dual_weights;
mod schedule;

// Algorithms, one file each.
mod clipped_dgd;
mod dgd;
mod diging;
mod dp_sgd;
mod dual_averaging;
mod extra;
mod linearised_admm;
mod muffliato;
mod objective_perturbation;
mod output_perturbation;
mod pdop;
mod projected_dgd;
mod sufficient_statistics;
mod wang_nedic;

// What refutes their privacy.
pub mod audit;

// Theorems, one file for each paper.
pub mod bounds;

// What property tests draw.
#[cfg(feature = "proptest")]
pub mod strategies;

pub use algorithm::Algorithm;
pub use average::{TailAverage, WeightedMean};
pub use clipped_dgd::ClippedDgd;
pub use declaration::Declaration;
pub use dgd::{Dgd, Perturbed};
pub use diging::DIGing;
pub use dp_sgd::DpSgd;
pub use driver::{agree, plan, plan_on, run};
pub use dual_averaging::{DualAveraging, Points};
pub use dual_weights::DualWeights;
pub use error::{OptimizerError, Stop};
pub use extra::Extra;
pub use linearised_admm::LinearisedAdmm;
pub use look::Look;
pub use muffliato::{Gossip, Muffliato};
pub use network::{Alone, InProcess, Network, NetworkError};
pub use node::{Node, Noise};
pub use objective_perturbation::ObjectivePerturbation;
pub use output_perturbation::OutputPerturbation;
pub use parties::Parties;
pub use pdop::{At, Pdop};
pub use projected_dgd::ProjectedDgd;
pub use sampling::{Clip, Sampling};
pub use schedule::{Constant, Geometric, Power, Schedule, Table};
pub use sufficient_statistics::SufficientStatistics;
pub use varying::Varying;
pub use wang_nedic::WangNedic;
