//! The host bridge: configuration space, the windows through which harts refer to functions, and the transfers of functions.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::map;
use crate::memory::Memory;
use crate::pci::configuration::Space;
use crate::pci::function::{Function, Sent, Transfer};

/// The lines that functions share for their interrupts.
pub const LINES: usize = 4;
const SPACE_BYTES: u64 = 4096;
const FUNCTIONS_OF_DEVICE: u64 = 8;
/// The most functions, each a device by itself; device 0 would be the bridge.
pub const SLOTS_MAXIMUM: usize = 31;

/// A frame on its way to a function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Coming {
    at: u64,
    frame: Vec<u8>,
}

#[derive(Debug)]
struct Slot {
    function: Box<dyn Function>,
    coming: VecDeque<Coming>,
    sent: Vec<Sent>,
    is_linked: bool,
}

impl Slot {
    /// Lets the function have what it asks for: transfers take no time here.
    fn serve(&mut self, memory: &mut Memory, time: u64) {
        while self.function.configuration().is_bus_master()
            && let Some(transfer) = self.function.transfer()
        {
            match transfer {
                Transfer::Read { address, bytes } => {
                    let place = memory.place(address, bytes);
                    let data = place.map(|place| memory.bytes()[place..place + bytes].to_vec());
                    self.function.transferred(data.as_deref(), time);
                }
                Transfer::Write { address, data } => {
                    let stored = memory.store_from_device(address, &data);
                    self.function.transferred(stored.map(|()| [].as_slice()), time);
                }
            }
        }
        while let Some(sent) = self.function.take_sent() {
            if self.is_linked {
                self.sent.push(sent);
            }
        }
    }

    fn next(&self) -> Option<u64> {
        let coming = self.coming.front().map(|coming| coming.at);
        [coming, self.function.wakes_at()].into_iter().flatten().min()
    }
}

/// The state of a function, as a checkpoint has it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedFunction {
    pub(crate) kind: String,
    state: Value,
    coming: VecDeque<Coming>,
    is_linked: bool,
}

/// The bridge, with the functions behind it. Times are in picoseconds.
#[derive(Debug, Default)]
pub struct HostBridge {
    slots: Vec<Slot>,
    /// When the bus was last looked at: harts that take turns may refer to it at earlier times, which count as this one.
    time: u64,
}

impl HostBridge {
    /// Puts a function on the bus, as device 1, 2 and so on.
    pub fn attach(&mut self, function: Box<dyn Function>) {
        self.slots.push(Slot { function, coming: VecDeque::new(), sent: Vec::new(), is_linked: false });
    }

    /// How many functions there are.
    pub fn functions(&self) -> usize {
        self.slots.len()
    }

    /// A function.
    pub fn function(&self, number: usize) -> Option<&dyn Function> {
        self.slots.get(number).map(|slot| slot.function.as_ref())
    }

    /// Connects the link of a function, whose frames are then kept until they are taken.
    pub fn set_link(&mut self, number: usize, is_up: bool) {
        let time = self.time;
        if let Some(slot) = self.slots.get_mut(number).filter(|slot| slot.is_linked != is_up) {
            slot.is_linked = is_up;
            slot.function.set_link(is_up, time);
        }
    }

    /// A frame is to arrive at a function when its last bit does. Frames are given in the order of their times.
    pub fn deliver(&mut self, number: usize, frame: Vec<u8>, at: u64) {
        if let Some(slot) = self.slots.get_mut(number) {
            slot.coming.push_back(Coming { at, frame });
        }
    }

    /// Takes the frames that a function has put on its link.
    pub fn take_sent(&mut self, number: usize) -> Vec<Sent> {
        self.slots.get_mut(number).map(|slot| std::mem::take(&mut slot.sent)).unwrap_or_default()
    }

    /// When something happens next that no hart does.
    pub fn next(&self) -> Option<u64> {
        self.slots.iter().filter_map(Slot::next).min()
    }

    /// Lets happen what happens by itself up to a time.
    pub fn advance(&mut self, memory: &mut Memory, time: u64) {
        self.time = self.time.max(time);
        for slot in &mut self.slots {
            while let Some(at) = slot.next().filter(|at| *at <= time) {
                slot.function.advance(at);
                slot.serve(memory, at);
                while slot.coming.front().is_some_and(|coming| coming.at <= at)
                    && let Some(Coming { frame, .. }) = slot.coming.pop_front()
                {
                    slot.function.receive(frame, at);
                    slot.serve(memory, at);
                }
            }
        }
    }

