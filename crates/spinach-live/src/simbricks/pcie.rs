//! A PCI function as a device of SimBricks. Layouts are those of `lib/simbricks/pcie/proto.h`.
//!
//! The peer has configuration space and the table of message-signaled interrupts. This side explores the function before the handshake, puts its
//! windows at addresses that the peer never sees, and lets each vector send its number.

use std::collections::VecDeque;

use spinach_engine::{ModuleId, Simulation, Time};
use spinach_modules::bus::guest_messages::{ACCESS, Access, INTERRUPT_ADDRESSES, MEMORY, Said};

use super::channel::Message;
use super::handshake::Upper;
use super::queue::Queue;
use super::upper::{Carrier, number};
use crate::attached::MESSAGES;
use crate::guest::function::{Function, Messages, exploration};
use crate::live::{Entrance, Passage, counter};

const PROTOCOL: u64 = 2;
/// Bytes of the longest block of memory in a message.
const LONGEST_BLOCK: u64 = 9024;

const READ: u8 = 0x60;
const WRITE: u8 = 0x61;
const READ_ANSWER: u8 = 0x62;
const WRITE_ANSWER: u8 = 0x63;
const CONTROL: u8 = 0x64;
const POSTED_WRITE: u8 = 0x65;
const ENABLES_MESSAGES: u64 = 4;

const DEVICE_READ: u8 = 0x40;
const DEVICE_WRITE: u8 = 0x41;
const DEVICE_INTERRUPT: u8 = 0x42;
const DEVICE_READ_ANSWER: u8 = 0x43;
const DEVICE_WRITE_ANSWER: u8 = 0x44;
const LINE_HIGH: u8 = 0;
const LINE_LOW: u8 = 1;
const MESSAGE: u8 = 3;

/// In the flags of a window: its address has 64 bits.
const HAS_64_BITS: u64 = 2;
/// In the flags of a window: its memory is prefetchable.
const PREFETCHABLE: u64 = 4;
/// Command register with memory space and bus master enabled.
const COMMAND: Access = Access::WriteConfiguration { address: 4, size: 2, value: 6 };
/// Maximum number of accesses that wait for the function.
const MOST_ACCESSES: usize = 1 << 16;

/// End of a task.
#[derive(Debug)]
enum Then {
    Explored,
    Placed,
    Nothing,
    AnswerRead(u64),
    AnswerWrite(u64),
}

/// Accesses that the function performs one after the other, and the action after them.
#[derive(Debug)]
struct Task {
    // Bytes that each access reads.
    sizes: VecDeque<usize>,
    bytes: Vec<u8>,
    then: Then,
}

/// Access of the function to memory of the peer, in pieces that fit into slots; answered in the order of the accesses.
#[derive(Debug)]
struct Block {
    first: u64,
    // Data read, of each piece; nothing for a write.
    pieces: Vec<Option<Vec<u8>>>,
    sizes: Vec<usize>,
    is_write: bool,
}

/// Table of message-signaled interrupts and of those that wait, as the peer left it. The peer sees to both itself, so this has no effect.
#[derive(Debug, Default)]
struct Table {
    window: u64,
    start: u64,
    bytes: Vec<u8>,
}

impl Table {
    fn of(messages: &Messages) -> Self {
        let bytes = vec![0; 16 * messages.vectors as usize];
        Self { window: messages.window as u64, start: messages.table, bytes }
    }

