//! `fixed_function_card`: a network interface card without firmware.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, OrUnconnected, Output, Process, Rate, Signals, Size, Time, ack,
    data, parameters, ports,
};
use spinach_net::ethernet::{PAUSE_DESTINATION, duration, pause_quanta};
use spinach_server::pci::configuration::Space;
use spinach_server::pci::function::{Function, Transfer};

use super::FEMTOSECONDS_OF_PICOSECOND;
use super::kept_function::KeptFunction;
use crate::mac::link::wire_bytes;
use crate::parts::alarm::Alarm;
use crate::values::{Access, Block, BlockResponse, Frame, Reference, Response};

parameters! {
    /// The parameters of a card without firmware.
    pub struct FixedFunctionCardParameters {
        /// The chip: `dp83820` or `sinic`.
        pub chip: String => of ["dp83820", "sinic"],
        /// MAC address, 6 bytes.
        pub mac_address: Vec<u8>,
        /// Rate of the wire in each direction.
        pub link_rate: Rate = Rate(10_000_000_000),
        /// Queue of received frames.
        pub receive_fifo: Size = Size(512 << 10) => in 4 << 10..=1 << 30,
        /// Queue of frames to send.
        pub transmit_fifo: Size = Size(512 << 10) => in 32 << 10..=1 << 30,
        /// Virtual cards of SINIC.
        pub vnics: u32 = 1 => in 1..=256,
        /// Bytes of a packet that SINIC copies when the rest is deferred; 0 for all its headers.
        pub header_bytes: u32 = 0 => in 0..=1024,
        /// True if SINIC sends pause frames.
        pub flow_control: bool = true,
    }
}

ports! {
    /// Ports of a card without firmware.
    pub struct FixedFunctionCardPorts {
        /// Configuration space, by offset; bytes are little-endian.
        pub configuration: { request: Input<Reference>, response: Output<Response> },
        /// Memory space, by bus address; a fault is a master abort.
        pub target: { request: Input<Reference>, response: Output<Response> },
        /// Host memory.
        pub memory: { request: Output<Block>, response: Input<BlockResponse> },
        /// The interrupt line: 1 when it is asserted, 0 when it is released; presented until taken.
        pub interrupt: OrUnconnected<Output<u64>>,
        /// A word resets the card, as RST# of the bus does.
        pub reset: OrUnconnected<Input<u64>>,
        /// Frames that left on the wire.
        pub sent: Output<Frame>,
        /// Frames that arrived at the wire.
        pub received: Input<Frame>,
        /// 1, once: software has switched reception on for the first time.
        pub link_up: OrUnconnected<Output<u64>>,
    }
}

/// A load that the chip holds back.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Held {
    window: usize,
    offset: u64,
    size: usize,
}

/// The half of a register of 8 bytes that was accessed first.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Half {
    window: usize,
    /// Offset of the other half.
    next: u64,
    value: u32,
    is_store: bool,
}

/// State of a card without firmware. Times are in picoseconds.
#[derive(Serialize, Deserialize)]
pub struct FixedFunctionCardState {
    chip: KeptFunction,
    configuration: VecDeque<Response>,
    target: VecDeque<Response>,
    held: Option<Held>,
    half: Option<Half>,
    /// A block that the host has not taken.
    asked: Option<Block>,
    is_waiting: bool,
    levels: VecDeque<u64>,
    level: bool,
    /// Frames on the wire, with the departure of their last bit.
    leaving: VecDeque<(u64, Frame)>,
    is_presenting: bool,
    /// Time from which on the wire delivers another frame, and whether it may in the coming cycle.
    receives_from: u64,
    is_receiving: bool,
    is_link_known: bool,
    alarm: Option<Alarm>,
    /// Counters of the chip, as they were counted last.
    counted: Vec<u64>,
}

/// A card without firmware. See its declaration.
pub struct FixedFunctionCard {
    parameters: FixedFunctionCardParameters,
    ports: FixedFunctionCardPorts,
    state: FixedFunctionCardState,
}

const CLAIMED: usize = 0;
const UNCLAIMED: usize = 1;
const BLOCKS: usize = 2;
const ABORTS: usize = 3;
const INTERRUPTS: usize = 4;
const DAMAGED: usize = 5;
const FIRST_OF_CHIP: usize = 6;

