//! Everything in the pipelined core that changes from cycle to cycle.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::{Value, ValueType};
use spinach_isa::architecture::Architecture;
use spinach_isa::word::Word;

use super::super::accounts::Cause;
use super::super::data_port::unit_control;
use super::super::decoded::{Decoded, Unit};
use super::super::form::Form;
use super::super::program::{Program, Slot};
use super::super::report::Report;
use super::super::settings::Settings;
use super::super::stop::StopCause;
use super::late_loads::LateLoads;
use crate::values::{Access, Reference, WordAccess, all_enabled};

/// Everything in a pipelined core that changes from cycle to cycle.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C)] // The fields of every cycle come first.
#[serde(bound = "")]
pub struct PipelinedState<A: Architecture> {
    pub(super) fetch: Fetch<A::Word>,
    /// While decode is empty: the address of the oldest instruction that was not issued when the cycle began.
    pub(super) missing: A::Word,
    /// The general registers that a reference which is under way will write, one bit each.
    pub(super) awaited: u64,
    /// Registers that got their values in this cycle, too late for decode.
    pub(super) fresh: u64,
    /// Registers that got their values in the previous cycle, for cores that need to know.
    pub(super) recent: u64,
    /// Registers with loaded values that can be used only from the cycle of [`Self::ready_at`].
    pub(super) cooling: u64,
    /// Number of further slots in which decode stays empty.
    pub(super) held: u32,
    /// The place of the next instruction to arrive.
    pub(super) next: Place,
    pub(super) decode: Option<Place>,
    pub(super) execute: Option<Place>,
    /// The memory stages, the first first. Without a second stage its place stays empty.
    pub(super) memory: [Option<Place>; 2],
    /// Why decode is empty, if it is.
    pub(super) empty_cause: Cause,
    /// True if the fetch of this cycle lies on a wrong path.
    pub(super) wrong_path: bool,
    /// True if the next instruction to issue is in a delay slot.
    pub(super) follows_branch: bool,
    /// True if an exception is in the memory stages, or with two of them an instruction barrier; nothing is issued then.
    pub(super) exception_pending: bool,
    /// True if a reference is presented: the oldest in the store buffer, else that of the first memory stage. Follows from their
    /// content and the number of outstanding references.
    pub(super) presents_data: bool,
    /// The reference that is presented, if one is.
    pub(super) presented: WordReference<A::Word>,
    /// The reference of the instruction in the first memory stage, if it was not taken yet.
    pub(super) reference: WordReference<A::Word>,
    /// The first cycle in which the multiplier can be used.
    pub(super) multiplier_ready_at: u64,
    /// References that the memory has taken and not answered.
    pub(super) outstanding: OutstandingReferences<A::Word>,
    /// Stores that the memory refused, with the addresses of their instructions, oldest first.
    pub(super) store_buffer: VecDeque<(A::Word, WordReference<A::Word>)>,
    /// Loads that have left the memory stage before their answers came.
    pub(super) late: LateLoads<A>,
    /// The first cycle in which an instruction may be issued, given the executing ones.
    pub(super) issue_from: u64,
    /// Registers, end, history, profile.
    pub program: Program<A>,
    /// The instructions in the pipeline. The stages hold places in this table, so that moving on copies nothing.
    pub(super) flights: [Flight<A>; FLIGHTS],
    /// Why those that have failed cannot complete.
    pub(super) failures: [StopCause<A>; FLIGHTS],
    pub(super) ready_at: [[u64; 32]; 2],
    pub(super) report: Report,
    /// Buffer for instructions shorter than the fetched words: the half of a word that has arrived and belongs to the next instruction
    /// to arrive.
    pub(super) parcel: Option<u16>,
}

impl<A: Architecture> PipelinedState<A> {
    /// The word to fetch next.
    #[inline(always)]
    pub(super) fn fetch_address(&self) -> A::Word {
        if A::PARCEL_BYTES == 4 {
            return self.fetch.pc;
        }
        let missing = if self.parcel.is_some() { self.fetch.pc.plus(2) } else { self.fetch.pc };
        missing & !A::Word::from_u64(3)
    }

