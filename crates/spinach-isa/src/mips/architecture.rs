//! MIPS implementation of the interface common to all instruction sets.

use super::access::{loaded_value, memory_reference};
use super::coprocessor0::{cause, number};
use super::decode::{Instruction, decode};
use super::disassemble::disassemble;
use super::interpreter::{self, Registers};
use super::memory::{BusError, Memory};
use super::operation::{AluFunction, Condition, Operation, register};
use super::semantics::{alu, condition_holds, effective_address, return_address};
use super::tigon2::jump_offset_target;
use super::{Extensions, Mips, Trap, syntax};
use crate::architecture::{
    Answer, Architecture, ArchitectureTrap, Arithmetic, ByteOrder, DebuggerRegisters, ElfIdentity,
    RegisterFile, Requested, Toolchain, Transfer,
};
use crate::instruction_set::{Class, ControlFlow, DecodedInstruction, Direction, MemoryBehaviour, Part};
use crate::mips::access::ByteEnables;
use crate::work::{Kind, MemoryOperation, MemoryRequest, MicroOp, Operations, Unit, Work};

impl Operations for Mips {
    type Word = u32;
    const BYTE_ORDER: ByteOrder = ByteOrder::Big;
    type Operation = Operation;
    type AluFunction = AluFunction;
    type Condition = Condition;
    type Further = ();
}

