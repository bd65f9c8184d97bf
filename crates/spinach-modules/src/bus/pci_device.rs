//! `pci_device`: a function on a PCI bus, as the host and as the device behind it see it.

mod express;
mod indirect;
pub(super) mod message_control;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, OrUnconnected, Output, Process, Signals, Size, ack, data,
    parameters, ports,
};

use self::express::{Endpoint, Express};
use self::indirect::Indirect;
use self::message_control::MessageControl;
use crate::parts::register_message::RegisterMessage;
use crate::values::{Access, Block, BlockResponse, Reference, Response};

parameters! {
    /// The parameters of a PCI function.
    pub struct PciDeviceParameters {
        /// Vendor.
        pub vendor: u32 => in 0..=65535,
        /// Device.
        pub device: u32 => in 0..=65535,
        /// Its revision.
        pub revision: u32 = 0 => in 0..=255,
        /// Its class: base class, subclass and interface, 8 bits each.
        pub class_code: u32 => in 0..=16_777_215,
        /// Vendor of the card.
        pub subsystem_vendor: u32 = 0 => in 0..=65535,
        /// Identity of the card.
        pub subsystem: u32 = 0 => in 0..=65535,
        /// Size of the memory space that base address register 0 decodes, in bytes, a power of two.
        pub window: Size = Size(0x4000) => power_of_two 16..=1 << 30,
        /// If true, base address registers 0 and 1 together hold an address of 64 bits.
        pub is_64_bit: bool = false,
        /// The address by which the device knows the first byte of that window.
        pub local_base: u64 = 0 => in 0..=0xffff_ffff,
        /// If true, it can run at 66 MHz. Without effect on PCI Express.
        pub is_fast: bool = true,
        /// The interrupt pin: 1 for INTA, to 4 for INTD; 0 for none.
        pub interrupt_pin: u32 = 1 => in 0..=4,
        /// Length of burst and interval between bursts that it needs, in units of 250 ns: minimum grant and maximum latency. Without effect
        /// on PCI Express.
        pub minimum_grant: u32 = 64 => in 0..=255,
        /// See `minimum_grant`.
        pub maximum_latency: u32 = 0 => in 0..=255,
        /// The device's register whose bits make its interrupt, as `written` names it.
        pub interrupt_register: u32 = 0 => in 0..=65532,
        /// The bits of it that ask for an interrupt.
        pub interrupt_bits: u32 = 1,
        /// The bits of it that suppress it.
        pub interrupt_inhibit: u32 = 0,
        /// The address in its window that is written to reset the device when the bus or the function is reset.
        pub reset_offset: u32 = 0 => in 0..=65532,
        /// The little-endian word that is written there.
        pub reset_word: u32 = 0,
        /// Bytes of that word: 1, 2 or 4; 0 for no write. The host can reset the function alone if there is a write and the function is
        /// on PCI Express.
        pub reset_bytes: u32 = 0 => in 0..=4,
        /// Content of configuration space from 0x40 on: a list of capabilities, the first of which is at 0x40, and the last of which
        /// points to 0. It cannot be written, except by `indirect_capability`. Empty for a function without capabilities.
        pub capabilities: Vec<u8> = Vec::new(),
        /// Offset in configuration space of the capability among them that reaches the window, a multiple of 4: virtio's access through
        /// configuration space, of 20 bytes. 0 for none.
        pub indirect_capability: u32 = 0 => in 0..=236,
        /// Vectors of message-signaled interrupts (MSI-X); 0 for none. Their capability follows `capabilities`, and is the first in the list.
        pub vectors: u32 = 0 => in 0..=2048,
        /// Offset of their table in the window, a multiple of 8; the device has it there, as `message_interrupts` does.
        pub vector_table: u64 = 0 => in 0..=0xffff_fff8,
        /// Offset of their pending bits in the window, a multiple of 8.
        pub vector_pending: u64 = 0 => in 0..=0xffff_fff8,
        /// Generation of the link of PCI Express, 1 for 2.5 GT/s, to 6 for 64 GT/s; 0 for a function that is not on PCI Express. The
        /// capability of PCI Express, of 60 bytes, follows all others, and is the first in the list.
        pub express_generation: u32 = 0 => in 0..=6,
        /// Lanes of that link.
        pub express_lanes: u32 = 16 => in 1..=32,
        /// Most data bytes of a packet that the function supports, 128 to 4096, a power of two; the host's firmware has enabled as many.
        pub express_payload: u32 = 128 => power_of_two 128..=4096,
        /// Most bytes of a read request after power-on, 128 to 4096, a power of two.
        pub express_read_request: u32 = 512 => power_of_two 128..=4096,
        /// Number of references of the host to memory space that may be unanswered.
        pub outstanding: u32 = 4 => in 1..=64,
    }
}

