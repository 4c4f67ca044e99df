//! What the geometric schedules cost.

use dido_geometry::{L2Ball, Set};
use dido_mechanisms::{Accountant, Adjacency, Adversary, Event, Ledger, Pure};
use dido_optimizers::bounds::huang2015::{Schedules, optimal_pure_decay, optimal_zcdp_decay};
use dido_optimizers::{At, Noise, Pdop, Schedule, plan};
use dido_topology::{families, weights};
use proptest::prelude::{Strategy, any};

use super::quadratic::Quadratics;
use crate::sample::sizes;
use crate::{Case, Expected, Theorem, TheoremError};

/// What C1 and C7 draw.
const SCHEDULES: &str = "0.3 <= q, 1.05 q < p <= 0.95, c, C, epsilon in [0.1, 10], dim <= 4, two agents; the plan of the algorithm, until a share of e^-25 is left";

pub const C1: Theorem = Theorem {
    name: "C1",
    statement: "with M(t) = K p^(t-1), all rounds together cost exactly epsilon",
    source: "paper C, privacy theorem, corrected (C-E1): huang2015.md, Privacy",
    assumptions: SCHEDULES,
    expected: Expected::Holds,
    cost: 20,
    reaches: 0.0,
    check: |case| {
        let planned = Planned::draw(case)?;
        case.equal(planned.epsilon(planned.schedules.noise())? / planned.schedules.epsilon, 1.0, 1e-9);
        Ok(())
    },
};

pub const C1_PUBLISHED: Theorem = Theorem {
    name: "C1-published",
    statement: "with M(t) = K p^t, as published, all rounds together cost at most epsilon",
    source: "paper C, (8) and privacy theorem, as published (C-E1)",
    assumptions: "as C1: it is epsilon / p, 1.25 epsilon for p = 0.8",
    expected: Expected::Fails,
    cost: 20,
    reaches: 0.0,
    check: |case| {
        let planned = Planned::draw(case)?;
        let schedules = &planned.schedules;
        let found = planned.epsilon(schedules.published_noise())?;
        case.number(found / schedules.published_noise_epsilon(), 1.0, 1e-9);
        case.number(
            Schedules { p: 0.8, q: 0.6, ..*schedules }.published_noise_epsilon() / schedules.epsilon,
            1.25,
            1e-12,
        );
        case.below(found, schedules.epsilon);
        Ok(())
    },
};

pub const C7: Theorem = Theorem {
    name: "C7",
    statement: "the corrected schedules cost rho = epsilon^2 (p - q) / (2 n (p + q)), the published ones 1/p^2 times that",
    source: "derived: huang2015.md, Privacy; rho = 0.01 for n = 10, q = 0.6, p = 0.9, epsilon = 1",
    assumptions: SCHEDULES,
    expected: Expected::Holds,
    cost: 20,
    reaches: 0.0,
    check: |case| {
        let golden = Schedules { c: 0.5, q: 0.6, p: 0.9, gradient: 3.0, dim: 10, epsilon: 1.0 };
        case.number(golden.rho(), 0.01, 1e-12);
        let planned = Planned::draw(case)?;
        let (schedules, p) = (&planned.schedules, planned.schedules.p);
        case.equal(planned.rho(schedules.noise())? / schedules.rho(), 1.0, 1e-9);
        case.equal(planned.rho(schedules.published_noise())? * p * p / schedules.rho(), 1.0, 1e-9);
        Ok(())
    },
};

pub const C8: Theorem = Theorem {
    name: "C8",
    statement: "the decay p = q^(1/3) adds the least noise at a fixed epsilon, p = q^(1/2) at a fixed rho",
    source: "derived: huang2015.md, Privacy; 0.8434 and 0.7746 for q = 0.6",
    assumptions: "0.05 <= q <= 0.95, any other p in (q, 1), half of them within 1 %",
    expected: Expected::Holds,
    cost: 1,
    reaches: 0.999,
    check: |case| {
        case.number(optimal_pure_decay(0.6), 0.8434, 5e-5);
        case.number(optimal_zcdp_decay(0.6), 0.7746, 5e-5);
        let (q, share, near) = case.draw((0.05..=0.95, 0.01..0.99, any::<bool>()))?;
        let of = |p: f64| Schedules { c: 1.0, q, p, gradient: 1.0, dim: 1, epsilon: 1.0 };
        // The variance at epsilon = 1; at rho = 1 it is that times the rho that epsilon = 1 costs.
        let at_epsilon = |p: f64| of(p).total_variance();
        let at_rho = |p: f64| of(p).total_variance() * of(p).rho();
        for (best, variance) in
            [(optimal_pure_decay(q), &at_epsilon as &dyn Fn(f64) -> f64), (optimal_zcdp_decay(q), &at_rho)]
        {
            let other = if near { best * (0.99 + 0.02 * share) } else { q + share * (1.0 - q) };
            if other > q && other < 1.0 {
                case.below(variance(best), variance(other));
            }
        }
        Ok(())
    },
};

