//! `interrupt_latch`: makes of interrupts that a device raises the level of an interrupt line, until the host has seen them.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::{Declaration, Edge, Idle, Input, Module, Output, Process, Signals, ack, data, ports};

use crate::parts::register_message::RegisterMessage;
use crate::parts::registers::RegisterPort;
use crate::values::{Reference, Response};

ports! {
    /// Ports of an interrupt latch.
    pub struct InterruptLatchPorts {
        /// Registers, for the host.
        pub registers: { request: Input<Reference>, response: Output<Response> },
        /// A word for each interrupt that the device raises; always taken.
        pub raised: Input<u64>,
        /// Content of register 0 of the device, as `written` of a `pci_device` takes it: bit 0 while the line is to be asserted.
        pub level: Output<u64>,
    }
}

/// State of an interrupt latch.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct InterruptLatchState {
    port: RegisterPort,
    is_pending: bool,
    is_enabled: bool,
    // Last reported state of the line.
    #[serde(rename = "told")]
    reported: bool,
}

/// Makes levels of interrupts. See its declaration.
pub struct InterruptLatch {
    ports: InterruptLatchPorts,
    state: InterruptLatchState,
}

mod offset {
    pub(super) const STATUS: u32 = 0x00;
    pub(super) const ENABLED: u32 = 0x04;
}

const RAISED: usize = 0;
const ASSERTED: usize = 1;

const DOCUMENTATION: &str = "Turns the interrupts of a device into the level of an interrupt line, until the host clears them.

An interrupt sets bit 0 of `STATUS`, until the host clears it. The line is asserted while that bit is set and the host has \
enabled the line. So no interrupt is lost while a driver works: the driver disables the line, does all pending work, clears the \
status, enables the line, and checks for work once more.

Registers (aligned 32-bit words; the low 8 bits of the address count):

| offset | name | access | content |
|---|---|---|---|
| 0x00 | `STATUS` | read, write | bit 0: an interrupt was raised; writing 1 clears it |
| 0x04 | `ENABLED` | read, write | bit 0: the line follows the status; 0 after reset |";

impl Module for InterruptLatch {
    type Parameters = ();
    type Ports = InterruptLatchPorts;
    type State = InterruptLatchState;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "interrupt_latch",
            family: "bus",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. A change of the level is presented in the cycle after the interrupt or the write that \
                     makes it.",
            source: "PCI Local Bus 2.2, section 2.2.6: a device asserts its line until the driver clears what it asks for. Not in the \
                     Spinach thesis; registers of Spinach",
            parameters: Vec::new(),
            ports: InterruptLatchPorts::declare(),
            counters: &[
                ("raised", "interrupts that the device raised"),
                ("asserted", "times that the line was asserted"),
            ],
            clocks: &["clock"],
        }
    }

    fn new((): (), ports: InterruptLatchPorts) -> Result<Self, String> {
        Ok(Self { ports, state: InterruptLatchState::default() })
    }

    fn processes(&self) -> Vec<Process> {
        type P = InterruptLatchPorts;
        let drives = [data(P::REGISTERS_RESPONSE), ack(P::REGISTERS_REQUEST), data(P::LEVEL)];
        vec![Process::new(0).drives(drives).accepts([P::RAISED])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let state = &self.state;
        state.port.evaluate(self.ports.registers_request, self.ports.registers_response, signals);
        let level = state.is_asserted();
        let message = RegisterMessage::store(0, u32::from(level)).to_word();
        signals.write(self.ports.level, (level != state.reported).then_some(message));
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        let was_asserted = state.is_asserted();
        if edge.signals.is_sent(self.ports.level) {
            state.reported = was_asserted;
        }
        let (request, response) = (self.ports.registers_request, self.ports.registers_response);
        let (is_pending, is_enabled) = (&mut state.is_pending, &mut state.is_enabled);
        state.port.commit(request, response, edge, |at, written| match (at, written) {
            (offset::STATUS, None) => Some(u32::from(*is_pending)),
            (offset::ENABLED, None) => Some(u32::from(*is_enabled)),
            (offset::STATUS, Some(word)) => {
                *is_pending &= word & 1 == 0;
                Some(0)
            }
            (offset::ENABLED, Some(word)) => {
                *is_enabled = word & 1 != 0;
                Some(0)
            }
            _ => None,
        });
        // An interrupt that comes while the host clears the status stays.
        if edge.signals.received(self.ports.raised).is_some() {
            edge.count(RAISED, 1);
            state.is_pending = true;
        }
        edge.count(ASSERTED, u64::from(state.is_asserted() && !was_asserted));
    }

    fn idle(&self) -> Idle {
        if self.state.is_asserted() == self.state.reported { Idle::UntilInput } else { Idle::No }
    }

    fn state(&self) -> &InterruptLatchState {
        &self.state
    }

    fn restore(&mut self, state: InterruptLatchState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

impl InterruptLatchState {
    fn is_asserted(&self) -> bool {
        self.is_pending && self.is_enabled
    }
}
