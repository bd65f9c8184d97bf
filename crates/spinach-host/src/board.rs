//! What harts refer to: memory, and devices by their registers.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::interrupts::InterruptController;
use crate::map;
use crate::memory::Memory;
use crate::pci::bridge::{Answer, HostBridge};

/// Characters to and from a terminal.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Console {
    /// Typed and not read yet.
    pub input: VecDeque<u8>,
    /// Printed and not shown yet.
    pub output: Vec<u8>,
}

/// The clock of the harts, whose cycles are counted from the start of the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    hertz: u64,
}

const PICOSECONDS: u128 = 1_000_000_000_000;

impl Clock {
    /// Of so many cycles in a second.
    pub const fn new(hertz: u64) -> Self {
        Self { hertz }
    }

    /// When a cycle begins, in picoseconds.
    pub fn picoseconds(self, cycle: u64) -> u64 {
        (u128::from(cycle) * PICOSECONDS / u128::from(self.hertz)) as u64
    }

    /// The first cycle that begins at a time or later.
    pub fn cycle_from(self, picoseconds: u64) -> u64 {
        (u128::from(picoseconds) * u128::from(self.hertz)).div_ceil(PICOSECONDS) as u64
    }
}

/// Memory and devices.
#[derive(Debug)]
pub struct Board {
    /// The memory.
    pub memory: Memory,
    /// The interrupt controller.
    pub interrupts: InterruptController,
    /// The bus.
    pub bus: HostBridge,
    /// The terminal.
    pub console: Console,
    clock: Clock,
    is_touched: bool,
    is_held: bool,
}

impl Board {
    /// Devices around a memory.
    pub fn new(memory: Memory, harts: usize, clock: Clock) -> Self {
        Self {
            memory,
            interrupts: InterruptController::new(harts),
            bus: HostBridge::default(),
            console: Console::default(),
            clock,
            is_touched: false,
            is_held: false,
        }
    }

    /// A load of up to 8 bytes within a page, at a time; `None` where nothing answers.
    pub fn read(&mut self, address: u64, size: usize, time: u64) -> Option<u64> {
        if let Some(place) = self.memory.place(address, size) {
            let mut number = [0; 8];
            number[..size].copy_from_slice(&self.memory.bytes()[place..place + size]);
            return Some(u64::from_le_bytes(number));
        }
        self.is_touched = true;
        if map::INTERRUPTS.contains(&address) && size == 4 && address & 3 == 0 {
            return Some(self.interrupts.read(address - map::INTERRUPTS.start).into());
        }
        let answer = self.bus.read(address, size, &mut self.memory, self.clock.picoseconds(time))?;
        self.follow_lines();
        match answer {
            Answer::Value(value) => Some(value),
            Answer::Held => {
                self.is_held = true;
                Some(0)
            }
        }
    }

    /// A store of up to 8 bytes within a page, at a time; `None` where nothing answers.
    pub fn write(&mut self, address: u64, size: usize, value: u64, time: u64) -> Option<()> {
        let bytes = value.to_le_bytes();
        if self.memory.store(address, &bytes[..size]).is_some() {
            return Some(());
        }
        self.is_touched = true;
        if map::INTERRUPTS.contains(&address) && size == 4 && address & 3 == 0 {
            self.interrupts.write(address - map::INTERRUPTS.start, value as u32);
            return Some(());
        }
        let time = self.clock.picoseconds(time);
        self.bus.write(address, &bytes[..size], &mut self.memory, time)?;
        self.follow_lines();
        Some(())
    }

    /// Lets happen on the bus what happens by itself up to a cycle.
    pub(crate) fn advance(&mut self, time: u64) {
        self.bus.advance(&mut self.memory, self.clock.picoseconds(time));
        self.follow_lines();
    }

    /// The cycle at which something happens next on the bus.
    pub(crate) fn next(&self) -> Option<u64> {
        self.bus.next().map(|time| self.clock.cycle_from(time))
    }

    fn follow_lines(&mut self) {
        for (line, is_high) in self.bus.lines().into_iter().enumerate() {
            self.interrupts.set_line(map::FIRST_SOURCE_OF_BUS + line, is_high);
        }
    }

    /// Whether the last load is to be tried again because a device holds the answer back.
    pub(crate) fn take_held(&mut self) -> bool {
        std::mem::take(&mut self.is_held)
    }

    /// Whether a device was referred to since it was last asked, whose interrupts may have changed with that.
    pub(crate) fn take_touched(&mut self) -> bool {
        std::mem::take(&mut self.is_touched)
    }

    /// Whether something has changed that a hart must look at before its next instruction.
    #[inline(always)]
    pub(crate) fn needs_attention(&self) -> bool {
        self.is_touched || self.memory.is_code_rewritten()
    }
}
