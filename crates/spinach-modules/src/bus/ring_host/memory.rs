//! Layout of the host memory that the NIC can reach: rings, buffers and the status block of its driver.

use crate::dma::descriptors::{BufferDescriptor, STATUS_BLOCK_BYTES};

/// Buffers begin at multiples of this many bytes.
const LINE: u64 = 64;

/// Longest headers that lie apart from content: of Ethernet, IPv4 and TCP, with all options.
pub(super) const MOST_HEADER_BYTES: usize = 14 + 60 + 60;

/// Sizes from which a layout follows.
#[derive(Clone, Copy, Debug)]
pub(super) struct LayoutSizes {
    pub(super) base: u64,
    pub(super) send_entries: u32,
    pub(super) send_frames: u32,
    pub(super) header_space: u64,
    pub(super) payload_space: u64,
    pub(super) receive_entries: u32,
    pub(super) receive_space: u64,
}

/// Addresses of everything. The NIC may read it all, and write from `writable` on.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) send_ring: Ring,
    pub(super) receive_ring: Ring,
    pub(super) headers: Area,
    pub(super) payloads: Area,
    pub(super) writable: u64,
    pub(super) return_ring: Ring,
    pub(super) status: u64,
    pub(super) receive_buffers: Area,
    pub(super) end: u64,
}

/// A ring of buffer descriptors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    pub(super) base: u64,
    pub(super) entries: u32,
}

/// Buffers of one size, one behind the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    base: u64,
    stride: u64,
}

impl Ring {
    fn after(end: &mut u64, entries: u32) -> Self {
        Self { base: Area::after(end, u64::from(entries) * BufferDescriptor::BYTES as u64, 1).base, entries }
    }

    /// The first address behind it.
    pub(super) fn end(&self) -> u64 {
        self.base + u64::from(self.entries) * BufferDescriptor::BYTES as u64
    }

    pub(super) fn slot(&self, index: u32) -> u64 {
        self.base + u64::from(index & (self.entries - 1)) * BufferDescriptor::BYTES as u64
    }
}

impl Area {
    fn after(end: &mut u64, space: u64, count: u32) -> Self {
        let (base, stride) = (*end, space.next_multiple_of(LINE));
        *end += stride * u64::from(count);
        Self { base, stride }
    }

    pub(super) fn buffer(&self, number: u32) -> u64 {
        self.base + u64::from(number) * self.stride
    }

    /// Number of the buffer with this address; `None` before the first one.
    pub(super) fn number(&self, address: u64) -> Option<u32> {
        let offset = address.checked_sub(self.base)?;
        u32::try_from(offset / self.stride).ok()
    }
}

impl Layout {
    pub(super) fn new(sizes: &LayoutSizes) -> Self {
        let mut end = sizes.base;
        let send_ring = Ring::after(&mut end, sizes.send_entries);
        let receive_ring = Ring::after(&mut end, sizes.receive_entries);
        let headers = Area::after(&mut end, sizes.header_space, sizes.send_frames);
        let payloads = Area::after(&mut end, sizes.payload_space, sizes.send_frames);
        let writable = end;
        let return_ring = Ring::after(&mut end, sizes.receive_entries);
        let status = Area::after(&mut end, STATUS_BLOCK_BYTES as u64, 1).base;
        let receive_buffers = Area::after(&mut end, sizes.receive_space, sizes.receive_entries);
        Self {
            send_ring,
            receive_ring,
            headers,
            payloads,
            writable,
            return_ring,
            status,
            receive_buffers,
            end,
        }
    }

    // The configuration block up to the word that makes it valid.
    pub(super) fn configuration(&self) -> Vec<u8> {
        let rings = [&self.send_ring, &self.receive_ring, &self.return_ring];
        let mut words: Vec<u32> = rings
            .iter()
            .flat_map(|ring| [(ring.base >> 32) as u32, ring.base as u32, ring.entries])
            .collect();
        words.extend([(self.status >> 32) as u32, self.status as u32]);
        words.into_iter().flat_map(u32::to_be_bytes).collect()
    }
}