    /// True if the next instruction came with the one before it.
    #[inline(always)]
    pub(super) fn has_short_instruction(&self) -> bool {
        A::PARCEL_BYTES != 4 && self.parcel.is_some_and(|parcel| A::instruction_bytes(parcel.into()) == 2)
    }

    #[inline]
    pub(super) fn flight(&self, place: Place) -> &Flight<A> {
        &self.flights[place as usize]
    }

    /// First cycle in which the value of a cooling register can be used.
    pub(super) fn ready_at(&mut self, register: u8) -> &mut u64 {
        &mut self.ready_at[usize::from(register >> 5 & 1)][usize::from(register & 31)]
    }

    /// Counts a cycle for an instruction.
    #[inline(always)]
    pub(super) fn book<F: Form>(&mut self, counters: &mut [u64], account: (Cause, A::Word)) {
        let completed_in = if F::IS_FREE { None } else { self.late.context_of(account) };
        self.program.book_in::<F>(counters, account, completed_in);
    }

    /// Counts `cycles` cycles for an instruction.
    pub(super) fn book_many(&mut self, counters: &mut [u64], account: (Cause, A::Word), cycles: u64) {
        let completed_in = self.late.context_of(account);
        self.program.book_many_in(counters, account, cycles, completed_in);
    }

    /// Takes note that an instruction cannot complete.
    pub(super) fn note_failure(&mut self, place: Place, cause: StopCause<A>) {
        self.failures[place as usize] = cause;
        self.flight_mut(place).phase = Phase::Failed;
    }

    #[inline]
    pub(super) fn flight_mut(&mut self, place: Place) -> &mut Flight<A> {
        &mut self.flights[place as usize]
    }
}

/// A place in the table of instructions in the pipeline. Because there are no others, one byte says which if any.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Place {
    First,
    Second,
    Third,
    Fourth,
    Fifth,
    Sixth,
}

/// More than all stages hold, so that an instruction that arrives overwrites nothing that is in use.
pub(super) const FLIGHTS: usize = Place::NEXT.len();

impl Place {
    /// The place after each.
    const NEXT: [Self; 6] = [Self::Second, Self::Third, Self::Fourth, Self::Fifth, Self::Sixth, Self::First];

    /// The place after this one; the first comes after the last.
    #[inline]
    pub(super) fn next(self) -> Self {
        Self::NEXT[self as usize]
    }
}

/// The fetch stage.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Fetch<W: Word> {
    /// The instruction to fetch, or that is being fetched.
    pub pc: W,
    /// The instruction to fetch after it, where a branch waits for its delay slot.
    pub next: W,
    /// True if a reference is presented. Follows from the rest of the stage and from the run control.
    pub presents: bool,
    /// True if the memory has taken a reference and not answered it.
    pub outstanding: bool,
    /// True if that answer is to be dropped; `pc` is then the instruction to fetch after it.
    pub discard: bool,
    /// An instruction that has arrived and not entered decode.
    pub buffer: Option<Place>,
}

/// An instruction in the pipeline. The fields behind the slot are known from execute on.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Flight<A: Architecture> {
    pub slot: Slot<A>,
    pub phase: Phase,
    /// The address as the instruction computes it.
    pub address: A::Word,
    /// The answer, once it is there; until then what is to be known of what the destination register held before, or the answer
    /// before if there are several.
    pub value: A::Word,
    /// The general register that the answer goes to; 0 for none.
    pub destination: u8,
    /// Number of its references that were answered, or taken if nothing waits for the answer.
    pub part: u8,
    pub branch_taken: bool,
    /// True if it annuls its delay slot.
    pub annuls: bool,
}

impl<A: Architecture> Flight<A> {
    /// Relevant part of the state from issue on. The address and the value are meaningless unless it accesses memory.
    pub(super) fn issued(&self) -> impl Serialize + use<A> {
        let memory = self.slot.decoded.accesses_memory();
        let memory = memory.then_some((self.address, self.value, self.destination, self.part));
        (self.slot, self.phase, memory, self.branch_taken, self.annuls)
    }

    /// An instruction that has just arrived.
    fn new(slot: Slot<A>) -> Self {
        Self {
            slot,
            phase: Phase::Complete,
            address: A::Word::default(),
            value: A::Word::default(),
            destination: 0,
            part: 0,
            branch_taken: false,
            annuls: false,
        }
    }
}

