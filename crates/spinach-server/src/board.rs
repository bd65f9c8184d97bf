//! Board of the harts: memory, and devices with registers.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::interrupts::InterruptController;
use crate::map;
use crate::memory::Memory;
use crate::messages::MessageController;
use crate::pci::bridge::{Answer, HostBridge, is_of_bus};
use crate::virtio::disk::Disk;
use crate::virtio::share::Share;
use crate::virtio::transport::Transport;

/// Characters to and from a terminal.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Console {
    /// Typed characters that were not read yet.
    pub input: VecDeque<u8>,
    /// Printed characters that were not shown yet.
    pub output: Vec<u8>,
}

/// A load of a hart that is on its way to a card, or waits there. Times are cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Asked {
    since: u64,
    arrives: u64,
    /// True if the card has seen the load, and holds the answer back.
    is_held: bool,
}

/// Memory and devices.
#[derive(Debug)]
pub struct Board {
    /// The memory.
    pub memory: Memory,
    /// The interrupt controller.
    pub interrupts: InterruptController,
    /// The controller of message interrupts.
    pub messages: MessageController,
    /// The bus.
    pub bus: HostBridge,
    /// The terminal.
    pub console: Console,
    /// The disk.
    pub disk: Transport<Disk>,
    /// The shared folder.
    pub share: Transport<Share>,
    clock: Clock,
    is_touched: bool,
    is_held: bool,
    /// Pending load of each hart.
    asked: Vec<Option<Asked>>,
    /// The hart whose turn it is.
    turn_of: usize,
}

impl Board {
    /// Devices around a memory.
    pub fn new(memory: Memory, harts: usize, clock: Clock) -> Self {
        Self {
            memory,
            interrupts: InterruptController::new(harts),
            messages: MessageController::default(),
            bus: HostBridge::default(),
            console: Console::default(),
            disk: Transport::new(Disk::default()),
            share: Transport::new(Share::default()),
            clock,
            is_touched: false,
            is_held: false,
            asked: vec![None; harts],
            turn_of: 0,
        }
    }

    /// A load of up to 8 bytes within a page, at a time; `None` for an unassigned address.
    pub fn read(&mut self, address: u64, size: usize, time: u64) -> Option<u64> {
        if let Some(place) = self.memory.place(address, size) {
            let mut number = [0; 8];
            number[..size].copy_from_slice(&self.memory.bytes()[place..place + size]);
            return Some(u64::from_le_bytes(number));
        }
        self.is_touched = true;
        if map::INTERRUPTS.contains(&address) && size == 4 && address & 3 == 0 {
            if let Some(shared) = self.bus.shared_mut() {
                shared.refers_to_controller(time);
            }
            return Some(self.interrupts.read(address - map::INTERRUPTS.start).into());
        }
        if map::MESSAGES.contains(&address) && size == 4 {
            let (value, group) = self.messages.read(address - map::MESSAGES.start);
            group.into_iter().for_each(|group| self.follow_group(group));
            if let Some(shared) = self.bus.shared_mut() {
                shared.refers_to_controller(time);
            }
            return Some(value.into());
        }
        if map::DISK.contains(&address) {
            return Some(self.disk.read(address - map::DISK.start, size));
        }
        if map::SHARE.contains(&address) {
            return Some(self.share.read(address - map::SHARE.start, size));
        }
        if is_of_bus(address) && !self.is_with_card(time) {
            self.is_held = true;
            return Some(0);
        }
        let now = self.clock.picoseconds(time);
        let answer = self.bus.read(address, size, &mut self.memory, now)?;
        self.follow_lines();
        match answer {
            Answer::Value(value) => {
                if let Some(shared) = self.bus.shared_mut() {
                    shared.answers(now, size);
                }
                Some(value)
            }
            Answer::Held => {
                if let Some(asked) = &mut self.asked[self.turn_of] {
                    asked.is_held = true;
                }
                self.is_held = true;
                Some(0)
            }
            Answer::Awaited => {
                self.wait_for_bus(time);
                Some(0)
            }
        }
    }

