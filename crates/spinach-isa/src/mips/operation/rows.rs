use super::*;

pub(super) const fn primary(opcode: u32) -> u32 {
    opcode << 26
}

pub(super) const fn special(function: u32) -> u32 {
    function
}

pub(super) const fn register_immediate(function: u32) -> u32 {
    primary(0x01) | function << 16
}

/// SPECIAL2: unused by the R4000; later architectures leave functions 0x10 to 0x1f to the implementer.
const fn special2(function: u32) -> u32 {
    primary(0x1c) | function
}

const HI_AND_LO: RegisterSet = RegisterSet::single(register::HI).union(RegisterSet::single(register::LO));
const LINK: RegisterSet = RegisterSet::single(register::LINK);
const COPROCESSOR0: RegisterSet = RegisterSet::single(register::COPROCESSOR0);

/// An operation that reads and writes nothing; the base of every other row.
pub(super) const fn plain(
    mnemonic: &'static str,
    fixed_bits: u32,
    class: Class,
    control_flow: ControlFlow,
) -> Description {
    Description {
        mnemonic,
        class,
        format: Format::Plain,
        fixed_bits,
        extension: Extension::Base,
        reads_rs: false,
        reads_rt: false,
        implicit_reads: RegisterSet::EMPTY,
        destination: Destination::None,
        implicit_writes: RegisterSet::EMPTY,
        alu: AluFunction::Add,
        operand_a: OperandA::Rs,
        operand_b: OperandB::Rt,
        condition: None,
        memory: None,
        atomic: None,
        control_flow,
    }
}

const fn sequential(mnemonic: &'static str, fixed_bits: u32, class: Class, format: Format) -> Description {
    Description { format, ..plain(mnemonic, fixed_bits, class, ControlFlow::Sequential) }
}

pub(super) const fn plain_with(
    mnemonic: &'static str,
    fixed_bits: u32,
    format: Format,
    control_flow: ControlFlow,
) -> Description {
    Description { format, ..plain(mnemonic, fixed_bits, Class::System, control_flow) }
}

pub(super) const fn alu(mnemonic: &'static str, function: u32, alu: AluFunction) -> Description {
    Description {
        reads_rs: true,
        reads_rt: true,
        destination: Destination::Rd,
        alu,
        ..sequential(mnemonic, special(function), Class::Alu, Format::RdRsRt)
    }
}

pub(super) const fn alu_immediate(
    mnemonic: &'static str,
    opcode: u32,
    format: Format,
    alu: AluFunction,
) -> Description {
    Description {
        reads_rs: true,
        destination: Destination::Rt,
        alu,
        operand_b: OperandB::Immediate,
        ..sequential(mnemonic, primary(opcode), Class::Alu, format)
    }
}

/// Field `rs` is fixed at register zero, so adding it to the shifted immediate yields the immediate.
pub(super) const fn load_upper(mnemonic: &'static str, opcode: u32) -> Description {
    Description { reads_rs: false, ..alu_immediate(mnemonic, opcode, Format::RtUpper, AluFunction::Add) }
}

pub(super) const fn shift(mnemonic: &'static str, function: u32, alu: AluFunction) -> Description {
    Description {
        reads_rt: true,
        destination: Destination::Rd,
        alu,
        operand_a: OperandA::ShiftAmount,
        ..sequential(mnemonic, special(function), Class::Shift, Format::RdRtShift)
    }
}

pub(super) const fn shift_variable(mnemonic: &'static str, function: u32, alu: AluFunction) -> Description {
    Description {
        reads_rs: true,
        format: Format::RdRtRs,
        operand_a: OperandA::Rs,
        ..shift(mnemonic, function, alu)
    }
}

pub(super) const fn multiply_divide(
    mnemonic: &'static str,
    function: u32,
    class: Class,
    format: Format,
) -> Description {
    Description {
        reads_rs: true,
        reads_rt: true,
        implicit_writes: HI_AND_LO,
        ..sequential(mnemonic, special(function), class, format)
    }
}

pub(super) const fn from_multiplier(mnemonic: &'static str, function: u32, source: u8) -> Description {
    Description {
        destination: Destination::Rd,
        implicit_reads: RegisterSet::single(source),
        ..sequential(mnemonic, special(function), Class::MultiplierMove, Format::Rd)
    }
}

pub(super) const fn to_multiplier(mnemonic: &'static str, function: u32, destination: u8) -> Description {
    Description {
        reads_rs: true,
        implicit_writes: RegisterSet::single(destination),
        ..sequential(mnemonic, special(function), Class::MultiplierMove, Format::Rs)
    }
}

const fn whole(direction: Direction, size_bytes: u8) -> MemoryBehaviour {
    MemoryBehaviour { direction, size_bytes, sign_extends: false, part: Part::Whole, linked: false }
}

pub(super) const fn load(
    mnemonic: &'static str,
    opcode: u32,
    size_bytes: u8,
    sign_extends: bool,
) -> Description {
    Description {
        reads_rs: true,
        destination: Destination::Rt,
        operand_b: OperandB::Immediate,
        memory: Some(MemoryBehaviour { sign_extends, ..whole(Direction::Load, size_bytes) }),
        ..sequential(mnemonic, primary(opcode), Class::Load, Format::RtOffsetBase)
    }
}

/// The bytes that do not come from memory keep their old value, so `rt` is a source as well.
pub(super) const fn load_part(mnemonic: &'static str, opcode: u32, part: Part) -> Description {
    Description {
        reads_rt: true,
        memory: Some(MemoryBehaviour { part, ..whole(Direction::Load, 4) }),
        ..load(mnemonic, opcode, 4, false)
    }
}