pub const E3: Theorem = Theorem {
    name: "C-E3",
    statement: "K with the number of agents under the root, as two public re-implementations have it, costs at most epsilon",
    source: "paper C, Lemma 4, where n is the dimension (C-E3)",
    assumptions: "784 dimensions, 10 agents: the noise is sqrt(78.4) = 8.85 times too small, and epsilon as many times as large",
    expected: Expected::Fails,
    cost: 0,
    reaches: 0.0,
    check: |case| {
        let right = Schedules { c: 1.0, q: 0.6, p: 0.9, gradient: 1.0, dim: 784, epsilon: 1.0 };
        let wrong = Schedules { dim: 10, ..right };
        case.number(right.k() / wrong.k(), 8.85, 5e-3);
        // The L1 sensitivity is that of 784 coordinates, whatever is put under the root.
        let spent: f64 = (0..600).map(|t| 2.0 * 784_f64.sqrt() * right.step().at(t) / wrong.noise().at(t + 1)).sum();
        case.number(spent, 8.85, 5e-3);
        case.below(spent, 1.0);
        Ok(())
    },
};

/// Schedules for two agents, whose gradients are bounded exactly.
struct Planned {
    agents: Quadratics,
    schedules: Schedules,
}

impl Planned {
    fn draw(case: &mut Case) -> Result<Self, TheoremError> {
        // Closer decays would take so many rounds that scales underflow.
        let decays = (0.3..=0.95, 0.3..=0.95).prop_filter("q < p", |(q, p): &(f64, f64)| p / q > 1.05);
        let (dim, (q, p), c, epsilon) = case.draw((1_usize..=4, decays, sizes(), sizes()))?;
        let graph = families::ring(2)?;
        let weights = weights::metropolis(&graph);
        let centres =
            case.draw([proptest::collection::vec(-1.0..1.0, dim), proptest::collection::vec(-1.0..1.0, dim)])?;
        let agents = Quadratics::new((graph, weights), vec![1.0, 1.0], centres.to_vec())?;
        // What the paper calls 2 C is the L2 sensitivity of the gradient; here it is exact, so C is taken from it.
        let gradient = agents.instance.declaration.l2_by_class(Adjacency::ReplaceNode, 1.0)[0] / 2.0;
        let schedules = Schedules { c, q, p, gradient, dim, epsilon }.checked()?;
        Ok(Self { agents, schedules })
    }

    /// The ledger of the algorithm, but for a share of `e^-25`.
    fn ledger(&self, noise: Schedule) -> Result<Ledger, TheoremError> {
        let declaration = &self.agents.instance.declaration;
        let (noise, dim) = (Noise::Laplace(noise), self.schedules.dim);
        let set = Set::from(L2Ball::new(1.0)?);
        Ok(plan(declaration, Adjacency::ReplaceNode, Adversary::AllMessages, None, &noise, self.rounds(), |parties| {
            Box::new(Pdop::new(set, self.schedules.step(), At::Projected, parties.start(&vec![0.0; dim])))
        })?)
    }

    fn epsilon(&self, noise: Schedule) -> Result<f64, TheoremError> {
        Ok(Pure.bound(&self.ledger(noise)?, 0.0)?.epsilon)
    }

    fn rho(&self, noise: Schedule) -> Result<f64, TheoremError> {
        let ledger = self.ledger(noise)?;
        let rho = |event: &Event| match event {
            Event::Laplace { sensitivity, scale, .. } => (sensitivity.l2() / scale).powi(2) / 2.0,
            _ => f64::NAN,
        };
        Ok(ledger.classes[0].entries.iter().map(|entry| entry.releases as f64 * rho(&entry.event)).sum())
    }

    /// So many that a share of `e^-25` of the sum of epsilons is left.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 513")]
    fn rounds(&self) -> u32 {
        (25.0 / (self.schedules.p / self.schedules.q).ln()).ceil() as u32
    }
}
