//! Instructions as cores keep them: decoded, with the data for hazards and accounts.

use serde::{Deserialize, Serialize};
use spinach_isa::architecture::{Architecture, ByteOrder, RegisterFile};
use spinach_isa::instruction_set::{Class, DecodedInstruction};
use spinach_isa::word::Word;
use spinach_isa::work::MicroOp;
pub(super) use spinach_isa::work::{Kind, Unit, Work};

use super::accounts::Event;

/// A decoded instruction. A core looks at some of these every cycle, so that they are small.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Decoded<A: Architecture> {
    /// The encoded instruction.
    pub word: u32,
    /// Immediate, as in [`MicroOp`].
    pub immediate: u32,
    operation: A::Operation,
    /// Event that it counts as when it completes; a plain instruction by default.
    pub event: Event,
    pub work: Work<A>,
    /// The general registers it reads; 0 where there is none.
    pub sources: [u8; 2],
    /// The general register it writes; 0 for none.
    pub destination: u8,
    shift_amount: u8,
    /// Further registers that it reads and writes.
    pub further: A::Further,
}

const _: () = assert!(
    size_of::<Decoded<spinach_isa::registered::Default>>() == 16,
    "four of them in a cache line of the host"
);

impl<A: Architecture> Decoded<A> {
    pub(super) fn new(word: u32, architecture: A) -> Self {
        let MicroOp { operation, class, work, sources, destination, shift_amount, immediate, further } =
            architecture.micro_op(word);
        Self {
            word,
            immediate,
            operation,
            event: event(class),
            work,
            sources,
            destination,
            shift_amount,
            further,
        }
    }

    /// The whole instruction, for rare operations.
    pub(super) fn instruction(&self) -> A::Instruction {
        A::instruction_of(self.operation, self.word)
    }

    /// Size in bytes.
    #[inline(always)]
    pub(super) fn bytes(&self) -> u32 {
        A::instruction_bytes(self.word)
    }

    /// Operands of the ALU. A missing register operand is register 0, and a missing field is 0, so that no choice is necessary.
    #[inline]
    pub(super) fn operands(&self, registers: &A::Registers) -> (A::Word, A::Word) {
        let [first, second] = self.values(registers);
        let shift_amount = A::Word::from_u64(u64::from(self.shift_amount));
        (first | shift_amount, second | A::Word::from_signed(self.immediate))
    }

    /// Values of the registers that it reads; 0 where there is none.
    #[inline]
    pub(super) fn values(&self, registers: &A::Registers) -> [A::Word; 2] {
        let [first, second] = self.sources;
        [registers.general(first), registers.general(second)]
    }

    #[inline]
    pub(super) const fn kind(&self) -> Kind {
        self.work.kind()
    }

    /// True if it makes a reference.
    #[inline]
    pub(super) const fn accesses_memory(&self) -> bool {
        matches!(self.work, Work::Load(_) | Work::Awaited | Work::Store(_) | Work::Posted)
    }

    /// True if [`Architecture::is_slow`] may apply to it.
    #[inline]
    pub(super) const fn may_be_slow(&self) -> bool {
        matches!(self.work, Work::Plain | Work::Awaited | Work::Posted)
    }

    /// Unit that it moves, if that is the whole of the addressed unit.
    #[inline]
    pub(super) const fn unit(&self) -> Option<Unit> {
        match self.work {
            Work::Load(unit) | Work::Store(unit) => Some(unit),
            _ => None,
        }
    }

    /// True for a branch or a jump.
    #[inline]
    pub(super) const fn transfers_control(&self) -> bool {
        // These lie side by side, so that it takes one comparison.
        matches!(
            self.work,
            Work::Branch(_)
                | Work::LikelyBranch(_)
                | Work::IndirectJump
                | Work::IndirectBranch(_)
                | Work::DirectJump
        )
    }

    /// True for a conditional branch.
    #[inline]
    pub(super) const fn is_branch(&self) -> bool {
        matches!(self.work, Work::Branch(_) | Work::LikelyBranch(_) | Work::IndirectBranch(_))
    }

    /// True for a branch that annuls its delay slot if it is not taken.
    #[inline]
    pub(super) const fn is_likely_branch(&self) -> bool {
        matches!(self.work, Work::LikelyBranch(_))
    }

    /// True for a reference whose answer nothing waits for.
    #[inline]
    pub(super) const fn is_posted(&self) -> bool {
        matches!(self.work, Work::Store(_) | Work::Posted)
    }

    /// True if its target depends on registers.
    #[inline]
    pub(super) const fn is_register_transfer(&self) -> bool {
        self.is_branch() || matches!(self.work, Work::IndirectJump)
    }

    pub(super) fn class(&self) -> Class {
        self.instruction().class()
    }
}

/// The word of instructions that memory answers with.
#[inline(always)]
pub(super) fn instruction_word<A: Architecture>(data: u64) -> u32 {
    match A::BYTE_ORDER {
        ByteOrder::Big => (data as u32).swap_bytes(),
        ByteOrder::Little => data as u32,
    }
}

