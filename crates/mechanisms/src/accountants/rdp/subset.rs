//! A random subset of fixed size, a record replaced: a bound for any mechanism.
//!
//! Wang, Balle, Kasiviswanathan, *Subsampled Rényi differential privacy and analytical moments accountant* (2019),
//! Theorem 9, for integer orders:
//!
//! ```text
//! 1 + q^2 C(alpha,2) min(4 (e^D_2 - 1), e^D_2 min(2, (e^D_inf - 1)^2))
//!   + sum_(j>=3) q^j C(alpha,j) e^((j-1) D_j) min(2, (e^D_inf - 1)^j)
//! ```

use super::curve::unsampled;
use super::poisson::log_one_plus_sum;
use crate::accountants::facts::Loss;

/// The divergence of an integer order, at least 2.
pub(super) fn renyi(loss: Loss, rate: f64, order: u32) -> f64 {
    let alpha = f64::from(order);
    // ln(e^D_inf - 1), where the largest loss is bounded.
    let largest = match loss {
        Loss::Laplace { l1, .. } => l1.exp_m1().ln(),
        Loss::DiscreteLaplace(noise) => noise.l1_scales().exp_m1().ln(),
        Loss::Approximate { epsilon, .. } => epsilon.exp_m1().ln(),
        _ => f64::INFINITY,
    };
    let at_most = |j: f64| 2.0_f64.ln().min(j * largest);
    let mut choose = alpha.ln();
    let terms = (2..=order).map(|j| {
        let j = f64::from(j);
        choose += ((alpha - j + 1.0) / j).ln();
        let divergence = unsampled(loss, j);
        let growth = (j - 1.0) * divergence + at_most(j);
        let growth = if j > 2.0 { growth } else { growth.min(4.0_f64.ln() + divergence.exp_m1().ln()) };
        choose + j * rate.ln() + growth
    });
    log_one_plus_sum(terms) / (alpha - 1.0)
}
