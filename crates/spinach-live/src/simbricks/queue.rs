//! Memory that two simulators share, and queues of slots in it.
//!
//! Each byte is an atomic, so a peer that writes at any time causes wrong messages at worst. The last byte of a slot's header names the owner: it
//! is stored with release order behind the message, and loaded with acquire order before it.

#![allow(unsafe_code, reason = "memory that another process writes is mapped and unmapped")]

use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fstat, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// Bytes of a slot's header: fields of the message, timestamp, padding, and the byte with type and owner.
pub(super) const HEADER: usize = 64;
/// Bytes of the fields, at the beginning of the header.
pub(super) const FIELDS: usize = 48;
/// Offset of the byte with type and owner.
const OWNER: usize = 63;
/// Bit of this byte that is set while the slot belongs to the consumer.
const CONSUMER: u8 = 0x80;

/// Memory that a peer writes, too.
pub(super) struct Shared {
    start: NonNull<AtomicU8>,
    bytes: usize,
}

// SAFETY: the memory consists of atomics, and stays mapped until the value is dropped.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    /// New memory, which no peer can make smaller, and its descriptor.
    pub(super) fn create(bytes: usize) -> io::Result<(Self, OwnedFd)> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = memfd_create("spinach-simbricks", flags)?;
        ftruncate(&file, bytes as u64)?;
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        Ok((Self::map(&file)?, file))
    }

    /// All memory of a descriptor.
    pub(super) fn map(file: impl AsFd) -> io::Result<Self> {
        let bytes = usize::try_from(fstat(&file)?.st_size).unwrap_or(0);
        if bytes == 0 {
            return Err(io::Error::new(ErrorKind::InvalidData, "the memory is empty"));
        }
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let start = unsafe { mmap(ptr::null_mut(), bytes, access, MapFlags::SHARED, file, 0) }?;
        let start = NonNull::new(start.cast()).ok_or(ErrorKind::OutOfMemory)?;
        Ok(Self { start, bytes })
    }

    fn bytes(&self) -> &[AtomicU8] {
        // SAFETY: `start` is the beginning of a mapping of that size, which lives as long as `self`; atomics of a byte are always aligned.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.bytes) }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this size, and no reference to it is left.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

/// Place of a queue in shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    pub(super) offset: u64,
    /// Bytes of a slot.
    pub(super) slot: u64,
    pub(super) slots: u64,
}

impl Layout {
    /// End of the queue in memory; `None` if the layout is invalid.
    pub(super) fn end(self) -> Option<u64> {
        let is_possible = self.slot >= HEADER as u64 && self.slots > 0;
        self.slots.checked_mul(self.slot)?.checked_add(self.offset).filter(|_| is_possible)
    }

    /// True if the queues share a byte.
    pub(super) fn overlaps(self, other: Self) -> bool {
        let begins_before = |a: Self, b: Self| b.end().is_some_and(|end| a.offset < end);
        begins_before(self, other) && begins_before(other, self)
    }
}

/// One end of a queue.
pub(super) struct Queue {
    memory: Arc<Shared>,
    offset: usize,
    slot: usize,
    slots: usize,
    next: usize,
}

impl Queue {
    /// The queue with this layout; `None` if it is not inside of the memory.
    pub(super) fn new(memory: Arc<Shared>, layout: Layout) -> Option<Self> {
        let _ = layout.end().filter(|end| *end <= memory.bytes as u64)?;
        let [offset, slot, slots] = [layout.offset, layout.slot, layout.slots].map(|number| number as usize);
        Some(Self { memory, offset, slot, slots, next: 0 })
    }

    /// Maximum bytes behind the header.
    pub(super) fn capacity(&self) -> usize {
        self.slot - HEADER
    }

    fn bytes(&self) -> &[AtomicU8] {
        &self.memory.bytes()[self.offset + self.next * self.slot..][..self.slot]
    }

