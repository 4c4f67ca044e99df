//! Parquet.

use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::file::metadata::ParquetMetaData;

use super::guard::guarded;
use super::{Gathering, damaged, pages};
use crate::error::At;
use crate::{Fault, Format, Options, Table};

/// Rows that are decoded at a time.
const BATCH: usize = 8192;

/// Reads the table.
pub(crate) fn read(bytes: Vec<u8>, options: &Options) -> Result<Table, At> {
    if !bytes.ends_with(b"PAR1") || bytes.len() < 12 {
        let what = "not a complete Parquet file (no PAR1 at the end: the footer is missing)";
        return Err(Fault::Damaged(what.to_owned()).into());
    }
    pages::check_footer(&bytes).map_err(|what| damaged("Parquet", &what))?;
    guarded("Parquet", || decoded(&Bytes::from(bytes), options))
}

fn decoded(bytes: &Bytes, options: &Options) -> Result<Table, At> {
    // The types of Parquet say enough; the schema of Arrow beside them would have to be trusted.
    let reading = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(bytes.clone(), reading)
        .map_err(|e| damaged("Parquet", &e))?;
    let mut gathering = Gathering::new(builder.schema(), options)?;
    let positions = gathering.positions();
    within_limit(builder.metadata(), positions.len(), options.limit)?;
    // Only columns that are not nested are read, whose leaves are the columns themselves.
    let mask = ProjectionMask::roots(builder.parquet_schema(), positions);
    for group in builder.metadata().row_groups() {
        for (leaf, chunk) in group.columns().iter().enumerate().filter(|(leaf, _)| mask.leaf_included(*leaf)) {
            pages::check(bytes, chunk, options.limit)
                .map_err(|what| damaged("Parquet", &format!("column chunk {}: {what}", leaf + 1)))?;
        }
    }
    let batches = builder.with_projection(mask).with_batch_size(BATCH).build().map_err(|e| damaged("Parquet", &e))?;
    for batch in batches {
        gathering.add(&batch.map_err(|e| damaged("Parquet", &e))?)?;
    }
    gathering.finish(Format::Parquet, options)
}

/// A few bytes can say that one value is repeated for ever.
fn within_limit(metadata: &ParquetMetaData, columns: usize, limit: u64) -> Result<(), Fault> {
    let mut rows = 0_u64;
    for group in metadata.row_groups() {
        let here =
            u64::try_from(group.num_rows()).map_err(|_| damaged("Parquet", &"a row group has less than no rows"))?;
        rows = rows.saturating_add(here);
    }
    let bytes = rows.saturating_mul(size_of::<f64>() as u64).saturating_mul(columns as u64);
    if bytes > limit { Err(Fault::TooLarge(limit)) } else { Ok(()) }
}
