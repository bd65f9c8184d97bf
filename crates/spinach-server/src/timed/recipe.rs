//! Timing properties of an instruction.

use spinach_isa::instruction_set::{Direction, MemoryBehaviour};
use spinach_isa::riscv::Operation;
use spinach_isa::riscv::float::third_source;

use super::ports::Port;
use crate::hart::Op;

/// Execution of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Work {
    /// Result available after this number of cycles; another may begin in the next cycle.
    Calculates(u8),
    /// The same, and no other that does so may begin before.
    Occupies(u8),
    Loads,
    Stores,
    /// Reads and writes memory at once.
    Atomic,
    Branches,
    Jumps,
    JumpsIndirectly,
    /// Waits until all stores are in the cache.
    Fences,
    /// Is alone in the core.
    Serialises,
}

/// Timing properties of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recipe {
    pub(super) work: Work,
    pub(super) port: Port,
    /// Numbers of registers: general ones, then those of floating point. Register 0 is always ready.
    pub(super) sources: [u8; 3],
    /// The register that is written, or 0.
    pub(super) destination: u8,
}

// Cycles of the Alpha 21264; it has no integer divider, whose time is assumed.
const MULTIPLY: u8 = 7;
const DIVIDE: u8 = 20;
const FLOAT: u8 = 4;
const FLOAT_DIVIDE_SINGLE: u8 = 12;
const FLOAT_DIVIDE_DOUBLE: u8 = 15;
const FLOAT_ROOT_SINGLE: u8 = 18;
const FLOAT_ROOT_DOUBLE: u8 = 33;

const FLOATS: u8 = 32;

/// The registers that calls keep the address to return to in (the specification's hints for stacks of return addresses).
const LINKS: [u8; 2] = [1, 5];

impl Recipe {
    /// True if it refers to memory or a device.
    #[inline]
    pub(super) fn refers(&self) -> bool {
        matches!(self.work, Work::Loads | Work::Stores | Work::Atomic)
    }

    /// True if a jump is a call.
    pub(super) fn calls(&self) -> bool {
        LINKS.contains(&self.destination)
    }

    /// True if an indirect jump is a return.
    pub(super) fn returns(&self) -> bool {
        LINKS.contains(&self.sources[0]) && !self.calls()
    }

    pub(super) fn of(op: &Op) -> Self {
        let work = work(op.operation);
        let port = port(op.operation, work);
        let general = |number: u8| if number < FLOATS { number } else { 0 };
        let (rd, rs1, rs2) = (general(op.rd), general(op.rs1), general(op.rs2));
        if !op.operation.is_of_float_unit() {
            let is_number = matches!(op.operation, Operation::Csrrwi | Operation::Csrrsi | Operation::Csrrci);
            let rs1 = if is_number { 0 } else { rs1 };
            let has_result = !matches!(work, Work::Stores | Work::Branches);
            return Self { work, port, sources: [rs1, rs2, 0], destination: if has_result { rd } else { 0 } };
        }
        let float = |number: u8| FLOATS + (number & 31);
        match work {
            Work::Loads => Self { work, port, sources: [rs1, 0, 0], destination: float(op.rd) },
            Work::Stores => Self { work, port, sources: [rs1, float(op.rs2), 0], destination: 0 },
            _ => {
                let first = if reads_general(op.operation) { rs1 } else { float(op.rs1) };
                let second = if has_one_source(op.operation) { 0 } else { float(op.rs2) };
                let third = if is_fused(op.operation) { float(third_source(op.immediate) as u8) } else { 0 };
                let destination = if writes_general(op.operation) { rd } else { float(op.rd) };
                Self { work, port, sources: [first, second, third], destination }
            }
        }
    }
}

fn work(operation: Operation) -> Work {
    use Operation as O;
    if let Some(MemoryBehaviour { direction, linked, .. }) = operation.memory() {
        return match direction {
            Direction::Load => Work::Loads,
            Direction::Store if !linked => Work::Stores,
            _ => Work::Atomic,
        };
    }
    match operation {
        O::Beq | O::Bne | O::Blt | O::Bge | O::Bltu | O::Bgeu => Work::Branches,
        O::Jal => Work::Jumps,
        O::Jalr => Work::JumpsIndirectly,
        O::Fence => Work::Fences,
        O::Mul | O::Mulh | O::Mulhsu | O::Mulhu | O::Mulw => Work::Calculates(MULTIPLY),
        O::Div | O::Divu | O::Rem | O::Remu | O::Divw | O::Divuw | O::Remw | O::Remuw => {
            Work::Occupies(DIVIDE)
        }
        O::FdivSingle => Work::Occupies(FLOAT_DIVIDE_SINGLE),
        O::FdivDouble => Work::Occupies(FLOAT_DIVIDE_DOUBLE),
        O::FsqrtSingle => Work::Occupies(FLOAT_ROOT_SINGLE),
        O::FsqrtDouble => Work::Occupies(FLOAT_ROOT_DOUBLE),
        O::FenceI
        | O::Ecall
        | O::Ebreak
        | O::Sret
        | O::SfenceVma
        | O::Wfi
        | O::Csrrw
        | O::Csrrs
        | O::Csrrc
        | O::Csrrwi
        | O::Csrrsi
        | O::Csrrci
        | O::Reserved => Work::Serialises,
        operation if operation.is_of_float_unit() => Work::Calculates(FLOAT),
        _ => Work::Calculates(1),
    }
}

