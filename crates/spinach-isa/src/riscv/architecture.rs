//! RISC-V implementation of the interface common to all instruction sets.

use super::control::advance_of;
use super::instruction::{Instruction, bytes, register};
use super::operation::{ControlAction, Effect, Format, Operation};
use super::registers::{GENERAL_NAMES, Registers};
use super::semantics::{AluFunction, Condition, calculate, holds};
use super::{RiscV, Trap, Width};
use crate::architecture::{
    Answer, Architecture, Arithmetic, ByteOrder, DebuggerRegisters, ElfIdentity, RegisterFile, Requested,
    Toolchain,
};
use crate::atomic::{AtomicOperation, word_address};
use crate::instruction_set::DecodedInstruction;
use crate::work::{MemoryOperation, MemoryRequest, MicroOp, Operations, Unit, Work};

impl Width for u32 {
    const NAME: &'static str = "rv32";
    const ELF: ElfIdentity = ElfIdentity {
        machine: 243,
        name: "EM_RISCV",
        bits: 32,
        byte_order: ByteOrder::Little,
        level: ("RV32IMAC with integer registers for floating-point numbers", "-march=rv32imac -mabi=ilp32"),
    };
    const TOOLCHAIN: Toolchain = Toolchain {
        clang: &[
            "-target",
            "riscv32-freestanding",
            "-mcpu=generic_rv32+m+a+c",
            "-mabi=ilp32",
            "-mcmodel=medlow",
            "-mno-relax",
        ],
        linker_emulation: "elf32lriscv",
        gcc: ("riscv64-unknown-elf-", "gcc-riscv64-unknown-elf"),
        gcc_options: &["-march=rv32imac_zicsr_zifencei", "-mabi=ilp32", "-mcmodel=medlow", "-mno-relax"],
        qemu: "qemu-riscv32",
        folder: "riscv",
    };
}

impl Width for u64 {
    const NAME: &'static str = "rv64";
    const ELF: ElfIdentity = ElfIdentity {
        bits: 64,
        level: ("RV64IMAC with integer registers for floating-point numbers", "-march=rv64imac -mabi=lp64"),
        ..<u32 as Width>::ELF
    };
    const TOOLCHAIN: Toolchain = Toolchain {
        clang: &[
            "-target",
            "riscv64-freestanding",
            "-mcpu=generic_rv64+m+a+c",
            "-mabi=lp64",
            "-mcmodel=medany",
            "-mno-relax",
        ],
        linker_emulation: "elf64lriscv",
        gcc_options: &["-march=rv64imac_zicsr_zifencei", "-mabi=lp64", "-mcmodel=medany", "-mno-relax"],
        qemu: "qemu-riscv64",
        ..<u32 as Width>::TOOLCHAIN
    };
}

const BIT_ARRAY: &str = "atomic_bit_array";

impl<W: Width> Operations for RiscV<W> {
    type Word = W;
    const BYTE_ORDER: ByteOrder = ByteOrder::Little;
    type Operation = Operation;
    type AluFunction = AluFunction;
    type Condition = Condition;
    type Further = ();
}