ports! {
    /// Ports of a PCI function.
    pub struct PciDevicePorts {
        /// Configuration space, by offset; bytes are little-endian.
        pub configuration: { request: Input<Reference>, response: Output<Response> },
        /// Memory space, by bus address; a fault is a master abort.
        pub target: { request: Input<Reference>, response: Output<Response> },
        /// Accesses of the host to the device: offsets from the base address, counted from `local_base`.
        pub local: { request: Output<Reference>, response: Input<Response> },
        /// Host memory, for the device.
        pub dma: { request: Input<Block>, response: Output<BlockResponse> },
        /// Host memory, on the bus; a fault is a master abort.
        pub memory: { request: Output<Block>, response: Input<BlockResponse> },
        /// Content of the register with the interrupt bits.
        pub written: OrUnconnected<Input<u64>>,
        /// A word resets the function, as RST# of the bus does, and with it the device.
        pub reset: OrUnconnected<Input<u64>>,
        /// The interrupt line: 1 when it is asserted, 0 when it is released; presented until taken.
        pub interrupt: OrUnconnected<Output<u64>>,
        /// Control of message-signaled interrupts, for `message_interrupts`: bits 15 and 14 of the capability's control, which enable messages
        /// and mask all of them; bit 16 after a reset.
        pub message_control: OrUnconnected<Output<u64>>,
        /// Most data bytes of a packet, and from bit 32 on most bytes of a read request, after a write of the host to the control of
        /// PCI Express and after a reset; for `host_interconnect`.
        pub sizes: OrUnconnected<Output<u64>>,
        /// The bytes of each reference to memory space, for the bus that carries it.
        pub carried: OrUnconnected<Output<u64>>,
        /// First 64 bytes of configuration space, for a device that shows them to its processors: at the start and after each
        /// change.
        pub shadow: OrUnconnected<Output<u64>>,
    }
}

/// Source of a reference to the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Origin {
    Memory,
    Configuration,
    // It announces a reset to the device.
    Reset,
}

/// A reference to the device.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Waiting {
    // `None` until the device has answered.
    response: Option<Response>,
    origin: Origin,
}

/// State of a PCI function.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PciDeviceState {
    // The header of configuration space, in words.
    words: [u32; HEADER_WORDS],
    answers: VecDeque<Response>,
    waiting: VecDeque<Waiting>,
    forwarded: Option<Reference>,
    // The bus was reset, and the write to the device is pending.
    is_resetting: bool,
    // Number of blocks that were passed on, and a flag for a block that was refused and not answered.
    blocks: u32,
    is_aborting: bool,
    // The interrupt request of the device, and the state of the line.
    is_pending: bool,
    is_asserted: bool,
    messages: MessageControl,
    express: Express,
    indirect: Indirect,
    levels: VecDeque<u64>,
    shadow: VecDeque<u64>,
    carried: VecDeque<u64>,
}

/// A function on a PCI bus. See its declaration.
pub struct PciDevice {
    parameters: PciDeviceParameters,
    ports: PciDevicePorts,
    state: PciDeviceState,
}

const HEADER_WORDS: usize = 16;

