//! The ledger as the report shows it.

use dido_mechanisms::{Entry, Event, Ledger, Sampling, Sensitivity};

use crate::report::{html::LedgerRow, significant};

/// A row for each run of equal releases.
pub(super) fn rows(ledger: &Ledger) -> Vec<LedgerRow> {
    let row = |nodes: &[usize], entry: &Entry| {
        let (mechanism, scale, sensitivity) = facts(entry.event);
        LedgerRow {
            nodes: ranges(nodes),
            rounds: (entry.first, entry.last),
            releases: entry.releases,
            mechanism,
            scale,
            sensitivity: sensitivity.map(|s| s.value),
            norm: sensitivity.map_or(String::new(), |s| format!("{:?}", s.norm)),
        }
    };
    ledger.classes.iter().flat_map(|class| class.entries.iter().map(move |entry| row(&class.nodes, entry))).collect()
}

/// Ascending numbers, neighbours together; what is too long to read is counted.
fn ranges(nodes: &[usize]) -> String {
    const MOST: usize = 12;
    let mut runs: Vec<(usize, usize)> = vec![];
    for &node in nodes {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == node => *last = node,
            _ => runs.push((node, node)),
        }
    }
    let shown: Vec<String> = runs.iter().take(MOST).map(|&(first, last)| range(first, last)).collect();
    let rest: usize = runs.iter().skip(MOST).map(|(first, last)| last - first + 1).sum();
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    shown.join(", ") + &more
}

fn range(first: usize, last: usize) -> String {
    match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    }
}

/// A secret sample, in words.
fn sample(sampling: Sampling) -> String {
    match sampling {
        Sampling::OneOf { population } => format!("one of {population} records"),
        Sampling::WithoutReplacement { batch, population } => format!("{batch} of {population} records"),
        Sampling::Poisson { rate } => format!("records taken at a rate of {}", significant(rate)),
        Sampling::VisibleOneOf { activation, population } => {
            format!("one of {population} records, in a share of {} of the rounds", significant(activation))
        }
        Sampling::HiddenOneOf { activation, population } => {
            format!("one of {population} records, if a hidden coin of {} says so", significant(activation))
        }
    }
}

/// The mechanism of a release, its noise, and the sensitivity; of a sample, that of a record in it.
fn facts(event: Event) -> (String, Option<f64>, Option<Sensitivity>) {
    match event {
        Event::Laplace { sensitivity, scale, .. } => ("laplace".to_owned(), Some(scale), Some(sensitivity)),
        Event::Gaussian { sensitivity, sigma } => ("gaussian".to_owned(), Some(sigma), Some(sensitivity)),
        Event::DiscreteLaplace(noise) | Event::DiscreteGaussian(noise) => {
            let laplace = matches!(event, Event::DiscreteLaplace(_));
            let name = if laplace { "discrete-laplace" } else { "discrete-gaussian" };
            (name.to_owned(), Some(noise.scale as f64 * noise.grid.step()), Some(noise.in_units()))
        }
        Event::Sampled { sampling, base } => {
            let (mechanism, scale, sensitivity) = facts(base.into());
            (format!("{mechanism} on {}", sample(sampling)), scale, sensitivity)
        }
        Event::NonPrivate => ("none".to_owned(), None, None),
        other => (other.name().to_owned(), None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_told_in_ranges() {
        assert_eq!(ranges(&[0, 1, 2, 4, 5, 9]), "0 to 2, 4, 5, 9");
        assert_eq!(ranges(&[7]), "7");
        let even: Vec<usize> = (0..20).map(|k| 2 * k).collect();
        assert_eq!(ranges(&even), "0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22 and 8 more");
    }
}
