//! How records come to their parties, in words: it decides what a replaced record can change.

use dido_mechanisms::Adjacency;

use crate::config::{MissingConfig, PartitionConfig};
use crate::spec::Spec;

/// The assignment of records to parties and to the held-out set, and what both keep when a record changes.
///
/// The guarantee speaks of data sets that differ in records and agree in everything public. Where a record belongs is
/// public in this sense, however the split was made. A record that is added to a file or removed from it changes the split
/// itself, since that follows from the number of records: then the guarantee speaks of shards and not of the file.
pub fn assignment(spec: &Spec) -> String {
    let data = &spec.config.data;
    let parties = data.records.len();
    let of = if data.is_held_out_by_party() { "all records" } else { "training records" };
    let (by, kept) = match &data.partition {
        PartitionConfig::Files(_) => (
            format!("each of {parties} files is a party"),
            "a replaced record keeps its place in its file".to_owned(),
        ),
        PartitionConfig::Dirichlet(skew) => (
            format!(
                "{of} are shared out to {parties} parties in random proportions (Dirichlet, alpha {}, public seed {}), for each \
                 class or, of a numeric target, each tenth of it",
                skew.alpha, skew.seed
            ),
            "the split looks at targets and is part of the set-up: a replaced record stays with its party and moves no other"
                .to_owned(),
        ),
        PartitionConfig::Contiguous(_) => (
            format!("{of} in the order of the file, cut into {parties} parts"),
            "a replaced record keeps its place in the file, and so its party".to_owned(),
        ),
        PartitionConfig::Shuffled(shuffled) => (
            format!("{of} in a random order of public seed {}, cut into {parties} parts", shuffled.seed),
            "a replaced record keeps its place in the file, and so its party".to_owned(),
        ),
        PartitionConfig::Sorted(sorted) => (
            format!("{of} sorted by `{}` and cut into {parties} parts", sorted.column),
            "the split is part of the set-up: a replaced record stays with its party and moves no other".to_owned(),
        ),
        PartitionConfig::ByColumn(by) => (
            format!("each value of `{}` is a party", by.column),
            format!("a replaced record keeps its `{}`, and so its party", by.column),
        ),
    };
    let kept = match spec.config.privacy.adjacency {
        Adjacency::AddRemoveRecord => {
            "the guarantee is for given shards, of which one has a record more or less: a line more or less in the file \
             may also move other records to other parties or into the held-out set, which it does not cover"
                .to_owned()
        }
        Adjacency::ReplaceRecord | Adjacency::ReplaceNode => kept,
    };
    let seed = data.held_out.seed;
    let place = if data.is_held_out_by_party() { "among those of their party" } else { "in the file" };
    let missing = match data.missing {
        MissingConfig::Error => "",
        MissingConfig::Drop => {
            "; a record that lacks a value keeps its place and counts as a record of zeros, which is within all bounds: whether a \
             record is complete is protected like the rest of it"
        }
    };
    format!(
        "{by}; {kept}; which records are held out follows from their place {place} and a public seed ({seed}){missing}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{load, plan};

    #[test]
    fn every_partition_says_what_a_replaced_record_keeps() {
        let held_out = "; which records are held out follows from their place in the file and a public seed (5)";
        for (partition, expected) in [
            (
                "{ kind = 'sorted', column = 'experience' }",
                "training records sorted by `experience` and cut into 5 parts; the split is part of the set-up: a \
                 replaced record stays with its party and moves no other",
            ),
            (
                "{ kind = 'by-column', column = 'region' }",
                "each value of `region` is a party; a replaced record keeps its `region`, and so its party",
            ),
            (
                "{ kind = 'contiguous' }",
                "training records in the order of the file, cut into 5 parts; a replaced record keeps its place in \
                 the file, and so its party",
            ),
            (
                "{ kind = 'shuffled', seed = 9 }",
                "training records in a random order of public seed 9, cut into 5 parts; a replaced record keeps its \
                 place in the file, and so its party",
            ),
        ] {
            let overrides = [format!("data.partition={partition}"), "data.held_out.seed=5".to_owned()];
            let spec = Spec::new(load("quickstart", &overrides).unwrap()).unwrap();
            assert_eq!(plan(&spec).unwrap().plan.assignment, format!("{expected}{held_out}"));
        }
        for (keys, expected) in [
            (
                &["data.partition={ kind = 'dirichlet', alpha = 0.5, seed = 3 }"][..],
                "training records are shared out to 5 parties",
            ),
            (&["data.held_out.by=party"], "all records sorted by `experience`"),
            (&["data.held_out.by=party"], "from their place among those of their party and a public seed (0)"),
            (&["data.missing=drop"], "counts as a record of zeros, which is within all bounds"),
        ] {
            let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
            let words = plan(&Spec::new(load("quickstart", &keys).unwrap()).unwrap()).unwrap().plan.assignment;
            assert!(words.contains(expected), "{words}");
        }
        let algorithm = "algorithm={ kind = 'dp-sgd', step = { kind = 'constant', c = 0.1 }, clip = 1 }";
        let overrides = [algorithm, "privacy.adjacency=add-remove-record", "data.held_out.seed=5"].map(str::to_owned);
        let spec = Spec::new(load("quickstart", &overrides).unwrap()).unwrap();
        let words = plan(&spec).unwrap().plan.assignment;
        assert!(words.contains("for given shards, of which one has a record more or less: "), "{words}");
        assert!(words.contains("into the held-out set, which it does not cover; which records"), "{words}");
        assert!(words.ends_with(held_out) && !words.contains("moves no other"), "{words}");
    }
}
