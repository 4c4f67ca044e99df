//! A random subset of fixed size, a record replaced: a bound for any mechanism.
//!
//! Wang, Balle, Kasiviswanathan, *Subsampled Rényi differential privacy and analytical moments accountant* (2019), for
//! integer orders: with any upper bound `M_j` on `E_r (|p - q| / r)^j` for three neighbouring outputs,
//!
//! ```text
//! e^((alpha-1) D) <= 1 + sum_(j>=2) q^j C(alpha,j) M_j
//! ```
//!
//! Theorem 9: `M_2 <= 4 (e^D_2 - 1)` and `M_j <= e^((j-1) D_j) min(2, (e^D_inf - 1)^j)`. The sharper Theorem 27: `M_j` is at
//! most four times what it is for two outputs, `M_j <= 4 E_q (|p/q - 1|)^j`. (Where `r >= q < p`, the term grows if `q`
//! takes the place of `r`; where `r < q < p`, `p - q <= p - r`; and so with `p` and `q` exchanged.) For odd `j` that lies
//! below the geometric mean of its even neighbours (Cauchy-Schwarz), and those are computed in `chi`. Each term takes the least.

use std::cell::RefCell;

use super::chi::log_chi;
use super::curve::unsampled;
use super::poisson::{log_expm1, log_one_plus_sum};
use crate::accountants::facts::Loss;

/// A loss on a random subset.
#[derive(Clone, Debug)]
pub(super) struct Subset {
    loss: Loss,
    rate: f64,
    /// `ln E_q (p/q - 1)^j` for `j` = 2, 4, ..., as far as they have been asked for.
    chi: RefCell<Vec<f64>>,
}

/// The largest `j` with the sharper bound; for those beyond Theorem 9 has to do.
const SHARP: u32 = 256;

impl Subset {
    pub(super) fn of(loss: Loss, rate: f64) -> Self {
        Self { loss, rate, chi: RefCell::default() }
    }

    /// The divergence of an integer order, at least 2.
    pub(super) fn at(&self, order: u32) -> f64 {
        let alpha = f64::from(order);
        // ln(e^D_inf - 1), where the largest loss is bounded.
        let largest = match self.loss {
            Loss::Laplace { l1, .. } => log_expm1(l1),
            Loss::DiscreteLaplace(noise) => log_expm1(noise.l1_scales()),
            Loss::Approximate { epsilon, .. } => log_expm1(epsilon),
            _ => f64::INFINITY,
        };
        let mut choose = alpha.ln();
        let terms = (2..=order).map(|index| {
            let j = f64::from(index);
            choose += ((alpha - j + 1.0) / j).ln();
            let divergence = unsampled(self.loss, j);
            let plain = (j - 1.0) * divergence + 2.0_f64.ln().min(j * largest);
            let sharp = if index == 2 { log_expm1(divergence) } else { self.log_chi(index) };
            choose + j * self.rate.ln() + plain.min(4.0_f64.ln() + sharp)
        });
        log_one_plus_sum(terms) / (alpha - 1.0)
    }

    /// An upper bound on `ln E_q |p/q - 1|^j`.
    fn log_chi(&self, j: u32) -> f64 {
        if j > SHARP {
            return f64::INFINITY;
        }
        let mut chi = self.chi.borrow_mut();
        for even in chi.len() as u32 + 1..=j.div_ceil(2) {
            chi.push(log_chi(self.loss, 2 * even));
        }
        let at = |half: u32| chi[half as usize - 1];
        0.5 * (at(j / 2) + at(j.div_ceil(2)))
    }
}
