//! Everything in the VLIW core that changes from cycle to cycle.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_isa::architecture::Architecture;

use super::super::accounts::Cause;
use super::super::decoded::Decoded;
use super::super::program::{Program, Slot};
use super::super::settings::Settings;
use super::super::stop::StopCause;
use crate::values::{Access, Reference};

/// The most slices that a bundle has.
pub(super) const SLICES: usize = 4;
/// The most words that a bundle has.
pub(super) const WORDS: usize = 4 * SLICES;
/// The most load/store units.
pub(super) const LANES: usize = 6;
/// Maximum number of outstanding references of a unit.
pub(super) const OUTSTANDING: usize = 8;
/// More than decode, execute and memory hold.
const BUNDLES: usize = 4;

/// Everything in a VLIW core that changes from cycle to cycle.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct VliwState<A: Architecture<Word = u32>> {
    /// Registers, end, history, profile.
    pub program: Program<A>,
    /// First cycle in which the value of each general register can be used.
    pub(super) ready_at: [u64; 32],
    /// The general registers that a reference which is under way will write, one bit each.
    pub(super) awaited: u32,

    pub(super) fetch: Fetch<A>,
    /// The bundles in the pipeline. The stages hold places in this table.
    pub(super) bundles: [Bundle<A>; BUNDLES],
    /// Number of bundles that have entered decode.
    pub(super) entered: u64,
    pub(super) decode: Option<Place>,
    /// Why decode is empty, if it is.
    pub(super) empty_cause: Cause,
    /// True if decode stays empty for one more cycle.
    pub(super) held: bool,
    /// True if the fetch of this cycle lies on a wrong path.
    pub(super) wrong_path: bool,
    /// True if the next bundle to issue is a delay slot.
    pub(super) follows_branch: bool,
    pub(super) execute: Option<Place>,
    pub(super) memory: Option<Place>,
    /// True if an exception is in the memory stage; nothing is issued then.
    pub(super) exception_pending: bool,

    /// Stores that the memory refused, with the addresses of their bundles, oldest first.
    pub(super) store_buffer: VecDeque<(u32, Reference)>,
    /// References per data port that the memory has taken and not answered, oldest first.
    pub(super) outstanding: [VecDeque<Outstanding>; LANES],
}

/// A place in the table of bundles in the pipeline.
pub(super) type Place = u8;

/// The fetch stage.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Fetch<A: Architecture<Word = u32>> {
    /// The bundle to fetch, or that is being fetched.
    pub pc: u32,
    /// The bundle to fetch after it, if that is not the one that its header names.
    pub redirect: Option<u32>,
    /// True if the bundle being fetched is a delay slot that was annulled.
    pub annuls: bool,
    pub slices: [Slice; SLICES],
    /// A bundle that has arrived and not entered decode.
    pub buffer: Option<Fetched<A>>,
}

impl<A: Architecture<Word = u32>> Fetch<A> {
    /// True if any requested slice has not come.
    pub(super) fn is_outstanding(&self) -> bool {
        self.slices.iter().any(|slice| slice.outstanding)
    }
}

/// A slice of the bundle that is being fetched.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Slice {
    /// True if the memory has taken a reference and not answered it.
    pub outstanding: bool,
    /// True if that answer is to be dropped.
    pub discard: bool,
    /// The words, once they are there, and whether nothing answered instead.
    pub arrived: Option<([u32; 4], bool)>,
}

/// A bundle as it arrived.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Fetched<A: Architecture<Word = u32>> {
    pub pc: u32,
    pub words: [u32; WORDS],
    /// Why it could not be fetched.
    pub trap: Option<A::Trap>,
}

/// A bundle in the pipeline.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Bundle<A: Architecture<Word = u32>> {
    pub pc: u32,
    /// The instructions, in the order of the source; those from `count` on mean nothing.
    pub instructions: Vec<Instruction<A>>,
    pub count: usize,
    /// The branch or jump, as an index.
    pub exit: Option<usize>,
    /// The loads, stores and atomic operations, one for each data port, as indexes.
    pub references: [u8; LANES],
    pub reference_count: usize,
}

