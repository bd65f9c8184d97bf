//! Resources that the timed harts of a machine share with its cards: caches, memory and the ways to it.

use super::memories::Memories;
use super::parameters::TimedParameters;
use super::ways::{Course, Ways};
use crate::clock::Clock;

/// Caches and ways. Times are picoseconds, but for those of [`Memories`].
#[derive(Debug)]
pub struct Shared {
    parameters: TimedParameters,
    harts: usize,
    clock: Clock,
    memories: Memories,
    ways: Ways,
}

impl Shared {
    /// Empty caches and idle buses.
    pub fn new(parameters: &TimedParameters, harts: usize, clock: Clock) -> Self {
        Self {
            parameters: parameters.clone(),
            harts,
            clock,
            memories: Memories::new(parameters, harts, clock.hertz()),
            ways: Ways::new(parameters, harts, clock),
        }
    }

    /// Resets caches and buses, except for transfers under way: the last of them arrives at a card at `down` and at memory or the
    /// core at `up`. Use counts remain.
    pub(crate) fn reset(&mut self, down: u64, up: u64) {
        let mut fresh = Self::new(&self.parameters, self.harts, self.clock);
        fresh.memories.keep_counts_of(&self.memories);
        *self = fresh;
        self.ways.follow(down, up);
    }

    /// The caches.
    pub fn memories(&self) -> &Memories {
        &self.memories
    }

    pub(crate) fn memories_mut(&mut self) -> &mut Memories {
        &mut self.memories
    }

    /// Arrival of a hart's load at a card.
    pub(crate) fn asks(&mut self, hart: usize, at: u64) -> u64 {
        self.ways.down(&mut self.memories, hart, at, 0).0 + self.ways.register()
    }

    /// Records when the answer of a card reaches the core.
    pub(crate) fn answers(&mut self, at: u64, bytes: usize) {
        let arrives = self.ways.up(&mut self.memories, at, bytes);
        self.memories.device_is_done(self.clock.cycle_from(arrives));
    }

    /// Arrival of a hart's store at a card. Records when the core has completed it.
    pub(crate) fn stores(&mut self, hart: usize, at: u64, bytes: usize) -> u64 {
        let (arrives, accepted) = self.ways.down(&mut self.memories, hart, at, bytes);
        self.memories.device_is_done(self.clock.cycle_from(accepted));
        arrives
    }

    /// Records that a load or store of the interrupt controller begins at a cycle.
    pub(crate) fn refers_to_controller(&mut self, cycle: u64) {
        self.memories.device_is_done(cycle + self.parameters.device_cycles);
    }

    /// Time at which the interrupt controller sees a change of a card's line.
    pub(crate) fn signals(&mut self, at: u64) -> u64 {
        self.ways.up(&mut self.memories, at, 0)
    }

    /// Time at which a card that begins to read from a place at a given time has the data; without memory there, the time of the
    /// refusal.
    pub(crate) fn reads(&mut self, at: u64, place: Option<usize>, bytes: usize) -> Course {
        match place {
            Some(place) => self.ways.read(&mut self.memories, at, place, bytes),
            None => self.ways.refuse(&mut self.memories, at),
        }
    }

    /// Time at which a card that begins to write has written; otherwise as for reads.
    pub(crate) fn writes(&mut self, at: u64, place: Option<usize>, bytes: usize) -> Course {
        match place {
            Some(place) => self.ways.write(&mut self.memories, at, place, bytes),
            None => self.ways.refuse(&mut self.memories, at),
        }
    }

    /// Time at which a message of a card is written to the interrupt controller.
    pub(crate) fn messages(&mut self, at: u64, bytes: usize) -> Course {
        self.ways.message(&mut self.memories, at, bytes)
    }

    /// Updates caches after a card has written to memory.
    pub(crate) fn wrote(&mut self, place: usize, bytes: usize, at: u64) {
        let cycle = self.clock.cycle_from(at);
        self.memories.device_wrote(place, bytes, cycle, self.ways.is_at_cache());
    }

    /// Orders the later messages of a card behind its writes, which are there at `at`.
    pub(crate) fn goes_on(&mut self, at: u64) {
        self.ways.note_written(at);
    }
}
