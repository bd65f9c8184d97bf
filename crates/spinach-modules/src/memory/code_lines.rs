//! Bytes of a memory decoded by cores that keep decoded code, and those of them written since.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a line, of which it is known whether any were decoded.
pub(crate) const LINE_BYTES: usize = 64;

/// Number of written lines that are remembered.
const REMEMBERED: usize = 256;

/// No two memories count from the same number on, so that a version identifies its memory.
static NEXT: AtomicU64 = AtomicU64::new(1 << VERSION_BITS);
const VERSION_BITS: u32 = 36;

/// The lines of a memory of which something was decoded.
#[derive(Debug)]
pub(crate) struct CodeLines {
    decoded: Box<[bool]>,
    /// The lines written last that had been decoded, oldest first, and how many there were in all when the first of these was
    /// written, counted from a number that no other memory counts from.
    written: Vec<u32>,
    written_before: u64,
}

/// Writes to decoded lines since the last check.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Written<'a> {
    /// These were written, and may have been since.
    Lines(&'a [u32]),
    /// Unknown lines.
    Unknown,
}

impl CodeLines {
    /// Record of a memory of `size` bytes without decoded lines.
    pub(crate) fn new(size: usize) -> Self {
        let decoded = vec![false; size.div_ceil(LINE_BYTES)].into();
        // Results depend on whether two numbers are equal, not on which they are.
        let written_before = NEXT.fetch_add(1 << VERSION_BITS, Ordering::Relaxed);
        Self { decoded, written: Vec::new(), written_before }
    }

    /// True if a part of the byte's line was decoded.
    #[inline(always)]
    pub(crate) fn holds(&self, place: usize) -> bool {
        self.decoded.get(place / LINE_BYTES).copied().unwrap_or(false)
    }

    /// Changes whenever a line is written that was decoded.
    #[inline]
    pub(crate) fn version(&self) -> u64 {
        self.written_before + self.written.len() as u64
    }

    /// The lines that were written since the version was `seen`.
    pub(crate) fn written_since(&self, seen: u64) -> Written<'_> {
        let known = seen.checked_sub(self.written_before).and_then(|known| usize::try_from(known).ok());
        known.and_then(|known| self.written.get(known..)).map_or(Written::Unknown, Written::Lines)
    }

    pub(crate) fn note_decoded(&mut self, place: usize, length: usize) {
        self.decoded[place / LINE_BYTES..(place + length).div_ceil(LINE_BYTES)].fill(true);
    }

    /// Records that bytes are written, of which some may not be inside.
    pub(crate) fn note_write(&mut self, place: usize, length: usize) {
        let lines =
            place / LINE_BYTES..place.saturating_add(length).div_ceil(LINE_BYTES).min(self.decoded.len());
        for line in lines {
            if std::mem::take(&mut self.decoded[line]) {
                if self.written.len() == REMEMBERED {
                    self.written_before += REMEMBERED as u64;
                    self.written.clear();
                }
                self.written.push(line as u32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_were_decoded_are_told_of_and_only_once() {
        let mut code = CodeLines::new(1000);
        let start = code.version();
        code.note_decoded(60, 8);
        code.note_write(128, 1000);
        assert_eq!((code.version(), code.holds(0), code.holds(128)), (start, true, false));
        code.note_write(0, 1000);
        code.note_write(0, 1000);
        assert_eq!(code.written_since(start), Written::Lines(&[0, 1]));
        assert_eq!(code.written_since(start + 1), Written::Lines(&[1]));
        assert_eq!(code.written_since(start + 2), Written::Lines(&[]));
    }

    #[test]
    fn who_has_not_looked_for_long_or_looked_at_another_memory_knows_nothing() {
        let mut code = CodeLines::new(64);
        let start = code.version();
        for _ in 0..=REMEMBERED {
            code.note_decoded(0, 1);
            code.note_write(0, 1);
        }
        assert_eq!(code.written_since(start), Written::Unknown);
        assert_eq!(code.version(), start + REMEMBERED as u64 + 1);
        assert_eq!(code.written_since(CodeLines::new(64).version()), Written::Unknown);
    }
}
