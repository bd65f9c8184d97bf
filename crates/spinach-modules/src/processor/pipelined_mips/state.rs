//! Everything in the pipelined core that changes from cycle to cycle.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::{Value, ValueType};

use super::super::accounts::Cause;
use super::super::data_port::Unit;
use super::super::decoded::Decoded;
use super::super::program::{Program, Slot};
use super::super::report::Report;
use super::super::settings::Settings;
use super::super::stop::StopCause;
use crate::values::Reference;

/// Everything in a pipelined core that changes from cycle to cycle.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C)] // What every cycle needs comes first.
pub struct PipelinedState {
    pub(super) fetch: Fetch,
    /// While decode is empty: the address of the oldest instruction that was not issued when the cycle began.
    pub(super) missing: u32,
    /// The general registers that a reference which is under way will write, one bit each.
    pub(super) awaited: u32,
    /// Those that got their values in this cycle, too late for decode.
    pub(super) fresh: u32,
    /// Those whose values were loaded and can be used only from some cycle on, which [`Self::ready_at`] tells.
    pub(super) cooling: u32,
    /// For how many more slots decode stays empty.
    pub(super) held: u32,
    /// The place of the next instruction to arrive.
    pub(super) next: Place,
    pub(super) decode: Option<Place>,
    pub(super) execute: Option<Place>,
    /// The memory stages, the first first. Without a second stage its place stays empty.
    pub(super) memory: [Option<Place>; 2],
    /// Why decode is empty, if it is.
    pub(super) empty_cause: Cause,
    /// Whether what was being fetched in this cycle lies on a wrong path.
    pub(super) wrong_path: bool,
    /// Whether the next instruction to issue is in a delay slot.
    pub(super) follows_branch: bool,
    /// Whether an exception is in the memory stages; nothing is issued then.
    pub(super) exception_pending: bool,
    /// Whether a reference is presented: the oldest in the store buffer, else that of the first memory stage. Follows from what
    /// these hold and how many references are outstanding.
    pub(super) presents_data: bool,
    /// The reference that is presented, if one is.
    pub(super) presented: WordReference,
    /// The reference of the instruction in the first memory stage, if it was not taken yet.
    pub(super) reference: WordReference,
    /// The first cycle in which the multiplier can be used.
    pub(super) multiplier_ready_at: u64,
    /// References that the memory has taken and not answered.
    pub(super) outstanding: OutstandingReferences,
    /// Stores that the memory refused, with the addresses of their instructions, oldest first.
    pub(super) store_buffer: VecDeque<(u32, WordReference)>,
    /// Registers, end, history, profile.
    pub program: Program,
    /// The instructions in the pipeline. The stages hold places in this table, so that moving on copies nothing.
    pub(super) flights: [Flight; FLIGHTS],
    /// Why those that have failed cannot complete.
    pub(super) failures: [StopCause; FLIGHTS],
    pub(super) ready_at: [u64; 32],
    pub(super) report: Report,
}

impl PipelinedState {
    #[inline]
    pub(super) fn flight(&self, place: Place) -> &Flight {
        &self.flights[place as usize]
    }

    /// Takes note that an instruction cannot complete.
    pub(super) fn note_failure(&mut self, place: Place, cause: StopCause) {
        self.failures[place as usize] = cause;
        self.flight_mut(place).phase = Phase::Failed;
    }

    #[inline]
    pub(super) fn flight_mut(&mut self, place: Place) -> &mut Flight {
        &mut self.flights[place as usize]
    }
}

/// The bit of a general register; none for register 0, whose value never changes.
#[inline]
pub(super) const fn bit(register: u8) -> u32 {
    1 << (register & 31) & !1
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
const FLIGHTS: usize = Place::NEXT.len();

impl Place {
    /// The place after each.
    const NEXT: [Self; 6] = [Self::Second, Self::Third, Self::Fourth, Self::Fifth, Self::Sixth, Self::First];

    /// The place after this one; the first comes after the last.
    #[inline]
    pub fn next(self) -> Self {
        Self::NEXT[self as usize]
    }
}

/// The fetch stage.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Fetch {
    /// The instruction to fetch, or that is being fetched.
    pub pc: u32,
    /// The instruction to fetch after it.
    pub next: u32,
    /// Whether a reference is presented. Follows from the rest of the stage and from whether the core runs.
    pub presents: bool,
    /// Whether the memory has taken a reference and not answered it.
    pub outstanding: bool,
    /// Whether that answer is to be thrown away; `pc` is then the instruction to fetch after it.
    pub discard: bool,
    /// An instruction that has arrived and not entered decode.
    pub buffer: Option<Place>,
}

/// An instruction in the pipeline. What follows the slot is known from execute on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Flight {
    pub slot: Slot,
    pub phase: Phase,
    /// The address as the instruction computes it.
    pub address: u32,
    /// The answer, once it is there; until then what the destination register held before, if the answer depends on that.
    pub value: u32,
    /// The general register that the answer goes to; 0 for none.
    pub destination: u8,
    pub branch_taken: bool,
    /// Whether it annuls its delay slot.
    pub annuls: bool,
}

