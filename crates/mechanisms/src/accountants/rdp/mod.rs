//! Rényi differential privacy (Mironov 2017): divergences of each order `alpha` add up, and the best order is converted.
//!
//! An epsilon follows from the divergence `r` of one order (Canonne, Kamath, Steinke 2020; Balle and others 2020):
//!
//! ```text
//! epsilon = r + ln(1 - 1/alpha) - (ln delta + ln alpha) / (alpha - 1)
//! ```
//!
//! and it is 0 where `delta^2 >= 1 - e^-r` bounds the total variation (Bretagnolle, Huber 1979). Every order gives a valid
//! bound, so orders may be chosen after the releases, if the *events* did not depend on what was released; for those see
//! [`Filter::renyi`](crate::Filter::renyi).

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "orders and numbers of points: positive integers below 2^15"
)]
mod chi;
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "orders and numbers of points: positive integers below 2^15"
)]
mod curve;
mod discrete;
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "orders and numbers of points: positive integers below 2^15"
)]
mod poisson;
#[allow(clippy::cast_possible_truncation, reason = "half of an order, at most 128")]
mod subset;

use super::{Accountant, Bound, failures, left_of, positive_delta, worst};
use crate::{ClassLedger, Ledger, MechanismError};

pub(crate) use curve::Curve;

/// The Rényi accountant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rdp {
    /// The orders to try; empty to search all of `(1, 2^24)` for the best one, fractional orders included.
    orders: Vec<f64>,
}

impl Rdp {
    /// With given orders, to compare with other programs. The best order may lie outside.
    ///
    /// # Errors
    /// If an order is not above 1 and finite, or there is none.
    pub fn with_orders(orders: Vec<f64>) -> Result<Self, MechanismError> {
        if let Some(&order) = orders.iter().find(|&&order| !(order > 1.0 && order.is_finite())) {
            return Err(MechanismError::Order(order));
        }
        if orders.is_empty() { Err(MechanismError::Order(f64::NAN)) } else { Ok(Self { orders }) }
    }
}

impl Accountant for Rdp {
    fn name(&self) -> &'static str {
        "rdp"
    }

    fn bound(&self, ledger: &Ledger, delta: f64) -> Result<Bound, MechanismError> {
        positive_delta(delta)?;
        worst(ledger, delta, self.name(), |class| {
            let curves = curves(class)?;
            let left = left_of(delta, failures(class)?);
            if left <= 0.0 {
                // What fails more often than delta is no promise.
                let harmless = left >= 0.0 && total(&curves, 2.0) <= 0.0;
                return Ok((if harmless { 0.0 } else { f64::INFINITY }, None));
            }
            let epsilon = |order: f64| epsilon_of_renyi(total(&curves, order), order, left);
            let best = if self.orders.is_empty() {
                let integers = curves.iter().any(|(curve, _)| curve.is_known_at_integers());
                search(epsilon, integers).min(if integers { among_integers(epsilon) } else { f64::INFINITY })
            } else {
                self.orders.iter().map(|&order| epsilon(order)).fold(f64::INFINITY, f64::min)
            };
            Ok((best, None))
        })
    }
}

fn curves(class: &ClassLedger) -> Result<Vec<(Curve, f64)>, MechanismError> {
    let released = class.entries.iter().filter(|entry| entry.releases > 0);
    released.map(|entry| Ok((Curve::of(&entry.event)?, entry.releases as f64))).collect()
}

fn total(curves: &[(Curve, f64)], order: f64) -> f64 {
    curves.iter().map(|(curve, releases)| releases * curve.at(order)).sum()
}

/// The epsilon at `delta` of a mechanism whose divergence of this order is `renyi`.
pub(crate) fn epsilon_of_renyi(renyi: f64, order: f64, delta: f64) -> f64 {
    if renyi <= 0.0 || delta * delta >= -(-renyi).exp_m1() {
        return 0.0;
    }
    (renyi + (-1.0 / order).ln_1p() - (delta.ln() + order.ln()) / (order - 1.0)).max(0.0)
}

/// The least epsilon over orders: a coarse look at every scale of `order - 1`, then golden sections around the best. The
/// look goes on for as long as the best is at its end. The integers next to the best are tried as well. `far`: there may be
/// several valleys, the last of them at the largest orders for which the bound is known.
fn search(epsilon: impl Fn(f64) -> f64 + Copy, far: bool) -> f64 {
    let at = |k: f64| epsilon(1.0 + (k * 0.5).exp2());
    let (step, last) = if far { (0.5, 28.0) } else { (1.0, 12.0) };
    let coarse = std::iter::successors(Some(-6.0), |k| Some(k + step)).take_while(|k| *k <= last);
    let mut looked: Vec<(f64, f64)> = coarse.map(|k| (k, at(k))).collect();
    let best = |looked: &[(f64, f64)]| {
        let smaller = |best: usize, here: usize| if looked[here].1 < looked[best].1 { here } else { best };
        (0..looked.len()).reduce(smaller).unwrap_or(0)
    };
    // 1 + 2^-20 and 2^24: the orders at which divergences are still numbers worth having.
    while best(&looked) + 1 == looked.len() && looked[looked.len() - 1].0 < 48.0 {
        let next = looked[looked.len() - 1].0 + step;
        looked.push((next, at(next)));
    }
    while best(&looked) == 0 && looked[0].0 > -40.0 {
        let next = looked[0].0 - step;
        looked.insert(0, (next, at(next)));
    }
    let (center, mut least) = looked[best(&looked)];
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let (mut low, mut high) = (center - step, center + step);
    let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_left, mut at_right) = (at(left), at(right));
    for _ in 0..24 {
        least = least.min(at_left).min(at_right);
        if at_left < at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - golden * (high - low);
            at_left = at(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + golden * (high - low);
            at_right = at(right);
        }
    }
    let order = 1.0 + (0.25 * (low + high)).exp2();
    [order.floor(), order.ceil()].into_iter().filter(|order| *order > 1.0).map(epsilon).fold(least, f64::min)
}

/// The least epsilon over integer orders. Bounds that are known for these only have kinks there and several valleys between
/// them, of which a search finds one.
fn among_integers(epsilon: impl Fn(f64) -> f64) -> f64 {
    (2..=MOST_INTEGER).map(f64::from).map(epsilon).fold(f64::INFINITY, f64::min)
}

/// The largest integer order that is always tried.
const MOST_INTEGER: u32 = 256;
