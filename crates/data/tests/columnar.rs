//! Parquet and Arrow: types, dictionaries, nulls, projections, and lengths that lie.
#![cfg(feature = "parquet")]

use std::sync::Arc;

use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float32Array, Float64Array, Int64Array,
    LargeStringArray, NullArray, RecordBatch, StringArray, UInt8Array,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use dido_data::{Column, Data, Missing, Options, Places, Source, Table, Values, read};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::WriterProperties;

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

fn all_kinds() -> RecordBatch {
    let words: DictionaryArray<Int32Type> = vec![Some("u"), None, Some("v"), Some("u")].into_iter().collect();
    let codes = DictionaryArray::<Int8Type>::try_new(
        vec![Some(0), Some(1), Some(0), Some(1)].into(),
        Arc::new(Int64Array::from(vec![70, 80])),
    );
    batch(vec![
        ("float", Arc::new(Float64Array::from(vec![Some(0.5), Some(-0.0), None, Some(5e-324)]))),
        ("single", Arc::new(Float32Array::from(vec![0.5, f32::NAN, 1.5, 2.5]))),
        ("long", Arc::new(Int64Array::from(vec![(1 << 53) + 1, -1, 0, 1]))),
        ("byte", Arc::new(UInt8Array::from(vec![255, 0, 1, 2]))),
        ("money", Arc::new(Decimal128Array::from(vec![110, -5, 0, 33]).with_precision_and_scale(10, 2).unwrap())),
        ("truth", Arc::new(BooleanArray::from(vec![true, false, true, false]))),
        ("text", Arc::new(StringArray::from(vec!["a", "", "ß", "d"]))),
        ("large", Arc::new(LargeStringArray::from(vec!["a", "b", "c", "d"]))),
        ("words", Arc::new(words)),
        ("codes", Arc::new(codes.unwrap())),
    ])
}

/// In groups of three rows.
fn parquet(batch: &RecordBatch, codec: Compression) -> Vec<u8> {
    grouped(batch, codec, 3)
}

fn grouped(batch: &RecordBatch, codec: Compression, rows: usize) -> Vec<u8> {
    let properties = WriterProperties::builder().set_compression(codec).set_max_row_group_row_count(Some(rows)).build();
    let mut bytes = vec![];
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

/// The file and the stream, in two batches.
fn arrow(batch: &RecordBatch, codec: Option<CompressionType>) -> [Vec<u8>; 2] {
    let options = || IpcWriteOptions::default().try_with_compression(codec).unwrap();
    let schema = batch.schema();
    let half = batch.num_rows() / 2;
    let halves = [batch.slice(0, half), batch.slice(half, batch.num_rows() - half)];
    let mut file = FileWriter::try_new_with_options(vec![], &schema, options()).unwrap();
    let mut stream = StreamWriter::try_new_with_options(vec![], &schema, options()).unwrap();
    for half in &halves {
        file.write(half).unwrap();
        stream.write(half).unwrap();
    }
    [file.into_inner().unwrap(), stream.into_inner().unwrap()]
}

fn every_form(batch: &RecordBatch) -> Vec<Vec<u8>> {
    let zstd = Compression::ZSTD(ZstdLevel::default());
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::LZ4_RAW,
        Compression::GZIP(GzipLevel::default()),
        zstd,
    ];
    let mut forms: Vec<_> = codecs.into_iter().map(|codec| parquet(batch, codec)).collect();
    for codec in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
        forms.extend(arrow(batch, codec));
    }
    forms
}

fn table(bytes: Vec<u8>, options: &Options) -> Result<Table, String> {
    match read(&Source::bytes("t", bytes), options) {
        Ok(Data::Table(table)) => Ok(table),
        Ok(Data::Sparse(_)) => panic!("sparse"),
        Err(error) => Err(error.to_string()),
    }
}

fn show(column: &Column) -> String {
    match &column.values {
        Values::Numbers(values) => format!("{values:?}"),
        Values::Booleans(values) => format!("{values:?}"),
        Values::Text(texts) => texts.iter().collect::<Vec<_>>().join(" "),
    }
}

#[test]
fn all_types_are_read_from_all_forms() {
    let drop = Options { missing: Missing::Drop, ..Options::default() };
    for bytes in every_form(&all_kinds()) {
        let table = table(bytes, &drop).unwrap();
        assert_eq!(table.places, Places::Rows(vec![1, 4]));
        assert_eq!(table.missing.dropped, [2, 3]);
        let counts: Vec<_> = table.missing.by_column.iter().map(|(column, count)| (column.as_str(), *count)).collect();
        assert_eq!(counts, [("float", 1), ("single", 1), ("words", 1)]);
        let shown: Vec<String> = table.columns.iter().map(show).collect();
        assert_eq!(
            shown,
            [
                "[0.5, 5e-324]",
                "[0.5, 2.5]",
                "[9007199254740992.0, 1.0]",
                "[255.0, 2.0]",
                "[1.1, 0.33]",
                "[true, false]",
                "a d",
                "a d",
                "u u",
                "[70.0, 80.0]"
            ]
        );
    }
}

