//! The name that was meant.

/// The name nearest to `wanted`, if it is near: at most a third of its letters differ, case aside.
pub(crate) fn nearest<'a>(wanted: &str, names: &[&'a str]) -> Option<&'a str> {
    // Longer names are no typing errors of each other, and the distance takes the product of their lengths.
    const LONGEST: usize = 100;
    if wanted.len() > LONGEST {
        return None;
    }
    let lower = wanted.to_lowercase();
    let distances = names.iter().filter(|name| name.len() <= LONGEST).map(|name| {
        let other = name.to_lowercase();
        (distance(&lower, &other), *name)
    });
    let (edits, name) = distances.min_by_key(|(edits, _)| *edits)?;
    (3 * edits <= wanted.chars().count()).then_some(name)
}

/// Letters to insert, delete or replace (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_by_hand() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
    }

    #[test]
    fn only_near_names_are_meant() {
        assert_eq!(nearest("targte", &["id", "target"]), Some("target"));
        assert_eq!(nearest("AGE", &["age", "sage"]), Some("age"));
        assert_eq!(nearest("y", &["a", "b"]), None);
    }
}
