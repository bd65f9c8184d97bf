//! A port of the bus: the functions behind it are outside of the machine.
//!
//! References of harts leave, each with its departure time, and their answers come back at a later time, as do transfers that the
//! functions request and changes of their interrupt line. A load waits for its answer. Stores are posted: a limited number may be
//! unanswered before the next one waits. Input is processed in order, so that an interrupt or an answer is seen after everything
//! written before it.
//!
//! The caller outside must not announce input for a time that the machine has reached.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::pci::configuration::{ConfigurationSpace, Identity, Space};
use crate::pci::function::{Description, Function, Sent, Transfer};

/// The widest reference on the bus.
const WIDEST: usize = 4;
const COMMAND: u64 = 4;
const BUS_MASTER: u32 = 4;

/// Address space of a reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Reached {
    /// Configuration space, by offset.
    Configuration,
    /// Memory space, by address.
    Memory,
}

/// Output of the machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Said {
    /// A load of 1, 2 or 4 bytes at a multiple of that.
    Read {
        /// Address space.
        space: Reached,
        /// Address.
        address: u64,
        /// Bytes.
        size: u8,
    },
    /// A store of as many.
    Write {
        /// Address space.
        space: Reached,
        /// Address.
        address: u64,
        /// Bytes.
        size: u8,
        /// Value, little-endian.
        value: u32,
    },
    /// The oldest transfer is done, with the bytes that were read; `None` where there is no memory.
    Done(Option<Vec<u8>>),
}

/// Input of the machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Coming {
    /// The answer to the oldest reference, of no meaning for a store.
    Answer(u32),
    Transfer(Transfer),
    Line(bool),
}

/// A load that waits for its answers, each of a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Load {
    space: Reached,
    address: u64,
    size: usize,
    missing: usize,
    value: u64,
    bits: u32,
}

/// A reference without an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Unanswered {
    Load { bits: u32 },
    Store,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct State {
    said: VecDeque<(u64, Said)>,
    last: u64,
    unanswered: VecDeque<Unanswered>,
    load: Option<Load>,
    coming: VecDeque<(u64, Coming)>,
    /// A transfer that the bridge has not taken yet.
    next: Option<Transfer>,
    /// Transfer under way, if any: true if it writes.
    moving: Option<bool>,
    line: bool,
}

/// The port. Times are picoseconds since the start of the machine.
#[derive(Debug)]
pub struct Port {
    /// Configuration of the port itself: those behind it have separate ones.
    configuration: ConfigurationSpace,
    posted: usize,
    state: State,
}

impl Port {
    /// Port that takes `posted` stores before the first is answered.
    pub fn new(posted: usize) -> Self {
        let identity = Identity {
            vendor: 0,
            device: 0,
            class: 0,
            revision: 0,
            subsystem_vendor: 0,
            subsystem: 0,
            status: 0,
            minimum_grant: 0,
            maximum_latency: 0,
        };
        let mut configuration = ConfigurationSpace::new(&identity, &[]);
        // Devices behind the port have their own enable bits for transfers.
        configuration.write(COMMAND, 2, BUS_MASTER);
        Self { configuration, posted: posted.max(1), state: State::default() }
    }

    /// Departure of the next message that has left.
    pub fn said_at(&self) -> Option<u64> {
        self.state.said.front().map(|(at, _)| *at)
    }

    /// Takes the next of what has left.
    pub fn take_said(&mut self) -> Option<(u64, Said)> {
        self.state.said.pop_front()
    }

    /// The answer to the oldest reference that has none comes in; its value is of no meaning if that is a store.
    pub fn answer(&mut self, at: u64, value: u32) {
        self.state.coming.push_back((at, Coming::Answer(value)));
    }

    /// A function asks for a transfer.
    pub fn ask(&mut self, at: u64, transfer: Transfer) {
        self.state.coming.push_back((at, Coming::Transfer(transfer)));
    }

    /// The interrupt line changes.
    pub fn set_line(&mut self, at: u64, is_high: bool) {
        self.state.coming.push_back((at, Coming::Line(is_high)));
    }

