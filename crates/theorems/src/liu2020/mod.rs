//! Paper A: Liu, Zhang, Qin, Lei (arXiv 2004.07425).

mod convergence;
mod errata;
mod privacy;
mod sensitivity;
mod symmetry;

use crate::Theorem;

/// All of them.
pub const THEOREMS: &[Theorem] = &[
    sensitivity::A1,
    sensitivity::A1_RECORD,
    sensitivity::A2,
    privacy::A3,
    privacy::A4,
    privacy::A4_PUBLISHED,
    privacy::A5,
    privacy::A6,
    convergence::A7_U,
    convergence::A7_R,
    convergence::A8,
    symmetry::A9,
    convergence::RATE,
    privacy::ALLOCATION,
    errata::E1,
    errata::E2,
    errata::E3,
    errata::E4,
    errata::E7,
];
