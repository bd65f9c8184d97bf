//! `timer`: microseconds, and an instant to wait for.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, OrUnconnected, Output, Process, Signals, Time, ack, data, ports,
};

use crate::parts::alarm::Alarm;
use crate::parts::registers::RegisterPort;
use crate::values::{Reference, Response};

ports! {
    /// Ports of a timer.
    pub struct TimerPorts {
        /// Registers.
        pub registers: { request: Input<Reference>, response: Output<Response> },
        /// One word for each time that `COMPARE` is reached; presented until taken.
        pub expired: OrUnconnected<Output<u64>>,
    }
}

/// State of a timer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TimerState {
    port: RegisterPort,
    compare: u32,
    is_enabled: bool,
    // Set while `compare` is ahead; what it waits for is announced once.
    alarm: Option<Alarm>,
    is_announcing: bool,
}

/// Microseconds and an instant to wait for. See its declaration.
pub struct Timer {
    ports: TimerPorts,
    state: TimerState,
}

/// Offsets of the registers of a timer.
pub(super) mod timer_offset {
    /// Microseconds since the start, modulo 2^32.
    pub(crate) const MICROSECONDS: u32 = 0x00;
    /// The instant to wait for.
    pub(crate) const COMPARE: u32 = 0x04;
    /// Bit 0: enabled.
    pub(crate) const CONTROL: u32 = 0x08;
    /// 1 once the instant has come.
    pub(crate) const EXPIRED: u32 = 0x0c;
}

const FEMTOSECONDS_PER_MICROSECOND: u64 = 1_000_000_000;

const EXPIRATIONS: usize = 0;

const DOCUMENTATION: &str = "A microsecond timer with an alarm.

Registers (aligned 32-bit words; the low 8 bits of the address count):

| offset | name | access | content |
|---|---|---|---|
| 0x00 | `MICROSECONDS` | read | microseconds since the start of the simulation, modulo 2^32 |
| 0x04 | `COMPARE` | read, write | the instant to wait for, less than 2^31 microseconds ahead |
| 0x08 | `CONTROL` | read, write | bit 0: enabled; 0 after reset |
| 0x0c | `EXPIRED` | read | 1 if enabled and `MICROSECONDS` has reached `COMPARE`, else 0 |

Writing `COMPARE`, or `CONTROL`, begins a new wait.";

impl Module for Timer {
    type Parameters = ();
    type Ports = TimerPorts;
    type State = TimerState;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "timer",
            family: "processor",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. `expired` is presented from the cycle after the first edge at or after the instant.",
            source: "Spinach thesis, section 4.3.3 (timer event); Tigon-2 reference, section 2.1 (TIMER, TIMERREF)",
            parameters: Vec::new(),
            ports: TimerPorts::declare(),
            counters: &[("expirations", "times that the instant came")],
            clocks: &["clock"],
        }
    }

    fn new((): (), ports: TimerPorts) -> Result<Self, String> {
        Ok(Self { ports, state: TimerState::default() })
    }

    fn processes(&self) -> Vec<Process> {
        let mut drives = vec![data(TimerPorts::REGISTERS_RESPONSE), ack(TimerPorts::REGISTERS_REQUEST)];
        drives.extend(self.ports.expired.is_connected.then_some(data(TimerPorts::EXPIRED)));
        vec![Process::new(0).drives(drives)]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        self.state.port.evaluate(self.ports.registers_request, self.ports.registers_response, signals);
        signals.write(self.ports.expired.port, self.state.is_announcing.then_some(1));
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        if edge.signals.is_sent(self.ports.expired.port) {
            state.is_announcing = false;
        }
        if state.alarm.as_mut().is_some_and(|alarm| alarm.rings(edge)) {
            state.alarm = None;
            state.is_announcing = self.ports.expired.is_connected;
            edge.count(EXPIRATIONS, 1);
        }
        let now = edge.time().femtoseconds() / FEMTOSECONDS_PER_MICROSECOND;
        let mut begins = false;
        let (request, response) = (self.ports.registers_request, self.ports.registers_response);
        state.port.commit(request, response, edge, |offset, written| {
            begins = written.is_some();
            match (offset, written) {
                (timer_offset::MICROSECONDS, None) => Some(now as u32),
                (timer_offset::COMPARE, None) => Some(state.compare),
                (timer_offset::CONTROL, None) => Some(u32::from(state.is_enabled)),
                (timer_offset::EXPIRED, None) => {
                    Some(u32::from(state.is_enabled && (now as u32).wrapping_sub(state.compare) as i32 >= 0))
                }
                (timer_offset::COMPARE, Some(word)) => {
                    state.compare = word;
                    Some(0)
                }
                (timer_offset::CONTROL, Some(word)) => {
                    state.is_enabled = word & 1 != 0;
                    Some(0)
                }
                _ => None,
            }
        });
        if begins {
            let ahead = i64::from(state.compare.wrapping_sub(now as u32) as i32);
            let due = now.saturating_add_signed(ahead).saturating_mul(FEMTOSECONDS_PER_MICROSECOND);
            state.alarm = state.is_enabled.then(|| Alarm::set(Time::from_femtoseconds(due), edge));
        }
    }

    fn idle(&self) -> Idle {
        self.state.alarm.map_or(Idle::UntilInput, |alarm| Idle::UntilCycle(alarm.look_at()))
    }

    fn state(&self) -> &TimerState {
        &self.state
    }

    fn restore(&mut self, state: TimerState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}
