//! `serial_eeprom`: an EEPROM on two wires that firmware or a host moves bit by bit.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Contents, Declaration, Edge, Idle, Input, Module, Output, Process, Signals, Size, data, parameters, ports,
};

use crate::parts::register_message::RegisterMessage;

parameters! {
    /// The parameters of a serial EEPROM.
    pub struct SerialEepromParameters {
        /// Size in bytes, a power of two.
        pub size: Size = Size(8192) => power_of_two 1..=65536,
        /// Its device address: the upper 7 bits of the first byte after a start.
        pub address: u32 = 0x50 => in 0..=127,
        /// Initial content; ones beyond.
        pub contents: Vec<u8> = Vec::new(),
        /// The register that moves the wires.
        pub register: u32 => in 0..=65532,
        /// Its bit that drives the clock.
        pub clock_bit: u32 => in 0..=31,
        /// Its bit that lets `output_bit` drive the data wire; the wire is 1 otherwise.
        pub enable_bit: u32 => in 0..=31,
        /// See `enable_bit`.
        pub output_bit: u32 => in 0..=31,
        /// Its bit in which the data wire can be read.
        pub input_bit: u32 => in 0..=31,
    }
}

ports! {
    /// Ports of a serial EEPROM.
    pub struct SerialEepromPorts {
        /// Content of the register.
        pub written: Input<u64>,
        /// Changes of the bit in which the data wire can be read.
        pub update: Output<u64>,
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Phase {
    /// Nothing matters before the next start.
    #[default]
    Idle,
    Device,
    AddressHigh,
    AddressLow,
    Write,
    Read,
}

/// State of a serial EEPROM.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SerialEepromState {
    bytes: Vec<u8>,
    phase: Phase,
    clock: bool,
    wire: bool,
    // True if it holds the data wire down.
    pulls: bool,
    // The bits of the byte that passes, and how many have; the ninth is the acknowledgement.
    shift: u8,
    bits: u8,
    position: u16,
    // The level that was reported last.
    #[serde(rename = "told")]
    reported: bool,
    outbox: VecDeque<u64>,
}

/// An EEPROM on two wires. See its declaration.
pub struct SerialEeprom {
    parameters: SerialEepromParameters,
    ports: SerialEepromPorts,
    state: SerialEepromState,
}

const BYTES_READ: usize = 0;
const BYTES_WRITTEN: usize = 1;

impl Module for SerialEeprom {
    type Parameters = SerialEepromParameters;
    type Ports = SerialEepromPorts;
    type State = SerialEepromState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "serial_eeprom",
            family: "tigon2",
            documentation: "An EEPROM on two wires that firmware or a host drives bit by bit.\n\nIt speaks the I2C bus as devices of the 24C64 \
                            kind do: a start, the device address with the direction, two bytes of address for a write, then data until a stop. \
                            Addresses advance with each byte and wrap at the end. Writes take no time.",
            timing: "Registered: the effect of a change of the wires can be read two cycles after the change.",
            source: "I2C-bus specification, section 3.1; Tigon-2 reference, sections 2.1 (MISC_LOCAL_CTL) and 5.2",
            parameters: SerialEepromParameters::declare(),
            ports: SerialEepromPorts::declare(),
            counters: &[("bytes_read", "bytes read"), ("bytes_written", "bytes written")],
            clocks: &["clock"],
        }
    }

    fn new(parameters: SerialEepromParameters, ports: SerialEepromPorts) -> Result<Self, String> {
        let Size(size) = parameters.size;
        if parameters.contents.len() as u64 > size {
            return Err(format!(
                "contents has {} bytes, more than size, {size} B",
                parameters.contents.len()
            ));
        }
        let mut bytes = parameters.contents.clone();
        bytes.resize(size as usize, 0xff);
        let state = SerialEepromState { bytes, wire: true, ..SerialEepromState::default() };
        Ok(Self { parameters, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = SerialEepromPorts;
        vec![Process::new(0).drives([data(P::UPDATE)]).accepts([P::WRITTEN])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        signals.write(self.ports.update, self.state.outbox.front().copied());
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_sent(self.ports.update) {
            self.state.outbox.pop_front();
        }
        let Some(word) = edge.signals.received(self.ports.written) else { return };
        let message = RegisterMessage::from_word(word);
        let parameters = &self.parameters;
        if u32::from(message.offset) != parameters.register {
            return;
        }
        let bit = |number: u32| message.word >> number & 1 != 0;
        let (clock, drives, output) =
            (bit(parameters.clock_bit), bit(parameters.enable_bit), bit(parameters.output_bit));
        self.move_wires(clock, !drives || output, edge);
        let level = (!drives || output) && !self.state.pulls;
        if level != self.state.reported {
            self.state.reported = level;
            let (offset, mask) = (self.parameters.register as u16, 1 << self.parameters.input_bit);
            let message =
                if level { RegisterMessage::set(offset, mask) } else { RegisterMessage::clear(offset, mask) };
            self.state.outbox.push_back(message.to_word());
        }
    }

    fn idle(&self) -> Idle {
        if self.state.outbox.is_empty() { Idle::UntilInput } else { Idle::No }
    }

    fn contents(&mut self) -> Option<&mut dyn Contents> {
        Some(self)
    }

    fn state(&self) -> &SerialEepromState {
        &self.state
    }

    fn restore(&mut self, state: SerialEepromState) -> Result<(), String> {
        if state.bytes.len() != self.state.bytes.len() {
            return Err("the saved EEPROM has another size".to_owned());
        }
        self.state = state;
        Ok(())
    }
}

impl SerialEeprom {
    // The wires as the other side drives them.
    fn move_wires(&mut self, clock: bool, wire: bool, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        let (clock_before, wire_before) = (state.clock, state.wire);
        (state.clock, state.wire) = (clock, wire);
        if clock_before && clock && wire_before != wire {
            // Data changes while the clock is high only for a start (down) or a stop (up).
            state.phase = if wire { Phase::Idle } else { Phase::Device };
            (state.bits, state.shift, state.pulls) = (0, 0, false);
        } else if !clock_before && clock {
            self.rise(wire, edge);
        } else if clock_before && !clock {
            self.fall(edge);
        }
    }

    fn rise(&mut self, wire: bool, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        if state.phase == Phase::Idle {
            return;
        }
        if state.bits < 8 {
            state.shift = state.shift << 1 | u8::from(wire);
            state.bits += 1;
            return;
        }
        // The acknowledgement: of the device, or of a reader, which ends the read if it gives none.
        state.bits = 9;
        if state.phase == Phase::Read && !state.pulls {
            edge.count(BYTES_READ, 1);
            state.position = state.position.wrapping_add(1);
            if wire {
                state.phase = Phase::Idle;
            }
        }
    }

    // The state of the wire until the next rise of the clock is decided while the clock is low.
    fn fall(&mut self, edge: &mut Edge<'_>) {
        let is_reading = self.state.phase == Phase::Read;
        match self.state.bits {
            8 if is_reading => self.state.pulls = false,
            8 => self.end_byte(edge),
            9 => {
                (self.state.bits, self.state.shift, self.state.pulls) = (0, 0, false);
                self.drive_bit();
            }
            _ => self.drive_bit(),
        }
    }

    fn drive_bit(&mut self) {
        let state = &mut self.state;
        if state.phase == Phase::Read && state.bits < 8 {
            let byte = state.bytes[usize::from(state.position) % state.bytes.len()];
            state.pulls = byte >> (7 - state.bits) & 1 == 0;
        }
    }

    // Eight bits have come; whether they are acknowledged.
    fn end_byte(&mut self, edge: &mut Edge<'_>) {
        let address = self.parameters.address as u8;
        let state = &mut self.state;
        let byte = state.shift;
        state.pulls = true;
        match state.phase {
            Phase::Device if byte >> 1 == address => {
                state.phase = if byte & 1 != 0 { Phase::Read } else { Phase::AddressHigh };
            }
            Phase::Device | Phase::Idle => (state.phase, state.pulls) = (Phase::Idle, false),
            Phase::AddressHigh => {
                state.position = u16::from(byte) << 8;
                state.phase = Phase::AddressLow;
            }
            Phase::AddressLow => {
                state.position |= u16::from(byte);
                state.phase = Phase::Write;
            }
            Phase::Write | Phase::Read => {
                edge.count(BYTES_WRITTEN, 1);
                let place = usize::from(state.position) % state.bytes.len();
                state.bytes[place] = byte;
                state.position = state.position.wrapping_add(1);
            }
        }
    }
}

impl Contents for SerialEeprom {
    fn size(&self) -> u64 {
        self.state.bytes.len() as u64
    }

    fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        let run =
            usize::try_from(address).ok().and_then(|start| self.state.bytes.get(start..)?.get(..bytes.len()));
        run.map(|run| bytes.copy_from_slice(run)).is_some()
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let start = usize::try_from(address).ok();
        let run = start.and_then(|start| self.state.bytes.get_mut(start..)?.get_mut(..bytes.len()));
        run.map(|run| run.copy_from_slice(bytes)).is_some()
    }
}
