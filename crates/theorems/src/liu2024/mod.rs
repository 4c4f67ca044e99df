//! Paper B: Liu, Johansson, Shi (arXiv 2302.10520).

mod algorithm;
mod draws;
mod machine;
mod points;
mod privacy;
mod rates;

use crate::Theorem;

/// All of them.
pub const THEOREMS: &[Theorem] = &[
    algorithm::B1,
    algorithm::B2,
    algorithm::B3,
    algorithm::B4,
    privacy::B5,
    privacy::B6,
    privacy::B7,
    privacy::B7_PUBLISHED,
    rates::B8,
    rates::B8_BERNOULLI,
    rates::B8_CONSENSUS,
    points::B8_POINTS,
    rates::CLOSED_FORMS,
    rates::B9_STRONG,
    rates::B9_GENERAL,
    draws::B10_NOISE,
    draws::B10_AWAKE,
    draws::B10_RECORD,
    points::E2,
    privacy::E5,
    privacy::E7,
];
