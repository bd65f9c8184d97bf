//! Blocks of decoded instructions: straight runs that end with a transfer of control, or before an instruction that is executed
//! alone.

use spinach_isa::architecture::Architecture;
use spinach_isa::blocks::{Block, Blocks, PAGE_BYTES};
use spinach_isa::word::Word;

use super::direct_memories::DirectMemories;
use super::step::Step;
use crate::memory::code_lines::{LINE_BYTES, Written};
use crate::memory::loan::Loan;
use crate::processor::accounts::Event;
use crate::processor::decoded::{Decoded, Work, instruction_word};

/// The most instructions of a block.
const LONGEST: usize = 32;
/// Maximum number of blocks kept per memory, including dropped ones, before all is decoded afresh.
const KEPT: usize = 1 << 15;
/// Number of addresses whose block is remembered.
const JUMPS: usize = 1024;

/// Decoded code of a core.
pub(super) struct Code<A: Architecture> {
    architecture: A,
    /// Memories by the number of the lender; only those that hold instructions.
    memories: Vec<Option<Memory<A>>>,
    jumps: Box<[Jump<A>]>,
    /// Changes when blocks are dropped.
    generation: u64,
    touched: Vec<Place>,
    /// Beginnings of blocks that were executed once, with how many instructions.
    parts: Vec<(Place, u32)>,
}

/// Decoded code of a memory.
struct Memory<A: Architecture> {
    blocks: Blocks<Step<A>>,
    uses: Vec<Use<A>>,
    /// The version of the memory's code that is known.
    seen: u64,
}

/// Usage of a block.
struct Use<A: Architecture> {
    /// The address that it is executed at.
    pc: A::Word,
    /// Number of executions since the last accounting.
    times: u32,
    booking: Booking,
}

/// Accounting of a block's execution.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Booking {
    /// Number of its instructions that count as each of the [`EVENTS`].
    pub(super) events: [u8; EVENTS.len()],
    /// The number of the run that it is to the profile, if it is one yet.
    pub(super) run: Option<usize>,
}

/// Events that the instructions of a block may count as.
pub(super) const EVENTS: [Event; 5] = [Event::Load, Event::Store, Event::Atomic, Event::Branch, Event::Jump];

impl Booking {
    fn of<A: Architecture>(steps: &[Step<A>]) -> Self {
        let count = |event: Event| steps.iter().filter(|step| step.op.event == event).count() as u8;
        Self { events: EVENTS.map(count), run: None }
    }
}

/// A block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Place {
    lender: u32,
    number: u32,
}

#[derive(Clone, Copy)]
struct Jump<A: Architecture> {
    pc: A::Word,
    generation: u64,
    place: Place,
}

