//! From `[algorithm]` to the algorithm, and its words in a plan.

use dido_optimizers::{Algorithm, Dgd, Parties, ProjectedDgd};

use crate::config::AlgorithmConfig;
use crate::spec::Spec;

/// The algorithm of a specification, at its starting point.
pub fn build(spec: &Spec, parties: &Parties) -> Box<dyn Algorithm> {
    let start = parties.start(&vec![0.0; spec.declaration.dim()]);
    match &spec.config.algorithm {
        AlgorithmConfig::Dgd(_) => Box::new(Dgd::new(spec.step.clone(), spec.average_from, start)),
        AlgorithmConfig::ProjectedDgd(_) => {
            Box::new(ProjectedDgd::new(spec.set.clone(), spec.step.clone(), spec.average_from, start))
        }
    }
}

/// The name in the TOML, and what is released in one line.
pub fn in_words(config: &AlgorithmConfig) -> (&'static str, &'static str) {
    match config {
        AlgorithmConfig::Dgd(_) => ("dgd", "b_i(t+1) = sum_j w_ij b_j(t) - step(t) grad f_i(b_i(t))"),
        AlgorithmConfig::ProjectedDgd(_) => (
            "projected-dgd",
            "b_i(t+1) = sum_j w_ij p_j(t) - step(t) grad f_i(p_i(t)) + noise_i(t+1), where p_j(t) is b_j(t) projected",
        ),
    }
}