    fn say(&mut self, at: u64, said: Said) {
        // Harts that take turns may refer at earlier times, which count as this one.
        self.state.last = self.state.last.max(at);
        self.state.said.push_back((self.state.last, said));
    }

    fn load(&mut self, space: Reached, address: u64, size: usize, time: u64) -> Option<u64> {
        match self.state.load {
            Some(load) if (load.space, load.address, load.size) == (space, address, size) => {
                (load.missing == 0).then(|| {
                    self.state.load = None;
                    load.value
                })
            }
            // Of another hart, whose answer comes first.
            Some(_) => None,
            None => {
                let parts: Vec<_> = parts(address, size).collect();
                let load = Load { space, address, size, missing: parts.len(), value: 0, bits: 0 };
                self.state.load = Some(load);
                for (address, size) in parts {
                    self.state.unanswered.push_back(Unanswered::Load { bits: 8 * size as u32 });
                    self.say(time, Said::Read { space, address, size: size as u8 });
                }
                None
            }
        }
    }

    fn store(&mut self, space: Reached, (address, size): (u64, usize), value: u64, time: u64) {
        for (part, size) in parts(address, size) {
            let value = (value >> (8 * (part - address))) as u32 & (u32::MAX >> (32 - 8 * size));
            self.state.unanswered.push_back(Unanswered::Store);
            self.say(time, Said::Write { space, address: part, size: size as u8, value });
        }
    }

    /// True if the next input may be seen, after the one before it.
    fn may_pass(&self, coming: &Coming) -> bool {
        let State { next, moving, .. } = &self.state;
        match coming {
            Coming::Transfer(_) => next.is_none() && moving.is_none(),
            Coming::Answer(_) | Coming::Line(_) => {
                let writes = next.as_ref().is_some_and(|next| matches!(next, Transfer::Write { .. }));
                !writes && *moving != Some(true)
            }
        }
    }

    fn see(&mut self, coming: Coming) {
        let state = &mut self.state;
        match coming {
            Coming::Line(is_high) => state.line = is_high,
            Coming::Transfer(transfer) => state.next = Some(transfer),
            Coming::Answer(value) => {
                let Some(Unanswered::Load { bits }) = state.unanswered.pop_front() else { return };
                let Some(load) = &mut state.load else { return };
                load.value |= (u64::from(value) & (u64::MAX >> (64 - bits))) << load.bits;
                load.bits += bits;
                load.missing = load.missing.saturating_sub(1);
            }
        }
    }
}

/// A reference of up to 8 bytes as the bus carries it: aligned, and at most [`WIDEST`].
fn parts(address: u64, size: usize) -> impl Iterator<Item = (u64, usize)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let (part, left) = (address + done as u64, size - done);
        let aligned = 1 << part.trailing_zeros().min(WIDEST.trailing_zeros());
        let widest = left.checked_ilog2().map(|bits| 1 << bits)?;
        let size = widest.min(aligned);
        done += size;
        Some((part, size))
    })
}

impl Function for Port {
    fn describe(&self) -> Description {
        let text = format!("a port that takes {} stores", self.posted);
        Description::new(text, "port", [("posted", self.posted.to_string())])
    }

    fn configuration(&self) -> &ConfigurationSpace {
        &self.configuration
    }

    fn configuration_mut(&mut self) -> &mut ConfigurationSpace {
        &mut self.configuration
    }

    fn decode(&self, space: Space, address: u64) -> Option<(usize, u64)> {
        // The port learns from the answer if a function behind it has the address.
        (space == Space::Memory).then_some((0, address))
    }

    fn read_configuration(&mut self, offset: u64, size: usize, time: u64) -> Option<u32> {
        self.load(Reached::Configuration, offset, size, time).map(|value| value as u32)
    }

    fn write_configuration(&mut self, offset: u64, size: usize, value: u32, time: u64) {
        self.store(Reached::Configuration, (offset, size), value.into(), time);
    }

    fn read(&mut self, _: usize, address: u64, size: usize, time: u64) -> Option<u64> {
        self.load(Reached::Memory, address, size, time)
    }

    fn write(&mut self, _: usize, address: u64, size: usize, value: u64, time: u64) {
        self.store(Reached::Memory, (address, size), value, time);
    }

