//! Advanced composition: from the epsilons of the releases alone, with a discount for many of them.
//!
//! With `(epsilon_t, delta_t)` for each release and what `delta` leaves after `1 - prod(1 - delta_t)`, called `d`:
//! * [`Theorem::DworkRothblumVadhan`] (2010): `sqrt(2 ln(1/d) sum e_t^2) + sum e_t (exp(e_t) - 1)`;
//! * [`Theorem::KairouzOhViswanath`] (*The composition theorem for differential privacy*, 2015): if all epsilons are equal
//!   the optimum, `d = sum_l C(k,l) (e^((k-l) e) - e^(epsilon + l e))_+ / (1 + e^e)^k` (their Theorem 3.3, between its
//!   points as well); otherwise their Theorem 3.5.
//!
//! Neither exceeds the sum of the epsilons. For unequal epsilons [`Pld`](super::Pld) computes the optimum, and for Laplace
//! noise what it gives away beyond its epsilon.

use libm::lgamma as ln_gamma;

use super::{Accountant, Bound, left_of, positive_delta, pure, worst};
use crate::{ClassLedger, Ledger, MechanismError};

/// Which theorem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theorem {
    /// The older one.
    DworkRothblumVadhan,
    /// The better one, optimal for equal releases.
    #[default]
    KairouzOhViswanath,
}

/// Advanced composition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Advanced {
    /// Which theorem.
    pub theorem: Theorem,
}

impl Accountant for Advanced {
    fn name(&self) -> &'static str {
        match self.theorem {
            Theorem::DworkRothblumVadhan => "advanced-drv",
            Theorem::KairouzOhViswanath => "advanced-kov",
        }
    }

    fn bound(&self, ledger: &Ledger, delta: f64) -> Result<Bound, MechanismError> {
        positive_delta(delta)?;
        worst(ledger, delta, self.name(), |class| {
            let releases = Releases::of(class)?;
            Ok((releases.epsilon(self.theorem, delta), None))
        })
    }
}

/// The releases of a class, those that cost nothing left out: (epsilon, how often).
struct Releases {
    list: Vec<(f64, u64)>,
    /// `-ln` of the probability that no release fails.
    failure: f64,
}

impl Releases {
    fn of(class: &ClassLedger) -> Result<Self, MechanismError> {
        let (mut list, mut failure) = (vec![], 0.0);
        for entry in class.entries.iter().filter(|entry| entry.releases > 0) {
            let unsupported = || MechanismError::Unsupported { accountant: "advanced", event: entry.event.name() };
            let (epsilon, delta) = pure::approximate(&entry.event).map_err(|error| match error {
                MechanismError::Unsupported { .. } => unsupported(),
                other => other,
            })?;
            failure -= entry.releases as f64 * (-delta).ln_1p();
            if epsilon > 0.0 {
                list.push((epsilon, entry.releases));
            }
        }
        Ok(Self { list, failure })
    }

    fn sum(&self, term: impl Fn(f64) -> f64) -> f64 {
        self.list.iter().map(|&(epsilon, releases)| releases as f64 * term(epsilon)).sum()
    }

    fn epsilon(&self, theorem: Theorem, delta: f64) -> f64 {
        let left = left_of(delta, self.failure);
        if self.sum(|e| e).is_infinite() {
            return f64::INFINITY;
        }
        if left <= 0.0 {
            // Nothing is left for the composition itself; a failure above delta leaves no promise at all.
            return if left < 0.0 { f64::INFINITY } else { self.sum(|e| e) };
        }
        let advanced = match theorem {
            Theorem::DworkRothblumVadhan => {
                (-2.0 * left.ln() * self.sum(|e| e * e)).sqrt() + self.sum(|e| e * e.exp_m1())
            }
            Theorem::KairouzOhViswanath => self.kairouz_oh_viswanath(left),
        };
        advanced.min(self.sum(|e| e))
    }

    fn kairouz_oh_viswanath(&self, delta: f64) -> f64 {
        if let Some(&(epsilon, _)) = self.list.first()
            && self.list.iter().all(|other| other.0.to_bits() == epsilon.to_bits())
        {
            let releases = self.list.iter().map(|&(_, releases)| releases).sum();
            if releases <= LARGEST {
                return optimal(epsilon, releases, delta);
            }
        }
        let squares = self.sum(|e| e * e);
        // e tanh(e/2) = e (exp(e) - 1) / (exp(e) + 1)
        let mean = self.sum(|e| e * (0.5 * e).tanh());
        let logarithm = (-delta.ln()).min((std::f64::consts::E + squares.sqrt() / delta).ln());
        mean + (2.0 * squares * logarithm).sqrt()
    }
}

/// The most equal releases whose binomial sum is formed.
const LARGEST: u64 = 10_000_000;

/// Terms further than this (in `ln`) below both the largest one and delta cannot change a digit.
const NEGLIGIBLE: f64 = 80.0;

/// The least epsilon of `releases` equal `epsilon`-private releases at `delta`: their worst case is that of as many
/// randomised responses, whose loss is `(releases - 2 l) epsilon` with binomial probability.
fn optimal(epsilon: f64, releases: u64, delta: f64) -> f64 {
    let k = releases as f64;
    let lie = -(epsilon + (-epsilon).exp().ln_1p());
    let truth = -(-epsilon).exp().ln_1p();
    let choose = |l: f64| ln_gamma(k + 1.0) - ln_gamma(l + 1.0) - ln_gamma(k - l + 1.0);
    // Only lies up to the half make a positive loss, and beyond some number below it the terms are negligible.
    let log_terms: Vec<(f64, f64)> = (0..=releases / 2)
        .map(|l| {
            let l = l as f64;
            ((k - 2.0 * l) * epsilon, choose(l) + l * lie + (k - l) * truth)
        })
        .collect();
    let peak = log_terms.iter().map(|term| term.1).fold(f64::NEG_INFINITY, f64::max);
    let floor = (peak - NEGLIGIBLE).min(delta.ln() - NEGLIGIBLE);
    let terms: Vec<(f64, f64)> =
        log_terms.into_iter().filter(|term| term.1 > floor).map(|(loss, log)| (loss, log.exp())).collect();
    // ln_gamma is right to 1e-14 of its own size; the sum may be as much too small.
    let slack = 1.0 + 1e-13 + 1e-14 * ln_gamma(k + 1.0);
    let exceeds = |epsilon: f64| {
        let sum: f64 = terms
            .iter()
            .take_while(|(loss, _)| *loss > epsilon)
            .map(|(loss, probability)| -probability * (epsilon - loss).exp_m1())
            .sum();
        sum.is_nan() || sum * slack > delta
    };
    if !exceeds(0.0) {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, k * epsilon);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if exceeds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}
