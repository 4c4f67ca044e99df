//! Splitting one pass over rows among threads, without changing a bit of the result.

use std::ops::Range;

use rayon::prelude::*;

/// Calls `work` for contiguous ranges of `0..rows` that cover it, each with its part of `out`.
///
/// `out` holds `rows` rows of equal width. There is one range when `cost` is below `worth` (a join of threads costs
/// tens of microseconds) and one per thread otherwise. Every row is computed by the same code from the same input
/// whatever the split, so results do not depend on the number of threads.
///
/// # Panics
/// If `out` is not a whole number of rows.
pub fn for_each_range<T: Send>(
    rows: usize,
    out: &mut [T],
    cost: usize,
    worth: usize,
    work: impl Fn(Range<usize>, &mut [T]) + Sync,
) {
    let threads = if cost < worth { 1 } else { rayon::current_num_threads().min(rows) };
    if threads <= 1 {
        return work(0..rows, out);
    }
    assert_eq!(out.len() % rows, 0, "{} numbers are no whole rows of {rows}", out.len());
    let width = out.len() / rows;
    let per_thread = rows.div_ceil(threads);
    out.par_chunks_mut(per_thread * width).enumerate().for_each(|(chunk, out)| {
        let first = chunk * per_thread;
        work(first..first + out.len() / width, out);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranges_cover_every_row_once_for_any_number_of_threads() {
        for threads in [1, 2, 3, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for rows in [1, 2, 5, 7, 100] {
                let mut out = vec![0; rows * 3];
                pool.install(|| {
                    for_each_range(rows, &mut out, 1, 0, |range, out| {
                        for (row, out) in range.zip(out.chunks_exact_mut(3)) {
                            out.fill(row + 1 + out[0]);
                        }
                    });
                });
                let expected: Vec<_> = (0..rows).flat_map(|row| [row + 1; 3]).collect();
                assert_eq!(out, expected, "{threads} threads, {rows} rows");
            }
        }
    }
}