#[test]
fn only_the_columns_asked_for_are_looked_at() {
    let batch = batch(vec![
        ("when", Arc::new(Date32Array::from(vec![1, 2, 3]))),
        ("x", Arc::new(Float64Array::from(vec![1.0, 2.0, 3.0]))),
        ("gap", Arc::new(Float64Array::from(vec![None, Some(1.0), None]))),
        ("y", Arc::new(Int64Array::from(vec![4, 5, 6]))),
    ]);
    let only = Options { only: Some(vec!["y".to_owned(), "x".to_owned()]), ..Options::default() };
    for bytes in every_form(&batch) {
        let table = table(bytes.clone(), &only).unwrap();
        assert_eq!(
            table.columns.iter().map(|column| (column.number, show(column))).collect::<Vec<_>>(),
            [(2, "[1.0, 2.0, 3.0]".to_owned()), (4, "[4.0, 5.0, 6.0]".to_owned())]
        );
        let message = self::table(bytes.clone(), &Options::default()).unwrap_err();
        assert!(message.starts_with("t, column 1 (when): the column is a date, a time or a duration"), "{message}");
        let drop = Options { drop: vec!["when".to_owned()], ..Options::default() };
        assert!(self::table(bytes, &drop).unwrap_err().starts_with("t, row 1, column 3 (gap): missing value"));
    }
    let null =
        RecordBatch::try_from_iter_with_nullable([("x", Arc::new(NullArray::new(2)) as ArrayRef, true)]).unwrap();
    for bytes in every_form(&null) {
        let message = table(bytes, &Options { missing: Missing::Drop, ..Options::default() }).unwrap_err();
        assert!(message.contains("the type null") || message.contains("every one of the 2 rows"), "{message}");
    }
}

#[test]
fn a_value_repeated_for_ever_is_refused() {
    let rows = 1 << 20;
    let bytes = grouped(&batch(vec![("x", Arc::new(Float64Array::from(vec![1.0; rows])))]), Compression::SNAPPY, rows);
    let limited = Options { limit: 1 << 20, ..Options::default() };
    assert!(bytes.len() < 1 << 20);
    assert!(table(bytes, &limited).unwrap_err().contains("more than 1048576 bytes"));
}

#[test]
fn every_cut_and_every_changed_byte_is_survived() {
    let batch = all_kinds();
    let drop = Options { missing: Missing::Drop, limit: 1 << 20, ..Options::default() };
    let forms = [parquet(&batch, Compression::SNAPPY)].into_iter().chain(arrow(&batch, Some(CompressionType::ZSTD)));
    for bytes in forms {
        let whole = table(bytes.clone(), &drop).unwrap();
        for len in 1..bytes.len() {
            // Only a stream may end early: between two messages.
            if let Ok(cut) = table(bytes[..len].to_vec(), &drop) {
                assert!(cut.records() <= whole.records() && !cut.notes.is_empty());
            }
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0xff;
            if let Ok(table) = table(changed, &drop) {
                assert!(table.columns.iter().all(|column| column.values.len() == table.records()));
            }
        }
    }
}

/// Found by fuzzing: the decoder walked over two thousand million truth values that take no bytes.
#[test]
fn a_list_without_end_is_refused() {
    let message =
        table(include_bytes!("regressions/list_without_end.parquet").to_vec(), &Options::default()).unwrap_err();
    assert_eq!(message, "t: the Parquet data are damaged: the footer is damaged");
}

#[test]
fn a_buffer_that_lies_is_refused() {
    let numbers = batch(vec![("x", Arc::new(Float64Array::from(vec![1.0; 4000])))]);
    for codec in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        for bytes in arrow(&numbers, Some(codec)) {
            // Two batches of 2000 doubles each; the length of a buffer is before its packed bytes.
            let announced = 16_000_u64.to_le_bytes();
            let at = bytes.windows(8).position(|bytes| bytes == announced).unwrap();
            let mut lie = bytes.clone();
            lie[at..at + 8].copy_from_slice(&(1_u64 << 50).to_le_bytes());
            let message = table(lie, &Options::default()).unwrap_err();
            assert!(message.contains("announces more bytes than its codec can unpack"), "{message}");
            let limited = table(bytes, &Options { limit: 20_000, ..Options::default() }).unwrap_err();
            assert!(limited.contains("more bytes than the limit"), "{limited}");
        }
    }
}
