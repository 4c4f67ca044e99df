//! From `[algorithm]` to the algorithm, and its words in a plan.

use dido_optimizers::{Algorithm, Dgd, DualAveraging, DualWeights, Parties, Pdop, Points, ProjectedDgd};
use dido_problems::Distance;

use crate::report::significant;
use crate::spec::{Method, Spec};

/// The algorithm of a specification, at its starting point.
///
/// # Panics
/// Never: a checked method has a starting point.
pub fn build(spec: &Spec, parties: &Parties) -> Box<dyn Algorithm> {
    let start = parties.start(&vec![0.0; spec.declaration.dim()]);
    let method = spec.method.clone();
    match method {
        Method::Dgd { step, average_from } => Box::new(Dgd::new(step, average_from, start)),
        Method::ProjectedDgd { set, step, average_from } => Box::new(ProjectedDgd::new(set, step, average_from, start)),
        Method::Pdop { set, step, at } => Box::new(Pdop::new(set, step, at, start)),
        Method::DualAveraging { step, weights, participation, sampling, points } => {
            let dual = DualAveraging::new(step, weights, participation, sampling, start);
            Box::new(dual.expect("weights and participation were checked").with_points(points))
        }
    }
}

/// The name in the TOML, and what is released in one line.
pub fn in_words(method: &Method) -> (&'static str, &'static str) {
    match method {
        Method::Dgd { .. } => ("dgd", "b_i(t+1) = sum_j w_ij b_j(t) - step(t) grad f_i(b_i(t))"),
        Method::ProjectedDgd { .. } => (
            "projected-dgd",
            "b_i(t+1) = sum_j w_ij p_j(t) - step(t) grad f_i(p_i(t)) + noise_i(t+1), where p_j(t) is b_j(t) projected",
        ),
        Method::Pdop { at: dido_optimizers::At::Projected, .. } => (
            "pdop",
            "y_i(t+1) = noise_i(t+1) + P(p_i(t) - step(t) grad f_i(p_i(t))), where p_i(t) is P(sum_j w_ij y_j(t)) and P \
             projects",
        ),
        Method::Pdop { .. } => (
            "pdop",
            "y_i(t+1) = noise_i(t+1) + P(z_i(t) - step(t) grad f_i(z_i(t)), clipped), where z_i(t) is sum_j w_ij y_j(t) \
             and P projects",
        ),
        Method::DualAveraging { .. } if method.looks_at_one_record() => (
            "dual-averaging",
            "g_i(t) + noise_i(t): a subgradient at x_i(t) of one secret random record of the party, times its number of \
             records; the parties add up and mix them",
        ),
        Method::DualAveraging { .. } => {
            ("dual-averaging", "g_i(t) + noise_i(t): a subgradient of f_i at x_i(t); the parties add up and mix them")
        }
    }
}

/// How dual averaging weighs gradients and distance, and which points it takes.
pub fn weights_in_words(method: &Method) -> Option<String> {
    let Method::DualAveraging { step, weights, participation, points, .. } = method else { return None };
    let of = match weights {
        DualWeights::GrowingDistance { gamma } => {
            format!("a_t = 1 and gamma_t = {} sqrt(t + 1)", significant(*gamma))
        }
        DualWeights::GrowingGradients { gamma } => format!("a_t = t and gamma_t = {}", significant(*gamma)),
    };
    let points = match points {
        Points::Fresh => "made anew in every round",
        Points::Stale => "kept by nodes that sleep",
    };
    let distance = match step.distance() {
        Distance::Euclidean => "Euclidean distance",
        Distance::Entropy => "entropy",
    };
    Some(format!("{of}; participation {}; {distance}; points {points}", significant(*participation)))
}
