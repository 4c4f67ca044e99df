//! Parquet and Arrow IPC.
