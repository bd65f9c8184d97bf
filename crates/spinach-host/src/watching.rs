//! What has a machine stand, for a debugger: instructions at addresses, references to bytes, and steps.
//!
//! A hart stands before an instruction, and nothing of that has happened yet. The machine stands where it is then, in the middle of a
//! turn, and goes on from there as if nothing had been: what it does is the same as without anybody who watches. Addresses are those that
//! harts refer to; whose page tables they go through does not matter.

use spinach_isa::riscv::Operation;

use crate::board::Board;
use crate::hart::{Hart, Op};
use crate::timed::{Ran, Timing};

const STACK_POINTER: usize = 2;

/// Bytes that are watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WatchedBytes {
    /// The first.
    pub address: u64,
    /// How many.
    pub bytes: u64,
    /// Whether loads count.
    pub reads: bool,
    /// Whether stores and atomic operations count.
    pub writes: bool,
}

/// What a hart stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Met {
    /// Its step is done.
    Step,
    /// The instruction at this address, which is watched.
    Instruction(u64),
    /// A reference to bytes that are watched.
    Data {
        /// Which, as an index into what is watched.
        index: usize,
        /// The first byte that the instruction refers to.
        address: u64,
    },
}

/// What a hart is to do when the machine goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Going {
    /// Whatever it does.
    On,
    /// The same, while another takes a step for which breakpoints may be away: it stands at those of before, too.
    Aside,
    /// Up to the next instruction outside of a range of addresses; an empty one holds none. An interrupt that comes in between is
    /// served first.
    Step(u64, u64),
}

/// What is watched of a machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watching {
    /// The addresses of instructions, in rising order.
    instructions: Vec<u64>,
    /// Those of when all harts went on.
    instructions_of_all: Vec<u64>,
    data: Vec<WatchedBytes>,
    harts: Vec<OfHart>,
    stood: Option<(usize, Met)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct OfHart {
    is_aside: bool,
    step: Option<(u64, u64)>,
    /// Whether it has executed anything of its step.
    has_begun: bool,
    /// Program counter and stack pointer where it stood: it does not stand there again before it has gone on.
    passes: Option<(u64, u64)>,
    /// Where the last instruction led, or where it went on.
    after: Option<u64>,
    /// Program counter and stack pointer that an interrupt during a step comes back to.
    interrupted: Option<(u64, u64)>,
}

impl Watching {
    /// Nothing yet.
    pub(crate) fn new(harts: usize) -> Self {
        Self { harts: vec![OfHart::default(); harts], ..Self::default() }
    }

    /// The machine is to go on, each hart like this, and to stand where these instructions and bytes are met.
    pub(crate) fn go_on(
        &mut self,
        harts: &[Hart],
        going: &[Going],
        mut instructions: Vec<u64>,
        data: Vec<WatchedBytes>,
    ) {
        instructions.sort_unstable();
        if !going.contains(&Going::Aside) {
            self.instructions_of_all.clone_from(&instructions);
        }
        (self.instructions, self.data, self.stood) = (instructions, data, None);
        for ((own, going), hart) in self.harts.iter_mut().zip(going).zip(harts) {
            own.is_aside = *going == Going::Aside;
            own.step = match going {
                Going::Step(start, end) => Some((*start, *end)),
                Going::On | Going::Aside => None,
            };
            (own.has_begun, own.after, own.interrupted) = (false, Some(hart.pc), None);
        }
    }

    /// The hart for which the machine stands, and why.
    pub(crate) fn stood(&self) -> Option<(usize, Met)> {
        self.stood
    }

    /// Whether the step of a hart ends where that is after its last instruction. Then the machine stands.
    pub(crate) fn ends_step(&mut self, number: usize, hart: &Hart) -> bool {
        let is_done = self.harts[number].is_done(hart.pc);
        if is_done {
            self.stand(number, hart, Met::Step);
        }
        is_done
    }

    fn stand(&mut self, number: usize, hart: &Hart, met: Met) {
        self.stood = Some((number, met));
        self.harts[number].passes = Some(position(hart));
    }

    fn meets(&self, number: usize, hart: &Hart, next: &Op) -> Option<Met> {
        let own = &self.harts[number];
        if own.passes != Some(position(hart)) {
            if let Some(met) = self.meets_data(hart, next) {
                return Some(met);
            }
            if self.instructions_for(number).binary_search(&hart.pc).is_ok() {
                return Some(Met::Instruction(hart.pc));
            }
        }
        own.is_done(hart.pc).then_some(Met::Step)
    }

    fn meets_data(&self, hart: &Hart, op: &Op) -> Option<Met> {
        let reference = if self.data.is_empty() { None } else { reference(op.operation) };
        let Reference { bytes, reads, writes, has_offset } = reference?;
        let offset = if has_offset { op.immediate as i32 as u64 } else { 0 };
        let address = hart.general(op.rs1.into()).wrapping_add(offset);
        let meets = |watched: &WatchedBytes| {
            let overlaps = address.wrapping_sub(watched.address) < watched.bytes
                || watched.address.wrapping_sub(address) < bytes;
            overlaps && (reads && watched.reads || writes && watched.writes)
        };
        self.data.iter().position(meets).map(|index| Met::Data { index, address })
    }

