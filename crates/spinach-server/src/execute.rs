//! Execution of a decoded block.
//!
//! Semantics are those of [`spinach_isa::riscv`]; this module reads operands and writes results.

use spinach_isa::atomic::AtomicOperation;
use spinach_isa::blocks::Way;
use spinach_isa::riscv::float::{Operands, Outcome, boxed, compute, third_source};
use spinach_isa::riscv::supervisor::{Exception, Privilege, cause};
use spinach_isa::riscv::translation::Access;
use spinach_isa::riscv::{AluFunction, Condition, Operation, calculate, holds};

use crate::board::Board;
use crate::calls;
use crate::chain::{Chain, Part};
use crate::hart::{Hart, Op};
use crate::timed::Timing;

/// Reason to leave a block other than by its last instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Left {
    /// A change that may affect the next instruction: an interrupt, a privilege, code.
    Normally,
    /// `wfi`.
    Waits,
    /// Call of the firmware.
    Calls,
    /// Load whose answer a device delays; it is to be executed again.
    Held,
    /// Debugger stop.
    Stopped,
}

/// True for the last operation of a block.
pub(crate) fn ends_block(operation: Operation) -> bool {
    use Operation as O;
    matches!(
        operation,
        O::Reserved
            | O::Jal
            | O::Jalr
            | O::Beq
            | O::Bne
            | O::Blt
            | O::Bge
            | O::Bltu
            | O::Bgeu
            | O::FenceI
            | O::Ecall
            | O::Ebreak
            | O::Sret
            | O::SfenceVma
            | O::Wfi
    ) || is_control(operation)
}

/// True if an operation reads or writes a control register.
pub(crate) fn is_control(operation: Operation) -> bool {
    use Operation as O;
    matches!(operation, O::Csrrw | O::Csrrs | O::Csrrc | O::Csrrwi | O::Csrrsi | O::Csrrci)
}

/// True if the destination of an operation is always a general register.
pub(crate) fn writes_general(operation: Operation) -> bool {
    !operation.is_of_float_unit()
}

