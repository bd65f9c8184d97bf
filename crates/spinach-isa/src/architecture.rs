//! The interface between instruction sets and the code that all of them share.
//!
//! A core, a study or a debugger takes an [`Architecture`] as its type parameter. All properties of an instruction set are here:
//! how words decode ([`Architecture::micro_op`]), what the ALU, conditions and transfers of control compute, how a load or store
//! refers to memory, which registers there are ([`RegisterFile`]), how exceptions and interrupts work, in which order the bytes of
//! a word lie, how an ELF file names the machine, and which compiler makes programs for it.
//!
//! A value of the type is the instruction set with its chosen extensions.

use std::fmt::{Debug, Display};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::instruction_set::DecodedInstruction;
pub use crate::word::ByteOrder;
use crate::work::{MemoryRequest, MicroOp, Operations};

/// ELF identification of code of an instruction set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct ElfIdentity {
    /// The field `e_machine`.
    pub machine: u16,
    /// Its name in the ELF specification, as `EM_RISCV`.
    pub name: &'static str,
    /// Bits of an address: 32 or 64.
    pub bits: u32,
    /// Byte order of numbers in the file.
    pub byte_order: ByteOrder,
    /// Instruction set level of the cores, and the compiler option for it.
    pub level: (&'static str, &'static str),
}

/// gdb's names of the registers of an instruction set, in the features of its target descriptions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DebuggerRegisters {
    /// The name of the architecture.
    pub architecture: &'static str,
    /// Prefix of the number of a general register; these come first.
    pub general: &'static str,
    /// Names of the other registers by feature. `pc` is the program counter, names of [`Architecture::FURTHER_REGISTERS`] and of
    /// `exceptions` are those registers; other names do not exist, but gdb requires them in the list.
    pub features: &'static [(&'static str, &'static [&'static str])],
    /// Registers that an exception sets or that decide where it goes: the name of each, and its place in the serialised registers, in
    /// which a number is an index.
    pub exceptions: &'static [(&'static str, &'static str)],
}

/// Compilers for an instruction set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Toolchain {
    /// Options of Clang out of the `ziglang` wheel.
    pub clang: &'static [&'static str],
    /// The emulation that both linkers take after `-m`.
    pub linker_emulation: &'static str,
    /// Prefix of the names of GCC's programs, and the system package that contains them.
    pub gcc: (&'static str, &'static str),
    /// Options of GCC.
    pub gcc_options: &'static [&'static str],
    /// QEMU's user emulator for programs of the set.
    pub qemu: &'static str,
    /// The folder in `firmware/architecture` with its start-up code and its headers.
    pub folder: &'static str,
}

/// An exception: why an instruction did not complete.
pub trait ArchitectureTrap<W>:
    Copy + Eq + Debug + Display + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// An interrupt that comes before an instruction.
    const INTERRUPT: Self;

    /// No instruction can be at `address`.
    fn misaligned_fetch(address: W) -> Self;
    /// Nothing answers at the `address` of an instruction.
    fn fetch_bus_error(address: W) -> Self;
    /// Nothing answers at the `address` of a load, or of a store or an atomic operation if it `stores`.
    fn data_bus_error(address: W, stores: bool) -> Self;
    /// `word` means nothing, or nothing where it is.
    fn reserved(word: u32) -> Self;
    /// True for the trap of [`Self::data_bus_error`].
    fn is_data_bus_error(self) -> bool;
    /// The code of the instruction with which firmware stops its core, if it is that.
    fn stop_code(self) -> Option<u32>;
}

/// The registers of a core: the general ones, the program counter, and those that control exceptions and interrupts.
///
/// General registers have numbers below 64; register 0 reads as zero. Those that more is known of than that every instruction may read
/// them, such as a register of conditions, have numbers from 32 on.
pub trait RegisterFile<A: Architecture>:
    Clone + PartialEq + Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// The state after reset of core number `core`, about to execute at `pc`.
    fn reset(pc: A::Word, core: u32) -> Self;

    /// The value of a general register.
    fn general(&self, number: u8) -> A::Word;
    /// Writes a general register; writes to register 0 have no effect.
    fn set_general(&mut self, number: u8, value: A::Word);

    /// The address of the next instruction.
    fn pc(&self) -> A::Word;
    /// True if the instruction follows a branch or jump whose effect waits for it.
    fn in_delay_slot(&self) -> bool;
    /// Continues at `pc`; no branch waits to take effect.
    fn jump_to(&mut self, pc: A::Word);
    /// Makes the instruction at `pc` the one to execute, for [`Architecture::compute`].
    fn place_at(&mut self, pc: A::Word, in_delay_slot: bool);
    /// Advances past an instruction of `bytes` bytes that does not transfer control.
    fn advance(&mut self, bytes: u32);
    /// Advances past a branch or jump of `bytes` bytes.
    fn advance_after(&mut self, transfer: &Transfer<A::Word>, bytes: u32);

    /// The word that a load-linked named, while the link holds.
    fn link(&mut self) -> &mut Option<A::Word>;

    /// Sets the level of the external interrupt lines; bit `n` is line `n`.
    fn set_interrupt_lines(&mut self, lines: u8);
    /// The external lines that are causes of the interrupt which is taken now, bit `n` for line `n`.
    fn interrupting_lines(&self) -> u8;
    /// First cycle in which an interrupt is taken in the present state, given that clocks and timers have followed the core's
    /// clock up to `cycle`; 0 if it is taken at once, [`u64::MAX`] if never.
    fn next_interrupt(&self, cycle: u64) -> u64;
    /// True if no instruction is executed until an interrupt is taken; only for sets that [can wait](Architecture::CAN_WAIT).
    fn waits(&self) -> bool {
        false
    }
    /// Resets the clocks that [`Self::pass_time`] advances to 0.
    fn forget_time(&mut self) {}
    /// Advances clocks and timers from one cycle of the core's clock to a later one.
    fn pass_time(&mut self, from: u64, to: u64);
    /// Handler address of an exception, given the address that the core was configured with; `None` if each exception stops the
    /// core.
    fn handler(&self, trap: A::Trap, configured: Option<A::Word>) -> Option<A::Word>;
    /// Records an exception of the instruction at `pc`.
    fn enter_exception(&mut self, trap: A::Trap, pc: A::Word, in_delay_slot: bool);
}

