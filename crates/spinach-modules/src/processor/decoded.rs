//! Instructions as cores keep them: decoded, with what hazards and accounts need to know.

use serde::{Deserialize, Serialize};
use spinach_isa::instruction_set::{Class, ControlFlow, DecodedInstruction, Direction};
use spinach_isa::mips::interpreter::Registers;
use spinach_isa::mips::operation::{AluFunction, Condition, register};
use spinach_isa::mips::{Extensions, Instruction, Operation, decode};

use super::accounts::Event;
use super::data_port::Unit;

/// What kind of work an instruction is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Kind {
    /// Nothing beyond registers.
    Plain,
    /// A reference whose answer the instruction waits for: loads, `sc`, `update`.
    Awaited,
    /// A reference whose answer nobody waits for: stores, `set`.
    Posted,
    /// A branch, or a jump through a register: where it goes depends on registers.
    RegisterTransfer,
    /// A jump to a place that the instruction names.
    DirectJump,
    /// Waits until all references of the core were answered.
    Barrier,
    /// Returns from an exception.
    ExceptionReturn,
}

/// What a core has to do for an instruction: its [`Kind`], and what it takes to do the usual ones at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Work {
    /// Puts what the ALU computes into a register, and nothing else.
    Calculate(AluFunction),
    /// A load of an aligned unit.
    Load(Unit),
    /// Any other reference whose answer the instruction waits for.
    Awaited,
    /// A store of an aligned unit.
    Store(Unit),
    /// Any other reference whose answer nobody waits for.
    Posted,
    /// A branch.
    Branch(Condition),
    /// A branch that annuls its delay slot if it is not taken.
    LikelyBranch(Condition),
    /// A jump through a register.
    IndirectJump,
    /// A jump to a place that the instruction names.
    DirectJump,
    /// Anything that reads or writes the registers of the multiplier.
    Multiplier,
    /// Anything else that concerns nothing beyond registers.
    Plain,
    /// Waits until all references of the core were answered.
    Barrier,
    /// Returns from an exception.
    ExceptionReturn,
    /// Nothing: there was no instruction to fetch.
    Unfetched,
}

/// A decoded instruction. A core looks at some of these every cycle, so that they are small.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Decoded {
    /// The encoded instruction.
    pub word: u32,
    /// As in [`Instruction`].
    pub immediate: u32,
    operation: Operation,
    /// What it counts as when it completes; a plain instruction if nothing else.
    pub event: Event,
    pub work: Work,
    /// The general registers it reads; 0 where there is none.
    pub sources: [u8; 2],
    /// The general register it writes; 0 for none.
    pub destination: u8,
    shift_amount: u8,
}

const _: () = assert!(size_of::<Decoded>() == 16, "four of them in a cache line of the host");

impl Decoded {
    pub fn new(word: u32, extensions: Extensions) -> Self {
        let instruction = decode(word, extensions);
        let description = instruction.operation.description();
        let source = |is_read: bool, register: u8| if is_read { register & 31 } else { 0 };
        Self {
            word,
            immediate: instruction.immediate,
            operation: instruction.operation,
            event: event(instruction.class()),
            work: work(&instruction),
            sources: [
                source(description.reads_rs, instruction.rs),
                source(description.reads_rt, instruction.rt),
            ],
            destination: instruction.destination,
            shift_amount: instruction.shift_amount,
        }
    }

    /// The whole instruction, for what is done too seldom to be kept ready.
    pub fn instruction(&self) -> Instruction {
        Instruction::of(self.operation, self.word)
    }

    /// The operands of what the ALU computes. A register that is no operand is register 0, and a field that the instruction does
    /// not have is 0, so that nothing has to be chosen.
    #[inline]
    pub fn operands(&self, registers: &Registers) -> (u32, u32) {
        let [first, second] = self.values(registers);
        (first | u32::from(self.shift_amount), second | self.immediate)
    }

    /// What the registers hold that it reads; 0 where there is none.
    #[inline]
    pub fn values(&self, registers: &Registers) -> [u32; 2] {
        let [first, second] = self.sources;
        [registers.general(first), registers.general(second)]
    }

    #[inline]
    pub const fn kind(&self) -> Kind {
        match self.work {
            Work::Calculate(_) | Work::Multiplier | Work::Plain | Work::Unfetched => Kind::Plain,
            Work::Load(_) | Work::Awaited => Kind::Awaited,
            Work::Store(_) | Work::Posted => Kind::Posted,
            Work::Branch(_) | Work::LikelyBranch(_) | Work::IndirectJump => Kind::RegisterTransfer,
            Work::DirectJump => Kind::DirectJump,
            Work::Barrier => Kind::Barrier,
            Work::ExceptionReturn => Kind::ExceptionReturn,
        }
    }

    /// Whether it makes a reference.
    #[inline]
    pub const fn accesses_memory(&self) -> bool {
        matches!(self.work, Work::Load(_) | Work::Awaited | Work::Store(_) | Work::Posted)
    }

    /// What it moves, if that is the whole of what it addresses.
    #[inline]
    pub const fn unit(&self) -> Option<Unit> {
        match self.work {
            Work::Load(unit) | Work::Store(unit) => Some(unit),
            _ => None,
        }
    }