    fn instructions_for(&self, number: usize) -> &[u64] {
        if self.harts[number].is_aside { &self.instructions_of_all } else { &self.instructions }
    }

    /// How many of these instructions come before the next that may be watched; the first is none.
    fn unwatched(&self, number: usize, pc: u64, ops: &[Op]) -> usize {
        let instructions = self.instructions_for(number);
        let next = instructions.get(instructions.partition_point(|address| *address <= pc));
        let before = next.map_or(ops.len(), |address| {
            ops.partition_point(|op| pc.wrapping_add(op.offset.into()) < *address && *address > pc)
        });
        let refers = |op: &Op| reference(op.operation).is_some();
        let referring = ops.iter().skip(1).position(refers).filter(|_| !self.data.is_empty());
        before.min(referring.map_or(ops.len(), |index| index + 1)).max(1)
    }
}

impl OfHart {
    fn is_done(&self, pc: u64) -> bool {
        let is_outside = self.step.is_some_and(|(start, end)| !(start..end).contains(&pc));
        is_outside && self.has_begun && self.interrupted.is_none()
    }
}

fn position(hart: &Hart) -> (u64, u64) {
    (hart.pc, hart.general(STACK_POINTER))
}

/// Timing of harts that are watched: an instruction takes a cycle.
pub(crate) struct Watched<'a> {
    pub(crate) watching: &'a mut Watching,
    pub(crate) number: usize,
}

impl Timing for Watched<'_> {
    const IS_ON: bool = false;

    fn allowed(&mut self, hart: &Hart, ops: &[Op]) -> usize {
        let (pc, stack_pointer) = position(hart);
        let own = &mut self.watching.harts[self.number];
        if own.step.is_some() {
            own.interrupted = match own.interrupted {
                // An interrupt's handler begins with the stack pointer of what it interrupted.
                None => own.after.filter(|after| *after != pc).map(|after| (after, stack_pointer)),
                interrupted => interrupted.filter(|place| *place != (pc, stack_pointer)),
            };
        }
        let steps = own.step.is_some() && own.interrupted.is_none();
        let Some(first) = ops.first() else { return usize::MAX };
        match self.watching.meets(self.number, hart, first) {
            Some(met) => {
                self.watching.stand(self.number, hart, met);
                0
            }
            None if steps => 1,
            None => self.watching.unwatched(self.number, pc, ops),
        }
    }

    fn begin(&mut self, _: &Hart, _: &Board) {}

    #[inline(always)]
    fn refer(&mut self, _: u64, _: Option<usize>) {}

    fn end(&mut self, hart: &mut Hart, _: &mut Board, ran: &Ran<'_>) {
        let own = &mut self.watching.harts[self.number];
        own.passes = own.passes.filter(|(pc, _)| *pc != ran.pc);
        own.has_begun |= own.interrupted.is_none();
        own.after = Some(hart.pc);
    }
}

/// What an instruction does to memory.
struct Reference {
    bytes: u64,
    reads: bool,
    writes: bool,
    /// Whether its address has an offset to a register.
    has_offset: bool,
}

fn reference(operation: Operation) -> Option<Reference> {
    use Operation as O;
    let loads = |bytes| Reference { bytes, reads: true, writes: false, has_offset: true };
    let stores = |bytes| Reference { bytes, reads: false, writes: true, has_offset: true };
    let both = |bytes| Reference { bytes, reads: true, writes: true, has_offset: false };
    Some(match operation {
        O::Lb | O::Lbu => loads(1),
        O::Lh | O::Lhu => loads(2),
        O::Lw | O::Lwu | O::Flw => loads(4),
        O::Ld | O::Fld => loads(8),
        O::LrW => Reference { writes: false, ..both(4) },
        O::LrD => Reference { writes: false, ..both(8) },
        O::Sb => stores(1),
        O::Sh => stores(2),
        O::Sw | O::Fsw => stores(4),
        O::Sd | O::Fsd => stores(8),
        O::ScW => Reference { reads: false, ..both(4) },
        O::ScD => Reference { reads: false, ..both(8) },
        O::AmoswapW
        | O::AmoaddW
        | O::AmoxorW
        | O::AmoandW
        | O::AmoorW
        | O::AmominW
        | O::AmomaxW
        | O::AmominuW
        | O::AmomaxuW => both(4),
        O::AmoswapD
        | O::AmoaddD
        | O::AmoxorD
        | O::AmoandD
        | O::AmoorD
        | O::AmominD
        | O::AmomaxD
        | O::AmominuD
        | O::AmomaxuD => both(8),
        _ => return None,
    })
}