impl Architecture for Mips {
    const NAME: &'static str = "mips";
    const PARCEL_BYTES: u32 = 4;
    const HAS_DELAY_SLOTS: bool = true;
    const CLOCK_CYCLES: Option<u64> = Some(2);
    const ELF: ElfIdentity = ElfIdentity {
        machine: 8,
        name: "EM_MIPS",
        bits: 32,
        byte_order: ByteOrder::Big,
        level: ("MIPS II", "-march=mips2"),
    };
    const TOOLCHAIN: Toolchain = Toolchain {
        clang: &["-target", "mips-freestanding-eabi", "-mcpu=mips2+noabicalls", "-msoft-float", "-G0"],
        linker_emulation: "elf32btsmip",
        gcc: ("mips-linux-gnu-", "gcc-mips-linux-gnu"),
        gcc_options: &[
            "-EB",
            "-march=mips2",
            "-mtune=r4000",
            "-mabi=32",
            "-msoft-float",
            "-mno-abicalls",
            "-G0",
        ],
        qemu: "qemu-mips",
        folder: "mips",
    };
    const EXTENSIONS: &'static [&'static str] = &Extensions::NAMES;
    const DEBUGGER: DebuggerRegisters = DebuggerRegisters {
        architecture: "mips",
        general: "r",
        features: &[
            ("org.gnu.gdb.mips.cpu", &["lo", "hi", "pc"]),
            ("org.gnu.gdb.mips.cp0", &["status", "badvaddr", "cause", "epc"]),
            (
                "org.gnu.gdb.mips.fpu",
                &[
                    "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12", "f13",
                    "f14", "f15", "f16", "f17", "f18", "f19", "f20", "f21", "f22", "f23", "f24", "f25",
                    "f26", "f27", "f28", "f29", "f30", "f31", "fcsr", "fir",
                ],
            ),
        ],
        exceptions: &[
            ("status", "coprocessor0.status"),
            ("badvaddr", "coprocessor0.bad_address"),
            ("cause", "coprocessor0.cause"),
            ("epc", "coprocessor0.exception_pc"),
        ],
    };
    const FURTHER_REGISTERS: &'static [(&'static str, &'static str)] =
        &[("hi", "hi_lo.hi"), ("lo", "hi_lo.lo")];

    type Instruction = Instruction;
    type Trap = Trap;
    type Registers = Registers;

    fn with(self, extension: &str) -> Option<Self> {
        self.extensions.with(extension).ok().map(|extensions| Self { extensions })
    }

    fn extensions(&self) -> Vec<&'static str> {
        let is_on = |name: &&str| self.extensions.with(name).is_ok_and(|with| with == self.extensions);
        Extensions::NAMES.into_iter().filter(is_on).collect()
    }

    fn unsuitable(elf_flags: u32) -> Option<String> {
        const NAMES: [&str; 11] = [
            "MIPS I",
            "MIPS II",
            "MIPS III",
            "MIPS IV",
            "MIPS V",
            "MIPS32",
            "MIPS64",
            "MIPS32 release 2",
            "MIPS64 release 2",
            "MIPS32 release 6",
            "MIPS64 release 6",
        ];
        const IS_32_BIT_MODE: u32 = 0x100;
        let level = elf_flags >> 28;
        // MIPS III restricted to 32 bits has no instructions beyond MIPS II.
        let is_suitable = level <= 1 || level == 2 && elf_flags & IS_32_BIT_MODE != 0;
        let name =
            || NAMES.get(level as usize).map_or_else(|| format!("architecture {level}"), ToString::to_string);
        (!is_suitable).then(name)
    }

    fn decode(&self, word: u32) -> Instruction {
        decode(word, self.extensions)
    }

    #[inline]
    fn instruction_of(operation: Operation, word: u32) -> Instruction {
        Instruction::of(operation, word)
    }

    fn micro_op(&self, word: u32) -> MicroOp<Self> {
        let instruction = decode(word, self.extensions);
        let description = instruction.operation.description();
        let source = |is_read: bool, register: u8| if is_read { register & 31 } else { 0 };
        MicroOp {
            operation: instruction.operation,
            class: instruction.class(),
            work: work(&instruction),
            sources: [
                source(description.reads_rs, instruction.rs),
                source(description.reads_rt, instruction.rt),
            ],
            destination: instruction.destination,
            shift_amount: instruction.shift_amount,
            immediate: instruction.immediate,
            further: (),
        }
    }

    #[inline]
    fn instruction_bytes(_: u32) -> u32 {
        4
    }

    fn disassemble(instruction: Instruction, address: u64) -> String {
        disassemble(instruction, address as u32).to_string()
    }

    fn register_name(number: u8) -> &'static str {
        syntax::register_name(number)
    }

    const ALU_FUNCTIONS: &'static [AluFunction] = AluFunction::ALL;

    #[inline(always)]
    fn alu(function: AluFunction, a: u32, b: u32) -> Result<u32, Trap> {
        alu(function, a, b)
    }

    #[inline(always)]
    fn holds(condition: Condition, a: u32, b: u32) -> bool {
        condition_holds(condition, a, b)
    }

    #[inline(always)]
    fn branch_target(pc: u32, immediate: u32) -> u32 {
        pc.wrapping_add(4).wrapping_add(immediate)
    }

    #[inline(always)]
    fn jump_target(pc: u32, immediate: u32) -> u32 {
        pc.wrapping_add(4) & 0xf000_0000 | immediate
    }

    // Jumps that take no offset read no second register.
    #[inline(always)]
    fn indirect_target([rs, rt]: [u32; 2], _: u32) -> u32 {
        jump_offset_target(rs, rt)
    }

    #[inline(always)]
    fn return_address(pc: u32, _: u32) -> u32 {
        return_address(pc)
    }

    fn request(instruction: &Instruction, registers: &Registers) -> Result<Requested<u32>, Trap> {
        let (rs, rt) = (registers.general(instruction.rs), registers.general(instruction.rt));
        let Some(behaviour) = instruction.memory() else {
            return Err(Trap::ReservedInstruction { word: instruction.word });
        };
        let word = memory_reference(instruction, behaviour, rs, rt)?;
        let operation = memory_operation(instruction, behaviour);
        let address = effective_address(instruction, rs, rt);
        // The big-endian word in memory order, its first byte lowest.
        let bytes = word.data.swap_bytes();
        let of_word = |enables: ByteEnables, data: u32| MemoryRequest {
            address: word.word_address,
            operation,
            size_bytes: 4,
            enables: enables.0,
            data,
        };
        let request = match operation {
            MemoryOperation::Atomic(_) => of_word(ByteEnables::ALL, word.data),
            _ if behaviour.part != Part::Whole => of_word(word.enables, bytes),
            _ => MemoryRequest {
                address,
                operation,
                size_bytes: behaviour.size_bytes,
                enables: ((1u32 << behaviour.size_bytes) - 1) as u8,
                data: bytes >> (8 * (address % 4)),
            },
        };
        Ok((request, address))
    }

    fn misaligned(address: u32, stores: bool) -> Trap {
        if stores { Trap::MisalignedStore { address } } else { Trap::MisalignedLoad { address } }
    }

    fn store_failed(_: u32) -> u32 {
        0
    }

    fn answered(instruction: &Instruction, answer: &Answer<u32>) -> (u8, u32) {
        let Answer { address, previous, data, .. } = *answer;
        let value = match instruction.memory() {
            Some(behaviour) if behaviour.direction == Direction::Load => {
                let lowest = if behaviour.part == Part::Whole { address % 4 } else { 0 };
                loaded_value(behaviour, address, data.swap_bytes() >> (8 * lowest), previous)
            }
            _ => data,
        };
        (instruction.destination, value)
    }

    fn compute(registers: &mut Registers, instruction: &Instruction) -> Result<(), Trap> {
        interpreter::execute(registers, &mut NoMemory, instruction)
    }

    #[inline]
    fn reads_time(instruction: &Instruction) -> bool {
        matches!(instruction.operation, Operation::Mfc0 | Operation::Mtc0)
    }

    fn advance_of(instruction: &Instruction, cycles: u64) -> Option<u32> {
        match (instruction.operation, instruction.rd) {
            (Operation::Mfc0, number::COUNT) => Some((cycles / 2) as u32),
            // A timer may become pending.
            (Operation::Mfc0, number::CAUSE) => None,
            (Operation::Mfc0, _) => Some(0),
            _ => None,
        }
    }

    fn arithmetic(function: AluFunction) -> Arithmetic {
        match function {
            AluFunction::Add => Arithmetic::Sum,
            AluFunction::Subtract => Arithmetic::Difference,
            AluFunction::Or | AluFunction::Xor => Arithmetic::Union,
            AluFunction::SetLessThanSigned | AluFunction::SetLessThanUnsigned => Arithmetic::Relation,
            _ => Arithmetic::Other,
        }
    }

    #[inline]
    fn changes_interrupts(instruction: &Instruction) -> bool {
        matches!(instruction.operation, Operation::Mtc0 | Operation::Eret)
    }
}

