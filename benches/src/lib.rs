//! Synthetic problems shared by the benchmarks.