const COMMAND: usize = 1;
const LATENCY: usize = 3;
const BASE_ADDRESS: usize = 4;
const UPPER_BASE_ADDRESS: usize = 5;
const CAPABILITIES: usize = 13;
const INTERRUPT: usize = 15;

const CONFIGURATION_BYTES: usize = 256;
const HEADER_BYTES: usize = 4 * HEADER_WORDS;

// Content of a base address register besides the address.
const BASE_ADDRESS_FLAGS: u32 = 0xf;
const IN_64_BIT_SPACE: u32 = 2 << 1;
const MEMORY_SPACE: u32 = 1 << 1;
const BUS_MASTER: u32 = 1 << 2;
const INTERRUPT_DISABLE: u32 = 1 << 10;
// Memory space, bus master, memory write and invalidate, parity response, system error, fast back-to-back, interrupt disable.
const COMMAND_WRITABLE: u32 = 0x0756;
// Of these, what only a conventional bus has: memory write and invalidate, fast back-to-back.
const COMMAND_CONVENTIONAL: u32 = 0x0210;
const CACHE_LINE_SIZE: u32 = 0xff;
const LATENCY_TIMER: u32 = 0xff00;
const STATUS_INTERRUPT: u32 = 1 << 19;
const STATUS_CAPABILITIES: u32 = 1 << 20;
const STATUS_FAST: u32 = 1 << 21;
const STATUS_MASTER_ABORT: u32 = 1 << 29;
const STATUS_CLEARED_BY_ONE: u32 = 0xf900_0000;

const OWN: u16 = 0;
const DMA_FORWARD: u16 = 1;
const DMA_ACCEPT: u16 = 2;
const DMA_RESPOND: u16 = 3;
const DMA_RELEASE: u16 = 4;

const CONFIGURATION: usize = 0;
const CLAIMED: usize = 1;
const UNCLAIMED: usize = 2;
const BLOCKS: usize = 3;
const ABORTS: usize = 4;
const INTERRUPTS: usize = 5;

const DOCUMENTATION: &str = "A PCI function, with its host side and its device side.

Towards the host it has configuration space (type 0 header, identifiers, command and status, a base address of 32 or 64 bits in memory \
space, a list of capabilities, among them that of an endpoint of PCI Express and one that reaches the window through configuration space, interrupt line and pin), answers in memory space where the base address register says and while the command register lets it, is \
a bus master while the command register lets it, and has one interrupt line, which the command register can disable, and which is released while the host has enabled message-signaled \
interrupts; the status register says whether the device asks for an interrupt. What only a conventional bus has (memory write and \
invalidate, fast back-to-back transfers, the latency timer, the needed burst) is 0 on PCI Express. Configuration space is as after power-on when the bus was reset. The bus \
module adds the time of references and blocks on the bus.";