const COUNTERS: &[(&str, &str)] = &[
    ("claimed", "references to memory space that the card answered"),
    ("unclaimed", "references to memory space that are not in its windows"),
    ("blocks", "blocks that it moved as bus master"),
    ("aborts", "blocks among them without an answer"),
    ("interrupts", "times that the interrupt line was asserted"),
    ("damaged", "received frames with a wrong check sequence"),
    ("sent", "frames that were put on the wire"),
    ("received", "frames that were taken from the wire"),
    ("dropped_no_room", "received frames for which the queue had no room"),
    ("dropped_too_long", "received frames that are too long for the card"),
    ("dropped_not_enabled", "frames that arrived while reception was off"),
    ("dropped_other_address", "frames that the address filter dropped"),
    ("dropped_rejected", "frames that the settings of the receiver rejected"),
    ("dropped_pause", "pause frames that SINIC obeyed and a source of traffic sent"),
    ("not_sent_too_long", "packets that exceed the maximum copy of SINIC"),
    ("deferred_copies", "copies that were deferred"),
];
/// Names that the chips give the counters from [`FIRST_OF_CHIP`] on.
const NAMES_OF_CHIP: [&str; COUNTERS.len() - FIRST_OF_CHIP] = [
    "sent",
    "received",
    "dropped: no room",
    "dropped: too long",
    "dropped: not enabled",
    "dropped: not meant",
    "dropped: rejected",
    "dropped: pause",
    "not sent: too long",
    "deferred copies",
];

/// Bytes that the bus carries in one reference.
const BUS_BYTES: usize = 4;
const CONFIGURATION_BYTES: u64 = 256;

const DOCUMENTATION: &str = "A network interface card without firmware behind a PCI bus: the state machine of a chip that simulated servers \
also have without modules.\n\nThe chip `sinic` exposes its queues to the driver (SINIC paper, section 3); with several virtual cards it is V-SINIC. `dp83820` is a \
conventional gigabit chip with descriptors in host memory, here with a faster wire.\n\nThe bus is 32 bits wide. A register of 8 bytes takes two references, lower half first: a load reads the \
register with its lower half and keeps the upper half for the next reference; a store acts with the upper half. A load that the chip \
holds back is answered when the chip answers, and later references wait.\n\nThe card moves one block at a time, as long as software has made it bus master. The wire carries frames at exactly its rate in both directions: a frame that comes too early is taken when the wire has had time for the one before.";

