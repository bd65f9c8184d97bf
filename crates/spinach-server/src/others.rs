//! Operations that need more of the hart than registers and remembered pages.
//!
//! The hart is at the instruction. `Ok` if the next instruction of the block follows; otherwise the hart has advanced, and leaves the
//! block.

use spinach_isa::atomic::AtomicOperation;
use spinach_isa::riscv::Operation;
use spinach_isa::riscv::float::{Operands, Outcome, boxed, compute, third_source};
use spinach_isa::riscv::supervisor::{Exception, Privilege, cause};
use spinach_isa::riscv::translation::Access;

use crate::board::Board;
use crate::calls;
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

/// Executes an operation that the loop has no step for.
#[inline(never)]
pub(crate) fn execute<T: Timing>(
    hart: &mut Hart,
    board: &mut Board,
    timing: &mut T,
    op: &Op,
) -> Result<(), Left> {
    macro_rules! x {
        ($field:ident) => {
            hart.general[usize::from(op.$field)]
        };
    }
    macro_rules! leave {
        ($pc:expr, $reason:expr) => {{
            (hart.pc, hart.instructions) = ($pc, hart.instructions + 1);
            return Err($reason);
        }};
    }
    macro_rules! next {
        () => {
            hart.pc.wrapping_add(op.bytes.into())
        };
    }
    macro_rules! raise {
        ($exception:expr) => {
            return Err(raised(hart, $exception))
        };
    }
    macro_rules! refer {
        ($result:expr, $place:ident) => {{
            let address = x!(rs1);
            let result = match $result {
                Ok(value) => value,
                Err(exception) => raise!(exception),
            };
            timing.refer(address, hart.mmu.$place::<1>(address));
            result
        }};
    }
    macro_rules! look {
        () => {
            if board.needs_attention() {
                leave!(next!(), Left::Normally);
            }
        };
    }
    macro_rules! atomic {
        ($size:literal, $operation:ident) => {{
            x!(rd) = refer!(atomic::<$size>(hart, board, op, AtomicOperation::$operation), store_place);
            look!();
        }};
    }
    macro_rules! operations {
        (atomics { $($word:ident $double:ident $atomic:ident;)* } $($rest:tt)*) => {
            match op.operation {
                $(Operation::$word => atomic!(4, $atomic),
                Operation::$double => atomic!(8, $atomic),)*
                $($rest)*
            }
        };
    }
    operations! {
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
        Operation::Flw | Operation::Fld | Operation::Fsw | Operation::Fsd if !hart.control.float_is_on() => {
            raise!(illegal(op));
        }
        Operation::Flw => {
            let value = load_float::<4, T>(hart, board, timing, op)?;
            hart.float[usize::from(op.rd & 31)] = boxed(value as u32);
            hart.control.note_float_change();
        }
        Operation::Fld => {
            let value = load_float::<8, T>(hart, board, timing, op)?;
            hart.float[usize::from(op.rd & 31)] = value;
            hart.control.note_float_change();
        }
        Operation::Fsw => store_float::<4, T>(hart, board, timing, op)?,
        Operation::Fsd => store_float::<8, T>(hart, board, timing, op)?,
        Operation::LrW => x!(rd) = refer!(load_reserved::<4>(hart, board, op), load_place) as i32 as u64,
        Operation::LrD => x!(rd) = refer!(load_reserved::<8>(hart, board, op), load_place),
        Operation::ScW => {
            x!(rd) = refer!(store_conditional::<4>(hart, board, op), load_place);
            look!();
        }
        Operation::ScD => {
            x!(rd) = refer!(store_conditional::<8>(hart, board, op), load_place);
            look!();
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
        Operation::Ebreak => raise!(Exception { cause: cause::BREAKPOINT, value: hart.pc }),
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
            if is_early::<T>(hart, op) {
                return Err(Left::Normally);
            }
            match control(hart, op) {
                Some(()) => leave!(next!(), Left::Normally),
                None => raise!(illegal(op)),
            }
        }
        _ => raise!(illegal(op)),
    }
    Ok(())
}

/// Enters the handler of an illegal instruction.
pub(crate) fn raise_illegal(hart: &mut Hart, op: &Op) -> Left {
    raised(hart, illegal(op))
}

/// Enters the handler of an exception.
fn raised(hart: &mut Hart, exception: Exception) -> Left {
    hart.enter(exception, hart.pc);
    Left::Normally
}

/// True if an instruction has to wait for the beginning of a block: one that may access a device or reads a counter executes at the
/// exact time.
fn is_early<T: Timing>(hart: &Hart, op: &Op) -> bool {
    T::IS_ON && (op.offset > 0 || hart.rest > 0)
}

/// A load at an address that is not aligned, or whose page the hart does not remember.
#[cold]
#[inline(never)]
pub(crate) fn load<T: Timing>(
    hart: &mut Hart,
    board: &mut Board,
    timing: &mut T,
    op: &Op,
    (address, size): (u64, usize),
) -> Result<u64, Left> {
    if is_early::<T>(hart, op) {
        return Err(Left::Normally);
    }
    let time = hart.time();
    let Hart { mmu, control, .. } = hart;
    let loaded = mmu.load(control, board, (address, size), time);
    let value = loaded.map_err(|exception| raised(hart, exception))?;
    if board.take_held() {
        return Err(Left::Held);
    }
    timing.refer(address, hart.mmu.load_place::<1>(address));
    if board.needs_attention() {
        finish_load(hart, op, value);
        hart.pc = hart.pc.wrapping_add(op.bytes.into());
        hart.instructions += 1;
        return Err(Left::Normally);
    }
    Ok(value)
}