    /// Whether a delay slot follows.
    #[inline]
    pub const fn has_delay_slot(&self) -> bool {
        matches!(self.work, Work::Branch(_) | Work::LikelyBranch(_) | Work::IndirectJump | Work::DirectJump)
    }

    /// Whether it is a conditional branch.
    #[inline]
    pub const fn is_branch(&self) -> bool {
        matches!(self.work, Work::Branch(_) | Work::LikelyBranch(_))
    }

    /// Whether it is a branch that annuls its delay slot if it is not taken.
    #[inline]
    pub const fn is_likely_branch(&self) -> bool {
        matches!(self.work, Work::LikelyBranch(_))
    }

    /// Whether it is a reference whose answer nobody waits for.
    #[inline]
    pub const fn is_posted(&self) -> bool {
        matches!(self.work, Work::Store(_) | Work::Posted)
    }

    /// Whether where it goes depends on registers.
    #[inline]
    pub const fn is_register_transfer(&self) -> bool {
        matches!(self.work, Work::Branch(_) | Work::LikelyBranch(_) | Work::IndirectJump)
    }

    pub fn class(&self) -> Class {
        self.operation.description().class
    }
}

fn work(instruction: &Instruction) -> Work {
    let description = instruction.operation.description();
    let multiplier = [register::HI, register::LO];
    let touched = instruction.reads().union(instruction.writes());
    match (kind(instruction), Unit::of(instruction), description.condition) {
        (Kind::Awaited, Some(unit), _) => Work::Load(unit),
        (Kind::Awaited, None, _) => Work::Awaited,
        (Kind::Posted, Some(unit), _) => Work::Store(unit),
        (Kind::Posted, None, _) => Work::Posted,
        (Kind::RegisterTransfer, _, Some(condition)) => match description.control_flow {
            ControlFlow::Branch { likely: true, .. } => Work::LikelyBranch(condition),
            _ => Work::Branch(condition),
        },
        (Kind::RegisterTransfer, _, None) => Work::IndirectJump,
        (Kind::DirectJump, ..) => Work::DirectJump,
        (Kind::Barrier, ..) => Work::Barrier,
        (Kind::ExceptionReturn, ..) => Work::ExceptionReturn,
        (Kind::Plain, ..) if matches!(description.class, Class::Alu | Class::Shift) => {
            Work::Calculate(description.alu)
        }
        (Kind::Plain, ..) if multiplier.iter().any(|number| touched.contains(*number)) => Work::Multiplier,
        (Kind::Plain, ..) => Work::Plain,
    }
}

fn kind(instruction: &Instruction) -> Kind {
    match (instruction.operation, instruction.control_flow(), instruction.memory()) {
        (Operation::Sync, ..) => Kind::Barrier,
        (Operation::SetBit, ..) => Kind::Posted,
        (_, ControlFlow::Branch { .. } | ControlFlow::IndirectJump { .. }, _) => Kind::RegisterTransfer,
        (_, ControlFlow::Jump { .. }, _) => Kind::DirectJump,
        (_, ControlFlow::ExceptionReturn, _) => Kind::ExceptionReturn,
        (.., Some(memory)) if memory.direction == Direction::Store && !memory.linked => Kind::Posted,
        (.., Some(_)) => Kind::Awaited,
        _ => Kind::Plain,
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

const CACHED_WORDS: usize = 2048;

/// Decoded words by the address that they were fetched from. An entry counts only if it holds the very word, so that it never
/// matters whether memory changed.
pub(super) struct DecodeCache {
    extensions: Extensions,
    entries: Box<[Decoded; CACHED_WORDS]>,
}

impl DecodeCache {
    pub fn new(extensions: Extensions) -> Self {
        // Every entry holds a decoded word, if not one that belongs there: the word tells.
        Self { extensions, entries: Box::new([Decoded::new(0, extensions); CACHED_WORDS]) }
    }

    #[inline]
    pub fn decode(&mut self, pc: u32, word: u32) -> &Decoded {
        let entry = &mut self.entries[pc as usize / 4 % CACHED_WORDS];
        if entry.word != word {
            Self::replace(entry, word, self.extensions);
        }
        entry
    }

    #[cold]
    #[inline(never)]
    fn replace(entry: &mut Decoded, word: u32, extensions: Extensions) {
        *entry = Decoded::new(word, extensions);
    }
}

#[cfg(test)]
mod tests {
    use spinach_isa::mips::semantics::operands;
    use spinach_isa::mips::tigon2::PriorityOrder;

    use super::*;

    #[test]
    fn the_cache_decodes_as_decoding_does() {
        let extensions = Extensions { tigon2: None, atomic_bit_array: true };
        let mut cache = DecodeCache::new(extensions);
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
                let decoded = Decoded::new(word, extensions);
                let instruction @ Instruction { rs, rt, .. } = decoded.instruction();
                if matches!(decoded.work, Work::Calculate(_)) {
                    let chosen = operands(&instruction, registers.general(rs), registers.general(rt));
                    assert_eq!(decoded.operands(&registers), chosen, "{word:#010x}");
                }
            }
        }
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
            assert_eq!(Decoded::new(word, extensions).kind(), kind, "{word:#010x}");
        }
    }
}
