//! One round of every algorithm.

/// One round of an algorithm at node `i`, in a line: see `docs/algorithms.md`.
pub(in crate::report) fn update(algorithm: &str) -> Option<&'static str> {
    Some(match algorithm {
        "dgd" => "x_i := \u{2211}_j w_ij x_j \u{2212} \u{3b1} \u{2207}f_i(x_i), with noise in x_i or in the gradient",
        "dp-sgd" => {
            "x_i := P(\u{2211}_j w_ij x_j \u{2212} \u{3b1} (g_i + noise)), g_i the sum of clipped gradients of a batch"
        }
        "projected-dgd" => {
            "p_i := P(f_i), f_i := \u{2211}_j w_ij p_j \u{2212} \u{3b1} \u{2207}f_i(p_i) + noise; f_i is released"
        }
        "pdop" => {
            "p_i := P(\u{2211}_j a_ij y_j), x_i := P(p_i \u{2212} \u{3b3} \u{2207}f_i(p_i)), y_i := x_i + noise; y_i is released"
        }
        "dual-averaging" => {
            "z_i := \u{2211}_j w_ij (z_j + a (g_j + noise)), x_i := argmin \u{27e8}z_i, x\u{27e9} + \u{3b9} A h(x) + \u{3b3} d(x)"
        }
        "diging" => {
            "x_i := P(\u{2211}_j w_ij x_j \u{2212} \u{3b1} y_i), y_i tracks the mean of the released gradients g_j + noise"
        }
        "extra" => {
            "x_i := P(\u{2211}_j w_ij x_j \u{2212} \u{3b1} (g_i + noise) \u{2212} q_i), q_i sums up what the nodes differ by"
        }
        "linearised-admm" => "a step along g_i + noise, a penalty on disagreement and its dual \u{3c6}_i",
        "sufficient-statistics" => {
            "once: release s_i (X_i\u{2032}X_i, k X_i\u{2032}y_i) + noise, average, solve with a ridge"
        }
        "output-perturbation" => {
            "once: release the minimiser of f_i + (\u{3bc}/2) \u{2016}b\u{2016}\u{b2}, plus noise, and average"
        }
        "objective-perturbation" => {
            "once: release the minimiser of f_i + (\u{3bc}/2) \u{2016}b\u{2016}\u{b2} + \u{27e8}\u{3bd}_i, b\u{27e9}, \u{3bd}_i secret, and average"
        }
        "wang-nedic" => {
            "x_i := x_i + \u{3b3} \u{2211}_j w_ij (m_j \u{2212} x_i) \u{2212} \u{3bb} \u{2207}f_i(P(p_i)), m_i := x_i + noise; m_i is released"
        }
        "clipped-dgd" => {
            "y_i := x_i \u{2212} \u{3b1} g_i + noise, g_i clipped, x_i := \u{2211}_j w_ij y_j; y_i is released"
        }
        "muffliato" => {
            "y_i := P(x_i) \u{2212} \u{3b1} \u{2207}f_i(P(x_i)) + noise, x := K averages of y; y_i is released"
        }
        _ => return None,
    })
}