impl<A: Architecture<Word = u32>> Bundle<A> {
    /// The instructions.
    pub(super) fn instructions(&self) -> &[Instruction<A>] {
        &self.instructions[..self.count]
    }

    /// The indexes of those that refer to memory, by data port.
    pub(super) fn references(&self) -> impl Iterator<Item = usize> + '_ {
        self.references[..self.reference_count].iter().map(|index| usize::from(*index))
    }
}

/// An instruction of a bundle. The fields behind the slot are known from execute on.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Instruction<A: Architecture<Word = u32>> {
    pub slot: Slot<A>,
    pub phase: Phase,
    pub reference: Reference,
    /// The address as the instruction computes it.
    pub address: u32,
    /// Previous value of the destination register.
    pub previous: u32,
    /// The general register that the answer goes to; 0 for none.
    pub destination: u8,
    /// The answer, once it is there.
    pub value: u32,
    /// Why it cannot complete.
    pub stop: Option<StopCause<A>>,
    pub branch_taken: bool,
}

impl<A: Architecture<Word = u32>> Instruction<A> {
    /// One that has just entered decode.
    pub(super) fn new(slot: Slot<A>) -> Self {
        Self {
            slot,
            phase: Phase::Complete,
            reference: Reference::default(),
            address: 0,
            previous: 0,
            destination: 0,
            value: 0,
            stop: None,
            branch_taken: false,
        }
    }

    /// True if it may be performed together with others of its kind.
    pub(super) fn is_plain_load(&self) -> bool {
        self.reference.access == Access::Read
    }
}

/// Progress of an instruction in the memory stage.
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
}

/// A reference that the memory has taken.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Outstanding {
    pub pc: u32,
    pub address: u32,
    pub interest: Interest,
}

/// Receiver of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Interest {
    /// An instruction in the memory stage waits for it.
    Awaited,
    /// No instruction waits, but a fault must not pass unnoticed.
    Posted,
    /// The instruction that waited was thrown away.
    Abandoned,
}

impl<A: Architecture<Word = u32>> VliwState<A> {
    pub(super) fn bundle(&self, place: Place) -> &Bundle<A> {
        &self.bundles[usize::from(place) % BUNDLES]
    }

    pub(super) fn bundle_mut(&mut self, place: Place) -> &mut Bundle<A> {
        &mut self.bundles[usize::from(place) % BUNDLES]
    }

    /// The place of the next bundle to enter decode.
    pub(super) fn next_place(&self) -> Place {
        (self.entered % BUNDLES as u64) as Place
    }

    pub(super) fn new(settings: &Settings<A>) -> Self {
        let decoded = Decoded::new(0, settings.architecture);
        let nothing = Slot { pc: 0, decoded, was_fetched: true, in_delay_slot: false };
        let bundle = Bundle {
            pc: 0,
            instructions: vec![Instruction::new(nothing); WORDS],
            count: 0,
            exit: None,
            references: [0; LANES],
            reference_count: 0,
        };
        Self {
            program: Program::new(settings),
            bundles: [(); BUNDLES].map(|()| bundle.clone()),
            entered: 0,
            ready_at: [0; 32],
            awaited: 0,
            fetch: Fetch {
                pc: settings.entry,
                redirect: None,
                annuls: false,
                slices: [Slice::default(); SLICES],
                buffer: None,
            },
            decode: None,
            empty_cause: Cause::InstructionMiss,
            held: false,
            wrong_path: false,
            follows_branch: false,
            execute: None,
            memory: None,
            exception_pending: false,
            store_buffer: VecDeque::new(),
            outstanding: [(); LANES].map(|()| VecDeque::with_capacity(OUTSTANDING)),
        }
    }
}
