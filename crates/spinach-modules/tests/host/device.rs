//! A device that does things at random: what it answers, writes and asks for depends on the cycle in which it is referred to, and
//! everything that it sees goes into a digest, with the cycle.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Input, Module, Output, Process, Signals, ack, data, parameters, ports,
};
use spinach_modules::values::{Block, BlockResponse, Reference, Response};

use super::support::Random;

parameters! {
    pub struct DeviceParameters {
        /// Decides what it does.
        pub seed: u64 = 1,
    }
}

ports! {
    pub struct DevicePorts {
        /// Configuration space.
        pub configuration: { request: Input<Reference>, response: Output<Response> },
        /// Memory space.
        pub access: { request: Input<Reference>, response: Output<Response> },
        /// Host memory.
        pub memory: { request: Output<Block>, response: Input<BlockResponse> },
        /// The interrupt line.
        pub interrupt: Output<u64>,
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DeviceState {
    random: Random,
    pub digest: u64,
    pub seen: u64,
    /// Answers, and from which cycle on they are presented: of configuration space and of memory space.
    answers: [VecDeque<(u64, u64)>; 2],
    block: Option<Block>,
    blocks: u64,
    /// Requested bytes of memory: read and written.
    pub moved: [u64; 2],
    level: u64,
    said: u64,
    cycle: u64,
}

pub(crate) struct Device {
    ports: DevicePorts,
    state: DeviceState,
}

/// The memory that it reads and writes.
const SHARED: u64 = 0x8010_0000;
const SHARED_BYTES: u64 = 4096;
/// The most blocks without an answer.
const BLOCKS: u64 = 3;

fn hash(values: [u64; 3]) -> u64 {
    values.into_iter().fold(0xcbf2_9ce4_8422_2325, |digest: u64, value| {
        let digest = (digest ^ value).wrapping_mul(0x100_0000_01b3);
        digest ^ digest >> 31
    })
}

impl Module for Device {
    type Parameters = DeviceParameters;
    type Ports = DevicePorts;
    type State = DeviceState;

    fn declaration() -> Declaration {
        Declaration {
            kind: "test_device",
            family: "test",
            documentation: "Does things at random.",
            timing: "Registered.",
            source: "None.",
            parameters: DeviceParameters::declare(),
            ports: DevicePorts::declare(),
            counters: &[],
            clocks: &["clock"],
        }
    }

    fn new(parameters: DeviceParameters, ports: DevicePorts) -> Result<Self, String> {
        let state = DeviceState {
            random: Random::new(parameters.seed),
            digest: 0,
            seen: 0,
            answers: Default::default(),
            block: None,
            blocks: 0,
            moved: [0; 2],
            level: 0,
            said: 0,
            cycle: 0,
        };
        Ok(Self { ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = DevicePorts;
        let drives = [
            ack(P::CONFIGURATION_REQUEST),
            data(P::CONFIGURATION_RESPONSE),
            ack(P::ACCESS_REQUEST),
            data(P::ACCESS_RESPONSE),
            data(P::MEMORY_REQUEST),
            data(P::INTERRUPT),
        ];
        vec![Process::new(0).drives(drives).accepts([P::MEMORY_RESPONSE])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        for (request, response, answers) in [
            (ports.configuration_request, ports.configuration_response, &state.answers[0]),
            (ports.access_request, ports.access_response, &state.answers[1]),
        ] {
            signals.acknowledge(request, answers.is_empty());
            let answer = answers.front().filter(|(from, _)| *from <= self.state.cycle);
            let response_of = |(_, data): &(u64, u64)| Response { data: u128::from(*data), is_fault: false };
            signals.write(response, answer.map(response_of));
        }
        signals.write(ports.memory_request, state.block);
        signals.write(ports.interrupt, (state.said != state.level).then_some(state.level));
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let (cycle, state) = (edge.cycle(), &mut self.state);
        state.cycle = cycle + 1;
        for (number, (request, response)) in [
            (self.ports.configuration_request, self.ports.configuration_response),
            (self.ports.access_request, self.ports.access_response),
        ]
        .into_iter()
        .enumerate()
        {
            if edge.signals.is_sent(response) {
                state.answers[number].pop_front();
            }
            if let Some(reference) = edge.signals.received(request) {
                let what = reference.address << 8
                    | u64::from(reference.size) << 1
                    | u64::from(reference.access.writes());
                state.digest = hash([state.digest ^ cycle, what, reference.data as u64]);
                state.seen += 1;
                if reference.access.writes() && reference.address & 0xfff == 0 {
                    state.level = 0;
                }
                let delay = 1 + state.random.below(30);
                state.answers[number].push_back((cycle + delay, hash([cycle, what, 0])));
            }
        }
        if edge.signals.is_sent(self.ports.interrupt) {
            state.said = state.level;
        }
        if edge.signals.is_sent(self.ports.memory_request) {
            let memory = state.block.take().filter(|block| block.address >= SHARED);
            memory.iter().for_each(|block| {
                state.moved[usize::from(block.write.is_some())] += u64::from(block.length);
            });
            state.blocks += 1;
        }
        if let Some(response) = edge.signals.received(self.ports.memory_response) {
            state.blocks -= 1;
            state.digest = hash([state.digest ^ cycle, u64::from(response.is_fault), 1]);
            let read = response.read.and_then(|payload| edge.payloads().remove(payload));
            for byte in read.iter().flat_map(|bytes| bytes.iter()) {
                state.digest = hash([state.digest, u64::from(*byte), 2]);
            }
        }
        let what = state.random.next();
        if what >> 40 & 63 == 0 && state.said == state.level {
            state.level = 1;
        }
        if what & 15 == 0 && state.block.is_none() && state.blocks < BLOCKS {
            let length = 1 + (what >> 8 & 127) as u32;
            // Some of it beyond the memory.
            let base = if what >> 60 == 0 { 0x1000 } else { SHARED };
            let address = base + (what >> 16) % (SHARED_BYTES - u64::from(length));
            let bytes: Vec<u8> = (0..u64::from(length)).map(|byte| hash([cycle, byte, 3]) as u8).collect();
            let write = (what >> 32 & 1 == 1).then(|| edge.payloads().insert(bytes));
            state.block = Some(Block { address, length, source: 0, write });
        }
    }

    fn state(&self) -> &DeviceState {
        &self.state
    }

    fn restore(&mut self, state: DeviceState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}
