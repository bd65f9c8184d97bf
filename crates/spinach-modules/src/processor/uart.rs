//! `uart`: serial line between firmware and a console client.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Exported, Idle, Input, Module, OrUnconnected, Output, Outside, Process, Rate, Signals,
    Time, ack, data, parameters, ports,
};

use crate::parts::alarm::Alarm;
use crate::parts::registers::RegisterPort;
use crate::values::{Reference, Response};

parameters! {
    /// The parameters of a serial line.
    pub struct UartParameters {
        /// Bits a second on the line, ten for each byte; 0 for as many as there are cycles.
        pub rate: Rate = Rate(0),
        /// Number of bytes that wait in each direction.
        pub fifo: u32 = 16 => in 1..=65536,
        /// Bytes received from the start on, as if typed.
        pub input: Vec<u8> = Vec::new(),
    }
}

ports! {
    /// Ports of a serial line.
    pub struct UartPorts {
        /// Registers.
        pub registers: { request: Input<Reference>, response: Output<Response> },
        /// A word as long as a byte received waits.
        pub pending: OrUnconnected<Output<u64>>,
    }
}

/// State of a serial line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UartState {
    port: RegisterPort,
    to_send: VecDeque<u8>,
    received: VecDeque<u8>,
    // Typed bytes that are not on the line yet.
    typed: VecDeque<u8>,
    // Times at which the line is free again: to the outside, to the firmware.
    alarms: [Option<Alarm>; 2],
    has_acted: bool,
}

/// A serial line. See its declaration.
pub struct Uart {
    byte_time: Time,
    fifo: usize,
    ports: UartPorts,
    state: UartState,
    outbox: VecDeque<Exported>,
    has_news: bool,
}

mod offset {
    pub(super) const TRANSMIT: u32 = 0x00;
    pub(super) const RECEIVE: u32 = 0x04;
    pub(super) const FREE: u32 = 0x08;
}

const RECEIVED: u32 = 1 << 31;
/// Maximum number of bytes kept for the outside; the oldest are dropped first, as on a screen.
const OUTBOX: usize = 1 << 20;

const TO_OUTSIDE: usize = 0;
const TO_FIRMWARE: usize = 1;

const SENT: usize = 0;
const TAKEN: usize = 1;
const LOST: usize = 2;

const DOCUMENTATION: &str = "A serial line: bytes from firmware to the outside, and back.

Registers (aligned 32-bit words; the low 8 bits of the address count):

| offset | name | access | content |
|---|---|---|---|
| 0x00 | `TRANSMIT` | write | sends the byte in bits 7 to 0; lost if there is no room |
| 0x04 | `RECEIVE` | read | removes the oldest received byte: bit 31 is set, and bits 7 to 0 are the byte; 0 if there is none |
| 0x08 | `FREE` | read | room for bytes to send |

Bytes are imported on lane 0, and wait until the line and the FIFO accept them.";

