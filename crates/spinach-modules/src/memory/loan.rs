//! Borrowed bytes of memories, for a core that runs ahead; see [`spinach_engine::Reach`].

use super::cells::Cells;
use super::reservations::Reservations;
use super::storage::Storage;
use crate::values::{Reference, Response};

/// Loan of a memory: everything that references to it see and change. An empty loan handed to a memory takes that; handed in
/// again, it returns it, with its changes.
#[derive(Debug, Default)]
pub(crate) struct Loan {
    pub(crate) storage: Storage,
    pub(crate) reservations: Reservations,
    /// True if the most significant byte of a word comes first, for atomic operations.
    pub(crate) is_big_endian: bool,
    /// Counted accesses.
    pub(crate) done: Done,
}

/// Accesses to a borrowed memory, as memories count them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Done {
    pub(crate) reads: u64,
    pub(crate) writes: u64,
    pub(crate) atomics: u64,
    pub(crate) read_bytes: u64,
    pub(crate) written_bytes: u64,
}

impl Loan {
    /// Exchanges with the content of a memory. Returns the accesses to it since it was borrowed.
    pub(crate) fn exchange(
        &mut self,
        storage: &mut Storage,
        reservations: &mut Reservations,
        is_big_endian: bool,
    ) -> Done {
        std::mem::swap(&mut self.storage, storage);
        std::mem::swap(&mut self.reservations, reservations);
        self.is_big_endian = is_big_endian;
        std::mem::take(&mut self.done)
    }

    /// Performs a reference to the bytes from `place` on; `None` if a memory would answer with a fault.
    pub(crate) fn perform(&mut self, place: u64, reference: &Reference) -> Option<Response> {
        let Self { storage, reservations, is_big_endian, done } = self;
        let response =
            Cells { storage, reservations, is_big_endian: *is_big_endian }.perform(place, reference)?;
        done.note(reference);
        Some(response)
    }

    /// Loads `SIZE` bytes, the first lowest.
    #[inline(always)]
    pub(crate) fn load<const SIZE: usize>(&mut self, place: usize) -> Option<u64> {
        let data = self.storage.load_fixed::<SIZE>(place)?;
        self.done.reads += 1;
        self.done.read_bytes += SIZE as u64;
        Some(data)
    }

    /// Stores `SIZE` bytes, the lowest first; whether they were decoded.
    #[inline(always)]
    pub(crate) fn store<const SIZE: usize>(&mut self, place: usize, data: u64) -> Option<bool> {
        let is_code = self.storage.store_fixed::<SIZE>(place, data)?;
        self.reservations.clear(place as u64, SIZE as u64);
        self.done.writes += 1;
        self.done.written_bytes += SIZE as u64;
        Some(is_code)
    }
}

impl Done {
    fn note(&mut self, reference: &Reference) {
        use crate::values::Access;
        let bytes = u64::from(reference.enables.count_ones());
        match reference.access {
            Access::Read => (self.reads, self.read_bytes) = (self.reads + 1, self.read_bytes + bytes),
            Access::Write => {
                (self.writes, self.written_bytes) = (self.writes + 1, self.written_bytes + bytes);
            }
            _ => self.atomics += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_to_a_loan_are_counted_and_seen_by_the_memory() {
        let (mut storage, mut reservations) = (Storage::new(64), Reservations::default());
        let mut loan = Loan::default();
        loan.exchange(&mut storage, &mut reservations, false);
        assert_eq!((storage.len(), loan.storage.len()), (0, 64));
        assert_eq!(loan.store::<4>(8, 0x1234_5678), Some(false));
        assert_eq!(loan.store::<2>(12, 0x9abc), Some(false));
        assert_eq!(loan.load::<8>(8), Some(0x9abc_1234_5678));
        assert_eq!(loan.load::<8>(60), None, "beyond its end");
        let done = loan.exchange(&mut storage, &mut reservations, false);
        assert_eq!(
            (done.reads, done.read_bytes, done.writes, done.written_bytes, done.atomics),
            (1, 8, 2, 6, 0)
        );
        assert_eq!(storage.load_fixed::<4>(8), Some(0x1234_5678));
        let none = loan.exchange(&mut storage, &mut reservations, false);
        assert_eq!((none.reads, none.writes), (0, 0));
    }
}
