//! NPY: any bytes. A matrix of numbers is written out and read again to the same.
#![no_main]

use dido_data::{Data, Format, Missing, Options, Table, Values};
use dido_fuzz::{attempt, options, same};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let strict = options(Format::Npy);
    for options in [strict.clone(), Options { missing: Missing::Drop, ..strict.clone() }] {
        let Some(Data::Table(table)) = attempt(bytes, &options) else { continue };
        let Some(written) = written(&table) else { continue };
        let Some(Data::Table(copy)) = attempt(&written, &strict) else { panic!("what was written is refused") };
        assert_eq!(table.columns.len(), copy.columns.len());
        assert!(table.columns.iter().zip(&copy.columns).all(|(a, b)| same(&a.values, &b.values)));
    }
});

/// Columns of doubles, one after another.
fn written(table: &Table) -> Option<Vec<u8>> {
    let shape = (table.records(), table.columns.len());
    let header = format!("{{'descr': '>f8', 'fortran_order': True, 'shape': {shape:?}, }}\n");
    let mut bytes = b"\x93NUMPY\x03\x00".to_vec();
    bytes.extend(u32::try_from(header.len()).ok()?.to_le_bytes());
    bytes.extend(header.bytes());
    for column in &table.columns {
        let Values::Numbers(values) = &column.values else { return None };
        bytes.extend(values.iter().flat_map(|v| v.to_be_bytes()));
    }
    Some(bytes)
}