impl Module for Uart {
    type Parameters = UartParameters;
    type Ports = UartPorts;
    type State = UartState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "uart",
            family: "processor",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. A byte is on the line from the cycle after it was written, if the line is free, and for ten \
                     bits.",
            source: "RiceNIC (ExpCS 2007), section 2.1 (Serial Console); layouts of Spinach",
            parameters: UartParameters::declare(),
            ports: UartPorts::declare(),
            counters: &[
                ("sent", "bytes that left"),
                ("taken", "bytes received that firmware took"),
                ("lost", "bytes written while there was no room"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: UartParameters, ports: UartPorts) -> Result<Self, String> {
        let byte_time = match parameters.rate.0 {
            0 => Time::ZERO,
            bits => Time::from_femtoseconds(10_000_000_000_000_000 / bits),
        };
        Ok(Self {
            byte_time,
            fifo: parameters.fifo as usize,
            ports,
            state: UartState {
                port: RegisterPort::default(),
                to_send: VecDeque::new(),
                received: VecDeque::new(),
                typed: parameters.input.into(),
                alarms: [None; 2],
                has_acted: true,
            },
            outbox: VecDeque::new(),
            has_news: false,
        })
    }

    fn processes(&self) -> Vec<Process> {
        let pending = self.ports.pending.is_connected.then_some(data(UartPorts::PENDING));
        let drives = [data(UartPorts::REGISTERS_RESPONSE), ack(UartPorts::REGISTERS_REQUEST)];
        vec![Process::new(0).drives(drives).drives(pending)]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        self.state.port.evaluate(self.ports.registers_request, self.ports.registers_response, signals);
        signals.write(self.ports.pending.port, (!self.state.received.is_empty()).then_some(1));
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        self.has_news = false;
        let has_sent = self.send(edge);
        let has_received = self.receive(edge);
        let (state, fifo) = (&mut self.state, self.fifo);
        let (request, response) = (self.ports.registers_request, self.ports.registers_response);
        let (mut is_lost, mut is_taken) = (false, false);
        let has_moved = state.port.commit(request, response, edge, |at, written| match (at, written) {
            (offset::TRANSMIT, Some(word)) => {
                is_lost = state.to_send.len() >= fifo;
                if !is_lost {
                    state.to_send.push_back(word as u8);
                }
                Some(0)
            }
            (offset::RECEIVE, None) => {
                let byte = state.received.pop_front();
                is_taken = byte.is_some();
                Some(byte.map_or(0, |byte| RECEIVED | u32::from(byte)))
            }
            (offset::FREE, None) => Some((fifo - state.to_send.len()) as u32),
            _ => None,
        });
        edge.count(LOST, u64::from(is_lost));
        edge.count(TAKEN, u64::from(is_taken));
        state.has_acted = has_sent || has_received || has_moved;
    }

    fn idle(&self) -> Idle {
        let next = self.state.alarms.iter().flatten().map(Alarm::look_at).min();
        match next {
            _ if self.state.has_acted || self.has_news => Idle::No,
            Some(cycle) => Idle::UntilTransferOrCycle(cycle),
            None => Idle::UntilTransfer,
        }
    }

    fn outside(&mut self) -> Option<&mut dyn Outside> {
        Some(self)
    }

    fn state(&self) -> &UartState {
        &self.state
    }

    fn restore(&mut self, state: UartState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

impl Uart {
    // True if the line is free in a direction; takes the alarm that has rung.
    fn is_free(&mut self, direction: usize, edge: &Edge<'_>) -> bool {
        let alarm = &mut self.state.alarms[direction];
        if alarm.as_mut().is_some_and(|alarm| alarm.rings(edge)) {
            *alarm = None;
        }
        alarm.is_none()
    }

    fn occupy(&mut self, direction: usize, edge: &Edge<'_>) {
        let due = edge.time().saturating_add(self.byte_time);
        self.state.alarms[direction] = (self.byte_time > Time::ZERO).then(|| Alarm::set(due, edge));
    }

    fn send(&mut self, edge: &mut Edge<'_>) -> bool {
        if !self.is_free(TO_OUTSIDE, edge) {
            return false;
        }
        let Some(byte) = self.state.to_send.pop_front() else { return false };
        edge.count(SENT, 1);
        self.occupy(TO_OUTSIDE, edge);
        if self.outbox.len() >= OUTBOX {
            self.outbox.pop_front();
        }
        self.outbox.push_back(Exported { time: edge.time(), message: vec![byte] });
        true
    }

    fn receive(&mut self, edge: &mut Edge<'_>) -> bool {
        if !self.is_free(TO_FIRMWARE, edge) || self.state.received.len() >= self.fifo {
            return false;
        }
        let Some(byte) = self.state.typed.pop_front() else { return false };
        self.state.received.push_back(byte);
        self.occupy(TO_FIRMWARE, edge);
        true
    }
}

impl Outside for Uart {
    fn inject(&mut self, lane: u32, message: &[u8]) -> Result<(), String> {
        if lane != 0 {
            return Err(format!("uart: there is no lane {lane}"));
        }
        self.state.typed.extend(message);
        self.has_news = true;
        Ok(())
    }

    fn waiting(&self, _: u32) -> usize {
        self.state.typed.len()
    }

    fn export(&mut self, _: u32) -> Option<Exported> {
        self.outbox.pop_front()
    }
}
