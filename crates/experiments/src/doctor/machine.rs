//! Cores, memory, disk and clock.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::{Check, Fact};

/// Less free space than this is worth a remark: a run with many lanes writes as much.
const LITTLE_SPACE: u64 = 1 << 30;
/// The same for memory.
const LITTLE_MEMORY: u64 = 1 << 29;
/// Seconds from 1970 to 2024: an earlier clock was never set.
const LONG_AGO: u64 = 1_704_067_200;

/// Cores and memory.
pub fn facts(facts: &mut Vec<Fact>, remarks: &mut Vec<String>) {
    let cores = std::thread::available_parallelism().map_or("unknown".to_owned(), |cores| cores.to_string());
    facts.push(Fact { name: "cores", value: cores });
    facts.push(Fact { name: "threads", value: rayon::current_num_threads().to_string() });
    let memory = available_memory();
    let value = memory.map_or("unknown".to_owned(), |bytes| format!("{} MB", bytes / 1_000_000));
    facts.push(Fact { name: "free memory", value });
    if memory.is_some_and(|bytes| bytes < LITTLE_MEMORY) {
        remarks.push("little memory is free: `dido plan` says what a run takes".to_owned());
    }
}

/// Where the system says so, as Linux does.
fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// Whether time goes on, and was set.
pub fn clock() -> Check {
    let began = Instant::now();
    std::thread::sleep(Duration::from_millis(2));
    let slept = began.elapsed();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let passed = slept >= Duration::from_millis(2) && now > LONG_AGO;
    let detail = format!("{now} s since 1970; 2 ms took {:.2} ms", slept.as_secs_f64() * 1e3);
    Check { name: "clock", passed, detail }
}

/// Whether results can be written, and how much room there is.
pub fn folder(results: &Path, facts: &mut Vec<Fact>, remarks: &mut Vec<String>) -> Check {
    let place = existing(results);
    let space = rustix::fs::statvfs(&place).ok().map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize));
    let value = space.map_or("unknown".to_owned(), |bytes| format!("{} MB in {}", bytes / 1_000_000, place.display()));
    facts.push(Fact { name: "free disk", value });
    if space.is_some_and(|bytes| bytes < LITTLE_SPACE) {
        remarks.push(format!("little space is left in {}", place.display()));
    }
    let written = tempfile::NamedTempFile::new_in(&place);
    let detail = match &written {
        Ok(_) => format!("{} can be written", place.display()),
        Err(error) => format!("{} cannot be written: {error}", place.display()),
    };
    Check { name: "results folder", passed: written.is_ok(), detail }
}

/// The folder, or where it would be made.
fn existing(results: &Path) -> PathBuf {
    let found = results.ancestors().find(|place| place.is_dir()).unwrap_or(Path::new(""));
    if found.as_os_str().is_empty() { PathBuf::from(".") } else { found.to_owned() }
}
