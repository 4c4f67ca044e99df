//! Random words for whole bundles: drawn a block at a time and handed to a loop over the block, since a loop over
//! one short row loses half of its time.

use std::cell::RefCell;

use rand::Rng;

use crate::{Key, MechanismError, Stream};

/// Words drawn before they are transformed: enough to make the loop over them long, few enough for the first cache.
pub const BLOCK: usize = 1024;

thread_local! {
    /// The random words of a block, kept so that a round allocates nothing.
    static WORDS: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Calls `add(words, dim, rows)` for one block of rows of `dim` numbers after another, until all are done.
///
/// Each row has the first words of its own key's `stream`, 8 bytes each: one for each number, rounded up to a
/// multiple of `group` (which divides [`BLOCK`]). Rows longer than a block come in pieces, each a block of one row.
///
/// # Errors
/// If `rows` is not `keys.len()` rows of `dim` numbers.
pub fn for_each(
    keys: &[Key],
    stream: Stream,
    rows: &mut [f64],
    dim: usize,
    group: usize,
    mut add: impl FnMut(&[u8], usize, &mut [f64]),
) -> Result<(), MechanismError> {
    if keys.len().checked_mul(dim) != Some(rows.len()) {
        return Err(MechanismError::Keys { keys: keys.len(), numbers: rows.len(), dim });
    }
    if rows.is_empty() {
        return Ok(());
    }
    WORDS.with_borrow_mut(|words| {
        words.resize(8 * BLOCK, 0);
        if dim <= BLOCK {
            let bytes = 8 * dim.next_multiple_of(group);
            let at_once = 8 * BLOCK / bytes;
            for (keys, rows) in keys.chunks(at_once).zip(rows.chunks_mut(at_once * dim)) {
                let words = &mut words[..bytes * keys.len()];
                for (key, words) in keys.iter().zip(words.chunks_exact_mut(bytes)) {
                    key.rng(stream).fill_bytes(words);
                }
                add(words, dim, rows);
            }
        } else {
            for (key, row) in keys.iter().zip(rows.chunks_exact_mut(dim)) {
                let mut rng = key.rng(stream);
                for piece in row.chunks_mut(BLOCK) {
                    let words = &mut words[..8 * piece.len().next_multiple_of(group)];
                    rng.fill_bytes(words);
                    add(words, piece.len(), piece);
                }
            }
        }
    });
    Ok(())
}