pub(super) const fn load_linked(mnemonic: &'static str, opcode: u32) -> Description {
    Description {
        memory: Some(MemoryBehaviour { linked: true, ..whole(Direction::Load, 4) }),
        implicit_writes: LINK,
        ..load(mnemonic, opcode, 4, false)
    }
}

pub(super) const fn store(mnemonic: &'static str, opcode: u32, size_bytes: u8, part: Part) -> Description {
    Description {
        reads_rs: true,
        reads_rt: true,
        operand_b: OperandB::Immediate,
        memory: Some(MemoryBehaviour { part, ..whole(Direction::Store, size_bytes) }),
        ..sequential(mnemonic, primary(opcode), Class::Store, Format::RtOffsetBase)
    }
}

pub(super) const fn store_conditional(mnemonic: &'static str, opcode: u32) -> Description {
    Description {
        destination: Destination::Rt,
        memory: Some(MemoryBehaviour { linked: true, ..whole(Direction::Store, 4) }),
        implicit_reads: LINK,
        implicit_writes: LINK,
        ..store(mnemonic, opcode, 4, Part::Whole)
    }
}

pub(super) const fn branch(
    mnemonic: &'static str,
    opcode: u32,
    condition: Condition,
    likely: bool,
) -> Description {
    Description {
        reads_rs: true,
        reads_rt: true,
        condition: Some(condition),
        format: Format::RsRtBranch,
        ..plain(mnemonic, primary(opcode), Class::Branch, ControlFlow::Branch { likely, links: false })
    }
}

/// Compares with register zero: an encoding whose `rt` field selects the operation is decoded as `rt` = 0.
pub(super) const fn branch_zero(
    mnemonic: &'static str,
    fixed_bits: u32,
    condition: Condition,
    likely: bool,
    links: bool,
) -> Description {
    Description {
        reads_rs: true,
        condition: Some(condition),
        format: Format::RsBranch,
        destination: if links { Destination::ReturnAddress } else { Destination::None },
        ..plain(mnemonic, fixed_bits, Class::Branch, ControlFlow::Branch { likely, links })
    }
}

pub(super) const fn jump(mnemonic: &'static str, opcode: u32, links: bool) -> Description {
    Description {
        format: Format::Jump,
        destination: if links { Destination::ReturnAddress } else { Destination::None },
        ..plain(mnemonic, primary(opcode), Class::Jump, ControlFlow::Jump { links })
    }
}

pub(super) const fn jump_register(
    mnemonic: &'static str,
    function: u32,
    format: Format,
    links: bool,
) -> Description {
    Description {
        reads_rs: true,
        format,
        destination: if links { Destination::Rd } else { Destination::None },
        ..plain(mnemonic, special(function), Class::Jump, ControlFlow::IndirectJump { links })
    }
}

pub(super) const fn trap(mnemonic: &'static str, function: u32, condition: Condition) -> Description {
    Description {
        reads_rs: true,
        reads_rt: true,
        condition: Some(condition),
        ..sequential(mnemonic, special(function), Class::System, Format::RsRtCode)
    }
}

pub(super) const fn trap_immediate(
    mnemonic: &'static str,
    function: u32,
    condition: Condition,
) -> Description {
    Description {
        reads_rs: true,
        operand_b: OperandB::Immediate,
        condition: Some(condition),
        ..sequential(mnemonic, register_immediate(function), Class::System, Format::RsSigned)
    }
}

pub(super) const fn from_coprocessor0(mnemonic: &'static str, fixed_bits: u32) -> Description {
    Description {
        destination: Destination::Rt,
        implicit_reads: COPROCESSOR0,
        ..sequential(mnemonic, fixed_bits, Class::Coprocessor, Format::RtCoprocessor0)
    }
}

pub(super) const fn to_coprocessor0(mnemonic: &'static str, fixed_bits: u32) -> Description {
    Description {
        reads_rt: true,
        implicit_reads: COPROCESSOR0,
        implicit_writes: COPROCESSOR0,
        ..sequential(mnemonic, fixed_bits, Class::Coprocessor, Format::RtCoprocessor0)
    }
}

pub(super) const fn exception_return(mnemonic: &'static str, fixed_bits: u32) -> Description {
    Description {
        implicit_reads: COPROCESSOR0,
        implicit_writes: COPROCESSOR0.union(LINK),
        ..plain(mnemonic, fixed_bits, Class::System, ControlFlow::ExceptionReturn)
    }
}

pub(super) const fn cache(mnemonic: &'static str, fixed_bits: u32) -> Description {
    Description {
        reads_rs: true,
        implicit_reads: COPROCESSOR0,
        operand_b: OperandB::Immediate,
        ..sequential(mnemonic, fixed_bits, Class::System, Format::CacheOffsetBase)
    }
}

pub(super) const fn tigon_priority(mnemonic: &'static str, function: AluFunction) -> Description {
    Description { extension: Extension::Tigon2, ..alu(mnemonic, 0x0b, function) }
}

pub(super) const fn tigon_jump_offset(mnemonic: &'static str) -> Description {
    Description {
        reads_rt: true,
        extension: Extension::Tigon2,
        ..jump_register(mnemonic, 0x0a, Format::RsRt, false)
    }
}

pub(super) const fn atomic(
    mnemonic: &'static str,
    function: u32,
    operation: AtomicOperation,
    format: Format,
    destination: Destination,
) -> Description {
    Description {
        reads_rs: true,
        reads_rt: true,
        destination,
        atomic: Some(operation),
        memory: Some(whole(Direction::ReadModifyWrite, 4)),
        extension: Extension::AtomicBitArray,
        ..sequential(mnemonic, special2(function), Class::Atomic, format)
    }
}