    fn load<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut bytes = [0; N];
        for (to, from) in bytes.iter_mut().zip(&self.bytes()[at..]) {
            *to = from.load(Ordering::Relaxed);
        }
        bytes
    }

    fn store(&self, at: usize, bytes: &[u8]) {
        for (to, from) in self.bytes()[at..].iter().zip(bytes) {
            to.store(*from, Ordering::Relaxed);
        }
    }

    fn advance(&mut self) {
        self.next = (self.next + 1) % self.slots;
    }

    /// Type and timestamp of the next message for this consumer, if there is one.
    pub(super) fn head(&self) -> Option<(u8, u64)> {
        let owner = self.bytes()[OWNER].load(Ordering::Acquire);
        (owner & CONSUMER != 0).then(|| (owner & !CONSUMER, u64::from_le_bytes(self.load(FIELDS))))
    }

    /// Fields of that message.
    pub(super) fn fields(&self) -> [u8; FIELDS] {
        self.load(0)
    }

    /// The first bytes behind its header; `None` if the slot has fewer.
    pub(super) fn payload(&self, bytes: usize) -> Option<Vec<u8>> {
        let found = self.bytes().get(HEADER..)?.get(..bytes)?;
        Some(found.iter().map(|byte| byte.load(Ordering::Relaxed)).collect())
    }

    /// Gives the slot of that message back to the producer.
    pub(super) fn release(&mut self) {
        let owner = &self.bytes()[OWNER];
        owner.store(owner.load(Ordering::Relaxed) & !CONSUMER, Ordering::Release);
        self.advance();
    }

    /// Puts a message into the next slot of this producer; false if it belongs to the consumer.
    pub(super) fn put(&mut self, kind: u8, timestamp: u64, fields: &[u8], payload: &[u8]) -> bool {
        if self.bytes()[OWNER].load(Ordering::Acquire) & CONSUMER != 0 {
            return false;
        }
        self.store(0, fields);
        self.store(FIELDS, &timestamp.to_le_bytes());
        self.store(HEADER, payload);
        self.bytes()[OWNER].store(kind | CONSUMER, Ordering::Release);
        self.advance();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_outside_of_the_memory_are_refused() {
        let (memory, _) = Shared::create(4096).expect("there is memory");
        let memory = Arc::new(memory);
        let queue = |offset, slot, slots| Queue::new(memory.clone(), Layout { offset, slot, slots });
        assert!(queue(0, 64, 64).is_some() && queue(4032, 64, 1).is_some());
        for (offset, slot, slots) in
            [(1, 64, 64), (0, 63, 1), (0, 64, 0), (0, 64, 65), (u64::MAX, 64, 1), (0, 1 << 33, 1 << 33)]
        {
            assert!(queue(offset, slot, slots).is_none(), "{offset} {slot} {slots}");
        }
    }

    #[test]
    fn messages_arrive_in_order_while_both_sides_run() {
        const MESSAGES: u64 = 20_000;
        let (memory, file) = Shared::create(3 * 128).expect("there is memory");
        let layout = Layout { offset: 0, slot: 128, slots: 3 };
        let mut producer = Queue::new(Arc::new(memory), layout).expect("it fits");
        let peer = Shared::map(&file).expect("it is a file");
        let mut consumer = Queue::new(Arc::new(peer), layout).expect("it fits");
        let sender = std::thread::spawn(move || {
            for number in 0..MESSAGES {
                let payload = [number as u8; 64];
                while !producer.put((number % 100) as u8, number, &number.to_be_bytes(), &payload) {
                    std::thread::yield_now();
                }
            }
        });
        for number in 0..MESSAGES {
            let head = loop {
                match consumer.head() {
                    Some(head) => break head,
                    None => std::thread::yield_now(),
                }
            };
            assert_eq!(head, ((number % 100) as u8, number));
            assert_eq!(consumer.fields()[..8], number.to_be_bytes());
            assert_eq!(consumer.payload(64).expect("it fits"), [number as u8; 64]);
            assert!(consumer.payload(65).is_none());
            consumer.release();
        }
        sender.join().expect("it has sent all");
    }
}
