//! What the fuzz targets have found is read or refused in one line, also where no fuzzer can be built.
#![cfg(feature = "parquet")]

use std::fs;
use std::path::Path;

use dido_data::{Data, Options, Source, read};

#[test]
fn the_corpus_of_every_format_is_read_or_refused() {
    for name in ["csv", "libsvm", "npy", "npz", "parquet", "arrow"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
        let options = Options { format: Some(name.parse().unwrap()), limit: 1 << 24, ..Options::default() };
        let (mut tables, mut refused) = (0, 0);
        for entry in fs::read_dir(folder).unwrap() {
            match read(&Source::bytes("input", fs::read(entry.unwrap().path()).unwrap()), &options) {
                Ok(Data::Table(table)) => {
                    tables += 1;
                    assert!(table.columns.iter().all(|column| column.values.len() == table.records()));
                }
                Ok(Data::Sparse(rows)) => {
                    tables += 1;
                    assert_eq!(rows.starts.len(), rows.records() + 1);
                }
                Err(error) => {
                    refused += 1;
                    let message = error.to_string();
                    assert!(message.starts_with("input") && !message.contains(['\n', '\r']), "{message}");
                }
            }
        }
        assert!(tables > 0 && refused > 0, "{name}: {tables} read, {refused} refused");
    }
}