/// Executes instructions from the program counter on, and the blocks of a chain that follow; `None` if the block at the new program
/// counter comes next.
#[inline(never)]
pub(crate) fn run<'a, T: Timing>(
    hart: &mut Hart,
    board: &mut Board,
    timing: &mut T,
    mut part: Part<'a>,
    chain: &Chain<'a>,
) -> Option<Left> {
    'blocks: loop {
        let start = hart.pc;
        macro_rules! follow {
            ($way:expr) => {{
                if !T::CHAINS {
                    return None;
                }
                part = chain.next(hart, (part.block, start), $way)?;
                continue 'blocks;
            }};
        }
        for op in part.ops {
            macro_rules! x {
                ($field:ident) => {
                    hart.general[usize::from(op.$field)]
                };
            }
            macro_rules! pc {
                () => {
                    start.wrapping_add(u64::from(op.offset))
                };
            }
            macro_rules! go {
                ($pc:expr, $way:expr) => {{
                    hart.pc = $pc;
                    hart.instructions += u64::from(op.number) + 1;
                    follow!($way)
                }};
            }
            macro_rules! leave {
                ($pc:expr, $reason:expr) => {{
                    hart.pc = $pc;
                    hart.instructions += u64::from(op.number) + 1;
                    return Some($reason);
                }};
            }
            macro_rules! next {
                () => {
                    pc!().wrapping_add(op.bytes.into())
                };
            }
            macro_rules! raise {
                ($exception:expr) => {{
                    hart.instructions += u64::from(op.number);
                    hart.enter($exception, pc!());
                    return Some(Left::Normally);
                }};
            }
            macro_rules! check {
                ($result:expr) => {
                    match $result {
                        Ok(value) => value,
                        Err(exception) => raise!(exception),
                    }
                };
            }
            let immediate = op.immediate as i32 as u64;
            macro_rules! time {
                () => {
                    hart.time() + u64::from(op.number)
                };
            }
            // An instruction that may access a device or reads a counter executes at the exact time: at the
            // beginning of a block.
            macro_rules! alone {
                () => {
                    if T::IS_ON && (op.number > 0 || hart.rest > 0) {
                        hart.pc = pc!();
                        hart.instructions += u64::from(op.number);
                        return Some(Left::Normally);
                    }
                };
            }
            macro_rules! load {
                ($size:literal) => {{
                    let address = x!(rs1).wrapping_add(immediate);
                    let place = hart.mmu.load_place::<$size>(address);
                    match place.and_then(|place| board.memory.read::<$size>(place)) {
                        Some(value) => {
                            timing.refer(address, place);
                            value
                        }
                        None => {
                            alone!();
                            let time = time!();
                            let Hart { mmu, control, .. } = hart;
                            let value = check!(mmu.load(control, board, (address, $size), time));
                            if board.take_held() {
                                hart.pc = pc!();
                                hart.instructions += u64::from(op.number);
                                return Some(Left::Held);
                            }
                            timing.refer(address, mmu.load_place::<1>(address));
                            if board.needs_attention() {
                                finish_load(hart, op, value);
                                leave!(next!(), Left::Normally);
                            }
                            value
                        }
                    }
                }};
            }
            macro_rules! store {
                ($size:literal, $value:expr) => {{
                    let (address, value) = (x!(rs1).wrapping_add(immediate), $value);
                    let place = hart.mmu.store_place::<$size>(address);
                    if place.and_then(|place| board.memory.write::<$size>(place, value)).is_some() {
                        timing.refer(address, place);
                    } else {
                        alone!();
                        let time = time!();
                        let Hart { mmu, control, .. } = hart;
                        check!(mmu.store(control, board, (address, $size), value, time));
                        if board.take_held() {
                            hart.pc = pc!();
                            hart.instructions += u64::from(op.number);
                            return Some(Left::Held);
                        }
                        timing.refer(address, mmu.store_place::<1>(address));
                        if board.needs_attention() {
                            leave!(next!(), Left::Normally);
                        }
                    }
                }};
            }
            macro_rules! atomic {
                ($size:literal, $operation:ident) => {{
                    let (address, operand) = (x!(rs1), x!(rs2));
                    let result =
                        check!(atomic::<$size>(hart, board, address, AtomicOperation::$operation, operand));
                    timing.refer(address, hart.mmu.store_place::<1>(address));
                    x!(rd) = result;
                    if board.needs_attention() {
                        leave!(next!(), Left::Normally);
                    }
                }};
            }
            macro_rules! reserved {
                ($result:expr) => {{
                    let address = x!(rs1);
                    let result = check!($result);
                    timing.refer(address, hart.mmu.load_place::<1>(address));
                    result
                }};
            }
            macro_rules! operations {
            (
                registers { $($rr:ident $rr_function:ident;)* }
                immediates { $($ri:ident $ri_function:ident;)* }
                branches { $($branch:ident $condition:ident;)* }
                atomics { $($word:ident $double:ident $atomic:ident;)* }
                $($rest:tt)*
            ) => {
                match op.operation {
                    $(Operation::$rr => x!(rd) = calculate(AluFunction::$rr_function, x!(rs1), x!(rs2)),)*
                    $(Operation::$ri => x!(rd) = calculate(AluFunction::$ri_function, x!(rs1), immediate),)*
                    $(Operation::$branch => {
                        if holds(Condition::$condition, x!(rs1), x!(rs2)) {
                            go!(pc!().wrapping_add(immediate), Some(Way::Jump));
                        }
                    })*
                    $(Operation::$word => atomic!(4, $atomic),
                    Operation::$double => atomic!(8, $atomic),)*
                    $($rest)*
                }
            };
        }
            operations! {
                registers {
                    Add Add; Sub Subtract; Sll ShiftLeft; Slt Less;
                    Sltu LessUnsigned; Xor ExclusiveOr; Srl ShiftRight; Sra ShiftRightSigned;
                    Or Or; And And; Mul Multiply; Mulh MultiplyHigh;
                    Mulhsu MultiplyHighSignedUnsigned; Mulhu MultiplyHighUnsigned; Div Divide; Divu DivideUnsigned;
                    Rem Remainder; Remu RemainderUnsigned; Addw AddWord; Subw SubtractWord;
                    Sllw ShiftLeftWord; Srlw ShiftRightWord; Sraw ShiftRightSignedWord; Mulw MultiplyWord;
                    Divw DivideWord; Divuw DivideUnsignedWord; Remw RemainderWord; Remuw RemainderUnsignedWord;
                }
                immediates {
                    Addi Add; Slti Less; Sltiu LessUnsigned; Xori ExclusiveOr;
                    Ori Or; Andi And; Slli ShiftLeft; Srli ShiftRight;
                    Srai ShiftRightSigned; Addiw AddWord; Slliw ShiftLeftWord; Srliw ShiftRightWord;
                    Sraiw ShiftRightSignedWord;
                }
                branches {
                    Beq Equal; Bne NotEqual; Blt Less; Bge GreaterOrEqual;
                    Bltu LessUnsigned; Bgeu GreaterOrEqualUnsigned;
                }
                atomics {
                    AmoswapW AmoswapD Swap;
                    AmoaddW AmoaddD Add;
                    AmoxorW AmoxorD ExclusiveOr;
                    AmoandW AmoandD And;
                    AmoorW AmoorD Or;
                    AmominW AmominD Minimum;
                    AmomaxW AmomaxD Maximum;
                    AmominuW AmominuD MinimumUnsigned;
                    AmomaxuW AmomaxuD MaximumUnsigned;
                }
                Operation::Lui => x!(rd) = immediate,
                Operation::Auipc => x!(rd) = pc!().wrapping_add(immediate),
                Operation::Jal => {
                    x!(rd) = next!();
                    go!(pc!().wrapping_add(immediate), Some(Way::Jump));
                }
                Operation::Jalr => {
                    let target = x!(rs1).wrapping_add(immediate) & !1;
                    x!(rd) = next!();
                    go!(target, None);
                }
                Operation::Lb => x!(rd) = load!(1) as i8 as u64,
                Operation::Lh => x!(rd) = load!(2) as i16 as u64,
                Operation::Lw => x!(rd) = load!(4) as i32 as u64,
                Operation::Ld => x!(rd) = load!(8),
                Operation::Lbu => x!(rd) = load!(1),
                Operation::Lhu => x!(rd) = load!(2),
                Operation::Lwu => x!(rd) = load!(4),
                Operation::Sb => store!(1, x!(rs2)),
                Operation::Sh => store!(2, x!(rs2)),
                Operation::Sw => store!(4, x!(rs2)),
                Operation::Sd => store!(8, x!(rs2)),
                Operation::Flw | Operation::Fld | Operation::Fsw | Operation::Fsd if !hart.control.float_is_on() => {
                    raise!(illegal(op));
                }
                Operation::Flw => {
                    let value = load!(4);
                    hart.float[usize::from(op.rd & 31)] = boxed(value as u32);
                    hart.control.note_float_change();
                }
                Operation::Fld => {
                    let value = load!(8);
                    hart.float[usize::from(op.rd & 31)] = value;
                    hart.control.note_float_change();
                }
                Operation::Fsw => store!(4, hart.float[usize::from(op.rs2 & 31)]),
                Operation::Fsd => store!(8, hart.float[usize::from(op.rs2 & 31)]),
                Operation::LrW => x!(rd) = reserved!(load_reserved::<4>(hart, board, op)) as i32 as u64,
                Operation::LrD => x!(rd) = reserved!(load_reserved::<8>(hart, board, op)),
                Operation::ScW => {
                    x!(rd) = reserved!(store_conditional::<4>(hart, board, op));
                    if board.needs_attention() {
                        leave!(next!(), Left::Normally);
                    }
                }
                Operation::ScD => {
                    x!(rd) = reserved!(store_conditional::<8>(hart, board, op));
                    if board.needs_attention() {
                        leave!(next!(), Left::Normally);
                    }
                }
                Operation::Fence => {}
                Operation::FenceI => leave!(next!(), Left::Normally),
                Operation::Ecall
                    if hart.control.privilege == Privilege::Supervisor
                        || hart.general[calls::EXTENSION_REGISTER] == calls::EXTENSION =>
                {
                    leave!(next!(), Left::Calls);
                }
                Operation::Ecall => raise!(Exception { cause: cause::CALL_FROM_USER, value: 0 }),
                Operation::Ebreak => raise!(Exception { cause: cause::BREAKPOINT, value: pc!() }),
                Operation::Sret => match hart.control.leave() {
                    Some(resume) => {
                        hart.reservation = None;
                        leave!(resume, Left::Normally);
                    }
                    None => raise!(illegal(op)),
                },
                Operation::SfenceVma if hart.control.privilege == Privilege::Supervisor => {
                    hart.flush_translations();
                    leave!(next!(), Left::Normally);
                }
                Operation::Wfi if hart.control.privilege == Privilege::Supervisor => leave!(next!(), Left::Waits),
                Operation::Csrrw | Operation::Csrrs | Operation::Csrrc | Operation::Csrrwi | Operation::Csrrsi
                | Operation::Csrrci => {
                    alone!();
                    hart.instructions += u64::from(op.number);
                    match control(hart, op) {
                        Some(()) => {
                            hart.instructions += 1;
                            hart.pc = next!();
                        }
                        None => hart.enter(illegal(op), pc!()),
                    }
                    return Some(Left::Normally);
                }
                operation if operation.is_of_float_unit() => {
                    if float(hart, op).is_none() {
                        raise!(illegal(op));
                    }
                }
                _ => raise!(illegal(op)),
            }
        }
        hart.pc = start.wrapping_add(part.bytes);
        hart.instructions += part.ops.len() as u64;
        follow!(Some(Way::On))
    }
}

