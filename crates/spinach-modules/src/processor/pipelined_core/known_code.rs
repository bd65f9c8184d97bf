//! Decoded instructions of a memory that nothing writes.

use spinach_isa::architecture::Architecture;
use spinach_isa::word::Word;

use super::super::decoded::{Decoded, instruction_word};
use crate::memory::MultiportedMemory;

const KNOWN: usize = 8192;

/// Instructions by address. Nothing writes the instruction memory while a run lasts.
pub(super) struct Code<A: Architecture> {
    architecture: A,
    /// Number of times that the memory may have changed.
    changes: u32,
    known: Box<[Known<A>; KNOWN]>,
}

#[derive(Clone, Copy)]
pub(super) struct Known<A: Architecture> {
    pc: A::Word,
    /// Number of its bytes; 0 if nothing is known.
    pub(super) bytes: u32,
    /// Number of changes after which it has been compared with the memory.
    checked: u32,
    pub(super) decoded: Decoded<A>,
}

impl<A: Architecture> Code<A> {
    pub(super) fn new(architecture: A) -> Self {
        let nothing =
            Known { pc: A::Word::default(), bytes: 0, checked: 0, decoded: Decoded::new(0, architecture) };
        let Ok(known) = vec![nothing; KNOWN].into_boxed_slice().try_into() else {
            unreachable!("it has as many entries")
        };
        Self { architecture, changes: 0, known }
    }

    /// Takes note that the instruction memory may have changed.
    pub(super) fn note_change(&mut self) {
        self.changes = self.changes.wrapping_add(1);
    }

    /// The instruction at an address; `None` if not all of its words are in the memory.
    #[inline(always)]
    pub(super) fn at(&mut self, pc: A::Word, memory: &MultiportedMemory) -> Option<&Known<A>> {
        let place = (pc.low_bits() / A::PARCEL_BYTES) as usize % KNOWN;
        let known = &self.known[place];
        if known.pc != pc || known.checked != self.changes || known.bytes == 0 {
            self.learn(place, pc, memory)?;
        }
        Some(&self.known[place])
    }

    #[cold]
    #[inline(never)]
    fn learn(&mut self, place: usize, pc: A::Word, memory: &MultiportedMemory) -> Option<()> {
        let first = half_word::<A>(pc, memory)?;
        let bytes = A::instruction_bytes(first.into());
        let word = if bytes == 2 {
            first.into()
        } else {
            u32::from(first) | u32::from(half_word::<A>(pc.plus(2), memory)?) << 16
        };
        let known = &mut self.known[place];
        if known.decoded.word != word {
            known.decoded = Decoded::new(word, self.architecture);
        }
        (known.pc, known.bytes, known.checked) = (pc, bytes, self.changes);
        Some(())
    }
}

/// Half of a word of instructions, the low one at an aligned address.
pub(super) fn half_word<A: Architecture>(pc: A::Word, memory: &MultiportedMemory) -> Option<u16> {
    let word = instruction_word::<A>(memory.word_at(pc.to_u64() & !3)?.into());
    Some((word >> (8 * (pc.low_bits() & 2))) as u16)
}
