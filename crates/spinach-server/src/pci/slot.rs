//! A function on the bus, with the messages and transfers on their way to and from it.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::map;
use crate::memory::Memory;
use crate::pci::function::{Description, Function, Sent, Transfer};
use crate::timed::Shared;

/// A frame on its way to a function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Coming {
    pub(super) at: u64,
    pub(super) frame: Vec<u8>,
}

/// A transfer that the function waits for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Moving {
    /// Time at which memory is read, until it was.
    reads: Option<Read>,
    data: Vec<u8>,
    /// True if there is memory.
    is_answered: bool,
    /// Time at which written data arrives.
    written: u64,
    done: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Read {
    at: u64,
    place: usize,
    bytes: usize,
}

/// Bytes on their way to memory, which the function need not wait for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Landing {
    at: u64,
    address: u64,
    data: Vec<u8>,
}

/// Pending changes at a function. All of them wait for times of which the first comes next.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Underway {
    coming: VecDeque<Coming>,
    moving: Option<Moving>,
    landing: VecDeque<Landing>,
    /// Interrupt line as the interrupt controller sees it, and its future changes.
    line: bool,
    line_changes: VecDeque<(u64, bool)>,
    is_linked: bool,
}

#[derive(Debug)]
pub(super) struct Slot {
    pub(super) function: Box<dyn Function>,
    pub(super) sent: Vec<Sent>,
    /// Messages that have arrived, by address and value.
    pub(super) messages: VecDeque<(u64, u32)>,
    underway: Underway,
}

/// The state of a function, as a checkpoint has it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedFunction {
    /// Text of its description.
    kind: String,
    /// Its description, if it is recorded.
    #[serde(default)]
    described: Option<Description>,
    state: Value,
    underway: Underway,
    /// Frames of a step that is not complete.
    sent: Vec<Sent>,
}

impl SavedFunction {
    /// Its description; without parameters if only its text is recorded.
    pub(crate) fn description(&self) -> Description {
        let text = || Description::new(self.kind.clone(), &self.kind, []);
        self.described.clone().filter(|described| described.text == self.kind).unwrap_or_else(text)
    }
}

impl Slot {
    pub(super) fn new(function: Box<dyn Function>) -> Self {
        Self { function, sent: Vec::new(), messages: VecDeque::new(), underway: Underway::default() }
    }

    pub(super) fn is_linked(&self) -> bool {
        self.underway.is_linked
    }

    pub(super) fn set_link(&mut self, is_up: bool, shared: Option<&mut Shared>, time: u64) {
        self.underway.is_linked = is_up;
        self.function.set_link(is_up, time);
        self.follow_interrupt(shared, time);
    }

    pub(super) fn deliver(&mut self, coming: Coming) {
        self.underway.coming.push_back(coming);
    }

    /// Interrupt line as the interrupt controller sees it.
    pub(super) fn line(&self) -> bool {
        self.underway.line
    }