    fn takes_stores(&self) -> bool {
        let stores = self.state.unanswered.iter().filter(|it| **it == Unanswered::Store);
        stores.count() < self.posted
    }

    fn is_awaited(&self) -> bool {
        true
    }

    fn transfer(&mut self) -> Option<Transfer> {
        let transfer = self.state.next.take()?;
        self.state.moving = Some(matches!(transfer, Transfer::Write { .. }));
        Some(transfer)
    }

    fn transferred(&mut self, data: Option<&[u8]>, time: u64) {
        self.state.moving = None;
        self.say(time, Said::Done(data.map(<[u8]>::to_vec)));
        self.advance(time);
    }

    fn wakes_at(&self) -> Option<u64> {
        let (at, coming) = self.state.coming.front()?;
        self.may_pass(coming).then_some(*at)
    }

    fn advance(&mut self, time: u64) {
        while let Some((at, coming)) = self.state.coming.front()
            && *at <= time
            && self.may_pass(coming)
            && let Some((_, coming)) = self.state.coming.pop_front()
        {
            self.see(coming);
        }
    }

    fn interrupts(&self) -> bool {
        self.state.line
    }

    fn set_link(&mut self, _: bool, _: u64) {}

    fn receive(&mut self, _: Vec<u8>, _: u64) {}

    fn take_sent(&mut self) -> Option<Sent> {
        None
    }

    fn shortest_frame_time(&self) -> u64 {
        u64::MAX
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    fn save(&self) -> Value {
        serde_json::to_value(&self.state).unwrap_or_default()
    }

    fn restore(&mut self, state: Value) -> Result<(), String> {
        let state: State = serde_json::from_value(state).map_err(|error| error.to_string())?;
        let bits: u32 = state.load.iter().map(|load| load.bits).sum();
        if bits > 64
            || state
                .unanswered
                .iter()
                .any(|it| matches!(it, Unanswered::Load { bits } if !(8..=32).contains(bits)))
        {
            return Err("its port waits for answers that cannot be".to_owned());
        }
        self.state = state;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_carried_in_aligned_parts_that_cover_it() {
        for (address, size) in (0..16).flat_map(|address| (1..=8).map(move |size| (address, size))) {
            let mut next = address;
            for (part, bytes) in parts(address, size) {
                assert!(part == next && [1, 2, 4].contains(&bytes) && part.is_multiple_of(bytes as u64));
                next += bytes as u64;
            }
            assert_eq!(next, address + size as u64, "{address} {size}");
        }
        assert_eq!(parts(0x1004, 8).collect::<Vec<_>>(), [(0x1004, 4), (0x1008, 4)]);
        assert_eq!(parts(0x1001, 4).collect::<Vec<_>>(), [(0x1001, 1), (0x1002, 2), (0x1004, 1)]);
    }

    #[test]
    fn what_comes_after_a_write_is_seen_after_it() {
        let mut port = Port::new(1);
        assert_eq!(port.read(0, 0x4000_0000, 8, 100), None);
        assert_eq!([port.take_said(), port.take_said()].map(|said| said.unwrap().0), [100, 100]);
        port.ask(200, Transfer::Write { address: 0x8000_0000, data: vec![1] });
        port.answer(200, 0x1111_1111);
        port.set_line(200, true);
        port.advance(200);
        assert_eq!((port.wakes_at(), port.interrupts()), (None, false));
        assert!(port.transfer().is_some() && port.transfer().is_none());
        port.transferred(Some(&[]), 250);
        assert!(port.interrupts() && port.said_at() == Some(250));
        port.answer(300, 0x2222_2222);
        assert_eq!(port.wakes_at(), Some(300));
        port.advance(300);
        assert_eq!(port.read(0, 0x4000_0000, 8, 300), Some(0x2222_2222_1111_1111));
        // One store may be on its way.
        assert!(port.takes_stores());
        port.write(0, 0x4000_0000, 4, 5, 300);
        assert!(!port.takes_stores());
        port.answer(400, 0);
        port.advance(400);
        assert!(port.takes_stores());
    }
}
