//! The host bridge: configuration space, the windows through which harts refer to functions, and the transfers of functions.

use std::any::Any;
use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::map;
use crate::memory::Memory;
use crate::pci::configuration::Space;
use crate::pci::function::{Function, Sent};
use crate::pci::slot::{Coming, Slot};
use crate::timed::Shared;

pub(crate) use crate::pci::slot::SavedFunction;

/// The lines that functions share for their interrupts.
pub const LINES: usize = 4;
const SPACE_BYTES: u64 = 4096;
const FUNCTIONS_OF_DEVICE: u64 = 8;

/// A store on its way to a function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Posted {
    at: u64,
    address: u64,
    bytes: Vec<u8>,
}

/// The bridge, with the functions behind it. Times are in picoseconds.
#[derive(Debug, Default)]
pub struct HostBridge {
    slots: Vec<Slot>,
    /// Messages in the order in which they arrive.
    posted: VecDeque<Posted>,
    /// Timing of the ways to and from functions. Without it, they take no time.
    shared: Option<Shared>,
    /// Time of the last access to the bus: harts that take turns may refer to it at earlier times, which count as this one.
    time: u64,
}

impl HostBridge {
    /// Puts a function on the bus, as device 1, 2 and so on.
    pub fn attach(&mut self, function: Box<dyn Function>) {
        self.slots.push(Slot::new(function));
    }

    /// Number of functions.
    pub fn functions(&self) -> usize {
        self.slots.len()
    }

    /// A function.
    pub fn function(&self, number: usize) -> Option<&dyn Function> {
        self.slots.get(number).map(|slot| slot.function.as_ref())
    }

    /// A function, if it is of a kind.
    pub fn function_mut<F: Function>(&mut self, number: usize) -> Option<&mut F> {
        let function: &mut dyn Any = self.slots.get_mut(number)?.function.as_mut();
        function.downcast_mut()
    }

    /// Connects the link of a function, whose frames are then kept until they are taken.
    pub fn set_link(&mut self, number: usize, is_up: bool) {
        let time = self.time;
        if let Some(slot) = self.slots.get_mut(number).filter(|slot| slot.is_linked() != is_up) {
            slot.set_link(is_up, self.shared.as_mut(), time);
        }
    }

    /// Schedules the arrival of a frame at a function: that of its last bit. Frames are given in the order of their times.
    pub fn deliver(&mut self, number: usize, frame: Vec<u8>, at: u64) {
        if let Some(slot) = self.slots.get_mut(number) {
            slot.deliver(Coming { at, frame });
        }
    }

    /// Takes the frames that a function has put on its link.
    pub fn take_sent(&mut self, number: usize) -> Vec<Sent> {
        self.slots.get_mut(number).map(|slot| std::mem::take(&mut slot.sent)).unwrap_or_default()
    }

    /// Frames that a function has put on its link and that were not taken.
    pub(crate) fn sent(&self, number: usize) -> &[Sent] {
        self.slots.get(number).map_or(&[], |slot| &slot.sent)
    }

    /// Puts frames back that were taken, which is possible until the function runs again.
    pub(crate) fn put_back(&mut self, number: usize, sent: Vec<Sent>) {
        if let Some(slot) = self.slots.get_mut(number).filter(|_| !sent.is_empty()) {
            slot.sent = sent;
        }
    }

    /// Takes the next message of a function that has arrived: its address and value.
    pub(crate) fn take_message(&mut self) -> Option<(u64, u32)> {
        self.slots.iter_mut().find_map(|slot| slot.messages.pop_front())
    }

    /// Time of the next event that no hart causes.
    pub fn next(&self) -> Option<u64> {
        let posted = self.posted.front().map(|posted| posted.at);
        self.slots.iter().filter_map(Slot::next).chain(posted).min()
    }

