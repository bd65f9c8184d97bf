//! `command_port`: registers through which a host commands the units of a card, and moves bytes between their memories and its own.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, Output, Payload, Process, Signals, Size, ack, data, parameters,
    ports,
};

use crate::parts::mover::{Finished, Mover};
use crate::values::{Access, Block, BlockResponse, Reference, Response};

parameters! {
    /// The parameters of a command port.
    pub struct CommandPortParameters {
        /// Bytes of the window of the host.
        pub window: Size = Size(64 << 10) => in 4096..=1 << 30,
        /// Offset of the registers in it.
        pub registers: u64 = 0x400 => in 0..=0xffff_f000,
        /// Most bytes of an order to move memory.
        pub largest_move: Size = Size(16 << 10) => in 16..=1 << 20,
        /// Address bits of a unit of zone 0.
        pub unit_bits: u32 = 26 => in 6..=40,
        /// First address of zones 1 to 3: of each 64 KiB, and of each unit 256 bytes.
        pub zones: u64 = 1 << 40,
    }
}

ports! {
    /// Ports of a command port.
    pub struct CommandPortPorts {
        /// The window of the host.
        pub access: { request: Input<Reference>, response: Output<Response> },
        /// Host memory.
        pub memory: { request: Output<Block>, response: Input<BlockResponse> },
        /// Registers and memories of the units, in lines of 16 bytes.
        pub card: { request: Output<Reference>, response: Input<Response> },
    }
}

/// State of a command port.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CommandPortState {
    answers: VecDeque<Response>,
    is_enabled: bool,
    data: u32,
    to_card: Order,
    to_host: Order,
    mover: Mover,
    blocks: VecDeque<Block>,
    // For each block under way, whether it reads host memory.
    asked: VecDeque<bool>,
}

/// Order to move bytes of memory in one direction, as its registers hold it.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Order {
    host: u64,
    card: u32,
    length: u32,
    // Tag of the order under way, and of the last that is done.
    tag: Option<u32>,
    done: u32,
}

/// Registers of a host that commands the units of a card. See its declaration.
pub struct CommandPort {
    parameters: CommandPortParameters,
    ports: CommandPortPorts,
    state: CommandPortState,
}

const COMMANDS: usize = 0;
const MOVES: usize = 1;
const BYTES_TO_CARD: usize = 2;
const BYTES_TO_HOST: usize = 3;
const FAULTS: usize = 4;

/// Offsets of registers.
mod offset {
    pub(super) const ENABLE: u64 = 0x00;
    pub(super) const DATA: u64 = 0x04;
    pub(super) const COMMAND: u64 = 0x08;
    pub(super) const TO_CARD: u64 = 0x40;
    pub(super) const TO_HOST: u64 = 0x60;
    /// Within each of the two.
    pub(super) const HOST_LOW: u64 = 0x00;
    pub(super) const HOST_HIGH: u64 = 0x04;
    pub(super) const CARD: u64 = 0x08;
    pub(super) const LENGTH: u64 = 0x10;
    pub(super) const TAG: u64 = 0x14;
    pub(super) const DONE: u64 = 0x18;
    pub(super) const END: u64 = 0x80;
}

/// Word that is read where nothing answers.
const NOTHING: u32 = 0xfefe_fefe;
/// Bit of a command that writes.
const WRITES: u32 = 1 << 31;
/// Answers that wait at most.
const ANSWERS: usize = 4;

/// Operations of the mover.
mod tag {
    pub(super) const COMMAND: u64 = 0;
    pub(super) const READING: u64 = 1;
    pub(super) const TO_CARD: u64 = 2;
    pub(super) const TO_HOST: u64 = 3;
}

const DOCUMENTATION: &str = "Registers through which a host commands the units of a card, and moves bytes between their memories and its own.

A command names a zone (bits 29 and 30), a unit (from bit 4 on) and a register of it (bits 0 to 3); bit 31 writes `DATA` there, otherwise `DATA` becomes what the \
register reads. An order to move bytes begins when its tag is written, and is over when `DONE` reads as that tag; one of each direction is under way at a time. \
It is not done if DMA is not enabled, if it is longer than `largest_move`, or if the bus or the card answers with a fault, which is counted.

Registers (aligned 32-bit words, from `registers` on):

| offset | name | content |
|---|---|---|
| 0x00 | `ENABLE` | bit 0: DMA is enabled |
| 0x04 | `DATA` | data of commands |
| 0x08 | `COMMAND` | a store begins a command |
| 0x40, 0x44 | `TO_CARD_HOST` | address in host memory, low and high |
| 0x48 | `TO_CARD_CARD` | address on the card: the unit of zone 0, and behind it an address of its core |
| 0x50 | `TO_CARD_LENGTH` | bytes |
| 0x54 | `TO_CARD_TAG` | a store begins the order |
| 0x58 | `TO_CARD_DONE` | tag of the last order that is done |
| 0x60 to 0x78 | `TO_HOST` | the same from the card to host memory |";

