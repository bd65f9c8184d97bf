//! The part of the host's memory that the NIC can reach: rings, buffers and the status block of its driver.

use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

use crate::io::descriptors::{BufferDescriptor, STATUS_BLOCK_BYTES};

/// Buffers begin at multiples of this many bytes.
const LINE: u64 = 64;

/// Sizes from which a layout follows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayoutSizes {
    pub(crate) base: u64,
    pub(crate) send_entries: u32,
    pub(crate) send_frames: u32,
    pub(crate) header_space: u64,
    pub(crate) payload_space: u64,
    pub(crate) receive_entries: u32,
    pub(crate) receive_space: u64,
}

/// Where everything lies. The NIC may read it all, and write from `writable` on.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) send_ring: Ring,
    pub(crate) receive_ring: Ring,
    pub(crate) headers: Area,
    pub(crate) payloads: Area,
    pub(crate) writable: u64,
    pub(crate) return_ring: Ring,
    pub(crate) status: u64,
    pub(crate) receive_buffers: Area,
    pub(crate) end: u64,
}

/// A ring of buffer descriptors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring {
    pub(crate) base: u64,
    pub(crate) entries: u32,
}

/// Buffers of one size, one behind the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Area {
    base: u64,
    stride: u64,
}

impl Ring {
    fn after(end: &mut u64, entries: u32) -> Self {
        Self { base: Area::after(end, u64::from(entries) * BufferDescriptor::BYTES as u64, 1).base, entries }
    }

    pub(crate) fn slot(&self, index: u32) -> u64 {
        self.base + u64::from(index & (self.entries - 1)) * BufferDescriptor::BYTES as u64
    }
}

impl Area {
    fn after(end: &mut u64, space: u64, count: u32) -> Self {
        let (base, stride) = (*end, space.next_multiple_of(LINE));
        *end += stride * u64::from(count);
        Self { base, stride }
    }

    pub(crate) fn buffer(&self, number: u32) -> u64 {
        self.base + u64::from(number) * self.stride
    }
}

impl Layout {
    pub(crate) fn new(sizes: &LayoutSizes) -> Self {
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
}

/// The bytes. As structured data only their number appears.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct HostMemory {
    base: u64,
    bytes: Vec<u8>,
}

impl HostMemory {
    pub(crate) fn new(base: u64, end: u64) -> Self {
        Self { base, bytes: vec![0; (end - base) as usize] }
    }

    pub(crate) fn get(&self, address: u64, length: usize) -> Option<&[u8]> {
        let start = usize::try_from(address.checked_sub(self.base)?).ok()?;
        self.bytes.get(start..start.checked_add(length)?)
    }

    /// Stores bytes; `false` if they are not all inside.
    pub(crate) fn set(&mut self, address: u64, bytes: &[u8]) -> bool {
        let Some(start) = address.checked_sub(self.base).and_then(|start| usize::try_from(start).ok()) else {
            return false;
        };
        let place = start.checked_add(bytes.len()).and_then(|end| self.bytes.get_mut(start..end));
        place.map(|place| place.copy_from_slice(bytes)).is_some()
    }
}

impl Serialize for HostMemory {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_for_people = serializer.is_human_readable();
        let mut structure = serializer.serialize_struct("HostMemory", 2)?;
        structure.serialize_field("base", &self.base)?;
        if is_for_people {
            structure.serialize_field("bytes", &self.bytes.len())?;
        } else {
            structure.serialize_field("bytes", &self.bytes)?;
        }
        structure.end()
    }
}
