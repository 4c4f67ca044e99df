//! The losses as functions of one number, smoothed where they have corners, and their conjugates.

use crate::Loss;

/// A value with its first two derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Jet {
    pub value: f64,
    pub slope: f64,
    pub curvature: f64,
}

/// `l(p, y) = phi(factor p - offset)`: the factor and the offset. For margin losses the number is the margin `y p`, for the
/// others the residual `p - y`.
pub(super) fn argument(loss: Loss, y: f64) -> (f64, f64) {
    if loss.is_classification() { (y, 0.0) } else { (1.0, y) }
}

/// `phi` at `u`. Of the hinge, which has no second derivative, the barrier function
/// `min { xi - tau ln(xi) - tau ln(xi - z) : xi > max(0, z) }` with `z = 1 - u`, which is smooth, convex, and the hinge in the limit
/// `tau = 0`; its slope is in `(-1, 0)`.
pub(super) fn smoothed(loss: Loss, u: f64, tau: f64) -> Jet {
    match loss {
        Loss::Hinge => {
            let z = 1.0 - u;
            let root = z.hypot(2.0 * tau);
            // (root + |z|) / 2 and (root - |z|) / 2, neither of which cancels.
            let long = 0.5 * (root + z.abs());
            let short = tau * tau / long;
            let (xi, above) = if z > 0.0 { (tau + long, tau + short) } else { (tau + short, tau + long) };
            let flat = if z > 0.0 { 2.0 * short / root } else { 2.0 * long / root };
            Jet {
                value: xi - tau * xi.ln() - tau * above.ln(),
                slope: -tau / above,
                curvature: 0.5 * tau * flat / (above * above),
            }
        }
        Loss::Squared => Jet { value: 0.5 * u * u, slope: u, curvature: 1.0 },
        Loss::Huber { width } => Jet {
            value: loss.value(u, 0.0),
            slope: loss.slope(u, 0.0),
            curvature: if u.abs() <= width { 1.0 } else { 0.0 },
        },
        Loss::Logistic => {
            let slope = loss.slope(u, 1.0);
            Jet { value: loss.value(u, 1.0), slope, curvature: -slope * (1.0 + slope) }
        }
        Loss::SmoothedHinge { width } => {
            let curved = (0.0..=width).contains(&(1.0 - u));
            Jet {
                value: loss.value(u, 1.0),
                slope: loss.slope(u, 1.0),
                curvature: if curved { 1.0 / width } else { 0.0 },
            }
        }
    }
}

/// `phi*(s) = sup_u { s u - phi(u) }` for a slope `s` that `phi` has, or, for margin losses, a smaller one.
pub(super) fn conjugate(loss: Loss, s: f64) -> f64 {
    let entropy = |a: f64| if a > 0.0 { a * a.ln() } else { 0.0 };
    match loss {
        Loss::Squared | Loss::Huber { .. } => 0.5 * s * s,
        Loss::Logistic => entropy(-s) + entropy(1.0 + s),
        Loss::Hinge => s,
        Loss::SmoothedHinge { width } => s + 0.5 * width * s * s,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Loss; 5] =
        [Loss::Squared, Loss::Huber { width: 0.7 }, Loss::Logistic, Loss::Hinge, Loss::SmoothedHinge { width: 0.5 }];

    #[test]
    fn slopes_and_curvatures_are_derivatives() {
        for loss in ALL {
            for tau in [1.0, 0.1, 0.01] {
                for i in -60..60 {
                    let (u, h) = (f64::from(i) / 13.0 + 0.003, 1e-5);
                    let at = |u| smoothed(loss, u, tau);
                    let jet = at(u);
                    let slope = (at(u + h).value - at(u - h).value) / (2.0 * h);
                    let curvature = (at(u + h).slope - at(u - h).slope) / (2.0 * h);
                    assert!((jet.slope - slope).abs() < 1e-6, "{loss:?} {tau} at {u}: {jet:?}, {slope}");
                    assert!((jet.curvature - curvature).abs() < 1e-4, "{loss:?} {tau} at {u}: {jet:?}, {curvature}");
                }
            }
        }
    }

    #[test]
    fn far_from_its_corner_the_smoothed_hinge_is_the_hinge() {
        for u in [-1e8, -3.0, 5.0, 1e8] {
            let jet = smoothed(Loss::Hinge, u, 1e-12);
            assert!((jet.slope - Loss::Hinge.slope(u, 1.0)).abs() < 1e-11 && jet.curvature >= 0.0, "{u}: {jet:?}");
        }
    }

    /// Fenchel and Young: `phi(u) + phi*(s) >= s u`, with equality where `s` is the slope at `u`.
    #[test]
    fn conjugates_are_conjugate() {
        for loss in ALL {
            let (factor, offset) = argument(loss, 1.0);
            for i in -40..40 {
                let u = f64::from(i) / 9.0 + 0.003;
                let phi = |u: f64| loss.value((u + offset) / factor, 1.0);
                let s = loss.slope((u + offset) / factor, 1.0);
                assert!((phi(u) + conjugate(loss, s) - s * u).abs() < 1e-12, "{loss:?} at {u}");
                for j in -40..40 {
                    let v = f64::from(j) / 7.0;
                    assert!(phi(v) + conjugate(loss, s) >= s * v - 1e-12);
                }
            }
        }
    }
}
