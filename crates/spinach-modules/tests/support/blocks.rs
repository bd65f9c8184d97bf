//! An initiator of the block protocol.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Input, Module, ModuleId, Output, Process, Signals, Simulation, ack, data, parameters,
    ports,
};
use spinach_modules::values::{Block, BlockResponse};

use super::{Bench, Random, Stalls, state};

/// Request of a block initiator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub address: u64,
    pub length: u32,
    /// True if it writes [`pattern`] of its place in the script.
    pub writes: bool,
}

/// The bytes that request number `number` writes.
pub(crate) fn pattern(number: usize, length: u32) -> Vec<u8> {
    (0..length as usize).map(|byte| (number * 31 + byte * 7 + (byte >> 8)) as u8).collect()
}

parameters! {
    pub struct BlocksParameters {
        /// Address, length and 1 for writes, by turns.
        pub script: Vec<u64>,
        /// Percentage of cycles in which nothing is presented.
        pub request_percent: u64 = 0,
        /// Percentage of cycles in which responses are refused.
        pub response_percent: u64 = 0,
        /// Decides in which.
        pub seed: u64 = 0,
    }
}

ports! {
    pub struct BlocksPorts {
        /// Requests.
        pub request: Output<Block>,
        /// Responses.
        pub response: Input<BlockResponse>,
    }
}

/// A response: the cycle, the bytes if it was read, and whether it is a fault.
pub(crate) type Answered = (u64, Option<Vec<u8>>, bool);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct BlocksState {
    next: usize,
    prepared: Option<Block>,
    presents: bool,
    accepts: bool,
    random: Random,
    pub moved: Vec<u64>,
    pub answered: Vec<Answered>,
}

/// Plays a script of blocks. The first is presented in cycle 1.
pub(crate) struct Blocks {
    parameters: BlocksParameters,
    ports: BlocksPorts,
    state: BlocksState,
}

impl Module for Blocks {
    type Parameters = BlocksParameters;
    type Ports = BlocksPorts;
    type State = BlocksState;

    fn declaration() -> Declaration {
        Declaration {
            kind: "test_blocks",
            family: "test",
            documentation: "Plays a script of blocks.",
            timing: "Registered.",
            source: "None.",
            parameters: BlocksParameters::declare(),
            ports: BlocksPorts::declare(),
            counters: &[],
            clocks: &["clock"],
        }
    }

    fn new(parameters: BlocksParameters, ports: BlocksPorts) -> Result<Self, String> {
        let state = BlocksState {
            next: 0,
            prepared: None,
            presents: true,
            accepts: true,
            random: Random::new(parameters.seed),
            moved: Vec::new(),
            answered: Vec::new(),
        };
        Ok(Self { parameters, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        vec![
            Process::new(0).drives([data(BlocksPorts::REQUEST)]),
            Process::new(1).drives([ack(BlocksPorts::RESPONSE)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == 0 {
            signals.write(self.ports.request, self.state.prepared.filter(|_| self.state.presents));
        } else {
            signals.acknowledge(self.ports.response, self.state.accepts);
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        if edge.signals.is_sent(self.ports.request) {
            state.moved.push(edge.cycle());
            state.prepared = None;
        }
        if let Some(response) = edge.signals.received(self.ports.response) {
            let bytes = response.read.and_then(|payload| edge.payloads().remove(payload));
            state.answered.push((edge.cycle(), bytes.map(Vec::from), response.is_fault));
        }
        if state.prepared.is_none()
            && let Some(words) = self.parameters.script.chunks_exact(3).nth(state.next)
        {
            let length = words[1] as u32;
            let write = (words[2] != 0).then(|| edge.payloads().insert(pattern(state.next, length)));
            state.prepared = Some(Block { address: words[0], length, source: 0, write });
            state.next += 1;
        }
        state.presents = state.random.below(100) >= self.parameters.request_percent;
        state.accepts = state.random.below(100) >= self.parameters.response_percent;
    }

    fn state(&self) -> &BlocksState {
        &self.state
    }

    fn restore(&mut self, state: BlocksState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

/// A block initiator, by the number in its path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockInitiator(usize);

impl Bench {
    /// Adds an initiator that plays `script` into lane `lane` of `bundle` of `target`.
    pub(crate) fn blocks(
        &mut self,
        (target, bundle, lane): (ModuleId, &str, usize),
        script: &[Asked],
        stalls: Stalls,
    ) -> BlockInitiator {
        let number = self.design.modules.len();
        let words = script.iter().flat_map(|asked| [asked.address, asked.length.into(), asked.writes.into()]);
        let parameters: [(&str, spinach_engine::ParameterValue); 4] = [
            ("script", words.collect::<Vec<u64>>().into()),
            ("request_percent", stalls.request_percent.into()),
            ("response_percent", stalls.response_percent.into()),
            ("seed", (stalls.seed + lane as u64).into()),
        ];
        let blocks = self.design.module(format!("blocks{number}"), "test_blocks", self.domain, parameters);
        self.design.connect_lanes((blocks, "request", 0), (target, &format!("{bundle}_request"), lane));
        self.design.connect_lanes((target, &format!("{bundle}_response"), lane), (blocks, "response", 0));
        BlockInitiator(number)
    }
}

impl BlockInitiator {
    pub(crate) fn state(&self, simulation: &mut Simulation) -> BlocksState {
        state(simulation, &format!("blocks{}", self.0))
    }
}
