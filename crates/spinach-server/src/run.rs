//! Execution of a hart from block to block.

use spinach_isa::architecture::Architecture;
use spinach_isa::blocks::{Block, Blocks};
use spinach_isa::riscv::RiscV;
use spinach_isa::riscv::supervisor::{Control, Exception, cause};
use spinach_isa::riscv::translation::{Access, translate};

use crate::board::Board;
use crate::chain::{Chain, Part};
use crate::execute;
use crate::hart::{Hart, JUMPS, Jump, NO_JUMP, Op};
use crate::memory::{Memory, PAGE_BYTES};
use crate::others::Left;
use crate::steps::Step;
use crate::timed::{Ran, Timing};

/// Maximum number of instructions of a block.
const BLOCK: usize = 64;
/// Register that takes the writes to register 0.
const SINK: u8 = 32;
const SET: RiscV<u64> = RiscV::server();

/// Reason why a hart stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Its time has passed.
    Time,
    /// Its time has passed, and it waits for an interrupt.
    Waits,
    /// A device delays the answer to its load.
    Held,
    /// It calls the firmware; the call is executed already.
    Calls,
    /// Its memory holds code that was written: the machine has to update decoded code.
    Look,
    /// A stop condition may come next.
    Stopped,
}

impl Hart {
    /// Executes until a time, or until the machine must act.
    pub(crate) fn run<T: Timing>(
        &mut self,
        board: &mut Board,
        blocks: &mut Blocks<Op>,
        timing: &mut T,
        until: u64,
    ) -> Stop {
        loop {
            for page in board.memory.take_rewritten() {
                blocks.drop_page(page);
            }
            if board.take_touched() {
                return Stop::Look;
            }
            self.mmu.follow(&board.memory);
            let budget = match self.prepare(board, until) {
                Ok(None) => continue,
                Ok(Some(budget)) => budget,
                Err(stop) => return stop,
            };
            self.mmu.set_mode(&self.control);
            match self.execute(board, blocks, timing, budget) {
                Left::Normally => board.forget_asked(),
                Left::Calls => return Stop::Calls,
                Left::Held => return Stop::Held,
                Left::Stopped => return Stop::Stopped,
                Left::Waits => self.waits = true,
            }
        }
    }

    /// Takes an interrupt or waits for one, unless a block is interrupted by a stop condition; returns the cycles until the next
    /// event, `None` if it has waited.
    fn prepare(&mut self, board: &mut Board, until: u64) -> Result<Option<u64>, Stop> {
        if self.rest > 0 {
            return Ok(Some(u64::MAX));
        }
        self.count();
        let overflows = self.overflow();
        let ticks = self.counters().ticks;
        if self.waits {
            self.waits = !self.control.is_woken(ticks);
        }
        if !board.is_asking()
            && let Some(number) = self.control.interrupt(ticks)
        {
            board.forget_asked();
            self.pc = self.control.enter_interrupt(number, self.pc);
            self.other_cycles = self.other_cycles.wrapping_add(1);
            self.count();
        }
        let until_overflow = until.min(overflows);
        let wakes = if self.control.awaits_timer() && self.control.timer > ticks {
            self.timer_at().min(until_overflow)
        } else {
            until_overflow
        };
        let time = self.time();
        if time >= until {
            return Err(if self.waits { Stop::Waits } else { Stop::Time });
        }
        if self.waits {
            let wakes = if self.control.awaits_timer() { self.timer_at() } else { u64::MAX };
            self.wait_until(wakes.min(until));
            return Ok(None);
        }
        Ok(Some(wakes - time))
    }

