//! Profile of a hart: cycles and instructions by the address of the block that they were spent in.
//!
//! Nothing is sampled: each cycle from the beginning of a profile on is spent in one block, or waiting for an interrupt. What a device
//! makes a load wait for is spent in the block of the load, and entering a handler in the block that was left.

use std::collections::BTreeMap;

use spinach_isa::riscv::Operation;

use crate::hart::Hart;
use crate::timed::Ran;

/// Number of blocks cached next to the map.
const RECENT: usize = 4096;

/// Identity of a block: mode and first address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Place {
    /// True if user mode executed it.
    pub is_user: bool,
    /// Its address.
    pub address: u64,
}

/// Cost of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spent {
    /// Cycles of the hart's clock.
    pub cycles: u64,
    /// Instructions executed in them.
    pub instructions: u64,
}

impl Spent {
    fn add(&mut self, other: Self) {
        self.cycles += other.cycles;
        self.instructions += other.instructions;
    }
}

/// Profile of a hart.
#[derive(Debug)]
pub struct Profile {
    places: BTreeMap<Place, Spent>,
    /// Costs by address that are not in the map yet.
    recent: Vec<(Place, Spent)>,
    waiting_cycles: u64,
    /// Time up to which all is accounted for.
    until: u64,
    current: Place,
    waits: bool,
}

impl Profile {
    /// Profile of a hart from now on.
    pub(crate) fn new(hart: &Hart, is_started: bool) -> Self {
        let current = Place { is_user: hart.is_in_user_mode(), address: hart.pc };
        Self {
            places: BTreeMap::new(),
            recent: vec![Default::default(); RECENT],
            waiting_cycles: 0,
            until: hart.time(),
            current,
            waits: hart.waits || !is_started,
        }
    }

    /// Costs by block, in the order of addresses.
    pub fn places(&self) -> BTreeMap<Place, Spent> {
        let mut places = self.places.clone();
        for (place, spent) in self.recent.iter().filter(|(_, spent)| *spent != Spent::default()) {
            places.entry(*place).or_default().add(*spent);
        }
        places
    }

    /// Cycles in which it waited for an interrupt.
    pub fn waiting_cycles(&self) -> u64 {
        self.waiting_cycles
    }

    /// Accounts for the time up to now.
    pub(crate) fn follow(&mut self, time: u64) {
        let cycles = time.saturating_sub(self.until);
        self.until = time;
        if self.waits {
            self.waiting_cycles += cycles;
        } else if cycles > 0 {
            self.spend(self.current, Spent { cycles, instructions: 0 });
        }
    }

    #[inline]
    fn spend(&mut self, place: Place, spent: Spent) {
        let (held, sum) = &mut self.recent[(place.address >> 1) as usize % RECENT];
        if *held != place {
            self.places.entry(*held).or_default().add(*sum);
            (*held, *sum) = (place, Spent::default());
        }
        sum.add(spent);
    }

    pub(crate) fn begin(&mut self, hart: &Hart) {
        self.follow(hart.time());
        self.current = Place { is_user: hart.is_in_user_mode(), address: hart.pc };
        self.waits = false;
    }

    pub(crate) fn end(&mut self, hart: &Hart, ran: &Ran<'_>) {
        let instructions = hart.instructions - ran.instructions;
        let cycles = hart.time().saturating_sub(self.until);
        self.until = hart.time();
        self.spend(self.current, Spent { cycles, instructions });
        let last = (instructions as usize).checked_sub(1).and_then(|last| ran.ops.get(last));
        self.waits = last.is_some_and(|op| op.operation == Operation::Wfi);
    }
}