impl<A: Architecture> Code<A> {
    pub(super) fn new(architecture: A, lenders: usize) -> Self {
        let none = Jump { pc: A::Word::default(), generation: 0, place: Place::default() };
        Self {
            architecture,
            memories: (0..lenders).map(|_| None).collect(),
            jumps: vec![none; JUMPS].into(),
            generation: 1,
            touched: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Forgets everything; nothing may be left to be counted.
    pub(super) fn clear(&mut self) {
        self.memories.iter_mut().for_each(|memory| *memory = None);
        self.touched.clear();
        self.parts.clear();
        self.generation += 1;
    }

    /// The block at `pc`; `None` if no instruction is within reach there.
    #[inline(always)]
    pub(super) fn find(&mut self, pc: A::Word, memories: &mut DirectMemories) -> Option<Place> {
        let jump = &self.jumps[(pc.to_u64() / u64::from(A::PARCEL_BYTES)) as usize % JUMPS];
        if jump.pc == pc && jump.generation == self.generation {
            return Some(jump.place);
        }
        self.search(pc, memories)
    }

    #[inline(never)]
    fn search(&mut self, pc: A::Word, memories: &mut DirectMemories) -> Option<Place> {
        if !pc.is_aligned(A::PARCEL_BYTES) {
            return None;
        }
        let (lender, at, rest) = memories.code_at(pc)?;
        let loan = &mut memories.loans[lender];
        let memory = self.memories[lender].get_or_insert_with(|| Memory::new(loan));
        let known = memory.blocks.find(at).filter(|number| memory.uses[*number as usize].pc == pc);
        let number = match known {
            Some(number) => number,
            None => {
                let room = rest.min((PAGE_BYTES - at % PAGE_BYTES) as u64) as usize;
                memory.decode(self.architecture, loan, at, room, pc)?
            }
        };
        let place = Place { lender: lender as u32, number };
        self.jumps[(pc.to_u64() / u64::from(A::PARCEL_BYTES)) as usize % JUMPS] =
            Jump { pc, generation: self.generation, place };
        Some(place)
    }

    /// Drops everything if that is much, and returns true then. To be called while nothing is left to be counted.
    pub(super) fn make_room(&mut self) -> bool {
        let is_full = self.memories.iter().flatten().any(|memory| memory.uses.len() >= KEPT);
        if is_full {
            self.clear();
        }
        is_full
    }

    /// The instructions of a block.
    #[inline(always)]
    pub(super) fn block(&self, place: Place) -> &[Step<A>] {
        let memory = self.memories[place.lender as usize].as_ref();
        memory.map_or(&[], |memory| steps_of(&memory.blocks, place.number))
    }

    /// The address at which a block is executed.
    pub(super) fn pc(&self, place: Place) -> A::Word {
        self.memories[place.lender as usize]
            .as_ref()
            .map_or_else(A::Word::default, |memory| memory.uses[place.number as usize].pc)
    }

    /// Notes `times` executions of the whole block, to be accounted for later.
    #[inline(always)]
    pub(super) fn note_uses(&mut self, place: Place, times: u32) {
        if let Some(memory) = &mut self.memories[place.lender as usize] {
            let uses = &mut memory.uses[place.number as usize].times;
            if *uses == 0 && times > 0 {
                self.touched.push(place);
            }
            *uses += times;
        }
    }

    /// The same of its first instructions.
    pub(super) fn note_part(&mut self, place: Place, count: usize) {
        self.parts.push((place, count as u32));
    }

    /// Passes on each beginning of a block that was executed since the last call: its address and its instructions.
    pub(super) fn take_parts(&mut self, mut tell: impl FnMut(A::Word, &[Step<A>])) {
        for (place, count) in std::mem::take(&mut self.parts) {
            tell(self.pc(place), &self.block(place)[..count as usize]);
        }
    }

    /// The same of whole blocks, and how they are counted.
    pub(super) fn take_uses(&mut self, mut tell: impl FnMut(A::Word, &[Step<A>], &mut Booking, u64)) {
        for place in self.touched.drain(..) {
            if let Some(memory) = &mut self.memories[place.lender as usize] {
                let Use { pc, times, booking } = &mut memory.uses[place.number as usize];
                let times = u64::from(std::mem::take(times));
                tell(*pc, steps_of(&memory.blocks, place.number), booking, times);
            }
        }
    }

    /// Drops decoded instructions that have been written since.
    pub(super) fn follow_writes(&mut self, memories: &mut DirectMemories) {
        memories.has_rewritten = false;
        for (memory, loan) in self.memories.iter_mut().zip(&memories.loans) {
            if let Some(memory) = memory
                && memory.follow_writes(loan)
            {
                self.generation += 1;
            }
        }
    }
}

impl<A: Architecture> Memory<A> {
    fn new(loan: &Loan) -> Self {
        let pages = loan.storage.len().div_ceil(PAGE_BYTES);
        Self { blocks: Blocks::new(pages, usize::MAX), uses: Vec::new(), seen: 0 }
    }

    /// Says whether any block was dropped.
    fn follow_writes(&mut self, loan: &Loan) -> bool {
        let code = loan.storage.code();
        let version = code.map_or(0, crate::memory::code_lines::CodeLines::version);
        if version == self.seen {
            return false;
        }
        match code.map_or(Written::Unknown, |code| code.written_since(self.seen)) {
            Written::Lines(lines) => {
                for line in lines {
                    self.blocks.drop_range(*line as usize * LINE_BYTES, LINE_BYTES);
                }
            }
            Written::Unknown => self.blocks.drop_all(),
        }
        self.seen = version;
        true
    }

    /// Decodes and keeps the block at `place`, of which at most `room` bytes can be used.
    fn decode(
        &mut self,
        architecture: A,
        loan: &mut Loan,
        place: usize,
        room: usize,
        pc: A::Word,
    ) -> Option<u32> {
        let mut ops: Vec<Decoded<A>> = Vec::with_capacity(LONGEST);
        let mut bytes = 0;
        let next = |bytes: usize| {
            let decoded =
                Decoded::new(word_at::<A>(loan, place + bytes, room.saturating_sub(bytes))?, architecture);
            (bytes + decoded.bytes() as usize <= room).then_some(decoded)
        };
        while let Some(op) = next(bytes) {
            if ops.len() + 2 > LONGEST || !runs_in_block(&op) {
                break;
            }
            let after = bytes + op.bytes() as usize;
            if !op.transfers_control() {
                ops.push(op);
                bytes = after;
                continue;
            }
            if !A::HAS_DELAY_SLOTS {
                ops.push(op);
                bytes = after;
            } else if let Some(slot) = next(after)
                && runs_in_block(&slot)
                && !slot.transfers_control()
            {
                ops.extend([op, slot]);
                bytes = after + slot.bytes() as usize;
            }
            break;
        }
        // An empty block represents an instruction that is executed alone.
        let covered = bytes.max(A::PARCEL_BYTES as usize).min(room.max(1));
        loan.storage.note_decoded(place, covered);
        if self.seen == 0 {
            self.seen = loan.storage.code().map_or(0, crate::memory::code_lines::CodeLines::version);
        }
        let mut offset = 0;
        let steps = ops.into_iter().map(|op| {
            let at = offset;
            offset += op.bytes();
            Step::new(op, at)
        });
        let number = self.blocks.keep(place, steps, covered as u16);
        let booking = Booking::of(steps_of(&self.blocks, number));
        self.uses.push(Use { pc, times: 0, booking });
        Some(number)
    }
}

/// The instructions of a block.
#[inline(always)]
fn steps_of<A: Architecture>(blocks: &Blocks<Step<A>>, number: u32) -> &[Step<A>] {
    blocks.get(number).map_or(&[], Block::ops)
}

/// The word of the instruction at a place, with at most `room` bytes to it.
pub(super) fn word_at<A: Architecture>(loan: &Loan, place: usize, room: usize) -> Option<u32> {
    if A::PARCEL_BYTES == 4 {
        let word = if room >= 4 { loan.storage.load_fixed::<4>(place)? } else { return None };
        return Some(instruction_word::<A>(word));
    }
    let parcel = |at: usize| loan.storage.load_fixed::<2>(at).map(|parcel| parcel as u32);
    let first = if room >= 2 { parcel(place)? } else { return None };
    if A::instruction_bytes(first) == 2 {
        return Some(first);
    }
    let second = if room >= 4 { parcel(place + 2)? } else { return None };
    Some(first | second << 16)
}

/// True if an instruction can be executed within a block: no other module has to be in step with it, and its successors depend
/// only on registers.
fn runs_in_block<A: Architecture>(op: &Decoded<A>) -> bool {
    match op.work {
        Work::Calculate(_) | Work::Load(_) | Work::Store(_) => true,
        Work::Branch(_)
        | Work::LikelyBranch(_)
        | Work::IndirectJump
        | Work::IndirectBranch(_)
        | Work::DirectJump => true,
        Work::Multiplier | Work::Plain => !A::changes_interrupts(&op.instruction()),
        // Of some architectures, one instruction may make several references.
        Work::Awaited | Work::Posted => !A::HAS_RUNS,
        Work::Barrier | Work::InstructionBarrier => false,
        Work::ExceptionReturn | Work::Unfetched => false,
    }
}

/// Time at which an instruction that is executed alone may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// Ahead of its cycle, as most do. It reads clocks as they will be in its cycle.
    Ahead,
    /// The same, if there is room for the next instruction at the same edge: it sets the link that a conditional store depends on.
    AheadWithRoom,
    /// Only in its cycle, because it may decide whether an interrupt is taken.
    InItsCycle,
}

impl Moment {
    pub(super) fn of<A: Architecture>(op: &Decoded<A>) -> Self {
        use spinach_isa::instruction_set::{DecodedInstruction, Direction};
        match op.work {
            Work::ExceptionReturn => Self::InItsCycle,
            Work::Multiplier | Work::Plain if A::changes_interrupts(&op.instruction()) => Self::InItsCycle,
            Work::Awaited => {
                let memory = op.instruction().memory();
                let links = memory.is_some_and(|memory| memory.linked && memory.direction == Direction::Load);
                if links { Self::AheadWithRoom } else { Self::Ahead }
            }
            _ => Self::Ahead,
        }
    }
}
