//! Which part of an axis is shown, and which part of a line lies in it.

/// An axis: its ends are multiples of the step between its ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) step: f64,
}

impl Axis {
    /// The axis with four to nine round steps that covers `lower ..= upper`.
    pub(super) fn covering(lower: f64, upper: f64) -> Self {
        let span = (upper - lower).max(1e-9 * upper.abs().max(lower.abs())).max(f64::MIN_POSITIVE.sqrt());
        let power = 10_f64.powf((span / 6.0).log10().floor());
        let step = power * [1.0, 2.0, 5.0].into_iter().find(|m| span / 6.0 <= m * power * 1.000_001).unwrap_or(10.0);
        let (first, last) = ((lower / step + 1e-9).floor() * step, (upper / step - 1e-9).ceil() * step);
        Self { lower: first.min(lower), upper: last.max(upper), step }
    }

    /// Whether a value lies on the axis.
    pub(super) fn shows(self, value: f64) -> bool {
        (self.lower..=self.upper).contains(&value)
    }

    /// Decimals that tell neighbouring ticks apart.
    pub(super) fn decimals(self) -> usize {
        let digits = (-self.step.log10() - 1e-9).ceil().max(0.0);
        (0..20).find(|&n| f64::from(n) >= digits).map_or(20, |n| usize::try_from(n).unwrap_or(0))
    }
}

/// The shown range of scores. `anchors` are the values that matter (references and the final score); `all` has
/// them and everything else. Values far below or above the anchors are left out, so that a wild start (a score
/// of -50 in the first rounds) does not squash the picture into a line. So are anchors below -1, where a model
/// predicts twice as badly as a constant, as long as one anchor is better.
pub(super) fn scores(anchors: &[f64], all: &[f64]) -> Axis {
    let sound: Vec<f64> = anchors.iter().copied().filter(|&v| v >= -1.0).collect();
    let (low, high) = bounds(if sound.is_empty() { anchors } else { &sound });
    let (lowest, highest) = bounds(all);
    let room = 0.75 * (high - low).max(0.1);
    let (mut lower, mut upper) = (lowest.max(low - room), highest.min(high + room));
    if upper - lower < 0.05 {
        let middle = f64::midpoint(lower, upper);
        (lower, upper) = (middle - 0.05, middle + 0.05);
    }
    Axis::covering(lower, upper)
}

/// Smallest and largest value; `(inf, -inf)` if there is none.
pub(super) fn bounds(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, u), &v| (l.min(v), u.max(v)))
}

/// The parts of a broken line that its y axis shows, cut exactly where it crosses the edges.
pub(super) fn inside(points: &[(f64, f64)], axis: Axis) -> Vec<Vec<(f64, f64)>> {
    let mut parts = Vec::new();
    let mut part: Vec<(f64, f64)> = points.first().copied().filter(|p| axis.shows(p.1)).into_iter().collect();
    for w in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (w[0], w[1]);
        // Crossings of this segment, in order along it.
        let mut cuts: Vec<(f64, f64)> = [axis.lower, axis.upper]
            .into_iter()
            .filter(|&edge| (y0 < edge) != (y1 < edge) && !(axis.shows(y0) && axis.shows(y1)))
            .map(|edge| (x0 + (x1 - x0) * ((edge - y0) / (y1 - y0)), edge))
            .collect();
        cuts.sort_by(|a, b| a.0.total_cmp(&b.0));
        part.extend(cuts);
        if axis.shows(y1) {
            part.push(w[1]);
        } else if !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
    }
    parts.extend((!part.is_empty()).then_some(part));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: Axis, lower: f64, upper: f64, step: f64) {
        let close = |x: f64, y: f64| (x - y).abs() < 1e-9;
        assert!(close(a.lower, lower) && close(a.upper, upper) && close(a.step, step), "{a:?}");
    }

    #[test]
    fn axes_end_at_round_numbers() {
        near(Axis::covering(0.0, 0.43), 0.0, 0.5, 0.1);
        near(Axis::covering(-0.13, 0.42), -0.2, 0.5, 0.1);
        near(Axis::covering(0.0, 300.0), 0.0, 300.0, 50.0);
        assert_eq!(Axis::covering(0.0, 0.43).decimals(), 1);
        assert_eq!(Axis::covering(0.0, 300.0).decimals(), 0);
        assert_eq!(Axis::covering(0.40, 0.43).decimals(), 3);
        assert!(Axis::covering(5.0, 5.0).step > 0.0);
    }

    #[test]
    fn a_wild_start_does_not_set_the_scale() {
        let axis = scores(&[0.4, 0.3, 0.0, 0.35], &[0.4, 0.3, 0.0, 0.35, -1e9]);
        assert!(axis.lower >= -0.6 && axis.upper <= 0.6, "{axis:?}");
        let all_bad = scores(&[-900.0, -1000.0], &[-900.0, -1000.0, -950.0]);
        assert!(all_bad.lower <= -1000.0 && all_bad.upper >= -900.0, "{all_bad:?}");
        let equal = scores(&[0.3, 0.3], &[0.3, 0.3]);
        assert!(equal.upper - equal.lower >= 0.09, "{equal:?}");
    }

    #[test]
    fn lines_are_cut_where_they_cross() {
        let axis = |lower, upper| Axis { lower, upper, step: 1.0 };
        let line = [(0.0, -3.0), (2.0, 1.0), (3.0, 1.0), (4.0, -1.0), (5.0, -1.0), (6.0, 5.0)];
        let parts = inside(&line, axis(0.0, 2.0));
        assert_eq!(parts.len(), 2);
        assert_eq!(parts[0], [(1.5, 0.0), (2.0, 1.0), (3.0, 1.0), (3.5, 0.0)]);
        let expected = [(5.0 + 1.0 / 6.0, 0.0), (5.5, 2.0)];
        for (a, b) in parts[1].iter().zip(expected) {
            assert!((a.0 - b.0).abs() < 1e-12 && (a.1 - b.1).abs() < 1e-12);
        }
        assert_eq!(inside(&line, axis(-9.0, 9.0)), [line.to_vec()]);
        assert!(inside(&line, axis(7.0, 9.0)).is_empty());
    }
}
