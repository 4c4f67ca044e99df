//! The trace as a Parquet file: the columns and lines of `trace.csv`.

use std::fmt::Write;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;

use super::table::{Cells, Column};
use crate::report::ReportError;

/// The bytes of the file; the same columns give the same bytes. Whole numbers are required and unsigned, others may be absent.
///
/// # Errors
/// If it cannot be encoded.
pub fn bytes(columns: &[Column]) -> Result<Vec<u8>, ReportError> {
    encoded(columns).map_err(|error| ReportError::Parquet(error.to_string()))
}

fn encoded(columns: &[Column]) -> Result<Vec<u8>, ParquetError> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("dido version {}", env!("CARGO_PKG_VERSION")))
        .build();
    let mut file =
        SerializedFileWriter::new(vec![], Arc::new(parse_message_type(&schema(columns))?), Arc::new(properties))?;
    let mut lines = file.next_row_group()?;
    for column in columns {
        let mut writer =
            lines.next_column()?.ok_or_else(|| ParquetError::General("more columns than declared".to_owned()))?;
        write(&mut writer, &column.cells)?;
        writer.close()?;
    }
    lines.close()?;
    file.into_inner()
}

/// The schema, in the language of the format.
fn schema(columns: &[Column]) -> String {
    let mut text = "message trace {\n".to_owned();
    for Column { name, cells } in columns {
        match cells {
            Cells::Whole(_) => writeln!(text, "REQUIRED INT64 {name} (INTEGER(64,false));"),
            Cells::Numbers(_) => writeln!(text, "OPTIONAL DOUBLE {name};"),
        }
        .expect("a string takes all that is written");
    }
    text + "}"
}

fn write(writer: &mut SerializedColumnWriter<'_>, cells: &Cells) -> Result<(), ParquetError> {
    match cells {
        Cells::Whole(cells) => {
            // The format keeps unsigned numbers as the signed ones of the same bits.
            let values: Vec<i64> = cells.iter().map(|cell| cell.cast_signed()).collect();
            writer.typed::<Int64Type>().write_batch(&values, None, None)?;
        }
        Cells::Numbers(cells) => {
            let values: Vec<f64> = cells.iter().flatten().copied().collect();
            let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
            writer.typed::<DoubleType>().write_batch(&values, Some(&levels), None)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let column = |name: &str, cells| Column { name: name.to_owned(), cells };
        let numbers = [None, Some(f64::INFINITY), Some(-1e-300)];
        let written = super::bytes(&[
            column("round", Cells::Whole(vec![0, 5, u64::MAX])),
            column("epsilon_zcdp", Cells::Numbers(numbers.to_vec())),
        ])
        .unwrap();
        let reader = SerializedFileReader::new(::bytes::Bytes::from(written)).unwrap();
        let lines: Vec<Vec<(String, Field)>> =
            reader.get_row_iter(None).unwrap().map(|line| line.unwrap().into_columns()).collect();
        let expected: Vec<Vec<(String, Field)>> = [0, 5, u64::MAX]
            .into_iter()
            .zip(numbers)
            .map(|(round, number)| {
                let number = number.map_or(Field::Null, Field::Double);
                vec![("round".to_owned(), Field::ULong(round)), ("epsilon_zcdp".to_owned(), number)]
            })
            .collect();
        assert_eq!(lines, expected);
    }
}