const fn event(class: Class) -> Event {
    match class {
        Class::Load => Event::Load,
        Class::Store => Event::Store,
        Class::Atomic => Event::Atomic,
        Class::Branch => Event::Branch,
        Class::Jump => Event::Jump,
        _ => Event::Instruction,
    }
}

const CACHED_WORDS: usize = 8192;

/// Decoded words by the address that they were fetched from. An entry counts only if it holds the very word, so that it never
/// matters whether memory changed.
pub(super) struct DecodeCache<A: Architecture> {
    architecture: A,
    entries: Box<[Decoded<A>]>,
}

impl<A: Architecture> DecodeCache<A> {
    pub(super) fn new(architecture: A) -> Self {
        // Every entry holds a decoded word, possibly of another address: the word is compared.
        Self { architecture, entries: vec![Decoded::new(0, architecture); CACHED_WORDS].into() }
    }

    #[inline]
    pub(super) fn decode(&mut self, pc: A::Word, word: u32) -> &Decoded<A> {
        let entry = &mut self.entries[(pc.low_bits() / A::PARCEL_BYTES) as usize % CACHED_WORDS];
        if entry.word != word {
            Self::replace(entry, word, self.architecture);
        }
        entry
    }

    #[cold]
    #[inline(never)]
    fn replace(entry: &mut Decoded<A>, word: u32, architecture: A) {
        *entry = Decoded::new(word, architecture);
    }
}

#[cfg(test)]
mod tests {
    use spinach_isa::mips::interpreter::Registers;
    use spinach_isa::mips::semantics::operands;
    use spinach_isa::mips::tigon2::PriorityOrder;
    use spinach_isa::mips::{Extensions, Instruction, Mips, decode};
    use spinach_isa::powerpc::PowerPc405;

    use super::*;

    #[test]
    fn the_cache_decodes_as_decoding_does() {
        let extensions = Extensions { tigon2: None, atomic_bit_array: true };
        let mut cache = DecodeCache::new(Mips { extensions });
        let mut word = 1u32;
        for _ in 0..100_000 {
            word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            for word in [word, word & 0xfc00_003f, 0] {
                assert_eq!(cache.decode(word >> 7, word).instruction(), decode(word, extensions));
            }
        }
    }

    #[test]
    fn operands_need_no_choice() {
        let extensions = Extensions { tigon2: Some(PriorityOrder::HighestFirst), atomic_bit_array: true };
        let mut registers = Registers::reset(0, 0);
        (1..32).for_each(|number| registers.set_general(number, 0x0123_4567_u32.wrapping_mul(number.into())));
        let mut word = 1u32;
        for _ in 0..100_000 {
            word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            for word in [word, word & 0x03ff_ffff, word & 0x001f_ffff] {
                let decoded = Decoded::new(word, Mips { extensions });
                let instruction @ Instruction { rs, rt, .. } = decoded.instruction();
                if matches!(decoded.work, Work::Calculate(_)) {
                    let chosen = operands(&instruction, registers.general(rs), registers.general(rt));
                    assert_eq!(decoded.operands(&registers), chosen, "{word:#010x}");
                }
            }
        }
    }

    #[test]
    fn what_is_slow_may_be() {
        let set = PowerPc405 { atomic_bit_array: true, caches: true };
        let (mut word, mut slow) = (1u32, 0);
        for _ in 0..100_000 {
            word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Many slow operations have 31 there.
            let decoded = Decoded::new(word & 0x03ff_ffff | 31 << 26, set);
            if PowerPc405::is_slow(&decoded.instruction()) {
                assert!(decoded.may_be_slow(), "{word:#010x}");
                slow += 1;
            }
        }
        assert!(slow > 100);
    }

    #[test]
    fn kinds() {
        let extensions = Extensions { tigon2: None, atomic_bit_array: true };
        for (word, kind) in [
            (0x8c82_0004, Kind::Awaited),          // lw
            (0xc082_0004, Kind::Awaited),          // ll
            (0xe082_0004, Kind::Awaited),          // sc
            (0xac82_0004, Kind::Posted),           // sw
            (0xa882_0004, Kind::Posted),           // swl
            (0x7085_0010, Kind::Posted),           // set
            (0x7085_1011, Kind::Awaited),          // update
            (0x1085_0004, Kind::RegisterTransfer), // beq
            (0x03e0_0008, Kind::RegisterTransfer), // jr
            (0x0c00_0008, Kind::DirectJump),       // jal
            (0x0000_000f, Kind::Barrier),          // sync
            (0x4200_0018, Kind::ExceptionReturn),  // eret
            (0x0000_000d, Kind::Plain),            // break
            (0x2482_ffff, Kind::Plain),            // addiu
        ] {
            assert_eq!(Decoded::new(word, Mips { extensions }).kind(), kind, "{word:#010x}");
        }
    }
}