/// Placeholder memory for instructions without memory access.
struct NoMemory;

impl Memory for NoMemory {
    fn fetch(&mut self, _: u32) -> Result<u32, BusError> {
        Err(BusError)
    }
    fn read(&mut self, _: u32, _: ByteEnables) -> Result<u32, BusError> {
        Err(BusError)
    }
    fn write(&mut self, _: u32, _: u32, _: ByteEnables) -> Result<(), BusError> {
        Err(BusError)
    }
}

fn memory_operation(instruction: &Instruction, behaviour: MemoryBehaviour) -> MemoryOperation {
    match (behaviour.direction, behaviour.linked, instruction.operation.description().atomic) {
        (.., Some(operation)) => MemoryOperation::Atomic(operation),
        (Direction::Load, true, _) => MemoryOperation::LoadLinked,
        (Direction::Load, false, _) => MemoryOperation::Load,
        (_, true, _) => MemoryOperation::StoreConditional,
        (_, false, _) => MemoryOperation::Store,
    }
}

/// `None` for parts of unaligned words, for what has to do with a link, for the atomic bit array, and for what does not refer to
/// memory.
fn unit(instruction: &Instruction) -> Option<Unit> {
    let behaviour = instruction.memory()?;
    let operation = memory_operation(instruction, behaviour);
    let is_ordinary = matches!(operation, MemoryOperation::Load | MemoryOperation::Store);
    (is_ordinary && behaviour.part == Part::Whole)
        .then(|| Unit::of(behaviour.size_bytes, behaviour.sign_extends))
        .flatten()
}