    /// Executes at least one and at most `limit` instructions, as long as only instructions matter.
    fn execute<T: Timing>(
        &mut self,
        board: &mut Board,
        blocks: &mut Blocks<Op>,
        timing: &mut T,
        budget: u64,
    ) -> Left {
        let last = self.instructions.saturating_add(budget);
        // A block that a stop condition has interrupted ends first, without a limit; then the time of the next event counts again.
        let wakes = if self.rest > 0 { 0 } else { self.time().saturating_add(budget) };
        loop {
            let left = last.saturating_sub(self.instructions) as usize;
            if left == 0 {
                return Left::Normally;
            }
            let pc = self.pc;
            self.follow_blocks(blocks);
            let context = self.context | self.control.privilege as u64;
            let jump = *self.jump(pc);
            let number = if jump.pc == pc && jump.context == context {
                jump.block
            } else {
                match self.find(board, blocks) {
                    Ok(Found::Block(number)) => {
                        // The arena may have been emptied.
                        self.follow_blocks(blocks);
                        self.jumps[(pc >> 1) as usize % JUMPS] = Jump { pc, context, block: number };
                        self.mmu.follow(&board.memory);
                        number
                    }
                    Ok(Found::Crossing(op, place)) => {
                        if timing.allowed(self, &[op]) == 0 {
                            return Left::Stopped;
                        }
                        let part = Part { block: &Block::unlinked(op.bytes.into()), ops: &[op] };
                        let chain = Chain { blocks, context, last };
                        let reason = self.execute_block(board, timing, (None, place), part, &[op], &chain);
                        self.rest = 0;
                        if let Some(reason) = self.stops::<T>(board, reason, wakes) {
                            return reason;
                        }
                        continue;
                    }
                    Err(exception) => {
                        self.enter(exception, pc);
                        self.rest = 0;
                        return Left::Normally;
                    }
                }
            };
            let Some(block) = blocks.get(number) else { return Left::Normally };
            let ops = block.ops();
            let allowed = timing.allowed(self, ops);
            if allowed == 0 {
                return Left::Stopped;
            }
            let whole = match (T::IS_ON, self.rest) {
                (false, _) => left,
                (true, 0) => timed_length(ops),
                (true, rest) => rest.min(ops.len()),
            };
            let most = whole.min(allowed);
            let beginning;
            let part = match ops.get(most) {
                None => Part { block, ops },
                Some(next) => {
                    beginning = Block::unlinked(next.offset);
                    Part { block: &beginning, ops: &ops[..most] }
                }
            };
            let number = Some((number, blocks.emptied()));
            let chain = Chain { blocks, context, last };
            let reason = self.execute_block(board, timing, (number, block.place()), part, ops, &chain);
            if T::IS_ON {
                self.rest = if reason.is_none() { whole - most } else { 0 };
            }
            if let Some(reason) = self.stops::<T>(board, reason, wakes) {
                return reason;
            }
        }
    }

    /// Returns the reason to stop after a block, `None` to continue with the next. A timed hart stops at the next event, as its budget
    /// is in cycles, and after each block while a counter of events may overflow; it does not stop within a block.
    #[inline(always)]
    fn stops<T: Timing>(&self, board: &mut Board, reason: Option<Left>, wakes: u64) -> Option<Left> {
        if T::IS_ON && reason.is_none() {
            if self.rest == 0 && (self.time() >= wakes || self.counts_events()) {
                return Some(Left::Normally);
            }
            board.forget_asked();
        }
        reason
    }

    /// Forgets where blocks are if any was dropped.
    #[inline(always)]
    fn follow_blocks(&mut self, blocks: &Blocks<Op>) {
        if self.blocks_generation != blocks.generation() {
            self.blocks_generation = blocks.generation();
            *self.jumps = [NO_JUMP; JUMPS];
        }
    }