fn illegal(op: &Op) -> Exception {
    Exception { cause: cause::ILLEGAL_INSTRUCTION, value: op.word.into() }
}

/// Writes the answer of a device to the destination of a load.
fn finish_load(hart: &mut Hart, op: &Op, value: u64) {
    if op.operation.is_of_float_unit() {
        hart.control.note_float_change();
    }
    let general = &mut hart.general[usize::from(op.rd)];
    match op.operation {
        Operation::Lb => *general = value as i8 as u64,
        Operation::Lh => *general = value as i16 as u64,
        Operation::Lw => *general = value as i32 as u64,
        Operation::Flw => hart.float[usize::from(op.rd & 31)] = boxed(value as u32),
        Operation::Fld => hart.float[usize::from(op.rd & 31)] = value,
        _ => *general = value,
    }
}

/// The place in memory of an atomic reference, which must be aligned and must not go to a device.
fn atomic_place<const SIZE: u64>(
    hart: &mut Hart,
    board: &mut Board,
    address: u64,
    access: Access,
) -> Result<u64, Exception> {
    if address & (SIZE - 1) != 0 {
        let number = if access == Access::Load { cause::LOAD_MISALIGNED } else { cause::STORE_MISALIGNED };
        return Err(Exception { cause: number, value: address });
    }
    let physical = hart.mmu.translate(&hart.control, address, access, &mut board.memory)?;
    match board.memory.place(physical, SIZE as usize) {
        Some(_) => Ok(physical),
        None => Err(access.access_fault(address)),
    }
}

