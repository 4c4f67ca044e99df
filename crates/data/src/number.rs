//! Numbers as people write them.

/// Why a cell is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotANumber {
    /// It does not look like one.
    Text,
    /// It looks like one, but could mean several; what to do about it.
    Ambiguous(&'static str),
    /// It says "infinite" or "not a number", or is too large for a double.
    NotFinite,
}

/// The number a cell says: an optional sign, digits with at most one decimal mark, an optional exponent; rounded correctly.
///
/// ```
/// use dido_data::{NotANumber, number};
///
/// assert_eq!(number("-.5e3", b'.'), Ok(-500.0));
/// assert_eq!(number("1,5", b','), Ok(1.5));
/// assert!(matches!(number("1,234", b'.'), Err(NotANumber::Ambiguous(_))));
/// ```
///
/// # Errors
/// If it is no such number: thousands separators, other bases, percent signs, infinities and NaN are not guessed at.
pub fn number(cell: &str, decimal: u8) -> Result<f64, NotANumber> {
    if !is_plain(cell.as_bytes(), decimal) {
        return Err(why(cell, decimal));
    }
    let parsed = if decimal == b'.' { cell.parse() } else { cell.replace(',', ".").parse() };
    match parsed {
        Ok(value) if f64::is_finite(value) => Ok(value),
        _ => Err(NotANumber::NotFinite),
    }
}

/// Whether the bytes are `[+-] digits [mark digits] [e [+-] digits]` with a digit before the exponent.
fn is_plain(bytes: &[u8], decimal: u8) -> bool {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    let mut rest = bytes.strip_prefix(b"-").or_else(|| bytes.strip_prefix(b"+")).unwrap_or(bytes);
    let whole = digits(rest);
    rest = &rest[whole..];
    let mut fraction = 0;
    if rest.first() == Some(&decimal) {
        fraction = digits(&rest[1..]);
        rest = &rest[1 + fraction..];
    }
    if whole + fraction == 0 {
        return false;
    }
    let Some(power) = rest.strip_prefix(b"e").or_else(|| rest.strip_prefix(b"E")) else {
        return rest.is_empty();
    };
    let power = power.strip_prefix(b"-").or_else(|| power.strip_prefix(b"+")).unwrap_or(power);
    !power.is_empty() && digits(power) == power.len()
}

/// What kind of no number this is.
fn why(cell: &str, decimal: u8) -> NotANumber {
    let cell = cell.strip_prefix(['-', '+']).unwrap_or(cell);
    if ["inf", "infinity", "nan"].iter().any(|word| cell.eq_ignore_ascii_case(word)) {
        return NotANumber::NotFinite;
    }
    let hexadecimal = cell.strip_prefix("0x").or_else(|| cell.strip_prefix("0X"));
    if hexadecimal.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit())) {
        return NotANumber::Ambiguous("numbers are read to the base of ten only");
    }
    let starts = cell.trim_start_matches(['.', ',']).starts_with(|letter: char| letter.is_ascii_digit());
    let marks = [' ', '\u{a0}', '\u{202f}', '.', ',', '_', '\'', '’', '%'];
    if !starts || !cell.chars().all(|letter| letter.is_ascii_digit() || marks.contains(&letter)) {
        return NotANumber::Text;
    }
    let only_comma = decimal == b'.' && cell.matches(',').count() == 1 && !cell.contains(['.', '_', '%', '\'']);
    NotANumber::Ambiguous(if cell.contains('%') {
        "write it without the percent sign"
    } else if cell.contains(' ') {
        "if blanks separate the columns, pass --separator ' '"
    } else if only_comma {
        "a decimal comma needs --decimal ,; thousands separators are not read"
    } else if decimal == b',' && cell.contains('.') {
        "the decimal mark is the comma; thousands separators are not read"
    } else {
        "thousands separators are not read"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_numbers_are_rounded_correctly() {
        for (cell, value) in [
            ("0", 0.0),
            ("007", 7.0),
            ("+3", 3.0),
            ("3.", 3.0),
            ("-.5", -0.5),
            ("1E+05", 1e5),
            ("5e-324", f64::from_bits(1)),
            ("9007199254740993", 9_007_199_254_740_992.0),
            ("-0.0", -0.0),
        ] {
            assert_eq!(number(cell, b'.').map(f64::to_bits), Ok(value.to_bits()), "{cell}");
        }
        assert_eq!(number("-1,25e1", b','), Ok(-12.5));
    }

    #[test]
    fn what_could_mean_several_numbers_means_none() {
        for cell in
            ["1,234", "1.234.567", "1_000", "0x10", "1'000", "12%", "1 000", "1,234.5", "1.234,5", ",5", "1\u{a0}000"]
        {
            assert!(matches!(number(cell, b'.'), Err(NotANumber::Ambiguous(_))), "{cell}");
        }
        for cell in ["1.5", "1.234,5", "1,2,3"] {
            assert!(matches!(number(cell, b','), Err(NotANumber::Ambiguous(_))), "{cell}");
        }
    }

    #[test]
    fn text_and_the_infinite_are_no_numbers() {
        for cell in ["", "-", ".", "e5", "1e", "1e+", "abc", "12:30", "2020-01-01", "1d5", "--1", "+-1", "0xg", "１"] {
            assert_eq!(number(cell, b'.'), Err(NotANumber::Text), "{cell}");
        }
        for cell in ["inf", "-Infinity", "NaN", "1e999", "-1e400"] {
            assert_eq!(number(cell, b'.'), Err(NotANumber::NotFinite), "{cell}");
        }
    }
}