    // Bytes of it that an access reads, none if it writes; nothing if the access is elsewhere.
    fn access(&mut self, window: u64, offset: u64, written: Result<&[u8], usize>) -> Option<Vec<u8>> {
        let place = offset.checked_sub(self.start).filter(|_| window == self.window)?;
        let found = self.bytes.get_mut(usize::try_from(place).ok()?..)?;
        match written {
            Ok(written) => found.get_mut(..written.len())?.copy_from_slice(written),
            Err(length) => return found.get(..length).map(<[u8]>::to_vec),
        }
        Some(Vec::new())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    New,
    Exploring,
    Ready,
}

/// A PCI function with a peer that is its host.
pub(super) struct Device {
    host: ModuleId,
    function: Function,
    table: Table,
    introduction: Vec<u8>,
    stage: Stage,
    tasks: VecDeque<Task>,
    accesses: usize,
    blocks: VecDeque<Block>,
    next_request: u64,
    sends_messages: bool,
    capacities: (usize, usize),
    said: u64,
    outbox: Vec<(Time, Message)>,
}

impl Device {
    /// The function that the module `host` reaches.
    pub(super) fn new(host: ModuleId) -> Self {
        Self {
            host,
            function: Function::default(),
            table: Table::default(),
            introduction: Vec::new(),
            stage: Stage::New,
            tasks: VecDeque::new(),
            accesses: 0,
            blocks: VecDeque::new(),
            next_request: 0,
            sends_messages: false,
            capacities: (LONGEST_BLOCK as usize, LONGEST_BLOCK as usize),
            said: 0,
            outbox: Vec::new(),
        }
    }

    fn inject(&self, simulation: &mut Simulation, lane: u32, message: &[u8]) -> Result<(), String> {
        let module = simulation.outside(self.host).ok_or("the host has no way in")?;
        module.inject(lane, message)
    }

    fn begin(&mut self, simulation: &mut Simulation, accesses: &[Access], then: Then) -> Result<(), String> {
        self.accesses += accesses.len();
        if self.accesses > MOST_ACCESSES {
            return Err(format!("more than {MOST_ACCESSES} accesses wait for the card"));
        }
        let read = |access: &Access| match access {
            Access::Read { size, .. } | Access::ReadConfiguration { size, .. } => usize::from(*size),
            _ => 0,
        };
        let sizes = accesses.iter().map(read).collect();
        for access in accesses {
            self.inject(simulation, ACCESS, &access.to_bytes())?;
        }
        self.tasks.push_back(Task { sizes, bytes: Vec::new(), then });
        self.end_tasks(simulation)
    }

    // Ends the tasks at the front whose accesses are done.
    fn end_tasks(&mut self, simulation: &mut Simulation) -> Result<(), String> {
        while self.tasks.front().is_some_and(|task| task.sizes.is_empty()) {
            let Some(Task { bytes, then, .. }) = self.tasks.pop_front() else { break };
            let answer = |kind, request: u64, payload| Message {
                kind,
                fields: request.to_le_bytes().to_vec(),
                payload,
            };
            let answer = match then {
                Then::Explored => {
                    self.function = Function::explored(&bytes);
                    self.table = Table::of(&self.function.messages);
                    self.introduction = introduction(&self.function, &bytes);
                    let accesses = [self.function.placement(), vec![COMMAND]].concat();
                    return self.begin(simulation, &accesses, Then::Placed);
                }
                Then::Placed => {
                    self.stage = Stage::Ready;
                    continue;
                }
                Then::Nothing => continue,
                Then::AnswerRead(request) => answer(DEVICE_READ_ANSWER, request, bytes),
                Then::AnswerWrite(request) => answer(DEVICE_WRITE_ANSWER, request, Vec::new()),
            };
            self.outbox.push((simulation.now(), answer));
        }
        Ok(())
    }

    // A read or a write of a window.
    fn access(&mut self, simulation: &mut Simulation, kind: u8, queue: &Queue) -> Result<(), String> {
        let fields = queue.fields();
        let field = |at, bytes| number(&fields, at, bytes);
        let (request, offset, length, window) = (field(0, 8), field(8, 8), field(16, 2), field(18, 1));
        let what = || format!("{length} bytes at {offset:#x} of base address register {window}");
        let written = if kind == READ {
            if length as usize > self.capacities.1 {
                return Err(format!("a read of {}, whose answer fits into no slot", what()));
            }
            None
        } else {
            let written = queue.payload(length as usize);
            Some(written.ok_or(format!("a write of {} in a smaller slot", what()))?)
        };
        let is_window = self.function.windows.get(window as usize).is_some_and(|window| window.size > 0);
        let accesses = self.function.accesses(window as u32, offset, length, written.as_deref());
        let Some(accesses) = accesses.filter(|_| is_window) else {
            return Err(format!("an access to {}, which does not exist", what()));
        };
        let then = match kind {
            READ => Then::AnswerRead(request),
            WRITE => Then::AnswerWrite(request),
            _ => Then::Nothing,
        };
        let written = written.as_deref().ok_or(length as usize);
        if let Some(bytes) = self.table.access(window, offset, written) {
            self.tasks.push_back(Task { sizes: VecDeque::new(), bytes, then });
            return self.end_tasks(simulation);
        }
        self.begin(simulation, &accesses, then)
    }

