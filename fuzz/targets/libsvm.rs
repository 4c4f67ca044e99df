//! LIBSVM: any bytes, with indices from 1 and from 0. What was read is written out and read again to the same.
#![no_main]

use dido_data::{Data, Format, Options, Sparse};
use dido_fuzz::{attempt, options};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let from_one = options(Format::Libsvm);
    for options in [from_one.clone(), Options { index_base: 0, features: Some(1000), ..from_one.clone() }] {
        let Some(Data::Sparse(rows)) = attempt(bytes, &options) else { continue };
        assert_eq!((rows.starts.len(), rows.labels.len()), (rows.records() + 1, rows.label_texts.len()));
        assert!(rows.indices.iter().all(|k| (*k as usize) < rows.features));
        assert!(rows.values.iter().all(|v| v.is_finite() && *v != 0.0));
        // A file of rows without any feature has no number of features to give again.
        let again = Options { features: (rows.features > 0).then_some(rows.features), ..from_one.clone() };
        let Some(Data::Sparse(copy)) = attempt(written(&rows).as_bytes(), &again) else {
            panic!("what was written is refused");
        };
        assert_eq!((rows.features, rows.starts, rows.indices), (copy.features, copy.starts, copy.indices));
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!((bits(&rows.values), bits(&rows.labels)), (bits(&copy.values), bits(&copy.labels)));
    }
});

fn written(rows: &Sparse) -> String {
    let line = |record| {
        let pairs: String = rows.row(record).map(|(k, value)| format!(" {}:{value:?}", k + 1)).collect();
        format!("{:?}{pairs}\n", rows.labels[record])
    };
    (0..rows.records()).map(line).collect()
}