fn work(instruction: &Instruction) -> Work<Mips> {
    let description = instruction.operation.description();
    let multiplier = [register::HI, register::LO];
    let touched = instruction.reads().union(instruction.writes());
    match (kind(instruction), unit(instruction), description.condition) {
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

impl ArchitectureTrap<u32> for Trap {
    const INTERRUPT: Self = Self::Interrupt;

    fn misaligned_fetch(address: u32) -> Self {
        Self::MisalignedLoad { address }
    }

    fn fetch_bus_error(address: u32) -> Self {
        Self::FetchBusError { address }
    }

    fn data_bus_error(address: u32, _: bool) -> Self {
        Self::DataBusError { address }
    }

    fn reserved(word: u32) -> Self {
        Self::ReservedInstruction { word }
    }

    fn is_data_bus_error(self) -> bool {
        matches!(self, Self::DataBusError { .. })
    }

    /// The operand of `break` in assembly language: bits 25 to 16 of the instruction.
    fn stop_code(self) -> Option<u32> {
        match self {
            Self::Breakpoint { code } => Some(code >> 10),
            _ => None,
        }
    }
}

impl RegisterFile<Mips> for Registers {
    fn reset(pc: u32, core: u32) -> Self {
        Self::reset(pc, core)
    }

    #[inline(always)]
    fn general(&self, number: u8) -> u32 {
        self.general(number)
    }

    #[inline(always)]
    fn set_general(&mut self, number: u8, value: u32) {
        self.set_general(number, value);
    }

    #[inline(always)]
    fn pc(&self) -> u32 {
        self.pc
    }

    #[inline(always)]
    fn in_delay_slot(&self) -> bool {
        self.in_delay_slot
    }

    fn jump_to(&mut self, pc: u32) {
        self.jump_to(pc);
    }

    #[inline]
    fn place_at(&mut self, pc: u32, in_delay_slot: bool) {
        (self.pc, self.in_delay_slot) = (pc, in_delay_slot);
    }

    #[inline(always)]
    fn advance(&mut self, _: u32) {
        self.advance();
    }

    #[inline(always)]
    fn advance_after(&mut self, transfer: &Transfer<u32>, _: u32) {
        self.advance();
        if transfer.annuls_delay_slot {
            self.advance();
        }
        self.in_delay_slot = !transfer.annuls_delay_slot;
        if transfer.taken {
            self.next_pc = transfer.target;
        }
    }

    #[inline]
    fn link(&mut self) -> &mut Option<u32> {
        &mut self.link
    }

    fn set_interrupt_lines(&mut self, lines: u8) {
        self.coprocessor0.set_interrupt_lines(lines);
    }

    fn interrupting_lines(&self) -> u8 {
        let causes = self.coprocessor0.enabled_interrupts() & self.coprocessor0.cause;
        (causes >> cause::EXTERNAL_SHIFT) as u8
    }

    fn next_interrupt(&self, cycle: u64) -> u64 {
        let coprocessor0 = &self.coprocessor0;
        let enabled = coprocessor0.enabled_interrupts();
        if enabled & coprocessor0.cause != 0 {
            0
        } else if enabled & cause::TIMER_INTERRUPT != 0 {
            // Count advances in every second cycle; where it is now it has to come round to.
            let distance =
                u64::from(coprocessor0.compare.wrapping_sub(coprocessor0.count).wrapping_sub(1)) + 1;
            2 * (cycle / 2 + distance)
        } else {
            u64::MAX
        }
    }

    fn forget_time(&mut self) {
        self.coprocessor0.count = 0;
    }

    /// Count advances at half the clock, as in the R4000.
    fn pass_time(&mut self, from: u64, to: u64) {
        let increments = u32::try_from(to / 2 - from / 2).unwrap_or(u32::MAX);
        self.coprocessor0.advance_count(increments);
    }

    fn handler(&self, _: Trap, configured: Option<u32>) -> Option<u32> {
        configured
    }

    fn enter_exception(&mut self, trap: Trap, pc: u32, in_delay_slot: bool) {
        self.coprocessor0.enter_exception(trap, pc, in_delay_slot);
    }
}