    /// Time of the next event.
    pub(super) fn next(&self) -> Option<u64> {
        let Underway { coming, moving, landing, line_changes, .. } = &self.underway;
        let reads = moving.as_ref().and_then(|moving| moving.reads).map(|read| read.at);
        [
            self.function.wakes_at(),
            coming.front().map(|coming| coming.at),
            reads,
            moving.as_ref().map(|moving| moving.done),
            landing.front().map(|landing| landing.at),
            line_changes.front().map(|(at, _)| *at),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Arrival of the last message that the function has sent and that was not seen yet.
    pub(super) fn last_up(&self) -> u64 {
        let Underway { landing, line_changes, .. } = &self.underway;
        let landing = landing.back().map(|landing| landing.at);
        landing.max(line_changes.back().map(|(at, _)| *at)).unwrap_or(0)
    }

    /// Processes the events that are due at a time, before which none are.
    pub(super) fn advance(&mut self, memory: &mut Memory, shared: Option<&mut Shared>, at: u64) {
        let mut shared = shared;
        self.move_data(memory, shared.as_deref_mut(), at);
        self.function.advance(at);
        self.serve(memory, shared.as_deref_mut(), at);
        while self.underway.coming.front().is_some_and(|coming| coming.at <= at)
            && let Some(Coming { frame, .. }) = self.underway.coming.pop_front()
        {
            self.function.receive(frame, at);
            self.serve(memory, shared.as_deref_mut(), at);
        }
        while self.underway.line_changes.front().is_some_and(|(time, _)| *time <= at)
            && let Some((_, is_high)) = self.underway.line_changes.pop_front()
        {
            self.underway.line = is_high;
        }
    }

    /// Bytes that arrive do so, and a transfer that is done ends.
    fn move_data(&mut self, memory: &mut Memory, shared: Option<&mut Shared>, at: u64) {
        let mut shared = shared;
        while self.underway.landing.front().is_some_and(|landing| landing.at <= at)
            && let Some(landed) = self.underway.landing.pop_front()
        {
            let _ = self.land(memory, landed.address, &landed.data);
            if let Some(shared) = shared.as_deref_mut()
                && let Some(place) = memory.place(landed.address, landed.data.len())
            {
                shared.wrote(place, landed.data.len(), at);
            }
        }
        let Some(moving) = &mut self.underway.moving else { return };
        if let Some(read) = moving.reads.take_if(|read| read.at <= at) {
            moving.data = memory.bytes()[read.place..read.place + read.bytes].to_vec();
        }
        let Some(moving) = self.underway.moving.take_if(|moving| moving.done <= at) else { return };
        if let Some(shared) = shared {
            shared.goes_on(moving.written);
        }
        self.function.transferred(moving.is_answered.then_some(moving.data.as_slice()), at);
    }

    /// Serves the transfers of the function: at once, or when the ways to memory have let them pass.
    pub(super) fn serve(&mut self, memory: &mut Memory, shared: Option<&mut Shared>, time: u64) {
        let mut shared = shared;
        while self.underway.moving.is_none()
            && self.function.configuration().is_bus_master()
            && let Some(transfer) = self.function.transfer()
        {
            match shared.as_deref_mut() {
                Some(shared) => self.begin(transfer, memory, shared, time),
                None => self.transfer_at_once(transfer, memory, time),
            }
        }
        while let Some(sent) = self.function.take_sent() {
            if self.underway.is_linked {
                self.sent.push(sent);
            }
        }
        self.follow_interrupt(shared, time);
    }

    fn transfer_at_once(&mut self, transfer: Transfer, memory: &mut Memory, time: u64) {
        // Of a time at which transfers took some.
        for landing in std::mem::take(&mut self.underway.landing) {
            let _ = self.land(memory, landing.address, &landing.data);
        }
        match transfer {
            Transfer::Read { address, bytes } => {
                let place = memory.place(address, bytes);
                let data = place.map(|place| memory.bytes()[place..place + bytes].to_vec());
                self.function.transferred(data.as_deref(), time);
            }
            Transfer::Write { address, data } => {
                let stored = self.land(memory, address, &data);
                self.function.transferred(stored.map(|()| [].as_slice()), time);
            }
        }
    }

    /// Stores bytes that arrive in memory, or takes them as a message; `None` where there is neither.
    fn land(&mut self, memory: &mut Memory, address: u64, data: &[u8]) -> Option<()> {
        if !map::is_message(address, data.len()) {
            return memory.store(address, data);
        }
        let value = data.try_into().map(u32::from_le_bytes).ok()?;
        self.messages.push_back((address, value));
        Some(())
    }

    fn begin(&mut self, transfer: Transfer, memory: &Memory, shared: &mut Shared, time: u64) {
        let mut moving = Moving { reads: None, data: Vec::new(), is_answered: false, written: 0, done: 0 };
        match transfer {
            Transfer::Read { address, bytes } => {
                let place = memory.place(address, bytes);
                let course = shared.reads(time, place, bytes);
                moving.reads = place.map(|place| Read { at: course.memory, place, bytes });
                (moving.is_answered, moving.done) = (place.is_some(), course.done);
            }
            Transfer::Write { address, data } => {
                let place = memory.place(address, data.len());
                let is_message = map::is_message(address, data.len());
                let course = match is_message {
                    true => shared.messages(time, data.len()),
                    false => shared.writes(time, place, data.len()),
                };
                (moving.is_answered, moving.done) = (place.is_some() || is_message, course.done);
                if moving.is_answered {
                    moving.written = course.memory;
                    self.underway.landing.push_back(Landing { at: course.memory, address, data });
                }
            }
        }
        self.underway.moving = Some(moving);
    }

    /// Sets the line to the function's interrupt, at once or when the interrupt controller learns of it.
    fn follow_interrupt(&mut self, shared: Option<&mut Shared>, time: u64) {
        let interrupts = self.function.interrupts();
        let is_high = self.function.configuration_mut().set_interrupt(interrupts);
        let Underway { line, line_changes, .. } = &mut self.underway;
        match shared {
            None => {
                line_changes.clear();
                *line = is_high;
            }
            Some(shared) => {
                if line_changes.back().map_or(*line, |(_, is_high)| *is_high) != is_high {
                    line_changes.push_back((shared.signals(time), is_high));
                }
            }
        }
    }

    pub(super) fn save(&self) -> SavedFunction {
        let described = self.function.describe();
        SavedFunction {
            kind: described.text.clone(),
            described: Some(described),
            state: self.function.save(),
            underway: self.underway.clone(),
            sent: self.sent.clone(),
        }
    }

    /// Restores a state of such a function.
    pub(super) fn restore(&mut self, saved: SavedFunction, memory: &Memory) -> Result<(), String> {
        let reads = saved.underway.moving.as_ref().and_then(|moving| moving.reads);
        let fits =
            |read: &Read| read.place.checked_add(read.bytes).is_some_and(|end| end <= memory.bytes().len());
        if !reads.iter().all(fits) {
            return Err("it has a transfer of memory that is not there".to_owned());
        }
        self.function.restore(saved.state)?;
        self.underway = saved.underway;
        self.sent = saved.sent;
        Ok(())
    }
}