impl Flight {
    /// An instruction that has just arrived.
    fn new(slot: Slot) -> Self {
        Self {
            slot,
            phase: Phase::Complete,
            address: 0,
            value: 0,
            destination: 0,
            branch_taken: false,
            annuls: false,
        }
    }
}

/// How far an instruction in a memory stage is.
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
    /// Whether it keeps the instruction where it is.
    #[inline]
    pub const fn waits(self) -> bool {
        !matches!(self, Self::Complete | Self::Failed)
    }
}

/// A reference as the core makes them: to no more than a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct WordReference {
    pub address: u32,
    data: u32,
    /// The second word that it takes on a channel.
    control: u64,
}

impl WordReference {
    #[inline]
    pub const fn of(reference: &Reference) -> Self {
        let (address, data) = (reference.address as u32, reference.data as u32);
        Self { address, data, control: reference.control_word() }
    }

    /// The load of an aligned unit that `source` makes.
    #[inline]
    pub const fn load(unit: Unit, address: u32, source: u16) -> Self {
        Self { address, data: 0, control: unit.control(false) as u64 | (source as u64) << 32 }
    }

    /// The store of `rt`.
    #[inline]
    pub const fn store(unit: Unit, address: u32, rt: u32, source: u16) -> Self {
        Self { address, data: unit.stored(rt), control: unit.control(true) as u64 | (source as u64) << 32 }
    }
}

impl WordReference {
    pub fn reference(self) -> Reference {
        let mut words = [0; Reference::TYPE.words as usize];
        self.store(|word, bits| words[word as usize] = bits);
        Reference::load(|word| words[word as usize])
    }
}

/// The first words of the [`Reference`] that it is; the last is 0.
impl Value for WordReference {
    const TYPE: ValueType = ValueType { name: "word_reference", words: 3 };

    #[inline]
    fn load(word: impl Fn(u32) -> u64) -> Self {
        Self { address: word(0) as u32, control: word(1), data: word(2) as u32 }
    }

    #[inline]
    fn store(self, mut word: impl FnMut(u32, u64)) {
        word(0, u64::from(self.address));
        word(1, self.control);
        word(2, u64::from(self.data));
    }
}

/// How many references may be outstanding.
const OUTSTANDING: usize = 8;

/// References that the memory has taken and not answered, in a ring.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C)] // As in `PipelinedState`.
pub(super) struct OutstandingReferences {
    /// Where the oldest is.
    first: u8,
    count: u8,
    ring: [Outstanding; OUTSTANDING],
}

impl OutstandingReferences {
    const fn new() -> Self {
        let nothing = Outstanding { pc: 0, address: 0, interest: Interest::Abandoned };
        Self { ring: [nothing; OUTSTANDING], first: 0, count: 0 }
    }

    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether no further reference may be presented.
    #[inline]
    pub const fn is_full(&self) -> bool {
        self.count as usize >= OUTSTANDING
    }

    /// Adds the youngest; there must be room.
    #[inline]
    pub fn push(&mut self, outstanding: Outstanding) {
        self.ring[(self.first as usize + self.count as usize) % OUTSTANDING] = outstanding;
        self.count += 1;
    }

    /// Takes the oldest away; there must be one.
    #[inline]
    pub fn pop(&mut self) -> &Outstanding {
        let oldest = self.first as usize % OUTSTANDING;
        self.first = (self.first + 1) % OUTSTANDING as u8;
        self.count -= 1;
        &self.ring[oldest]
    }

    /// No instruction waits for any of them any more.
    pub fn abandon(&mut self) {
        for outstanding in &mut self.ring {
            if outstanding.interest == Interest::Awaited {
                outstanding.interest = Interest::Abandoned;
            }
        }
    }
}

/// A reference that the memory has taken.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Outstanding {
    pub pc: u32,
    pub address: u32,
    pub interest: Interest,
}

/// Who cares for an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Interest {
    /// An instruction in a memory stage waits for it.
    Awaited,
    /// Nobody waits, but a fault must not pass unnoticed.
    Posted,
    /// The instruction that waited was thrown away.
    Abandoned,
}

impl PipelinedState {
    pub(super) fn new(settings: &Settings) -> Self {
        let decoded = Decoded::new(0, settings.extensions);
        let nothing = Slot { pc: 0, decoded, was_fetched: true, in_delay_slot: false };
        Self {
            program: Program::new(settings),
            report: Report::new(),
            missing: settings.entry,
            flights: std::array::from_fn(|_| Flight::new(nothing)),
            failures: [StopCause::Finished; FLIGHTS],
            next: Place::First,
            awaited: 0,
            fresh: 0,
            cooling: 0,
            ready_at: [0; 32],
            multiplier_ready_at: 0,
            fetch: Fetch {
                pc: settings.entry,
                next: settings.entry.wrapping_add(4),
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
        }
    }
}
