//! `scratch_pad_filter`: keeps private references off the global memory.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, OrUnconnected, Output, Process, Signals, Size, ack, data,
    parameters, ports,
};

use crate::values::{Reference, Response};

parameters! {
    /// The parameters of a scratch pad filter.
    pub struct ScratchPadFilterParameters {
        /// The first address of the scratch pad.
        pub scratch_pad_base: u64 = 0,
        /// Size of the scratch pad, in bytes.
        pub scratch_pad_size: Size = Size(0),
        /// The first address of the registers.
        pub registers_base: u64 = 0,
        /// Size of the registers, in bytes.
        pub registers_size: Size = Size(0),
        /// Number of references that may wait for their responses.
        pub outstanding: u32 = 8 => in 1..=4096,
    }
}

ports! {
    /// Ports of a scratch pad filter.
    pub struct ScratchPadFilterPorts {
        /// References of the core.
        pub port: { request: Input<Reference>, response: Output<Response> },
        /// Scratch pad.
        pub scratch_pad: { request: OrUnconnected<Output<Reference>>, response: OrUnconnected<Input<Response>> },
        /// Registers.
        pub registers: { request: OrUnconnected<Output<Reference>>, response: OrUnconnected<Input<Response>> },
        /// All other references.
        pub global: { request: OrUnconnected<Output<Reference>>, response: OrUnconnected<Input<Response>> },
    }
}

/// Destinations of references that are not yet answered.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ScratchPadFilterState {
    // Oldest first; a number of a target, or `NOWHERE`.
    waiting: VecDeque<u8>,
}

const TARGETS: usize = 3;
const NOWHERE: u8 = TARGETS as u8;

// Half-open range of addresses that belongs to a separate target.
#[derive(Clone, Copy, Debug)]
struct Range {
    base: u64,
    size: u64,
}

/// Keeps private references off the global memory. See its declaration.
pub struct ScratchPadFilter {
    // Of all targets but the last, which has the rest.
    ranges: [Range; TARGETS - 1],
    outstanding: usize,
    port: (Input<Reference>, Output<Response>),
    // Scratch pad, registers, global memory; with the counters in the same order.
    targets: [Option<(Output<Reference>, Input<Response>)>; TARGETS],
    state: ScratchPadFilterState,
}

const FORWARD: u16 = 0;
const ACCEPT: u16 = 1;
const RESPOND: u16 = 2;
const ACCEPT_RESPONSE: u16 = 3;

const FAULTS: usize = 3;
const REFUSED: usize = 4;