    // Vectors send messages while the peer has them enabled.
    fn control(&mut self, simulation: &mut Simulation, flags: u64) -> Result<(), String> {
        let vectors = self.function.messages.vectors;
        let is_enabled = flags & ENABLES_MESSAGES != 0 && vectors > 0;
        if is_enabled == self.sends_messages {
            return Ok(());
        }
        self.sends_messages = is_enabled;
        let mut accesses = self.function.arm(0..vectors, is_enabled);
        accesses.push(self.function.enable(is_enabled));
        self.begin(simulation, &accesses, Then::Nothing)
    }

    // An answer of the peer's memory.
    fn answer(&mut self, simulation: &mut Simulation, kind: u8, queue: &Queue) -> Result<(), String> {
        let request = number(&queue.fields(), 0, 8);
        let unknown = || format!("an answer to request {request}, which was not made");
        let is_write = kind == WRITE_ANSWER;
        let found = self.blocks.iter_mut().find_map(|block| {
            let place = usize::try_from(request.checked_sub(block.first)?).ok()?;
            (block.is_write == is_write).then_some(())?;
            let piece = block.pieces.get_mut(place)?;
            piece.is_none().then_some((piece, block.sizes[place]))
        });
        let (piece, size) = found.ok_or_else(unknown)?;
        let bytes = if is_write { Vec::new() } else { queue.payload(size).ok_or_else(unknown)? };
        *piece = Some(bytes);
        self.end_blocks(simulation)
    }

    // Answers the accesses at the front that the peer has answered.
    fn end_blocks(&mut self, simulation: &mut Simulation) -> Result<(), String> {
        while self.blocks.front().is_some_and(|block| block.pieces.iter().all(Option::is_some)) {
            let Some(block) = self.blocks.pop_front() else { break };
            let read: Vec<u8> = block.pieces.into_iter().flatten().flatten().collect();
            self.inject(simulation, MEMORY, &[&[1][..], &read].concat())?;
        }
        Ok(())
    }

    fn ask(&mut self, time: Time, address: u64, length: usize, written: Option<&[u8]>) {
        let is_write = written.is_some();
        let most = if is_write { self.capacities.1 } else { self.capacities.0 }.max(1);
        let first = self.next_request;
        let mut sizes = Vec::new();
        for offset in (0..length).step_by(most) {
            let size = most.min(length - offset);
            let fields =
                [&self.next_request.to_le_bytes()[..], &(address.wrapping_add(offset as u64)).to_le_bytes()];
            let fields = [&fields.concat()[..], &(size as u16).to_le_bytes()].concat();
            let kind = if is_write { DEVICE_WRITE } else { DEVICE_READ };
            let payload = written.map_or(Vec::new(), |bytes| bytes[offset..offset + size].to_vec());
            self.outbox.push((time, Message { kind, fields, payload }));
            self.next_request += 1;
            sizes.push(size);
        }
        self.blocks.push_back(Block { first, pieces: vec![None; sizes.len()], sizes, is_write });
    }

    fn interrupt(&mut self, time: Time, kind: u8, vector: u16) {
        let fields = [&vector.to_le_bytes()[..], &[kind]].concat();
        self.outbox.push((time, Message { kind: DEVICE_INTERRUPT, fields, payload: Vec::new() }));
    }

