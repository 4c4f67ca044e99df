//! Messages: the name that was meant where an unknown one is given, and one line whatever is in it.

/// The end of a message on an unknown name: the nearest of the known ones if there is one near, or nothing.
pub fn suggestion<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, names).map_or_else(String::new, |name| format!(", did you mean `{name}`?"))
}

/// The nearest of the names, if it is so near that it may have been meant: one slip in three letters, a swap of neighbours
/// counted as one.
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // The distance takes time in proportion to the product of the lengths.
    let long = |name: &str| word.len() > 2 * name.len() + 2;
    let longer = |name: &str| name.chars().count().max(word.chars().count());
    let near = |distance: usize, name: &str| distance <= (longer(name) / 3).max(1) && distance < longer(name);
    names
        .into_iter()
        .filter(|name| !long(name))
        .map(|name| (strsim::damerau_levenshtein(&word.to_lowercase(), name), name))
        .filter(|&(distance, name)| near(distance, name))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// The same text in one line, without characters that a terminal would obey.
pub fn one_line(message: &str) -> String {
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    line.chars().map(plain).collect()
}

/// The names in backticks, as a list.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line_and_moves_no_cursor() {
        assert_eq!(one_line("two\n lines\t\u{1b}[31m\u{0}"), "two lines \\u{1b}[31m\\u{0}");
    }

    #[test]
    fn a_slip_is_near_and_another_word_is_not() {
        let names = ["ring", "random-regular", "complete", "radius"];
        for (word, expected) in [
            ("rign", Some("ring")),
            ("raduis", Some("radius")),
            ("Ring", Some("ring")),
            ("random_regular", Some("random-regular")),
            ("compleet", Some("complete")),
            ("donut", None),
            ("", None),
            ("r", None),
        ] {
            assert_eq!(nearest(word, names), expected, "{word}");
        }
        assert_eq!(suggestion("rign", names), ", did you mean `ring`?");
        assert_eq!(suggestion("donut", names), "");
        assert_eq!(nearest(&"r".repeat(1_000_000), names), None);
    }
}