    /// Executes the first instructions of a block, and further blocks without an event in between.
    #[inline(always)]
    fn execute_block<'a, T: Timing>(
        &mut self,
        board: &mut Board,
        timing: &mut T,
        (block, place): (Option<(u32, u64)>, usize),
        part: Part<'a>,
        ops: &'a [Op],
        chain: &Chain<'a>,
    ) -> Option<Left> {
        timing.begin(self, board);
        let (instructions, time) = (self.instructions, self.time());
        let since = board.asked_since().unwrap_or(time);
        let ran = Ran { block, ops, pc: self.pc, place, instructions, time, since };
        let reason = execute::run(self, board, timing, part, chain);
        if reason == Some(Left::Held) {
            timing.hold(self, &ran);
        } else {
            timing.end(self, board, &ran);
        }
        reason
    }

    /// The block at the program counter, decoded if it was not.
    fn find(&mut self, board: &mut Board, blocks: &mut Blocks<Op>) -> Result<Found, Exception> {
        let pc = self.pc;
        let place = fetch_place(&self.control, pc, &mut board.memory)?;
        if let Some(number) = blocks.find(place) {
            return Ok(Found::Block(number));
        }
        let mut ops = Vec::with_capacity(BLOCK);
        let mut bytes = 0;
        let room = PAGE_BYTES - place % PAGE_BYTES;
        while ops.len() < BLOCK && bytes < room {
            let parcel = board.memory.read::<2>(place + bytes).unwrap_or(0) as u32;
            let is_long = parcel & 3 == 3;
            if is_long && room - bytes == 2 {
                if !ops.is_empty() {
                    break;
                }
                let next = fetch_place(&self.control, pc.wrapping_add(2), &mut board.memory)?;
                let upper = board.memory.read::<2>(next).unwrap_or(0) as u32;
                return Ok(Found::Crossing(decode(parcel | upper << 16, 0), place));
            }
            let upper =
                if is_long { board.memory.read::<2>(place + bytes + 2).unwrap_or(0) as u32 } else { 0 };
            let op = decode(parcel | upper << 16, bytes as u16);
            bytes += usize::from(op.bytes);
            ops.push(op);
            if execute::ends_block(op.operation) {
                break;
            }
        }
        pair_up(&mut ops);
        board.memory.set_holds_code(place / PAGE_BYTES);
        Ok(Found::Block(blocks.keep(place, ops, bytes as u16)))
    }
}

enum Found {
    Block(u32),
    /// An instruction that lies on two pages, which need not follow each other in memory.
    Crossing(Op, usize),
}

/// Number of instructions of a block that are executed before the time is updated: an instruction that reads the time has to be
/// alone.
#[inline]
fn timed_length(ops: &[Op]) -> usize {
    let reads_time = ops.last().is_some_and(|op| execute::is_control(op.operation));
    ops.len() - usize::from(reads_time && ops.len() > 1)
}

/// Fuses pairs of operations that have a common step; the second operation follows the step of the first.
fn pair_up(mut ops: &mut [Op]) {
    while let [first, second, ..] = ops {
        let pair = Step::pair(first.step, second.step);
        first.step = pair.unwrap_or(first.step);
        ops = &mut ops[1 + usize::from(pair.is_some())..];
    }
}

fn fetch_place(control: &Control, address: u64, memory: &mut Memory) -> Result<usize, Exception> {
    let physical = translate(control, address, Access::Fetch, memory)?;
    memory.place(physical, 2).ok_or(Exception { cause: cause::FETCH_ACCESS, value: address })
}

fn decode(word: u32, offset: u16) -> Op {
    let instruction = SET.decode(word);
    let writes_general = execute::writes_general(instruction.operation);
    let base = if execute::is_relative(instruction.operation) { offset.into() } else { 0 };
    let rd = if writes_general && instruction.rd == 0 { SINK } else { instruction.rd };
    Op {
        operation: instruction.operation,
        rd,
        rs1: instruction.rs1,
        rs2: instruction.rs2,
        immediate: instruction.immediate.wrapping_add(base),
        word: instruction.word,
        offset,
        bytes: RiscV::<u64>::instruction_bytes(word) as u8,
        step: Step::of(instruction.operation),
    }
}