    fn hear(&mut self, simulation: &mut Simulation, time: Time, said: Said) -> Result<(), String> {
        match said {
            Said::Done(value) => {
                self.accesses = self.accesses.saturating_sub(1);
                if let Some(task) = self.tasks.front_mut()
                    && let Some(size) = task.sizes.pop_front()
                {
                    task.bytes.extend(&value.to_le_bytes()[..size]);
                }
                self.end_tasks(simulation)
            }
            Said::Read { address, length } => {
                self.ask(time, address, length as usize, None);
                self.end_blocks(simulation)
            }
            Said::Write { address, bytes } if INTERRUPT_ADDRESSES.contains(&address) => {
                let vector = number(&[&bytes[..], &[0; 2]].concat(), 0, 2) as u16;
                self.interrupt(time, MESSAGE, vector);
                let first = self.next_request;
                self.blocks.push_back(Block { first, pieces: vec![], sizes: vec![], is_write: true });
                self.end_blocks(simulation)
            }
            Said::Write { address, bytes } => {
                self.ask(time, address, bytes.len(), Some(&bytes));
                self.end_blocks(simulation)
            }
            Said::Interrupt(is_asserted) => {
                self.interrupt(time, if is_asserted { LINE_HIGH } else { LINE_LOW }, 0);
                Ok(())
            }
        }
    }
}

impl Carrier for Device {
    fn upper(&mut self, simulation: &mut Simulation) -> Result<Option<Upper>, String> {
        if self.stage == Stage::New {
            self.stage = Stage::Exploring;
            self.begin(simulation, &exploration(), Then::Explored)?;
        }
        let introduction = self.introduction.clone();
        let upper = Upper { number: PROTOCOL, introduction, payload: LONGEST_BLOCK };
        Ok((self.stage == Stage::Ready).then_some(upper))
    }

    fn fit(&mut self, incoming: usize, outgoing: usize) {
        let most = usize::from(u16::MAX);
        self.capacities = (incoming.min(most), outgoing.min(most));
    }

    fn stops_at(&self) -> Option<(ModuleId, &'static str, u64)> {
        Some((self.host, MESSAGES, self.said))
    }

    fn collect(
        &mut self,
        simulation: &mut Simulation,
        is_open: bool,
    ) -> Result<Vec<(Time, Message)>, String> {
        let said = counter(simulation, self.host, MESSAGES);
        if said != self.said {
            self.said = said;
            loop {
                let module = simulation.outside(self.host).ok_or("the host has no way out")?;
                let Some(out) = module.export(0) else { break };
                let said = Said::from_bytes(&out.message).ok_or("the card sent an unknown message")?;
                self.hear(simulation, out.time, said)?;
            }
        }
        // Messages from before its peer came wait for it.
        Ok(if is_open { std::mem::take(&mut self.outbox) } else { Vec::new() })
    }

    fn take(&mut self, simulation: &mut Simulation, kind: u8, queue: &Queue) -> Result<(), String> {
        match kind {
            READ | WRITE | POSTED_WRITE => self.access(simulation, kind, queue),
            READ_ANSWER | WRITE_ANSWER => self.answer(simulation, kind, queue),
            CONTROL => self.control(simulation, number(&queue.fields(), 0, 8)),
            _ => Err(format!("a message of type {kind:#04x}, which is not of a host")),
        }
    }

    fn is_vital(&self) -> bool {
        true
    }

    fn is_awaited(&self) -> bool {
        !self.tasks.is_empty()
    }

    fn passage(&self) -> Option<(&Entrance, &Passage)> {
        None
    }
}

// The introduction of a device, from its layout and the bytes of configuration space.
fn introduction(function: &Function, space: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for window in &function.windows {
        let flag = |is_set, flag| if is_set && window.size > 0 { flag } else { 0u64 };
        let flags = flag(window.has_64_bits(), HAS_64_BITS) | flag(window.is_prefetchable(), PREFETCHABLE);
        bytes.extend([window.size, flags].iter().flat_map(|word| word.to_le_bytes()));
    }
    bytes.extend(&space[0..4]); // vendor and device
    bytes.extend([space[11], space[10], space[8], space[9]]); // class, subclass, revision, interface
    bytes.push(0); // vectors of MSI, which no card has
    let messages = &function.messages;
    bytes.extend((messages.vectors as u16).to_le_bytes());
    bytes.extend([messages.window as u8, messages.pending_window as u8]);
    bytes.extend((messages.table as u32).to_le_bytes());
    bytes.extend((messages.pending as u32).to_le_bytes());
    bytes.extend((messages.capability as u16).to_le_bytes());
    bytes
}