/// Progress of an instruction in a memory stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Phase {
    /// Its reference was not taken yet.
    Unsent,
    /// Its reference was taken, the answer is not there yet.
    Unanswered,
    /// Waits until nothing is outstanding.
    Barrier,
    /// Has nothing more to wait for.
    Complete,
    /// Cannot complete; [`PipelinedState::failures`] tells why.
    Failed,
}

impl Phase {
    /// True if it keeps the instruction in its stage.
    #[inline]
    pub(super) const fn waits(self) -> bool {
        !matches!(self, Self::Complete | Self::Failed)
    }
}

/// A reference as the core makes them: to no more than a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct WordReference<W: Word> {
    pub address: W,
    data: W,
    /// The second word that it takes on a channel.
    control: u64,
}

impl<W: Word> WordReference<W> {
    #[inline]
    pub(super) fn of(reference: &Reference) -> Self {
        let (address, data) = (W::from_u64(reference.address), W::from_u64(reference.data as u64));
        Self { address, data, control: reference.control_word() }
    }

    /// The load of an aligned unit that `source` makes.
    #[inline]
    pub(super) fn load(unit: Unit, address: W, source: u16) -> Self {
        let control = u64::from(unit_control(unit, false)) | u64::from(source) << 32;
        Self { address, data: W::default(), control }
    }

    /// The store of `rt`.
    #[inline]
    pub(super) fn store<A: Architecture<Word = W>>(unit: Unit, address: W, value: W, source: u16) -> Self {
        let control = u64::from(unit_control(unit, true)) | u64::from(source) << 32;
        Self { address, data: unit.stored::<A>(value), control }
    }
}

impl<W: Word> WordReference<W> {
    /// Number of bytes.
    #[inline(always)]
    pub(super) const fn size(&self) -> u64 {
        Reference::size_of(self.control)
    }

    /// The same at another address.
    #[inline(always)]
    pub(super) fn at(self, address: u64) -> Self {
        Self { address: W::from_u64(address), ..self }
    }

    /// True for a plain read or write.
    #[inline(always)]
    pub(super) const fn is_read_or_write(&self) -> bool {
        self.control & 0xf <= Access::Write as u64
    }

    /// True for a plain write.
    #[inline(always)]
    pub(super) const fn is_write(&self) -> bool {
        self.control & 0xf == Access::Write as u64
    }

    /// True for a plain read.
    pub(super) const fn is_read(&self) -> bool {
        self.control & 0xf == Access::Read as u64
    }

    /// Number of bytes and the written ones, if it is a plain read or write of all of its bytes, which are aligned.
    #[inline(always)]
    pub(super) fn plain(&self) -> Option<(u64, Option<u64>)> {
        let size = self.size();
        let is_whole = self.control >> 16 & 0xffff == u64::from(all_enabled(size as u8));
        let is_plain = self.is_read_or_write() & is_whole & (self.address.to_u64() & (size - 1) == 0);
        is_plain.then(|| (size, self.is_write().then(|| self.data.to_u64())))
    }

    /// Access, if it is a read or a write of four whole, aligned bytes.
    #[inline(always)]
    pub(super) fn word_access(&self) -> Option<WordAccess> {
        Reference::word_access_of(self.address.to_u64(), self.control, self.data.to_u64())
    }

    pub(super) fn reference(self) -> Reference {
        let mut words = [0; Reference::TYPE.words as usize];
        Value::store(self, |word, bits| words[word as usize] = bits);
        Reference::load(|word| words[word as usize])
    }
}

/// The first words of the [`Reference`] that it is; the last is 0.
impl<W: Word> Value for WordReference<W> {
    const TYPE: ValueType = ValueType { name: "word_reference", words: 3 };

    #[inline]
    fn load(word: impl Fn(u32) -> u64) -> Self {
        Self { address: W::from_u64(word(0)), control: word(1), data: W::from_u64(word(2)) }
    }

    #[inline]
    fn store(self, mut word: impl FnMut(u32, u64)) {
        word(0, self.address.to_u64());
        word(1, self.control);
        word(2, self.data.to_u64());
    }
}

