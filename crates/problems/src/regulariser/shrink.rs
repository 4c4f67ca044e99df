//! The kernels that move numbers towards zero.

#![expect(clippy::inline_always, reason = "the body of a kernel is inlined into each instruction set")]

use dido_geometry::{kernel, norm};

kernel! {
    /// Replaces every number by `(x - clamp(x, -threshold, threshold)) / divisor`; NaN stays.
    pub(super) fn shrink(threshold: f64, divisor: f64, x: &mut [f64]) = shrink_loop;
}

#[inline(always)]
fn shrink_loop(threshold: f64, divisor: f64, x: &mut [f64]) {
    for x in x {
        let raised = if *x < -threshold { -threshold } else { *x };
        let kept = if raised > threshold { threshold } else { raised };
        *x = (*x - kept) / divisor;
    }
}

kernel! {
    /// The same for the norms of groups, which keep their directions; `rows` is a whole number of rows of these groups.
    pub(super) fn shrink_groups(groups: &[usize], threshold: f64, divisor: f64, rows: &mut [f64]) = shrink_groups_loop;
}

#[inline(always)]
fn shrink_groups_loop(groups: &[usize], threshold: f64, divisor: f64, rows: &mut [f64]) {
    let mut rest = rows;
    while !rest.is_empty() {
        for &size in groups {
            let (group, others) = rest.split_at_mut(size);
            let norm = norm(group);
            if norm <= threshold {
                group.fill(0.0);
            } else {
                let share = (norm - threshold) / norm;
                for x in group {
                    *x = *x * share / divisor;
                }
            }
            rest = others;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The loops called directly are compiled for the baseline of the target, the kernels for this machine.
    #[test]
    fn the_kernels_compute_the_bits_of_the_plain_loops() {
        let points: Vec<f64> = (0..240).map(|k| f64::from(k * 37 % 101 - 50) / 3.0).collect();
        let (mut fast, mut plain) = (points.clone(), points.clone());
        shrink(4.1, -0.3, &mut fast);
        shrink_loop(4.1, -0.3, &mut plain);
        assert_eq!(fast, plain);
        let (mut fast, mut plain) = (points.clone(), points);
        shrink_groups(&[1, 9, 2], 4.1, -0.3, &mut fast);
        shrink_groups_loop(&[1, 9, 2], 4.1, -0.3, &mut plain);
        assert_eq!(fast, plain);
    }
}
