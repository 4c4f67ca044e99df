//! Paper C: Huang, Mitra, Vaidya (arXiv 1401.2596).

mod accuracy;
mod geometry;
mod law;
mod privacy;
mod quadratic;

use crate::Theorem;

/// All of them.
pub const THEOREMS: &[Theorem] = &[
    privacy::C1,
    privacy::C1_PUBLISHED,
    geometry::C2,
    geometry::C2_PUBLISHED,
    law::C3,
    law::C4,
    law::BIAS,
    accuracy::C5,
    accuracy::C5_ACCURACY,
    geometry::C6,
    privacy::C7,
    privacy::C8,
    geometry::C9,
    privacy::E3,
];