fn port(operation: Operation, work: Work) -> Port {
    match work {
        Work::Loads | Work::Stores | Work::Atomic => Port::Memory,
        Work::Calculates(_) | Work::Occupies(_) if operation.is_of_float_unit() => Port::Float,
        Work::Calculates(MULTIPLY) | Work::Occupies(DIVIDE) => Port::Multiplier,
        _ => Port::Integer,
    }
}

fn reads_general(operation: Operation) -> bool {
    use Operation as O;
    matches!(
        operation,
        O::FcvtSingleWord
            | O::FcvtSingleWordUnsigned
            | O::FcvtSingleLong
            | O::FcvtSingleLongUnsigned
            | O::FcvtDoubleWord
            | O::FcvtDoubleWordUnsigned
            | O::FcvtDoubleLong
            | O::FcvtDoubleLongUnsigned
            | O::FmvSingleX
            | O::FmvDoubleX
    )
}

fn writes_general(operation: Operation) -> bool {
    use Operation as O;
    matches!(
        operation,
        O::FleSingle
            | O::FltSingle
            | O::FeqSingle
            | O::FcvtWordSingle
            | O::FcvtWordUnsignedSingle
            | O::FcvtLongSingle
            | O::FcvtLongUnsignedSingle
            | O::FclassSingle
            | O::FmvXSingle
            | O::FleDouble
            | O::FltDouble
            | O::FeqDouble
            | O::FcvtWordDouble
            | O::FcvtWordUnsignedDouble
            | O::FcvtLongDouble
            | O::FcvtLongUnsignedDouble
            | O::FclassDouble
            | O::FmvXDouble
    )
}

fn has_one_source(operation: Operation) -> bool {
    use Operation as O;
    let compares = matches!(
        operation,
        O::FleSingle | O::FltSingle | O::FeqSingle | O::FleDouble | O::FltDouble | O::FeqDouble
    );
    let stays =
        matches!(operation, O::FsqrtSingle | O::FsqrtDouble | O::FcvtSingleDouble | O::FcvtDoubleSingle);
    stays || reads_general(operation) || writes_general(operation) && !compares
}

fn is_fused(operation: Operation) -> bool {
    use Operation as O;
    matches!(
        operation,
        O::FmaddSingle
            | O::FmsubSingle
            | O::FnmsubSingle
            | O::FnmaddSingle
            | O::FmaddDouble
            | O::FmsubDouble
            | O::FnmsubDouble
            | O::FnmaddDouble
    )
}

#[cfg(test)]
mod tests {
    use Operation as O;

    use super::*;
    use crate::steps::Step;

    fn recipe(operation: Operation, rd: u8, rs1: u8) -> Recipe {
        let (immediate, word, offset, bytes, step) = (6 << 3, 0, 0, 4, Step::of(operation));
        Recipe::of(&Op { operation, rd, rs1, rs2: 5, immediate, word, offset, bytes, step })
    }

    #[test]
    fn instructions_wait_for_the_registers_that_they_read() {
        const F: u8 = FLOATS;
        for (operation, sources, destination) in [
            (O::Add, [4, 5, 0], 3),
            (O::Csrrw, [4, 5, 0], 3),
            (O::Csrrwi, [0, 5, 0], 3),
            (O::Beq, [4, 5, 0], 0),
            (O::Sd, [4, 5, 0], 0),
            (O::Fld, [4, 0, 0], F + 3),
            (O::Fsd, [4, F + 5, 0], 0),
            (O::FaddDouble, [F + 4, F + 5, 0], F + 3),
            (O::FmaddDouble, [F + 4, F + 5, F + 6], F + 3),
            (O::FsqrtDouble, [F + 4, 0, 0], F + 3),
            (O::FeqDouble, [F + 4, F + 5, 0], 3),
            (O::FcvtWordDouble, [F + 4, 0, 0], 3),
            (O::FcvtDoubleWord, [4, 0, 0], F + 3),
        ] {
            let recipe = recipe(operation, 3, 4);
            assert_eq!((recipe.sources, recipe.destination), (sources, destination), "{operation:?}");
        }
    }

    #[test]
    fn jumps_that_keep_the_place_behind_them_are_calls_and_those_to_it_returns() {
        for (rd, rs1, calls, returns) in [
            (0, 7, false, false),
            (6, 7, false, false),
            (1, 7, true, false),
            (5, 7, true, false),
            (0, 1, false, true),
            (0, 5, false, true),
            (1, 5, true, false),
        ] {
            let recipe = recipe(O::Jalr, rd, rs1);
            assert_eq!((recipe.calls(), recipe.returns()), (calls, returns), "{rd} {rs1}");
        }
    }
}