impl Module for PciDevice {
    type Parameters = PciDeviceParameters;
    type Ports = PciDevicePorts;
    type State = PciDeviceState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "pci_device",
            family: "bus",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered, except that blocks and their answers pass in their cycle. Configuration space answers in the \
                     cycle after the reference; other references go on in the cycle after they came.",
            source: "PCI Local Bus 2.2, sections 6.1, 6.2 and 6.7, 2.3, sections 2.2.6, 6.2.2 and 6.2.3, and 3.0, section 6.8.2; PCI Express 6.0, sections 7.5.1 and 7.5.3; Tigon-2 reference, section 1",
            parameters: PciDeviceParameters::declare(),
            ports: PciDevicePorts::declare(),
            counters: &[
                ("configuration_references", "references to configuration space"),
                ("claimed", "references to memory space that the device answers"),
                ("unclaimed", "references to memory space that it does not answer"),
                ("blocks", "blocks that it moved as bus master"),
                ("aborts", "blocks among them without an answer, or that it may not move"),
                ("interrupts", "times that the interrupt line was asserted"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: PciDeviceParameters, ports: PciDevicePorts) -> Result<Self, String> {
        if !matches!(parameters.reset_bytes, 0 | 1 | 2 | 4) {
            return Err(format!("reset_bytes = {} is not 0, 1, 2 or 4", parameters.reset_bytes));
        }
        let bytes = express_capability(&parameters) + Express::bytes(parameters.express_generation);
        if bytes > CONFIGURATION_BYTES {
            let bytes = bytes - HEADER_BYTES;
            return Err(format!(
                "capabilities have {bytes} bytes; configuration space has 192 behind its header"
            ));
        }
        let (at, end) = (parameters.indirect_capability, HEADER_BYTES + parameters.capabilities.len());
        let is_listed = at as usize >= HEADER_BYTES && at as usize + 4 * (indirect::DATA + 1) <= end;
        if at != 0 && !(is_listed && at.is_multiple_of(4)) {
            return Err(format!(
                "indirect_capability = {at:#x} does not name 20 bytes of capabilities at a multiple of 4"
            ));
        }
        let (table, pending) = (parameters.vector_table, parameters.vector_pending);
        if !table.is_multiple_of(8) || !pending.is_multiple_of(8) {
            return Err(format!(
                "vector_table = {table:#x} and vector_pending = {pending:#x} are not multiples of 8"
            ));
        }
        let next = if parameters.capabilities.is_empty() { 0 } else { HEADER_BYTES as u32 };
        let messages = MessageControl::new(parameters.vectors, table, pending, next);
        let words = power_on(&parameters);
        let mut state = PciDeviceState {
            words,
            answers: VecDeque::new(),
            waiting: VecDeque::new(),
            forwarded: None,
            is_resetting: false,
            blocks: 0,
            is_aborting: false,
            is_pending: false,
            is_asserted: false,
            messages,
            express: Express::new(endpoint(&parameters)),
            indirect: Indirect::default(),
            levels: VecDeque::new(),
            shadow: VecDeque::new(),
            carried: VecDeque::new(),
        };
        if ports.shadow.is_connected {
            let show =
                |(index, word): (usize, &u32)| RegisterMessage::store(4 * index as u16, *word).to_word();
            state.shadow.extend(words.iter().enumerate().map(show));
        }
        Ok(Self { parameters, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = PciDevicePorts;
        let mut own = vec![
            data(P::CONFIGURATION_RESPONSE),
            ack(P::CONFIGURATION_REQUEST),
            data(P::TARGET_RESPONSE),
            ack(P::TARGET_REQUEST),
            data(P::LOCAL_REQUEST),
        ];
        own.extend(self.ports.interrupt.is_connected.then_some(data(P::INTERRUPT)));
        own.extend(self.ports.shadow.is_connected.then_some(data(P::SHADOW)));
        own.extend(self.ports.message_control.is_connected.then_some(data(P::MESSAGE_CONTROL)));
        own.extend(self.ports.sizes.is_connected.then_some(data(P::SIZES)));
        own.extend(self.ports.carried.is_connected.then_some(data(P::CARRIED)));
        vec![
            Process::new(OWN).drives(own).accepts([P::LOCAL_RESPONSE, P::WRITTEN, P::RESET]),
            Process::new(DMA_FORWARD).drives([data(P::MEMORY_REQUEST)]).reads([data(P::DMA_REQUEST)]),
            Process::new(DMA_ACCEPT).drives([ack(P::DMA_REQUEST)]).reads([ack(P::MEMORY_REQUEST)]),
            Process::new(DMA_RESPOND).drives([data(P::DMA_RESPONSE)]).reads([data(P::MEMORY_RESPONSE)]),
            Process::new(DMA_RELEASE).drives([ack(P::MEMORY_RESPONSE)]).reads([ack(P::DMA_RESPONSE)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        match code {
            OWN => self.evaluate_own(signals),
            DMA_FORWARD if self.is_master() => signals.forward(ports.dma_request, ports.memory_request),
            DMA_FORWARD => signals.clear(ports.memory_request),
            DMA_ACCEPT => {
                let accepts = if self.is_master() {
                    !state.is_aborting && signals.is_acknowledged(ports.memory_request)
                } else {
                    state.blocks == 0 && !state.is_aborting
                };
                signals.acknowledge(ports.dma_request, accepts);
            }
            DMA_RESPOND if state.is_aborting => {
                signals.write(ports.dma_response, Some(BlockResponse::FAULT));
            }
            DMA_RESPOND => signals.forward(ports.memory_response, ports.dma_response),
            _ => {
                let hears = !state.is_aborting && signals.is_acknowledged(ports.dma_response);
                signals.acknowledge(ports.memory_response, hears);
            }
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        self.commit_configuration(edge);
        self.commit_target(edge);
        self.commit_indirect();
        self.commit_dma(edge);
        self.commit_interrupt(edge);
        self.commit_reset(edge);
        if edge.signals.is_sent(self.ports.shadow.port) {
            self.state.shadow.pop_front();
        }
        if edge.signals.is_sent(self.ports.carried.port) {
            self.state.carried.pop_front();
        }
        if edge.signals.is_sent(self.ports.message_control.port) || !self.ports.message_control.is_connected {
            self.state.messages.outbox.pop_front();
        }
        if edge.signals.is_sent(self.ports.sizes.port) || !self.ports.sizes.is_connected {
            self.state.express.outbox.pop_front();
        }
    }

    fn idle(&self) -> Idle {
        let state = &self.state;
        let is_idle = state.answers.is_empty()
            && state.waiting.iter().all(|waiting| waiting.response.is_none())
            && state.forwarded.is_none()
            && state.indirect.asked.is_none()
            && !state.is_resetting
            && !state.is_aborting
            && state.levels.is_empty()
            && state.shadow.is_empty()
            && state.messages.outbox.is_empty()
            && state.express.outbox.is_empty()
            && state.carried.is_empty();
        if is_idle { Idle::UntilInput } else { Idle::No }
    }

    fn state(&self) -> &PciDeviceState {
        &self.state
    }

    fn restore(&mut self, state: PciDeviceState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

impl PciDevice {
    // A block that is passed on while another is being refused would be answered first.
    fn is_master(&self) -> bool {
        self.state.words[COMMAND] & BUS_MASTER != 0 && !self.state.is_aborting
    }

    fn evaluate_own(&self, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        signals.write(ports.configuration_response, state.answers.front().copied());
        // Answers keep the order of the references, so one to the window is awaited.
        let has_room = state.answers.len() < 2 && state.indirect.due == 0;
        signals.acknowledge(ports.configuration_request, has_room);
        let oldest = state.waiting.front().filter(|waiting| waiting.origin == Origin::Memory);
        signals.write(ports.target_response, oldest.and_then(|waiting| waiting.response));
        let has_room = state.forwarded.is_none()
            && state.indirect.asked.is_none()
            && !state.is_resetting
            && state.waiting.len() < self.parameters.outstanding as usize;
        signals.acknowledge(ports.target_request, has_room);
        signals.write(ports.local_request, state.forwarded);
        signals.write(ports.interrupt.port, state.levels.front().copied());
        signals.write(ports.shadow.port, state.shadow.front().copied());
        signals.write(ports.carried.port, state.carried.front().copied());
        signals.write(ports.message_control.port, state.messages.outbox.front().copied());
        signals.write(ports.sizes.port, state.express.outbox.front().copied());
    }

    fn commit_configuration(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_sent(self.ports.configuration_response) {
            self.state.answers.pop_front();
        }
        let Some(reference) = edge.signals.received(self.ports.configuration_request) else { return };
        edge.count(CONFIGURATION, 1);
        let Reference { address, access, size, data, enables, .. } = reference;
        let shift = 8 * (address & 3) as u32;
        let is_proper = matches!(size, 1 | 2 | 4) && address % u64::from(size) == 0 && address < 256;
        if !is_proper || !matches!(access, Access::Read | Access::Write) {
            self.state.answers.push_back(Response::FAULT);
            return;
        }
        let index = (address / 4) as usize;
        let pending = if index == COMMAND && self.state.is_pending { STATUS_INTERRUPT } else { 0 };
        let word =
            self.state.words.get(index).map_or_else(|| self.capability_word(index), |word| word | pending);
        let is_read = access == Access::Read;
        let (written, at) = ((data as u32) << shift, self.indirect_index(index));
        if at == Some(indirect::DATA)
            && self.state.indirect.ask(access, written, size, self.parameters.window.0)
        {
            return;
        }
        let response = if is_read { u64::from(word >> shift) & ((1 << (8 * size)) - 1) } else { 0 };
        self.state.answers.push_back(Response { data: u128::from(response), is_fault: false });
        if !is_read {
            let bytes = (0..size).filter(|byte| enables >> byte & 1 != 0);
            let mask = bytes.fold(0u32, |mask, byte| mask | 0xff << (8 * u32::from(byte))) << shift;
            if index < HEADER_WORDS {
                self.configure(index, written, mask);
            } else if let Some(index) = at {
                self.state.indirect.write(index, written, mask);
            } else if let Some(index) = index.checked_sub(express_capability(&self.parameters) / 4) {
                if self.state.express.write(index, written, mask) {
                    self.reset_configuration();
                    self.state.express.reset_function(endpoint(&self.parameters));
                }
            } else if let Some(index) = index.checked_sub(message_capability(&self.parameters) / 4) {
                self.state.messages.write(index, written, mask);
            }
            self.drive_interrupt(edge);
        }
    }

    // A word behind the header.
    fn capability_word(&self, index: usize) -> u32 {
        let of_express = index.checked_sub(express_capability(&self.parameters) / 4);
        if let Some(word) = of_express.and_then(|index| self.state.express.word(index)) {
            return word;
        }
        let of_messages = index.checked_sub(message_capability(&self.parameters) / 4);
        if let Some(word) = of_messages.and_then(|index| self.state.messages.word(index)) {
            return word;
        }
        if let Some(word) = self.indirect_index(index).and_then(|index| self.state.indirect.word(index)) {
            return word;
        }
        let bytes = self.parameters.capabilities.iter().skip(4 * (index - HEADER_WORDS)).take(4);
        bytes.enumerate().fold(0, |word, (place, byte)| word | u32::from(*byte) << (8 * place))
    }

    // The word of the capability that reaches the window, if it is one.
    fn indirect_index(&self, index: usize) -> Option<usize> {
        let first = self.parameters.indirect_capability as usize / 4;
        index.checked_sub(first).filter(|index| first != 0 && *index <= indirect::DATA)
    }

    // Writes the bits of `mask` of a word of configuration space.
    fn configure(&mut self, index: usize, word: u32, mask: u32) {
        let is_conventional = self.parameters.express_generation == 0;
        let writable = match index {
            COMMAND if is_conventional => COMMAND_WRITABLE,
            COMMAND => COMMAND_WRITABLE & !COMMAND_CONVENTIONAL,
            LATENCY if is_conventional => CACHE_LINE_SIZE | LATENCY_TIMER,
            LATENCY => CACHE_LINE_SIZE,
            BASE_ADDRESS => !(self.parameters.window.0 as u32 - 1),
            UPPER_BASE_ADDRESS if self.parameters.is_64_bit => u32::MAX,
            INTERRUPT => 0xff,
            _ => 0,
        } & mask;
        let cleared = if index == COMMAND { STATUS_CLEARED_BY_ONE & mask & word } else { 0 };
        let before = self.state.words[index];
        self.set(index, before & !writable & !cleared | word & writable);
    }

    fn set(&mut self, index: usize, word: u32) {
        self.state.words[index] = word;
        if self.ports.shadow.is_connected {
            self.state.shadow.push_back(RegisterMessage::store(4 * index as u16, word).to_word());
        }
    }

    fn commit_target(&mut self, edge: &mut Edge<'_>) {
        let (ports, state) = (&self.ports, &mut self.state);
        if edge.signals.is_sent(ports.target_response) {
            state.waiting.pop_front();
        }
        if edge.signals.is_sent(ports.local_request) {
            state.forwarded = None;
        }
        if let Some(response) = edge.signals.received(ports.local_response)
            && let Some(oldest) = state.waiting.iter_mut().find(|waiting| waiting.response.is_none())
        {
            oldest.response = Some(response);
        }
        if let Some(Waiting { response: Some(response), origin }) = state.waiting.front().copied()
            && origin != Origin::Memory
        {
            state.waiting.pop_front();
            if origin == Origin::Configuration {
                let data = response.data & ((1 << (8 * state.indirect.due)) - 1);
                state.answers.push_back(Response { data, is_fault: false });
                state.indirect.due = 0;
            }
        }
        let Some(reference) = edge.signals.received(ports.target_request) else { return };
        let offset = reference.address.wrapping_sub(base_address(&state.words));
        let is_claimed = state.words[COMMAND] & MEMORY_SPACE != 0 && offset < self.parameters.window.0;
        edge.count(if is_claimed { CLAIMED } else { UNCLAIMED }, 1);
        if ports.carried.is_connected {
            state.carried.push_back(u64::from(reference.size));
        }
        let response = (!is_claimed).then_some(Response::FAULT);
        state.waiting.push_back(Waiting { response, origin: Origin::Memory });
        let address = self.parameters.local_base + offset;
        state.forwarded = is_claimed.then_some(Reference { address, ..reference });
    }

    // Refers to the window on behalf of configuration space, once the earlier reference has left.
    fn commit_indirect(&mut self) {
        let state = &mut self.state;
        if state.forwarded.is_none()
            && let Some(reference) = state.indirect.asked.take()
        {
            let address = self.parameters.local_base + reference.address;
            state.forwarded = Some(Reference { address, ..reference });
            state.waiting.push_back(Waiting { response: None, origin: Origin::Configuration });
        }
    }

    fn commit_dma(&mut self, edge: &mut Edge<'_>) {
        let ports = &self.ports;
        if self.state.is_aborting {
            if edge.signals.is_sent(ports.dma_response) {
                self.state.is_aborting = false;
            }
        } else if let Some(response) = edge.signals.received(ports.memory_response) {
            self.state.blocks -= 1;
            if response.is_fault {
                edge.count(ABORTS, 1);
                self.set(COMMAND, self.state.words[COMMAND] | STATUS_MASTER_ABORT);
            }
        }
        let Some(block) = edge.signals.received(self.ports.dma_request) else { return };
        edge.count(BLOCKS, 1);
        if edge.signals.is_sent(self.ports.memory_request) {
            self.state.blocks += 1;
        } else {
            block.write.and_then(|payload| edge.payloads().remove(payload));
            edge.count(ABORTS, 1);
            self.state.is_aborting = true;
        }
    }

    fn commit_interrupt(&mut self, edge: &mut Edge<'_>) {
        let (parameters, state) = (&self.parameters, &mut self.state);
        if edge.signals.is_sent(self.ports.interrupt.port) {
            state.levels.pop_front();
        }
        let Some(word) = edge.signals.received(self.ports.written.port) else { return };
        let message = RegisterMessage::from_word(word);
        if u32::from(message.offset) != parameters.interrupt_register {
            return;
        }
        let is_pending =
            message.word & parameters.interrupt_bits != 0 && message.word & parameters.interrupt_inhibit == 0;
        if is_pending != state.is_pending {
            state.is_pending = is_pending;
            self.drive_interrupt(edge);
        }
    }

    // The line follows the request of the device, unless the command register disables it or messages take its place.
    fn drive_interrupt(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        let is_disabled = state.words[COMMAND] & INTERRUPT_DISABLE != 0 || state.messages.is_enabled();
        let is_asserted = state.is_pending && !is_disabled;
        if is_asserted != state.is_asserted {
            state.is_asserted = is_asserted;
            edge.count(INTERRUPTS, u64::from(is_asserted));
            if self.ports.interrupt.is_connected {
                state.levels.push_back(u64::from(is_asserted));
            }
        }
    }

    // Configuration space is as after power-on, but for the capability of PCI Express; the reset of the device follows.
    fn reset_configuration(&mut self) {
        self.state.is_resetting = self.parameters.reset_bytes != 0;
        for (index, word) in power_on(&self.parameters).into_iter().enumerate() {
            if self.state.words[index] != word {
                self.set(index, word);
            }
        }
        self.state.messages.reset();
        self.state.indirect.reset();
    }

    // The reset is written after the host's earlier requests; blocks in flight are answered.
    fn commit_reset(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.received(self.ports.reset.port).is_some() {
            self.reset_configuration();
            self.state.express.reset(endpoint(&self.parameters));
            self.drive_interrupt(edge);
        }
        if self.state.is_resetting && self.state.forwarded.is_none() {
            self.state.is_resetting = false;
            let data = u128::from(self.parameters.reset_word);
            let address = self.parameters.local_base + u64::from(self.parameters.reset_offset);
            let size = self.parameters.reset_bytes as u8;
            let write = Reference {
                address,
                access: Access::Write,
                size,
                data,
                enables: (1 << size) - 1,
                ..Reference::default()
            };
            self.state.forwarded = Some(write);
            self.state.waiting.push_back(Waiting { response: None, origin: Origin::Reset });
        }
    }
}

// Offset of the capability of message-signaled interrupts: behind the others.
fn message_capability(parameters: &PciDeviceParameters) -> usize {
    HEADER_BYTES + parameters.capabilities.len().next_multiple_of(4)
}

// Offset of the capability of PCI Express: behind all others.
fn express_capability(parameters: &PciDeviceParameters) -> usize {
    message_capability(parameters) + MessageControl::bytes(parameters.vectors)
}

// The capability of PCI Express is the first in the list; that of messages follows, then the others.
fn endpoint(parameters: &PciDeviceParameters) -> Endpoint {
    let next = if parameters.vectors != 0 {
        message_capability(parameters)
    } else if parameters.capabilities.is_empty() {
        0
    } else {
        HEADER_BYTES
    };
    Endpoint {
        generation: parameters.express_generation,
        lanes: parameters.express_lanes,
        payload: parameters.express_payload,
        read_request: parameters.express_read_request,
        resets: parameters.reset_bytes != 0,
        next: next as u32,
    }
}

// Base address in configuration space. The upper half stays 0 in a function with a 32-bit address.
fn base_address(words: &[u32; HEADER_WORDS]) -> u64 {
    u64::from(words[UPPER_BASE_ADDRESS]) << 32 | u64::from(words[BASE_ADDRESS] & !BASE_ADDRESS_FLAGS)
}

fn power_on(parameters: &PciDeviceParameters) -> [u32; HEADER_WORDS] {
    let mut words = [0; HEADER_WORDS];
    words[0] = parameters.device << 16 | parameters.vendor;
    let is_conventional = parameters.express_generation == 0;
    words[COMMAND] = if parameters.is_fast && is_conventional { STATUS_FAST } else { 0 };
    if parameters.express_generation != 0 {
        words[COMMAND] |= STATUS_CAPABILITIES;
        words[CAPABILITIES] = express_capability(parameters) as u32;
    } else if parameters.vectors != 0 {
        words[COMMAND] |= STATUS_CAPABILITIES;
        words[CAPABILITIES] = message_capability(parameters) as u32;
    } else if !parameters.capabilities.is_empty() {
        words[COMMAND] |= STATUS_CAPABILITIES;
        words[CAPABILITIES] = HEADER_BYTES as u32;
    }
    words[BASE_ADDRESS] = if parameters.is_64_bit { IN_64_BIT_SPACE } else { 0 };
    words[2] = parameters.class_code << 8 | parameters.revision;
    words[11] = parameters.subsystem << 16 | parameters.subsystem_vendor;
    words[INTERRUPT] = parameters.interrupt_pin << 8;
    if is_conventional {
        words[INTERRUPT] |= parameters.maximum_latency << 24 | parameters.minimum_grant << 16;
    }
    words
}