fn atomic<const SIZE: u64>(
    hart: &mut Hart,
    board: &mut Board,
    address: u64,
    operation: AtomicOperation,
    operand: u64,
) -> Result<u64, Exception> {
    let physical = match hart.mmu.store_place::<SIZE>(address) {
        Some(place) => board.memory.base() + place as u64,
        None => atomic_place::<SIZE>(hart, board, address, Access::Store)?,
    };
    let old = board.read(physical, SIZE as usize, 0).unwrap_or(0);
    let (old, new) = if SIZE == 4 {
        let new = operation.combined(old as u32, operand as u32);
        (old as i32 as u64, new.into())
    } else {
        (old, operation.combined(old, operand))
    };
    let _ = board.write(physical, SIZE as usize, new, 0);
    Ok(old)
}

fn load_reserved<const SIZE: u64>(hart: &mut Hart, board: &mut Board, op: &Op) -> Result<u64, Exception> {
    let address = hart.general[usize::from(op.rs1)];
    let physical = atomic_place::<SIZE>(hart, board, address, Access::Load)?;
    hart.reservation = Some(address);
    Ok(board.read(physical, SIZE as usize, 0).unwrap_or(0))
}

/// Result of `sc`: 0 if it stored. Without a reservation it does not refer to memory at all. Other harts cannot have written
/// since: a reservation does not outlive the turn of its hart.
fn store_conditional<const SIZE: u64>(hart: &mut Hart, board: &mut Board, op: &Op) -> Result<u64, Exception> {
    let address = hart.general[usize::from(op.rs1)];
    if hart.reservation.take() != Some(address) {
        return Ok(1);
    }
    let physical = atomic_place::<SIZE>(hart, board, address, Access::Store)?;
    let _ = board.write(physical, SIZE as usize, hart.general[usize::from(op.rs2)], 0);
    Ok(0)
}

