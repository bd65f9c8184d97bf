//! `emulated_function`: a function on the host's bus whose registers firmware emulates.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AnyNumber, Declaration, Edge, Idle, Input, Module, OrUnconnected, Output, Process, Signals, Size, ack,
    data, parameters, ports,
};

use crate::parts::register_message::RegisterMessage;
use crate::parts::registers::RegisterPort;
use crate::values::{Access, Reference, Response};

parameters! {
    /// The parameters of an emulated function.
    pub struct EmulatedFunctionParameters {
        /// Address of the first byte of the window.
        pub base: u64 = 0 => in 0..=0xffff_ffff,
        /// Size of the window, in bytes.
        pub window: Size = Size(0x4000) => in 16..=1 << 24,
        /// Offset of the doorbells in the window.
        pub doorbells: u64 = 0x3000 => in 0..=0xff_ffff,
        /// Bytes from one doorbell to the next.
        pub doorbell_stride: u64 = 4 => in 1..=4096,
        /// Doorbells of each lane of `doorbell`.
        pub doorbells_per_lane: u32 = 2 => in 1..=16,
        /// Number of accesses that wait for firmware; further ones wait on the bus.
        pub accesses: u32 = 16 => in 1..=256,
    }
}

ports! {
    /// Ports of an emulated function.
    pub struct EmulatedFunctionPorts {
        /// Accesses of the host, little-endian.
        pub access: { request: Input<Reference>, response: Output<Response> },
        /// Registers, for firmware.
        pub registers: { request: Input<Reference>, response: Output<Response> },
        /// A word as long as an access waits for firmware.
        pub pending: OrUnconnected<Output<u64>>,
        /// Doorbells, one lane for each core: a word whose bits are the doorbells of the lane that were rung.
        pub doorbell: AnyNumber<Output<u64>>,
        /// State of the interrupt line for `written` of a `pci_device`: bit 0 of register 0.
        pub level: OrUnconnected<Output<u64>>,
        /// Numbers of the vectors that firmware raises, for `raised` of `message_interrupts`.
        pub message: OrUnconnected<Output<u64>>,
    }
}

/// An access that firmware has not answered.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Waiting {
    // Offset in the window, size and kind, as `ACCESS` shows them.
    word: u32,
    data: u32,
}

impl Waiting {
    fn is_read(&self) -> bool {
        self.word & WRITE == 0
    }
}

/// State of an emulated function.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct EmulatedFunctionState {
    port: RegisterPort,
    waiting: VecDeque<Waiting>,
    answers: VecDeque<Response>,
    rung: Vec<u64>,
    level: u32,
    // The value of `level` that the `pci_device` has.
    presented: u32,
    messages: VecDeque<u64>,
}

/// A function whose registers firmware emulates. See its declaration.
pub struct EmulatedFunction {
    parameters: EmulatedFunctionParameters,
    ports: EmulatedFunctionPorts,
    state: EmulatedFunctionState,
}

mod offset {
    pub(super) const ACCESS: u32 = 0x00;
    pub(super) const DATA: u32 = 0x04;
    pub(super) const ANSWER: u32 = 0x08;
    pub(super) const LEVEL: u32 = 0x0c;
    pub(super) const RING: u32 = 0x10;
    pub(super) const MESSAGE: u32 = 0x14;
}

const VALID: u32 = 1 << 31;
const WRITE: u32 = 1 << 30;
const SIZE_SHIFT: u32 = 24;

const READS: usize = 0;
const WRITES: usize = 1;
const DOORBELLS: usize = 2;

const DOCUMENTATION: &str = "A function on the host's bus whose registers firmware emulates, as cards do that present devices of any kind \
to their host.

Accesses of the host wait in a queue, oldest first. Stores are posted: the bus is answered at once. A load is answered when firmware has \
served it, and later accesses stay in the queue until then. Stores to doorbells do not wait for firmware: they set a bit, which goes \
to the core of that doorbell as an event; a doorbell that is rung again before the event has left is one event. Doorbells behind those \
of the last lane go to lane 0, behind its bits. Firmware can raise further bits of any lane, as cores do that signal to others.

