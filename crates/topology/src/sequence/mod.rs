//! Mixing weights that change from round to round: sequences `W(t)`.
//!
//! | sequence | round `t` | `E[W'W]` in closed form |
//! |---|---|---|
//! | [`Constant`] | one matrix for ever | always |
//! | [`NodeActivation`] | some nodes are awake and average with each other, the others rest | complete graph |
//! | [`EdgeFailures`] | links of another sequence fail; both ends keep the lost weight | over [`Constant`] |
//! | [`NodeOutages`] | nodes of another sequence are down for stated rounds | |
//! | [`PairwiseGossip`] | the ends of one random edge take their mean | always |
//! | [`OnePeerExponential`] | every node takes the mean with one peer, `i` xor `2^k` | not random |
//! | [`Recorded`] | what a file says | not random |
//! | [`Periodic`] | recorded rounds over and over, connected over every window | not random |
//!
//! A round is a [`RoundMatrix`]: symmetric and doubly stochastic, as a [`MixingMatrix`](crate::MixingMatrix) is, but not
//! necessarily connected. Whether a sequence connects its nodes all the same shows over several rounds: [`union`],
//! [`product_norm`] and [`check_jointly_connected`]. How fast it averages in expectation is estimated by
//! [`estimate_contraction`].

mod activation;
mod constant;
mod contraction;
mod edge_failures;
mod error;
mod joint;
mod node_outages;
mod one_peer_exponential;
mod pairwise_gossip;
mod periodic;
mod recorded;
mod round;

pub use activation::NodeActivation;
pub use constant::Constant;
pub use contraction::{ContractionEstimate, estimate_contraction};
pub use edge_failures::EdgeFailures;
pub use error::SequenceError;
pub use joint::{DENSE_NODES, check_jointly_connected, product, product_norm, union};
pub use node_outages::{NodeOutages, Outage};
pub use one_peer_exponential::OnePeerExponential;
pub use pairwise_gossip::PairwiseGossip;
pub use periodic::Periodic;
pub use recorded::Recorded;
pub use round::RoundMatrix;

use std::fmt::Debug;
use std::sync::Arc;

use crate::TopologyError;

/// Mixing weights for every round.
///
/// `W(t)` is a pure function of the sequence and of `t`: no call changes what another one sees. So every node that
/// holds the sequence finds the same weights, however many values are averaged within a round and in whatever order
/// rounds are asked for, and a run resumes at any round. Randomness is a public coin: it comes from a seed that all
/// nodes know, one stream per round.
///
/// The trait is an extension point: a sequence of one's own says which edges a round has.
///
/// ```
/// use dido_topology::{RoundMatrix, Sequence, TopologyError, sequence};
///
/// /// Even rounds join 0 - 1, odd rounds 1 - 2.
/// #[derive(Debug)]
/// struct Alternating;
///
/// impl Sequence for Alternating {
///     fn nodes(&self) -> usize {
///         3
///     }
///     fn fill(&self, t: u32, round: &mut RoundMatrix) -> Result<(), TopologyError> {
///         let first = t as usize % 2;
///         round.set(3, 0..3, [(first, first + 1, 0.5)])
///     }
/// }
///
/// assert_eq!(Alternating.round(1)?.row(2), (&[1, 2][..], &[0.5, 0.5][..]));
/// assert!(sequence::union(&Alternating, 0..1).is_err());
/// assert!(sequence::union(&Alternating, 0..2).is_ok());
/// # Ok::<(), TopologyError>(())
/// ```
pub trait Sequence: Debug + Send + Sync {
    /// Number of nodes, the same in every round.
    fn nodes(&self) -> usize;

    /// Writes `W(t)` into `round`, whatever it held before. Its buffers are used again, so a run that keeps one
    /// `RoundMatrix` stops allocating once it has met its largest round.
    ///
    /// # Errors
    /// If the sequence does not reach round `t` or gives weights that are not doubly stochastic.
    fn fill(&self, t: u32, round: &mut RoundMatrix) -> Result<(), TopologyError>;

    /// `W(t)` by itself.
    ///
    /// # Errors
    /// As for [`fill`](Self::fill).
    fn round(&self, t: u32) -> Result<RoundMatrix, TopologyError> {
        let mut round = RoundMatrix::identity(self.nodes());
        self.fill(t, &mut round)?;
        Ok(round)
    }
}

impl<S: Sequence + ?Sized> Sequence for Box<S> {
    fn nodes(&self) -> usize {
        (**self).nodes()
    }

    fn fill(&self, t: u32, round: &mut RoundMatrix) -> Result<(), TopologyError> {
        (**self).fill(t, round)
    }
}

impl<S: Sequence + ?Sized> Sequence for Arc<S> {
    fn nodes(&self) -> usize {
        (**self).nodes()
    }

    fn fill(&self, t: u32, round: &mut RoundMatrix) -> Result<(), TopologyError> {
        (**self).fill(t, round)
    }
}
