//! Debugger stop conditions: instructions at addresses, references to bytes, and steps.
//!
//! A hart stops before an instruction, which has had no effect yet. The machine stops in the middle of a turn, and continues from
//! there unaffected: its behaviour is the same as without stop conditions. Addresses are those that harts refer to, through any
//! page tables.

use spinach_isa::debugging::{Hit, Resume, Watched};
use spinach_isa::instruction_set::{Direction, MemoryBehaviour};

use crate::board::Board;
use crate::hart::{Hart, Op};
use crate::timed::{Ran, Timing};

const STACK_POINTER: usize = 2;

/// Stop conditions of a machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watching {
    /// The addresses of instructions, in rising order.
    instructions: Vec<u64>,
    /// Breakpoints for harts that are not stepped.
    breakpoints_in_background: Vec<u64>,
    data: Vec<Watched>,
    harts: Vec<SteppedHart>,
    hit: Option<(usize, Hit)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct SteppedHart {
    is_background: bool,
    step: Option<(u64, u64)>,
    /// True if it has executed a part of its step.
    has_begun: bool,
    /// Program counter and stack pointer at the stop: it does not stop there again before it has continued.
    passes: Option<(u64, u64)>,
    /// Continuation address of the last instruction, or of the resume.
    after: Option<u64>,
    /// Program counter and stack pointer that an interrupt during a step comes back to.
    interrupted: Option<(u64, u64)>,
}

impl Watching {
    /// No stop conditions.
    pub(crate) fn new(harts: usize) -> Self {
        Self { harts: vec![SteppedHart::default(); harts], ..Self::default() }
    }

    /// Sets the stop conditions, and the resume action of each hart.
    pub(crate) fn resume(
        &mut self,
        harts: &[Hart],
        actions: &[Resume],
        mut instructions: Vec<u64>,
        data: Vec<Watched>,
    ) {
        instructions.sort_unstable();
        if !actions.contains(&Resume::Background) {
            self.breakpoints_in_background.clone_from(&instructions);
        }
        (self.instructions, self.data, self.hit) = (instructions, data, None);
        for ((own, action), hart) in self.harts.iter_mut().zip(actions).zip(harts) {
            own.is_background = *action == Resume::Background;
            own.step = match action {
                Resume::Step(start, end) => Some((*start, *end)),
                Resume::Continue | Resume::Background => None,
            };
            (own.has_begun, own.after, own.interrupted) = (false, Some(hart.pc), None);
        }
    }

    /// Hart that hit a stop condition, and the condition.
    pub(crate) fn hit(&self) -> Option<(usize, Hit)> {
        self.hit
    }

    /// True if the step of a hart ends after its last instruction. Then the machine stops.
    pub(crate) fn ends_step(&mut self, number: usize, hart: &Hart) -> bool {
        let is_done = self.harts[number].is_done(hart.pc);
        if is_done {
            self.stop(number, hart, Hit::Step);
        }
        is_done
    }

    fn stop(&mut self, number: usize, hart: &Hart, hit: Hit) {
        self.hit = Some((number, hit));
        self.harts[number].passes = Some(position(hart));
    }

    fn meets(&self, number: usize, hart: &Hart, next: &Op) -> Option<Hit> {
        let own = &self.harts[number];
        if own.passes != Some(position(hart)) {
            if let Some(hit) = self.meets_data(hart, next) {
                return Some(hit);
            }
            if self.instructions_for(number).binary_search(&hart.pc).is_ok() {
                return Some(Hit::Instruction(hart.pc));
            }
        }
        own.is_done(hart.pc).then_some(Hit::Step)
    }

    fn meets_data(&self, hart: &Hart, op: &Op) -> Option<Hit> {
        let behaviour = if self.data.is_empty() { None } else { op.operation.memory() };
        let MemoryBehaviour { direction, size_bytes, linked, .. } = behaviour?;
        let (reads, writes) = (direction != Direction::Store, direction != Direction::Load);
        let has_offset = !linked && direction != Direction::ReadModifyWrite;
        let offset = if has_offset { op.immediate as i32 as u64 } else { 0 };
        let address = hart.general(op.rs1.into()).wrapping_add(offset);
        let meets = |watched: &Watched| {
            let overlaps = address.wrapping_sub(watched.address) < watched.bytes
                || watched.address.wrapping_sub(address) < size_bytes.into();
            overlaps && (reads && watched.reads || writes && watched.writes)
        };
        self.data.iter().position(meets).map(|index| Hit::Data { index, address })
    }

    fn instructions_for(&self, number: usize) -> &[u64] {
        if self.harts[number].is_background { &self.breakpoints_in_background } else { &self.instructions }
    }

    /// Number of these instructions before the next that may stop; 0 for the first.
    fn unwatched(&self, number: usize, pc: u64, ops: &[Op]) -> usize {
        let instructions = self.instructions_for(number);
        let next = instructions.get(instructions.partition_point(|address| *address <= pc));
        let before = next.map_or(ops.len(), |address| {
            ops.partition_point(|op| pc.wrapping_add(op.offset.into()) < *address && *address > pc)
        });
        let refers = |op: &Op| op.operation.memory().is_some();
        let referring = if self.data.is_empty() { None } else { ops.iter().skip(1).position(refers) };
        before.min(referring.map_or(ops.len(), |index| index + 1)).max(1)
    }
}

impl SteppedHart {
    fn is_done(&self, pc: u64) -> bool {
        let is_outside = self.step.is_some_and(|(start, end)| !(start..end).contains(&pc));
        is_outside && self.has_begun && self.interrupted.is_none()
    }
}

fn position(hart: &Hart) -> (u64, u64) {
    (hart.pc, hart.general(STACK_POINTER))
}

/// Timing of harts that are watched.
pub(crate) struct WatchedTiming<'a, T> {
    pub(crate) watching: &'a mut Watching,
    pub(crate) number: usize,
    pub(crate) timing: T,
}

impl<T: Timing> Timing for WatchedTiming<'_, T> {
    const IS_ON: bool = T::IS_ON;

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
            Some(hit) => {
                self.watching.stop(self.number, hart, hit);
                0
            }
            None if steps => 1,
            None => self.watching.unwatched(self.number, pc, ops),
        }
    }

    fn begin(&mut self, hart: &Hart, board: &Board) {
        self.timing.begin(hart, board);
    }

    #[inline(always)]
    fn refer(&mut self, address: u64, place: Option<usize>) {
        self.timing.refer(address, place);
    }

    fn hold(&mut self, hart: &Hart, ran: &Ran<'_>) {
        self.timing.hold(hart, ran);
    }

    fn end(&mut self, hart: &mut Hart, board: &mut Board, ran: &Ran<'_>) {
        self.timing.end(hart, board, ran);
        // An instruction that has to be the first of its block is executed again.
        if hart.instructions == ran.instructions && hart.pc == ran.pc {
            return;
        }
        let own = &mut self.watching.harts[self.number];
        own.passes = own.passes.filter(|(pc, _)| *pc != ran.pc);
        own.has_begun |= own.interrupted.is_none();
        own.after = Some(hart.pc);
    }
}