    /// Advances functions up to a time.
    pub fn advance(&mut self, memory: &mut Memory, time: u64) {
        while let Some(at) = self.next().filter(|at| *at <= time) {
            self.time = self.time.max(at);
            for slot in &mut self.slots {
                if slot.next().is_some_and(|next| next <= at) {
                    slot.advance(memory, self.shared.as_mut(), at);
                }
            }
            while self.posted.front().is_some_and(|posted| posted.at <= at)
                && let Some(posted) = self.posted.pop_front()
            {
                self.store(posted.address, &posted.bytes, memory, at);
            }
        }
        self.time = self.time.max(time);
    }

    /// Starts or stops the timing of transfers. Transfers in flight arrive at their old times.
    pub(crate) fn share(&mut self, shared: Option<Shared>) {
        self.shared = shared;
        self.reset_shared();
    }

    /// Caches and buses are reset, except for transfers under way.
    pub(crate) fn reset_shared(&mut self) {
        let down = self.posted.back().map_or(0, |posted| posted.at);
        let up = self.slots.iter().map(Slot::last_up).max().unwrap_or(0);
        if let Some(shared) = &mut self.shared {
            shared.reset(down, up);
        }
    }

    /// Timing of the ways.
    pub fn shared(&self) -> Option<&Shared> {
        self.shared.as_ref()
    }

    pub(crate) fn shared_mut(&mut self) -> Option<&mut Shared> {
        self.shared.as_mut()
    }

    /// The shared lines, those of devices turned as bridges do.
    pub fn lines(&self) -> [bool; LINES] {
        let mut lines = [false; LINES];
        for (number, slot) in self.slots.iter().enumerate() {
            lines[(number + 1) % LINES] |= slot.line();
        }
        lines
    }

    /// True if a function accepts a store now. A store to an unassigned address is lost at once.
    pub(crate) fn takes_store(&self, address: u64) -> bool {
        let number = if map::CONFIGURATION.contains(&address) {
            self.addressed(address)
        } else {
            let decoded = of_bus(address).and_then(|(space, address)| self.decoded(space, address));
            decoded.map(|(number, ..)| number)
        };
        number.is_none_or(|number| self.slots[number].function.takes_stores())
    }

    /// A load of up to 8 bytes: all ones where no function answers. `None` outside of the bus; a function that delays its answer
    /// returns [`Answer::Held`] or [`Answer::Awaited`].
    pub fn read(&mut self, address: u64, size: usize, memory: &mut Memory, time: u64) -> Option<Answer> {
        let none = Answer::Value(u64::MAX >> (64 - 8 * size));
        if map::CONFIGURATION.contains(&address) {
            let offset = address % SPACE_BYTES;
            let slot = self.addressed(address).filter(|_| offset < 256 && fits(address, size));
            let time = time.max(self.time);
            let Some(function) = slot.map(|number| &mut self.slots[number].function) else {
                return Some(none);
            };
            let value = function.read_configuration(offset, size, time).map(u64::from);
            return Some(Answer::of(value, function.as_ref()));
        }
        let (space, address) = of_bus(address)?;
        let time = self.now(memory, time);
        let Some((number, window, offset)) = self.decoded(space, address) else { return Some(none) };
        let slot = &mut self.slots[number];
        let answer = slot.function.read(window, offset, size, time);
        slot.serve(memory, self.shared.as_mut(), time);
        Some(Answer::of(answer, slot.function.as_ref()))
    }

    /// A store of up to 8 bytes: lost where no function answers; `None` outside of the bus.
    pub fn write(&mut self, address: u64, bytes: &[u8], memory: &mut Memory, time: u64) -> Option<()> {
        if !is_of_bus(address) {
            return None;
        }
        let time = self.now(memory, time);
        self.store(address, bytes, memory, time);
        Some(())
    }

    /// The same, with an address of the bus, when it arrives there.
    pub(crate) fn post(&mut self, address: u64, bytes: &[u8], at: u64) {
        let place = self.posted.partition_point(|posted| posted.at <= at);
        self.posted.insert(place, Posted { at, address, bytes: bytes.to_vec() });
    }

