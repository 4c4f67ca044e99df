//! Numbers of a command line: finite, in their range, or refused with the reason.

use dido_mechanisms::Adjacency;

/// A number above 0.
pub fn positive(text: &str) -> Result<f64, String> {
    let x = finite(text)?;
    if x > 0.0 { Ok(x) } else { Err("must be above 0".to_owned()) }
}

/// A failure probability.
pub fn delta(text: &str) -> Result<f64, String> {
    let x = finite(text)?;
    if (0.0..1.0).contains(&x) { Ok(x) } else { Err("must be at least 0 and below 1".to_owned()) }
}

/// A probability.
pub fn rate(text: &str) -> Result<f64, String> {
    let x = finite(text)?;
    if (0.0..=1.0).contains(&x) { Ok(x) } else { Err("must be at least 0 and at most 1".to_owned()) }
}

/// A probability above 0.
pub fn positive_rate(text: &str) -> Result<f64, String> {
    let x = rate(text)?;
    if x > 0.0 { Ok(x) } else { Err("must be above 0".to_owned()) }
}

/// A whole number, also in the form 1e6.
pub fn count(text: &str) -> Result<u64, String> {
    if let Ok(n) = text.parse() {
        return Ok(n);
    }
    let x = finite(text)?;
    if x.fract() != 0.0 {
        return Err("must be a whole number".to_owned());
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number from 0 to 2^53")]
    if (0.0..=MOST).contains(&x) { Ok(x as u64) } else { Err("must be a whole number from 0 to 2^53".to_owned()) }
}

/// A whole number above 0.
pub fn positive_count(text: &str) -> Result<u64, String> {
    let n = count(text)?;
    if n > 0 { Ok(n) } else { Err("must be at least 1".to_owned()) }
}

/// A neighbouring relation in its spelling of the TOML.
pub fn adjacency(text: &str) -> Result<Adjacency, String> {
    serde_json::from_value(text.into()).map_err(|error| error.to_string())
}

/// The largest number up to which every whole one has a floating-point number of its own.
const MOST: f64 = (1_u64 << 53) as f64;

fn finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        Ok(x) if x.is_nan() => Err("must be a number".to_owned()),
        Ok(_) => Err("must be a finite number, at most about 1.8e308".to_owned()),
        Err(_) => Err("is not a number".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_two_forms() {
        assert_eq!(count("1000000"), Ok(1_000_000));
        assert_eq!(count("1e6"), Ok(1_000_000));
        assert_eq!(count("18446744073709551615"), Ok(u64::MAX));
        for bad in ["1.5", "-1", "1e17", "nan", "inf", "1e400", "abc", "", "18446744073709551616"] {
            assert!(count(bad).is_err(), "{bad}");
        }
        assert!(positive_count("0").is_err());
    }

    #[test]
    fn ranges_include_their_right_ends() {
        assert_eq!((delta("0"), rate("0"), rate("1")), (Ok(0.0), Ok(0.0), Ok(1.0)));
        for (bad, parse) in [("1", delta as fn(&str) -> _), ("1.1", rate), ("-1e-9", rate), ("0", positive)] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        for bad in ["nan", "-nan", "inf", "-inf", "1e400", "-1", "abc", "", "1,5", "0x1"] {
            assert!(positive(bad).is_err() && delta(bad).is_err() && rate(bad).is_err(), "{bad}");
        }
        // Too small for a number is 0.
        assert!(positive("1e-400").is_err());
    }

    #[test]
    fn relations_are_spelt_as_in_a_file() {
        assert_eq!(adjacency("replace-node"), Ok(Adjacency::ReplaceNode));
        assert!(adjacency("both").unwrap_err().contains("add-remove-record"));
    }
}
