//! Effect of references on the bytes of a memory.

use spinach_isa::atomic::AtomicOperation;

use super::reservations::Reservations;
use super::storage::{Storage, mask_of};
use crate::values::{Access, Reference, Response};

/// The bytes of a memory, and their reservations.
pub(super) struct Cells<'a> {
    pub(super) storage: &'a mut Storage,
    pub(super) reservations: &'a mut Reservations,
    /// True if the most significant byte of a word comes first, for atomic operations.
    pub(super) is_big_endian: bool,
}

impl Cells<'_> {
    /// Performs a reference to the bytes from `offset` on; `None` if they are not all inside or a memory cannot serve the
    /// reference: nothing is changed then.
    #[inline]
    pub(super) fn perform(&mut self, offset: u64, reference: &Reference) -> Option<Response> {
        let Reference { address, access, size, enables, source, data } = *reference;
        if !size.is_power_of_two() || size > 16 || address & u64::from(size - 1) != 0 {
            return None;
        }
        if access == Access::Write {
            self.write(offset, size, enables, data)?;
            return Some(Response::default());
        }
        let old = self.storage.load(offset, size)?;
        let result = match access {
            Access::Read => old & mask_of(enables, size),
            Access::LoadLinked => {
                self.reservations.reserve(source, offset, size);
                old
            }
            Access::StoreConditional => {
                let stands = self.reservations.redeem(source, offset, size);
                if stands {
                    self.write(offset, size, enables, data);
                }
                u128::from(stands)
            }
            _ => u128::from(self.atomic(access.atomic()?, offset, size, old as u32, data as u32)?),
        };
        Some(Response { data: result, is_fault: false })
    }

    /// Performs a read or a write of the word at `offset`; returns the word of a read, 0 for a write; `None` without a change if
    /// its bytes are not all inside. The kind of access is hard to predict, so nothing branches on it.
    #[inline(always)]
    pub(super) fn perform_word(&mut self, offset: u64, writes: bool, word: u32) -> Option<u32> {
        let bytes = self.storage.word_mut(offset, writes)?;
        let old = u32::from_le_bytes(*bytes);
        *bytes = if writes { word } else { old }.to_le_bytes();
        if !self.reservations.is_empty() && writes {
            self.reservations.clear(offset, 4);
        }
        Some(if writes { 0 } else { old })
    }

    /// Copies bytes in from outside, from `offset` on; `false` (and nothing changed) if they are not all inside.
    pub(super) fn copy_in(&mut self, offset: u64, bytes: &[u8]) -> bool {
        let is_inside = self.storage.copy_in(offset, bytes);
        if is_inside {
            self.reservations.clear(offset, bytes.len() as u64);
        }
        is_inside
    }

    // Stores enabled bytes; `None` if they are not all inside, and nothing is changed then.
    #[inline]
    fn write(&mut self, offset: u64, size: u8, enables: u16, data: u128) -> Option<()> {
        self.storage.store(offset, size, enables, data)?;
        self.reservations.clear(offset, u64::from(size));
        Some(())
    }

    // Of a word only. A `set` returns the old word.
    fn atomic(
        &mut self,
        operation: AtomicOperation,
        offset: u64,
        size: u8,
        stored: u32,
        operand: u32,
    ) -> Option<u32> {
        if size != 4 {
            return None;
        }
        let is_big_endian = self.is_big_endian;
        let swap = |word: u32| if is_big_endian { word.swap_bytes() } else { word };
        let word = swap(stored);
        let outcome = operation.apply(word, operand);
        self.write(offset, 4, 0b1111, u128::from(swap(outcome.word)));
        Some(if operation == AtomicOperation::Set { word } else { outcome.result })
    }
}