impl<W: Width> Architecture for RiscV<W> {
    const NAME: &'static str = W::NAME;
    const PARCEL_BYTES: u32 = 2;
    const HAS_DELAY_SLOTS: bool = false;
    const CLOCK_CYCLES: Option<u64> = Some(1);
    const ELF: ElfIdentity = W::ELF;
    const TOOLCHAIN: Toolchain = W::TOOLCHAIN;
    const EXTENSIONS: &'static [&'static str] = &[BIT_ARRAY];
    const DEBUGGER: DebuggerRegisters = DebuggerRegisters {
        architecture: "riscv",
        general: "x",
        features: &[
            ("org.gnu.gdb.riscv.cpu", &["pc"]),
            (
                "org.gnu.gdb.riscv.csr",
                &["mstatus", "mie", "mtvec", "mscratch", "mepc", "mcause", "mtval", "mip"],
            ),
        ],
        exceptions: &[
            ("mstatus", "control.mstatus"),
            ("mie", "control.mie"),
            ("mtvec", "control.mtvec"),
            ("mscratch", "control.mscratch"),
            ("mepc", "control.mepc"),
            ("mcause", "control.mcause"),
            ("mtval", "control.mtval"),
            ("mip", "control.mip"),
        ],
    };
    const FURTHER_REGISTERS: &'static [(&'static str, &'static str)] =
        &[("mcause", "control.mcause"), ("mepc", "control.mepc")];

    type Instruction = Instruction;
    type Trap = Trap<W>;
    type Registers = Registers<W>;

    fn with(self, extension: &str) -> Option<Self> {
        (extension == BIT_ARRAY).then_some(Self { atomic_bit_array: true, ..self })
    }

    fn extensions(&self) -> Vec<&'static str> {
        if self.atomic_bit_array { vec![BIT_ARRAY] } else { Vec::new() }
    }

    fn unsuitable(elf_flags: u32) -> Option<String> {
        const FLOAT_ABI: u32 = 6;
        const REDUCED: u32 = 8;
        match elf_flags & (FLOAT_ABI | REDUCED) {
            0 => None,
            flags if flags & REDUCED != 0 => Some("RISC-V with 16 registers".to_owned()),
            _ => Some("RISC-V with registers for floating-point numbers".to_owned()),
        }
    }

    fn decode(&self, word: u32) -> Instruction {
        Instruction::decode(*self, word)
    }

    fn instruction_of(operation: Operation, word: u32) -> Instruction {
        Instruction::of::<W>(operation, word)
    }

    fn micro_op(&self, word: u32) -> MicroOp<Self> {
        let instruction = self.decode(word);
        let has_address_of_its_own = matches!(
            instruction.effect(),
            Effect::Atomic(..) | Effect::LoadReserved(_) | Effect::StoreConditional(_)
        );
        let is_system = matches!(instruction.effect(), Effect::Control(_));
        MicroOp {
            operation: instruction.operation,
            class: instruction.class(),
            work: work(&instruction),
            sources: instruction.sources(),
            destination: instruction.rd,
            shift_amount: 0,
            immediate: if has_address_of_its_own || is_system { 0 } else { instruction.immediate },
            further: (),
        }
    }

    #[inline(always)]
    fn instruction_bytes(word: u32) -> u32 {
        bytes(word)
    }

    fn disassemble(instruction: Instruction, address: u64) -> String {
        instruction.text(address)
    }

    fn register_name(number: u8) -> &'static str {
        match number {
            0..32 => GENERAL_NAMES[usize::from(number)],
            register::LINK => "link",
            register::CONTROL => "csr",
            _ => "?",
        }
    }

    const ALU_FUNCTIONS: &'static [AluFunction] = AluFunction::ALL;

    #[inline(always)]
    fn alu(function: AluFunction, a: W, b: W) -> Result<W, Trap<W>> {
        // The most frequent by far costs no call.
        Ok(if function == AluFunction::Add { a.wrapping_add(b) } else { calculate(function, a, b) })
    }

    #[inline(always)]
    fn holds(condition: Condition, a: W, b: W) -> bool {
        holds(condition, a, b)
    }

    #[inline(always)]
    fn branch_target(pc: W, immediate: u32) -> W {
        pc.wrapping_add(W::from_signed(immediate))
    }

    #[inline(always)]
    fn jump_target(pc: W, immediate: u32) -> W {
        pc.wrapping_add(W::from_signed(immediate))
    }

    #[inline(always)]
    fn indirect_target(values: [W; 2], immediate: u32) -> W {
        values[0].wrapping_add(W::from_signed(immediate)) & !W::ONE
    }

    #[inline(always)]
    fn return_address(pc: W, bytes: u32) -> W {
        pc.plus(bytes)
    }

    fn request(instruction: &Instruction, registers: &Registers<W>) -> Result<Requested<W>, Trap<W>> {
        let (rs1, rs2) = (registers.general(instruction.rs1), registers.general(instruction.rs2));
        let (operation, size_bytes, address) = match instruction.effect() {
            Effect::LoadReserved(size) => (MemoryOperation::LoadLinked, size, rs1),
            Effect::StoreConditional(size) => (MemoryOperation::StoreConditional, size, rs1),
            Effect::Atomic(operation @ (AtomicOperation::Set | AtomicOperation::Update), size) => {
                let word = word_address(rs2.low_bits(), rs1.low_bits());
                (MemoryOperation::Atomic(operation), size, W::from_u64(word.into()))
            }
            Effect::Atomic(operation, size) => (MemoryOperation::Atomic(operation), size, rs1),
            _ => return Err(Trap::IllegalInstruction { word: instruction.word }),
        };
        if !address.is_aligned(size_bytes.into()) {
            return Err(Self::misaligned(address, operation != MemoryOperation::LoadLinked));
        }
        let is_of_bit_array = instruction.operation.is_of_bit_array();
        let data = match operation {
            MemoryOperation::LoadLinked => W::default(),
            _ if is_of_bit_array => rs1,
            _ if size_bytes == 8 => rs2,
            _ => Unit::Word.stored::<Self>(rs2),
        };
        let enables = ((1_u32 << size_bytes) - 1) as u8;
        let request = MemoryRequest { address, operation, size_bytes, enables, data };
        Ok((request, address))
    }

    fn misaligned(address: W, stores: bool) -> Trap<W> {
        if stores { Trap::MisalignedStore { address } } else { Trap::MisalignedLoad { address } }
    }

    fn store_failed(_: W) -> W {
        W::ONE
    }

    fn answered(instruction: &Instruction, &Answer { data, .. }: &Answer<W>) -> (u8, W) {
        let value = match instruction.effect() {
            // Memory returns 1 if it stored.
            Effect::StoreConditional(_) => W::from_u64(u64::from(data == W::default())),
            Effect::LoadReserved(4) | Effect::Atomic(_, 4) => W::from_signed(data.low_bits()),
            _ => data,
        };
        (instruction.rd, value)
    }

    fn compute(registers: &mut Registers<W>, instruction: &Instruction) -> Result<(), Trap<W>> {
        let value = |number: u8| registers.general(number);
        let (a, b) = (value(instruction.rs1), value(instruction.rs2));
        let immediate = W::from_signed(instruction.immediate);
        let illegal = Trap::IllegalInstruction { word: instruction.word };
        let result = match instruction.effect() {
            Effect::Calculate(function) | Effect::Multiply(function) | Effect::Divide(function) => {
                let is_immediate = instruction.operation.description().format != Format::Register;
                calculate(function, a, if is_immediate { immediate } else { b })
            }
            Effect::LoadUpper => immediate,
            Effect::AddUpper => registers.pc().wrapping_add(immediate),
            Effect::Control(action) => {
                let number = instruction.immediate;
                let old = registers.control.read(number).ok_or(illegal)?;
                if !instruction.only_reads_control() {
                    let is_number = instruction.operation.description().format == Format::ControlImmediate;
                    let operand = if is_number { W::from_u64(instruction.rs1.into()) } else { a };
                    let new = match action {
                        ControlAction::Write => operand,
                        ControlAction::Set => old | operand,
                        ControlAction::Clear => old & !operand,
                    };
                    registers.control.write(number, new).ok_or(illegal)?;
                }
                old
            }
            Effect::Return => {
                let resume = registers.control.return_from_exception();
                *registers.link() = None;
                registers.jump_to(resume);
                return Ok(());
            }
            Effect::Call => return Err(Trap::EnvironmentCall),
            Effect::Break => return Err(Trap::Breakpoint { code: a.low_bits() }),
            Effect::Reserved | Effect::SupervisorReturn | Effect::FenceTranslations | Effect::Float => {
                return Err(illegal);
            }
            _ => W::default(),
        };
        registers.set_general(instruction.rd, result);
        registers.advance(bytes(instruction.word));
        Ok(())
    }

    fn reads_time(instruction: &Instruction) -> bool {
        matches!(instruction.effect(), Effect::Control(_))
    }

    fn advance_of(instruction: &Instruction, cycles: u64) -> Option<W> {
        if instruction.only_reads_control() { advance_of(instruction.immediate, cycles) } else { None }
    }

    fn arithmetic(function: AluFunction) -> Arithmetic {
        match function {
            AluFunction::Add => Arithmetic::Sum,
            AluFunction::Subtract => Arithmetic::Difference,
            AluFunction::Or | AluFunction::ExclusiveOr => Arithmetic::Union,
            AluFunction::Less | AluFunction::LessUnsigned => Arithmetic::Relation,
            _ => Arithmetic::Other,
        }
    }

    fn changes_interrupts(instruction: &Instruction) -> bool {
        match instruction.effect() {
            Effect::Control(_) => !instruction.only_reads_control(),
            effect => matches!(effect, Effect::Return),
        }
    }
}

fn work<W: Width>(instruction: &Instruction) -> Work<RiscV<W>> {
    match instruction.effect() {
        Effect::Calculate(function) => Work::Calculate(function),
        Effect::LoadUpper => Work::Calculate(AluFunction::Add),
        Effect::Multiply(_) | Effect::Divide(_) => Work::Multiplier,
        Effect::Load(size, is_signed) => Unit::of(size, is_signed).map_or(Work::Awaited, Work::Load),
        Effect::Store(size) => Unit::of(size, false).map_or(Work::Posted, Work::Store),
        Effect::Atomic(..) if instruction.rd == 0 => Work::Posted,
        Effect::LoadReserved(_) | Effect::StoreConditional(_) | Effect::Atomic(..) => Work::Awaited,
        Effect::Branch(condition) => Work::Branch(condition),
        Effect::Jump => Work::DirectJump,
        Effect::IndirectJump => Work::IndirectJump,
        Effect::Fence => Work::Barrier,
        Effect::FenceInstructions => Work::InstructionBarrier,
        Effect::Return => Work::ExceptionReturn,
        _ => Work::Plain,
    }
}
