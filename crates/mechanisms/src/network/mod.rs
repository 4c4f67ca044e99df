//! Network differential privacy: what one party learns about another from the messages that reach it.
//!
//! # Update
//! Each node hides its vector once, `y_i = x_i + eta_i` with `eta_i ~ N(0, sigma^2 I)`, and then all average:
//! `m(0) = y`, `m(t+1) = W m(t)`. In each of `T` rounds a node sends its `m_i(t)` to its neighbours, so a viewer sees
//! `m_w(t)` of its neighbours `w` for `t < T`, and its own `y`.
//!
//! # Privacy
//! All of it is linear in `y`: the view is `O y`, and data that differ by `D` at node `u` alone look to it like `N(0, 1)`
//! and `N(mu, 1)` with
//!
//! ```text
//! mu^2 = (D^2 / sigma^2) [O^+ O]_uu,
//! ```
//!
//! the diagonal of the projector on the row space of `O`: exactly. It is an **estimate** here ([`Loss::estimate`]): whether
//! a direction is in a space is a question of rank, which floating-point numbers decide up to a tolerance
//! ([`TOLERANCE`]), and a direction lost makes the loss too small. The **guarantee** ([`Loss::upper`]) needs no
//! arithmetic: `D^2 / sigma^2` for each node whose value can have reached the view, and 0 for the others.
//!
//! It is the loss of *one* averaging. What is averaged next must not depend on what came out, or the losses of nodes that
//! were out of reach do not simply add up.
//!
//! Adding up the loss of each message by itself, as has been published ([`Gossip::sum_of_marginals`]), is **no bound** on
//! a view: messages share noise, and their differences uncover what each of them hides.
//!
//! # Guarantee
//! `tests/network.rs`: dense pseudo-inverses, views worked out by hand, and the best statistic a viewer can compute.
//!
//! # References
//! Cyffers, Even, Bellet, Massoulié, *Muffliato: peer-to-peer privacy amplification*, 2022; derivation in
//! `docs/theory/network-privacy.md`.
//!
//! ```
//! use dido_mechanisms::accountants::epsilon_of_mu;
//! use dido_mechanisms::network::Gossip;
//! use dido_mechanisms::{Adjacency, Norm, Sensitivity};
//! use ndarray::Array2;
//!
//! // Twelve nodes in a ring take the mean of themselves and their two neighbours, three times.
//! let weights = Array2::from_shape_fn((12, 12), |(i, j)| if [0, 1, 11].contains(&((i + 12 - j) % 12)) { 1.0 / 3.0 } else { 0.0 });
//! let view = Gossip::from_dense(weights.view())?.view(&[0], 3)?;
//! let sensitivity = Sensitivity::new(1.0, Norm::L2, Adjacency::ReplaceNode)?;
//! // Of nodes 1 to 11: it works out the noisy values of nodes 1, 2 and 3, and learns nothing at all of node 4.
//! let [_, _, third, fourth, ..] = view.losses(sensitivity, 2.0)?[..] else { unreachable!("eleven others") };
//! assert!((third.estimate - 0.25).abs() < 1e-12);
//! assert_eq!((third.node, third.distance, third.upper), (3, Some(3), 0.25));
//! assert_eq!((fourth.node, fourth.distance, fourth.upper), (4, None, 0.0));
//! let epsilon = epsilon_of_mu(third.upper.sqrt(), 1e-5)?;
//! assert!(epsilon > 1.9 && epsilon < 2.1);
//! # Ok::<(), dido_mechanisms::MechanismError>(())
//! ```
#![allow(clippy::needless_pass_by_value, reason = "array views are passed by value, as slices are")]

mod basis;
mod gossip;
mod view;

pub use basis::TOLERANCE;
pub use gossip::Gossip;
pub use view::{Loss, View};
