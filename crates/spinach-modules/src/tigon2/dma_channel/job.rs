//! One transfer of a DMA channel.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::control::{CHECKSUM, CHECKSUM_RESTART};

/// Requested transfer.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) host: u64,
    pub(super) local: u32,
    pub(super) length: u32,
    pub(super) control: u32,
}

/// Progress of a transfer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Job {
    pub(super) order: Order,
    /// Address of the checksum; `None` if no descriptor requested the transfer.
    pub(super) checksum_at: Option<u32>,
    /// Number of bytes requested from the source, and number that have arrived at the destination.
    pub(super) asked: u32,
    pub(super) moved: u32,
    /// The local address of the next byte to request, or to receive.
    pub(super) local: u32,
    /// The local address of the next byte that comes from the host.
    pub(super) next_local: u32,
    /// The local address of the next byte that passes between the FIFO and memory.
    pub(super) passing: u32,
    /// Bytes in the FIFO, and bytes that are still to be read from memory for the blocks that were asked for.
    pub(super) held: VecDeque<u8>,
    pub(super) to_read: u32,
    /// Number of bytes sent to the host, and the length of each unanswered block.
    pub(super) asked_of_host: u32,
    pub(super) lengths: VecDeque<u32>,
    /// The ones' complement sum, folded to 16 bits.
    pub(super) sum: u32,
    counts_addresses: bool,
}

impl Job {
    /// Begins with `order`; the parity of the checksum follows addresses if `counts_addresses`, else positions.
    pub(super) fn begin(&mut self, order: Order, checksum_at: Option<u32>, counts_addresses: bool) {
        let restarts = order.control & CHECKSUM_RESTART != 0;
        let sum = if restarts { 0 } else { self.sum };
        *self = Self {
            order,
            checksum_at,
            local: order.local,
            next_local: order.local,
            passing: order.local,
            sum,
            counts_addresses,
            ..Self::default()
        };
    }

    /// Adds bytes of which the first is at `place`: an address in memory or a position in the transfer.
    pub(super) fn add_to_sum(&mut self, bytes: &[u8], place: u32) {
        if self.order.control & CHECKSUM == 0 {
            return;
        }
        debug_assert!(self.counts_addresses || place == self.asked_of_host, "positions count from the start");
        let weight = |(index, byte): (usize, &u8)| {
            let is_high = (place as usize + index).is_multiple_of(2);
            u64::from(*byte) << if is_high { 8 } else { 0 }
        };
        let mut sum = u64::from(self.sum) + bytes.iter().enumerate().map(weight).sum::<u64>();
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        self.sum = sum as u32;
    }
}

/// Reverses the bytes of each whole 32-bit word.
pub(super) fn swap_words(bytes: &mut [u8]) {
    for word in bytes.chunks_exact_mut(4) {
        word.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_that_of_the_internet_checksum() {
        let order = Order { control: CHECKSUM, ..Order::default() };
        let mut job = Job::default();
        job.begin(order, None, true);
        // RFC 1071, section 3.
        job.add_to_sum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7], 0x1000);
        assert_eq!(job.sum, 0xddf2);
        job.begin(order, None, true);
        assert_eq!(job.sum, 0xddf2, "continues");
        job.begin(Order { control: CHECKSUM | CHECKSUM_RESTART, ..order }, None, true);
        job.add_to_sum(&[0x12, 0x34], 0x1001);
        assert_eq!(job.sum, 0x3412, "from an odd place on, the first byte is a low half");
    }
}
