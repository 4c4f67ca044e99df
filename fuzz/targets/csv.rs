//! CSV: any bytes, in several dialects. What was read is written out and read again to the same.
#![no_main]

use dido_data::{Data, Format, Header, Missing, Options, Table, Values};
use dido_fuzz::{attempt, options, same};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let plain = options(Format::Csv);
    let dialects = [
        plain.clone(),
        Options { separator: Some(b','), header: Header::Yes, missing: Missing::Drop, ..plain.clone() },
        Options { separator: Some(b';'), header: Header::No, decimal: b',', comment: Some(b'#'), ..plain.clone() },
    ];
    for dialect in dialects {
        let Some(Data::Table(table)) = attempt(bytes, &dialect) else { continue };
        let again = Options { separator: Some(b','), header: Header::Yes, na: plain.na.clone(), ..plain.clone() };
        let Some(Data::Table(copy)) = attempt(written(&table).as_bytes(), &again) else {
            panic!("what was written is refused");
        };
        assert_eq!(table.names(), copy.names());
        for (a, b) in table.columns.iter().zip(&copy.columns) {
            assert!(same(&a.values, &b.values), "{a:?} became {b:?}");
        }
    }
});

/// The table with all cells in quotes.
fn written(table: &Table) -> String {
    let line = |cells: Vec<String>| {
        let quoted: Vec<String> = cells.iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).collect();
        quoted.join(",") + "\n"
    };
    let cell = |values: &Values, record: usize| match values {
        Values::Numbers(values) => format!("{:?}", values[record]),
        Values::Booleans(values) => values[record].to_string(),
        Values::Text(texts) => texts.get(record).unwrap_or_default().to_owned(),
    };
    let mut text = line(table.names().into_iter().map(str::to_owned).collect());
    for record in 0..table.records() {
        text += &line(table.columns.iter().map(|column| cell(&column.values, record)).collect());
    }
    text
}