impl Module for ScratchPadFilter {
    type Parameters = ScratchPadFilterParameters;
    type Ports = ScratchPadFilterPorts;
    type State = ScratchPadFilterState;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "scratch_pad_filter",
            family: "memory",
            documentation: "Keeps private references off the global memory.\n\nReferences to the scratch pad and to the \
                            registers go there, all others to the global memory, with unchanged addresses. Responses return in \
                            the order of the references. A reference to a target that is not connected is answered with a fault.",
            timing: "Combinational in both directions: the reference passes in its cycle, and so does the response. If the \
                     target responds in the cycle of the reference, the response passes one cycle later. A fault is presented in the cycle \
                     after the reference, or when all references before it are answered.",
            source: "Spinach thesis, section 3.2.2, table 3.2 (Scratch Pad Filter)",
            parameters: ScratchPadFilterParameters::declare(),
            ports: ScratchPadFilterPorts::declare(),
            counters: &[
                ("scratch_pad_references", "references passed to the scratch pad"),
                ("register_references", "references passed to the registers"),
                ("global_references", "references passed to the global memory"),
                ("faults", "references to targets that are not connected"),
                ("refused", "cycles in which a reference got a Nack"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: ScratchPadFilterParameters, ports: ScratchPadFilterPorts) -> Result<Self, String> {
        let range = |name, base: u64, Size(size)| match base.checked_add(size) {
            Some(_) => Ok(Range { base, size }),
            None => Err(format!("{size} bytes from {name} = {base:#x} on go beyond the last address")),
        };
        let ranges = [
            range("scratch_pad_base", parameters.scratch_pad_base, parameters.scratch_pad_size)?,
            range("registers_base", parameters.registers_base, parameters.registers_size)?,
        ];
        let [first, second] = ranges;
        if first.base < second.base + second.size && second.base < first.base + first.size {
            return Err("the ranges of the scratch pad and of the registers overlap".to_owned());
        }
        let target = |request: OrUnconnected<Output<Reference>>, response: OrUnconnected<Input<Response>>| {
            (request.is_connected && response.is_connected).then_some((request.port, response.port))
        };
        let outstanding = parameters.outstanding as usize;
        Ok(Self {
            ranges,
            outstanding,
            port: (ports.port_request, ports.port_response),
            targets: [
                target(ports.scratch_pad_request, ports.scratch_pad_response),
                target(ports.registers_request, ports.registers_response),
                target(ports.global_request, ports.global_response),
            ],
            state: ScratchPadFilterState { waiting: VecDeque::with_capacity(outstanding) },
        })
    }

    fn processes(&self) -> Vec<Process> {
        type Own = ScratchPadFilterPorts;
        let requests = [Own::SCRATCH_PAD_REQUEST, Own::REGISTERS_REQUEST, Own::GLOBAL_REQUEST];
        let responses = [Own::SCRATCH_PAD_RESPONSE, Own::REGISTERS_RESPONSE, Own::GLOBAL_RESPONSE];
        vec![
            Process::new(FORWARD).drives(requests.map(data)).reads([data(Own::PORT_REQUEST)]),
            Process::new(ACCEPT)
                .drives([ack(Own::PORT_REQUEST)])
                .reads([data(Own::PORT_REQUEST)])
                .reads(requests.map(ack)),
            Process::new(RESPOND).drives([data(Own::PORT_RESPONSE)]).reads(responses.map(data)),
            Process::new(ACCEPT_RESPONSE).drives(responses.map(ack)).reads([ack(Own::PORT_RESPONSE)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        match code {
            FORWARD => {
                let chosen = self.choose(signals);
                for (number, target) in self.connected() {
                    if chosen == Some(number) {
                        signals.forward(self.port.0, target.0);
                    } else {
                        signals.clear(target.0);
                    }
                }
            }
            ACCEPT => {
                let accepted = match self.choose(signals).map(|target| self.target(target)) {
                    None => false,
                    Some(None) => true,
                    Some(Some((request, _))) => signals.is_acknowledged(request),
                };
                signals.acknowledge(self.port.0, accepted);
            }
            RESPOND => match self.state.waiting.front().map(|target| self.target(*target)) {
                None => signals.clear(self.port.1),
                Some(None) => signals.write(self.port.1, Some(Response::FAULT)),
                Some(Some((_, response))) => signals.forward(response, self.port.1),
            },
            _ => {
                let accepted = signals.is_acknowledged(self.port.1);
                let oldest = self.state.waiting.front();
                for (number, target) in self.connected() {
                    signals.acknowledge(target.1, accepted && oldest == Some(&number));
                }
            }
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_sent(self.port.1) {
            self.state.waiting.pop_front();
        }
        match edge.signals.received(self.port.0) {
            Some(reference) => {
                let target = self.target_of(reference.address);
                edge.count(usize::from(target).min(FAULTS), 1);
                self.state.waiting.push_back(target);
            }
            None => edge.count(REFUSED, u64::from(edge.signals.is_present(self.port.0))),
        }
    }

    fn idle(&self) -> Idle {
        if self.state.waiting.is_empty() { Idle::UntilInput } else { Idle::No }
    }

    fn state(&self) -> &ScratchPadFilterState {
        &self.state
    }

    fn restore(&mut self, state: ScratchPadFilterState) -> Result<(), String> {
        if state.waiting.iter().any(|target| *target > NOWHERE) {
            return Err("the saved filter waits for a target that does not exist".to_owned());
        }
        self.state = state;
        Ok(())
    }
}

impl ScratchPadFilter {
    #[inline]
    fn target(&self, number: u8) -> Option<(Output<Reference>, Input<Response>)> {
        self.targets.get(usize::from(number)).copied().flatten()
    }

    fn connected(&self) -> impl Iterator<Item = (u8, (Output<Reference>, Input<Response>))> {
        (0..NOWHERE).zip(self.targets).filter_map(|(number, target)| Some((number, target?)))
    }

    #[inline]
    fn target_of(&self, address: u64) -> u8 {
        let own = self.ranges.iter().position(|range| address.wrapping_sub(range.base) < range.size);
        let number = own.unwrap_or(TARGETS - 1);
        if self.targets[number].is_some() { number as u8 } else { NOWHERE }
    }

    // Target of the presented reference, if it may pass.
    #[inline]
    fn choose(&self, signals: &Signals) -> Option<u8> {
        let has_room = self.state.waiting.len() < self.outstanding;
        let reference = signals.read(self.port.0).filter(|_| has_room)?;
        Some(self.target_of(reference.address))
    }
}
