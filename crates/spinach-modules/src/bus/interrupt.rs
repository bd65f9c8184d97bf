//! `interrupt`: how firmware notifies the host.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, Output, Process, Signals, Time, ack, data, ports,
};

use crate::parts::alarm::Alarm;
use crate::parts::layout::{SHARED_WORD, layout};
use crate::parts::registers::RegisterPort;
use crate::values::{Reference, Response};

ports! {
    /// Ports of an interrupt block.
    pub struct InterruptPorts {
        /// Registers.
        pub registers: { request: Input<Reference>, response: Output<Response> },
        /// Interrupts to the host; each carries how many were raised since the last.
        pub raised: Output<u64>,
    }
}

/// State of an interrupt block.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct InterruptState {
    port: RegisterPort,
    // Number of raises since the last interrupt, and the number that is presented.
    waiting: u64,
    offered: Option<u64>,
    is_masked: bool,
    hold_off_us: u32,
    // Set while the next interrupt must still wait.
    alarm: Option<Alarm>,
}

/// Interrupts from firmware to the host. See its declaration.
pub struct Interrupt {
    ports: InterruptPorts,
    state: InterruptState,
}

layout! {
    /// The registers by which firmware notifies the host.
    pub(super) INTERRUPT_REGISTERS, interrupt_offset: "interrupt_block" {
        /// Write to raise; read how often it was raised since the last interrupt.
        RAISE: SHARED_WORD;
        /// Bit 0: interrupts wait.
        MASK: SHARED_WORD;
        /// Microseconds between two interrupts at least.
        HOLD_OFF: SHARED_WORD;
    }
}

const INTERRUPTS: usize = 0;
const RAISED: usize = 1;

const FEMTOSECONDS_PER_MICROSECOND: u64 = 1_000_000_000;

const DOCUMENTATION: &str = "Interrupts from firmware to the host.

An interrupt that is raised while another is pending merges with it.

Registers (aligned 32-bit words; the low 8 bits of the address count):

| offset | name | access | content |
|---|---|---|---|
| 0x00 | `RAISE` | read, write | write any word to raise an interrupt; read the number of raises since the last interrupt |
| 0x04 | `MASK` | read, write | bit 0: interrupts wait until it is cleared; 0 after reset |
| 0x08 | `HOLD_OFF` | read, write | minimum time between two interrupts, in microseconds; 0 after reset |";

impl Module for Interrupt {
    type Parameters = ();
    type Ports = InterruptPorts;
    type State = InterruptState;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "interrupt",
            family: "bus",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. An interrupt is presented in the cycle after the write that raises it was taken, unless it \
                     must wait.",
            source: "Spinach thesis, section 2.1.1 (interrupt coalescing)",
            parameters: Vec::new(),
            ports: InterruptPorts::declare(),
            counters: &[
                ("interrupts", "interrupts that the host took"),
                ("raised", "times that firmware raised one"),
            ],
            clocks: &["clock"],
        }
    }

    fn new((): (), ports: InterruptPorts) -> Result<Self, String> {
        Ok(Self { ports, state: InterruptState::default() })
    }

    fn processes(&self) -> Vec<Process> {
        type P = InterruptPorts;
        let drives = [data(P::REGISTERS_RESPONSE), ack(P::REGISTERS_REQUEST), data(P::RAISED)];
        vec![Process::new(0).drives(drives)]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        self.state.port.evaluate(self.ports.registers_request, self.ports.registers_response, signals);
        signals.write(self.ports.raised, self.state.offered);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        if edge.signals.is_sent(self.ports.raised) {
            state.offered = None;
            edge.count(INTERRUPTS, 1);
            let hold_off =
                Time::from_femtoseconds(u64::from(state.hold_off_us) * FEMTOSECONDS_PER_MICROSECOND);
            state.alarm =
                (state.hold_off_us > 0).then(|| Alarm::set(edge.time().saturating_add(hold_off), edge));
        }
        if state.alarm.as_mut().is_some_and(|alarm| alarm.rings(edge)) {
            state.alarm = None;
        }
        let before = state.waiting;
        let (request, response) = (self.ports.registers_request, self.ports.registers_response);
        state.port.commit(request, response, edge, |offset, written| match (offset, written) {
            (interrupt_offset::RAISE, None) => Some(state.waiting as u32),
            (interrupt_offset::MASK, None) => Some(u32::from(state.is_masked)),
            (interrupt_offset::HOLD_OFF, None) => Some(state.hold_off_us),
            (interrupt_offset::RAISE, Some(_)) => {
                state.waiting += 1;
                Some(0)
            }
            (interrupt_offset::MASK, Some(word)) => {
                state.is_masked = word & 1 != 0;
                Some(0)
            }
            (interrupt_offset::HOLD_OFF, Some(word)) => {
                state.hold_off_us = word;
                Some(0)
            }
            _ => None,
        });
        edge.count(RAISED, state.waiting - before);
        if state.waiting > 0 && state.offered.is_none() && state.alarm.is_none() && !state.is_masked {
            state.offered = Some(std::mem::take(&mut state.waiting));
        }
    }

    fn idle(&self) -> Idle {
        self.state.alarm.map_or(Idle::UntilInput, |alarm| Idle::UntilCycle(alarm.look_at()))
    }

    fn state(&self) -> &InterruptState {
        &self.state
    }

    fn restore(&mut self, state: InterruptState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}
