//! The name that was meant.

/// The name nearest to `wanted`, if it is near: one slip in three letters, a swap of neighbours counted as one, case aside.
pub(crate) fn nearest<'a>(wanted: &str, names: &[&'a str]) -> Option<&'a str> {
    // Longer names are no typing errors of each other, and the distance takes the product of their lengths.
    const LONGEST: usize = 100;
    let slips = |name: &str| {
        let longer = name.chars().count().max(wanted.chars().count());
        let slips = strsim::damerau_levenshtein(&wanted.to_lowercase(), &name.to_lowercase());
        (slips <= (longer / 3).max(1) && slips < longer).then_some(slips)
    };
    let near = names.iter().filter(|name| wanted.len().max(name.len()) <= LONGEST);
    near.filter_map(|&name| Some((slips(name)?, name))).min_by_key(|(slips, _)| *slips).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_names_are_meant() {
        assert_eq!(nearest("targte", &["id", "target"]), Some("target"));
        assert_eq!(nearest("AGE", &["age", "sage"]), Some("age"));
        assert_eq!(nearest("aeg", &["site", "age"]), Some("age"));
        assert_eq!(nearest("y", &["a", "b"]), None);
        assert_eq!(nearest("days", &["age", "sex"]), None);
    }
}