    fn store(&mut self, address: u64, bytes: &[u8], memory: &mut Memory, time: u64) {
        let size = bytes.len();
        let mut number = [0; 8];
        number[..size].copy_from_slice(bytes);
        let value = u64::from_le_bytes(number);
        let slot = if map::CONFIGURATION.contains(&address) {
            let offset = address % SPACE_BYTES;
            let slot = self.addressed(address).filter(|_| offset < 256 && fits(address, size));
            slot.map(|number| {
                let slot = &mut self.slots[number];
                slot.function.write_configuration(offset, size, value as u32, time);
                slot
            })
        } else {
            let decoded = of_bus(address).and_then(|(space, address)| self.decoded(space, address));
            decoded.map(|(number, window, offset)| {
                let slot = &mut self.slots[number];
                slot.function.write(window, offset, size, value, time);
                slot
            })
        };
        if let Some(slot) = slot {
            slot.serve(memory, self.shared.as_mut(), time);
        }
    }

    pub(crate) fn save(&self) -> Vec<SavedFunction> {
        self.slots.iter().map(Slot::save).collect()
    }

    /// Stores that have not arrived.
    pub(crate) fn posted(&self) -> impl Iterator<Item = &Posted> {
        self.posted.iter()
    }

    /// Restores a state of as many functions.
    pub(crate) fn restore(
        &mut self,
        saved: Vec<SavedFunction>,
        posted: Vec<Posted>,
        memory: &Memory,
    ) -> Result<(), String> {
        if posted.iter().any(|posted| !(1..=8).contains(&posted.bytes.len()))
            || !posted.is_sorted_by_key(|it| it.at)
        {
            return Err("it has stores to its bus that cannot be".to_owned());
        }
        for (slot, saved) in self.slots.iter_mut().zip(saved) {
            slot.restore(saved, memory)?;
        }
        self.posted = posted.into();
        Ok(())
    }

    /// The time of a reference, up to which everything has happened.
    fn now(&mut self, memory: &mut Memory, time: u64) -> u64 {
        let time = time.max(self.time);
        self.advance(memory, time);
        time
    }

    /// The number of the slot whose configuration space has an address.
    fn addressed(&self, address: u64) -> Option<usize> {
        let number = (address - map::CONFIGURATION.start) / SPACE_BYTES;
        let device = (number.is_multiple_of(FUNCTIONS_OF_DEVICE)).then_some(number / FUNCTIONS_OF_DEVICE)?;
        usize::try_from(device.checked_sub(1)?).ok().filter(|number| *number < self.slots.len())
    }

    /// The number of the slot with a window at an address, that of the window, and the offset there.
    fn decoded(&self, space: Space, address: u64) -> Option<(usize, usize, u64)> {
        self.slots.iter().enumerate().find_map(|(number, slot)| {
            let (window, offset) = slot.function.decode(space, address)?;
            Some((number, window, offset))
        })
    }
}

/// Result of a load.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A number.
    Value(u64),
    /// Not ready: the load is to be retried after the next event.
    Held,
    /// Not ready, and the load cannot be cancelled.
    Awaited,
}

impl Answer {
    fn of(value: Option<u64>, function: &dyn Function) -> Self {
        match value {
            Some(value) => Self::Value(value),
            None if function.is_awaited() => Self::Awaited,
            None => Self::Held,
        }
    }
}

/// True if an address of a hart belongs to the bus.
pub(crate) fn is_of_bus(address: u64) -> bool {
    map::CONFIGURATION.contains(&address) || of_bus(address).is_some()
}

fn fits(address: u64, size: usize) -> bool {
    size <= 4 && address % 4 + size as u64 <= 4
}

/// Bus address of an address of a hart.
fn of_bus(address: u64) -> Option<(Space, u64)> {
    if map::PORTS.contains(&address) {
        Some((Space::Ports, address - map::PORTS.start))
    } else if map::WINDOW.contains(&address) {
        Some((Space::Memory, address))
    } else {
        None
    }
}
