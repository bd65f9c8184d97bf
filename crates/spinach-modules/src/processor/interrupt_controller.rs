//! `interrupt_controller`: gathers the interrupts of devices for the lines of cores.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AnyNumber, Declaration, Edge, Idle, Input, Many, Module, Output, Process, Signals, ack, data, parameters,
    ports,
};

use crate::parts::registers::RegisterPort;
use crate::values::{Reference, Response};

/// Sources are bits of a word, and each output has a word in each group of registers.
const MOST_SOURCES: usize = 32;
const MOST_OUTPUTS: usize = 4;
const GROUP_BYTES: u32 = 0x10;

parameters! {
    /// The parameters of an interrupt controller.
    pub struct InterruptControllerParameters {
        /// Initially enabled sources at every output, a bit for each source.
        pub enabled: u64 = 0 => in 0..=0xffff_ffff,
    }
}

ports! {
    /// Ports of an interrupt controller.
    pub struct InterruptControllerPorts {
        /// Registers.
        pub registers: { request: Input<Reference>, response: Output<Response> },
        /// The sources, one lane each: a source asks for interrupts as long as its lane presents a word, which is never taken.
        pub source: AnyNumber<Input<u64>>,
        /// The lines of cores, one lane each: a word for each interrupt.
        pub output: Many<Output<u64>>,
    }
}

/// State of a line in an interrupt controller.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
enum Line {
    // Waits for a source.
    #[default]
    Armed,
    // Presents a word.
    Asking,
    // The word was taken; firmware has not reported its completion.
    InService,
}

/// State of an interrupt controller.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InterruptControllerState {
    port: RegisterPort,
    sources: u32,
    enabled: Vec<u32>,
    lines: Vec<Line>,
}

/// Gathers interrupts of devices. See its declaration.
pub struct InterruptController {
    ports: InterruptControllerPorts,
    state: InterruptControllerState,
}

/// Offsets of its registers; of all but the last there is one for each output.
mod offset {
    pub(super) const ENABLED: u32 = 0x00;
    pub(super) const PENDING: u32 = 0x10;
    pub(super) const DONE: u32 = 0x20;
    pub(super) const SOURCES: u32 = 0x30;
}

const INTERRUPTS: usize = 0;

const DOCUMENTATION: &str = "Gathers the interrupts of devices for the lines of cores.

Sources are levels: a source is active while its lane presents a word. Each output serves one line of one core and has separate \
enable bits. When an enabled source is active, the output presents one word, which the core accepts as it enters its handler. \
The next word follows when firmware has written `DONE` and an enabled source is active. So the core takes one interrupt for all \
sources that are active, and no other before firmware is ready.

Registers (aligned 32-bit words; the low 8 bits of the address count):

| offset | name | access | content |
|---|---|---|---|
| 0x00 to 0x0c | `ENABLED` | read, write | of each output: bit `n`: source `n` interrupts |
| 0x10 to 0x1c | `PENDING` | read | of each output: bit `n`: source `n` is active and enabled |
| 0x20 to 0x2c | `DONE` | write | of each output: any word: firmware has served the active sources |
| 0x30 | `SOURCES` | read | bit `n`: source `n` is active |";

impl Module for InterruptController {
    type Parameters = InterruptControllerParameters;
    type Ports = InterruptControllerPorts;
    type State = InterruptControllerState;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "interrupt_controller",
            family: "processor",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. A source that asks in a cycle is presented to the core in the next.",
            source: "RiceNIC (ExpCS 2007) does not describe the card's; registers of Spinach, in the manner of the controllers that \
                     came with the PowerPC 405",
            parameters: InterruptControllerParameters::declare(),
            ports: InterruptControllerPorts::declare(),
            counters: &[("interrupts", "words that cores took")],
            clocks: &["clock"],
        }
    }

    fn new(
        parameters: InterruptControllerParameters,
        ports: InterruptControllerPorts,
    ) -> Result<Self, String> {
        let (sources, outputs) = (ports.source.len(), ports.output.len());
        if sources > MOST_SOURCES || outputs > MOST_OUTPUTS {
            return Err(format!(
                "{sources} sources and {outputs} outputs: at most {MOST_SOURCES} and {MOST_OUTPUTS} have registers"
            ));
        }
        let state = InterruptControllerState {
            port: RegisterPort::default(),
            sources: 0,
            enabled: vec![parameters.enabled as u32; outputs],
            lines: vec![Line::default(); outputs],
        };
        Ok(Self { ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = InterruptControllerPorts;
        let mut drives = vec![data(P::REGISTERS_RESPONSE), ack(P::REGISTERS_REQUEST), data(P::OUTPUT)];
        drives.extend((!self.ports.source.is_empty()).then_some(ack(P::SOURCE)));
        vec![Process::new(0).drives(drives)]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        self.state.port.evaluate(self.ports.registers_request, self.ports.registers_response, signals);
        for source in self.ports.source.iter() {
            signals.acknowledge(*source, false);
        }
        for (output, line) in self.ports.output.iter().zip(&self.state.lines) {
            signals.write(*output, (*line == Line::Asking).then_some(1));
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let Self { ports, state } = self;
        let asks = |lane: &Input<u64>| edge.signals.is_present(*lane);
        state.sources =
            ports.source.iter().enumerate().fold(0, |all, (n, lane)| all | u32::from(asks(lane)) << n);
        let (sources, enabled, lines) = (state.sources, &mut state.enabled, &mut state.lines);
        let (request, response) = (ports.registers_request, ports.registers_response);
        state.port.commit(request, response, edge, |at, written| {
            let output = (at % GROUP_BYTES / 4) as usize;
            let has_output = at.is_multiple_of(4) && output < enabled.len();
            match (at - at % GROUP_BYTES, written) {
                (offset::SOURCES, None) if at == offset::SOURCES => Some(sources),
                _ if !has_output => None,
                (offset::ENABLED, None) => Some(enabled[output]),
                (offset::ENABLED, Some(word)) => {
                    enabled[output] = word;
                    Some(0)
                }
                (offset::PENDING, None) => Some(sources & enabled[output]),
                (offset::DONE, Some(_)) => {
                    if lines[output] == Line::InService {
                        lines[output] = Line::Armed;
                    }
                    Some(0)
                }
                _ => None,
            }
        });
        for (number, line) in state.lines.iter_mut().enumerate() {
            if edge.signals.is_sent(ports.output[number]) {
                edge.count(INTERRUPTS, 1);
                *line = Line::InService;
            }
            if *line == Line::Armed && sources & state.enabled[number] != 0 {
                *line = Line::Asking;
            }
        }
    }

    fn idle(&self) -> Idle {
        // Sources ask and cores are asked for as long as it takes: nothing changes before one begins, ends, or takes its word.
        Idle::UntilTransfer
    }

    fn state(&self) -> &InterruptControllerState {
        &self.state
    }

    fn restore(&mut self, state: InterruptControllerState) -> Result<(), String> {
        let outputs = self.ports.output.len();
        if state.enabled.len() != outputs || state.lines.len() != outputs {
            return Err("the saved interrupt controller has other outputs".to_owned());
        }
        self.state = state;
        Ok(())
    }
}
