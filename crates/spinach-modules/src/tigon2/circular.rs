//! `CircularBuffers`: two buffers in memory, each of which ends where the other begins or at the top.

use serde::{Deserialize, Serialize};

/// Wrap-around of runs of bytes in circular buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CircularBuffers {
    registers: [u16; 2],
    bases: [u32; 2],
    top: u32,
}

impl CircularBuffers {
    /// Their beginnings are in these registers; the higher one ends at `top`.
    pub(crate) fn new(registers: [u32; 2], top: u64) -> Self {
        Self { registers: registers.map(|offset| offset as u16), bases: [0; 2], top: top as u32 }
    }

    /// Records the content of a register.
    pub(crate) fn see(&mut self, offset: u16, word: u32) {
        for (register, base) in self.registers.iter().zip(&mut self.bases) {
            if *register == offset {
                *base = word;
            }
        }
    }

    /// The first address and the one after the last of the buffer that `address` is in; `None` outside of both.
    pub(crate) fn around(&self, address: u32) -> Option<(u32, u32)> {
        let [low, high] =
            if self.bases[0] <= self.bases[1] { self.bases } else { [self.bases[1], self.bases[0]] };
        if low == 0 || address < low {
            return None;
        }
        if address < high { Some((low, high)) } else { Some((high, self.top)) }
    }

    /// Number of `length` bytes from `address` on before the end of its buffer, and the address of the rest.
    pub(crate) fn piece(&self, address: u32, length: u32) -> (u32, u32) {
        match self.around(address) {
            Some((base, end)) if length >= end.saturating_sub(address) => (end.saturating_sub(address), base),
            _ => (length, address.wrapping_add(length)),
        }
    }

    /// True if the data between `consumer` and `producer`, rounded up to a multiple of 8, holds `length` bytes from `address` on,
    /// likewise rounded. Bytes outside of the buffer that `consumer` is in count as held.
    pub(crate) fn covers(&self, consumer: u32, producer: u32, address: u32, length: u32) -> bool {
        let Some((base, end)) = self.around(consumer) else { return true };
        if address < base || address >= end {
            return true;
        }
        if producer < base || producer > end {
            return false;
        }
        let size = end - base;
        let distance = |to: u32| (to.wrapping_sub(consumer).wrapping_add(size)) % size;
        distance(address) + length.next_multiple_of(8) <= distance(producer.next_multiple_of(8))
    }

    /// Bytes from `address` on to `to`, around the buffer that `address` is in; `None` if `to` is not in that buffer.
    pub(crate) fn distance(&self, address: u32, to: u32) -> Option<u32> {
        let (base, end) = self.around(address)?;
        let size = end - base;
        (base..=end).contains(&to).then(|| (to + size - address) % size)
    }

    /// The address `length` bytes on.
    pub(crate) fn advance(&self, address: u32, length: u32) -> u32 {
        let (first, next) = self.piece(address, length);
        if first == length { next } else { next.wrapping_add(length - first) }
    }
}

/// The next entry of a ring of `mask + bytes` bytes, aligned to its size.
pub(crate) fn next_entry(pointer: u32, bytes: u32, mask: u32) -> u32 {
    pointer & !mask | pointer.wrapping_add(bytes) & mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_buffer_ends_where_the_other_begins_or_at_the_top() {
        let mut buffers = CircularBuffers::new([0xc0, 0xd0], 0x20_0000);
        assert_eq!(buffers.advance(0x1f_fff8, 16), 0x20_0008, "no buffer is known yet");
        buffers.see(0xc0, 0x17_6000);
        buffers.see(0xd0, 0x13_3000);
        assert_eq!(buffers.piece(0x17_5ff0, 0x20), (0x10, 0x13_3000));
        assert_eq!(buffers.advance(0x17_5ff0, 0x20), 0x13_3010);
        assert_eq!(buffers.advance(0x1f_fff0, 0x10), 0x17_6000);
        assert_eq!(buffers.advance(0x1f_fff0, 0x18), 0x17_6008);
        assert_eq!(buffers.advance(0x2000, 0x18), 0x2018);
    }

    #[test]
    fn data_covers_a_frame_around_the_buffer() {
        let mut buffers = CircularBuffers::new([0xc0, 0xd0], 0x20_0000);
        buffers.see(0xc0, 0x17_6000);
        buffers.see(0xd0, 0x13_3000);
        let covers = |producer, address, length| buffers.covers(0x17_5ff0, producer, address, length);
        assert!(!covers(0x17_5ff0, 0x17_5ff0, 1), "an empty buffer holds nothing");
        assert!(covers(0x17_5ff9, 0x17_5ff0, 9), "both ends are rounded up");
        assert!(!covers(0x17_5ff8, 0x17_5ff0, 9));
        assert!(covers(0x13_3010, 0x17_5ff0, 0x20));
        assert!(!covers(0x13_300f - 8, 0x17_5ff0, 0x20));
        assert!(covers(0x17_6000, 0x17_5ff0, 0x10), "the end is the beginning");
        assert!(covers(0x13_3020, 0x13_3008, 0x18), "behind a frame that has not left");
        assert!(covers(0, 0x8000, 100), "not in this buffer");
    }

    #[test]
    fn rings_wrap_within_their_alignment() {
        assert_eq!(next_entry(0x13_27e0, 32, 0x7e0), 0x13_2000);
        assert_eq!(next_entry(0x13_2000, 32, 0x7e0), 0x13_2020);
    }
}
