//! What the fuzz targets share: reading any bytes, and what has to hold for every table that was read.

use dido_data::{Data, Format, Options, Source, Table, Values, read};

/// Most bytes that a file may unpack to here: far less than the memory a target may take.
pub const LIMIT: u64 = 1 << 24;

/// Options with that limit.
pub fn options(format: Format) -> Options {
    Options { format: Some(format), limit: LIMIT, ..Options::default() }
}

/// What the bytes hold, if they are such a file. What is refused must be said in one line.
pub fn attempt(bytes: &[u8], options: &Options) -> Option<Data> {
    let data = match read(&Source::bytes("input", bytes), options) {
        Ok(data) => data,
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with("input") && !message.contains(['\n', '\r']), "{message:?}");
            return None;
        }
    };
    if let Data::Table(table) = &data {
        holds(table);
    }
    Some(data)
}

/// Each column has a value for each record, and numbers are finite.
pub fn holds(table: &Table) {
    assert!(table.records() > 0 && !table.columns.is_empty());
    for column in &table.columns {
        assert_eq!(column.values.len(), table.records(), "{column:?}");
        if let Values::Numbers(values) = &column.values {
            assert!(values.iter().all(|value| value.is_finite()), "{column:?}");
        }
    }
    for record in 0..table.records() {
        assert!(!table.place(record).to_string().is_empty());
    }
}

/// Whether two columns hold the same bits.
pub fn same(a: &Values, b: &Values) -> bool {
    match (a, b) {
        (Values::Numbers(a), Values::Numbers(b)) => a.iter().map(|v| v.to_bits()).eq(b.iter().map(|v| v.to_bits())),
        (a, b) => a == b,
    }
}
