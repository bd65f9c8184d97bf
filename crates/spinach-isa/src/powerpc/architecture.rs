//! PowerPC 405 implementation of the interface common to all instruction sets.

use super::compute::{alu, compute, immediate};
use super::instruction::{Instruction, target};
use super::operation::{Effect, Format, Operation};
use super::registers::{Registers, exceptions, register};
use super::semantics::{AluFunction, Condition};
use super::{PowerPc405, Trap, memory};
use crate::architecture::{
    Answer, Architecture, ByteOrder, DebuggerRegisters, ElfIdentity, RegisterFile, Requested, Toolchain,
};
use crate::atomic::AtomicOperation;
use crate::instruction_set::DecodedInstruction;
use crate::work::{FurtherRegisters, Maintenance, MemoryRequest, MicroOp, Operations, Unit, Work};

const BIT_ARRAY: &str = "atomic_bit_array";
const CACHES: &str = "caches";

impl Operations for PowerPc405 {
    type Word = u32;
    const BYTE_ORDER: ByteOrder = ByteOrder::Big;
    type Operation = Operation;
    type AluFunction = AluFunction;
    type Condition = Condition;
    type Further = Further;
}

impl Architecture for PowerPc405 {
    const NAME: &'static str = "ppc405";
    const PARCEL_BYTES: u32 = 4;
    const HAS_DELAY_SLOTS: bool = false;
    const HAS_RUNS: bool = true;
    const CAN_WAIT: bool = true;
    const CONDITIONS: u8 = register::CONDITIONS;
    const ELF: ElfIdentity = ElfIdentity {
        machine: 20,
        name: "EM_PPC",
        bits: 32,
        byte_order: ByteOrder::Big,
        level: ("PowerPC 405 with integer registers for floating-point numbers", "-mcpu=405 -msoft-float"),
    };
    // Clang has no 405. The 440 without `isel` has no instruction that the 405 lacks, and no lighter barrier than `sync`.
    const TOOLCHAIN: Toolchain = Toolchain {
        clang: &["-target", "powerpc-freestanding-eabi", "-mcpu=440-isel-fpu-hard_float"],
        folder: "powerpc",
        linker_emulation: "elf32ppc",
        gcc: ("powerpc-linux-gnu-", "gcc-powerpc-linux-gnu"),
        gcc_options: &["-mcpu=405", "-mbig-endian", "-msoft-float", "-msdata=none", "-mno-string"],
        qemu: "qemu-ppc",
    };
    const EXTENSIONS: &'static [&'static str] = &[BIT_ARRAY, CACHES];
    const DEBUGGER: DebuggerRegisters = DebuggerRegisters {
        architecture: "powerpc:common",
        general: "r",
        features: &[
            ("org.gnu.gdb.power.core", &["pc", "msr", "cr", "lr", "ctr", "xer"]),
            ("org.gnu.gdb.power.403", &["srr0", "srr1", "srr2", "srr3", "esr", "dear"]),
        ],
        exceptions: &[
            ("srr0", "control.save_restore.0"),
            ("srr1", "control.save_restore.1"),
            ("srr2", "control.save_restore.2"),
            ("srr3", "control.save_restore.3"),
            ("esr", "control.syndrome"),
            ("dear", "control.data_address"),
        ],
    };
    const FURTHER_REGISTERS: &'static [(&'static str, &'static str)] = &[
        ("cr", "conditions"),
        ("lr", "link_register"),
        ("ctr", "count"),
        ("xer", "exceptions"),
        ("msr", "control.machine_state"),
    ];

    type Instruction = Instruction;
    type Trap = Trap;
    type Registers = Registers;

    fn with(self, extension: &str) -> Option<Self> {
        match extension {
            BIT_ARRAY => Some(Self { atomic_bit_array: true, ..self }),
            CACHES => Some(Self { caches: true, ..self }),
            _ => None,
        }
    }

    fn extensions(&self) -> Vec<&'static str> {
        let all = [(self.atomic_bit_array, BIT_ARRAY), (self.caches, CACHES)];
        all.into_iter().filter(|(is_on, _)| *is_on).map(|(_, name)| name).collect()
    }

    // Flags of PowerPC do not identify the processor.
    fn unsuitable(_: u32) -> Option<String> {
        None
    }

    fn decode(&self, word: u32) -> Instruction {
        Instruction::decode(*self, word)
    }

    fn instruction_of(operation: Operation, word: u32) -> Instruction {
        Instruction { operation, word }
    }

    fn micro_op(&self, word: u32) -> MicroOp<Self> {
        let instruction = self.decode(word);
        let work = match instruction.maintenance().filter(|_| self.caches) {
            Some(Maintenance::Drain) => Work::Awaited,
            Some(_) => Work::Posted,
            None => work(&instruction),
        };
        let [first, second, third] = instruction.sources();
        // A store of a unit has its data in the second place.
        let sources = if matches!(work, Work::Store(_)) { [first, third] } else { [first, second] };
        MicroOp {
            operation: instruction.operation,
            class: instruction.class(),
            work,
            sources,
            destination: instruction.destination(),
            shift_amount: 0,
            immediate: immediate_of(&instruction, work),
            further: Further { third, second_destination: instruction.second_destination() },
        }
    }

    #[inline(always)]
    fn instruction_bytes(_: u32) -> u32 {
        4
    }

    fn disassemble(instruction: Instruction, address: u64) -> String {
        instruction.text(address as u32)
    }

    fn general_register(field: u8) -> u8 {
        register::general(field)
    }

    fn register_name(number: u8) -> &'static str {
        const GENERAL: [&str; 33] = [
            "none", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
            "r15", "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26", "r27", "r28",
            "r29", "r30", "r31", "r0",
        ];
        match number {
            0..=register::R0 => GENERAL[usize::from(number)],
            register::CONDITIONS => "cr",
            register::LINK => "lr",
            register::COUNT => "ctr",
            register::EXCEPTIONS => "xer",
            register::RESERVATION => "reservation",
            register::CONTROL => "spr",
            _ => "?",
        }
    }

    const ALU_FUNCTIONS: &'static [AluFunction] = AluFunction::ALL;

    #[inline(always)]
    fn alu(function: AluFunction, a: u32, b: u32) -> Result<u32, Trap> {
        Ok(alu(function, a, b))
    }

    #[inline(always)]
    fn holds(condition: Condition, conditions: u32, count: u32) -> bool {
        condition.holds(conditions, count)
    }

    fn is_predicted(condition: Condition, immediate: u32) -> bool {
        condition.is_predicted(immediate as i32)
    }

    #[inline(always)]
    fn branch_target(pc: u32, immediate: u32) -> u32 {
        target(pc, immediate)
    }

    #[inline(always)]
    fn jump_target(pc: u32, immediate: u32) -> u32 {
        target(pc, immediate)
    }

    #[inline(always)]
    fn indirect_target([first, _]: [u32; 2], _: u32) -> u32 {
        first & !3
    }

    #[inline(always)]
    fn return_address(pc: u32, _: u32) -> u32 {
        pc.wrapping_add(4)
    }

    fn request(instruction: &Instruction, registers: &Registers) -> Result<Requested<u32>, Trap> {
        memory::request(instruction, registers)
    }

    fn next_request(
        instruction: &Instruction,
        address: u32,
        part: u32,
        registers: &Registers,
    ) -> Option<MemoryRequest<u32>> {
        memory::next_request(instruction, address, part, registers)
    }

    fn note_request(registers: &mut Registers, instruction: &Instruction) {
        memory::note_request(registers, instruction);
    }

    fn misaligned(address: u32, _: bool) -> Trap {
        Trap::Misaligned { address }
    }

    fn previous(registers: &Registers, destination: u8) -> u32 {
        match destination {
            // After a failed conditional store, condition field 0 holds only the summary overflow.
            register::CONDITIONS => {
                let summary = registers.exceptions() & exceptions::SUMMARY;
                registers.conditions() & 0x0fff_ffff | summary >> 3
            }
            number => registers.general(number),
        }
    }

    fn store_failed(previous: u32) -> u32 {
        previous
    }

    fn answered(instruction: &Instruction, answer: &Answer<u32>) -> (u8, u32) {
        memory::answered(instruction, answer)
    }

    fn compute(registers: &mut Registers, instruction: &Instruction) -> Result<(), Trap> {
        compute(registers, instruction)
    }

    fn reads_time(instruction: &Instruction) -> bool {
        matches!(instruction.effect(), Effect::FromSpecial | Effect::ToSpecial | Effect::FromTimeBase)
    }

    fn is_slow(instruction: &Instruction) -> bool {
        use Effect::*;
        matches!(instruction.effect(), Maintain(_) | ZeroLine | StoreConditional | FromConditions)
    }

    fn changes_interrupts(instruction: &Instruction) -> bool {
        use Effect::*;
        matches!(
            instruction.effect(),
            ToMachineState | ToExternalEnable | ToSpecial | Return | ReturnCritical
        )
    }
}