Registers (aligned 32-bit words; the low 8 bits of the address count):

| offset | name | access | content |
|---|---|---|---|
| 0x00 | `ACCESS` | read | the oldest access; 0 if there is none. Bit 31: set; bit 30: store; bits 26 to 24: size in bytes; bits 23 to 0: offset in \
the window |
| 0x04 | `DATA` | read | value of the oldest access, if it is a store |
| 0x08 | `ANSWER` | write | ends the oldest access; the word is what a load reads |
| 0x0c | `LEVEL` | read, write | bit 0: the interrupt line is asserted |
| 0x10 | `RING` | write | raises bits 15 to 0 of the lane whose number is in bits 31 to 16 |
| 0x14 | `MESSAGE` | write | raises the vector of that number |";

impl Module for EmulatedFunction {
    type Parameters = EmulatedFunctionParameters;
    type Ports = EmulatedFunctionPorts;
    type State = EmulatedFunctionState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "emulated_function",
            family: "bus",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. An access is shown to firmware in the cycle after it came, a doorbell to its core likewise; \
                     an answer is presented in the cycle after firmware wrote it.",
            source: "no one card: data processing units present emulated devices to their host in this way; registers of Spinach",
            parameters: EmulatedFunctionParameters::declare(),
            ports: EmulatedFunctionPorts::declare(),
            counters: &[
                ("reads", "loads that firmware answered"),
                ("writes", "stores that firmware served"),
                ("doorbells", "stores to doorbells"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: EmulatedFunctionParameters, ports: EmulatedFunctionPorts) -> Result<Self, String> {
        let lanes = ports.doorbell.len();
        let state = EmulatedFunctionState { rung: vec![0; lanes], ..EmulatedFunctionState::default() };
        Ok(Self { parameters, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = EmulatedFunctionPorts;
        let mut drives = vec![
            data(P::ACCESS_RESPONSE),
            ack(P::ACCESS_REQUEST),
            data(P::REGISTERS_RESPONSE),
            ack(P::REGISTERS_REQUEST),
        ];
        drives.extend(self.ports.pending.is_connected.then_some(data(P::PENDING)));
        drives.extend((!self.ports.doorbell.is_empty()).then_some(data(P::DOORBELL)));
        drives.extend(self.ports.level.is_connected.then_some(data(P::LEVEL)));
        drives.extend(self.ports.message.is_connected.then_some(data(P::MESSAGE)));
        vec![Process::new(0).drives(drives)]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        state.port.evaluate(ports.registers_request, ports.registers_response, signals);
        signals.write(ports.access_response, state.answers.front().copied());
        let waiting = state.waiting.len() + state.answers.len();
        // No later access may be answered before a load, so that one is always the last that waits.
        let awaits_read = state.waiting.back().is_some_and(Waiting::is_read);
        let has_room = !awaits_read && waiting < self.parameters.accesses as usize;
        signals.acknowledge(ports.access_request, has_room);
        signals.write(ports.pending.port, (!state.waiting.is_empty()).then_some(1));
        for (lane, rung) in ports.doorbell.iter().zip(&state.rung) {
            signals.write(*lane, (*rung != 0).then_some(*rung));
        }
        let message = RegisterMessage::store(0, state.level).to_word();
        signals.write(ports.level.port, (state.level != state.presented).then_some(message));
        signals.write(ports.message.port, state.messages.front().copied());
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let (ports, state) = (&self.ports, &mut self.state);
        if edge.signals.is_sent(ports.access_response) {
            state.answers.pop_front();
        }
        if edge.signals.is_sent(ports.level.port) {
            state.presented = state.level;
        }
        if edge.signals.is_sent(ports.message.port) {
            state.messages.pop_front();
        }
        for (lane, rung) in ports.doorbell.iter().zip(&mut state.rung) {
            if edge.signals.is_sent(*lane) {
                *rung = 0;
            }
        }
        self.see_registers(edge);
        if let Some(reference) = edge.signals.received(self.ports.access_request) {
            self.take(reference, edge);
        }
    }

    fn idle(&self) -> Idle {
        Idle::UntilTransfer
    }

    fn state(&self) -> &EmulatedFunctionState {
        &self.state
    }

    fn restore(&mut self, state: EmulatedFunctionState) -> Result<(), String> {
        if state.rung.len() != self.state.rung.len() {
            return Err("the saved emulated function has another number of doorbell lanes".to_owned());
        }
        self.state = state;
        Ok(())
    }
}

impl EmulatedFunction {
    fn see_registers(&mut self, edge: &mut Edge<'_>) {
        let (ports, state) = (&self.ports, &mut self.state);
        let oldest = state.waiting.front().copied();
        let (level, messages, mut answer, mut raised) = (&mut state.level, &mut state.messages, None, None);
        let has_messages = ports.message.is_connected;
        let (request, response) = (ports.registers_request, ports.registers_response);
        state.port.commit(request, response, edge, |at, written| match (at, written) {
            (offset::ACCESS, None) => Some(oldest.map_or(0, |access| access.word)),
            (offset::DATA, None) => Some(oldest.map_or(0, |access| access.data)),
            (offset::LEVEL, None) => Some(*level),
            (offset::ANSWER, Some(word)) => {
                answer = Some(word);
                Some(0)
            }
            (offset::LEVEL, Some(word)) => {
                *level = word & 1;
                Some(0)
            }
            (offset::RING, Some(word)) => {
                raised = Some(word);
                Some(0)
            }
            (offset::MESSAGE, Some(word)) if has_messages => {
                messages.push_back(u64::from(word));
                Some(0)
            }
            _ => None,
        });
        if let Some((rung, word)) =
            raised.and_then(|word| state.rung.get_mut((word >> 16) as usize).map(|rung| (rung, word)))
        {
            *rung |= u64::from(word & 0xffff);
        }
        let Some(word) = answer else { return };
        if let Some(access) = state.waiting.pop_front() {
            edge.count(if access.is_read() { READS } else { WRITES }, 1);
            if access.is_read() {
                state.answers.push_back(Response { data: u128::from(word), is_fault: false });
            }
        }
    }

    fn take(&mut self, reference: Reference, edge: &mut Edge<'_>) {
        let Self { parameters, ports, state } = self;
        let Reference { address, access, size, data, .. } = reference;
        let at = address.wrapping_sub(parameters.base);
        let is_proper = matches!(size, 1 | 2 | 4)
            && at.is_multiple_of(u64::from(size))
            && at < parameters.window.0
            && matches!(access, Access::Read | Access::Write);
        if !is_proper {
            state.answers.push_back(Response::FAULT);
            return;
        }
        let is_read = access == Access::Read;
        let doorbell = at.checked_sub(parameters.doorbells).map(|at| at / parameters.doorbell_stride);
        let per_lane = u64::from(parameters.doorbells_per_lane);
        let own = per_lane * ports.doorbell.len() as u64;
        let lane = doorbell.map(|doorbell| match doorbell.checked_sub(own) {
            None => ((doorbell / per_lane) as usize, doorbell % per_lane),
            Some(further) => (0, per_lane + further),
        });
        if let Some((lane, bit)) = lane.filter(|(lane, bit)| *lane < ports.doorbell.len() && *bit < 16) {
            if !is_read {
                edge.count(DOORBELLS, 1);
                state.rung[lane] |= 1 << bit;
            }
            state.answers.push_back(Response::default());
            return;
        }
        let kind = if is_read { 0 } else { WRITE };
        let word = VALID | kind | u32::from(size) << SIZE_SHIFT | at as u32;
        state.waiting.push_back(Waiting { word, data: data as u32 });
        if !is_read {
            state.answers.push_back(Response::default());
        }
    }
}
