//! How long a run takes. What a clock says goes to one place, [`Timing`], and decides nothing but when to store a checkpoint.

use std::time::Instant;

use cpu_time::ProcessTime;

use crate::records::Timing;

/// A stopwatch of wall and CPU time.
#[derive(Debug)]
pub struct Clock {
    before: Timing,
    wall: Instant,
    cpu: Option<ProcessTime>,
}

impl Clock {
    /// Starts where an earlier part of the run stopped.
    pub fn starting_at(before: Timing) -> Self {
        // A system that cannot tell the time of a process leaves it at what it was.
        Self { before, wall: Instant::now(), cpu: ProcessTime::try_now().ok() }
    }

    /// What it shows.
    pub fn read(&self) -> Timing {
        let cpu = self.cpu.and_then(|start| Some(ProcessTime::try_now().ok()?.duration_since(start)));
        Timing {
            wall_seconds: self.before.wall_seconds + self.wall.elapsed().as_secs_f64(),
            cpu_seconds: self.before.cpu_seconds + cpu.unwrap_or_default().as_secs_f64(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Work shows on both dials, and what came before is added. How much of either passes is not asserted.
    #[test]
    fn a_clock_goes_on_from_where_it_stopped() {
        let clock = Clock::starting_at(Timing { wall_seconds: 100.0, cpu_seconds: 50.0 });
        let begun = Instant::now();
        let mut sum = 0.0_f64;
        while begun.elapsed().as_millis() < 30 {
            sum += std::hint::black_box(1.0);
        }
        assert!(sum > 0.0);
        let Timing { wall_seconds, cpu_seconds } = clock.read();
        assert!((100.03..200.0).contains(&wall_seconds), "{wall_seconds}");
        assert!(cpu_seconds > 50.0 && cpu_seconds < 200.0, "{cpu_seconds}");
    }
}