/// The same for a store.
#[cold]
#[inline(never)]
pub(crate) fn store<T: Timing>(
    hart: &mut Hart,
    board: &mut Board,
    timing: &mut T,
    op: &Op,
    (address, size): (u64, usize),
    value: u64,
) -> Result<(), Left> {
    if is_early::<T>(hart, op) {
        return Err(Left::Normally);
    }
    let time = hart.time();
    let Hart { mmu, control, .. } = hart;
    let stored = mmu.store(control, board, (address, size), value, time);
    stored.map_err(|exception| raised(hart, exception))?;
    if board.take_held() {
        return Err(Left::Held);
    }
    timing.refer(address, hart.mmu.store_place::<1>(address));
    if board.needs_attention() {
        hart.pc = hart.pc.wrapping_add(op.bytes.into());
        hart.instructions += 1;
        return Err(Left::Normally);
    }
    Ok(())
}

#[inline(always)]
fn load_float<const SIZE: usize, T: Timing>(
    hart: &mut Hart,
    board: &mut Board,
    timing: &mut T,
    op: &Op,
) -> Result<u64, Left> {
    let address = hart.general[usize::from(op.rs1)].wrapping_add(op.immediate as i32 as u64);
    let place = hart.mmu.load_place::<SIZE>(address);
    match place.and_then(|place| board.memory.read_aligned::<SIZE>(place)) {
        Some(value) => {
            timing.refer(address, place);
            Ok(value)
        }
        None => load(hart, board, timing, op, (address, SIZE)),
    }
}

#[inline(always)]
fn store_float<const SIZE: usize, T: Timing>(
    hart: &mut Hart,
    board: &mut Board,
    timing: &mut T,
    op: &Op,
) -> Result<(), Left> {
    let address = hart.general[usize::from(op.rs1)].wrapping_add(op.immediate as i32 as u64);
    let value = hart.float[usize::from(op.rs2 & 31)];
    let place = hart.mmu.store_place::<SIZE>(address);
    if place.and_then(|place| board.memory.write_aligned::<SIZE>(place, value)).is_some() {
        timing.refer(address, place);
        return Ok(());
    }
    store(hart, board, timing, op, (address, SIZE), value)
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
fn atomic_place<const SIZE: usize>(
    hart: &mut Hart,
    board: &mut Board,
    address: u64,
    access: Access,
) -> Result<u64, Exception> {
    if address & (SIZE as u64 - 1) != 0 {
        let number = if access == Access::Load { cause::LOAD_MISALIGNED } else { cause::STORE_MISALIGNED };
        return Err(Exception { cause: number, value: address });
    }
    let physical = hart.mmu.translate(&hart.control, address, access, &mut board.memory)?;
    match board.memory.place(physical, SIZE) {
        Some(_) => Ok(physical),
        None => Err(access.access_fault(address)),
    }
}

fn atomic<const SIZE: usize>(
    hart: &mut Hart,
    board: &mut Board,
    op: &Op,
    operation: AtomicOperation,
) -> Result<u64, Exception> {
    let [address, operand] = [op.rs1, op.rs2].map(|register| hart.general[usize::from(register)]);
    let physical = match hart.mmu.store_place::<SIZE>(address) {
        Some(place) => board.memory.base() + place as u64,
        None => atomic_place::<SIZE>(hart, board, address, Access::Store)?,
    };
    let old = board.read(physical, SIZE, 0).unwrap_or(0);
    let (old, new) = if SIZE == 4 {
        let new = operation.combined(old as u32, operand as u32);
        (old as i32 as u64, new.into())
    } else {
        (old, operation.combined(old, operand))
    };
    let _ = board.write(physical, SIZE, new, 0);
    Ok(old)
}

fn load_reserved<const SIZE: usize>(hart: &mut Hart, board: &mut Board, op: &Op) -> Result<u64, Exception> {
    let address = hart.general[usize::from(op.rs1)];
    let physical = atomic_place::<SIZE>(hart, board, address, Access::Load)?;
    hart.reservation = Some(address);
    Ok(board.read(physical, SIZE, 0).unwrap_or(0))
}

/// Result of `sc`: 0 if it stored. Without a reservation it does not refer to memory at all. Other harts cannot have written
/// since: a reservation does not outlive the turn of its hart.
fn store_conditional<const SIZE: usize>(
    hart: &mut Hart,
    board: &mut Board,
    op: &Op,
) -> Result<u64, Exception> {
    let address = hart.general[usize::from(op.rs1)];
    if hart.reservation.take() != Some(address) {
        return Ok(1);
    }
    let physical = atomic_place::<SIZE>(hart, board, address, Access::Store)?;
    let _ = board.write(physical, SIZE, hart.general[usize::from(op.rs2)], 0);
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
pub(crate) fn float(hart: &mut Hart, op: &Op) -> Option<()> {
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