/// Effect of an ALU function on operands that advance by a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// Their sum modulo 2^BITS.
    Sum,
    /// Their difference modulo 2^BITS.
    Difference,
    /// The one if the other is 0.
    Union,
    /// Something that follows from whether they are equal, and which is less, as numbers with and without sign.
    Relation,
    /// Anything else.
    Other,
}

/// Control transfer of a branch or jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer<W> {
    /// True if control moves to `target`, after the delay slot if there is one.
    pub taken: bool,
    /// Target address.
    pub target: W,
    /// True if the delay slot is skipped.
    pub annuls_delay_slot: bool,
}

/// Answer of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer<W> {
    /// The address as the instruction computes it.
    pub address: W,
    /// Index of the answered request within the instruction, from 0.
    pub part: u32,
    /// Value of [`Architecture::previous`] for the first request, data of the previous answer for the others.
    pub previous: W,
    /// The bytes in memory order, or the result of an atomic operation.
    pub data: W,
}

/// A request, and the address as the instruction computes it.
pub type Requested<W> = (MemoryRequest<W>, W);

/// An instruction set with its chosen extensions.
pub trait Architecture:
    Operations + Eq + Default + Debug + Serialize + DeserializeOwned + Send + Sync
{
    /// The name that parameters and files call it by.
    const NAME: &'static str;
    /// Bytes of the shortest instruction, to which all are aligned: 4 or 2.
    const PARCEL_BYTES: u32;
    /// True if the instruction after a branch or jump executes before control moves elsewhere.
    const HAS_DELAY_SLOTS: bool;
    /// True if a load or store may make several requests, one after the other: at a misaligned address, or for several registers.
    const HAS_RUNS: bool = false;
    /// True if there is a state in which no instruction is executed until an interrupt is taken.
    const CAN_WAIT: bool = false;
    /// Period, in cycles, of registers that advance with time, if their advance is predictable ([`Architecture::arithmetic`]):
    /// clocks advance equally in each of several equal stretches of time that last a multiple of this.
    const CLOCK_CYCLES: Option<u64> = None;
    /// The number of the register of conditions over which cores may predict branches; 0 if there is none.
    const CONDITIONS: u8 = 0;
    /// ELF identification.
    const ELF: ElfIdentity;
    /// Compilers for the set.
    const TOOLCHAIN: Toolchain;
    /// The names of the extensions that [`Self::with`] knows.
    const EXTENSIONS: &'static [&'static str];
    /// gdb's names of the registers.
    const DEBUGGER: DebuggerRegisters;
    /// Registers beyond the general ones and the program counter that are shown after a fault: the name of each, and
    /// its place in the serialised registers, as `hi_lo.hi`.
    const FURTHER_REGISTERS: &'static [(&'static str, &'static str)];

    /// The decoded form, for analyses and disassembly.
    type Instruction: DecodedInstruction + PartialEq + Debug;
    /// Why an instruction did not complete.
    type Trap: ArchitectureTrap<Self::Word>;
    /// The registers of a core.
    type Registers: RegisterFile<Self>;

    /// This set with an extension; `None` if there is none of that name.
    fn with(self, extension: &str) -> Option<Self>;
    /// The names of the extensions that are switched on.
    fn extensions(&self) -> Vec<&'static str>;

    /// Target that an ELF file with these flags was compiled for, if cores of this set cannot execute it.
    fn unsuitable(elf_flags: u32) -> Option<String>;

    /// Decodes a word. Reserved words decode to an instruction of class [`crate::instruction_set::Class::Reserved`]. Of a word with
    /// a shorter instruction only that instruction counts.
    fn decode(&self, word: u32) -> Self::Instruction;
    /// The instruction of a word whose operation is known.
    fn instruction_of(operation: Self::Operation, word: u32) -> Self::Instruction;
    /// Micro-operation of the instruction that a word encodes.
    fn micro_op(&self, word: u32) -> MicroOp<Self>;
    /// The bytes of the instruction that a word begins with.
    fn instruction_bytes(word: u32) -> u32;
    /// The instruction at `address` as assembly text.
    fn disassemble(instruction: Self::Instruction, address: u64) -> String;
    /// The number of the general register that assembly language calls by `field`, 0 to 31.
    #[inline]
    fn general_register(field: u8) -> u8 {
        field
    }
    /// The name of a member of a [`crate::instruction_set::RegisterSet`] of this instruction set.
    fn register_name(number: u8) -> &'static str;

    /// All functions of the ALU.
    const ALU_FUNCTIONS: &'static [Self::AluFunction];

    /// Result of an ALU function on two operands.
    ///
    /// # Errors
    /// The exception that the operation raises.
    fn alu(function: Self::AluFunction, a: Self::Word, b: Self::Word) -> Result<Self::Word, Self::Trap>;
    /// True if a condition holds between two operands.
    fn holds(condition: Self::Condition, a: Self::Word, b: Self::Word) -> bool;
    /// True if a branch with that immediate is predicted to be taken, for any condition.
    #[inline]
    fn is_predicted(_condition: Self::Condition, _immediate: u32) -> bool {
        false
    }
    /// The target of the branch at `pc` with that immediate.
    fn branch_target(pc: Self::Word, immediate: u32) -> Self::Word;
    /// The target of the direct jump at `pc` with that immediate.
    fn jump_target(pc: Self::Word, immediate: u32) -> Self::Word;
    /// The target of a jump through registers.
    fn indirect_target(values: [Self::Word; 2], immediate: u32) -> Self::Word;
    /// The return address that a branch or jump of `bytes` bytes at `pc` writes.
    fn return_address(pc: Self::Word, bytes: u32) -> Self::Word;

    /// The request that a load, store or atomic operation makes from the values of its registers, and the address as it computes
    /// it. Meant for those that are not [`crate::work::Unit`]s.
    ///
    /// # Errors
    /// The exception that a misaligned address raises, or an instruction that makes no request.
    fn request(
        instruction: &Self::Instruction,
        registers: &Self::Registers,
    ) -> Result<Requested<Self::Word>, Self::Trap>;
    /// The request that an instruction at `address` makes after `part` others, if it [has more](Self::HAS_RUNS).
    fn next_request(
        _instruction: &Self::Instruction,
        _address: Self::Word,
        _part: u32,
        _registers: &Self::Registers,
    ) -> Option<MemoryRequest<Self::Word>> {
        None
    }
    /// Records in the registers that the first request of an instruction is about to be made.
    #[inline(always)]
    fn note_request(_registers: &mut Self::Registers, _instruction: &Self::Instruction) {}
    /// The exception of a load, or of a store if it `stores`, at a misaligned address.
    fn misaligned(address: Self::Word, stores: bool) -> Self::Trap;
    /// Previous value of the destination register, as far as [`Self::answered`] needs it.
    #[inline(always)]
    fn previous(registers: &Self::Registers, destination: u8) -> Self::Word {
        registers.general(destination)
    }
    /// Destination value of a store-conditional that did not store.
    fn store_failed(previous: Self::Word) -> Self::Word;
    /// Register and value that an answer completes. The last answer of an instruction completes its destination register.
    fn answered(instruction: &Self::Instruction, answer: &Answer<Self::Word>) -> (u8, Self::Word);

    /// Executes an instruction that neither branches or jumps nor refers to memory, and advances to the next; after an exception
    /// return, to the return address.
    ///
    /// # Errors
    /// The exception that it raises; the registers are as before.
    fn compute(registers: &mut Self::Registers, instruction: &Self::Instruction) -> Result<(), Self::Trap>;
    /// True if it reads or sets clocks or timers, which must have followed the core's clock.
    fn reads_time(instruction: &Self::Instruction) -> bool;
    /// Advance of an operand-free instruction's result in `_cycles` cycles, a multiple of [`Architecture::CLOCK_CYCLES`]; `None` if it is
    /// unpredictable. Called only for instructions that [read time](Architecture::reads_time).
    fn advance_of(_instruction: &Self::Instruction, _cycles: u64) -> Option<Self::Word> {
        None
    }
    /// Effect of an ALU function on operands that advance.
    fn arithmetic(_function: Self::AluFunction) -> Arithmetic {
        Arithmetic::Other
    }
    /// True if the instruction takes longer than others in the execute stage of cores that distinguish it.
    #[inline]
    fn is_slow(_instruction: &Self::Instruction) -> bool {
        false
    }
    /// True if the instruction may change when an interrupt is taken.
    fn changes_interrupts(instruction: &Self::Instruction) -> bool;
}