impl Module for FixedFunctionCard {
    type Parameters = FixedFunctionCardParameters;
    type Ports = FixedFunctionCardPorts;
    type State = FixedFunctionCardState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "fixed_function_card",
            family: "host",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. References are answered in the cycle after they came, unless the chip holds the answer \
                     back. A frame is presented in the cycle after the first edge at or after the departure of its last bit.",
            source: "SINIC paper, sections 3 and 4; public drivers of the DP83820; PCI Local Bus 3.0, chapter 6",
            parameters: FixedFunctionCardParameters::declare(),
            ports: FixedFunctionCardPorts::declare(),
            counters: COUNTERS,
            clocks: &["clock"],
        }
    }

    fn new(parameters: FixedFunctionCardParameters, ports: FixedFunctionCardPorts) -> Result<Self, String> {
        let state = FixedFunctionCardState {
            chip: KeptFunction::Running(chip(&parameters)?),
            configuration: VecDeque::new(),
            target: VecDeque::new(),
            held: None,
            half: None,
            asked: None,
            is_waiting: false,
            levels: VecDeque::new(),
            level: false,
            leaving: VecDeque::new(),
            is_presenting: false,
            receives_from: 0,
            is_receiving: true,
            is_link_known: !ports.link_up.is_connected,
            alarm: None,
            counted: vec![0; NAMES_OF_CHIP.len()],
        };
        Ok(Self { parameters, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = FixedFunctionCardPorts;
        let mut drives = vec![
            data(P::CONFIGURATION_RESPONSE),
            ack(P::CONFIGURATION_REQUEST),
            data(P::TARGET_RESPONSE),
            ack(P::TARGET_REQUEST),
            data(P::MEMORY_REQUEST),
            data(P::SENT),
            ack(P::RECEIVED),
        ];
        drives.extend(self.ports.interrupt.is_connected.then_some(data(P::INTERRUPT)));
        drives.extend(self.ports.link_up.is_connected.then_some(data(P::LINK_UP)));
        vec![Process::new(0).drives(drives).accepts([P::MEMORY_RESPONSE, P::RESET])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        signals.write(ports.configuration_response, state.configuration.front().copied());
        signals.acknowledge(ports.configuration_request, state.is_free());
        signals.write(ports.target_response, state.target.front().copied());
        signals.acknowledge(ports.target_request, state.is_free());
        signals.write(ports.memory_request, state.asked);
        signals.acknowledge(ports.received, state.is_receiving);
        signals.write(ports.interrupt.port, state.levels.front().copied());
        signals.write(ports.link_up.port, (!state.is_link_known && state.chip.is_receiving()).then_some(1));
        let leaving = state.leaving.front().filter(|_| state.is_presenting);
        signals.write(ports.sent, leaving.map(|(_, frame)| *frame));
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let now = edge.time().femtoseconds() / FEMTOSECONDS_OF_PICOSECOND;
        self.note_taken(edge);
        while let Some(at) = self.state.chip.running_mut().wakes_at().filter(|at| *at <= now) {
            self.state.chip.running_mut().advance(at);
        }
        self.take_in(edge, now);
        self.retry(now);
        self.serve(edge);
        self.count(edge);
        let state = &mut self.state;
        state.is_presenting = state.leaving.front().is_some_and(|(ends, _)| *ends <= now);
        let departs = state.leaving.front().filter(|_| !state.is_presenting).map(|(ends, _)| *ends);
        state.is_receiving = state.receives_from <= now;
        let arrives = (!state.is_receiving).then_some(state.receives_from);
        let due = [state.chip.running_mut().wakes_at(), departs, arrives].into_iter().flatten().min();
        let time = |due: u64| Time::from_femtoseconds(due.saturating_mul(FEMTOSECONDS_OF_PICOSECOND));
        state.alarm = due.map(|due| Alarm::set(time(due), edge));
    }

    fn idle(&self) -> Idle {
        match self.state.alarm {
            Some(alarm) => Idle::UntilTransferOrCycle(alarm.look_at()),
            None => Idle::UntilTransfer,
        }
    }

    fn state(&self) -> &FixedFunctionCardState {
        &self.state
    }

    fn restore(&mut self, mut state: FixedFunctionCardState) -> Result<(), String> {
        if state.counted.len() != NAMES_OF_CHIP.len() {
            return Err("the saved card has other counters".to_owned());
        }
        state.chip.restore_into(chip(&self.parameters)?)?;
        self.state = state;
        Ok(())
    }
}

/// The chip, with its link up.
fn chip(parameters: &FixedFunctionCardParameters) -> Result<Box<dyn Function>, String> {
    let FixedFunctionCardParameters { chip: name, mac_address, link_rate, .. } = parameters;
    let address = mac_address
        .as_slice()
        .try_into()
        .map_err(|_| format!("mac_address has {} bytes; a MAC address has 6", mac_address.len()))?;
    if link_rate.0 == 0 {
        return Err("link_rate = 0 carries no frames".to_owned());
    }
    let mut changes = vec![
        ("receive_fifo".to_owned(), parameters.receive_fifo.0),
        ("transmit_fifo".to_owned(), parameters.transmit_fifo.0),
    ];
    if name == "sinic" {
        changes.push(("vnics".to_owned(), parameters.vnics.into()));
        changes.push(("header_bytes".to_owned(), parameters.header_bytes.into()));
        changes.push(("flow_control".to_owned(), parameters.flow_control.into()));
    }
    let mut chip = spinach_cards::card(name, address, link_rate.0, &changes)?;
    chip.set_link(true, 0);
    Ok(chip)
}

impl FixedFunctionCardState {
    /// True if it takes a reference.
    fn is_free(&self) -> bool {
        self.held.is_none() && self.configuration.is_empty() && self.target.is_empty()
    }
}

impl FixedFunctionCard {
    /// Records values that others have taken.
    fn note_taken(&mut self, edge: &Edge<'_>) {
        let (ports, state) = (&self.ports, &mut self.state);
        if edge.signals.is_sent(ports.configuration_response) {
            state.configuration.pop_front();
        }
        if edge.signals.is_sent(ports.target_response) {
            state.target.pop_front();
        }
        if edge.signals.is_sent(ports.memory_request) {
            state.asked = None;
        }
        if edge.signals.is_sent(ports.interrupt.port) {
            state.levels.pop_front();
        }
        if edge.signals.is_sent(ports.sent) {
            state.leaving.pop_front();
        }
        state.is_link_known |= edge.signals.is_sent(ports.link_up.port);
    }

    /// Takes incoming values.
    fn take_in(&mut self, edge: &mut Edge<'_>, now: u64) {
        if let Some(response) = edge.signals.received(self.ports.memory_response) {
            edge.count(BLOCKS, 1);
            edge.count(ABORTS, u64::from(response.is_fault));
            self.state.is_waiting = false;
            let read = response.read.and_then(|payload| edge.payloads().remove(payload));
            let data = (!response.is_fault).then(|| read.as_deref().unwrap_or_default());
            self.state.chip.running_mut().transferred(data, now);
        }
        if let Some(frame) = edge.signals.received(self.ports.received) {
            let bytes = edge.payloads().remove(frame.bytes).unwrap_or_default();
            self.occupy_wire(bytes.len() as u64, edge, now);
            if !frame.is_intact {
                edge.count(DAMAGED, 1);
            } else if frame.is_control {
                self.receive_control(&bytes, edge, now);
            } else {
                self.state.chip.running_mut().receive(bytes.to_vec(), now);
            }
        }
        if let Some(reference) = edge.signals.received(self.ports.configuration_request) {
            let answer = self.configure(reference, now);
            self.state.configuration.push_back(answer);
        }
        if let Some(reference) = edge.signals.received(self.ports.target_request) {
            self.refer(reference, edge, now);
        }
        if edge.signals.received(self.ports.reset.port).is_some() {
            self.reset(edge);
        }
    }

    /// A frame of the other end's flow control, which nothing loses if the chip drops it.
    fn receive_control(&mut self, bytes: &[u8], edge: &mut Edge<'_>, now: u64) {
        self.count(edge);
        let state = &mut self.state;
        state.chip.running_mut().receive(bytes.to_vec(), now);
        let counters = state.chip.running_mut().counters();
        for (known, name) in state.counted.iter_mut().zip(NAMES_OF_CHIP) {
            let dropped =
                counters.iter().find(|(of_chip, _)| *of_chip == name && name.starts_with("dropped"));
            *known = dropped.map_or(*known, |(_, count)| *count);
        }
    }

    /// The wire delivers the next frame after the time of one with `bytes` bytes. Frames that follow each other closely have the rate of
    /// the wire, although each arrives at an edge.
    fn occupy_wire(&mut self, bytes: u64, edge: &Edge<'_>, now: u64) {
        let cycle = now.checked_div(edge.cycle()).unwrap_or(0);
        let state = &mut self.state;
        let is_close = now <= state.receives_from + 2 * cycle;
        let begins = if is_close { state.receives_from } else { now };
        state.receives_from = begins + duration(wire_bytes(bytes), self.parameters.link_rate.0);
    }

    /// The card is as after power-on; frames on the wire leave, and a block under way ends.
    fn reset(&mut self, edge: &mut Edge<'_>) {
        // A card has been made with these parameters.
        let Ok(chip) = chip(&self.parameters) else { return };
        self.count(edge);
        let state = &mut self.state;
        state.chip = KeptFunction::Running(chip);
        state.counted.fill(0);
        state.half = None;
        state.target.extend(state.held.take().map(|_| Response::FAULT));
    }

    fn configure(&mut self, reference: Reference, now: u64) -> Response {
        let Reference { address, access, size, data, .. } = reference;
        let size = usize::from(size);
        let is_there =
            matches!(size, 1 | 2 | 4) && address.is_multiple_of(size as u64) && address < CONFIGURATION_BYTES;
        let chip = self.state.chip.running_mut();
        match access {
            Access::Read if is_there => match chip.read_configuration(address, size, now) {
                Some(word) => Response { data: word.into(), is_fault: false },
                None => Response::FAULT,
            },
            Access::Write if is_there => {
                chip.write_configuration(address, size, data as u32, now);
                Response::default()
            }
            _ => Response::FAULT,
        }
    }

    /// A reference to memory space.
    fn refer(&mut self, reference: Reference, edge: &mut Edge<'_>, now: u64) {
        let Reference { address, access, size, data, .. } = reference;
        let state = &mut self.state;
        let chip = state.chip.running_mut();
        let is_simple = matches!(access, Access::Read | Access::Write) && usize::from(size) <= BUS_BYTES;
        let Some((window, offset)) = chip.decode(Space::Memory, address).filter(|_| is_simple) else {
            edge.count(UNCLAIMED, 1);
            state.target.push_back(Response::FAULT);
            return;
        };
        edge.count(CLAIMED, 1);
        let (size, is_store) = (usize::from(size), access == Access::Write);
        let first = state
            .half
            .take()
            .filter(|half| (half.window, half.next, half.is_store) == (window, offset, is_store));
        let is_half = size == BUS_BYTES
            && chip.register_bytes(window, offset) == 2 * BUS_BYTES
            && (first.is_some() || offset.is_multiple_of(2 * BUS_BYTES as u64));
        match (is_store, is_half, first) {
            (false, true, Some(half)) => {
                state.target.push_back(Response { data: half.value.into(), is_fault: false });
            }
            (false, _, _) => {
                let size = if is_half { 2 * BUS_BYTES } else { size };
                state.held = Some(Held { window, offset, size });
            }
            (true, true, None) => {
                let next = offset + BUS_BYTES as u64;
                state.half = Some(Half { window, next, value: data as u32, is_store });
                state.target.push_back(Response::default());
            }
            (true, true, Some(half)) => {
                let value = u64::from(data as u32) << 32 | u64::from(half.value);
                chip.write(window, offset - BUS_BYTES as u64, 2 * BUS_BYTES, value, now);
                state.target.push_back(Response::default());
            }
            (true, false, _) => {
                chip.write(window, offset, size, data as u64, now);
                state.target.push_back(Response::default());
            }
        }
    }

    /// Asks the chip for the answer to the load that waits.
    fn retry(&mut self, now: u64) {
        let state = &mut self.state;
        let Some(Held { window, offset, size }) = state.held else { return };
        let Some(value) = state.chip.running_mut().read(window, offset, size, now) else { return };
        state.held = None;
        if size > BUS_BYTES {
            let next = offset + BUS_BYTES as u64;
            state.half = Some(Half { window, next, value: (value >> 32) as u32, is_store: false });
        }
        state.target.push_back(Response { data: u128::from(value as u32), is_fault: false });
    }

    /// Serves the requests of the chip.
    fn serve(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        let chip = state.chip.running_mut();
        if !state.is_waiting
            && chip.configuration().is_bus_master()
            && let Some(transfer) = chip.transfer()
        {
            state.is_waiting = true;
            state.asked = Some(match transfer {
                Transfer::Read { address, bytes } => {
                    Block { address, length: bytes as u32, source: 0, write: None }
                }
                Transfer::Write { address, data } => {
                    let length = data.len() as u32;
                    Block { address, length, source: 0, write: Some(edge.payloads().insert(data)) }
                }
            });
        }
        while let Some(sent) = chip.take_sent() {
            // The address of the card as source sets its own pause frames apart from those of the driver.
            let is_control = pause_quanta(&sent.frame, PAUSE_DESTINATION).is_some()
                && sent.frame.get(6..12) == Some(self.parameters.mac_address.as_slice());
            let bytes = edge.payloads().insert(sent.frame);
            state.leaving.push_back((sent.ends, Frame { is_control, ..Frame::intact(bytes) }));
        }
        let asserted = chip.interrupts();
        let level = chip.configuration_mut().set_interrupt(asserted);
        if level != state.level {
            edge.count(INTERRUPTS, u64::from(level));
            state.level = level;
            if self.ports.interrupt.is_connected {
                state.levels.push_back(level.into());
            }
        }
    }

    /// Adds the new counts of the chip.
    fn count(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        let counted = state.chip.running_mut().counters();
        for (number, name) in NAMES_OF_CHIP.iter().enumerate() {
            let Some((_, value)) = counted.iter().find(|(of_chip, _)| of_chip == name) else { continue };
            edge.count(FIRST_OF_CHIP + number, value.saturating_sub(state.counted[number]));
            state.counted[number] = *value;
        }
    }
}