/// The registers of an instruction beyond two sources and a destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Further {
    third: u8,
    second_destination: u8,
}

impl FurtherRegisters for Further {
    #[inline(always)]
    fn third_source(self) -> u8 {
        self.third
    }

    #[inline(always)]
    fn second_destination(self) -> u8 {
        self.second_destination
    }
}

fn immediate_of(instruction: &Instruction, work: Work<PowerPc405>) -> u32 {
    match (work, instruction.format()) {
        (Work::Branch(_) | Work::DirectJump, _) => instruction.displacement(),
        (Work::Calculate(_) | Work::Multiplier, Format::Signed | Format::SignedOrZero | Format::Unsigned) => {
            immediate(instruction)
        }
        (Work::Calculate(AluFunction::RotateAndMask), _) => instruction.word,
        (Work::Load(_) | Work::Store(_), _) => instruction.offset(),
        _ => 0,
    }
}

fn work(instruction: &Instruction) -> Work<PowerPc405> {
    let is_pure = instruction.second_destination() == 0 && !instruction.notes_overflow();
    let condition = instruction.condition();
    let is_indexed_store = instruction.sources()[1] != 0;
    match instruction.effect() {
        Effect::Calculate(function) if is_pure => Work::Calculate(function),
        Effect::Multiply(_) | Effect::Divide(_) => Work::Multiplier,
        Effect::Load(size, is_signed) if !is_indexed_store => {
            Unit::of(size, is_signed).map_or(Work::Awaited, Work::Load)
        }
        Effect::Store(size) if !is_indexed_store => Unit::of(size, false).map_or(Work::Posted, Work::Store),
        Effect::Load(..) | Effect::LoadReversed(_) | Effect::LoadReserved | Effect::LoadMultiple => {
            Work::Awaited
        }
        Effect::StoreConditional | Effect::FromDevice => Work::Awaited,
        Effect::Store(_) | Effect::StoreReversed(_) | Effect::StoreMultiple | Effect::ZeroLine => {
            Work::Posted
        }
        Effect::ToDevice => Work::Posted,
        Effect::Atomic(AtomicOperation::Update) => Work::Awaited,
        Effect::Atomic(_) => Work::Posted,
        Effect::Jump => Work::DirectJump,
        Effect::Branch if condition.always() => Work::DirectJump,
        Effect::Branch => Work::Branch(condition),
        Effect::BranchToLink | Effect::BranchToCount if condition.always() => Work::IndirectJump,
        Effect::BranchToLink | Effect::BranchToCount => Work::IndirectBranch(condition),
        // Moves to and from the registers of every instruction.
        Effect::FromSpecial if matches!(instruction.sources()[0], register::LINK | register::COUNT) => {
            Work::Calculate(AluFunction::Or)
        }
        Effect::ToSpecial if matches!(instruction.destination(), register::LINK | register::COUNT) => {
            Work::Calculate(AluFunction::Or)
        }
        Effect::Barrier => Work::Barrier,
        Effect::Synchronize => Work::InstructionBarrier,
        Effect::Return | Effect::ReturnCritical => Work::ExceptionReturn,
        _ => Work::Plain,
    }
}