    /// A store of up to 8 bytes within a page, at a time; `None` for an unassigned address.
    pub fn write(&mut self, address: u64, size: usize, value: u64, time: u64) -> Option<()> {
        let bytes = value.to_le_bytes();
        if self.memory.store(address, &bytes[..size]).is_some() {
            return Some(());
        }
        self.is_touched = true;
        if map::INTERRUPTS.contains(&address) && size == 4 && address & 3 == 0 {
            self.interrupts.write(address - map::INTERRUPTS.start, value as u32);
            if let Some(shared) = self.bus.shared_mut() {
                shared.refers_to_controller(time);
            }
            return Some(());
        }
        if map::DISK.contains(&address) && size == 4 {
            self.disk.write(address - map::DISK.start, value as u32, &mut self.memory);
            self.interrupts.set_line(map::DISK_SOURCE, self.disk.line());
            return Some(());
        }
        if map::SHARE.contains(&address) && size == 4 {
            self.share.write(address - map::SHARE.start, value as u32, &mut self.memory);
            self.interrupts.set_line(map::SHARE_SOURCE, self.share.line());
            return Some(());
        }
        if is_of_bus(address) && !self.bus.takes_store(address) {
            self.wait_for_bus(time);
            return Some(());
        }
        let time = self.clock.picoseconds(time);
        match self.bus.shared_mut().filter(|_| is_of_bus(address)) {
            Some(shared) => {
                let arrives = shared.stores(self.turn_of, time, size);
                self.bus.post(address, &bytes[..size], arrives);
            }
            None => self.bus.write(address, &bytes[..size], &mut self.memory, time)?,
        }
        self.follow_lines();
        Some(())
    }

    /// Has the hart in turn wait, and do nothing else, until its reference is done.
    fn wait_for_bus(&mut self, time: u64) {
        self.asked[self.turn_of].get_or_insert(Asked { since: time, arrives: 0, is_held: false });
        self.is_held = true;
    }

    /// True if the load of the hart in turn has reached the card. If it has not left yet, it leaves now.
    fn is_with_card(&mut self, time: u64) -> bool {
        let asked = &mut self.asked[self.turn_of];
        match (asked, self.bus.shared_mut()) {
            (Some(asked), _) => asked.arrives <= time,
            (None, None) => true,
            (asked @ None, Some(shared)) => {
                let arrives = shared.asks(self.turn_of, self.clock.picoseconds(time));
                let arrives = self.clock.cycle_from(arrives).max(time + 1);
                *asked = Some(Asked { since: time, arrives, is_held: false });
                false
            }
        }
    }

    /// Begins the turn of a hart.
    pub(crate) fn begin_turn(&mut self, hart: usize) {
        self.turn_of = hart;
    }

    /// Cycle since which the hart in turn has waited for the answer of a card, if it does.
    #[inline]
    pub(crate) fn asked_since(&self) -> Option<u64> {
        self.asked[self.turn_of].map(|asked| asked.since)
    }

    /// True if a load of that hart cannot be cancelled, because its card may act on it.
    pub(crate) fn is_asking(&self) -> bool {
        self.asked[self.turn_of].is_some_and(|asked| !asked.is_held)
    }

    /// Removes the request of a hart that has its answer, or needs none.
    #[inline]
    pub(crate) fn forget_asked(&mut self) {
        self.asked[self.turn_of] = None;
    }

    /// Pending loads of harts, for a checkpoint.
    pub(crate) fn asked(&self) -> &[Option<Asked>] {
        &self.asked
    }

    /// Restores pending loads of harts from a checkpoint.
    pub(crate) fn set_asked(&mut self, asked: Vec<Option<Asked>>) {
        self.asked = asked;
    }

    /// Advances the bus up to a cycle.
    pub(crate) fn advance(&mut self, time: u64) {
        self.bus.advance(&mut self.memory, self.clock.picoseconds(time));
        self.follow_lines();
    }

    /// Cycle of the next event on the bus after a cycle, including the arrival of a load at its card.
    pub(crate) fn next(&self, after: u64) -> Option<u64> {
        let arrivals = self.asked.iter().flatten().map(|asked| asked.arrives).filter(|at| *at > after);
        self.bus.next().map(|time| self.clock.cycle_from(time)).into_iter().chain(arrivals).min()
    }

    fn follow_lines(&mut self) {
        for (line, is_high) in self.bus.lines().into_iter().enumerate() {
            self.interrupts.set_line(map::FIRST_SOURCE_OF_BUS + line, is_high);
        }
        while let Some((address, vector)) = self.bus.take_message() {
            if let Some(group) = self.messages.raise(address - map::MESSAGES.start, vector) {
                self.follow_group(group);
            }
        }
    }

    fn follow_group(&mut self, group: usize) {
        self.interrupts.set_line(map::FIRST_SOURCE_OF_MESSAGES + group, self.messages.line(group));
    }

    /// True if the last load is to be retried because a device delays the answer.
    pub(crate) fn take_held(&mut self) -> bool {
        std::mem::take(&mut self.is_held)
    }

    /// True if a device was accessed since the last call, so that its interrupts may have changed.
    pub(crate) fn take_touched(&mut self) -> bool {
        std::mem::take(&mut self.is_touched)
    }

    /// True if an event needs the hart's attention before its next instruction.
    #[inline(always)]
    pub(crate) fn needs_attention(&self) -> bool {
        self.is_touched || self.memory.is_code_rewritten()
    }
}