impl Module for CommandPort {
    type Parameters = CommandPortParameters;
    type Ports = CommandPortPorts;
    type State = CommandPortState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "command_port",
            family: "bus",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. A load is answered in the next cycle, by what the registers hold then: a command that reads is over when its line \
                     has come. Bytes move to and from the card in lines of 16, one in a cycle.",
            source: "Rosebud (ASPLOS 2023), published RTL and host tools, commit c593d596: registers of the host",
            parameters: CommandPortParameters::declare(),
            ports: CommandPortPorts::declare(),
            counters: &[
                ("commands", "commands begun"),
                ("moves", "orders to move bytes that are done"),
                ("bytes_to_card", "bytes that were moved to the card"),
                ("bytes_to_host", "bytes that were moved to host memory"),
                ("faults", "commands and orders that failed"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: CommandPortParameters, ports: CommandPortPorts) -> Result<Self, String> {
        if parameters.registers + offset::END > parameters.window.0 {
            return Err("registers: they reach beyond the window".to_owned());
        }
        let state = CommandPortState {
            answers: VecDeque::new(),
            is_enabled: false,
            data: 0,
            to_card: Order::default(),
            to_host: Order::default(),
            mover: Mover::new(16, 8, 0)?,
            blocks: VecDeque::new(),
            asked: VecDeque::new(),
        };
        Ok(Self { parameters, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = CommandPortPorts;
        let drives = [
            data(P::ACCESS_RESPONSE),
            ack(P::ACCESS_REQUEST),
            data(P::MEMORY_REQUEST),
            data(P::CARD_REQUEST),
        ];
        vec![Process::new(0).drives(drives).accepts([P::MEMORY_RESPONSE, P::CARD_RESPONSE])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        signals.write(ports.access_response, state.answers.front().copied());
        signals.acknowledge(ports.access_request, state.answers.len() < ANSWERS);
        signals.write(ports.memory_request, state.blocks.front().copied());
        state.mover.evaluate(ports.card_request, signals);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_sent(self.ports.access_response) {
            self.state.answers.pop_front();
        }
        if edge.signals.is_sent(self.ports.memory_request)
            && let Some(block) = self.state.blocks.pop_front()
        {
            self.state.asked.push_back(block.write.is_none());
        }
        if let Some(response) = edge.signals.received(self.ports.memory_response) {
            self.end_block(response, edge);
        }
        if let Some(finished) =
            self.state.mover.commit(self.ports.card_request, self.ports.card_response, edge)
        {
            self.end_move(finished, edge);
        }
        if let Some(reference) = edge.signals.received(self.ports.access_request) {
            self.take(reference, edge);
        }
    }

    fn idle(&self) -> Idle {
        Idle::UntilTransfer
    }

    fn state(&self) -> &CommandPortState {
        &self.state
    }

    fn restore(&mut self, state: CommandPortState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

impl CommandPort {
    fn take(&mut self, reference: Reference, edge: &mut Edge<'_>) {
        let Reference { address, access, size, data, .. } = reference;
        let is_word = size == 4 && address.is_multiple_of(4) && address < self.parameters.window.0;
        if !is_word || !matches!(access, Access::Read | Access::Write) {
            return self.state.answers.push_back(Response::FAULT);
        }
        let at = address.wrapping_sub(self.parameters.registers);
        let word = if access == Access::Write {
            self.write(at, data as u32, edge);
            0
        } else {
            self.read(at)
        };
        self.state.answers.push_back(Response { data: word.into(), is_fault: false });
    }

    fn read(&self, at: u64) -> u32 {
        let state = &self.state;
        match at {
            offset::ENABLE => state.is_enabled.into(),
            offset::DATA => state.data,
            offset::TO_CARD..offset::TO_HOST => state.to_card.read(at - offset::TO_CARD),
            offset::TO_HOST..offset::END => state.to_host.read(at - offset::TO_HOST),
            _ => NOTHING,
        }
    }

    fn write(&mut self, at: u64, word: u32, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        match at {
            offset::ENABLE => state.is_enabled = word & 1 != 0,
            offset::DATA => state.data = word,
            offset::COMMAND => self.command(word, edge),
            offset::TO_CARD..offset::TO_HOST if state.to_card.write(at - offset::TO_CARD, word) => {
                self.begin_to_card(edge);
            }
            offset::TO_HOST..offset::END if state.to_host.write(at - offset::TO_HOST, word) => {
                self.begin_to_host(edge);
            }
            _ => {}
        }
    }

    fn command(&mut self, word: u32, edge: &mut Edge<'_>) {
        edge.count(COMMANDS, 1);
        let (zone, unit, register) =
            (u64::from(word >> 29 & 3), u64::from(word >> 4 & 0xff), u64::from(word & 0xf));
        let address = if zone == 0 {
            unit << self.parameters.unit_bits
        } else {
            self.parameters.zones | zone << 16 | unit << 8
        };
        let address = address | register << 2;
        let state = &mut self.state;
        if word & WRITES != 0 {
            state.mover.write(tag::COMMAND, address, state.data.to_le_bytes().to_vec());
        } else {
            state.mover.read(tag::READING, address, 4);
        }
    }

    /// True if an order may begin; otherwise it has failed.
    fn may_move(&mut self, order: Order, edge: &mut Edge<'_>) -> bool {
        let may = self.state.is_enabled
            && order.length > 0
            && u64::from(order.length) <= self.parameters.largest_move.0;
        edge.count(FAULTS, u64::from(!may));
        may
    }

    fn begin_to_card(&mut self, edge: &mut Edge<'_>) {
        let order = self.state.to_card;
        if self.may_move(order, edge) {
            let Order { host, length, .. } = order;
            self.state.blocks.push_back(Block { address: host, length, source: 0, write: None });
        } else {
            self.state.to_card.tag = None;
        }
    }

    fn begin_to_host(&mut self, edge: &mut Edge<'_>) {
        let order = self.state.to_host;
        if self.may_move(order, edge) {
            self.state.mover.read(tag::TO_HOST, order.card.into(), order.length as usize);
        } else {
            self.state.to_host.tag = None;
        }
    }

    /// Host memory has answered.
    fn end_block(&mut self, response: BlockResponse, edge: &mut Edge<'_>) {
        let is_read = self.state.asked.pop_front().unwrap_or_default();
        let bytes = response.read.and_then(|read: Payload| edge.payloads().remove(read));
        let state = &mut self.state;
        match (is_read, bytes) {
            (true, Some(bytes)) => {
                state.mover.write(tag::TO_CARD, state.to_card.card.into(), bytes.into_vec());
            }
            (false, _) if !response.is_fault => {
                edge.count(BYTES_TO_HOST, state.to_host.length.into());
                edge.count(MOVES, 1);
                state.to_host.end();
            }
            (is_read, _) => {
                edge.count(FAULTS, 1);
                if is_read { state.to_card.tag = None } else { state.to_host.tag = None }
            }
        }
    }

    /// The card has answered all references of an operation.
    fn end_move(&mut self, finished: Finished, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        let Finished { tag, bytes, is_fault, .. } = finished;
        edge.count(FAULTS, u64::from(is_fault));
        match tag {
            tag::READING => {
                let word = bytes.first_chunk().map_or(NOTHING, |bytes| u32::from_le_bytes(*bytes));
                state.data = if is_fault { NOTHING } else { word };
            }
            tag::TO_CARD if is_fault => state.to_card.tag = None,
            tag::TO_CARD => {
                edge.count(BYTES_TO_CARD, state.to_card.length.into());
                edge.count(MOVES, 1);
                state.to_card.end();
            }
            tag::TO_HOST if is_fault => state.to_host.tag = None,
            tag::TO_HOST => {
                let Order { host, length, .. } = state.to_host;
                let write = Some(edge.payloads().insert(bytes));
                state.blocks.push_back(Block { address: host, length, source: 0, write });
            }
            _ => {}
        }
    }
}

impl Order {
    fn read(&self, at: u64) -> u32 {
        match at {
            offset::HOST_LOW => self.host as u32,
            offset::HOST_HIGH => (self.host >> 32) as u32,
            offset::CARD => self.card,
            offset::LENGTH => self.length,
            offset::TAG => self.tag.unwrap_or_default(),
            offset::DONE => self.done,
            _ => NOTHING,
        }
    }

    /// Writes a register; true if an order begins. Nothing changes while one is under way.
    fn write(&mut self, at: u64, word: u32) -> bool {
        if self.tag.is_some() {
            return false;
        }
        match at {
            offset::HOST_LOW => self.host = self.host >> 32 << 32 | u64::from(word),
            offset::HOST_HIGH => self.host = self.host & 0xffff_ffff | u64::from(word) << 32,
            offset::CARD => self.card = word,
            offset::LENGTH => self.length = word,
            offset::TAG => self.tag = Some(word),
            _ => {}
        }
        at == offset::TAG
    }

    fn end(&mut self) {
        self.done = self.tag.take().unwrap_or_default();
    }
}
