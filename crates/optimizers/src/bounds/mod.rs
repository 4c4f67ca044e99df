//! Convergence theorems with every constant spelled out, so that a test can check them.

pub mod huang2015;
pub mod liu2020;
pub mod liu2024;
