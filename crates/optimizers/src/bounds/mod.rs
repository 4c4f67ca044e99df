//! Convergence theorems with every constant spelled out, so that a test can check them.

pub mod liu2020;
