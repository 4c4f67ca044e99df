//! Numbers as a reader wants them: four significant digits, bounds rounded up.

/// Four significant digits without trailing zeros; exponents outside `1e-4 .. 1e7`.
pub(crate) fn significant(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return if x == 0.0 { "0".to_owned() } else { x.to_string() };
    }
    let scientific = format!("{x:.3e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>() {
        Ok(e @ -4..=6) => trim(&format!("{x:.*}", usize::try_from(3 - e).unwrap_or(0))).to_owned(),
        _ => format!("{}e{exponent}", trim(mantissa)),
    }
}

/// As [`significant`], but never below `x`: a privacy bound must not shrink in print.
pub(crate) fn bound(x: f64) -> String {
    let nearest = significant(x);
    if !(x.is_finite() && nearest.parse::<f64>().is_ok_and(|shown| shown < x)) {
        return nearest;
    }
    // One unit of the last digit shown: the fourth, or the ones of a larger integer.
    let fourth = 10_f64.powf(x.abs().log10().floor() - 3.0);
    significant(x + if (1e4..1e7).contains(&x.abs()) { 1.0 } else { fourth })
}

/// A score to four decimals, as tables align it; a huge one with an exponent.
pub(super) fn score(x: f64) -> String {
    // No score is shown as -0.0000.
    let x = if x.abs() < 5e-5 { 0.0 } else { x };
    if x.abs() < 1e5 { format!("{x:.4}") } else { format!("{x:.3e}") }
}

/// A schedule in one line: one number if constant, the factor if geometric, else first, middle and last.
pub(super) fn schedule(values: &[f64]) -> String {
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
    let (Some(&first), Some(&last)) = (values.first(), values.last()) else {
        return "none".to_owned();
    };
    if values.iter().all(|&v| close(v, first)) {
        return format!("{}, constant", significant(first));
    }
    let ends = format!(
        "first {}, middle {}, last {}",
        significant(first),
        significant(values[values.len() / 2]),
        significant(last)
    );
    let factor = values[1] / first;
    if values.len() > 2 && values.windows(2).all(|w| close(w[1], w[0] * factor)) {
        format!("{ends}; each is {} times the one before", significant(factor))
    } else {
        ends
    }
}

/// A number with its noun.
pub(super) fn count(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

fn trim(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits() {
        for (x, shown) in [
            (0.0, "0"),
            (0.5, "0.5"),
            (-0.123_456, "-0.1235"),
            (9.999_96, "10"),
            (31_542.13, "31542"),
            (0.000_123_456, "0.0001235"),
            (1e-6, "1e-6"),
            (1.234_56e9, "1.235e9"),
        ] {
            assert_eq!(significant(x), shown);
        }
    }

    #[test]
    fn a_bound_is_never_shown_smaller_than_it_is() {
        assert_eq!(bound(1.000_01), "1.001");
        assert_eq!(bound(1.1), "1.1");
        assert_eq!(bound(0.999_91), "1");
        assert_eq!(bound(12_345.2), "12346");
        for i in 1..2000 {
            let x = 1.37_f64.powi(i % 60 - 30) * f64::from(i);
            let shown: f64 = bound(x).parse().unwrap();
            assert!(shown >= x && shown <= x * 1.0011, "{x} shown as {shown}");
        }
    }

    #[test]
    fn scores_align_and_have_no_negative_zero() {
        assert_eq!([0.398_24, -0.001, -0.000_01, -0.000_06].map(score), ["0.3982", "-0.0010", "0.0000", "-0.0001"]);
        assert_eq!(score(-1e200), "-1.000e200");
    }

    #[test]
    fn schedules_are_recognised() {
        assert_eq!(schedule(&[]), "none");
        assert_eq!(schedule(&[0.5; 3]), "0.5, constant");
        assert_eq!(schedule(&[8.0, 4.0, 2.0]), "first 8, middle 4, last 2; each is 0.5 times the one before");
        assert_eq!(schedule(&[8.0, 4.0, 3.0]), "first 8, middle 4, last 3");
        assert_eq!(schedule(&[0.0, 1.0, 2.0]), "first 0, middle 1, last 2");
    }

    #[test]
    fn counts_agree_with_their_noun() {
        assert_eq!(count(1, "party", "parties"), "1 party");
        assert_eq!(count(0, "party", "parties"), "0 parties");
    }
}