/// Reads and writes a control register; `None` if that is illegal.
fn control(hart: &mut Hart, op: &Op) -> Option<()> {
    use Operation as O;
    let number = op.immediate;
    let is_number = matches!(op.operation, O::Csrrwi | O::Csrrsi | O::Csrrci);
    let replaces = matches!(op.operation, O::Csrrw | O::Csrrwi);
    let clears = matches!(op.operation, O::Csrrc | O::Csrrci);
    let writes = replaces || op.rs1 != 0;
    let old = hart.control.read(number, writes, hart.counters_for(number))?;
    if writes {
        let operand = if is_number { op.rs1.into() } else { hart.general[usize::from(op.rs1)] };
        let new = match (replaces, clears) {
            (true, _) => operand,
            (_, true) => old & !operand,
            _ => old | operand,
        };
        let (tables, reads_code) = (hart.control.translation, hart.control.may_read_code());
        hart.control.write(number, new);
        if hart.control.translation != tables || hart.control.may_read_code() != reads_code {
            hart.flush_translations();
        }
    }
    hart.general[usize::from(op.rd)] = old;
    Some(())
}

/// An operation of the floating-point unit; `None` if it is illegal.
fn float(hart: &mut Hart, op: &Op) -> Option<()> {
    if !hart.control.float_is_on() {
        return None;
    }
    let register = |number: usize| hart.float[number & 31];
    let operands = Operands {
        floats: [register(op.rs1.into()), register(op.rs2.into()), register(third_source(op.immediate))],
        general: hart.general[usize::from(op.rs1)],
        rounding: hart.control.rounding(),
    };
    let (outcome, flags) = compute(op.operation, op.immediate, &operands)?;
    match outcome {
        Outcome::Float(value) => {
            hart.float[usize::from(op.rd & 31)] = value;
            hart.control.note_float_change();
        }
        Outcome::General(value) if op.rd != 0 => hart.general[usize::from(op.rd & 31)] = value,
        Outcome::General(_) => {}
    }
    if flags != 0 {
        hart.control.add_float_flags(flags);
    }
    Some(())
}
