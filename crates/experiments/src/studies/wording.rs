//! Numbers as the pages print them.

/// Significant digits of a number without an error.
const DIGITS: i32 = 4;
/// Significant digits of a standard error.
const ERROR_DIGITS: i32 = 2;
/// Numbers below a thousandth have an exponent.
const LEAST_PLAIN: i32 = -3;
/// Numbers from here on have one too.
const LEAST_HUGE: i32 = 15;
/// Between groups of three digits: narrow, and no line ends there.
const GROUPS: char = '\u{202f}';

/// Four significant digits, all digits before the point of a larger number, in groups of three; below a thousandth with an exponent.
pub fn number(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return if x == 0.0 { "0".to_owned() } else { x.to_string() };
    }
    match leading(x, DIGITS) {
        e @ LEAST_PLAIN..LEAST_HUGE => trimmed(&fixed(x, DIGITS - 1 - e)).to_owned(),
        e => format!("{}e{e}", trimmed(&fixed(x / 10_f64.powi(e), DIGITS - 1))),
    }
}

/// A number and its standard error, which has two digits; the number ends where the error does.
///
/// An error below a millionth of the number says nothing, and is left out.
pub fn estimate(value: f64, error: f64) -> String {
    if !value.is_finite() || !error.is_finite() || (error > 0.0 && error < 1e-6 * value.abs()) {
        return number(value);
    }
    if error == 0.0 {
        return format!("{} \u{b1} 0", number(value));
    }
    let last = leading(error, ERROR_DIGITS) + 1 - ERROR_DIGITS;
    match leading(value.abs().max(error), DIGITS) {
        LEAST_PLAIN..LEAST_HUGE => format!("{} \u{b1} {}", fixed(value, -last), fixed(error, -last)),
        e => {
            let unit = 10_f64.powi(e);
            format!("({} \u{b1} {})e{e}", fixed(value / unit, e - last), fixed(error / unit, e - last))
        }
    }
}

/// The power of ten of the first digit, once rounded to so many digits.
fn leading(x: f64, digits: i32) -> i32 {
    let scientific = format!("{x:.*e}", usize::try_from(digits - 1).unwrap_or(0));
    scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

/// So many decimals, whole digits in groups.
fn fixed(x: f64, decimals: i32) -> String {
    let digits = format!("{x:.*}", usize::try_from(decimals).unwrap_or(0));
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |rest| ("-", rest));
    let (whole, rest) = digits.find('.').map_or((digits, ""), |point| digits.split_at(point));
    // Years and numbers of rounds are read at a glance: groups begin with the fifth digit.
    if whole.len() < 5 {
        return format!("{sign}{whole}{rest}");
    }
    let mut grouped = String::new();
    for (k, digit) in whole.chars().enumerate() {
        if k > 0 && (whole.len() - k).is_multiple_of(3) {
            grouped.push(GROUPS);
        }
        grouped.push(digit);
    }
    format!("{sign}{grouped}{rest}")
}

fn trimmed(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits_and_groups() {
        for (x, shown) in [
            (0.0, "0"),
            (-0.123_456, "-0.1235"),
            (9.999_96, "10"),
            (0.001_234_56, "0.001235"),
            (0.000_803, "8.03e-4"),
            (0.000_999_96, "0.001"),
            (1227.0, "1227"),
            (31_676.4, "31\u{202f}676"),
            (-16_000_000.0, "-16\u{202f}000\u{202f}000"),
            (1.234_56e20, "1.235e20"),
        ] {
            assert_eq!(number(x), shown);
        }
    }

    #[test]
    fn errors_have_two_digits_and_the_number_ends_with_them() {
        for (value, error, shown) in [
            (0.754_87, 0.000_307_1, "0.75487 \u{b1} 0.00031"),
            (0.8702, 0.009_96, "0.870 \u{b1} 0.010"),
            (-1.9981, 0.000_96, "-1.99810 \u{b1} 0.00096"),
            (31_676.4, 319.7, "31\u{202f}676 \u{b1} 320"),
            (8.607e-6, 3.58e-7, "(8.61 \u{b1} 0.36)e-6"),
            (0.0, 0.012_34, "0.000 \u{b1} 0.012"),
            (0.7546, 0.0, "0.7546 \u{b1} 0"),
            (1.0 / 3.0, 1e-12, "0.3333"),
            (f64::INFINITY, 1.0, "inf"),
        ] {
            assert_eq!(estimate(value, error), shown);
        }
    }
}
