//! Differential privacy: what may leave a node, and what it costs.
#![doc = include_str!("../README.md")]

// Values that carry their privacy, and the door between them.
mod carry;
mod coins;
mod draw;
mod gate;
mod mechanism;
mod placement;
mod price;
mod private;
mod public;

// What is said about them.
mod adversary;
pub mod gradients;
pub mod least_squares;
mod objective_perturbation;
mod sensitivity;
pub mod sufficient_statistics;

// What is written down, what it amounts to, and what is allowed.
pub mod accountants;
mod budget;
pub mod calibrate;
mod event;
mod ledger;
mod normal;
mod odometer;
mod plan;
pub mod subsampled_dda;

// What refutes it.
pub mod audit;

// Noise.
mod keys;
pub mod noise;

// What is accounted for by matrices.
#[cfg(feature = "linalg")]
pub mod correlated;
#[cfg(feature = "linalg")]
pub mod network;

mod error;

pub use accountants::{Accountant, Best, Bound, Conversion, Gdp, Pld, Pure, Rdp, Zcdp};
pub use adversary::Adversary;
pub use budget::{Budget, Filter, Unit};
pub use coins::SecretCoins;
pub use error::MechanismError;
pub use event::{Base, Discrete, Event, Sampling};
pub use gate::Gate;
pub use keys::{Key, Purpose, Stream};
pub use ledger::{ClassLedger, Entry, Ledger};
pub use mechanism::Mechanism;
pub use noise::{DiscreteGaussian, DiscreteLaplace, ExactNoise, Gaussian, Grid, Laplace, RecordSum};
pub use objective_perturbation::ObjectivePerturbation;
pub use odometer::Odometer;
pub use private::{Batch, Private};
pub use public::Public;
pub use sensitivity::{Adjacency, Norm, Sensitivity};
