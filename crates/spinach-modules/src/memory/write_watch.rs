//! `write_watch`: reports the words of a range that were written.

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
    /// The parameters of a watch.
    pub struct WriteWatchParameters {
        /// The first address that is watched.
        pub base: u64 = 0,
        /// Number of watched bytes.
        pub size: Size => in 1..=u64::MAX,
        /// Number of writes that may wait to be reported; more are refused.
        pub depth: u32 = 16 => in 1..=4096,
    }
}

ports! {
    /// Ports of a watch.
    pub struct WriteWatchPorts {
        /// References of the initiator.
        pub port: { request: Input<Reference>, response: Output<Response> },
        /// Memory that receives the references.
        pub memory: { request: Output<Reference>, response: Input<Response> },
        /// Offset of each write to the range from its base, in bytes, once the memory has answered the write.
        pub written: Output<u64>,
        /// The bytes of each reference, for the bus that carries it here.
        pub carried: OrUnconnected<Output<u64>>,
    }
}

/// State of a watch.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct WriteWatchState {
    // Of each reference that the memory has not answered: which byte of the range it writes.
    asked: VecDeque<Option<u64>>,
    written: VecDeque<u64>,
    carried: VecDeque<u64>,
}

/// Tells which words of a range were written. See its declaration.
pub struct WriteWatch {
    base: u64,
    size: u64,
    depth: usize,
    ports: WriteWatchPorts,
    state: WriteWatchState,
}

const ASK: u16 = 0;
const ACKNOWLEDGE: u16 = 1;
const ANSWER: u16 = 2;
const ACKNOWLEDGE_ANSWER: u16 = 3;
const TELL: u16 = 4;

const WRITES: usize = 0;

impl Module for WriteWatch {
    type Parameters = WriteWatchParameters;
    type Ports = WriteWatchPorts;
    type State = WriteWatchState;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "write_watch",
            family: "memory",
            documentation: "Reports writes to a range of a memory.\n\nIt is placed before a memory; references and responses \
                            pass unchanged. A write is reported when the memory has answered it, so a receiver of the report \
                            reads the written data. Writes that fault are not reported.",
            timing: "Combinational both ways: it adds no cycle. A write is reported in the cycle after its answer was accepted, the bytes of a \
                     reference in the cycle after it was.",
            source: "RiceNIC (ExpCS 2007), section 3.1 (hardware event unit)",
            parameters: WriteWatchParameters::declare(),
            ports: WriteWatchPorts::declare(),
            counters: &[("writes", "writes to the range")],
            clocks: &["clock"],
        }
    }

    fn new(parameters: WriteWatchParameters, ports: WriteWatchPorts) -> Result<Self, String> {
        let WriteWatchParameters { base, size, depth } = parameters;
        let state = WriteWatchState::default();
        Ok(Self { base, size: size.0, depth: depth as usize, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = WriteWatchPorts;
        let mut told = vec![data(P::WRITTEN)];
        told.extend(self.ports.carried.is_connected.then_some(data(P::CARRIED)));
        vec![
            Process::new(ASK).drives([data(P::MEMORY_REQUEST)]).reads([data(P::PORT_REQUEST)]),
            Process::new(ACKNOWLEDGE).drives([ack(P::PORT_REQUEST)]).reads([ack(P::MEMORY_REQUEST)]),
            Process::new(ANSWER).drives([data(P::PORT_RESPONSE)]).reads([data(P::MEMORY_RESPONSE)]),
            Process::new(ACKNOWLEDGE_ANSWER).drives([ack(P::MEMORY_RESPONSE)]).reads([ack(P::PORT_RESPONSE)]),
            Process::new(TELL).drives(told),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        let ports = &self.ports;
        let has_room = self.state.written.len() + self.state.asked.len() < self.depth
            && self.state.carried.len() < self.depth;
        match code {
            ASK if has_room => signals.forward(ports.port_request, ports.memory_request),
            ASK => signals.clear(ports.memory_request),
            ACKNOWLEDGE => {
                let is_taken = has_room && signals.is_acknowledged(ports.memory_request);
                signals.acknowledge(ports.port_request, is_taken);
            }
            ANSWER => signals.forward(ports.memory_response, ports.port_response),
            ACKNOWLEDGE_ANSWER => {
                let is_taken = signals.is_acknowledged(ports.port_response);
                signals.acknowledge(ports.memory_response, is_taken);
            }
            _ => {
                signals.write(ports.written, self.state.written.front().copied());
                signals.write(ports.carried.port, self.state.carried.front().copied());
            }
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        if edge.signals.is_sent(self.ports.written) {
            state.written.pop_front();
        }
        if edge.signals.is_sent(self.ports.carried.port) {
            state.carried.pop_front();
        }
        if let Some(response) = edge.signals.received(self.ports.memory_response)
            && let Some(Some(written)) = state.asked.pop_front()
            && !response.is_fault
        {
            edge.count(WRITES, 1);
            state.written.push_back(written);
        }
        if let Some(reference) = edge.signals.received(self.ports.port_request) {
            let behind = reference.address.checked_sub(self.base);
            let is_told = |behind: &u64| reference.access.writes() && *behind < self.size;
            state.asked.push_back(behind.filter(is_told));
            if self.ports.carried.is_connected {
                state.carried.push_back(u64::from(reference.size));
            }
        }
    }

    fn idle(&self) -> Idle {
        // A request without an answer changes nothing until the answer is presented.
        Idle::UntilInput
    }

    fn state(&self) -> &WriteWatchState {
        &self.state
    }

    fn restore(&mut self, state: WriteWatchState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}