/// Maximum number of outstanding references.
const OUTSTANDING: usize = 8;

/// References that the memory has taken and not answered, in a ring.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[repr(C)] // As in `PipelinedState`.
#[serde(bound = "")]
pub(super) struct OutstandingReferences<W: Word> {
    /// Index of the oldest.
    first: u8,
    count: u8,
    ring: [Outstanding<W>; OUTSTANDING],
}

impl<W: Word> OutstandingReferences<W> {
    fn new() -> Self {
        let nothing = Outstanding { pc: W::default(), address: W::default(), interest: Interest::Abandoned };
        Self { ring: [nothing; OUTSTANDING], first: 0, count: 0 }
    }

    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// True if no further reference may be presented.
    #[inline]
    pub(super) const fn is_full(&self) -> bool {
        self.count as usize >= OUTSTANDING
    }

    /// Adds the youngest; there must be room.
    #[inline]
    pub(super) fn push(&mut self, outstanding: Outstanding<W>) {
        self.ring[(self.first as usize + self.count as usize) % OUTSTANDING] = outstanding;
        self.count += 1;
    }

    /// Takes the oldest away; there must be one.
    #[inline]
    pub(super) fn pop(&mut self) -> &Outstanding<W> {
        let oldest = self.first as usize % OUTSTANDING;
        self.first = (self.first + 1) % OUTSTANDING as u8;
        self.count -= 1;
        &self.ring[oldest]
    }

    /// All of them, oldest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Outstanding<W>> {
        (0..self.count).map(|place| &self.ring[(self.first + place) as usize % OUTSTANDING])
    }

    /// The youngest that is awaited is the load that leaves the memory stage now.
    pub(super) fn leave_youngest(&mut self) {
        let places = (0..self.count).map(|place| (self.first + place) as usize % OUTSTANDING);
        let awaited = places.filter(|place| self.ring[*place].interest == Interest::Awaited).last();
        if let Some(place) = awaited {
            self.ring[place].interest = Interest::Late;
        }
    }

    /// No instruction waits for any of them.
    pub(super) fn abandon(&mut self) {
        for outstanding in &mut self.ring {
            if outstanding.interest == Interest::Awaited {
                outstanding.interest = Interest::Abandoned;
            }
        }
    }
}

/// A reference that the memory has taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Outstanding<W: Word> {
    pub pc: W,
    pub address: W,
    pub interest: Interest,
}

/// Receiver of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Interest {
    /// An instruction in a memory stage waits for it.
    Awaited,
    /// No instruction waits, but a fault must not pass unnoticed.
    Posted,
    /// A load that has left the memory stage.
    Late,
    /// The instruction that waited was thrown away.
    Abandoned,
    /// A debugger waits for it.
    Debugger,
}

impl<A: Architecture> PipelinedState<A> {
    pub(super) fn new(settings: &Settings<A>) -> Self {
        let decoded = Decoded::new(0, settings.architecture);
        let nothing = Slot { pc: A::Word::default(), decoded, was_fetched: true, in_delay_slot: false };
        Self {
            program: Program::new(settings),
            report: Report::new::<A>(),
            parcel: None,
            missing: settings.entry,
            flights: std::array::from_fn(|_| Flight::new(nothing)),
            failures: [StopCause::Finished; FLIGHTS],
            next: Place::First,
            awaited: 0,
            fresh: 0,
            recent: 0,
            cooling: 0,
            ready_at: [[0; 32]; 2],
            multiplier_ready_at: 0,
            fetch: Fetch {
                pc: settings.entry,
                next: settings.entry.plus(4),
                // An entry is aligned.
                presents: !settings.starts_halted,
                outstanding: false,
                discard: false,
                buffer: None,
            },
            decode: None,
            empty_cause: Cause::InstructionMiss,
            held: 0,
            wrong_path: false,
            follows_branch: false,
            execute: None,
            memory: [None; 2],
            exception_pending: false,
            reference: WordReference::default(),
            presented: WordReference::default(),
            presents_data: false,
            store_buffer: VecDeque::new(),
            outstanding: OutstandingReferences::new(),
            late: LateLoads::new(),
            issue_from: 0,
        }
    }
}