    /// The shared lines, those of devices turned as bridges do.
    pub fn lines(&mut self) -> [bool; LINES] {
        let mut lines = [false; LINES];
        for (number, slot) in self.slots.iter_mut().enumerate() {
            let interrupts = slot.function.interrupts();
            lines[(number + 1) % LINES] |= slot.function.configuration_mut().set_interrupt(interrupts);
        }
        lines
    }

    /// A load of up to 8 bytes: all ones where no function answers. `None` outside of the bus; a function that holds its answer back
    /// says [`Answer::Held`].
    pub fn read(&mut self, address: u64, size: usize, memory: &mut Memory, time: u64) -> Option<Answer> {
        let none = Answer::Value(u64::MAX >> (64 - 8 * size));
        if map::CONFIGURATION.contains(&address) {
            let offset = address % SPACE_BYTES;
            let slot = self.addressed(address).filter(|_| offset < 256 && fits(address, size));
            let value = |slot: &mut Slot| slot.function.configuration().read(offset, size);
            return Some(slot.map_or(none, |slot| Answer::Value(value(slot).into())));
        }
        let (space, address) = of_bus(address)?;
        let time = self.now(memory, time);
        let Some((slot, window, offset)) = self.decoded(space, address) else { return Some(none) };
        let answer = slot.function.read(window, offset, size, time);
        slot.serve(memory, time);
        Some(answer.map_or(Answer::Held, Answer::Value))
    }

    /// A store of up to 8 bytes: lost where no function answers; `None` outside of the bus.
    pub fn write(&mut self, address: u64, bytes: &[u8], memory: &mut Memory, time: u64) -> Option<()> {
        let size = bytes.len();
        let mut number = [0; 8];
        number[..size].copy_from_slice(bytes);
        let value = u64::from_le_bytes(number);
        if map::CONFIGURATION.contains(&address) {
            let (offset, time) = (address % SPACE_BYTES, self.now(memory, time));
            if let Some(slot) = self.addressed(address).filter(|_| offset < 256 && fits(address, size)) {
                slot.function.configuration_mut().write(offset, size, value as u32);
                slot.serve(memory, time);
            }
            return Some(());
        }
        let (space, address) = of_bus(address)?;
        let time = self.now(memory, time);
        if let Some((slot, window, offset)) = self.decoded(space, address) {
            slot.function.write(window, offset, size, value, time);
            slot.serve(memory, time);
        }
        Some(())
    }

    pub(crate) fn save(&self) -> Vec<SavedFunction> {
        let saved = |slot: &Slot| SavedFunction {
            kind: slot.function.describe(),
            state: slot.function.save(),
            coming: slot.coming.clone(),
            is_linked: slot.is_linked,
        };
        self.slots.iter().map(saved).collect()
    }

    /// Goes on from a state of as many functions.
    pub(crate) fn restore(&mut self, saved: Vec<SavedFunction>) -> Result<(), String> {
        for (slot, saved) in self.slots.iter_mut().zip(saved) {
            slot.function.restore(saved.state)?;
            (slot.coming, slot.is_linked) = (saved.coming, saved.is_linked);
        }
        Ok(())
    }

    /// The time of a reference, up to which everything has happened.
    fn now(&mut self, memory: &mut Memory, time: u64) -> u64 {
        let time = time.max(self.time);
        self.advance(memory, time);
        time
    }

    fn addressed(&mut self, address: u64) -> Option<&mut Slot> {
        let number = (address - map::CONFIGURATION.start) / SPACE_BYTES;
        let device = (number.is_multiple_of(FUNCTIONS_OF_DEVICE)).then_some(number / FUNCTIONS_OF_DEVICE)?;
        self.slots.get_mut(usize::try_from(device.checked_sub(1)?).ok()?)
    }

    fn decoded(&mut self, space: Space, address: u64) -> Option<(&mut Slot, usize, u64)> {
        self.slots.iter_mut().find_map(|slot| {
            let (window, offset) = slot.function.configuration().decode(space, address)?;
            Some((slot, window, offset))
        })
    }
}

/// What a load gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A number.
    Value(u64),
    /// Nothing yet: it is to be tried again when something has happened.
    Held,
}

fn fits(address: u64, size: usize) -> bool {
    size <= 4 && address % 4 + size as u64 <= 4
}

/// Where on the bus an address of a hart is.
fn of_bus(address: u64) -> Option<(Space, u64)> {
    if map::PORTS.contains(&address) {
        Some((Space::Ports, address - map::PORTS.start))
    } else if map::WINDOW.contains(&address) {
        Some((Space::Memory, address))
    } else {
        None
    }
}
