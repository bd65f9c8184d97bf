//! Execution of decoded blocks.
//!
//! Semantics are those of [`spinach_isa::riscv`]; this module reads operands and writes results. Operations that need more of the
//! hart than registers and memory are in [`others`](crate::others).

use spinach_isa::blocks::Way;
use spinach_isa::riscv::{AluFunction, Condition, Operation, calculate, holds};

use crate::board::Board;
use crate::chain::{Chain, Part};
use crate::hart::Hart;
use crate::others::{self, Left};
use crate::steps::{Step, loop_operations};
use crate::timed::Timing;

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

/// True if the immediate of an operation is relative to its address.
pub(crate) fn is_relative(operation: Operation) -> bool {
    use Operation as O;
    matches!(operation, O::Auipc | O::Jal | O::Beq | O::Bne | O::Blt | O::Bge | O::Bltu | O::Bgeu)
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
    Part { mut block, mut ops }: Part<'a>,
    chain: &Chain<'a>,
) -> Option<Left> {
    let mut start = hart.pc;
    // Number of instructions after this block until the hart has to stop. The hart counts its instructions where it leaves.
    let mut left = chain.last.wrapping_sub(hart.instructions).wrapping_sub(ops.len() as u64);
    'blocks: loop {
        macro_rules! follow {
            ($pc:expr, $way:expr) => {{
                let pc = $pc;
                follow!(pc => chain.next(hart, (block, start), pc, $way))
            }};
            ($pc:ident => $next:expr) => {{
                if T::CHAINS
                    && let Some(next) = $next
                    && let Some(after) = left.checked_sub(next.ops().len() as u64)
                {
                    (block, ops, start, left) = (next, next.ops(), $pc, after);
                    continue 'blocks;
                }
                settle(hart, $pc, chain.last, (left, 0));
                return None;
            }};
        }
        let mut rest = ops.iter();
        while let Some(mut op) = rest.next() {
            macro_rules! x {
                ($field:ident) => {
                    hart.general[usize::from(op.$field)]
                };
            }
            macro_rules! immediate {
                () => {
                    op.immediate as i32 as u64
                };
            }
            macro_rules! next {
                () => {
                    start.wrapping_add(op.offset.into()).wrapping_add(op.bytes.into())
                };
            }
            // Has the hart at this instruction.
            macro_rules! settle {
                () => {
                    settle(hart, start.wrapping_add(op.offset.into()), chain.last, (left, rest.len() + 1));
                };
            }
            macro_rules! leave_if {
                ($result:expr) => {
                    match $result {
                        Ok(value) => value,
                        Err(reason) => return Some(reason),
                    }
                };
            }
            macro_rules! load {
                ($size:literal) => {{
                    let address = x!(rs1).wrapping_add(immediate!());
                    let place = hart.mmu.load_place::<$size>(address);
                    if let Some(value) = place.and_then(|place| board.memory.read_aligned::<$size>(place)) {
                        timing.refer(address, place);
                        value
                    } else {
                        settle!();
                        leave_if!(others::load(hart, board, timing, op, (address, $size)))
                    }
                }};
            }
            macro_rules! store {
                ($size:literal) => {{
                    let (address, value) = (x!(rs1).wrapping_add(immediate!()), x!(rs2));
                    let place = hart.mmu.store_place::<$size>(address);
                    if place.and_then(|place| board.memory.write_aligned::<$size>(place, value)).is_some() {
                        timing.refer(address, place);
                    } else {
                        settle!();
                        leave_if!(others::store(hart, board, timing, op, (address, $size), value));
                    }
                }};
            }
            macro_rules! execute {
                (
                    registers { $($rr:ident $rr_function:ident;)* }
                    immediates { $($ri:ident $ri_function:ident;)* }
                    branches { $($branch:ident $condition:ident;)* }
                    loads { $($load:ident $load_size:literal;)* }
                    signed_loads { $($signed:ident $signed_size:literal $type:ident;)* }
                    stores { $($store:ident $store_size:literal;)* }
                    others { $($other:ident;)* }
                    pairs { $($pair:ident $first:ident $second:ident;)* }
                ) => {
                    macro_rules! perform {
                        $(($rr) => { x!(rd) = calculate(AluFunction::$rr_function, x!(rs1), x!(rs2)) };)*
                        $(($ri) => { x!(rd) = calculate(AluFunction::$ri_function, x!(rs1), immediate!()) };)*
                        $(($branch) => {
                            if holds(Condition::$condition, x!(rs1), x!(rs2)) {
                                follow!(start.wrapping_add(immediate!()), Way::Jump);
                            }
                        };)*
                        $(($load) => { x!(rd) = load!($load_size) };)*
                        $(($signed) => { x!(rd) = load!($signed_size) as $type as u64 };)*
                        $(($store) => { store!($store_size) };)*
                        (Lui) => { x!(rd) = immediate!() };
                        (Auipc) => { x!(rd) = start.wrapping_add(immediate!()) };
                        (Jal) => {{
                            x!(rd) = next!();
                            follow!(start.wrapping_add(immediate!()), Way::Jump);
                        }};
                        (Jalr) => {{
                            let target = x!(rs1).wrapping_add(immediate!()) & !1;
                            x!(rd) = next!();
                            follow!(target => chain.look_up(hart, target).map(|(_, next)| next));
                        }};
                    }
                    match op.step {
                        $(Step::$rr => perform!($rr),)*
                        $(Step::$ri => perform!($ri),)*
                        $(Step::$branch => perform!($branch),)*
                        $(Step::$load => perform!($load),)*
                        $(Step::$signed => perform!($signed),)*
                        $(Step::$store => perform!($store),)*
                        $(Step::$other => perform!($other),)*
                        $(Step::$pair => {
                            perform!($first);
                            // The part may end between the two.
                            let Some(second) = rest.next() else { break };
                            op = second;
                            perform!($second);
                        })*
                        Step::Float => {
                            if others::float(hart, op).is_none() {
                                settle!();
                                return Some(others::raise_illegal(hart, op));
                            }
                        }
                        Step::Other => {
                            settle!();
                            leave_if!(others::execute(hart, board, timing, op));
                        }
                    }
                };
            }
            loop_operations! { execute }
        }
        let bytes = block.bytes();
        follow!(start.wrapping_add(bytes.into()), Way::On);
    }
}

/// Has the hart at an instruction, with the last ones of its block and `left` others before it has to stop. This is a function so
/// that the loop does not compute it in advance.
#[cold]
#[inline(never)]
fn settle(hart: &mut Hart, pc: u64, last: u64, (left, of_block): (u64, usize)) {
    (hart.pc, hart.instructions) = (pc, last.wrapping_sub(left).wrapping_sub(of_block as u64));
}
